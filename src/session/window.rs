//! Windows: the stretches of the branch between two resets, and how many items each holds.
//!
//! | entry | effect |
//! | --- | --- |
//! | compaction with the details of a reset | starts the window that the details name |
//! | reset marker that names a window (later TypeScript releases) | starts that window |
//! | any other compaction | starts a window named by the entry's id |
//! | user message, other custom message | one item, if it has text |
//! | assistant message | one item if it has text, and one for each tool call |
//! | tool result, compaction, branch summary | one item |
//! | command of the person | one item, unless hidden from the model |
//! | context edit | its target has the replacement's items, or none |
//!
//! The summary of a compaction is the first item of the window that it starts. Entry ids and window ids are different
//! things: a name that an earlier window of the branch already has is not given again, so that each can be looked up.

use foldhash::SharedSeed;
use foldhash::fast::SeedableRandomState;
use hashbrown::HashMap;
use serde::Deserialize;

use crate::host::{Content, Entry, EntryId, EntryKind, Message};

/// What `details.piContext` of a compaction says when it is a reset.
const RESET_TAG: &str = "reset-v2";
/// The type of the custom entry that precedes a reset.
const RESET_MARKER: &str = "pi-context/reset-marker";
/// How much of the session's id stands in the names of its windows.
const SESSION_PREFIX: usize = 8;

/// A stretch of the branch that the model saw as one context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// How tools name it.
    pub id: String,
    /// How many items a history tool can show of it.
    pub item_count: usize,
}

/// The windows of a branch, oldest first. There is always at least the root window.
#[derive(Debug)]
pub struct Windows {
    windows: Vec<Window>,
    editable: HashMap<EntryId, Editable, SeedableRandomState>,
}

/// An entry whose content a context edit may change, and what it counts for now.
#[derive(Clone, Copy, Debug)]
struct Editable {
    window: usize,
    items: usize,
    shape: Shape,
}

/// How a content turns into items.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// One item if there is text.
    Text,
    /// One item if there is text, and one for each tool call.
    TextAndCalls,
    /// One item, whatever it holds.
    Whole,
}

impl Shape {
    fn items(self, content: &Content) -> usize {
        match self {
            Self::Text => usize::from(content.has_text),
            Self::TextAndCalls => usize::from(content.has_text) + content.tool_calls.len(),
            Self::Whole => 1,
        }
    }
}

impl Windows {
    /// The windows of an empty branch.
    pub(super) fn new(session_id: &str, seed: u64) -> Self {
        let prefix: String = session_id.chars().take(SESSION_PREFIX).collect();
        let root = Window { id: format!("pcw:{prefix}:root"), item_count: 0 };
        let hasher = SeedableRandomState::with_seed(seed, SharedSeed::global_fixed());
        Self { windows: vec![root], editable: HashMap::with_hasher(hasher) }
    }

