//! A simulated world for the guest: a session, a clock and a table of processes, with everything the guest does
//! written down.
//!
//! A scenario is a function over [`Guest`] and is told once for the guest compiled natively and once for the
//! component under wasmtime; [`tell`] does both and asks that the effects are the same, in the same order. Nothing
//! here sleeps or runs: time is a number, and a process ends when the scenario says so.

// Fuzzers know only the native guest.
#[cfg(not(fuzzing))]
mod both;
pub(crate) mod branch;
#[cfg(not(fuzzing))]
mod component;
mod native;
pub(crate) mod story;

use std::cell::RefCell;
use std::rc::Rc;

use pi_capsule::host::{
    AttemptId, Boundary, CompactionDecision, CompactionError, CompactionReason, Delivery, EntryId, RunOutcome,
};
use pi_capsule::tools::Output;

#[cfg(not(fuzzing))]
pub(crate) use both::tell;
use branch::{Branch, NewEntry, custom, custom_message, user};
#[cfg(not(fuzzing))]
pub(crate) use component::{Component, component_bytes};
pub(crate) use native::{Native, NativeHost};

/// The wall clock at the start of every scenario.
pub(crate) const NOW: i64 = 1_700_000_000_000;
/// The id of the session.
pub(crate) const SESSION_ID: &str = "0123456789abcdef";
/// Where the session was started.
pub(crate) const CWD: &str = "/src/widget/crates";

/// What happened, and what the guest may ask about.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) now: i64,
    pub(crate) monotonic: u64,
    pub(crate) created_at: Option<i64>,
    pub(crate) cwd: String,
    pub(crate) name: Option<String>,
    pub(crate) branch: Branch,
    /// Used and window, in tokens.
    pub(crate) context: Option<(Option<u64>, Option<u64>)>,
    /// The section `pi-context` of the person's and of the project's settings.
    pub(crate) settings: [Option<String>; 2],
    pub(crate) reserve: u64,
    pub(crate) is_idle: bool,
    pub(crate) has_pending_messages: bool,
    pub(crate) is_aborted: bool,
    /// Whether whatever the guest wants is refused.
    pub(crate) refuses: bool,
    /// Whether messages stay on their way to the branch.
    pub(crate) holds_messages: bool,
    pub(crate) effects: Vec<String>,
    /// What was said to the model, and how much of it is on the branch.
    pub(crate) sent: Vec<Sent>,
    delivered: usize,
    running: Vec<(u32, Vec<String>)>,
    /// With the time at which each is due.
    timers: Vec<(u32, u64)>,
    last_process: u32,
    last_timer: u32,
    last_random: u32,
}

/// A message that the guest sent to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) custom_type: String,
    pub(crate) text: String,
    pub(crate) delivery: Delivery,
}

/// The world is shared between a scenario and the guest that it is told to.
pub(crate) type Shared = Rc<RefCell<World>>;

impl World {
    pub(crate) fn new() -> Shared {
        Rc::new(RefCell::new(Self {
            now: NOW,
            monotonic: 5_000,
            created_at: Some(NOW - 12 * 60_000),
            cwd: CWD.into(),
            name: None,
            branch: Branch::default(),
            context: None,
            settings: [None, None],
            reserve: 16_384,
            is_idle: true,
            has_pending_messages: false,
            is_aborted: false,
            refuses: false,
            holds_messages: false,
            effects: Vec::new(),
            sent: Vec::new(),
            delivered: 0,
            running: Vec::new(),
            timers: Vec::new(),
            last_process: 0,
            last_timer: 0,
            last_random: 0,
        }))
    }

    /// Puts entries at the end of the branch. Gives the id of the last one.
    pub(crate) fn push(&mut self, entries: impl IntoIterator<Item = NewEntry>) -> EntryId {
        entries.into_iter().map(|entry| self.branch.push(entry)).last().expect("at least one entry")
    }

    /// Puts messages of the person at the end of the branch.
    pub(crate) fn push_messages(&mut self, count: usize) {
        for index in 0..count {
            self.branch.push(user(&format!("message {index}")));
        }
    }

