//! Patterns for the paths of notes.
//!
//! | in a pattern | matches |
//! | --- | --- |
//! | `*` | any characters but `/`, also none |
//! | `?` | one character but `/` |
//! | `**` | any characters, also `/` |
//! | `**/` at the beginning or after a `/` | any number of whole segments, also none |
//! | anything else | itself |
//!
//! The work is at most the length of the pattern times that of the path, whatever the pattern.

/// A step of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    One(char),
    AnyOne,
    AnyInSegment,
    Any,
    /// `**/`: nothing, or anything that ends in `/`.
    Segments,
}

/// Whether a path fits a pattern.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let steps = steps(pattern);
    let path: Vec<char> = path.chars().collect();
    // reachable[i]: the steps so far can match the first i characters.
    let mut reachable = vec![false; path.len() + 1];
    reachable[0] = true;
    for step in steps {
        reachable = after(step, &reachable, &path);
    }
    reachable[path.len()]
}

fn steps(pattern: &str) -> Vec<Step> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut steps = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        let begins_segment = at == 0 || chars[at - 1] == '/';
        let (step, length) = match &chars[at..] {
            ['*', '*', '/', ..] if begins_segment => (Step::Segments, 3),
            ['*', '*', ..] => (Step::Any, 2),
            ['*', ..] => (Step::AnyInSegment, 1),
            ['?', ..] => (Step::AnyOne, 1),
            [c, ..] => (Step::One(*c), 1),
            [] => break,
        };
        steps.push(step);
        at += length;
    }
    steps
}

/// What is reachable after one more step.
fn after(step: Step, before: &[bool], path: &[char]) -> Vec<bool> {
    let mut after = vec![false; before.len()];
    let mut open = false;
    for end in 0..before.len() {
        let last = end.checked_sub(1).map(|index| path[index]);
        after[end] = match step {
            Step::One(wanted) => last == Some(wanted) && before[end - 1],
            Step::AnyOne => last.is_some_and(|c| c != '/') && before[end - 1],
            Step::AnyInSegment => {
                open = before[end] || open && last != Some('/');
                open
            }
            Step::Any => {
                open |= before[end];
                open
            }
            Step::Segments => {
                let reached = before[end] || open && last == Some('/');
                open |= before[end];
                reached
            }
        };
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_the_table_says() {
        for (pattern, path) in [
            ("plan.md", "plan.md"),
            ("*.md", "plan.md"),
            ("*", "plan.md"),
            ("*", ""),
            ("p*n.*", "plan.md"),
            ("pl?n.md", "plän.md"),
            ("a/*/c", "a/b/c"),
            ("**", "a/b/c"),
            ("**/*.md", "plan.md"),
            ("**/*.md", "a/b/plan.md"),
            ("a/**/c", "a/c"),
            ("a/**/c", "a/b/b/c"),
            ("a/**", "a/b/c"),
            ("a**c", "a/b/c"),
            ("**/c", "c"),
            ("[a]{b}!", "[a]{b}!"),
        ] {
            assert!(matches(pattern, path), "{pattern} should match {path}");
        }
        for (pattern, path) in [
            ("*.md", "a/plan.md"),
            ("plan", "plan.md"),
            ("PLAN.md", "plan.md"),
            ("?", "/"),
            ("?", ""),
            ("?", "ab"),
            ("a/*", "a/b/c"),
            ("a/**/c", "ac"),
            ("a/**/c", "a/bc"),
            ("**/c", "bc"),
            ("", "a"),
        ] {
            assert!(!matches(pattern, path), "{pattern} should not match {path}");
        }
    }

    #[test]
    fn a_pattern_made_to_take_long_does_not() {
        assert!(!matches(&"**a".repeat(300), &"a".repeat(299)));
        assert!(!matches(&format!("{}b", "*a".repeat(300)), &"a".repeat(2_000)));
    }
}
