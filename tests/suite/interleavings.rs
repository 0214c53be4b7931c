//! Every order of the events of a reset, up to a depth: duplicates, strangers, and answers that come late or never.
//!
//! No host does most of this. What must hold does so after each event, from several states that are hard to reach.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use pi_capsule::host::{
    AttemptId, Boundary, CompactionContent, CompactionDecision, CompactionError, CompactionReason, Draft, RunOutcome,
};
use pi_capsule::reset::lifecycle::{Attempt, Continuation, Progress, State};
use pi_capsule::reset::{CompactionRequest, Reset};
use pi_capsule::session::{Session, tags};

use crate::world::branch::{compaction, custom, custom_message, user};
use crate::world::{NativeHost, SESSION_ID, Shared, World};

/// How many events follow each beginning.
const DEPTH: usize = 4;

/// An event as a host, or a broken one, may cause it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// The model calls `new_context`.
    Request,
    /// The run settles, and the drafts are written.
    SettleWriting,
    /// The run settles, and the drafts are not written.
    SettleDropping,
    /// The agent is idle.
    Settled,
    /// A request to the model is built.
    Context,
    /// The person stops the run.
    Abort,
    /// The agent wants to compact by itself.
    BeforeThreshold,
    /// The person or the guest wants to compact.
    BeforeManual,
    /// The agent writes the latest content that it was given and has not written.
    Write,
    /// A compaction is announced that was announced before, or never written.
    Announce,
    /// Another extension's compaction is written.
    WriteForeign,
    /// A compaction is given up.
    Fail,
    /// The latest attempt is answered.
    Finish,
    /// The latest attempt is answered with an error.
    FinishFailing,
    /// The first attempt is answered, however long ago it was.
    FinishFirst,
    /// The person moves in the session tree, to where they are.
    Navigate,
    /// The person switches resets off and on.
    OffAndOn,
}

const EVENTS: [Event; 17] = [
    Event::Request,
    Event::SettleWriting,
    Event::SettleDropping,
    Event::Settled,
    Event::Context,
    Event::Abort,
    Event::BeforeThreshold,
    Event::BeforeManual,
    Event::Write,
    Event::Announce,
    Event::WriteForeign,
    Event::Fail,
    Event::Finish,
    Event::FinishFailing,
    Event::FinishFirst,
    Event::Navigate,
    Event::OffAndOn,
];

/// Where the enumeration begins.
const BEGINNINGS: [&[Event]; 6] = [
    &[],
    &[Event::Request, Event::SettleWriting],
    &[Event::Request, Event::Settled],
    &[Event::Request, Event::Settled, Event::BeforeManual],
    &[Event::Request, Event::BeforeThreshold, Event::Write],
    &[Event::Request, Event::Settled, Event::BeforeManual, Event::Write],
];

/// A reset protocol in a world, and what was seen of it.
struct Story {
    world: Shared,
    session: Session,
    reset: Reset,
    handed_over: Option<CompactionContent>,
    asked: Vec<AttemptId>,
    /// Windows after whose boundary the model was asked to go on.
    continued: HashSet<String>,
    /// Whether the person stopped everything and nothing has been wanted since.
    stopped: bool,
}

impl Story {
    fn begin() -> Self {
        let world = World::new();
        world.borrow_mut().push([user("hello")]);
        let mut host = NativeHost(world.clone());
        let mut session = Session::new(SESSION_ID.into(), 7);
        session.sync(&mut host);
        let reset = Reset::start(&session, false, &mut host);
        world.borrow_mut().deliver();
        Self { world, session, reset, handed_over: None, asked: Vec::new(), continued: HashSet::new(), stopped: false }
    }

    fn fork(&self) -> Self {
        Self {
            world: Rc::new(RefCell::new(self.world.borrow().clone())),
            session: self.session.clone(),
            reset: self.reset.clone(),
            handed_over: self.handed_over.clone(),
            asked: self.asked.clone(),
            continued: self.continued.clone(),
            ..*self
        }
    }

    fn tell(&mut self, event: Event) {
        let state = self.reset.state().clone();
        let host = &mut NativeHost(self.world.clone());
        self.session.sync(host);
        match event {
            Event::Request => {
                self.reset.request(&self.session, host);
                self.stopped = false;
            }
            Event::SettleWriting => {
                let boundary = self.reset.before_settle(&self.session, host);
                self.write(boundary);
            }
            Event::SettleDropping => {
                let boundary = self.reset.before_settle(&self.session, host);
                // A continuation by itself is not dropped by a host that writes boundaries.
                if boundary.as_ref().is_some_and(|boundary| boundary.drafts.len() == 1) {
                    self.write(boundary);
                }
            }
            Event::Settled => self.reset.on_agent_settled(RunOutcome::Completed, &self.session, host),
            Event::Context => self.reset.on_context_requested(&self.session, host),
            Event::Abort => {
                self.reset.on_agent_ended(RunOutcome::Aborted);
                self.stopped = true;
            }
            Event::BeforeThreshold => self.compact(CompactionReason::Threshold),
            Event::BeforeManual => self.compact(CompactionReason::Manual),
            Event::Write => {
                if let Some(content) = self.handed_over.take() {
                    self.world.borrow_mut().push([compaction(&content.summary, &content.details)]);
                    self.session.sync(host);
                    self.reset.on_compacted(&self.session, host);
                }
            }
            Event::Announce => self.reset.on_compacted(&self.session, host),
            Event::WriteForeign => {
                self.world.borrow_mut().push([compaction("a summary", "{}")]);
                self.session.sync(host);
                self.reset.on_compacted(&self.session, host);
            }
            Event::Fail => self.reset.on_compaction_failed(false, None, host),
            Event::Finish => self.finish(self.asked.last().copied(), Ok(())),
            Event::FinishFailing => self.finish(self.asked.last().copied(), Err(CompactionError::Cancelled)),
            Event::FinishFirst => self.finish(self.asked.first().copied(), Ok(())),
            Event::Navigate => self.reset.on_branch_changed(&self.session, host),
            Event::OffAndOn => {
                self.reset.run_command("off", host);
                self.reset.run_command("on", host);
            }
        }
        self.watch(event, &state);
    }

