//! What belongs to one instance of a guest and is not the guest itself: the embedder's host, and what the contract asks
//! the host side to keep track of.
//!
//! The [imports](crate::imports) act on it while an export runs, the [capsule](crate::Capsule) between the calls.

use std::collections::{BTreeSet, VecDeque};

use wasmtime::{StoreLimits, StoreLimitsBuilder};

use crate::host::Host;
use crate::ledger::Ledger;
use crate::policy::{Capability, Denial};
use crate::text::plain_line;
use crate::wit::status::NoticeLevel;
use crate::wit::subprocess::{Outcome, RequestId};

/// The most memory that a guest may have, in bytes. Guests keep an index of the session and a bounded copy of its text;
/// this is several times what the largest sessions (100 MB) need, and small enough not to hurt the machine.
pub const MEMORY_LIMIT: usize = 512 * 1024 * 1024;

pub(crate) struct State<H> {
    pub(crate) host: H,
    pub(crate) processes: Ledger,
    pub(crate) timers: Ledger,
    /// Answers to requests that the embedder never saw or has been told to forget.
    pub(crate) answers: VecDeque<(RequestId, Outcome)>,
    /// Status lines that have to be taken away at the end.
    pub(crate) shown: BTreeSet<String>,
    pub(crate) limits: StoreLimits,
    session: bool,
    told: BTreeSet<Capability>,
}

impl<H: Host> State<H> {
    pub(crate) fn new(host: H) -> Self {
        State {
            host,
            processes: Ledger::default(),
            timers: Ledger::default(),
            answers: VecDeque::new(),
            shown: BTreeSet::new(),
            limits: StoreLimitsBuilder::new().memory_size(MEMORY_LIMIT).trap_on_grow_failure(true).build(),
            session: false,
            told: BTreeSet::new(),
        }
    }

    pub(crate) fn has_session(&self) -> bool {
        self.session
    }

    pub(crate) fn begin_session(&mut self) {
        self.session = true;
        self.told.clear();
    }

    /// Ends the session, if there is one: nothing that the guest has started goes on, and nothing of it stays in view.
    pub(crate) fn end_session(&mut self) {
        self.session = false;
        self.answers.clear();
        for id in self.processes.close_all() {
            self.host.cancel_process(id);
        }
        for id in self.timers.close_all() {
            self.host.cancel_timer(id);
        }
        for key in std::mem::take(&mut self.shown) {
            // Nobody is left to be told of a failure.
            let _ = self.host.set_status(&key, None);
        }
    }

    /// Answers an import that needs a session. Traps without one: a guest that asks has broken the contract.
    pub(crate) fn in_session<T>(&mut self, import: &str, answer: impl FnOnce(&mut Self) -> T) -> wasmtime::Result<T> {
        if self.session {
            Ok(answer(self))
        } else {
            Err(wasmtime::format_err!("it called {import} outside of a session"))
        }
    }

    /// Takes a decision of the policy. The person is told of the first refusal of each kind in a session.
    pub(crate) fn permit<T>(&mut self, decision: Result<T, Denial>) -> Result<T, String> {
        decision.map_err(|Denial { capability, reason }| {
            if self.told.insert(capability) {
                let message = format!("A request of the component was refused: {}.", plain_line(&reason));
                // The guest gets its answer whether or not the person could be told.
                let _ = self.host.notify(NoticeLevel::Warning, &message);
            }
            reason
        })
    }
}
