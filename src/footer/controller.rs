//! What the footer does at each event: one piece of work at a time, and what waits for it.
//!
//! | work | asks | ends with | then |
//! | --- | --- | --- | --- |
//! | restoring | all about the pinned root | that repository | shown, pinned |
//! | | | none, another one, no directory | the pin is dropped and stored so; starting |
//! | | | not known | pin kept, shown as not verifiable |
//! | starting | all about the startup directory, then its parents | a repository | shown |
//! | | | none, not known | shown as not usable |
//! | resolving | the roots of what the tools touch | one root | identifying, or shown from what is remembered |
//! | | | several | shown as ambiguous |
//! | | | not known | shown as not usable |
//! | | | none | nothing changes |
//! | identifying | what is checked out at a root | a repository | shown |
//! | | | not known | shown as stale if it was shown before, else as not usable |
//! | pinning | all about the path that the person named | a repository | pinned, stored, shown |
//! | | | anything else | said; nothing changes |
//! | refreshing | all about the shown root | a repository | shown |
//! | | | none, no directory | starting |
//! | | | not known | shown as stale |
//!
//! Work belongs to the latest order of the person: pin, unpin and refresh give up what runs, and the answers to work that
//! is gone belong to nobody. What the tools do meanwhile waits. Answers about pull requests come beside the work and count
//! only as long as the repository and branch that they were asked for are shown.
//!
//! Hints wait for a moment, so that a burst of calls is one question. An effect (a branch is switched, a worktree added, a
//! pull request made) is staged with its call and counts only when that has ended, well or not; then what was remembered
//! is forgotten and asked for again. When the run has settled, what is still staged counts too, once.
//!
//! Calls may end in another order than they began. The watermark is the number of the newest call whose hints have
//! counted; an order of the person raises it to the newest call of all. Hints of older calls say nothing any more; their
//! effects still count.

mod orders;
mod shown;
mod work;

use crate::host::{Host, Outcome, PathStyle, RequestId, TimerId};
use crate::session::Session;

use super::STATUS_KEY;
use super::cache::{Cache, Epoch};
use super::evidence::{self, EffectKind, Evidence, Hint};
use super::lookup::{Lookup, Repository};
use super::pull_request::{PullRequest, Query, Unknown};
use super::resolving::{Resolving, Roots};
use super::state::{self, State};
use super::text::Pulls;

/// How often the age is written anew, in milliseconds.
const AGE_INTERVAL: u32 = 1_000;
/// How long hints wait for more.
const DEBOUNCE: u32 = 100;
/// How many hints and staged effects wait at most; the oldest go first.
const MOST_WAITING: usize = 64;
/// How many paths, roots and questions to GitHub are remembered.
const PATHS: usize = 128;
const SNAPSHOTS: usize = 32;
const QUERIES: usize = 32;
/// How long what is known of a root or a branch is remembered, in milliseconds…
const GOOD_LIFETIME: u64 = 60_000;
/// …and how long it is not asked for again after it could not be had.
const BAD_LIFETIME: u64 = 10_000;

/// The footer while there is a session.
#[derive(Debug)]
pub(super) struct Controller {
    cwd: String,
    style: PathStyle,
    state: State,
    stored: Option<State>,
    work: Work,
    pull_lookup: Option<PullLookup>,
    calls: CallNumber,
    watermark: CallNumber,
    hints: Vec<(CallNumber, Hint)>,
    debounce: Option<TimerId>,
    staged: Vec<Staged>,
    effects: Vec<EffectKind>,
    current: Current,
    roots: Roots,
    /// What is checked out at a root; absent where that could not be read.
    snapshots: Cache<String, Option<Repository>>,
    queries: Cache<Query, Result<Option<PullRequest>, Unknown>>,
    shown: Option<String>,
    age_timer: Option<TimerId>,
}

/// The number of a call, in the order in which they began; 0 is before the first.
type CallNumber = u64;

/// What is being done.
#[derive(Debug)]
enum Work {
    Idle,
    Restoring(Lookup),
    Starting(Lookup),
    /// With the newest call that hinted.
    Resolving(Resolving, CallNumber),
    Identifying(Lookup),
    Pinning(Lookup),
    Refreshing(Lookup),
}

/// What the session works in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Current {
    /// Not known yet.
    Unseen,
    Unusable,
    Unverified,
    Ambiguous(usize),
    Repository {
        repository: Repository,
        pulls: Pulls,
        is_stale: bool,
    },
}

/// A question to GitHub that is under way.
#[derive(Debug)]
struct PullLookup {
    id: RequestId,
    query: Query,
    epoch: Epoch,
}

/// A call with an effect that has not ended.
#[derive(Debug)]
struct Staged {
    call_id: String,
    call: CallNumber,
    effects: Vec<EffectKind>,
    after: Vec<Hint>,
}