    /// Puts states of the footer at the end of the branch.
    pub(crate) fn push_footer_states(&mut self, states: impl IntoIterator<Item = String>) {
        self.push(states.into_iter().map(|state| custom("pr-footer-state", &state)));
    }

    /// What was said to the model under a type.
    pub(crate) fn sent_as(&self, custom_type: &str) -> Vec<Sent> {
        self.sent.iter().filter(|sent| sent.custom_type == custom_type).cloned().collect()
    }

    /// What was said to the model and is not on the branch yet.
    pub(crate) fn undelivered(&self) -> &[Sent] {
        &self.sent[self.delivered..]
    }

    /// Puts what was said to the model on the branch, as the agent does once the guest has returned.
    pub(crate) fn deliver(&mut self) {
        while self.delivered < self.sent.len() && !self.holds_messages {
            let Sent { custom_type, text, .. } = &self.sent[self.delivered];
            let message = custom_message(custom_type, text);
            self.branch.push(message);
            self.delivered += 1;
        }
    }

    /// The id of the next process. Processes and timers are counted apart, as the hosts count them.
    fn next_process(&mut self) -> u32 {
        self.last_process += 1;
        self.last_process
    }

    fn next_timer(&mut self) -> u32 {
        self.last_timer += 1;
        self.last_timer
    }

    fn next_random(&mut self) -> u32 {
        self.last_random += 1;
        self.last_random
    }

    fn process_started(&mut self, id: u32, program: &str, arguments: &[String]) {
        self.effects.push(format!("run {program} {}", arguments.join(" ")));
        self.running.push((id, arguments.to_vec()));
    }

    fn process_cancelled(&mut self, id: u32) {
        let Some(row) = self.running.iter().position(|&(running, _)| running == id) else { return };
        let (_, arguments) = self.running.remove(row);
        self.effects.push(format!("kill {}", arguments.join(" ")));
    }

    fn timer_started(&mut self, id: u32, delay: u32) {
        self.effects.push(format!("timer in {delay} ms"));
        self.timers.push((id, self.monotonic + u64::from(delay)));
    }

    fn timer_cancelled(&mut self, id: u32) {
        self.timers.retain(|&(waiting, _)| waiting != id);
        self.effects.push("no timer".into());
    }

    /// The section of the settings in a scope, if they can be read.
    fn section(&self, scope: usize) -> Option<Option<String>> {
        (!self.refuses).then(|| self.settings[scope].clone())
    }

    fn status_set(&mut self, key: &str, text: Option<&str>) -> bool {
        self.effects.push(format!("status {key}: {}", text.unwrap_or("(none)")));
        !self.refuses
    }

    fn noticed(&mut self, level: &str, message: &str) {
        self.effects.push(format!("{level}: {message}"));
    }

    fn message_sent(&mut self, custom_type: &str, text: &str, delivery: Delivery) -> bool {
        if !self.refuses {
            self.sent.push(Sent { custom_type: custom_type.into(), text: text.into(), delivery });
        }
        !self.refuses
    }

    fn compaction_asked(&mut self, attempt: u32) -> bool {
        self.effects.push(format!("compact {attempt}"));
        !self.refuses
    }

    fn appended(&mut self, custom_type: &str, data: &str) -> Option<EntryId> {
        self.effects.push(format!("append {custom_type} {data}"));
        (!self.refuses).then(|| self.branch.push(custom(custom_type, data)))
    }

    /// The running processes: their ids and arguments.
    pub(crate) fn running(&self) -> &[(u32, Vec<String>)] {
        &self.running
    }

    /// Whether a process is running.
    fn is_running(&self, id: u32) -> bool {
        self.running.iter().any(|&(running, _)| running == id)
    }

    /// Whether a timer waits.
    fn is_waiting(&self, id: u32) -> bool {
        self.timers.iter().any(|&(waiting, _)| waiting == id)
    }

    /// A process is about to answer.
    pub(crate) fn forget_running(&mut self, id: u32) {
        self.running.retain(|&(running, _)| running != id);
    }

    /// How many timers wait.
    pub(crate) fn waiting_timers(&self) -> usize {
        self.timers.len()
    }

