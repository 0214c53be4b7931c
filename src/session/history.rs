//! History items: what of the branch a history tool can show.
//!
//! | entry | items |
//! | --- | --- |
//! | user message, custom message | one, if it has text |
//! | assistant message | one if it has text, and one for each tool call |
//! | tool result, compaction, branch summary | one |
//! | command of the person | one, unless hidden from the model |
//! | context edit | its target has the replacement's items, or none |
//! | anything else | none |
//!
//! Made from headers alone: which items there are, what they are called and who said them is known without any text.
//! The summary of a compaction is the first item of the window that it starts. Items keep the order of the branch, so
//! an item's position changes only by a context edit of an earlier entry.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::names::{Names, position_of};
use super::tags;
use crate::host::{Content, Entry, EntryKind, Message};

/// Who an item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, or another extension on behalf of the person.
    User,
    /// The model: visible text.
    Assistant,
    /// The model: the arguments of a tool call.
    ToolCall,
    /// A tool, or a command of the person.
    Tool,
    /// A summary.
    System,
    /// This extension.
    Developer,
}

/// What a history tool can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The entry that it is named after.
    entry: EntryIndex,
    /// The entry whose body it is taken from: the same one, or the latest edit of it.
    pub(super) source: EntryIndex,
    /// What of that body.
    pub(super) part: Part,
}

/// What of a body an item shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of its text.
    Text,
    /// The arguments of the tool call at this index.
    Call(u32),
}

/// The tool that a command of the person counts as.
const BASH: &str = "bash";

/// An entry whose id has more bytes holds no items. Those of Pi have eight; a model could not repeat such a name, and a
/// result not hold it.
pub(super) const LONGEST_ID: usize = 256;

/// Where an entry stands among those that matter here.
pub(super) type EntryIndex = u32;

/// An entry that holds items, or could hold some after an edit.
#[derive(Clone, Debug)]
struct Holder {
    id: Box<str>,
    window: u32,
    role: Role,
    tools: Tools,
    failed: bool,
    /// Whether Pi lets an edit change what it contributes: messages, but neither summaries nor commands of the person.
    editable: bool,
}

/// The names of the tools of an entry.
#[derive(Clone, Debug)]
enum Tools {
    /// It has none, and no edit gives it any.
    None,
    /// The tool that answered.
    Answered(u32),
    /// The tools that were called.
    Called(Box<[u32]>),
}

/// The items of a branch, oldest first.
#[derive(Clone, Debug)]
pub struct History {
    holders: Vec<Holder>,
    items: Vec<Item>,
    by_id: Names,
    /// The entries whose output is not whole, and where the whole output is.
    truncated: BTreeMap<EntryIndex, Option<Box<str>>>,
    tools: Vec<Box<str>>,
    by_tool: Names,
}

