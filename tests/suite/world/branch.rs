//! A session tree in memory, with the text of its entries. The same entries, in the guest's own types, for both guests.

use pi_capsule::host::{Body, Changes, Content, Entry, EntryId, EntryKind, Message, Page, ToolCall};

/// A tree of entries and the path to its leaf.
#[derive(Clone)]
pub(crate) struct Branch {
    nodes: Vec<Node>,
    /// Indices of the nodes on the active branch, root first.
    active: Vec<usize>,
    /// How many headers a page holds.
    pub(crate) page: usize,
    /// How many bodies one answer holds.
    pub(crate) bodies: usize,
    /// How many headers have been given.
    pub(crate) headers_read: usize,
    /// The entries whose bodies have been given, in that order.
    pub(crate) bodies_read: Vec<EntryId>,
}

#[derive(Clone)]
struct Node {
    parent: Option<usize>,
    entry: Entry,
    body: Option<Body>,
}

/// An entry that is not in a tree yet.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) kind: EntryKind,
    pub(crate) body: Option<Body>,
}

impl Default for Branch {
    fn default() -> Self {
        // Small, so that every scenario pages.
        Self { nodes: vec![], active: vec![], page: 3, bodies: 2, headers_read: 0, bodies_read: vec![] }
    }
}

impl Branch {
    /// Appends an entry at the leaf.
    pub(crate) fn push(&mut self, NewEntry { kind, body }: NewEntry) -> EntryId {
        let id = format!("e{}", self.nodes.len());
        self.nodes.push(Node { parent: self.active.last().copied(), entry: Entry { id: id.clone(), kind }, body });
        self.active.push(self.nodes.len() - 1);
        id
    }

    /// The id of the leaf.
    pub(crate) fn leaf(&self) -> Option<EntryId> {
        self.active.last().map(|&index| self.nodes[index].entry.id.clone())
    }

    /// Moves to an entry, or before the root.
    pub(crate) fn navigate(&mut self, to: Option<&str>) {
        let mut at = to.map(|id| self.nodes.iter().position(|node| node.entry.id == id).expect("a known entry"));
        self.active.clear();
        while let Some(index) = at {
            self.active.push(index);
            at = self.nodes[index].parent;
        }
        self.active.reverse();
    }

    /// The active branch.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.active.iter().map(|&index| &self.nodes[index].entry)
    }

    pub(super) fn changes_since(&mut self, cursor: Option<&str>) -> Changes {
        let found =
            cursor.and_then(|cursor| self.active.iter().rposition(|&index| self.nodes[index].entry.id == cursor));
        let start = found.map_or(0, |position| position + 1);
        let end = self.active.len().min(start + self.page);
        self.headers_read += end - start;
        let entries = self.active[start..end].iter().map(|&index| self.nodes[index].entry.clone()).collect();
        let page = Page { entries, more: end < self.active.len() };
        if found.is_some() { Changes::Appended(page) } else { Changes::Replaced(page) }
    }

    pub(super) fn read_bodies<'a>(&mut self, ids: impl Iterator<Item = &'a str>) -> Vec<Option<Body>> {
        let ids: Vec<EntryId> = ids.take(self.bodies).map(str::to_owned).collect();
        let bodies = ids.iter().map(|id| self.node(id).and_then(|node| node.body.clone())).collect();
        self.bodies_read.extend(ids);
        bodies
    }

    fn node(&self, id: &str) -> Option<&Node> {
        // Ids count the nodes.
        let index: usize = id.strip_prefix('e')?.parse().ok()?;
        self.active.binary_search(&index).is_ok().then(|| &self.nodes[index])
    }
}

fn content(text: &str, calls: &[(&str, &str)]) -> Content {
    Content { has_text: !text.is_empty(), tool_calls: calls.iter().map(|&(name, _)| name.to_owned()).collect() }
}

fn body(text: &str, calls: &[(&str, &str)]) -> Option<Body> {
    let tool_calls = calls.iter().map(|&(name, arguments)| ToolCall { name: name.into(), arguments: arguments.into() });
    Some(Body { text_parts: vec![text.to_owned()], tool_calls: tool_calls.collect() })
}

/// A message of the person.
pub(crate) fn user(text: &str) -> NewEntry {
    NewEntry { kind: EntryKind::Message(Message::User(content(text, &[]))), body: body(text, &[]) }
}

/// A message of the model, with its tool calls: names and arguments.
pub(crate) fn assistant(text: &str, calls: &[(&str, &str)]) -> NewEntry {
    NewEntry { kind: EntryKind::Message(Message::Assistant(content(text, calls))), body: body(text, calls) }
}

/// The result of a tool that did not fail.
pub(crate) fn tool_result(tool: &str, text: &str) -> NewEntry {
    let kind = EntryKind::Message(Message::ToolResult { tool_name: tool.into(), is_error: false });
    NewEntry { kind, body: body(text, &[]) }
}

/// The result of a tool that failed.
pub(crate) fn tool_error(tool: &str, text: &str) -> NewEntry {
    let kind = EntryKind::Message(Message::ToolResult { tool_name: tool.into(), is_error: true });
    NewEntry { kind, body: body(text, &[]) }
}

/// A command of the person whose output was cut.
pub(crate) fn long_command(command: &str, output: &str, full_output_path: &str) -> NewEntry {
    let kind = EntryKind::Message(Message::BashExecution {
        truncated: true,
        full_output_path: Some(full_output_path.into()),
        hidden_from_model: false,
    });
    NewEntry { kind, body: Some(Body { text_parts: vec![command.into(), output.into()], tool_calls: vec![] }) }
}

/// A message of an extension.
pub(crate) fn custom_message(custom_type: &str, text: &str) -> NewEntry {
    let kind = EntryKind::CustomMessage { custom_type: custom_type.into(), has_text: !text.is_empty() };
    NewEntry { kind, body: body(text, &[]) }
}

/// State of an extension that this guest may read.
pub(crate) fn custom(custom_type: &str, data: &str) -> NewEntry {
    let kind = EntryKind::Custom { custom_type: custom_type.into(), data: Some(data.into()) };
    NewEntry { kind, body: None }
}

/// A compaction.
pub(crate) fn compaction(summary: &str, details: &str) -> NewEntry {
    NewEntry { kind: EntryKind::Compaction(Some(details.into())), body: body(summary, &[]) }
}

/// A correction: the target shows this text, or nothing.
pub(crate) fn edit(target: &str, replacement: Option<&str>) -> NewEntry {
    let kind =
        EntryKind::ContextEdit { target: target.into(), replacement: replacement.map(|text| content(text, &[])) };
    NewEntry { kind, body: replacement.and_then(|text| body(text, &[])) }
}
