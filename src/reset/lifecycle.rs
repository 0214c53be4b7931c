//! Where a reset stands: one state machine, without effects.
//!
//! At any time nothing is going on, or a reset is wanted, or one attempt is under way; never two of them. What an
//! attempt has reached is data inside of that state.
//!
//! ```text
//!             request                begin, build              confirm
//!   Idle ───────────────► Requested ─────────────► Compacting ─────────► Idle, or Compacting(Confirmed) while
//!     └──────────────── build (by Pi) ─────────────────┘                 a continuation is owed
//! ```
//!
//! | event | Idle | Requested | Asked | Built | Confirmed |
//! | --- | --- | --- | --- | --- | --- |
//! | `request` | Requested | pending | pending | pending, owed | Requested |
//! | `draft` | - | Built, drafted | - | - | - |
//! | `ask` | - | Asked, owed | - | - | - |
//! | `build` | Built, none owed | Built, owed | Built | Built, new attempt | Built, new attempt |
//! | `confirm` | - | - | - | Confirmed if owed, else Idle | - |
//! | `fail` | - | - | Idle | Idle | - |
//! | `finish`, own | - | - | Idle, failed | Idle, failed | Idle, continues |
//! | `take_continuation` | - | - | - | - | Idle, continues |
//! | `cancel` | - | Idle | nothing owed | nothing owed | Idle |
//! | `invalidate` | - | Idle | Idle | Idle | Idle |
//!
//! `-` changes nothing. A new attempt owes what the one before it owed or had drafted. Asked: the agent was asked to compact. Built: the boundary was handed over, and the branch will
//! show whether it came about. Confirmed: it did. The continuation is part of the boundary (drafted), to be sent once
//! that is confirmed (owed), or none of ours: a compaction by Pi goes on by itself.
//!
//! Once a continuation is sent the attempt is over, so a request during the continuation is the next one. A `finish`
//! names its attempt; one of an attempt that is over, or was replaced, does nothing.

use crate::host::{AttemptId, CompactionReason};

/// Where a reset stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing is going on.
    #[default]
    Idle,
    /// The model wants a reset, and the run has not settled yet.
    Requested,
    /// One is under way.
    Compacting(Attempt),
}

/// A reset that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its name.
    pub id: AttemptId,
    /// Why there is one.
    pub reason: CompactionReason,
    /// What makes the model go on afterwards.
    pub continuation: Continuation,
    /// How far it is.
    pub progress: Progress,
}

/// What makes the model go on after a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// Nothing of ours.
    None,
    /// A message inside of the boundary.
    Drafted,
    /// A message to be sent once the boundary is confirmed.
    Owed,
}

/// How far an attempt is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The agent was asked to compact.
    Asked,
    /// The boundary of this window was handed over.
    Built {
        /// The window that it starts.
        window: String,
    },
    /// The boundary of this window is on the branch.
    Confirmed {
        /// The window that it has started.
        window: String,
    },
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// It will be served.
    Accepted,
    /// There is one already.
    AlreadyPending,
}

/// What the end of an attempt calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Nothing: it was not the current attempt.
    Stale,
    /// The model should go on.
    Continue,
    /// There is no boundary.
    Failed,
    /// The boundary stands, and nothing is owed, or somebody has started another window since.
    Done,
}

/// The state machine of a session.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    state: State,
    next: u32,
}

impl Lifecycle {
    /// Begins at Idle. Attempts are numbered from `first`, which should be random: an answer to an instance that was
    /// dropped must not be taken for one to this instance.
    pub fn new(first: u32) -> Self {
        Self { state: State::Idle, next: first }
    }

    /// Where it stands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The window whose boundary was handed over and is not confirmed.
    pub fn built_window(&self) -> Option<&str> {
        match &self.state {
            State::Compacting(Attempt { progress: Progress::Built { window }, .. }) => Some(window),
            _ => None,
        }
    }