    fn compact(&mut self, reason: CompactionReason) {
        let host = &mut NativeHost(self.world.clone());
        let request = CompactionRequest { reason, aborted: false };
        if let CompactionDecision::Replace(content) = self.reset.before_compact(request, &self.session, host) {
            self.handed_over = Some(content);
        }
    }

    fn finish(&mut self, attempt: Option<AttemptId>, result: Result<(), CompactionError>) {
        let host = &mut NativeHost(self.world.clone());
        if let Some(attempt) = attempt {
            self.reset.on_compaction_finished(attempt, &result, &self.session, host);
        }
    }

    /// Writes drafts, and counts the continuation among them.
    fn write(&mut self, boundary: Option<Boundary>) {
        for draft in boundary.into_iter().flat_map(|boundary| boundary.drafts) {
            let mut world = self.world.borrow_mut();
            match draft {
                Draft::Custom { custom_type, data } => world.push([custom(custom_type, &data)]),
                Draft::Compaction(content) => world.push([compaction(&content.summary, &content.details)]),
                Draft::Message(message) => {
                    drop(world);
                    self.continued();
                    self.world.borrow_mut().push([custom_message(message.custom_type, &message.text)])
                }
            };
        }
    }

    /// The model is asked to go on.
    fn continued(&mut self) {
        let host = &mut NativeHost(self.world.clone());
        let mut seen = self.session.clone();
        seen.sync(host);
        let window = seen.windows().active();
        assert!(window.boundary.is_some(), "a continuation without a boundary");
        assert!(window.id.starts_with("pcw:"), "a continuation after a boundary of somebody else");
        assert!(self.continued.insert(window.id.clone()), "two continuations in one window");
        assert!(!self.stopped, "a run that the person stopped goes on");
    }

    fn watch(&mut self, event: Event, before: &State) {
        self.watch_messages();
        self.watch_attempts(event, before);
        self.watch_branch();
    }

    /// What was sent to the model in this step reaches the branch, and a continuation is one.
    fn watch_messages(&mut self) {
        let new: Vec<_> = self.world.borrow().undelivered().to_vec();
        for message in new {
            if message.custom_type == tags::CONTINUATION {
                self.continued();
            }
        }
        self.world.borrow_mut().deliver();
    }

    fn watch_attempts(&mut self, event: Event, before: &State) {
        let asked = std::mem::take(&mut self.world.borrow_mut().effects);
        let asked: Vec<AttemptId> = asked
            .iter()
            .filter_map(|effect| Some(AttemptId(effect.strip_prefix("compact ")?.parse().expect("a number"))))
            .collect();
        if let [attempt] = asked.as_slice() {
            assert_eq!(*before, State::Requested, "nobody wanted a compaction");
            assert!(!self.asked.contains(attempt), "an attempt has the name of an older one");
            self.asked.push(*attempt);
        }
        assert!(asked.len() <= 1, "two compactions at once");
        // An old attempt never consumes a newer one.
        if event == Event::FinishFirst && self.asked.len() > 1 {
            let is_first = |state: &State| matches!(state, State::Compacting(attempt) if attempt.id == self.asked[0]);
            let confirms = matches!(before, State::Compacting(Attempt { progress: Progress::Built { .. }, .. }));
            assert!(is_first(before) || confirms || self.reset.state() == before, "{before:?}");
        }
        // Nothing is owed by what was stopped.
        if self.stopped {
            let owed = |state: &State| matches!(state, State::Compacting(attempt) if attempt.continuation != Continuation::None);
            assert!(*self.reset.state() != State::Requested && !owed(self.reset.state()), "{:?}", self.reset.state());
        }
    }

    fn watch_branch(&mut self) {
        let host = &mut NativeHost(self.world.clone());
        self.session.sync(host);
        let world = self.world.borrow();
        let boots = world.branch.entries().filter(|entry| is_message(entry, tags::BOOT)).count();
        assert_eq!(boots, 1, "the root window has one boot block");
        let mut names = HashSet::new();
        assert!(self.session.windows().iter().all(|window| names.insert(&window.id)), "two windows of one name");
    }
}

fn is_message(entry: &pi_capsule::host::Entry, custom_type: &str) -> bool {
    matches!(&entry.kind, pi_capsule::host::EntryKind::CustomMessage { custom_type: known, .. } if known == custom_type)
}

fn explore(story: &Story, told: &mut Vec<Event>, depth: usize) {
    if depth == 0 {
        return;
    }
    for event in EVENTS {
        told.push(event);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut next = story.fork();
            next.tell(event);
            next
        }));
        let Ok(next) = outcome else { panic!("after {told:?}") };
        explore(&next, told, depth - 1);
        told.pop();
    }
}

#[test]
fn in_every_order_of_events_what_must_hold_does() {
    std::thread::scope(|scope| {
        for beginning in BEGINNINGS {
            scope.spawn(move || {
                let mut story = Story::begin();
                for &event in beginning {
                    story.tell(event);
                }
                explore(&story, &mut beginning.to_vec(), DEPTH);
            });
        }
    });
}
