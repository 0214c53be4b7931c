//! The tree of entries, and the active branch as guests read it: in pages.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::entry;
use super::json::{Object, well_formed};
use crate::wit::clock::Timestamp;
use crate::wit::session_reader::{Body, Changes, Entry, EntryId, EntryKind, Page, PathStyle, SessionInfo};

/// The most entries of a page.
const PAGE_ENTRIES: usize = 1000;

/// The size that ends a page: JSON of headers, or text of bodies, in bytes.
const PAGE_BYTES: usize = 1024 * 1024;

/// A session: its entries, and which of them are on the active branch.
pub struct Session {
    info: SessionInfo,
    nodes: Vec<Node>,
    /// By id. Where a file uses an id twice, the later entry has it.
    index: HashMap<EntryId, usize>,
    /// The active branch, root first.
    branch: Vec<usize>,
    source: Option<Source>,
}

struct Node {
    parent: Option<usize>,
    entry: Entry,
    body: NodeBody,
    /// Where it stands on the active branch.
    position: Option<usize>,
}

/// Where the body of an entry is.
enum NodeBody {
    Stored(Span),
    Held(Option<Body>),
}

/// The line of an entry in its file.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) offset: u64,
    pub(super) length: usize,
}

/// The file that bodies are read from. Pi only ever appends to it, so lines stay where they were.
pub(super) struct Source {
    pub(super) file: File,
    pub(super) version: u64,
}

/// An entry as a file names it: its parent by id.
pub(super) struct StoredEntry {
    pub(super) entry: Entry,
    pub(super) parent: Option<EntryId>,
    pub(super) span: Span,
}

impl Session {
    /// A session without entries, for work in the directory `cwd`, which must be absolute.
    pub fn empty(id: impl Into<String>, cwd: impl Into<String>, created_at: Option<Timestamp>) -> Session {
        let cwd = cwd.into();
        let info = SessionInfo { id: id.into(), name: None, path_style: path_style(&cwd), cwd, created_at };
        Session { info, nodes: Vec::new(), index: HashMap::new(), branch: Vec::new(), source: None }
    }

    /// Builds the tree. The leaf is the last entry, as in Pi. Says, too, whether its branch leads back to a root, that is
    /// to an entry that names no parent.
    pub(super) fn stored(info: SessionInfo, entries: Vec<StoredEntry>, source: Source) -> (Session, bool) {
        let is_root: Vec<bool> = entries.iter().map(|stored| stored.parent.is_none()).collect();
        let index: HashMap<EntryId, usize> =
            entries.iter().enumerate().map(|(at, stored)| (stored.entry.id.clone(), at)).collect();
        let node = |StoredEntry { entry, parent, span }| {
            let parent = parent.and_then(|id| index.get(&id).copied());
            Node { parent, entry, body: NodeBody::Stored(span), position: None }
        };
        let nodes: Vec<Node> = entries.into_iter().map(node).collect();
        let leaf = nodes.len().checked_sub(1);
        let mut session = Session { info, nodes, index, branch: Vec::new(), source: Some(source) };
        session.follow(leaf);
        let is_whole = session.branch.first().is_none_or(|&first| is_root[first]);
        (session, is_whole)
    }

    /// What identifies the session.
    pub fn info(&self) -> &SessionInfo {
        &self.info
    }

    /// The headers on the active branch, root first.
    pub fn branch(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.branch.iter().map(|&at| &self.nodes[at].entry)
    }

    /// Appends an entry to the active branch, in memory. Answers with its id.
    pub fn append(&mut self, created_at: Timestamp, kind: EntryKind, body: Option<Body>) -> EntryId {
        let id = self.unused_id();
        let at = self.nodes.len();
        let parent = self.branch.last().copied();
        let entry = Entry { id: id.clone(), created_at: Some(created_at), kind };
        self.nodes.push(Node { parent, entry, body: NodeBody::Held(body), position: Some(self.branch.len()) });
        self.index.insert(id.clone(), at);
        self.branch.push(at);
        id
    }

    /// Appends an entry that was added to the file. Says whether it goes on from another point than the end of the branch.
    pub(super) fn append_stored(&mut self, StoredEntry { entry, parent, span }: StoredEntry) -> bool {
        let parent = parent.and_then(|id| self.index.get(&id).copied());
        // The file knows nothing of what was appended in memory; it stays where it was.
        let is_stored = |&at: &usize| matches!(self.nodes[at].body, NodeBody::Stored(_));
        let goes_on = parent == self.branch.iter().rev().copied().find(is_stored);
        let at = self.nodes.len();
        let parent = if goes_on { self.branch.last().copied() } else { parent };
        let position = goes_on.then_some(self.branch.len());
        self.index.insert(entry.id.clone(), at);
        self.nodes.push(Node { parent, entry, body: NodeBody::Stored(span), position });
        if goes_on {
            self.branch.push(at);
        } else {
            self.follow(Some(at));
        }
        !goes_on
    }

