//! Windows: the stretches of the branch between two resets, and what the protocol has already said in each.
//!
//! | entry | effect |
//! | --- | --- |
//! | compaction with the details of a reset | starts the window that the details name |
//! | reset marker that names a window (later TypeScript releases) | starts that window |
//! | any other compaction | starts a window named by the entry's id |
//! | boot, guidance or warning message | has been said in the window |
//! | assistant message | the window has been answered in |
//! | successful result of `new_context` | a reset is wanted, until a window starts or the person goes on |
//!
//! Entry ids and window ids are different things: a name that an earlier window of the branch already has is not given
//! again, so that each can be looked up.

use serde::Deserialize;

use super::history::LONGEST_ID;
use super::names::{Names, position_of};
use super::tags;
use crate::host::{Entry, EntryId, EntryKind, Message};

/// How much of the session's id stands in the names of its windows.
const SESSION_PREFIX: usize = 8;

/// A stretch of the branch that the model saw as one context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// How tools name it.
    pub id: String,
    /// The entry that started it; absent for the root window.
    pub boundary: Option<EntryId>,
    /// Whether the boot block of a root window is on the branch.
    pub has_boot: bool,
    /// Whether the model has been reminded.
    pub has_guidance: bool,
    /// Whether the model has been warned.
    pub has_warning: bool,
    /// Whether the model has answered in it.
    pub has_answer: bool,
    /// Whether the model asked for a reset after which neither a window nor a message of the person came.
    pub awaits_reset: bool,
}

/// The windows of a branch, oldest first. There is always at least the root window.
#[derive(Clone, Debug)]
pub struct Windows {
    windows: Vec<Window>,
    by_id: Names,
    prefix: String,
    user_messages: usize,
}

impl Windows {
    /// The windows of an empty branch.
    pub(super) fn new(session_id: &str, seed: u64) -> Self {
        let prefix: String = session_id.chars().take(SESSION_PREFIX).collect();
        let root = Window { id: format!("pcw:{prefix}:root"), ..Window::default() };
        let mut windows = Self { windows: Vec::new(), by_id: Names::new(seed), prefix, user_messages: 0 };
        windows.push(root);
        windows
    }

    /// All windows, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Window> + ExactSizeIterator {
        self.windows.iter()
    }

    /// The window that the model sees now.
    pub fn active(&self) -> &Window {
        self.windows.last().expect("the root window is made with the projection and never removed")
    }

    /// Whether the active window is the root window.
    pub fn is_at_root(&self) -> bool {
        self.windows.len() == 1
    }

    /// The window at a position, counted from the oldest. There must be one.
    pub fn get(&self, position: usize) -> &Window {
        &self.windows[position]
    }

    /// Where the window of that name stands, counted from the oldest.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.by_id.find(id, |position| &self.windows[position as usize].id).map(|position| position as usize)
    }

    /// How many messages of the person are on the branch.
    pub fn user_messages(&self) -> usize {
        self.user_messages
    }

    /// A name that no window of the branch has. `random` gives 32 random bits at each call.
    pub fn mint(&self, mut random: impl FnMut() -> u32) -> String {
        loop {
            let id = format!("pcw:{}:{:08x}", self.prefix, random());
            if self.position(&id).is_none() {
                return id;
            }
        }
    }

    /// Takes the next entry of the branch.
    pub(super) fn append(&mut self, entry: &Entry) {
        match &entry.kind {
            EntryKind::Compaction(details) => self.start(details.as_deref().and_then(reset_window), &entry.id),
            EntryKind::Custom { custom_type, data: Some(data) } if custom_type == tags::RESET_MARKER => {
                if let Some(named) = marker_window(data) {
                    self.start(Some(named), &entry.id);
                }
            }
            EntryKind::CustomMessage { custom_type, .. } => self.note_message(custom_type),
            EntryKind::Message(Message::User(_)) => {
                self.user_messages += 1;
                self.last().awaits_reset = false;
            }
            EntryKind::Message(Message::Assistant(_)) => self.last().has_answer = true,
            EntryKind::Message(Message::ToolResult { tool_name, is_error: false, .. })
                if tool_name == tags::NEW_CONTEXT =>
            {
                self.last().awaits_reset = true;
            }
            _ => {}
        }
    }

    fn push(&mut self, window: Window) {
        self.windows.push(window);
        self.by_id.insert(position_of(self.windows.len() - 1), |position| &self.windows[position as usize].id);
    }

    fn last(&mut self) -> &mut Window {
        self.windows.last_mut().expect("as in `active`")
    }

    fn note_message(&mut self, custom_type: &str) {
        let window = self.last();
        match custom_type {
            tags::BOOT => window.has_boot = true,
            tags::GUIDANCE => window.has_guidance = true,
            tags::WARNING => window.has_warning = true,
            _ => {}
        }
    }

    /// Starts the window `named`, or one named by the entry where that name is taken or absent. A boundary that names
    /// the active window confirms it: a marker and its compaction are one reset.
    fn start(&mut self, named: Option<String>, entry_id: &str) {
        let id = match named {
            Some(id) if id == self.active().id => {
                self.last().boundary = Some(entry_id.to_owned());
                return;
            }
            Some(id) if self.position(&id).is_none() && id.len() <= LONGEST_ID => id,
            Some(_) | None => entry_id[..entry_id.floor_char_boundary(LONGEST_ID)].to_owned(),
        };
        self.push(Window { id, boundary: Some(entry_id.to_owned()), ..Window::default() });
    }
}

