//! `session-reader`: the session and its active branch.

use crate::bindings::pi::extension::session_reader;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;
use crate::wit::session_reader::{Body, Changes, EntryId, EntryKind, Page, SessionInfo};

impl<H: Host> session_reader::Host for State<H> {
    fn session(&mut self) -> wasmtime::Result<SessionInfo> {
        self.in_session("session-reader.session", |state| state.host.session())
    }

    fn changes_since(&mut self, cursor: Option<EntryId>) -> wasmtime::Result<Changes> {
        self.in_session("session-reader.changes-since", |state| {
            let mut changes = state.host.changes_since(cursor.as_deref());
            let (Changes::Appended(page) | Changes::Replaced(page)) = &mut changes;
            withhold_foreign_data(page);
            changes
        })
    }

    fn read_bodies(&mut self, ids: Vec<EntryId>) -> wasmtime::Result<Vec<Option<Body>>> {
        self.in_session("session-reader.read-bodies", |state| state.host.read_bodies(&ids))
    }
}

/// A guest reads its own data, not that of other extensions, whatever the embedder hands out.
fn withhold_foreign_data(page: &mut Page) {
    for entry in &mut page.entries {
        if let EntryKind::Custom(custom) = &mut entry.kind
            && Policy::shared().entry_type(&custom.custom_type).is_err()
        {
            custom.data = None;
        }
    }
}
