//! What belongs to one instance of a guest and is not the guest itself: the embedder's host, and what the contract asks
//! the host side to keep track of.
//!
//! The [imports](crate::imports) act on it while an export runs, the [capsule](crate::Capsule) between the calls.

use std::collections::{BTreeSet, VecDeque};

use wasmtime::{StoreLimits, StoreLimitsBuilder};

use crate::host::Host;
use crate::ledger::Ledger;
use crate::policy::{Capability, Denial, Policy};
use crate::text::plain_line;
use crate::wit::status::NoticeLevel;
use crate::wit::subprocess::{Outcome, RequestId};

/// How many core instances, memories and tables a guest may have, and how many elements a table. A component made by the
/// usual tools has three small instances and two tables of some hundred elements.
const MOST_INSTANCES: usize = 16;
const MOST_MEMORIES: usize = 4;
const MOST_TABLES: usize = 16;
const MOST_TABLE_ELEMENTS: usize = 100_000;

pub(crate) struct State<H> {
    pub(crate) host: H,
    pub(crate) processes: Ledger,
    pub(crate) timers: Ledger,
    /// Answers to requests that the embedder never saw or has been told to forget.
    pub(crate) answers: VecDeque<(RequestId, Outcome)>,
    /// Status lines that have to be taken away at the end.
    pub(crate) shown: BTreeSet<String>,
    pub(crate) limits: StoreLimits,
    /// How many requests the latest call has made.
    requests: usize,
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
            limits: limits(),
            requests: 0,
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

    /// An export is about to be called.
    pub(crate) fn begin_call(&mut self) {
        self.requests = 0;
    }

    /// Counts a request. Traps when the call has made too many, or too many are under way: each takes memory of the host.
    pub(crate) fn count_request(&mut self) -> wasmtime::Result<()> {
        let most = Policy::shared().guest_limits().requests;
        self.requests += 1;
        if self.requests > most {
            return Err(wasmtime::format_err!("it made more than {most} requests in one call"));
        }
        if self.processes.len() + self.timers.len() > most {
            return Err(wasmtime::format_err!("it has more than {most} requests under way"));
        }
        Ok(())
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

fn limits() -> StoreLimits {
    StoreLimitsBuilder::new()
        .memory_size(Policy::shared().guest_limits().memory)
        .memories(MOST_MEMORIES)
        .tables(MOST_TABLES)
        .table_elements(MOST_TABLE_ELEMENTS)
        .instances(MOST_INSTANCES)
        .trap_on_grow_failure(true)
        .build()
}