    /// Makes another entry the leaf; `None` stands for before the first one. False if there is no such entry.
    pub fn move_to(&mut self, leaf: Option<&str>) -> bool {
        let leaf = leaf.map(|id| self.index.get(id).copied());
        if leaf == Some(None) {
            return false;
        }
        self.follow(leaf.flatten());
        true
    }

    /// The entries after `cursor`, as [`session-reader.changes-since`](crate::Host::changes_since) answers.
    pub fn changes_since(&self, cursor: Option<&str>) -> Changes {
        match cursor.and_then(|id| self.node(id)?.position) {
            Some(position) => Changes::Appended(self.page(position + 1)),
            None => Changes::Replaced(self.page(0)),
        }
    }

    /// The bodies of entries, as [`session-reader.read-bodies`](crate::Host::read_bodies) answers.
    pub fn read_bodies(&self, ids: &[EntryId]) -> Vec<Option<Body>> {
        let mut bodies = Vec::new();
        let mut size = 0;
        for id in ids {
            let body = self.node(id).filter(|node| node.position.is_some()).and_then(|node| self.body(node));
            size += body.as_ref().map_or(0, body_bytes);
            bodies.push(body);
            if size >= PAGE_BYTES {
                break;
            }
        }
        bodies
    }

    fn node(&self, id: &str) -> Option<&Node> {
        self.index.get(id).map(|&at| &self.nodes[at])
    }

    fn page(&self, start: usize) -> Page {
        let mut entries = Vec::new();
        let mut json = 0;
        for &at in &self.branch[start..] {
            let entry = &self.nodes[at].entry;
            if entries.len() == PAGE_ENTRIES || json > PAGE_BYTES {
                return Page { entries, more: true };
            }
            json += json_bytes(entry);
            entries.push(entry.clone());
        }
        Page { entries, more: false }
    }

    /// Walks from the leaf to its root. A parent that is missing ends the branch, and so does one that comes round again.
    fn follow(&mut self, leaf: Option<usize>) {
        for at in self.branch.drain(..) {
            self.nodes[at].position = None;
        }
        let mut next = leaf;
        while let Some(at) = next.filter(|&at| self.nodes[at].position.is_none()) {
            // A mark for now: the position is known once the root has been reached.
            self.nodes[at].position = Some(0);
            self.branch.push(at);
            next = self.nodes[at].parent;
        }
        self.branch.reverse();
        for (position, &at) in self.branch.iter().enumerate() {
            self.nodes[at].position = Some(position);
        }
    }

    /// The body of an entry. Gone when the file has been cut or written anew since it was opened.
    fn body(&self, node: &Node) -> Option<Body> {
        match &node.body {
            NodeBody::Held(body) => body.clone(),
            NodeBody::Stored(span) => {
                let source = self.source.as_ref()?;
                let line = source.line(*span).ok()?;
                entry::body(&Object::parse(&well_formed(&line))?, source.version)
            }
        }
    }

    /// An id in Pi's form. Counted, not random: the same calls give the same session.
    #[expect(clippy::expect_used, reason = "there are more numbers than a memory holds entries")]
    fn unused_id(&self) -> EntryId {
        let ids = (self.nodes.len()..).map(|number| format!("{number:08x}"));
        ids.into_iter().find(|id| !self.index.contains_key(id)).expect("an id")
    }
}

impl Source {
    fn line(&self, span: Span) -> io::Result<Vec<u8>> {
        let mut line = vec![0; span.length];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(span.offset))?;
        file.read_exact(&mut line)?;
        Ok(line)
    }
}

