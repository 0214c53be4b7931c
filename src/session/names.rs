//! Finding what is stored in a list by its name.
//!
//! Names come from a file that anyone may have written, so the table is seeded, and no name is stored twice.

use std::hash::BuildHasher;

use foldhash::SharedSeed;
use foldhash::fast::SeedableRandomState;
use hashbrown::HashTable;

/// Positions in a list, by the names of what is there. The list is the caller's.
#[derive(Clone, Debug)]
pub(super) struct Names {
    positions: HashTable<u32>,
    hasher: SeedableRandomState,
}

impl Names {
    /// The names of an empty list.
    pub(super) fn new(seed: u64) -> Self {
        Self { positions: HashTable::new(), hasher: SeedableRandomState::with_seed(seed, SharedSeed::global_fixed()) }
    }

    /// Where the thing of that name is. `name_at` tells the name of what is at a position.
    pub(super) fn find<'a>(&self, name: &str, name_at: impl Fn(u32) -> &'a str) -> Option<u32> {
        self.positions.find(self.hasher.hash_one(name), |&position| name_at(position) == name).copied()
    }

    /// Remembers what is at a position. Of two things of one name, either is found.
    pub(super) fn insert<'a>(&mut self, position: u32, name_at: impl Fn(u32) -> &'a str) {
        let hash = |position: u32| self.hasher.hash_one(name_at(position));
        self.positions.insert_unique(hash(position), position, |&known| hash(known));
    }
}

/// A position in a list. One of four thousand million things does not fit into the guest's memory.
pub(super) fn position_of(index: usize) -> u32 {
    u32::try_from(index).expect("more than a 32-bit memory can hold")
}
