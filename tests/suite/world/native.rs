//! The guest as ordinary Rust.

use pi_capsule::extension::Extension;
use pi_capsule::host::{
    AttemptId, Body, Changes, Command, ContextUsage, Delivery, EntryId, Failure, Host, NoticeLevel, Outcome,
    OutgoingMessage, PathStyle, Program, Refused, RequestId, Scope, SessionInfo, TimerId, Timestamp,
};
use pi_capsule::reset::CompactionRequest;
use pi_capsule::tools::Output;

use super::{CWD, End, Event, Guest, Reply, SESSION_ID, Shared};

pub(crate) struct Native {
    extension: Extension,
    host: NativeHost,
}

/// The world as a host of the native guest, or of a part of it.
pub(crate) struct NativeHost(pub(crate) Shared);

impl Native {
    pub(crate) fn new(world: Shared) -> Self {
        Self { extension: Extension::default(), host: NativeHost(world) }
    }
}

impl Guest for Native {
    fn world(&self) -> &Shared {
        &self.host.0
    }

    fn start(&mut self) {
        self.extension.on_session_started(false, &mut self.host);
    }

    fn start_fork(&mut self) {
        self.extension.on_session_started(true, &mut self.host);
    }

    fn shut_down(&mut self) {
        self.extension.on_session_shut_down(&mut self.host);
    }

    fn finish(&mut self, id: u32, end: End) {
        let outcome = match end {
            End::Exit(code, stdout, stderr) => Outcome::Exited { code, stdout: stdout.into(), stderr: stderr.into() },
            End::Said(code, stdout, stderr) => Outcome::Exited { code, stdout, stderr },
            End::TimedOut => Outcome::Failed(Failure::TimedOut),
            End::OutputLimit => Outcome::Failed(Failure::OutputLimit),
        };
        self.extension.on_subprocess_finished(RequestId(id), &outcome, &mut self.host);
    }

    fn fire(&mut self, id: u32) {
        self.extension.on_timer_fired(TimerId(id), &mut self.host);
    }

    fn tell(&mut self, event: Event<'_>) -> Reply {
        let Self { extension, host } = self;
        match event {
            Event::BranchChanged => extension.on_branch_changed(host),
            Event::ModelChanged => extension.on_model_changed(),
            Event::ContextRequested => extension.on_context_requested(host),
            Event::TurnEnded(outcome) => extension.on_turn_ended(outcome),
            Event::AgentEnded(outcome) => extension.on_agent_ended(outcome),
            Event::BeforeSettle => return Reply::Boundary(extension.before_settle(host)),
            Event::AgentSettled(outcome) => extension.on_agent_settled(outcome, host),
            Event::BeforeCompact { reason, aborted } => {
                return Reply::Decision(extension.before_compact(CompactionRequest { reason, aborted }, host));
            }
            Event::Compacted(_) => extension.on_compacted(host),
            Event::CompactionFailed { aborted, message } => extension.on_compaction_failed(aborted, message, host),
            Event::CompactionFinished(attempt, result) => extension.on_compaction_finished(attempt, &result, host),
            Event::Command(name, arguments) => extension.run_command(name, arguments, CWD, host),
            Event::ToolCalled(call_id, tool, arguments) => {
                extension.on_tool_called(call_id, tool, &arguments, CWD, host)
            }
            Event::ToolFinished(call_id) => extension.on_tool_finished(call_id, host),
        }
        Reply::Nothing
    }

    fn call_tool(&mut self, tool: &str, arguments: &str) -> Result<Output, String> {
        self.extension.call_tool(tool, arguments, &mut self.host)
    }

    fn tools(&mut self) -> Vec<String> {
        pi_capsule::tools::definitions().map(|tool| tool.name.into()).collect()
    }

    fn commands(&mut self) -> Vec<String> {
        Extension::commands().map(|command| command.name.into()).into()
    }

    fn complete(&mut self, command: &str, typed: &str) -> Vec<String> {
        self.extension.complete(command, typed).into_iter().map(|completion| completion.value).collect()
    }
}

impl Host for NativeHost {
    fn session(&self) -> SessionInfo {
        let world = self.0.borrow();
        SessionInfo {
            id: SESSION_ID.into(),
            name: world.name.clone(),
            cwd: world.cwd.clone(),
            path_style: PathStyle::Posix,
            created_at: world.created_at,
        }
    }

    fn changes_since(&mut self, cursor: Option<&str>) -> Changes {
        self.0.borrow_mut().branch.changes_since(cursor)
    }

    fn read_bodies(&mut self, ids: &[&str]) -> Vec<Option<Body>> {
        self.0.borrow_mut().branch.read_bodies(ids.iter().copied())
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, Refused> {
        self.0.borrow_mut().appended(custom_type, data).ok_or(Refused)
    }

    fn settings_section(&mut self, scope: Scope, _name: &str) -> Result<Option<String>, Refused> {
        self.0.borrow().section(scope as usize).ok_or(Refused)
    }

    fn compaction_reserve(&mut self) -> Result<u64, Refused> {
        Ok(self.0.borrow().reserve)
    }

    fn start_process(&mut self, command: Command) -> RequestId {
        let mut world = self.0.borrow_mut();
        let id = world.next_process();
        let program = match command.program {
            Program::Git => "git",
            Program::Gh => "gh",
        };
        world.process_started(id, program, &command.arguments);
        RequestId(id)
    }

    fn cancel_process(&mut self, id: RequestId) {
        self.0.borrow_mut().process_cancelled(id.0);
    }

    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), Refused> {
        if self.0.borrow_mut().status_set(key, text) { Ok(()) } else { Err(Refused) }
    }

    fn notify(&mut self, level: NoticeLevel, message: &str) {
        self.0.borrow_mut().noticed(&format!("{level:?}").to_lowercase(), message);
    }

    fn context_usage(&mut self) -> Option<ContextUsage> {
        self.0.borrow().context.map(|(used, window)| ContextUsage { used, window })
    }

    fn is_idle(&mut self) -> bool {
        self.0.borrow().is_idle
    }

    fn has_pending_messages(&mut self) -> bool {
        self.0.borrow().has_pending_messages
    }

    fn is_aborted(&mut self) -> bool {
        self.0.borrow().is_aborted
    }

    fn send_message(&mut self, message: OutgoingMessage, delivery: Delivery) -> Result<(), Refused> {
        let sent = self.0.borrow_mut().message_sent(message.custom_type, &message.text, delivery);
        sent.then_some(()).ok_or(Refused)
    }

    fn compact(&mut self, attempt: AttemptId) -> Result<(), Refused> {
        self.0.borrow_mut().compaction_asked(attempt.0).then_some(()).ok_or(Refused)
    }

    fn now(&self) -> Timestamp {
        self.0.borrow().now
    }

    fn monotonic_now(&self) -> u64 {
        self.0.borrow().monotonic
    }

    fn utc_offset(&self, _at: Timestamp) -> i16 {
        60
    }

    fn start_timer(&mut self, delay: u32) -> TimerId {
        let mut world = self.0.borrow_mut();
        let id = world.next_timer();
        world.timer_started(id, delay);
        TimerId(id)
    }

    fn cancel_timer(&mut self, id: TimerId) {
        self.0.borrow_mut().timer_cancelled(id.0);
    }

    fn random_bits(&mut self) -> u32 {
        self.0.borrow_mut().next_random()
    }
}
