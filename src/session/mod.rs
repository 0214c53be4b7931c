//! Projections of the active branch: what the session has been, read from what is stored.
//!
//! The session branch is the only source of truth. A projection is computed from its entries, kept up to date from
//! what was appended, and rebuilt from nothing when the branch was replaced, so it can never show a sibling branch.
//! Nothing here sends, schedules, notifies or writes: the two calls made to the host are to read.
//!
//! | projection | made from |
//! | --- | --- |
//! | [`Windows`] | headers |
//! | [`History`], the items of the windows | headers; their text is read when it is first shown |
//! | [`Notes`] | the data of note operations |

mod bodies;
mod history;
mod names;
mod notes;
pub mod tags;
mod window;

use std::ops::ControlFlow;

pub use history::{History, Item, Role};
pub use notes::{LARGEST_NOTE, Note, Notes, Operation, Operator, Refusal, is_path};
pub use window::{Window, Windows};

use serde::de::DeserializeOwned;

use crate::host::{Changes, Entry, EntryId, EntryKind, Host};
use bodies::Bodies;

/// The projections of one session, and how far along the branch they are.
#[derive(Clone, Debug)]
pub struct Session {
    id: String,
    seed: u64,
    cursor: Option<EntryId>,
    windows: Windows,
    history: History,
    bodies: Bodies,
    notes: Notes,
    custom: Vec<CustomEntry>,
}

/// What is known of items without their text.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The windows that they are in.
    pub windows: &'a Windows,
    /// The items.
    pub history: &'a History,
}

/// State that another part of this extension stored on the branch.
#[derive(Clone, Debug)]
struct CustomEntry {
    custom_type: String,
    data: String,
}

impl Session {
    /// A session of which nothing has been read. `seed` should be random: entry ids come from a file that anyone may
    /// have written, and must not be able to choose where they land in a hash table.
    pub fn new(id: String, seed: u64) -> Self {
        Self {
            cursor: None,
            windows: Windows::new(&id, seed),
            history: History::new(seed),
            bodies: Bodies::default(),
            notes: Notes::default(),
            custom: Vec::new(),
            id,
            seed,
        }
    }

    /// Reads what is new on the branch. The work is proportional to that, not to the length of the branch.
    pub fn sync(&mut self, host: &mut dyn Host) {
        loop {
            let page = match host.changes_since(self.cursor.as_deref()) {
                Changes::Appended(page) => page,
                Changes::Replaced(page) => {
                    *self = Self::new(std::mem::take(&mut self.id), self.seed);
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

    /// The items of the branch, as of the last [`Session::sync`].
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The notes of the branch, as of the last [`Session::sync`].
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Shows the text of the items at these positions of the history in turn, until `show` has seen enough. Reads only
    /// what has not been read before.
    pub fn show_items(
        &mut self,
        positions: &[usize],
        host: &mut dyn Host,
        mut show: impl FnMut(View<'_>, usize, &str) -> ControlFlow<()>,
    ) {
        let Self { windows, history, bodies, .. } = self;
        let view = View { windows, history };
        bodies.visit(history, positions, host, &mut |position, text| show(view, position, text));
    }

    /// The data stored under a type, oldest first, as of the last [`Session::sync`].
    pub fn custom_data(&self, custom_type: &str) -> impl DoubleEndedIterator<Item = &str> {
        self.custom.iter().filter(move |entry| entry.custom_type == custom_type).map(|entry| entry.data.as_str())
    }

    fn apply(&mut self, entry: Entry) {
        self.windows.append(&entry);
        self.history.append(&entry, self.windows.iter().len() - 1);
        if let EntryKind::Custom { custom_type, data: Some(data) } = entry.kind {
            self.apply_custom(custom_type, data);
        }
        self.cursor = Some(entry.id);
    }

    fn apply_custom(&mut self, custom_type: String, data: String) {
        if custom_type == tags::NOTE {
            self.notes.replay(&data);
        } else if !custom_type.starts_with(tags::FAMILY) {
            self.custom.push(CustomEntry { custom_type, data });
        }
    }
}

/// Reads what was stored as a JSON object. Serde by itself would take a list of the members' values as well.
pub fn object<T: DeserializeOwned>(json: &str) -> Option<T> {
    json.trim_start().starts_with('{').then(|| serde_json::from_str(json).ok()).flatten()
}
