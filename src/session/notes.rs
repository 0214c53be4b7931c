//! Notes: virtual files inside the session, replayed from the operations on the branch.
//!
//! | operation | without such a note | with one |
//! | --- | --- | --- |
//! | `write` with text | creates it | replaces its text |
//! | `append` with text | creates it | adds to its text |
//! | with `stale` alone | skipped | changes the flag and nothing else |
//!
//! Text revives a stale note unless the operation says `stale` as well. An operation that is not valid, or would make a
//! note too large, is skipped and changes nothing: the branch may have been written by anyone.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::host::Timestamp;

/// The largest text of a note, in bytes of UTF-8.
pub const LARGEST_NOTE: usize = 1_000_000;
/// The largest distance of a time from the epoch, in milliseconds, that a JavaScript date can have.
const LATEST_DATE: f64 = 8.64e15;

/// A virtual file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it says.
    pub text: String,
    /// Whether the model has marked it as out of date.
    pub stale: bool,
    /// When its first operation was made.
    pub created_at: Timestamp,
    /// When its text was last changed.
    pub updated_at: Timestamp,
}

/// What an operation does with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// Takes the place of the text.
    Write,
    /// Comes after the text.
    Append,
}

/// An operation, as it is stored.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// What it does.
    pub op: Operator,
    /// The note.
    pub path: String,
    /// The text; absent to change the flag alone.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the note is out of date; absent to leave that to the text.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// When, if this is the first operation on the note. Milliseconds since the epoch.
    #[serde(deserialize_with = "date")]
    pub created_at: Timestamp,
    /// When. Milliseconds since the epoch.
    #[serde(deserialize_with = "date")]
    pub updated_at: Timestamp,
}

/// Why an operation is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The path is not a name inside the session.
    Path,
    /// It says neither a text nor a flag.
    Nothing,
    /// It changes the flag of a note that does not exist.
    NoNote,
    /// The note would be larger than [`LARGEST_NOTE`].
    TooLarge,
}

/// The notes of a branch, by path.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    notes: BTreeMap<String, Note>,
}

impl Notes {
    /// The note of that path.
    pub fn get(&self, path: &str) -> Option<&Note> {
        self.notes.get(path)
    }

    /// All notes, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Note)> {
        self.notes.iter().map(|(path, note)| (path.as_str(), note))
    }

    /// Whether an operation would be carried out.
    ///
    /// # Errors
    ///
    /// Why it would not.
    pub fn check(&self, operation: &Operation) -> Result<(), Refusal> {
        if !is_path(&operation.path) {
            return Err(Refusal::Path);
        }
        let note = self.get(&operation.path);
        let Some(text) = &operation.text else {
            return match (operation.stale, note) {
                (None, _) => Err(Refusal::Nothing),
                (Some(_), None) => Err(Refusal::NoNote),
                (Some(_), Some(_)) => Ok(()),
            };
        };
        let before = match operation.op {
            Operator::Append => note.map_or(0, |note| note.text.len()),
            Operator::Write => 0,
        };
        if before + text.len() > LARGEST_NOTE { Err(Refusal::TooLarge) } else { Ok(()) }
    }

    /// Carries out an operation as it was stored, if it is valid.
    pub fn replay(&mut self, data: &str) {
        if let Some(operation) = super::object::<Operation>(data)
            && self.check(&operation).is_ok()
        {
            self.apply(operation);
        }
    }

    fn apply(&mut self, operation: Operation) {
        let Operation { op, path, text, stale, created_at, updated_at } = operation;
        let new = || Note { text: String::new(), stale: false, created_at, updated_at };
        let note = self.notes.entry(path).or_insert_with(new);
        match text {
            None => note.stale = stale.unwrap_or(note.stale),
            Some(text) => {
                match op {
                    Operator::Write => note.text = text,
                    Operator::Append => note.text.push_str(&text),
                }
                note.stale = stale.unwrap_or(false);
                note.updated_at = updated_at;
            }
        }
    }
}

/// Whether a path names a note: relative, with `/` between components that are neither empty nor `.` nor `..`.
pub fn is_path(path: &str) -> bool {
    !path.contains(['\0', '\\']) && path.split('/').all(|component| !matches!(component, "" | "." | ".."))
}