/// How the paths of a session are written: its file may come from another machine than this one.
pub(super) fn path_style(cwd: &str) -> PathStyle {
    let has_drive = matches!(cwd.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    if has_drive || cwd.starts_with("\\\\") { PathStyle::Windows } else { PathStyle::Posix }
}

fn json_bytes(entry: &Entry) -> usize {
    match &entry.kind {
        EntryKind::Custom(custom) => custom.data.as_ref().map_or(0, String::len),
        EntryKind::Compaction(details) => details.as_ref().map_or(0, String::len),
        _ => 0,
    }
}

fn body_bytes(body: &Body) -> usize {
    let texts = body.text_parts.iter().map(String::len);
    texts.chain(body.tool_calls.iter().map(|call| call.arguments.len())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wit::session_reader::{Content, CustomEntry, Message};

    fn session() -> Session {
        Session::empty("s", "/work", None)
    }

    fn say(session: &mut Session, text: &str) -> EntryId {
        let content = Content { has_text: !text.is_empty(), tool_calls: Vec::new() };
        let body = Body { text_parts: vec![text.into()], tool_calls: Vec::new() };
        session.append(0, EntryKind::Message(Message::User(content)), Some(body))
    }

    fn store(session: &mut Session, bytes: usize) -> EntryId {
        let custom = CustomEntry { custom_type: "pi-context/note".into(), data: Some("1".repeat(bytes)) };
        session.append(0, EntryKind::Custom(custom), None)
    }

    /// All entries after a cursor, page by page, with the length of each page.
    fn pages(session: &Session, cursor: Option<&str>) -> (Vec<EntryId>, Vec<usize>) {
        let (mut ids, mut lengths) = (Vec::new(), Vec::new());
        let mut changes = session.changes_since(cursor);
        loop {
            let (Changes::Appended(page) | Changes::Replaced(page)) = changes;
            lengths.push(page.entries.len());
            ids.extend(page.entries.into_iter().map(|entry| entry.id));
            if !page.more {
                return (ids, lengths);
            }
            changes = session.changes_since(ids.last().map(String::as_str));
            assert!(matches!(changes, Changes::Appended(_)), "the cursor is on the branch");
        }
    }

    fn branch(session: &Session) -> Vec<EntryId> {
        session.branch().map(|entry| entry.id.clone()).collect()
    }

    #[test]
    fn an_empty_branch_is_one_empty_page() {
        assert_eq!(session().changes_since(None), Changes::Replaced(Page { entries: Vec::new(), more: false }));
    }

    #[test]
    fn a_page_holds_a_thousand_entries() {
        let mut session = session();
        let ids: Vec<_> = (0..2500).map(|_| say(&mut session, "x")).collect();
        assert_eq!(pages(&session, None), (ids.clone(), vec![1000, 1000, 500]));
        assert_eq!(pages(&session, Some(&ids[1499])), (ids[1500..].to_vec(), vec![1000]));
    }

    #[test]
    fn a_page_ends_with_the_entry_that_exceeds_a_mebibyte_of_json() {
        let mut session = session();
        for bytes in [PAGE_BYTES / 2, PAGE_BYTES / 2, 1, 1, 2 * PAGE_BYTES, 1] {
            store(&mut session, bytes);
        }
        assert_eq!(pages(&session, None).1, [3, 2, 1]);
    }

    #[test]
    fn a_cursor_beside_the_branch_replaces_it() {
        let mut session = session();
        let (first, second) = (say(&mut session, "a"), say(&mut session, "b"));
        assert!(session.move_to(Some(&first)));
        assert!(matches!(session.changes_since(Some(&second)), Changes::Replaced(_)));
        assert!(matches!(session.changes_since(Some("nobody")), Changes::Replaced(_)));
        assert!(matches!(session.changes_since(Some(&first)), Changes::Appended(page) if page.entries.is_empty()));
    }

    #[test]
    fn moving_to_a_sibling_and_back_changes_nothing() {
        let mut session = session();
        let root = say(&mut session, "root");
        let (left, leaf) = (say(&mut session, "left"), say(&mut session, "leaf"));
        let before = branch(&session);
        assert!(session.move_to(Some(&root)));
        let right = say(&mut session, "right");
        assert_eq!(branch(&session), [root.clone(), right]);
        assert!(session.move_to(Some(&leaf)));
        assert_eq!(branch(&session), before);
        assert_eq!(before, [root, left, leaf]);
        assert!(session.move_to(None) && branch(&session).is_empty());
        assert!(!session.move_to(Some("nobody")));
    }

    #[test]
    fn bodies_are_those_of_the_active_branch() {
        let mut session = session();
        let first = say(&mut session, "a");
        let second = say(&mut session, "b");
        let state = store(&mut session, 1);
        session.move_to(Some(&first));
        let third = say(&mut session, "c");
        let bodies = session.read_bodies(&[third, second, state, first, "nobody".into()]);
        let texts: Vec<_> = bodies.iter().map(|body| body.as_ref().map(|body| &*body.text_parts[0])).collect();
        assert_eq!(texts, [Some("c"), None, None, Some("a"), None]);
    }

    #[test]
    fn bodies_stop_at_a_mebibyte_but_not_before_the_first() {
        let mut session = session();
        let large = say(&mut session, &"x".repeat(2 * PAGE_BYTES));
        let half = say(&mut session, &"x".repeat(PAGE_BYTES / 2));
        let answered =
            |ids: &[&EntryId]| session.read_bodies(&ids.iter().map(|&id| id.clone()).collect::<Vec<_>>()).len();
        assert_eq!(answered(&[&large, &half]), 1);
        assert_eq!(answered(&[&half, &half, &half]), 2);
        assert_eq!(answered(&[]), 0);
    }

    #[test]
    fn paths_show_what_machine_they_are_from() {
        assert_eq!(path_style("/home/me"), PathStyle::Posix);
        assert_eq!(path_style("C:\\src"), PathStyle::Windows);
        assert_eq!(path_style("d:/src"), PathStyle::Windows);
        assert_eq!(path_style("\\\\server\\share"), PathStyle::Windows);
    }
}
