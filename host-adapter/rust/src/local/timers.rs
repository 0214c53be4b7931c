//! Timers as data: which wait, and which comes first. Nothing here waits.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use crate::wit::clock::TimerId;

#[derive(Default)]
pub(super) struct Timers {
    /// By the time they are due. Of two that are due together, the one that was started first comes first.
    waiting: BTreeSet<(Instant, TimerId)>,
    due: HashMap<TimerId, Instant>,
}

impl Timers {
    pub(super) fn start(&mut self, id: TimerId, due: Instant) {
        self.waiting.insert((due, id));
        self.due.insert(id, due);
    }

    pub(super) fn remove(&mut self, id: TimerId) {
        if let Some(due) = self.due.remove(&id) {
            self.waiting.remove(&(due, id));
        }
    }

    pub(super) fn first(&self) -> Option<(Instant, TimerId)> {
        self.waiting.first().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_earliest_comes_first_and_then_the_oldest() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let mut timers = Timers::default();
        timers.start(1, later);
        timers.start(2, now);
        timers.start(3, now);
        let mut order = Vec::new();
        while let Some((_, id)) = timers.first() {
            timers.remove(id);
            order.push(id);
        }
        assert_eq!(order, [2, 3, 1]);
    }

    #[test]
    fn a_timer_that_is_gone_can_be_removed_again() {
        let mut timers = Timers::default();
        timers.start(1, Instant::now());
        timers.remove(1);
        timers.remove(1);
        assert_eq!(timers.first(), None);
    }
}