impl History {
    /// The history of an empty branch.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            holders: Vec::new(),
            items: Vec::new(),
            by_id: Names::new(seed),
            truncated: BTreeMap::new(),
            tools: Vec::new(),
            by_tool: Names::new(seed),
        }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at a position below [`History::len`].
    pub fn item(&self, position: usize) -> Item {
        self.items[position]
    }

    /// The positions of a window's items. Windows are counted from the oldest.
    pub fn of_window(&self, window: usize) -> Range<usize> {
        let start = self.items.partition_point(|item| self.window(*item) < window);
        let end = self.items.partition_point(|item| self.window(*item) <= window);
        start..end
    }

    /// The window that an item is in, counted from the oldest.
    pub fn window(&self, item: Item) -> usize {
        self.holder(item).window as usize
    }

    /// Who an item comes from.
    pub fn role(&self, item: Item) -> Role {
        match item.part {
            Part::Text => self.holder(item).role,
            Part::Call(_) => Role::ToolCall,
        }
    }

    /// The tool that an item belongs to.
    pub fn tool_name(&self, item: Item) -> Option<&str> {
        let name = match (&self.holder(item).tools, item.part) {
            (Tools::Answered(name), Part::Text) => *name,
            (Tools::Called(names), Part::Call(index)) => *names.get(index as usize)?,
            _ => return None,
        };
        Some(&self.tools[name as usize])
    }

    /// Whether an item is the result of a tool that failed.
    pub fn failed(&self, item: Item) -> bool {
        self.holder(item).failed
    }

    /// Whether the agent kept only a part of an item's output.
    pub fn output_truncated(&self, item: Item) -> bool {
        self.truncated.contains_key(&item.entry)
    }

    /// Where the whole output of such an item is.
    pub fn full_output_path(&self, item: Item) -> Option<&str> {
        self.truncated.get(&item.entry)?.as_deref()
    }

    /// How tools name an item.
    pub fn item_id(&self, item: Item) -> String {
        let id = &self.holder(item).id;
        match item.part {
            Part::Text => id.to_string(),
            Part::Call(index) => format!("{id}#{index}"),
        }
    }

    /// The position of the item of that name.
    pub fn find(&self, item_id: &str) -> Option<usize> {
        let called = || {
            let (id, index) = item_id.rsplit_once('#')?;
            let index = index.parse().ok().filter(|parsed: &u32| parsed.to_string() == index)?;
            Some((self.index_of(id)?, Part::Call(index)))
        };
        let text = self.index_of(item_id).map(|entry| (entry, Part::Text));
        [text, called()]
            .into_iter()
            .flatten()
            .find_map(|(entry, part)| self.of_entry(entry).find(|&position| self.items[position].part == part))
    }

    /// The id of the entry that holds a body.
    pub(super) fn id_of(&self, entry: EntryIndex) -> &str {
        &self.holders[entry as usize].id
    }

    /// How many entries there are to hold bodies.
    pub(super) fn entries(&self) -> usize {
        self.holders.len()
    }

    /// Takes the next entry of the branch, which is in `window`.
    pub(super) fn append(&mut self, entry: &Entry, window: usize) {
        if entry.id.len() > LONGEST_ID {
            return;
        }
        let holder = |role, tools, editable| Holder {
            id: entry.id.as_str().into(),
            window: position_of(window),
            role,
            tools,
            failed: false,
            editable,
        };
        match &entry.kind {
            EntryKind::Message(Message::User(content)) => {
                self.hold(holder(Role::User, Tools::None, true), content.has_text);
            }
            EntryKind::Message(Message::Assistant(content)) => {
                let called = self.called(content);
                self.hold(holder(Role::Assistant, called, true), content.has_text);
            }
            EntryKind::Message(Message::ToolResult { tool_name, is_error }) => {
                let answered = Tools::Answered(self.name(tool_name));
                self.hold(Holder { failed: *is_error, ..holder(Role::Tool, answered, true) }, true);
            }
            EntryKind::Message(Message::BashExecution { hidden_from_model: false, truncated, full_output_path }) => {
                let answered = Tools::Answered(self.name(BASH));
                let index = self.hold(holder(Role::Tool, answered, false), true);
                if *truncated {
                    self.truncated.insert(index, full_output_path.as_deref().map(Box::from));
                }
            }
            EntryKind::CustomMessage { custom_type, has_text } => {
                let ours = custom_type.starts_with(tags::FAMILY);
                let role = if ours { Role::Developer } else { Role::User };
                self.hold(holder(role, Tools::None, true), *has_text);
            }
            EntryKind::Compaction(_) | EntryKind::BranchSummary => {
                self.hold(holder(Role::System, Tools::None, false), true);
            }
            EntryKind::ContextEdit { target, replacement: None } => self.omit(target),
            EntryKind::ContextEdit { target, replacement: Some(content) } => {
                self.replace(target, content, holder(Role::System, Tools::None, false));
            }
            EntryKind::Message(Message::BashExecution { .. } | Message::Other)
            | EntryKind::Custom { .. }
            | EntryKind::Other => {}
        }
    }

    /// Adds an entry and its items.
    fn hold(&mut self, holder: Holder, has_text: bool) -> EntryIndex {
        let index = self.add(holder);
        self.items.extend(items(index, index, has_text, &self.holders[index as usize].tools));
        index
    }

    /// Adds an entry.
    fn add(&mut self, holder: Holder) -> EntryIndex {
        let index = position_of(self.holders.len());
        self.holders.push(holder);
        self.by_id.insert(index, |index| &self.holders[index as usize].id);
        index
    }

    /// Takes the items of an edit's target away.
    fn omit(&mut self, target: &str) {
        if let Some(target) = self.editable(target) {
            self.items.drain(self.of_entry(target));
        }
    }

    /// Gives an edit's target the items of the replacement, in its own place and under its own name.
    fn replace(&mut self, target: &str, content: &Content, edit: Holder) {
        let Some(target) = self.editable(target) else { return };
        let source = self.add(edit);
        if let Tools::Called(_) = self.holders[target as usize].tools {
            self.holders[target as usize].tools = self.called(content);
        }
        let tools = &self.holders[target as usize].tools;
        let has_text = content.has_text || matches!(tools, Tools::Answered(_));
        let replacement = items(target, source, has_text, tools);
        let range = self.of_entry(target);
        self.items.splice(range, replacement);
    }

    fn editable(&self, id: &str) -> Option<EntryIndex> {
        self.index_of(id).filter(|&index| self.holders[index as usize].editable)
    }

    /// The positions of the items that are named after an entry.
    fn of_entry(&self, entry: EntryIndex) -> Range<usize> {
        let start = self.items.partition_point(|item| item.entry < entry);
        let end = self.items.partition_point(|item| item.entry <= entry);
        start..end
    }

    fn index_of(&self, id: &str) -> Option<EntryIndex> {
        self.by_id.find(id, |index| &self.holders[index as usize].id)
    }

    fn holder(&self, item: Item) -> &Holder {
        &self.holders[item.entry as usize]
    }

    fn called(&mut self, content: &Content) -> Tools {
        Tools::Called(content.tool_calls.iter().map(|name| self.name(name)).collect())
    }

    /// Stores a tool's name once.
    fn name(&mut self, name: &str) -> u32 {
        if let Some(index) = self.by_tool.find(name, |index| &self.tools[index as usize]) {
            return index;
        }
        let index = position_of(self.tools.len());
        self.tools.push(name.into());
        self.by_tool.insert(index, |index| &self.tools[index as usize]);
        index
    }
}