/// A member that may be absent but not `null`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A time that JavaScript can represent as a date. Parts of a millisecond are dropped, as it does.
fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let time = f64::deserialize(deserializer)?;
    if time.abs() <= LATEST_DATE {
        #[expect(clippy::cast_possible_truncation, reason = "within the range that was just checked")]
        Ok(time as Timestamp)
    } else {
        Err(serde::de::Error::custom("the time is not a date"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(operations: &[&str]) -> Notes {
        let mut notes = Notes::default();
        for operation in operations {
            notes.replay(operation);
        }
        notes
    }

    fn write(text: &str, at: i64) -> String {
        format!(r#"{{"op":"write","path":"plan.md","text":"{text}","createdAt":{at},"updatedAt":{at}}}"#)
    }

    fn plan(notes: &Notes) -> Note {
        notes.get("plan.md").expect("the note").clone()
    }

    #[test]
    fn the_first_creation_time_is_kept_and_the_latest_change_shown() {
        let append = r#"{"op":"append","path":"plan.md","text":" two","createdAt":9,"updatedAt":9}"#;
        let note = plan(&replayed(&[&write("one", 5), append]));
        assert_eq!(note, Note { text: "one two".into(), stale: false, created_at: 5, updated_at: 9 });
        let note = plan(&replayed(&[&write("one", 5), &write("two", 7)]));
        assert_eq!(note, Note { text: "two".into(), stale: false, created_at: 5, updated_at: 7 });
    }

    #[test]
    fn appending_to_a_note_that_is_missing_creates_it() {
        let append = r#"{"op":"append","path":"a/b","text":"x","createdAt":1,"updatedAt":2}"#;
        assert_eq!(replayed(&[append]).get("a/b").expect("the note").text, "x");
    }

    #[test]
    fn a_flag_alone_changes_nothing_else_and_needs_a_note() {
        let stale = r#"{"op":"append","path":"plan.md","stale":true,"createdAt":9,"updatedAt":9}"#;
        assert_eq!(replayed(&[stale]).iter().count(), 0);
        let note = plan(&replayed(&[&write("one", 5), stale]));
        assert_eq!(note, Note { text: "one".into(), stale: true, created_at: 5, updated_at: 5 });
        let fresh = r#"{"op":"write","path":"plan.md","stale":false,"createdAt":9,"updatedAt":9}"#;
        assert!(!plan(&replayed(&[&write("one", 5), stale, fresh])).stale);
    }

    #[test]
    fn text_revives_a_note_unless_it_says_otherwise() {
        let stale = r#"{"op":"write","path":"plan.md","text":"x","stale":true,"createdAt":1,"updatedAt":1}"#;
        assert!(plan(&replayed(&[stale])).stale);
        assert!(!plan(&replayed(&[stale, &write("y", 2)])).stale);
    }

    #[test]
    fn what_is_not_valid_replaces_nothing() {
        let long = write(&"x".repeat(LARGEST_NOTE + 1), 6);
        for operation in [
            "",
            "null",
            "[]",
            "{}",
            r#"["write","plan.md","x",null,6,6]"#,
            r#"["write","plan.md","x",false,6,6]"#,
            r#"{"op":"erase","path":"plan.md","text":"x","createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","text":"x","createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":"","text":"x","createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":7,"text":"x","createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":null,"stale":true,"createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":7,"createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":"x","stale":null,"createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":"x","stale":"yes","createdAt":6,"updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":"x","createdAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":"x","createdAt":"now","updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":"x","createdAt":8640000000000001,"updatedAt":6}"#,
            r#"{"op":"write","path":"plan.md","text":"x","createdAt":6,"updatedAt":-8640000000000001}"#,
            r#"{"op":"write","path":"plan.md","text":"x","createdAt":6,"updatedAt":1e400}"#,
            &long,
        ] {
            let notes = replayed(&[&write("kept", 5), operation]);
            assert_eq!(plan(&notes).text, "kept", "{operation:.120}");
            assert_eq!(notes.iter().count(), 1, "{operation:.120}");
        }
    }

    #[test]
    fn an_append_that_makes_a_note_too_large_is_skipped_and_later_ones_are_not() {
        let full = write(&"x".repeat(LARGEST_NOTE - 1), 1);
        let append =
            |text: &str| format!(r#"{{"op":"append","path":"plan.md","text":"{text}","createdAt":2,"updatedAt":2}}"#);
        // Two bytes, one code point.
        let notes = replayed(&[&full, &append("é"), &append("y")]);
        assert_eq!(plan(&notes).text.len(), LARGEST_NOTE);
        assert!(plan(&notes).text.ends_with("xy"));
    }

    #[test]
    fn paths_are_names_inside_the_session() {
        for path in ["a", "a/b.md", "ä/日本", "..a", "a..", "...", "a b", "C:x", "a\nb"] {
            assert!(is_path(path), "{path:?}");
        }
        for path in ["", "/", "/a", "a/", "a//b", ".", "..", "a/./b", "../a", "a/..", "a\\b", "a\0"] {
            assert!(!is_path(path), "{path:?}");
        }
    }

    #[test]
    fn parts_of_a_millisecond_are_dropped() {
        let operation = r#"{"op":"write","path":"plan.md","text":"x","createdAt":1.9,"updatedAt":-1.9}"#;
        let note = plan(&replayed(&[operation]));
        assert_eq!((note.created_at, note.updated_at), (1, -1));
    }
}
