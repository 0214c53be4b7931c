//! Every input that the fuzzers begin with, and every one that ever broke something, told to both guests.

use std::fs;

use crate::architecture::root;
use crate::world::story::{KINDS, Story};
use crate::world::tell;

#[test]
fn every_input_of_the_corpus_is_survived_by_both_guests() {
    for (kind, story) in KINDS {
        let folder = root().join("fuzz/corpus").join(kind);
        let files: Vec<_> = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|file| file.unwrap().path())
            .collect();
        assert!(!files.is_empty(), "{} is empty", folder.display());
        for file in files {
            let bytes = fs::read(&file).unwrap();
            let story = story(&String::from_utf8_lossy(&bytes));
            let told = std::panic::catch_unwind(|| tell(|guest| story.tell(guest)));
            assert!(told.is_ok(), "{} breaks it; see above", file.display());
        }
    }
}

#[test]
fn every_story_of_the_corpus_is_one() {
    for file in fs::read_dir(root().join("fuzz/corpus/story")).unwrap() {
        let path = file.unwrap().path();
        let story: Story = serde_json::from_slice(&fs::read(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!story.steps.is_empty(), "{}", path.display());
    }
}
