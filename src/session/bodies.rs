//! The text of the items, read from the host when it is first needed.
//!
//! What has been read is kept, up to a limit. What comes after that is read again each time it is looked at, rather than
//! in place of what is kept: a search goes through the whole branch, and would otherwise find nothing of what it needs.
//!
//! Text is kept in a few large blocks. Each growth of the guest's memory costs its host something, whatever its size: in
//! Node, growing for each text by itself takes longer than reading it. Whoever has read a few megabytes is searching, and
//! will read the rest, so that the next block is made for all of it.

use std::ops::ControlFlow;

use super::history::{EntryIndex, History, Item, Part};
use super::names::position_of;
use crate::host::{Body, Host};

/// How much text is kept, in bytes.
const KEPT: usize = 128 * 1024 * 1024;
/// The smallest block, in bytes.
const SMALLEST_BLOCK: usize = 64 * 1024;
/// Up to this much text a block is as large as all before it together; after that, as what is left to read, in bytes.
const SAMPLE: usize = 4 * 1024 * 1024;
/// How many bodies are asked for at once.
const BATCH: usize = 128;
/// How far ahead is looked for bodies to ask for in the same breath.
const LOOK_AHEAD: usize = 4 * BATCH;

/// Texts, one after the other.
#[derive(Clone, Debug, Default)]
struct Texts {
    blocks: Vec<String>,
    bytes: usize,
    /// How much more there will be, by what has been read so far.
    expected: usize,
}

/// Where the body of an entry is among the texts: all of it in one block, its text first and then its calls.
#[derive(Clone, Debug, Default)]
struct Place {
    block: u32,
    start: u32,
    text_end: u32,
    call_ends: Box<[u32]>,
}

impl Texts {
    fn push(&mut self, body: &Body) -> Place {
        let separators = body.text_parts.len().saturating_sub(1);
        let text: usize = body.text_parts.iter().map(String::len).sum();
        let calls: usize = body.tool_calls.iter().map(|call| call.arguments.len()).sum();
        let block = self.block_for(text + separators + calls);
        let start = position_of(block.len());
        for (index, part) in body.text_parts.iter().enumerate() {
            if index > 0 {
                block.push('\n');
            }
            block.push_str(part);
        }
        let text_end = position_of(block.len());
        let ends = body.tool_calls.iter().map(|call| {
            block.push_str(&call.arguments);
            position_of(block.len())
        });
        let call_ends = ends.collect();
        self.bytes += text + separators + calls;
        Place { block: position_of(self.blocks.len() - 1), start, text_end, call_ends }
    }

    /// A block with room for so many bytes.
    fn block_for(&mut self, bytes: usize) -> &mut String {
        let has_room = self.blocks.last().is_some_and(|block| block.capacity() - block.len() >= bytes);
        if !has_room {
            let wanted = if self.bytes < SAMPLE { self.bytes } else { self.expected.min(KEPT) };
            self.blocks.push(String::with_capacity(wanted.max(SMALLEST_BLOCK).max(bytes)));
        }
        self.blocks.last_mut().expect("there is one now")
    }

    /// What an item shows of a body. One that does not hold what its header promised shows as empty.
    fn show(&self, place: &Place, part: Part) -> &str {
        let Place { block, start, text_end, call_ends } = place;
        let (start, end) = match part {
            Part::Text => (*start, *text_end),
            Part::Call(index) => {
                let index = index as usize;
                let Some(&end) = call_ends.get(index) else { return "" };
                (if index == 0 { *text_end } else { call_ends[index - 1] }, end)
            }
        };
        &self.blocks[*block as usize][start as usize..end as usize]
    }
}

