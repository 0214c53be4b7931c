//! Projections of the active branch: what the session has been, read from what is stored.
//!
//! The session branch is the only source of truth. A projection is computed from its entries, kept up to date from
//! what was appended, and rebuilt from nothing when the branch was replaced, so it can never show a sibling branch.
//! Nothing here sends, schedules, notifies or writes: the one call made to the host is to read.

mod window;

pub use window::{Window, Windows};

use crate::host::{Changes, Entry, EntryId, EntryKind, Host};

/// The projections of one session, and how far along the branch they are.
#[derive(Debug)]
pub struct Session {
    id: String,
    seed: u64,
    cursor: Option<EntryId>,
    windows: Windows,
    custom: Vec<CustomEntry>,
}

/// State that this extension stored on the branch.
#[derive(Debug)]
struct CustomEntry {
    custom_type: String,
    data: String,
}

impl Session {
    /// A session of which nothing has been read. `seed` should be random: entry ids come from a file that anyone may
    /// have written, and must not be able to choose where they land in a hash table.
    pub fn new(id: String, seed: u64) -> Self {
        let windows = Windows::new(&id, seed);
        Self { id, seed, cursor: None, windows, custom: Vec::new() }
    }

    /// Reads what is new on the branch. The work is proportional to that, not to the length of the branch.
    pub fn sync(&mut self, host: &mut dyn Host) {
        loop {
            let page = match host.changes_since(self.cursor.as_deref()) {
                Changes::Appended(page) => page,
                Changes::Replaced(page) => {
                    self.forget();
                    page
                }
            };
            let more = page.more && !page.entries.is_empty();
            for entry in page.entries {
                self.apply(entry);
            }
            if !more {
                return;
            }
        }
    }

    /// The windows of the branch, as of the last [`Session::sync`].
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    /// The data stored under a type, oldest first, as of the last [`Session::sync`].
    pub fn custom_data(&self, custom_type: &str) -> impl DoubleEndedIterator<Item = &str> {
        self.custom.iter().filter(move |entry| entry.custom_type == custom_type).map(|entry| entry.data.as_str())
    }

    fn forget(&mut self) {
        self.cursor = None;
        self.windows = Windows::new(&self.id, self.seed);
        self.custom.clear();
    }

    fn apply(&mut self, entry: Entry) {
        self.windows.append(&entry);
        if let EntryKind::Custom { custom_type, data: Some(data) } = entry.kind {
            self.custom.push(CustomEntry { custom_type, data });
        }
        self.cursor = Some(entry.id);
    }
}
