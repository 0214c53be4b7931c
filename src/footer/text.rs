//! The status line: what is said of each situation.
//!
//! | situation | text |
//! | --- | --- |
//! | open pull request | `acme/widget · feature/footer · PR #42 · 12m` |
//! | draft | `acme/widget · feature/footer · draft PR #42 · 12m` |
//! | none open | `acme/widget · feature/footer · 12m` |
//! | pull requests not known, or not yet | `acme/widget · main · ! · 12m` |
//! | not on GitHub | `widget · main · ! · 12m` |
//! | detached | `acme/widget · @a1b2c3d · ! · 12m` |
//! | pinned | `📌 ` before any of these |
//! | stale | any of these, then `~` |
//! | several roots, none stronger | `repo? 2 · ? · 12m` |
//! | nothing usable | `repo — · ! · 12m` |
//! | restored pin not verifiable | `📌 repo — · ~ · 12m` |
//!
//! Names come from hostile places. A character that could move the cursor, reorder the line or hide in it is shown as
//! U+FFFD, and so is a letter under so many accents that they would fill the screen. What is too long is cut between
//! graphemes: what a person sees as one character.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::host::Timestamp;

use super::lookup::Head;
use super::pull_request::PullRequest;

/// Between the parts.
const SEPARATOR: &str = " · ";
/// Before a root that the person chose.
const PIN: &str = "📌 ";
/// How wide a name is at most, in columns.
const WIDEST_NAME: usize = 60;
/// How wide the line is at most, in columns.
const WIDEST_LINE: usize = 120;
/// How long what a person sees as one character is at most, in bytes. The longest in use are stacks of Indic and Tibetan
/// letters. Accents take no columns, so nothing else limits them.
const LONGEST_GRAPHEME: usize = 32;

/// What is known of the place that the session works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A repository.
    Repository {
        /// `owner/name` on GitHub, else the name of the directory.
        name: String,
        /// What is checked out.
        head: Head,
        /// What is known of its pull requests.
        pulls: Pulls,
        /// Whether it could not be looked at again just now.
        is_stale: bool,
    },
    /// Several repositories, none with better evidence than the others.
    Ambiguous(usize),
    /// Nothing that could be named.
    Unusable,
    /// A root that the person chose and that cannot be looked at now.
    Unverified,
}

/// What is known of the open pull requests of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pulls {
    /// Nothing: not on GitHub, no branch, no answer, or none yet.
    Unknown,
    /// That there is none.
    None,
    /// The one of this branch.
    Open(PullRequest),
}

/// Renders the line.
pub fn line(place: &Place, pinned: bool, started_at: Timestamp, now: Timestamp) -> String {
    let mut parts: Vec<String> = match place {
        Place::Repository { name, head, pulls, is_stale } => {
            let head = match head {
                Head::Branch(branch) => name_of(branch),
                Head::Detached(commit) => format!("@{}", name_of(commit)),
            };
            let mut parts = vec![name_of(name), head];
            match pulls {
                Pulls::Unknown => parts.push("!".into()),
                Pulls::None => {}
                Pulls::Open(PullRequest { number, is_draft: false }) => parts.push(format!("PR #{number}")),
                Pulls::Open(PullRequest { number, is_draft: true }) => parts.push(format!("draft PR #{number}")),
            }
            if *is_stale {
                parts.push("~".into());
            }
            parts
        }
        Place::Ambiguous(roots) => vec![format!("repo? {roots}"), "?".into()],
        Place::Unusable => vec!["repo —".into(), "!".into()],
        Place::Unverified => vec!["repo —".into(), "~".into()],
    };
    parts.push(age(started_at, now));
    cut(format!("{}{}", if pinned { PIN } else { "" }, parts.join(SEPARATOR)), WIDEST_LINE)
}

/// A name as it is shown.
fn name_of(name: &str) -> String {
    cut(harmless(name), WIDEST_NAME)
}

/// The text, if it is not wider than that; otherwise as much of it as leaves room for `…`.
fn cut(text: String, columns: usize) -> String {
    if text.width() <= columns {
        return text;
    }
    let mut end = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        if text[..start + grapheme.len()].width() >= columns {
            break;
        }
        end = start + grapheme.len();
    }
    format!("{}…", &text[..end])
}

/// How long ago `started_at` was, in its two largest units from days down, seconds only by themselves.
fn age(started_at: Timestamp, now: Timestamp) -> String {
    let seconds = now.saturating_sub(started_at).max(0) / 1_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    let pair = |large: i64, large_unit: char, small: i64, small_unit: char| match small {
        0 => format!("{large}{large_unit}"),
        _ => format!("{large}{large_unit}{small}{small_unit}"),
    };
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m"),
        (0, _, _) => pair(hours, 'h', minutes % 60, 'm'),
        _ => pair(days, 'd', hours % 24, 'h'),
    }
}

