//! What of a session file was not understood, and how a person is told.

use std::collections::BTreeMap;
use std::fmt;

use super::FORMAT_VERSION;
use crate::text::plain_line;

/// What of a file could not be understood. The session is what remains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines that are not a JSON object, or hold an entry without type or id.
    pub unreadable_lines: usize,
    /// Whether the last line stops in the middle, as it does after a crash or while Pi is writing it.
    pub truncated_end: bool,
    /// Entries of kinds that are not known here, by kind. They are on the branch, without content.
    pub unknown_kinds: BTreeMap<String, usize>,
    /// Whether the active branch does not lead back to a root: an entry names a parent that is missing or comes round
    /// again. What came before it is not on the branch.
    pub broken_branch: bool,
    /// The version of the format, if it is later than the one known here.
    pub later_version: Option<u64>,
}

impl Skipped {
    /// Whether everything was understood.
    pub fn is_empty(&self) -> bool {
        *self == Skipped::default()
    }

    /// What a person can do about it.
    pub fn remedy(&self) -> &'static str {
        if self.later_version.is_some() || !self.unknown_kinds.is_empty() {
            "a later version of pi-capsule may know more"
        } else if self.truncated_end {
            "if Pi is writing to it now, try again when Pi has finished"
        } else {
            "the file is damaged, and what is shown is what can be read"
        }
    }
}

/// What was skipped, on one line, as the rest of a sentence that begins with the file's name.
impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.unreadable_lines {
            0 => {}
            1 => parts.push("1 line cannot be read".into()),
            count => parts.push(format!("{count} lines cannot be read")),
        }
        if self.truncated_end {
            parts.push("the last line is incomplete".into());
        }
        if !self.unknown_kinds.is_empty() {
            let count: usize = self.unknown_kinds.values().sum();
            let entries = if count == 1 { "1 entry is" } else { &format!("{count} entries are") };
            parts.push(format!("{entries} of an unknown kind ({})", some_of(self.unknown_kinds.keys())));
        }
        if self.broken_branch {
            parts.push("the beginning of the branch is missing".into());
        }
        if let Some(version) = self.later_version {
            parts.push(format!("its format {version} is later than the {FORMAT_VERSION} known here"));
        }
        f.write_str(&parts.join("; "))
    }
}

/// The first few names. They come from the file, so there can be many, and long ones.
fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    const SHOWN: usize = 5;
    const LONGEST: usize = 40;
    let rest = names.len().saturating_sub(SHOWN);
    let mut shown: Vec<String> =
        names.take(SHOWN).map(|name| plain_line(&name.chars().take(LONGEST).collect::<String>())).collect();
    if rest > 0 {
        shown.push(format!("and {rest} more"));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many_are_told_apart() {
        let lines = |unreadable_lines| Skipped { unreadable_lines, ..Skipped::default() }.to_string();
        assert_eq!(lines(1), "1 line cannot be read");
        assert_eq!(lines(2), "2 lines cannot be read");
    }

    #[test]
    fn the_remedy_fits_what_was_skipped() {
        let nothing = Skipped::default;
        assert!(Skipped { later_version: Some(4), ..nothing() }.remedy().contains("later version"));
        assert!(Skipped { unknown_kinds: [("x".into(), 1)].into(), ..nothing() }.remedy().contains("later version"));
        assert!(Skipped { truncated_end: true, ..nothing() }.remedy().contains("try again"));
        assert!(Skipped { unreadable_lines: 1, ..nothing() }.remedy().contains("damaged"));
    }

    #[test]
    fn nothing_skipped_is_nothing_said() {
        assert!(Skipped::default().is_empty());
        assert_eq!(Skipped::default().to_string(), "");
    }

    #[test]
    fn names_of_unknown_kinds_are_kept_in_bounds() {
        let kinds = [&*"x".repeat(100), "\u{1b}[2J", "a", "b", "c", "d", "e"];
        let unknown_kinds = kinds.map(|kind| (kind.to_owned(), 1)).into();
        let text = Skipped { unknown_kinds, ..Skipped::default() }.to_string();
        assert_eq!(text, "7 entries are of an unknown kind (\u{FFFD}[2J, a, b, c, d, and 2 more)");
    }
}