    /// Takes one of the running processes, counted round.
    fn take_nth_running(&mut self, nth: usize) -> Option<u32> {
        let row = nth.checked_rem(self.running.len())?;
        Some(self.running.remove(row).0)
    }

    fn take_running(&mut self, question: &str) -> u32 {
        let row = self.running.iter().position(|(_, arguments)| arguments.join(" ").contains(question));
        let row = row.unwrap_or_else(|| panic!("no running process was asked {question}: {:?}", self.running));
        self.running.remove(row).0
    }
}

/// How a process ended.
#[derive(Clone)]
pub(crate) enum End {
    Exit(i32, &'static str, &'static str),
    /// With an answer that is made at the time: output and errors.
    Said(i32, Vec<u8>, Vec<u8>),
    TimedOut,
    OutputLimit,
}

/// What a host tells of a run and of compactions.
#[derive(Clone, Debug)]
pub(crate) enum Event<'a> {
    BranchChanged,
    ModelChanged,
    ContextRequested,
    TurnEnded(RunOutcome),
    AgentEnded(RunOutcome),
    BeforeSettle,
    AgentSettled(RunOutcome),
    BeforeCompact {
        reason: CompactionReason,
        aborted: bool,
    },
    Compacted(EntryId),
    CompactionFailed {
        aborted: bool,
        message: Option<&'a str>,
    },
    CompactionFinished(AttemptId, Result<(), CompactionError>),
    /// A command and its arguments.
    Command(&'a str, &'a str),
    /// A call of another tool: its id, the tool, and the arguments.
    ToolCalled(&'a str, &'a str, String),
    ToolFinished(&'a str),
}

/// What the guest answers to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Nothing,
    Boundary(Option<Boundary>),
    Decision(CompactionDecision),
}

/// A guest in a world, however it is run.
pub(crate) trait Guest {
    fn world(&self) -> &Shared;
    fn start(&mut self);
    fn start_fork(&mut self);
    fn shut_down(&mut self);
    fn finish(&mut self, id: u32, end: End);
    fn fire(&mut self, id: u32);
    fn tell(&mut self, event: Event<'_>) -> Reply;
    fn call_tool(&mut self, tool: &str, arguments: &str) -> Result<Output, String>;
    /// The names of its tools.
    fn tools(&mut self) -> Vec<String>;
    /// The names of its commands.
    fn commands(&mut self) -> Vec<String>;
    /// What could be typed next.
    fn complete(&mut self, command: &str, typed: &str) -> Vec<String>;
}

impl dyn Guest + '_ {
    /// Calls a tool for its text.
    pub(crate) fn call(&mut self, tool: &str, arguments: &str) -> Result<String, String> {
        self.call_tool(tool, arguments).map(|output| output.text)
    }

    /// Lets the process whose arguments contain `question` end.
    pub(crate) fn answer(&mut self, question: &str, end: End) {
        let id = self.world().borrow_mut().take_running(question);
        self.finish(id, end);
    }

    /// Lets time pass and fires the timers that are due then, each once.
    pub(crate) fn wait(&mut self, milliseconds: u32) {
        let due: Vec<u32> = {
            let mut world = self.world().borrow_mut();
            world.now += i64::from(milliseconds);
            world.monotonic += u64::from(milliseconds);
            let now = world.monotonic;
            let (due, waiting) = std::mem::take(&mut world.timers).into_iter().partition(|&(_, at)| at <= now);
            world.timers = waiting;
            let due: Vec<(u32, u64)> = due;
            due.into_iter().map(|(id, _)| id).collect()
        };
        for id in due {
            self.fire(id);
        }
    }

    /// What was done since this was last asked.
    pub(crate) fn effects(&mut self) -> Vec<String> {
        std::mem::take(&mut self.world().borrow_mut().effects)
    }

    /// The last status line that was set.
    pub(crate) fn status(&mut self) -> Option<String> {
        let effects = self.effects();
        effects.iter().rev().find_map(|effect| effect.strip_prefix("status pr-footer: ").map(str::to_owned))
    }
}
