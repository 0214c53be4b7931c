//! Random lives of the footer: calls, switches, pins, answers in any order, twice, late or never.
//!
//! Three repositories change their branches as tools say. Git and GitHub answer what is true when they are asked. What
//! must hold does so after every step, and when everything has been answered the line says what is true.

use std::collections::HashMap;

use pi_capsule::host::RunOutcome;
use proptest::prelude::*;
use serde_json::json;

use crate::world::{End, Event, Guest, Native, World};

const ROOTS: [&str; 3] = ["/src/widget", "/src/gadget", "/src/gizmo"];
const CALLS: [&str; 4] = ["c0", "c1", "c2", "c3"];

#[derive(Clone, Debug)]
enum Step {
    /// A tool lists a directory of a repository.
    List(usize),
    /// A command switches the branch of a repository. The call ends later.
    Switch {
        call: usize,
        root: usize,
    },
    /// Makes the branch's pull request another one. The call ends later.
    CreatePull {
        call: usize,
        root: usize,
    },
    /// A call ends, perhaps one that has ended before.
    End(usize),
    /// One of the running processes answers, perhaps with nothing to rely on.
    Answer {
        which: prop::sample::Index,
        fails: bool,
    },
    /// A process answers that is none.
    Stranger,
    Wait(u32),
    Settle,
    Pin(usize),
    Unpin,
    Refresh,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3usize).prop_map(Step::List),
        3 => (0..4usize, 0..3usize).prop_map(|(call, root)| Step::Switch { call, root }),
        1 => (0..4usize, 0..3usize).prop_map(|(call, root)| Step::CreatePull { call, root }),
        4 => (0..4usize).prop_map(Step::End),
        14 => (any::<prop::sample::Index>(), prop::bool::weighted(0.1)).prop_map(|(which, fails)| Step::Answer { which, fails }),
        1 => Just(Step::Stranger),
        4 => prop_oneof![Just(50), Just(100), Just(1_000), Just(11_000), Just(61_000)].prop_map(Step::Wait),
        1 => Just(Step::Settle),
        1 => (0..3usize).prop_map(Step::Pin),
        1 => Just(Step::Unpin),
        1 => Just(Step::Refresh),
    ]
}

/// What is true.
#[derive(Default)]
struct Truth {
    branches: [u32; 3],
    pulls: HashMap<(usize, u32), u32>,
    /// Commands that have begun and will have switched by the time they end.
    open: HashMap<usize, Step>,
}

impl Truth {
    /// A command has done what it does.
    fn end(&mut self, call: usize) {
        match self.open.remove(&call) {
            Some(Step::Switch { root, .. }) => self.branches[root] += 1,
            Some(Step::CreatePull { root, .. }) => {
                *self.pulls.entry((root, self.branches[root])).or_default() += 1;
            }
            _ => {}
        }
    }

    fn branch(&self, root: usize) -> String {
        format!("b{}", self.branches[root])
    }

    /// Every pull request of every branch has a number of its own.
    fn number(&self, root: usize, branch: u32) -> u32 {
        let round = self.pulls.get(&(root, branch)).copied().unwrap_or(0);
        1_000_000 * (root as u32 + 1) + 1_000 * branch + round + 1
    }

    fn answer(&self, arguments: &[String]) -> End {
        let text = arguments.join(" ");
        let exit = |stdout: String| End::Said(0, stdout.into_bytes(), vec![]);
        let Some(root) = ROOTS.iter().position(|root| text.contains(root.strip_prefix("/src/").unwrap())) else {
            return End::Exit(128, "", "fatal: not a git repository (or any of the parent directories): .git\n");
        };
        if text.contains("--show-toplevel") {
            return exit(format!("{}\n", ROOTS[root]));
        }
        if text.contains("symbolic-ref") {
            return exit(format!("refs/heads/{}\n", self.branch(root)));
        }
        if text.contains("config") {
            return exit(format!("remote.origin.url\nhttps://github.com/acme/{}\0", &ROOTS[root][5..]));
        }
        let head = arguments.iter().position(|argument| argument == "--head").expect("a question about a branch");
        let branch: u32 = arguments[head + 1][1..].parse().expect("one of ours");
        let row = json!([{"number": self.number(root, branch), "state": "OPEN", "isDraft": false, "url": "https://x",
            "isCrossRepository": false, "headRepositoryOwner": {"login": "acme"}}]);
        exit(row.to_string())
    }
}

struct Life {
    guest: Native,
    truth: Truth,
    pinned: Option<usize>,
    /// The last order to pin, until it is answered.
    ordered: Option<usize>,
}

impl Life {
    fn begin() -> Self {
        let mut guest = Native::new(World::new());
        guest.world().borrow_mut().cwd = ROOTS[0].into();
        guest.start();
        Self { guest, truth: Truth::default(), pinned: None, ordered: None }
    }

