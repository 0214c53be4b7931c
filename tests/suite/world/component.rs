//! The guest as a built component, under wasmtime.

use std::env;
use std::fs;
use std::sync::LazyLock;

use pi_capsule::host::{self as guest, Delivery, RunOutcome};
use pi_capsule_host::policy::AllowedCommand;
use pi_capsule_host::wit::agent::{AgentError, AttemptId, ContextUsage, OutgoingMessage};
use pi_capsule_host::wit::session_reader::{
    BashExecution, Body, Changes, Content, ContextEdit, CustomEntry, CustomMessage, Entry, EntryId, EntryKind, Message,
    Page, PathStyle, SessionInfo, ToolCall, ToolResult,
};
use pi_capsule_host::wit::session_writer::AppendError;
use pi_capsule_host::wit::settings::{CompactionPolicy, Scope, SettingsError};
use pi_capsule_host::wit::status::{NoticeLevel, StatusError};
use pi_capsule_host::wit::subprocess::{Exit, Outcome};
use pi_capsule_host::wit::{agent, commands, lifecycle, tool_observer, tools};
use pi_capsule_host::{Capsule, CapsuleModule, Host};

use super::{CWD, End, Event, Guest, Reply, SESSION_ID, Shared};

/// The bytes of the component that `cargo xtask component` has built.
pub(crate) fn component_bytes() -> Vec<u8> {
    built("pi_capsule.wasm")
}

/// The bytes of a component that `./just build` makes.
fn built(name: &str) -> Vec<u8> {
    // The test's executable is in `<target>/<profile>/deps`.
    let executable = env::current_exe().expect("a running test has an executable");
    let target = executable.ancestors().nth(3).expect("cargo keeps tests three folders deep");
    let path = target.join("component").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}; `./just build` makes it", path.display()))
}

/// Compiled once for all scenarios of a test program.
static MODULE: LazyLock<CapsuleModule> =
    LazyLock::new(|| CapsuleModule::compile(&component_bytes()).expect("it loads"));
/// The guest of the scenarios about hosts.
static PROBE: LazyLock<CapsuleModule> =
    LazyLock::new(|| CapsuleModule::compile(&built("probe.wasm")).expect("it loads"));

/// The answer to a call in which the guest broke.
const BROKEN: &str = "the guest broke";

pub(crate) struct Component {
    module: &'static CapsuleModule,
    capsule: Capsule<ComponentHost>,
    world: Shared,
    /// Whether a tool may break it, after which another instance goes on.
    may_break: bool,
}

struct ComponentHost(Shared);

impl Component {
    pub(crate) fn new(world: Shared) -> Self {
        Self::of(&MODULE, world, false)
    }

    /// The guest of `tests/conformance/probe`.
    pub(crate) fn probe(world: Shared) -> Self {
        Self::of(&PROBE, world, true)
    }

    fn of(module: &'static CapsuleModule, world: Shared, may_break: bool) -> Self {
        let capsule = instantiate(module, &world);
        Self { module, capsule, world, may_break }
    }

    /// Puts another instance in the place of one that broke.
    fn recover(&mut self) {
        let broken = std::mem::replace(&mut self.capsule, instantiate(self.module, &self.world));
        self.capsule = broken.restart().expect("it instantiates");
        self.capsule.session_started(lifecycle::StartReason::Recovered).expect("no trap");
    }
}

fn instantiate(module: &CapsuleModule, world: &Shared) -> Capsule<ComponentHost> {
    Capsule::instantiate(module, ComponentHost(world.clone())).expect("it instantiates")
}

impl Guest for Component {
    fn world(&self) -> &Shared {
        &self.world
    }

    fn start(&mut self) {
        self.capsule.session_started(lifecycle::StartReason::Startup).expect("no trap");
    }

    fn start_fork(&mut self) {
        self.capsule.session_started(lifecycle::StartReason::Fork).expect("no trap");
    }

    fn shut_down(&mut self) {
        self.capsule.session_shut_down(lifecycle::ShutdownReason::Quit).expect("no trap");
    }

