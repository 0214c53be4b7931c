//! Which requests of a guest wait for an answer: allots their ids and makes sure that each is answered once.
//!
//! Knows nothing of what is requested; processes and timers each have a ledger.

use std::collections::BTreeSet;

/// Ids that have been given out. None is given out twice, also not to the instance after a fault: an answer for the one
/// before it could still be on its way.
#[derive(Default)]
pub(crate) struct Ledger {
    last: u32,
    open: BTreeSet<u32>,
}

impl Ledger {
    /// A new id, which waits for its answer.
    pub(crate) fn open(&mut self) -> u32 {
        self.last = self.last.wrapping_add(1);
        self.open.insert(self.last);
        self.last
    }

    /// Takes the id off the ledger. False when it was not there: it has been answered, or never existed.
    pub(crate) fn close(&mut self, id: u32) -> bool {
        self.open.remove(&id)
    }

    /// Takes every id off the ledger.
    pub(crate) fn close_all(&mut self) -> BTreeSet<u32> {
        std::mem::take(&mut self.open)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_closed_once() {
        let mut ledger = Ledger::default();
        let (first, second) = (ledger.open(), ledger.open());
        assert_ne!(first, second);
        assert!(ledger.close(first));
        assert!(!ledger.close(first));
        assert_eq!(ledger.close_all(), [second].into());
        assert!(!ledger.close(second));
    }

    #[test]
    fn an_id_never_comes_back() {
        let mut ledger = Ledger::default();
        let first = ledger.open();
        ledger.close_all();
        assert_ne!(ledger.open(), first);
    }
}
