//! The text of the items, read from the host when it is first needed.
//!
//! What has been read is kept, up to a limit. What comes after that is read again each time it is looked at, rather than
//! in place of what is kept: a search goes through the whole branch, and would otherwise find nothing of what it needs.

use std::ops::ControlFlow;

use super::history::{EntryIndex, History, Item, Part};
use crate::host::{Body, Host};

/// How much text is kept, in bytes.
const KEPT: usize = 128 * 1024 * 1024;
/// How many bodies are asked for at once.
const BATCH: usize = 128;

/// How far ahead is looked for bodies to ask for in the same breath.
const LOOK_AHEAD: usize = 4 * BATCH;

/// The body of an entry, as its items show it.
#[derive(Clone, Debug, Default)]
struct Kept {
    text: Box<str>,
    calls: Box<[Box<str>]>,
}

impl Kept {
    /// What an item shows of it. A body that does not hold what its header promised shows as empty.
    fn show(&self, part: Part) -> &str {
        match part {
            Part::Text => &self.text,
            Part::Call(index) => self.calls.get(index as usize).map_or("", AsRef::as_ref),
        }
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.calls.iter().map(|call| call.len()).sum::<usize>()
    }
}

impl From<Body> for Kept {
    fn from(Body { mut text_parts, tool_calls }: Body) -> Self {
        let text = if text_parts.len() == 1 { text_parts.remove(0) } else { text_parts.join("\n") };
        let calls = tool_calls.into_iter().map(|call| call.arguments.into_boxed_str());
        Self { text: text.into_boxed_str(), calls: calls.collect() }
    }
}

/// The bodies of a branch that have been read.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    kept: Vec<Option<Kept>>,
    bytes: usize,
    limit: usize,
}

impl Default for Bodies {
    fn default() -> Self {
        Self { kept: Vec::new(), bytes: 0, limit: KEPT }
    }
}

impl Bodies {
    /// Shows the text of each item in turn, until `show` has seen enough.
    pub(super) fn visit(
        &mut self,
        history: &History,
        items: &[usize],
        host: &mut dyn Host,
        show: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
    ) {
        self.kept.resize_with(history.entries(), || None);
        let mut rest = items;
        while let Some(&first) = rest.first() {
            let Item { source, part, .. } = history.item(first);
            if let Some(body) = &self.kept[source as usize] {
                if show(first, body.show(part)).is_break() {
                    return;
                }
                rest = &rest[1..];
                continue;
            }
            let missing = self.missing(history, rest);
            let read = read(history, &missing, host);
            if self.has_room(&read) {
                self.keep(&missing, read);
                continue;
            }
            // Shown from what was read, which is then dropped.
            let shown =
                rest.iter().take_while(|&&position| missing[..read.len()].contains(&history.item(position).source));
            for &position in shown {
                let Item { source, part, .. } = history.item(position);
                let index = missing.iter().position(|&known| known == source).expect("it was just found there");
                if show(position, read[index].show(part)).is_break() {
                    return;
                }
                rest = &rest[1..];
            }
        }
    }

    /// The next entries that have to be read, in the order of the items.
    fn missing(&self, history: &History, items: &[usize]) -> Vec<EntryIndex> {
        let mut missing = Vec::with_capacity(BATCH);
        for &position in &items[..items.len().min(LOOK_AHEAD)] {
            let source = history.item(position).source;
            // The items of an entry follow each other.
            if self.kept[source as usize].is_none() && missing.last() != Some(&source) {
                if missing.len() == BATCH {
                    break;
                }
                missing.push(source);
            }
        }
        missing
    }

    fn has_room(&self, read: &[Kept]) -> bool {
        self.bytes + read.iter().map(Kept::bytes).sum::<usize>() <= self.limit
    }

    fn keep(&mut self, entries: &[EntryIndex], read: Vec<Kept>) {
        for (&entry, body) in entries.iter().zip(read) {
            self.bytes += body.bytes();
            self.kept[entry as usize] = Some(body);
        }
    }
}

/// Reads at least the first of the entries. A host that answers none has broken the contract; it shows as empty.
fn read(history: &History, entries: &[EntryIndex], host: &mut dyn Host) -> Vec<Kept> {
    let ids: Vec<&str> = entries.iter().map(|&entry| history.id_of(entry)).collect();
    let mut read: Vec<Kept> =
        host.read_bodies(&ids).into_iter().map(|body| body.map(Kept::from).unwrap_or_default()).collect();
    read.truncate(entries.len());
    if read.is_empty() {
        read.push(Kept::default());
    }
    read
}
