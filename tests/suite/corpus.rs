//! Every input that the fuzzers begin with, and every one that ever broke something, told to both guests.

use std::fs;
use std::path::PathBuf;

use crate::architecture::root;
use crate::world::story::{Done, KINDS, Story, Told, made};
use crate::world::{Native, World, tell};

/// By kind, what some input of it has to lead to. Inputs that the guest turns away at once look into nothing.
const REACHED: [(&str, &[&str]); 10] = [
    ("entries", &[r#""role":"system""#, r#""window_id":"pcw:01234567:00c0ffee""#, r#""item_id":"e0""#]),
    ("notes", &[r#"{"files":[{"path":"plan.md""#, r#""matches_total":1"#]),
    ("words", &["run git -C /src/b rev-parse", "status pr-footer: gadget · topic"]),
    ("git", &["status pr-footer: acme/widget · main", "run gh pr list"]),
    ("gh", &["· PR #42 ·", "· draft PR #"]),
    ("state", &["status pr-footer: 📌 widget · main"]),
    ("arguments", &["Pinned to", r#"{"items":[{"window_id""#, r#"{"files":[{"path":"a""#]),
    ("globs", &[r#"{"files":[{"path":"a/b.md""#]),
    ("settings", &["run git"]),
    ("story", &["append pi-context/reset-marker", "compact "]),
];

/// The inputs of a kind.
fn inputs(kind: &str) -> Vec<PathBuf> {
    let folder = root().join("fuzz/corpus").join(kind);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.sort();
    files
}

#[test]
fn every_input_of_the_corpus_is_survived_by_both_guests() {
    for (kind, _) in KINDS {
        for file in inputs(kind) {
            let story = made(kind, &fs::read(&file).unwrap());
            let told = std::panic::catch_unwind(|| tell(|guest| drop(story.tell(guest))));
            assert!(told.is_ok(), "{} breaks it; see above", file.display());
        }
    }
}

#[test]
fn the_inputs_of_a_kind_lead_to_what_the_kind_is_about() {
    for (kind, marks) in REACHED {
        let tell = |file: PathBuf| made(kind, &fs::read(file).unwrap()).tell(&mut Native::new(World::new()));
        let told: Vec<Told> = inputs(kind).into_iter().map(tell).collect();
        let leads_to = |mark: &str| {
            told.iter().any(|Told { begins, steps, .. }| {
                let mut texts = begins.iter().map(String::as_str).chain(steps.iter().flat_map(Done::texts));
                texts.any(|text| text.contains(mark))
            })
        };
        for mark in marks {
            assert!(leads_to(mark), "no input of {kind} leads to {mark}");
        }
    }
}

#[test]
fn every_story_of_the_corpus_is_one() {
    for path in inputs("story") {
        let story: Story = serde_json::from_slice(&fs::read(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!story.steps.is_empty(), "{}", path.display());
    }
}
