//! The guest as the built component, under wasmtime.

use std::env;
use std::fs;
use std::sync::LazyLock;

use pi_capsule_host::policy::AllowedCommand;
use pi_capsule_host::wit::agent::ContextUsage;
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::session_reader::{
    Body, Changes, Content, CustomEntry, Entry, EntryId, EntryKind, Message, Page, PathStyle, SessionInfo,
};
use pi_capsule_host::wit::session_writer::AppendError;
use pi_capsule_host::wit::status::{NoticeLevel, StatusError};
use pi_capsule_host::wit::subprocess::{Exit, Outcome};
use pi_capsule_host::wit::tools::Invocation;
use pi_capsule_host::{Capsule, CapsuleModule, Host};

use super::{CWD, End, Guest, SESSION_ID, Shared};

/// The bytes of the component that `cargo xtask component` has built.
pub(crate) fn component_bytes() -> Vec<u8> {
    // The test's executable is in `<target>/<profile>/deps`.
    let executable = env::current_exe().expect("a running test has an executable");
    let target = executable.ancestors().nth(3).expect("cargo keeps tests three folders deep");
    let path = target.join("component/pi_capsule.wasm");
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}; `./just component` builds it", path.display()))
}

/// Compiled once for all scenarios of a test program.
static MODULE: LazyLock<CapsuleModule> =
    LazyLock::new(|| CapsuleModule::compile(&component_bytes()).expect("it loads"));

pub(crate) struct Component {
    capsule: Capsule<ComponentHost>,
    world: Shared,
}

struct ComponentHost(Shared);

impl Component {
    pub(crate) fn new(world: Shared) -> Self {
        let capsule = Capsule::instantiate(&MODULE, ComponentHost(world.clone())).expect("it instantiates");
        Self { capsule, world }
    }
}

impl Guest for Component {
    fn world(&self) -> &Shared {
        &self.world
    }

    fn start(&mut self) {
        self.capsule.session_started(StartReason::Startup).expect("no trap");
    }

    fn shut_down(&mut self) {
        self.capsule.session_shut_down(ShutdownReason::Quit).expect("no trap");
    }

    fn finish(&mut self, id: u32, end: End) {
        let outcome = match end {
            End::Exit(code, stdout, stderr) => {
                Outcome::Exited(Exit { code, stdout: stdout.into(), stderr: stderr.into() })
            }
            End::TimedOut => Outcome::TimedOut,
        };
        self.capsule.subprocess_finished(id, &outcome).expect("no trap");
    }

    fn fire(&mut self, id: u32) {
        self.capsule.timer_fired(id).expect("no trap");
    }

    fn call(&mut self, tool: &str, arguments: &str) -> Result<String, String> {
        let invocation =
            Invocation { call_id: "1".into(), name: tool.into(), arguments: arguments.into(), cwd: CWD.into() };
        self.capsule.call_tool(&invocation).expect("no trap").map(|output| output.text)
    }
}

impl Host for ComponentHost {
    fn session(&mut self) -> SessionInfo {
        let world = self.0.borrow();
        SessionInfo {
            id: SESSION_ID.into(),
            name: None,
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
                Some(index) => EntryKind::Custom(CustomEntry {
                    custom_type: "pr-footer-state".into(),
                    data: Some(world.footer_states[index.parse::<usize>().unwrap()].clone()),
                }),
                None => EntryKind::Message(Message::User(Content { has_text: true, tool_calls: vec![] })),
            };
            Entry { id, created_at: None, kind }
        });
        let page = Page { entries: entries.collect(), more };
        if appended { Changes::Appended(page) } else { Changes::Replaced(page) }
    }

    fn read_bodies(&mut self, _ids: &[EntryId]) -> Vec<Option<Body>> {
        panic!("no scenario here needs the text of an entry")
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, AppendError> {
        self.0.borrow_mut().appended(custom_type, data).ok_or_else(|| AppendError::Failed("refused".into()))
    }

    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), StatusError> {
        if self.0.borrow_mut().status_set(key, text) { Ok(()) } else { Err(StatusError::Failed("refused".into())) }
    }

    fn notify(&mut self, _level: NoticeLevel, message: &str) -> Result<(), StatusError> {
        self.0.borrow_mut().effects.push(format!("notice: {message}"));
        Ok(())
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
        4
    }
}