    fn finish(&mut self, id: u32, end: End) {
        let outcome = match end {
            End::Exit(code, stdout, stderr) => {
                Outcome::Exited(Exit { code, stdout: stdout.into(), stderr: stderr.into() })
            }
            End::Said(code, stdout, stderr) => Outcome::Exited(Exit { code, stdout, stderr }),
            End::TimedOut => Outcome::TimedOut,
            End::OutputLimit => Outcome::OutputLimit,
        };
        self.capsule.subprocess_finished(id, &outcome).expect("no trap");
    }

    fn fire(&mut self, id: u32) {
        self.capsule.timer_fired(id).expect("no trap");
    }

    fn tell(&mut self, event: Event<'_>) -> Reply {
        let capsule = &mut self.capsule;
        let told = match event {
            Event::BranchChanged => capsule.branch_changed(),
            Event::ModelChanged => capsule.model_changed(),
            Event::ContextRequested => capsule.context_requested(),
            Event::TurnEnded(outcome) => capsule.turn_ended(run_outcome(outcome)),
            Event::AgentEnded(outcome) => capsule.agent_ended(run_outcome(outcome)),
            Event::BeforeSettle => return Reply::Boundary(capsule.before_settle().expect("no trap").map(boundary)),
            Event::AgentSettled(outcome) => capsule.agent_settled(run_outcome(outcome)),
            Event::BeforeCompact { reason: why, aborted } => {
                let request = lifecycle::CompactionRequest { reason: reason(why), will_retry: false, aborted };
                return Reply::Decision(decision(capsule.before_compact(request).expect("no trap")));
            }
            Event::Compacted(entry) => capsule.compacted(&lifecycle::CompactedEvent {
                entry,
                reason: lifecycle::CompactionReason::Manual,
                will_retry: false,
            }),
            Event::CompactionFailed { aborted, message } => capsule.compaction_failed(&lifecycle::CompactionFailure {
                reason: lifecycle::CompactionReason::Manual,
                aborted,
                message: message.map(str::to_owned),
            }),
            Event::CompactionFinished(attempt, result) => {
                let result = result.map_err(|error| match error {
                    guest::CompactionError::Cancelled => lifecycle::CompactionError::Cancelled,
                    guest::CompactionError::Failed(why) => lifecycle::CompactionError::Failed(why),
                });
                capsule.compaction_finished(attempt.0, result.as_ref().map(|&()| ()))
            }
            Event::ToolCalled(call_id, tool, arguments) => capsule.tool_called(tool_observer::Call {
                call_id: call_id.into(),
                name: tool.into(),
                arguments,
                cwd: CWD.into(),
            }),
            Event::ToolFinished(call_id) => capsule.tool_finished(call_id, false),
            Event::Command(name, arguments) => capsule.run_command(&commands::Invocation {
                name: name.into(),
                arguments: arguments.into(),
                cwd: CWD.into(),
            }),
        };
        told.expect("no trap");
        Reply::Nothing
    }

    fn call_tool(&mut self, tool: &str, arguments: &str) -> Result<pi_capsule::tools::Output, String> {
        let invocation =
            tools::Invocation { call_id: "1".into(), name: tool.into(), arguments: arguments.into(), cwd: CWD.into() };
        let answer = match self.capsule.call_tool(&invocation) {
            Err(_) if self.may_break => {
                self.recover();
                Err(BROKEN.into())
            }
            answer => answer.expect("no trap"),
        };
        answer.map(|output| pi_capsule::tools::Output { text: output.text, terminate: output.terminate })
    }

    fn tools(&mut self) -> Vec<String> {
        self.capsule.tools().expect("no trap").into_iter().map(|tool| tool.name).collect()
    }

    fn commands(&mut self) -> Vec<String> {
        self.capsule.commands().expect("no trap").into_iter().map(|command| command.name).collect()
    }

    fn complete(&mut self, command: &str, typed: &str) -> Vec<String> {
        let completions = self.capsule.complete_command(command, typed).expect("no trap");
        completions.into_iter().map(|completion| completion.value).collect()
    }
}

impl Host for ComponentHost {
    fn session(&mut self) -> SessionInfo {
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
        match self.0.borrow_mut().branch.changes_since(cursor) {
            guest::Changes::Appended(changes) => Changes::Appended(page(changes)),
            guest::Changes::Replaced(changes) => Changes::Replaced(page(changes)),
        }
    }

