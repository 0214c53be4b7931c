//! The status line: what is said of each situation.
//!
//! | situation | text |
//! | --- | --- |
//! | on GitHub | `acme/widget · feature/footer · 12m` |
//! | not on GitHub | `widget · main · ! · 12m` |
//! | detached | `acme/widget · @a1b2c3d · ! · 12m` |
//! | pinned | `📌 ` before any of these |
//! | nothing usable | `repo — · ! · 12m` |
//! | restored pin not verifiable | `📌 repo — · ~ · 12m` |
//!
//! Names come from hostile places. A character that could move the cursor, reorder the line or hide in it is shown as
//! U+FFFD.

use crate::host::Timestamp;

use super::lookup::Head;

/// Between the parts.
const SEPARATOR: &str = " · ";
/// Before a root that the person chose.
const PIN: &str = "📌 ";

/// What is known of the place that the session works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A repository.
    Repository {
        /// `owner/name` on GitHub, else the name of the directory.
        name: String,
        /// Whether it is on GitHub.
        on_github: bool,
        /// What is checked out.
        head: Head,
    },
    /// Nothing that could be named.
    Unusable,
    /// A root that the person chose and that cannot be looked at now.
    Unverified,
}

/// Renders the line.
pub fn line(place: &Place, pinned: bool, started_at: Timestamp, now: Timestamp) -> String {
    let mut parts: Vec<String> = match place {
        Place::Repository { name, on_github, head } => {
            let (head, complete) = match head {
                Head::Branch(branch) => (harmless(branch), *on_github),
                Head::Detached(commit) => (format!("@{}", harmless(commit)), false),
            };
            let mut parts = vec![harmless(name), head];
            if !complete {
                parts.push("!".into());
            }
            parts
        }
        Place::Unusable => vec!["repo —".into(), "!".into()],
        Place::Unverified => vec!["repo —".into(), "~".into()],
    };
    parts.push(age(started_at, now));
    format!("{}{}", if pinned { PIN } else { "" }, parts.join(SEPARATOR))
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

/// The text with every character replaced that is not simply shown.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
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

    fn repository(name: &str, on_github: bool, head: Head) -> Place {
        Place::Repository { name: name.into(), on_github, head }
    }

    fn branch(name: &str) -> Head {
        Head::Branch(name.into())
    }

    #[test]
    fn every_row_of_the_table() {
        let widget = repository("acme/widget", true, branch("feature/footer"));
        assert_eq!(shown(&widget, false), "acme/widget · feature/footer · 12m");
        assert_eq!(shown(&widget, true), "📌 acme/widget · feature/footer · 12m");
        assert_eq!(shown(&repository("widget", false, branch("main")), false), "widget · main · ! · 12m");
        let detached = repository("acme/widget", true, Head::Detached("a1b2c3d".into()));
        assert_eq!(shown(&detached, false), "acme/widget · @a1b2c3d · ! · 12m");
        assert_eq!(shown(&Place::Unusable, false), "repo — · ! · 12m");
        assert_eq!(shown(&Place::Unverified, true), "📌 repo — · ~ · 12m");
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
        let place = repository(hostile, false, branch(hostile));
        let shown = shown(&place, false);
        assert!(!shown.chars().any(is_harmful), "{shown:?}");
        assert!(shown.contains("é漢🙂"));
    }
}
