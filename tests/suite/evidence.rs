//! What must hold for every tool call, whatever the model wrote into it.

use pi_capsule::footer::evidence::{Evidence, of_call};
use pi_capsule::footer::path;
use pi_capsule::host::PathStyle;
use proptest::prelude::*;
use serde_json::json;

/// Commands that say something, with a space at every place between two words.
const TELLING: [&str; 11] = [
    "cd /src/b && make test",
    "cd 'my dir' && git switch topic",
    "git -C /src/b log --oneline",
    "git -C \"/src/b\" switch topic",
    "git worktree add ../b topic",
    "git switch topic && make && gh pr create",
    "gh pr merge --squash",
    "cat -n /src/b/x",
    "grep -rn 'a$b' /src/b",
    "sed -n 1,5p /src/b/x",
    "find /src/b -name x",
];

/// What means something to a shell wherever it stands without quotes.
const METACHARACTERS: [&str; 20] =
    ["&", ";", "$", "`", "|", "<", ">", "(", ")", "{", "}", "!", "*", "?", "[", "#", "\\", "\n", "\r", "\0"];

fn bash(command: &str) -> Evidence {
    of_call("bash", &json!({ "command": command }).to_string(), "/src/a", PathStyle::Posix)
}

/// The places of a command that are outside of quotes, the end included.
fn unquoted(command: &str) -> Vec<usize> {
    let mut quote = None;
    let mut places = Vec::new();
    for (at, c) in command.char_indices() {
        if quote.is_none() {
            places.push(at);
        }
        match quote {
            None if c == '\'' || c == '"' => quote = Some(c),
            Some(open) if c == open => quote = None,
            _ => {}
        }
    }
    if quote.is_none() {
        places.push(command.len());
    }
    places
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(vec!["cd", "git", "gh", "cat", "ls", "grep", "find", "sed", "pr", "worktree", "add", "switch"]),
        4 => prop::sample::select(vec!["-C", "-n", "--", "-", "/src/b", "../b", "b", "''", "'a b'", "\"c\"", "..", "/"]),
        2 => prop::sample::select(vec!["&&", " ", "\t", "~", "~/b", "'", "\"", "C:\\b", "\\\\host\\share", "é", "\u{202e}"]),
        1 => prop::sample::select(METACHARACTERS.to_vec()),
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        words().prop_map(|command| json!({ "command": command }).to_string()),
        ".{0,40}".prop_map(|command| json!({ "command": command }).to_string()),
        prop::collection::vec(".{0,20}", 0..40).prop_map(|paths| json!({ "paths": paths }).to_string()),
        "[./\\\\~a\u{0}:C-]{0,20}".prop_map(|path| json!({ "path": path, "filePath": path }).to_string()),
        ".{0,40}",
    ]
}

#[test]
fn each_telling_command_says_something() {
    for command in TELLING {
        assert_ne!(bash(command), Evidence::default(), "{command}");
    }
}

#[test]
fn a_metacharacter_at_any_place_without_quotes_takes_all_evidence_away() {
    for command in TELLING {
        for place in unquoted(command) {
            for metacharacter in METACHARACTERS {
                let (before, after) = command.split_at(place);
                let changed = format!("{before}{metacharacter}{after}");
                assert_eq!(bash(&changed), Evidence::default(), "{changed:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_command_with_a_metacharacter_without_quotes_says_anything(
        before in words(), metacharacter in prop::sample::select(METACHARACTERS.to_vec()), after in words(),
    ) {
        prop_assume!(unquoted(&before).last() == Some(&before.len()));
        let command = format!("{before} {metacharacter} {after}");
        prop_assert_eq!(bash(&command), Evidence::default(), "{:?}", command);
    }

    #[test]
    fn every_hint_is_an_absolute_path_of_the_machine(
        tool in prop::sample::select(vec!["read", "write", "edit", "grep", "find", "ls", "bash", "Read", "other"]),
        arguments in arguments(),
        windows: bool,
    ) {
        let (cwd, style) = if windows { ("C:\\src\\a", PathStyle::Windows) } else { ("/src/a", PathStyle::Posix) };
        let Evidence { hints, effects, after } = of_call(tool, &arguments, cwd, style);
        for hint in hints.iter().chain(&after) {
            prop_assert!(path::is_absolute(&hint.path, style), "{:?}", hint);
            prop_assert_eq!(path::join(cwd, &hint.path, style), Some(hint.path.clone()));
        }
        prop_assert!(hints.len() <= 32 && after.len() <= 2 && effects.len() <= 2);
        prop_assert!(matches!(tool, "bash") || (after.is_empty() && effects.is_empty()));
        prop_assert!(!matches!(tool, "Read" | "other") || hints.is_empty());
    }
}