    fn read_bodies(&mut self, ids: &[EntryId]) -> Vec<Option<Body>> {
        let bodies = self.0.borrow_mut().branch.read_bodies(ids.iter().map(String::as_str));
        bodies.into_iter().map(|found| found.map(body)).collect()
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, AppendError> {
        self.0.borrow_mut().appended(custom_type, data).ok_or_else(|| AppendError::Failed("refused".into()))
    }

    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), StatusError> {
        if self.0.borrow_mut().status_set(key, text) { Ok(()) } else { Err(StatusError::Failed("refused".into())) }
    }

    fn notify(&mut self, level: NoticeLevel, message: &str) -> Result<(), StatusError> {
        let level = match level {
            NoticeLevel::Info => "info",
            NoticeLevel::Warning => "warning",
            NoticeLevel::Error => "error",
        };
        // What the capsule itself has to say is in its own words.
        if !message.starts_with("A request of the component was refused: ") {
            self.0.borrow_mut().noticed(level, message);
        }
        Ok(())
    }

    fn settings_section(&mut self, scope: Scope, _name: &str) -> Result<Option<String>, SettingsError> {
        let scope = match scope {
            Scope::Global => 0,
            Scope::Project => 1,
        };
        self.0.borrow().section(scope).ok_or_else(|| SettingsError::Unreadable("refused".into()))
    }