    /// All windows, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Window> {
        self.windows.iter()
    }

    /// The window that the model sees now.
    pub fn active(&self) -> &Window {
        self.windows.last().expect("the root window is made with the projection and never removed")
    }

    /// Takes the next entry of the branch.
    pub(super) fn append(&mut self, entry: &Entry) {
        match &entry.kind {
            EntryKind::Message(Message::User(content)) => self.add_content(&entry.id, Shape::Text, content),
            EntryKind::Message(Message::Assistant(content)) => {
                self.add_content(&entry.id, Shape::TextAndCalls, content);
            }
            EntryKind::Message(Message::ToolResult { .. }) => {
                self.add_content(&entry.id, Shape::Whole, &Content::default());
            }
            EntryKind::CustomMessage { has_text, .. } => {
                let content = Content { has_text: *has_text, tool_calls: Vec::new() };
                self.add_content(&entry.id, Shape::Text, &content);
            }
            EntryKind::Message(Message::BashExecution { hidden_from_model }) => {
                self.add_items(usize::from(!hidden_from_model));
            }
            EntryKind::Compaction(details) => {
                let named = details.as_deref().and_then(reset_window);
                self.start(named, &entry.id);
                self.add_items(1);
            }
            EntryKind::BranchSummary => self.add_items(1),
            EntryKind::Custom { custom_type, data: Some(data) } if custom_type == RESET_MARKER => {
                if let Some(named) = marker_window(data) {
                    self.start(Some(named), &entry.id);
                }
            }
            EntryKind::ContextEdit { target, replacement } => self.edit(target, replacement.as_ref()),
            EntryKind::Message(Message::Other) | EntryKind::Custom { .. } | EntryKind::Other => {}
        }
    }

    /// Starts the window `named`, or one named by the entry where that name is taken or absent. A boundary that names
    /// the active window confirms it: a marker and its compaction are one reset.
    fn start(&mut self, named: Option<String>, entry_id: &str) {
        let id = match named {
            Some(id) if id == self.active().id => return,
            Some(id) if self.windows.iter().all(|window| window.id != id) => id,
            Some(_) | None => entry_id.to_owned(),
        };
        self.windows.push(Window { id, item_count: 0 });
    }

    fn add_items(&mut self, items: usize) {
        self.windows.last_mut().expect("as in `active`").item_count += items;
    }

    fn add_content(&mut self, id: &str, shape: Shape, content: &Content) {
        let items = shape.items(content);
        self.add_items(items);
        let window = self.windows.len() - 1;
        self.editable.insert(id.to_owned(), Editable { window, items, shape });
    }

    fn edit(&mut self, target: &str, replacement: Option<&Content>) {
        let Some(editable) = self.editable.get_mut(target) else { return };
        let items = replacement.map_or(0, |content| editable.shape.items(content));
        let window = &mut self.windows[editable.window];
        window.item_count = window.item_count - editable.items + items;
        editable.items = items;
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
    let details: Details = serde_json::from_str(details).ok()?;
    (details.pi_context == RESET_TAG && !details.window_id.is_empty()).then_some(details.window_id)
}