/// The bodies of a branch that have been read.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    places: Vec<Option<Place>>,
    /// How many of the places are known.
    read: usize,
    texts: Texts,
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
        self.places.resize_with(history.entries(), || None);
        let mut rest = items;
        while let Some((&position, after)) = rest.split_first() {
            let Item { source, part, .. } = history.item(position);
            if let Some(place) = &self.places[source as usize] {
                if show(position, self.texts.show(place, part)).is_break() {
                    return;
                }
                rest = after;
                continue;
            }
            let missing = self.missing(history, rest);
            let bodies = read(history, &missing, host);
            if self.texts.bytes < KEPT {
                self.keep(&missing, &bodies);
                continue;
            }
            match show_dropped(history, rest, &missing, &bodies, show) {
                ControlFlow::Continue(shown) => rest = &rest[shown..],
                ControlFlow::Break(()) => return,
            }
        }
    }

    /// The next entries that have to be read, in the order of the items.
    fn missing(&self, history: &History, items: &[usize]) -> Vec<EntryIndex> {
        let mut missing = Vec::with_capacity(BATCH);
        for &position in &items[..items.len().min(LOOK_AHEAD)] {
            let source = history.item(position).source;
            // The items of an entry follow each other.
            if self.places[source as usize].is_none() && missing.last() != Some(&source) {
                if missing.len() == BATCH {
                    break;
                }
                missing.push(source);
            }
        }
        missing
    }

    fn keep(&mut self, entries: &[EntryIndex], bodies: &[Body]) {
        for (&entry, body) in entries.iter().zip(bodies) {
            let average = self.texts.bytes / self.read.max(1);
            self.texts.expected = average.saturating_mul(self.places.len().saturating_sub(self.read));
            self.places[entry as usize] = Some(self.texts.push(body));
            self.read += 1;
        }
    }
}

/// Shows the items whose bodies were read and will not be kept. Gives how many of the items that were.
fn show_dropped(
    history: &History,
    items: &[usize],
    entries: &[EntryIndex],
    bodies: &[Body],
    show: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
) -> ControlFlow<(), usize> {
    let mut texts = Texts::default();
    let places: Vec<(EntryIndex, Place)> =
        entries.iter().copied().zip(bodies.iter().map(|body| texts.push(body))).collect();
    let mut shown = 0;
    for &position in items {
        let Item { source, part, .. } = history.item(position);
        let Some((_, place)) = places.iter().find(|(entry, _)| *entry == source) else { break };
        show(position, texts.show(place, part))?;
        shown += 1;
    }
    ControlFlow::Continue(shown)
}

/// Reads at least the first of the entries. A host that answers none has broken the contract; it shows as empty.
fn read(history: &History, entries: &[EntryIndex], host: &mut dyn Host) -> Vec<Body> {
    let ids: Vec<&str> = entries.iter().map(|&entry| history.id_of(entry)).collect();
    let mut bodies: Vec<Body> = host.read_bodies(&ids).into_iter().map(Option::unwrap_or_default).collect();
    if bodies.is_empty() {
        bodies.push(Body::default());
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::ToolCall;

    fn body(parts: &[&str], calls: &[&str]) -> Body {
        let calls = calls.iter().map(|&arguments| ToolCall { name: "t".into(), arguments: arguments.into() });
        Body { text_parts: parts.iter().map(|&part| part.to_owned()).collect(), tool_calls: calls.collect() }
    }

    #[test]
    fn texts_are_found_where_they_were_put() {
        let mut texts = Texts::default();
        let long = "é".repeat(40_000);
        let bodies = [
            body(&["one", "two"], &["a", "", "bc"]),
            body(&[], &["d"]),
            body(&[&long], &[]),
            body(&["", ""], &[&long]),
            body(&[], &[]),
        ];
        let places: Vec<Place> = bodies.iter().map(|body| texts.push(body)).collect();
        for (place, body) in places.iter().zip(&bodies) {
            assert_eq!(texts.show(place, Part::Text), body.text_parts.join("\n"));
            for (index, call) in (0..).zip(&body.tool_calls) {
                assert_eq!(texts.show(place, Part::Call(index)), call.arguments);
            }
            assert_eq!(texts.show(place, Part::Call(9)), "");
        }
        assert!(texts.blocks.len() > 1);
    }

    #[test]
    fn a_long_session_takes_few_blocks() {
        let mut bodies = Bodies::default();
        bodies.places.resize_with(1_000, || None);
        let text = "x".repeat(50_000);
        for entry in 0..1_000 {
            bodies.keep(&[entry], &[body(&[&text], &[])]);
        }
        let blocks = &bodies.texts.blocks;
        assert!(blocks.len() < 12, "{}", blocks.len());
        let unused: usize = blocks.iter().map(|block| block.capacity() - block.len()).sum();
        assert!(unused < 1_000_000, "{unused}");
    }
}