    /// The model asks for a reset.
    pub fn request(&mut self) -> Request {
        match &mut self.state {
            State::Idle | State::Compacting(Attempt { progress: Progress::Confirmed { .. }, .. }) => {
                self.state = State::Requested;
                Request::Accepted
            }
            State::Requested => Request::AlreadyPending,
            State::Compacting(attempt) => {
                if attempt.continuation == Continuation::None {
                    attempt.continuation = Continuation::Owed;
                }
                Request::AlreadyPending
            }
        }
    }

    /// The run settles, and a boundary with its continuation is handed over for `window`. Only when Requested.
    pub fn draft(&mut self, window: String) {
        if self.state == State::Requested {
            self.begin(CompactionReason::Manual, Continuation::Drafted, Progress::Built { window });
        }
    }

    /// The run has settled, and the agent is asked to compact. Only when Requested.
    pub fn ask(&mut self) -> Option<AttemptId> {
        (self.state == State::Requested)
            .then(|| self.begin(CompactionReason::Manual, Continuation::Owed, Progress::Asked))
    }

    /// A compaction is about to be made, and the boundary of `window` is handed over for it.
    pub fn build(&mut self, reason: CompactionReason, window: String) {
        let progress = Progress::Built { window };
        match &mut self.state {
            State::Compacting(attempt) if attempt.progress == Progress::Asked && reason == attempt.reason => {
                attempt.progress = progress;
            }
            State::Idle | State::Compacting(Attempt { continuation: Continuation::None, .. }) => {
                self.begin(reason, Continuation::None, progress);
            }
            State::Requested | State::Compacting(_) => {
                self.begin(reason, Continuation::Owed, progress);
            }
        }
    }

    /// The boundary that was handed over is on the branch. Gives the reason of the attempt.
    pub fn confirm(&mut self) -> Option<CompactionReason> {
        let State::Compacting(attempt) = &mut self.state else { return None };
        let Progress::Built { window } = &mut attempt.progress else { return None };
        let reason = attempt.reason;
        if attempt.continuation == Continuation::Owed {
            attempt.progress = Progress::Confirmed { window: std::mem::take(window) };
        } else {
            self.state = State::Idle;
        }
        Some(reason)
    }

    /// The boundary did not come about. Whether there was an attempt at one.
    pub fn fail(&mut self) -> bool {
        match &self.state {
            State::Compacting(Attempt { progress: Progress::Asked | Progress::Built { .. }, .. }) => {
                self.state = State::Idle;
                true
            }
            _ => false,
        }
    }

    /// The agent has answered an attempt, in the window that is active now.
    pub fn finish(&mut self, id: AttemptId, active: &str) -> Finish {
        match &self.state {
            State::Compacting(attempt) if attempt.id == id => {}
            _ => return Finish::Stale,
        }
        if self.fail() {
            Finish::Failed
        } else if self.take_continuation(active) {
            Finish::Continue
        } else {
            Finish::Done
        }
    }

    /// Whether a continuation is owed for a confirmed boundary, whose window is still the active one. It is not after
    /// this, and the attempt is over.
    pub fn take_continuation(&mut self, active: &str) -> bool {
        let State::Compacting(Attempt { progress: Progress::Confirmed { window }, continuation, .. }) = &self.state
        else {
            return false;
        };
        let is_owed = window == active && *continuation == Continuation::Owed;
        self.state = State::Idle;
        is_owed
    }

    /// The person has stopped the run: nothing is wanted any more, and nothing will be continued.
    pub fn cancel(&mut self) {
        match &mut self.state {
            State::Compacting(attempt) if !matches!(attempt.progress, Progress::Confirmed { .. }) => {
                attempt.continuation = Continuation::None;
            }
            _ => self.state = State::Idle,
        }
    }

    /// What is under way belongs to another branch, or is not wanted at all.
    pub fn invalidate(&mut self) {
        self.state = State::Idle;
    }

    fn begin(&mut self, reason: CompactionReason, continuation: Continuation, progress: Progress) -> AttemptId {
        let id = AttemptId(self.next);
        self.next = self.next.wrapping_add(1);
        self.state = State::Compacting(Attempt { id, reason, continuation, progress });
        id
    }
}