/// The window that a reset marker starts, if it names one.
fn marker_window(data: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Marker {
        window_id: String,
    }
    let marker: Marker = serde_json::from_str(data).ok()?;
    (!marker.window_id.is_empty()).then_some(marker.window_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Content {
        Content { has_text: true, tool_calls: Vec::new() }
    }

    fn calls(names: &[&str]) -> Content {
        Content { has_text: false, tool_calls: names.iter().map(|&name| name.to_owned()).collect() }
    }

    fn user(content: Content) -> EntryKind {
        EntryKind::Message(Message::User(content))
    }

    fn assistant(content: Content) -> EntryKind {
        EntryKind::Message(Message::Assistant(content))
    }

    fn tool_result() -> EntryKind {
        EntryKind::Message(Message::ToolResult { tool_name: "read".into(), is_error: false })
    }

    fn compaction(details: &str) -> EntryKind {
        EntryKind::Compaction(Some(details.into()))
    }

    fn marker(data: &str) -> EntryKind {
        EntryKind::Custom { custom_type: RESET_MARKER.into(), data: Some(data.into()) }
    }

    fn edit(target: &str, replacement: Option<Content>) -> EntryKind {
        EntryKind::ContextEdit { target: target.into(), replacement }
    }

    /// The windows of a branch whose entries are named `e0`, `e1` and so on.
    fn windows(kinds: Vec<EntryKind>) -> Vec<(String, usize)> {
        let mut windows = Windows::new("0123456789", 7);
        for (index, kind) in kinds.into_iter().enumerate() {
            windows.append(&Entry { id: format!("e{index}"), kind });
        }
        windows.iter().map(|window| (window.id.clone(), window.item_count)).collect()
    }

    fn named(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
        expected.iter().map(|&(id, items)| (id.to_owned(), items)).collect()
    }

    const RESET: &str = r#"{"piContext":"reset-v2","windowId":"pcw:01234567:0a0b0c0d"}"#;

    #[test]
    fn an_empty_branch_has_an_empty_root_window() {
        assert_eq!(windows(vec![]), named(&[("pcw:01234567:root", 0)]));
    }

    #[test]
    fn a_short_session_id_is_taken_whole() {
        assert_eq!(Windows::new("ab", 0).active().id, "pcw:ab:root");
    }

    #[test]
    fn text_calls_results_and_commands_are_items() {
        let kinds = vec![
            user(text()),
            assistant(Content { has_text: true, tool_calls: vec!["read".into(), "bash".into()] }),
            tool_result(),
            tool_result(),
            assistant(calls(&["edit"])),
            EntryKind::Message(Message::BashExecution { hidden_from_model: false }),
            EntryKind::CustomMessage { custom_type: "x".into(), has_text: true },
            EntryKind::BranchSummary,
        ];
        assert_eq!(windows(kinds), named(&[("pcw:01234567:root", 10)]));
    }

    #[test]
    fn what_has_nothing_to_show_is_no_item() {
        let kinds = vec![
            user(Content::default()),
            assistant(Content::default()),
            EntryKind::Message(Message::BashExecution { hidden_from_model: true }),
            EntryKind::Message(Message::Other),
            EntryKind::CustomMessage { custom_type: "x".into(), has_text: false },
            EntryKind::Custom { custom_type: "x".into(), data: None },
            EntryKind::Other,
        ];
        assert_eq!(windows(kinds), named(&[("pcw:01234567:root", 0)]));
    }

    #[test]
    fn a_reset_starts_the_window_it_names_with_its_summary() {
        let kinds = vec![user(text()), compaction(RESET), user(text())];
        assert_eq!(windows(kinds), named(&[("pcw:01234567:root", 1), ("pcw:01234567:0a0b0c0d", 2)]));
    }

    #[test]
    fn any_other_compaction_starts_a_window_named_by_its_entry() {
        for details in [
            "",
            "not json",
            "null",
            "[]",
            r#"{"readFiles":[]}"#,
            r#"{"piContext":"reset-v1","windowId":"w"}"#,
            r#"{"piContext":"reset-v2","windowId":""}"#,
            r#"{"piContext":"reset-v2","windowId":7}"#,
        ] {
            assert_eq!(windows(vec![compaction(details)]), named(&[("pcw:01234567:root", 0), ("e0", 1)]), "{details}");
        }
        assert_eq!(windows(vec![EntryKind::Compaction(None)]), named(&[("pcw:01234567:root", 0), ("e0", 1)]));
    }

    #[test]
    fn a_marker_that_names_a_window_and_its_compaction_are_one_boundary() {
        let kinds =
            vec![marker(r#"{"version":1,"windowId":"pcw:01234567:0a0b0c0d"}"#), user(text()), compaction(RESET)];
        assert_eq!(windows(kinds), named(&[("pcw:01234567:root", 0), ("pcw:01234567:0a0b0c0d", 2)]));
    }

    #[test]
    fn a_marker_without_a_name_is_no_boundary() {
        for data in [r#"{"version":1,"reason":"manual"}"#, r#"{"windowId":""}"#, "null", "no json"] {
            assert_eq!(windows(vec![marker(data)]), named(&[("pcw:01234567:root", 0)]), "{data}");
        }
    }

    #[test]
    fn a_name_is_given_once() {
        let kinds = vec![compaction(RESET), compaction("{}"), compaction(RESET)];
        let expected = [("pcw:01234567:root", 0), ("pcw:01234567:0a0b0c0d", 1), ("e1", 1), ("e2", 1)];
        assert_eq!(windows(kinds), named(&expected));
    }

    #[test]
    fn the_latest_edit_counts_in_the_window_of_its_target() {
        let kinds = vec![
            user(text()),
            assistant(calls(&["read", "bash"])),
            compaction(RESET),
            edit("e0", None),
            edit("e1", Some(text())),
            edit("e0", Some(text())),
            edit("e1", None),
        ];
        assert_eq!(windows(kinds), named(&[("pcw:01234567:root", 1), ("pcw:01234567:0a0b0c0d", 1)]));
    }

    #[test]
    fn an_edit_of_anything_else_changes_nothing() {
        let kinds = vec![compaction(RESET), edit("e0", None), edit("unknown", None)];
        assert_eq!(windows(kinds), named(&[("pcw:01234567:root", 0), ("pcw:01234567:0a0b0c0d", 1)]));
    }
}
