//! The guest as ordinary Rust.

use pi_capsule::extension::Extension;
use pi_capsule::host::{
    Changes, Command, Content, ContextUsage, Entry, EntryId, EntryKind, Failure, Host, Message, Outcome, Page,
    PathStyle, Program, Refused, RequestId, SessionInfo, TimerId, Timestamp,
};

use super::{End, Guest, SESSION_ID, Shared};

pub(crate) struct Native {
    extension: Extension,
    host: NativeHost,
}

struct NativeHost(Shared);

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
        self.extension.on_session_started(&mut self.host);
    }

    fn shut_down(&mut self) {
        self.extension.on_session_shut_down(&mut self.host);
    }

    fn finish(&mut self, id: u32, end: End) {
        let outcome = match end {
            End::Exit(code, stdout, stderr) => Outcome::Exited { code, stdout: stdout.into(), stderr: stderr.into() },
            End::TimedOut => Outcome::Failed(Failure::TimedOut),
        };
        self.extension.on_subprocess_finished(RequestId(id), &outcome, &mut self.host);
    }

    fn fire(&mut self, id: u32) {
        self.extension.on_timer_fired(TimerId(id), &mut self.host);
    }

    fn call(&mut self, tool: &str, arguments: &str) -> Result<String, String> {
        self.extension.call_tool(tool, arguments, &mut self.host)
    }
}

impl Host for NativeHost {
    fn session(&self) -> SessionInfo {
        let world = self.0.borrow();
        SessionInfo {
            id: SESSION_ID.into(),
            cwd: world.cwd.clone(),
            path_style: PathStyle::Posix,
            created_at: world.created_at,
        }
    }

    fn changes_since(&mut self, cursor: Option<&str>) -> Changes {
        let mut world = self.0.borrow_mut();
        let (appended, ids, more) = world.page(cursor);
        let entries = ids.into_iter().map(|id| {
            let kind = match id.strip_prefix("state-") {
                Some(index) => EntryKind::Custom {
                    custom_type: "pr-footer-state".into(),
                    data: Some(world.footer_states[index.parse::<usize>().unwrap()].clone()),
                },
                None => EntryKind::Message(Message::User(Content { has_text: true, tool_calls: vec![] })),
            };
            Entry { id, kind }
        });
        let page = Page { entries: entries.collect(), more };
        if appended { Changes::Appended(page) } else { Changes::Replaced(page) }
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, Refused> {
        self.0.borrow_mut().appended(custom_type, data).ok_or(Refused)
    }

    fn compaction_reserve(&mut self) -> Result<u64, Refused> {
        Ok(16_384)
    }

    fn start_process(&mut self, command: Command) -> RequestId {
        let mut world = self.0.borrow_mut();
        let id = world.next_id();
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

    fn context_usage(&mut self) -> Option<ContextUsage> {
        self.0.borrow().context.map(|(used, window)| ContextUsage { used, window })
    }

    fn now(&self) -> Timestamp {
        self.0.borrow().now
    }

    fn start_timer(&mut self, delay: u32) -> TimerId {
        let mut world = self.0.borrow_mut();
        let id = world.next_id();
        world.timer_started(id, delay);
        TimerId(id)
    }

    fn cancel_timer(&mut self, id: TimerId) {
        self.0.borrow_mut().timer_cancelled(id.0);
    }

    fn random_bits(&mut self) -> u32 {
        4
    }
}
