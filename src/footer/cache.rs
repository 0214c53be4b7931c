//! What is remembered of git and GitHub, for a while: bounded, and the least recently used goes first.
//!
//! Time is monotonic and passed in. A value that was asked for before something was forgotten may still answer whoever
//! asked, but is not remembered: each answer brings the [`Epoch`] in which it was asked for.

/// The state of a cache between two times that something was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch(u64);

/// Values by key. A lookup goes through all of them, which are few.
#[derive(Debug)]
pub(super) struct Cache<K, V> {
    /// The least recently used first.
    rows: Vec<Row<K, V>>,
    capacity: usize,
    epoch: u64,
}

#[derive(Debug)]
struct Row<K, V> {
    key: K,
    value: V,
    expires: u64,
}

impl<K: PartialEq, V> Cache<K, V> {
    /// An empty cache for so many values.
    pub(super) fn new(capacity: usize) -> Self {
        Self { rows: Vec::new(), capacity, epoch: 0 }
    }

    /// The epoch of whatever is asked for now.
    pub(super) fn epoch(&self) -> Epoch {
        Epoch(self.epoch)
    }

    /// The value of a key, unless it has expired.
    pub(super) fn get(&mut self, key: &K, now: u64) -> Option<&V> {
        let index = self.rows.iter().position(|row| row.key == *key)?;
        let row = self.rows.remove(index);
        if row.expires <= now {
            return None;
        }
        self.rows.push(row);
        self.rows.last().map(|row| &row.value)
    }

    /// Remembers a value that was asked for in `epoch`, for `lifetime` milliseconds.
    pub(super) fn insert(&mut self, key: K, value: V, epoch: Epoch, now: u64, lifetime: u64) {
        if epoch != self.epoch() {
            return;
        }
        self.rows.retain(|row| row.key != key);
        if self.rows.len() == self.capacity {
            self.rows.remove(0);
        }
        self.rows.push(Row { key, value, expires: now.saturating_add(lifetime) });
    }

    /// Forgets what `is_affected` says, and whatever is being asked for.
    pub(super) fn forget(&mut self, mut is_affected: impl FnMut(&K, &V) -> bool) {
        self.epoch += 1;
        self.rows.retain(|row| !is_affected(&row.key, &row.value));
    }

    /// The keys and values, the most recently used first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.rows.iter().rev().map(|row| (&row.key, &row.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled() -> Cache<&'static str, u32> {
        let mut cache = Cache::new(2);
        let epoch = cache.epoch();
        cache.insert("a", 1, epoch, 0, 10);
        cache.insert("b", 2, epoch, 0, 20);
        cache
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache = filled();
        assert_eq!(cache.get(&"a", 0), Some(&1));
        cache.insert("c", 3, cache.epoch(), 0, 10);
        assert_eq!(
            [cache.get(&"a", 0).copied(), cache.get(&"b", 0).copied(), cache.get(&"c", 0).copied()],
            [Some(1), None, Some(3)]
        );
        assert_eq!(cache.iter().map(|(key, _)| *key).collect::<Vec<_>>(), ["c", "a"]);
    }

    #[test]
    fn a_value_lives_as_long_as_it_was_given() {
        let mut cache = filled();
        assert_eq!(
            (cache.get(&"a", 9).copied(), cache.get(&"a", 10).copied(), cache.get(&"b", 19).copied()),
            (Some(1), None, Some(2))
        );
    }

    #[test]
    fn a_new_value_takes_the_place_of_the_old_one() {
        let mut cache = filled();
        cache.insert("b", 4, cache.epoch(), 0, 10);
        assert_eq!((cache.get(&"a", 0).copied(), cache.get(&"b", 0).copied()), (Some(1), Some(4)));
    }

    #[test]
    fn what_was_asked_for_before_something_was_forgotten_is_not_remembered() {
        let mut cache = filled();
        let before = cache.epoch();
        cache.forget(|key, _| *key == "a");
        cache.insert("a", 9, before, 0, 10);
        assert_eq!((cache.get(&"a", 0).copied(), cache.get(&"b", 0).copied()), (None, Some(2)));
        cache.insert("a", 9, cache.epoch(), 0, 10);
        assert_eq!(cache.get(&"a", 0), Some(&9));
    }
}