/// The window that a compaction starts, if it is a reset.
fn reset_window(details: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Details {
        pi_context: String,
        window_id: String,
    }
    let details: Details = super::object(details)?;
    (details.pi_context == tags::RESET_DETAILS && !details.window_id.is_empty()).then_some(details.window_id)
}

/// The window that a reset marker starts, if it names one.
fn marker_window(data: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Marker {
        window_id: String,
    }
    let marker: Marker = super::object(data)?;
    (!marker.window_id.is_empty()).then_some(marker.window_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Content;

    fn user() -> EntryKind {
        EntryKind::Message(Message::User(Content { has_text: true, tool_calls: vec![] }))
    }

    fn result(tool_name: &str, is_error: bool) -> EntryKind {
        EntryKind::Message(Message::ToolResult { tool_name: tool_name.into(), is_error })
    }

    fn message(custom_type: &str) -> EntryKind {
        EntryKind::CustomMessage { custom_type: custom_type.into(), has_text: true }
    }

    fn compaction(details: &str) -> EntryKind {
        EntryKind::Compaction(Some(details.into()))
    }

    fn marker(data: &str) -> EntryKind {
        EntryKind::Custom { custom_type: tags::RESET_MARKER.into(), data: Some(data.into()) }
    }

    /// The windows of a branch whose entries are named `e0`, `e1` and so on.
    fn windows(kinds: Vec<EntryKind>) -> Windows {
        let mut windows = Windows::new("0123456789", 7);
        for (index, kind) in kinds.into_iter().enumerate() {
            windows.append(&Entry { id: format!("e{index}"), kind });
        }
        windows
    }

    /// Names and boundaries.
    fn named(windows: &Windows) -> Vec<(&str, Option<&str>)> {
        windows.iter().map(|window| (window.id.as_str(), window.boundary.as_deref())).collect()
    }

    const ROOT: &str = "pcw:01234567:root";
    const MINTED: &str = "pcw:01234567:0a0b0c0d";
    const RESET: &str = r#"{"piContext":"reset-v2","windowId":"pcw:01234567:0a0b0c0d"}"#;

    #[test]
    fn an_empty_branch_has_a_root_window() {
        assert_eq!(named(&windows(vec![])), [(ROOT, None)]);
    }

    #[test]
    fn a_short_session_id_is_taken_whole() {
        assert_eq!(Windows::new("ab", 7).active().id, "pcw:ab:root");
    }

    #[test]
    fn a_reset_starts_the_window_it_names() {
        let windows = windows(vec![user(), compaction(RESET), user()]);
        assert_eq!(named(&windows), [(ROOT, None), (MINTED, Some("e1"))]);
    }

    #[test]
    fn any_other_compaction_starts_a_window_named_by_its_entry() {
        for details in [
            "",
            "not json",
            "null",
            "[]",
            r#"["reset-v2","w"]"#,
            r#"{"readFiles":[]}"#,
            r#"{"piContext":"reset-v1","windowId":"w"}"#,
            r#"{"piContext":"reset-v2","windowId":""}"#,
            r#"{"piContext":"reset-v2","windowId":7}"#,
        ] {
            assert_eq!(named(&windows(vec![compaction(details)])), [(ROOT, None), ("e0", Some("e0"))], "{details}");
        }
        assert_eq!(named(&windows(vec![EntryKind::Compaction(None)])), [(ROOT, None), ("e0", Some("e0"))]);
    }

    #[test]
    fn a_marker_that_names_a_window_and_its_compaction_are_one_boundary() {
        let marker = marker(r#"{"version":1,"windowId":"pcw:01234567:0a0b0c0d"}"#);
        assert_eq!(named(&windows(vec![marker.clone(), user()])), [(ROOT, None), (MINTED, Some("e0"))]);
        let whole = windows(vec![marker, user(), compaction(RESET)]);
        assert_eq!(named(&whole), [(ROOT, None), (MINTED, Some("e2"))]);
    }

    #[test]
    fn a_marker_without_a_name_is_no_boundary() {
        for data in [r#"{"version":1,"reason":"manual"}"#, r#"{"windowId":""}"#, r#"["w"]"#, "null", "no json"] {
            assert_eq!(named(&windows(vec![marker(data)])), [(ROOT, None)], "{data}");
        }
    }

    #[test]
    fn a_name_is_given_once() {
        let windows = windows(vec![compaction(RESET), compaction("{}"), compaction(RESET)]);
        let expected = [(ROOT, None), (MINTED, Some("e0")), ("e1", Some("e1")), ("e2", Some("e2"))];
        assert_eq!(named(&windows), expected);
    }

    #[test]
    fn no_name_is_longer_than_a_result_can_hold() {
        let long = "é".repeat(300);
        let mut windows = windows(vec![marker(&format!(r#"{{"windowId":"{long}"}}"#))]);
        assert_eq!(windows.active().id, "e0");
        windows.append(&Entry { id: long, kind: compaction("{}") });
        assert_eq!(windows.active().id, "é".repeat(128));
    }

    #[test]
    fn a_minted_name_is_new_on_the_branch() {
        let windows = windows(vec![compaction(RESET)]);
        let mut bits = [0x0a0b_0c0d, 0x0a0b_0c0d, 0xff].into_iter();
        assert_eq!(windows.mint(|| bits.next().unwrap()), "pcw:01234567:000000ff");
    }

    #[test]
    fn what_was_said_belongs_to_its_window() {
        let windows =
            windows(vec![message(tags::BOOT), message(tags::GUIDANCE), compaction(RESET), message(tags::WARNING)]);
        let said: Vec<_> =
            windows.iter().map(|window| (window.has_boot, window.has_guidance, window.has_warning)).collect();
        assert_eq!(said, [(true, true, false), (false, false, true)]);
    }

    #[test]
    fn a_request_is_open_until_a_window_starts_or_the_person_goes_on() {
        let request = || result(tags::NEW_CONTEXT, false);
        assert!(windows(vec![user(), request(), result("read", false)]).active().awaits_reset);
        assert!(!windows(vec![user(), request(), user()]).active().awaits_reset);
        assert!(!windows(vec![user(), request(), compaction(RESET)]).active().awaits_reset);
        assert!(!windows(vec![user(), result(tags::NEW_CONTEXT, true)]).active().awaits_reset);
    }
}
