//! A simulated world for the guest: a session, a clock and a table of processes, with everything the guest does
//! written down.
//!
//! A scenario is a function over [`Guest`] and is told once for the guest compiled natively and once for the
//! component under wasmtime; [`tell`] does both and asks that the effects are the same, in the same order. Nothing
//! here sleeps or runs: time is a number, and a process ends when the scenario says so.

mod component;
mod native;

use std::cell::RefCell;
use std::rc::Rc;

pub(crate) use component::component_bytes;

/// The wall clock at the start of every scenario.
pub(crate) const NOW: i64 = 1_700_000_000_000;
/// The id of the session.
pub(crate) const SESSION_ID: &str = "0123456789abcdef";
/// Where the session was started.
pub(crate) const CWD: &str = "/src/widget/crates";

/// What happened, and what the guest may ask about.
pub(crate) struct World {
    pub(crate) now: i64,
    pub(crate) created_at: Option<i64>,
    pub(crate) cwd: String,
    /// The data of `pr-footer-state` entries on the branch.
    pub(crate) footer_states: Vec<String>,
    /// How many entries of user messages precede them.
    pub(crate) messages: usize,
    /// Used and window, in tokens.
    pub(crate) context: Option<(Option<u64>, Option<u64>)>,
    /// Whether statuses and entries are refused.
    pub(crate) refuses: bool,
    pub(crate) effects: Vec<String>,
    running: Vec<(u32, Vec<String>)>,
    timers: Vec<u32>,
    last_id: u32,
    /// How many headers the guest has been given.
    pub(crate) headers_read: usize,
}

/// The world is shared between a scenario and the guest that it is told to.
pub(crate) type Shared = Rc<RefCell<World>>;

impl World {
    fn new() -> Shared {
        Rc::new(RefCell::new(Self {
            now: NOW,
            created_at: Some(NOW - 12 * 60_000),
            cwd: CWD.into(),
            footer_states: Vec::new(),
            messages: 0,
            context: None,
            refuses: false,
            effects: Vec::new(),
            running: Vec::new(),
            timers: Vec::new(),
            last_id: 0,
            headers_read: 0,
        }))
    }

    fn next_id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
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
        self.timers.push(id);
    }

    fn timer_cancelled(&mut self, id: u32) {
        self.timers.retain(|&waiting| waiting != id);
        self.effects.push("no timer".into());
    }

    fn status_set(&mut self, key: &str, text: Option<&str>) -> bool {
        self.effects.push(format!("status {key}: {}", text.unwrap_or("(none)")));
        !self.refuses
    }

    fn appended(&mut self, custom_type: &str, data: &str) -> Option<String> {
        self.effects.push(format!("append {custom_type} {data}"));
        if self.refuses {
            return None;
        }
        assert_eq!(custom_type, "pr-footer-state");
        self.footer_states.push(data.into());
        Some(format!("state-{}", self.footer_states.len() - 1))
    }

    /// The ids of the branch: messages first, then states.
    fn branch(&self) -> Vec<String> {
        let messages = (0..self.messages).map(|index| format!("message-{index}"));
        messages.chain((0..self.footer_states.len()).map(|index| format!("state-{index}"))).collect()
    }

    /// Where reading goes on after `cursor`, and whether that is on the branch. Pages hold three entries here.
    fn page(&mut self, cursor: Option<&str>) -> (bool, Vec<String>, bool) {
        let branch = self.branch();
        let found = cursor.and_then(|cursor| branch.iter().position(|id| id == cursor));
        let start = found.map_or(0, |index| index + 1);
        let end = branch.len().min(start + 3);
        self.headers_read += end - start;
        (found.is_some(), branch[start..end].to_vec(), end < branch.len())
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
    TimedOut,
}

/// A guest in a world, however it is run.
pub(crate) trait Guest {
    fn world(&self) -> &Shared;
    fn start(&mut self);
    fn shut_down(&mut self);
    fn finish(&mut self, id: u32, end: End);
    fn fire(&mut self, id: u32);
    fn call(&mut self, tool: &str, arguments: &str) -> Result<String, String>;
}

impl dyn Guest + '_ {
    /// Lets the process whose arguments contain `question` end.
    pub(crate) fn answer(&mut self, question: &str, end: End) {
        let id = self.world().borrow_mut().take_running(question);
        self.finish(id, end);
    }

    /// Lets time pass and fires the waiting timer.
    pub(crate) fn wait(&mut self, milliseconds: i64) {
        let id = {
            let mut world = self.world().borrow_mut();
            world.now += milliseconds;
            world.timers.remove(0)
        };
        self.fire(id);
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

/// Tells a scenario to the native guest and to the component, and compares what they did.
pub(crate) fn tell(scenario: impl Fn(&mut dyn Guest)) {
    let mut native = native::Native::new(World::new());
    let mut component = component::Component::new(World::new());
    let guests: [&mut dyn Guest; 2] = [&mut native, &mut component];
    let told = guests.map(|guest| {
        let record = Rc::new(RefCell::new(Vec::new()));
        let mut recorder = Recorder { guest, record: record.clone() };
        scenario(&mut recorder);
        let mut effects = record.take();
        effects.extend(recorder.guest.effects());
        effects
    });
    assert_eq!(told[0], told[1], "the component does not do what the native guest does");
}

/// Keeps all effects of a scenario, also those that the scenario has looked at.
struct Recorder<'a> {
    guest: &'a mut dyn Guest,
    record: Rc<RefCell<Vec<String>>>,
}

impl Recorder<'_> {
    fn recorded<T>(&mut self, call: impl FnOnce(&mut dyn Guest) -> T) -> T {
        let before = self.guest.world().borrow().effects.len();
        let result = call(self.guest);
        self.record.borrow_mut().extend_from_slice(&self.guest.world().borrow().effects[before..]);
        result
    }
}

impl Guest for Recorder<'_> {
    fn world(&self) -> &Shared {
        self.guest.world()
    }

    fn start(&mut self) {
        self.recorded(|guest| guest.start());
    }

    fn shut_down(&mut self) {
        self.recorded(|guest| guest.shut_down());
    }

    fn finish(&mut self, id: u32, end: End) {
        self.recorded(|guest| guest.finish(id, end));
    }

    fn fire(&mut self, id: u32) {
        self.recorded(|guest| guest.fire(id));
    }

    fn call(&mut self, tool: &str, arguments: &str) -> Result<String, String> {
        self.recorded(|guest| guest.call(tool, arguments))
    }
}