/// The items of an entry, whose text is in the body of `source`.
fn items(entry: EntryIndex, source: EntryIndex, has_text: bool, tools: &Tools) -> impl Iterator<Item = Item> + use<> {
    let calls = if let Tools::Called(names) = tools { position_of(names.len()) } else { 0 };
    let text = has_text.then_some(Part::Text);
    text.into_iter().chain((0..calls).map(Part::Call)).map(move |part| Item { entry, source, part })
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

    fn tool_result(tool_name: &str, is_error: bool) -> EntryKind {
        EntryKind::Message(Message::ToolResult { tool_name: tool_name.into(), is_error })
    }

    fn command(hidden_from_model: bool) -> EntryKind {
        EntryKind::Message(Message::BashExecution {
            truncated: true,
            full_output_path: Some("/tmp/output".into()),
            hidden_from_model,
        })
    }

    fn custom_message(custom_type: &str, has_text: bool) -> EntryKind {
        EntryKind::CustomMessage { custom_type: custom_type.into(), has_text }
    }

    fn edit(target: &str, replacement: Option<Content>) -> EntryKind {
        EntryKind::ContextEdit { target: target.into(), replacement }
    }

    /// The history of entries named `e0`, `e1` and so on, each with its window.
    fn history(entries: Vec<(usize, EntryKind)>) -> History {
        let mut history = History::new(7);
        for (index, (window, kind)) in entries.into_iter().enumerate() {
            history.append(&Entry { id: format!("e{index}"), kind }, window);
        }
        history
    }

    fn in_one_window(kinds: Vec<EntryKind>) -> History {
        history(kinds.into_iter().map(|kind| (0, kind)).collect())
    }

    /// Name, role and tool of each item.
    fn rows(history: &History) -> Vec<(String, Role, &str)> {
        let items = (0..history.len()).map(|position| history.item(position));
        items
            .map(|item| (history.item_id(item), history.role(item), history.tool_name(item).unwrap_or_default()))
            .collect()
    }

    fn row<'a>(id: &str, role: Role, tool: &'a str) -> (String, Role, &'a str) {
        (id.to_owned(), role, tool)
    }

    #[test]
    fn every_kind_of_entry_gives_the_items_of_the_table() {
        let history = in_one_window(vec![
            user(text()),
            assistant(Content { has_text: true, tool_calls: vec!["read".into(), "bash".into()] }),
            tool_result("read", false),
            assistant(calls(&["edit"])),
            command(false),
            custom_message("pi-context/boot", true),
            custom_message("other/note", true),
            EntryKind::BranchSummary,
            EntryKind::Compaction(None),
        ]);
        let expected = [
            row("e0", Role::User, ""),
            row("e1", Role::Assistant, ""),
            row("e1#0", Role::ToolCall, "read"),
            row("e1#1", Role::ToolCall, "bash"),
            row("e2", Role::Tool, "read"),
            row("e3#0", Role::ToolCall, "edit"),
            row("e4", Role::Tool, "bash"),
            row("e5", Role::Developer, ""),
            row("e6", Role::User, ""),
            row("e7", Role::System, ""),
            row("e8", Role::System, ""),
        ];
        assert_eq!(rows(&history), expected);
    }

    #[test]
    fn what_has_nothing_to_show_is_no_item() {
        let history = in_one_window(vec![
            user(Content::default()),
            assistant(Content::default()),
            command(true),
            EntryKind::Message(Message::Other),
            custom_message("x", false),
            EntryKind::Custom { custom_type: "x".into(), data: None },
            EntryKind::Other,
        ]);
        assert!(history.is_empty(), "{:?}", rows(&history));
    }

    #[test]
    fn results_say_whether_they_failed_and_commands_whether_they_are_whole() {
        let history = in_one_window(vec![tool_result("read", true), tool_result("read", false), command(false)]);
        let [failed, fine, command] = [0, 1, 2].map(|position| history.item(position));
        assert!(history.failed(failed) && !history.failed(fine) && !history.failed(command));
        assert!(history.output_truncated(command) && !history.output_truncated(fine));
        assert_eq!(history.full_output_path(command), Some("/tmp/output"));
    }

    #[test]
    fn a_window_is_a_range_of_items() {
        let history =
            history(vec![(0, user(text())), (1, user(Content::default())), (2, user(text())), (2, user(text()))]);
        assert_eq!([0, 1, 2, 3].map(|window| history.of_window(window)), [0..1, 1..1, 1..3, 3..3]);
    }

    #[test]
    fn the_latest_edit_stands_in_the_place_of_its_target() {
        let both = || Content { has_text: true, tool_calls: vec!["write".into(), "bash".into(), "read".into()] };
        let history = history(vec![
            (0, user(text())),
            (0, assistant(calls(&["read", "bash"]))),
            (1, user(text())),
            (1, edit("e0", None)),
            (1, edit("e1", Some(both()))),
            (1, edit("e0", Some(text()))),
            (1, edit("e1", Some(calls(&["write"])))),
        ]);
        let expected = [row("e0", Role::User, ""), row("e1#0", Role::ToolCall, "write"), row("e2", Role::User, "")];
        assert_eq!(rows(&history), expected);
        assert_eq!(history.of_window(0), 0..2);
        assert_eq!(history.id_of(history.item(0).source), "e5");
        assert_eq!(history.id_of(history.item(1).source), "e6");
    }

    #[test]
    fn an_omitted_entry_comes_back_only_by_a_later_edit() {
        let omitted = in_one_window(vec![user(text()), edit("e0", None), user(text())]);
        assert_eq!(rows(&omitted), [row("e2", Role::User, "")]);
        assert_eq!(omitted.find("e0"), None);
    }

    #[test]
    fn an_edit_of_anything_else_changes_nothing() {
        let kinds =
            vec![EntryKind::Compaction(None), command(false), edit("e0", None), edit("e1", None), edit("x", None)];
        assert_eq!(in_one_window(kinds).len(), 2);
    }

    #[test]
    fn items_are_found_by_the_name_they_are_given() {
        let history = in_one_window(vec![
            user(text()),
            assistant(Content { has_text: true, tool_calls: vec!["read".into(), "bash".into()] }),
            edit("e1", Some(calls(&["read"]))),
        ]);
        for position in 0..history.len() {
            assert_eq!(history.find(&history.item_id(history.item(position))), Some(position));
        }
        for unknown in ["", "e1", "e1#1", "e1#00", "e1#+0", "e1#", "#0", "e0#0", "e2", "e9"] {
            assert_eq!(history.find(unknown), None, "{unknown}");
        }
    }
}