/// The text with everything replaced that is not simply shown.
fn harmless(text: &str) -> String {
    let shown: String = text.chars().map(|c| if is_harmful(c) { char::REPLACEMENT_CHARACTER } else { c }).collect();
    // What takes no columns could be there thousands of times.
    let is_shown = |grapheme: &str| grapheme.len() <= LONGEST_GRAPHEME && grapheme.width() > 0;
    shown.graphemes(true).map(|grapheme| if is_shown(grapheme) { grapheme } else { "\u{fffd}" }).collect()
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}'           // soft hyphen, Arabic letter mark, Mongolian vowel separator
            | '\u{200b}'..='\u{200f}'                   // zero width, left-to-right and right-to-left marks
            | '\u{2028}'..='\u{202e}'                   // line and paragraph separator, bidi embedding and override
            | '\u{2060}'..='\u{206f}'                   // word joiner, invisible operators, bidi isolates
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'      // byte order mark, interlinear annotation
            | '\u{e0000}'..='\u{e007f}'                 // tags
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = 1_700_000_000_000;
    const MINUTES_12: Timestamp = 12 * 60_000;

    fn shown(place: &Place, pinned: bool) -> String {
        line(place, pinned, NOW - MINUTES_12, NOW)
    }

    fn repository(name: &str, head: Head, pulls: Pulls) -> Place {
        Place::Repository { name: name.into(), head, pulls, is_stale: false }
    }

    fn branch(name: &str) -> Head {
        Head::Branch(name.into())
    }

    fn pull(number: u64, is_draft: bool) -> Pulls {
        Pulls::Open(PullRequest { number, is_draft })
    }

    #[test]
    fn every_row_of_the_table() {
        let widget = |pulls| repository("acme/widget", branch("feature/footer"), pulls);
        assert_eq!(shown(&widget(pull(42, false)), false), "acme/widget · feature/footer · PR #42 · 12m");
        assert_eq!(shown(&widget(pull(42, true)), false), "acme/widget · feature/footer · draft PR #42 · 12m");
        assert_eq!(shown(&widget(Pulls::None), false), "acme/widget · feature/footer · 12m");
        assert_eq!(shown(&widget(pull(42, false)), true), "📌 acme/widget · feature/footer · PR #42 · 12m");
        assert_eq!(shown(&repository("widget", branch("main"), Pulls::Unknown), false), "widget · main · ! · 12m");
        let detached = repository("acme/widget", Head::Detached("a1b2c3d".into()), Pulls::Unknown);
        assert_eq!(shown(&detached, false), "acme/widget · @a1b2c3d · ! · 12m");
        let stale = Place::Repository {
            name: "acme/widget".into(),
            head: branch("main"),
            pulls: pull(42, false),
            is_stale: true,
        };
        assert_eq!(shown(&stale, false), "acme/widget · main · PR #42 · ~ · 12m");
        assert_eq!(shown(&Place::Ambiguous(2), false), "repo? 2 · ? · 12m");
        assert_eq!(shown(&Place::Unusable, false), "repo — · ! · 12m");
        assert_eq!(shown(&Place::Unverified, true), "📌 repo — · ~ · 12m");
    }

    #[test]
    fn what_is_too_wide_is_cut_between_graphemes() {
        assert_eq!(cut("a".repeat(60), 60), "a".repeat(60));
        assert_eq!(cut("a".repeat(61), 60), format!("{}…", "a".repeat(59)));
        assert_eq!(cut("漢".repeat(31), 60), format!("{}…", "漢".repeat(29)));
        // A family of four is one grapheme, and so is a letter with its accents.
        let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦";
        assert_eq!(cut(format!("ab{family}cd"), 4), "ab…");
        assert_eq!(cut("e\u{301}".repeat(5), 3), "e\u{301}e\u{301}…");
        let long = repository(&"n".repeat(200), branch(&"漢".repeat(200)), pull(42, false));
        assert!((119..=120).contains(&shown(&long, true).width()));
        assert!(shown(&long, true).ends_with('…'));
    }

    #[test]
    fn ages() {
        for (seconds, expected) in [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (3_660, "1h1m"),
            (86_399, "23h59m"),
            (86_400, "1d"),
            (90_000, "1d1h"),
            (8_640_000, "100d"),
        ] {
            assert_eq!(age(NOW, NOW + seconds * 1_000), expected);
        }
    }

    #[test]
    fn an_age_is_never_negative_and_never_overflows() {
        assert_eq!(age(NOW, NOW - 5_000), "0s");
        assert_eq!(age(Timestamp::MAX, Timestamp::MIN), "0s");
        assert!(age(Timestamp::MIN, Timestamp::MAX).ends_with('h'));
    }

    #[test]
    fn nothing_in_a_name_reaches_the_terminal_but_its_letters() {
        let hostile = "a\u{1b}[31m\n\r\t\u{7f}\u{9b}31m\u{202e}b\u{200b}\u{2028}\u{feff}\u{e0041}é漢🙂";
        let place = repository(hostile, branch(hostile), Pulls::None);
        let shown = shown(&place, false);
        assert!(!shown.chars().any(is_harmful), "{shown:?}");
        assert!(shown.contains("é漢🙂"));
    }

    #[test]
    fn a_letter_under_a_heap_of_accents_is_not_shown() {
        let accents = |count| format!("e{}", "\u{301}".repeat(count));
        assert_eq!(harmless(&format!("a{}b", accents(15))), format!("a{}b", accents(15)));
        assert_eq!(harmless(&format!("a{}b", accents(16))), "a\u{fffd}b");
        assert_eq!(harmless(&format!("{}b", "\u{301}".repeat(5_000))), "\u{fffd}b");
        assert_eq!(harmless("क्षि नमस्ते བརྒྱད"), "क्षि नमस्ते བརྒྱད");
    }

    #[test]
    fn what_takes_no_room_is_not_shown() {
        // Not assigned, so nothing that a letter could carry.
        assert_eq!(harmless("a\u{5c9}\u{5c9}b"), "a\u{fffd}\u{fffd}b");
        assert_eq!(harmless("\u{301}"), "\u{fffd}");
    }
}