    fn live(&mut self, step: Step) {
        match step {
            Step::List(root) => {
                let id = "list";
                let arguments = json!({"path": ROOTS[root]}).to_string();
                self.guest.tell(Event::ToolCalled(id, "ls", arguments));
                self.guest.tell(Event::ToolFinished(id));
            }
            Step::Switch { call, root } | Step::CreatePull { call, root } if !self.truth.open.contains_key(&call) => {
                let command = match step {
                    Step::Switch { .. } => format!("git -C {} switch next", ROOTS[root]),
                    _ => format!("cd {} && gh pr create --fill", ROOTS[root]),
                };
                self.guest.tell(Event::ToolCalled(CALLS[call], "bash", json!({"command": command}).to_string()));
                self.truth.open.insert(call, step);
            }
            Step::Switch { .. } | Step::CreatePull { .. } => {}
            Step::End(call) => {
                self.truth.end(call);
                self.guest.tell(Event::ToolFinished(CALLS[call]));
            }
            Step::Answer { which, fails } => {
                let running = self.guest.world().borrow().running().to_vec();
                if !running.is_empty() {
                    let (id, arguments) = &running[which.index(running.len())];
                    let end = if fails { End::TimedOut } else { self.truth.answer(arguments) };
                    self.answer(*id, end);
                }
            }
            Step::Stranger => self.guest.finish(9_999, End::Exit(0, "/src/gizmo\n", "")),
            Step::Wait(milliseconds) => (&mut self.guest as &mut dyn Guest).wait(milliseconds),
            Step::Settle => {
                // Whatever ran has ended by then, whether its end was told or not.
                for call in 0..CALLS.len() {
                    self.truth.end(call);
                }
                self.guest.tell(Event::AgentSettled(RunOutcome::Completed));
            }
            Step::Pin(root) => {
                const PINS: [&str; 3] = ["pin /src/widget", "pin /src/gadget", "pin /src/gizmo"];
                self.guest.tell(Event::Command("pr-footer", PINS[root]));
                self.ordered = Some(root);
            }
            Step::Unpin => {
                self.guest.tell(Event::Command("pr-footer", "unpin"));
                self.pinned = None;
                self.ordered = None;
            }
            Step::Refresh => {
                self.guest.tell(Event::Command("pr-footer", "refresh"));
                self.ordered = None;
            }
        }
        self.watch();
    }

    fn answer(&mut self, id: u32, end: End) {
        self.guest.world().borrow_mut().forget_running(id);
        self.guest.finish(id, end);
    }

    /// What must hold at any time.
    fn watch(&mut self) {
        let effects = (&mut self.guest as &mut dyn Guest).effects();
        if let Some(said) = effects.iter().find_map(|effect| effect.strip_prefix("info: Pinned to ")) {
            let root = ROOTS.iter().position(|root| said == format!("{root}.")).expect("one of ours");
            assert_eq!(self.ordered.take(), Some(root), "pinned without an order");
            self.pinned = Some(root);
        }
        if effects.iter().any(|effect| effect.starts_with("error: Not pinned")) {
            self.ordered = None;
        }
        for line in effects.iter().filter_map(|effect| effect.strip_prefix("status pr-footer: ")) {
            assert_eq!(line.starts_with("📌"), self.pinned.is_some(), "{line}");
            let Some((root, branch)) = self.shown(line) else { continue };
            if let Some(pinned) = self.pinned {
                assert_eq!(root, pinned, "the pinned root changed by itself: {line}");
            }
            if let Some((_, number)) = line.split_once("PR #") {
                let number: u32 = number.split(' ').next().unwrap().parse().unwrap();
                assert_eq!(number / 1_000, 1_000 * (root as u32 + 1) + branch, "of another branch: {line}");
            }
        }
        let world = self.guest.world().borrow();
        assert!(world.running().len() <= 5, "{:?}", world.running());
        assert!(world.waiting_timers() <= 2);
    }

    fn shown(&self, line: &str) -> Option<(usize, u32)> {
        let root = ROOTS.iter().position(|root| line.contains(&format!("acme/{} ", &root[5..])))?;
        let branch = line.split(" · ").nth(1)?.strip_prefix('b')?.parse().ok()?;
        Some((root, branch))
    }

    /// Lets everything end, and looks at one repository last.
    fn end_in(mut self, root: usize) {
        for call in 0..CALLS.len() {
            self.live(Step::End(call));
        }
        self.live(Step::Unpin);
        self.settle();
        // So that no failure is remembered; what was answered is.
        self.live(Step::Wait(11_000));
        self.live(Step::List(root));
        self.live(Step::Wait(100));
        self.settle();
        let status: &mut dyn Guest = &mut self.guest;
        status.tell(Event::Command("pr-footer", "status"));
        let said = status.effects().pop().expect("the status");
        let branch = self.truth.branches[root];
        let number = self.truth.number(root, branch);
        let expected = format!("info: acme/{} · b{branch} · PR #{number} · ", &ROOTS[root][5..]);
        assert!(said.starts_with(&expected), "{said} is not {expected}");
        self.guest.shut_down();
        let effects = (&mut self.guest as &mut dyn Guest).effects();
        assert_eq!(effects.last().map(String::as_str), Some("status pr-footer: (none)"));
        self.guest.finish(1, End::Exit(0, "/src/gizmo\n", ""));
        assert!((&mut self.guest as &mut dyn Guest).effects().is_empty(), "after the end");
    }

    /// Every process answers the truth, until none is left.
    fn settle(&mut self) {
        for _ in 0..200 {
            let Some((id, arguments)) = self.guest.world().borrow().running().first().cloned() else { return };
            let end = self.truth.answer(&arguments);
            self.answer(id, end);
            self.watch();
        }
        panic!("it goes on asking");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_line_is_true_in_the_end(steps in prop::collection::vec(step(), 1..150), last in 0..3usize) {
        let mut life = Life::begin();
        for step in steps {
            life.live(step);
        }
        life.end_in(last);
    }
}