    fn compaction_policy(&mut self) -> Result<CompactionPolicy, SettingsError> {
        let reserve_tokens = self.0.borrow().reserve;
        Ok(CompactionPolicy { enabled: true, reserve_tokens, keep_recent_tokens: 20_000 })
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

    fn send_message(&mut self, message: OutgoingMessage, delivery: agent::Delivery) -> Result<(), AgentError> {
        assert!(!message.display && message.details.is_none(), "messages to the model are not for the person");
        let delivery = match delivery {
            agent::Delivery::Append => Delivery::Append,
            agent::Delivery::Steer => Delivery::Steer,
            agent::Delivery::TriggerTurn => Delivery::TriggerTurn,
        };
        let sent = self.0.borrow_mut().message_sent(&message.custom_type, &message.text, delivery);
        sent.then_some(()).ok_or_else(|| AgentError::Unavailable("refused".into()))
    }

    fn compact(&mut self, attempt: AttemptId) -> Result<(), AgentError> {
        let asked = self.0.borrow_mut().compaction_asked(attempt);
        asked.then_some(()).ok_or_else(|| AgentError::Unavailable("refused".into()))
    }

    fn monotonic_now(&mut self) -> u64 {
        self.0.borrow().monotonic
    }

    fn utc_offset(&mut self, _at: i64) -> i16 {
        60
    }

    fn start_timer(&mut self, id: u32, delay: u32) {
        self.0.borrow_mut().timer_started(id, delay);
    }

    fn cancel_timer(&mut self, id: u32) {
        self.0.borrow_mut().timer_cancelled(id);
    }

    fn start_process(&mut self, id: u32, command: AllowedCommand) -> Result<(), Outcome> {
        self.0.borrow_mut().process_started(id, command.program(), command.arguments());
        Ok(())
    }

    fn cancel_process(&mut self, id: u32) {
        self.0.borrow_mut().process_cancelled(id);
    }

    fn context_usage(&mut self) -> Option<ContextUsage> {
        self.0.borrow().context.map(|(used, window)| ContextUsage { used, window })
    }

    fn now(&mut self) -> i64 {
        self.0.borrow().now
    }

    fn random_bits(&mut self) -> u32 {
        self.0.borrow_mut().next_random()
    }
}

fn page(page: guest::Page) -> Page {
    let entries = page.entries.into_iter();
    Page {
        entries: entries.map(|entry| Entry { id: entry.id, created_at: None, kind: kind(entry.kind) }).collect(),
        more: page.more,
    }
}

fn kind(kind: guest::EntryKind) -> EntryKind {
    match kind {
        guest::EntryKind::Message(message) => EntryKind::Message(match message {
            guest::Message::User(text) => Message::User(content(text)),
            guest::Message::Assistant(text) => Message::Assistant(content(text)),
            guest::Message::ToolResult { tool_name, is_error } => {
                Message::ToolResult(ToolResult { tool_name, is_error, has_text: true })
            }
            guest::Message::BashExecution { truncated, full_output_path, hidden_from_model } => {
                Message::BashExecution(BashExecution { truncated, full_output_path, hidden_from_model })
            }
            guest::Message::Other => Message::Other("system".into()),
        }),
        guest::EntryKind::Compaction(details) => EntryKind::Compaction(details),
        guest::EntryKind::BranchSummary => EntryKind::BranchSummary,
        guest::EntryKind::Custom { custom_type, data } => EntryKind::Custom(CustomEntry { custom_type, data }),
        guest::EntryKind::CustomMessage { custom_type, has_text } => {
            EntryKind::CustomMessage(CustomMessage { custom_type, has_text })
        }
        guest::EntryKind::ContextEdit { target, replacement } => {
            EntryKind::ContextEdit(ContextEdit { target, replacement: replacement.map(content) })
        }
        guest::EntryKind::Other => EntryKind::Other("label".into()),
    }
}

fn content(content: guest::Content) -> Content {
    Content { has_text: content.has_text, tool_calls: content.tool_calls }
}

fn body(body: guest::Body) -> Body {
    let tool_calls = body.tool_calls.into_iter();
    Body {
        text_parts: body.text_parts,
        tool_calls: tool_calls.map(|call| ToolCall { name: call.name, arguments: call.arguments }).collect(),
    }
}

fn run_outcome(outcome: RunOutcome) -> lifecycle::RunOutcome {
    match outcome {
        RunOutcome::Completed => lifecycle::RunOutcome::Completed,
        RunOutcome::Aborted => lifecycle::RunOutcome::Aborted,
        RunOutcome::Failed => lifecycle::RunOutcome::Failed,
    }
}

fn reason(reason: guest::CompactionReason) -> lifecycle::CompactionReason {
    match reason {
        guest::CompactionReason::Manual => lifecycle::CompactionReason::Manual,
        guest::CompactionReason::Threshold => lifecycle::CompactionReason::Threshold,
        guest::CompactionReason::Overflow => lifecycle::CompactionReason::Overflow,
    }
}

fn decision(decision: lifecycle::CompactionDecision) -> guest::CompactionDecision {
    match decision {
        lifecycle::CompactionDecision::NoOpinion => guest::CompactionDecision::NoOpinion,
        lifecycle::CompactionDecision::Cancel => guest::CompactionDecision::Cancel,
        lifecycle::CompactionDecision::Replace(replacement) => {
            guest::CompactionDecision::Replace(compaction(replacement))
        }
    }
}

fn compaction(content: lifecycle::CompactionContent) -> guest::CompactionContent {
    guest::CompactionContent {
        summary: content.summary,
        first_kept: content.first_kept,
        details: content.details.expect("every boundary has details"),
    }
}

fn boundary(boundary: lifecycle::Boundary) -> guest::Boundary {
    let drafts = boundary.drafts.into_iter().map(|draft| match draft {
        lifecycle::Draft::Custom(draft) => {
            guest::Draft::Custom { custom_type: custom_type(&draft.custom_type), data: draft.data }
        }
        lifecycle::Draft::Message(message) => guest::Draft::Message(guest::OutgoingMessage {
            custom_type: custom_type(&message.custom_type),
            text: message.text,
        }),
        lifecycle::Draft::Compaction(content) => guest::Draft::Compaction(compaction(content)),
    });
    guest::Boundary { drafts: drafts.collect(), continue_run: boundary.continue_run }
}

/// The constant that a type is, since the guest's own types name it so.
fn custom_type(name: &str) -> &'static str {
    use pi_capsule::session::tags;
    let known = [tags::BOOT, tags::GUIDANCE, tags::WARNING, tags::RESET_MARKER, tags::CONTINUATION];
    known.into_iter().find(|&known| known == name).unwrap_or_else(|| panic!("{name} is no type of a draft"))
}
