//! What the fuzz targets share: an input becomes a story, which is told to the guest as ordinary Rust.
//!
//! The kinds of input and what has to hold whatever they are stand in `tests/suite/world/story.rs`, from where the tests
//! tell the same inputs to the component. Run one with `./just fuzz KIND SECONDS`.

// Of the world, fuzzers use a part.
#[allow(dead_code, unused_imports)]
#[path = "../../tests/suite/world/mod.rs"]
mod world;

use libfuzzer_sys::fuzzer_mutate;
use serde_json::Value;
use world::story::{Story, made};
use world::{Guest, Native, World};

/// Tells the story that an input of a kind makes.
pub fn tell(kind: &str, input: &[u8]) {
    let mut guest = Native::new(World::new());
    made(kind, input).tell(&mut guest as &mut dyn Guest);
}

/// Changes a story as a story and not as text, which would hardly ever be JSON again: steps and entries are doubled, dropped
/// and swapped, one of its texts is changed as libFuzzer changes texts, or one of its numbers.
pub fn mutate(input: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let Ok(mut story) = serde_json::from_slice::<Story>(&input[..size]) else {
        return fuzzer_mutate(input, size, most);
    };
    let mut random = Random(u64::from(seed) << 1 | 1);
    match random.below(4) {
        0 => random.shuffle(&mut story.branch),
        1 => random.shuffle(&mut story.steps),
        _ => change_a_value(&mut story, &mut random),
    }
    match serde_json::to_vec(&story) {
        Ok(json) if json.len() <= most => {
            input[..json.len()].copy_from_slice(&json);
            json.len()
        }
        _ => size,
    }
}

fn change_a_value(story: &mut Story, random: &mut Random) {
    let Ok(mut value) = serde_json::to_value(&story) else { return };
    let mut leaves = Vec::new();
    collect(&mut value, &mut leaves);
    match random.choose(&mut leaves).map(|leaf| &mut **leaf) {
        Some(Value::String(text)) => {
            let mut bytes = text.as_bytes().to_vec();
            let size = bytes.len();
            bytes.resize(size + 64, 0);
            let changed = fuzzer_mutate(&mut bytes, size, size + 64);
            *text = String::from_utf8_lossy(&bytes[..changed]).into_owned();
        }
        // Mostly small, since ids, positions and exit codes are.
        Some(number) => *number = [random.below(16), random.below(200_000), usize::MAX][random.below(3)].into(),
        None => {}
    }
    // A name that means something may have been changed into one that does not, or a number not fit.
    if let Ok(changed) = serde_json::from_value(value) {
        *story = changed;
    }
}

/// The texts and numbers of a value.
fn collect<'a>(value: &'a mut Value, leaves: &mut Vec<&'a mut Value>) {
    match value {
        Value::String(_) | Value::Number(_) => leaves.push(value),
        Value::Array(items) => items.iter_mut().for_each(|item| collect(item, leaves)),
        Value::Object(members) => members.values_mut().for_each(|member| collect(member, leaves)),
        _ => {}
    }
}

/// Numbers that follow from a seed, so that libFuzzer can repeat what it did.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn choose<'a, T>(&mut self, items: &'a mut [T]) -> Option<&'a mut T> {
        let index = self.below(items.len());
        items.get_mut(index)
    }

    fn shuffle<T: Clone>(&mut self, items: &mut Vec<T>) {
        if items.is_empty() {
            return;
        }
        let (from, to) = (self.below(items.len()), self.below(items.len()));
        match self.below(3) {
            0 => items.swap(from, to),
            1 => drop(items.remove(from)),
            _ => items.insert(to, items[from].clone()),
        }
    }
}