impl Controller {
    /// Begins with a session that has been read.
    pub(super) fn start(session: &Session, host: &mut dyn Host) -> Self {
        let info = host.session();
        let stored = State::restore(session.custom_data(state::CUSTOM_TYPE).rev(), info.path_style);
        let state = stored.clone().unwrap_or_else(|| State::new(info.created_at.unwrap_or_else(|| host.now())));
        let mut controller = Self {
            cwd: info.cwd,
            style: info.path_style,
            state,
            stored,
            work: Work::Idle,
            pull_lookup: None,
            calls: 0,
            watermark: 0,
            hints: Vec::new(),
            debounce: None,
            staged: Vec::new(),
            effects: Vec::new(),
            current: Current::Unseen,
            roots: Cache::new(PATHS),
            snapshots: Cache::new(SNAPSHOTS),
            queries: Cache::new(QUERIES),
            shown: None,
            age_timer: None,
        };
        controller.look(host);
        controller
    }

    /// Ends: nothing that was begun goes on.
    pub(super) fn stop(mut self, host: &mut dyn Host) {
        self.abandon_work(host);
        if let Some(lookup) = self.pull_lookup.take() {
            host.cancel_process(lookup.id);
        }
        for timer in [self.debounce, self.age_timer].into_iter().flatten() {
            host.cancel_timer(timer);
        }
        if self.shown.is_some() {
            // Nothing is left to do about a line that cannot be taken away.
            let _ = host.set_status(STATUS_KEY, None);
        }
    }

    /// The person moved to another point of the session tree, which may hold another state. What is kept is written
    /// there when it next changes.
    pub(super) fn on_branch_changed(&mut self, session: &Session) {
        self.stored = State::restore(session.custom_data(state::CUSTOM_TYPE).rev(), self.style);
    }

    /// Another tool is called.
    pub(super) fn on_tool_called(
        &mut self,
        call_id: &str,
        tool: &str,
        arguments: &str,
        cwd: &str,
        host: &mut dyn Host,
    ) {
        let Evidence { hints, effects, after } = evidence::of_call(tool, arguments, cwd, self.style);
        self.calls += 1;
        let call = self.calls;
        if !effects.is_empty() {
            push_bounded(&mut self.staged, Staged { call_id: call_id.to_owned(), call, effects, after });
        }
        if self.is_pinned() || hints.is_empty() {
            return;
        }
        for hint in hints {
            push_bounded(&mut self.hints, (call, hint));
        }
        if self.debounce.is_none() {
            self.debounce = Some(host.start_timer(DEBOUNCE));
        }
    }

    /// Another tool has ended, well or not.
    pub(super) fn on_tool_finished(&mut self, call_id: &str, host: &mut dyn Host) {
        let Some(index) = self.staged.iter().position(|staged| staged.call_id == call_id) else { return };
        let staged = self.staged.remove(index);
        self.take_effect(staged);
        self.flush(host);
    }

    /// The run is over. What is still staged has no end of its own.
    pub(super) fn on_agent_settled(&mut self, host: &mut dyn Host) {
        for staged in std::mem::take(&mut self.staged) {
            self.take_effect(staged);
        }
        if !self.hints.is_empty() || !self.effects.is_empty() {
            self.flush(host);
        }
    }

    /// A timer has run out. Ids of others are ignored.
    pub(super) fn on_timer_fired(&mut self, id: TimerId, host: &mut dyn Host) {
        if self.age_timer == Some(id) {
            self.age_timer = Some(host.start_timer(AGE_INTERVAL));
            self.publish(host);
        } else if self.debounce == Some(id) {
            self.debounce = None;
            self.go_on(host);
        }
    }

    /// A process has ended. Ids of others are ignored.
    pub(super) fn on_answer(&mut self, id: RequestId, outcome: &Outcome, host: &mut dyn Host) {
        if self.pull_lookup.as_ref().is_some_and(|lookup| lookup.id == id) {
            return self.on_pulls(outcome, host);
        }
        match std::mem::replace(&mut self.work, Work::Idle) {
            Work::Idle => return,
            Work::Resolving(mut resolving, newest) => {
                resolving.on_answer(id, outcome, &mut self.roots, host.monotonic_now(), host);
                self.resolve(resolving, newest, host);
            }
            Work::Restoring(lookup) => self.look_on(lookup, Work::Restoring, Self::on_restored, id, outcome, host),
            Work::Starting(lookup) => self.look_on(lookup, Work::Starting, Self::on_started, id, outcome, host),
            Work::Identifying(lookup) => {
                self.look_on(lookup, Work::Identifying, Self::on_identified, id, outcome, host)
            }
            Work::Pinning(lookup) => self.look_on(lookup, Work::Pinning, Self::on_pinned, id, outcome, host),
            Work::Refreshing(lookup) => self.look_on(lookup, Work::Refreshing, Self::on_refreshed, id, outcome, host),
        }
        self.go_on(host);
    }
}

fn push_bounded<T>(waiting: &mut Vec<T>, next: T) {
    if waiting.len() == MOST_WAITING {
        waiting.remove(0);
    }
    waiting.push(next);
}
