//! `/pr-footer`: what can be typed, and what is said of it.
//!
//! | typed | what it does |
//! | --- | --- |
//! | nothing | shows the status and how the command is used |
//! | `status` | shows the line, the mode and the root |
//! | `help` | shows how the command is used |
//! | `pin <path>` | stays with the repository of that path |
//! | `unpin` | follows what the tools touch again |
//! | `refresh` | asks git and GitHub anew |
//!
//! Words only. What an order does is decided by the controller.

/// The name of the command, without the slash.
pub const NAME: &str = "pr-footer";
/// What a person reads in the list of commands.
pub const DESCRIPTION: &str = "The repository line in the footer: status, help, pin <path>, unpin, refresh";

/// The words, with what each does.
pub const WORDS: [(&str, &str); 5] = [
    ("status", "What the line shows, and why"),
    ("pin", "Stay with the repository of a path"),
    ("unpin", "Follow what the tools touch again"),
    ("refresh", "Ask git and GitHub anew"),
    ("help", "How the command is used"),
];

/// How the command is used.
pub(super) const USAGE: &str = "\
/pr-footer status        what the line shows, and why
/pr-footer pin <path>    stay with the repository of a path
/pr-footer unpin         follow what the tools touch again
/pr-footer refresh       ask git and GitHub anew
/pr-footer help          this text

In the line: ! something is not known (no GitHub, no branch, no answer about pull requests), ~ it could not be
verified just now, ? more than one repository in use at once, 📌 pinned.";

/// What the person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order<'a> {
    /// The status, then the usage.
    Overview,
    /// The status.
    Status,
    /// The usage.
    Help,
    /// To stay with the repository of a path.
    Pin(&'a str),
    /// To pin nothing in particular.
    PinNothing,
    /// To follow the tools.
    Unpin,
    /// To ask anew.
    Refresh,
    /// Something else.
    Unknown,
}

pub(super) fn order(arguments: &str) -> Order<'_> {
    let arguments = arguments.trim();
    let (word, rest) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
    match (word, rest.trim()) {
        ("", _) => Order::Overview,
        ("status", "") => Order::Status,
        ("help", "") => Order::Help,
        ("unpin", "") => Order::Unpin,
        ("refresh", "") => Order::Refresh,
        ("pin", "") => Order::PinNothing,
        ("pin", path) => Order::Pin(unquoted(path)),
        _ => Order::Unknown,
    }
}

/// A path that the person has put between quotes, as a shell wants it.
fn unquoted(path: &str) -> &str {
    let between = |quote: char| path.strip_prefix(quote)?.strip_suffix(quote).filter(|path| !path.is_empty());
    between('"').or_else(|| between('\'')).unwrap_or(path)
}

/// What could be typed next: words, or after `pin` one of the paths that the session knows.
pub(super) fn complete(typed: &str, paths: &[String]) -> Vec<(String, Option<&'static str>)> {
    let typed = typed.trim_start();
    match typed.strip_prefix("pin ") {
        Some(begun) => {
            let known = paths.iter().filter(|path| path.starts_with(begun.trim_start()));
            known.map(|path| (format!("pin {path}"), None)).collect()
        }
        None => {
            let known = WORDS.iter().filter(|(word, _)| word.starts_with(typed));
            known.map(|&(word, what)| (word.to_owned(), Some(what))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_and_what_is_none() {
        for (typed, expected) in [
            ("", Order::Overview),
            ("  ", Order::Overview),
            ("status", Order::Status),
            (" help ", Order::Help),
            ("unpin", Order::Unpin),
            ("refresh", Order::Refresh),
            ("pin", Order::PinNothing),
            ("pin .", Order::Pin(".")),
            ("pin  /src/my widget ", Order::Pin("/src/my widget")),
            ("pin \"/src/my widget\"", Order::Pin("/src/my widget")),
            ("pin 'a'", Order::Pin("a")),
            ("pin ''", Order::Pin("''")),
            ("pinned", Order::Unknown),
            ("status now", Order::Unknown),
            ("STATUS", Order::Unknown),
        ] {
            assert_eq!(order(typed), expected, "{typed:?}");
        }
    }

    #[test]
    fn words_are_completed_and_then_paths() {
        let paths = ["/src/a".to_owned(), "/src/b c".to_owned(), "/tmp".to_owned()];
        let values =
            |typed: &str| -> Vec<String> { complete(typed, &paths).into_iter().map(|(value, _)| value).collect() };
        assert_eq!(values(""), ["status", "pin", "unpin", "refresh", "help"]);
        assert_eq!(values("p"), ["pin"]);
        assert_eq!(values("pin "), ["pin /src/a", "pin /src/b c", "pin /tmp"]);
        assert_eq!(values("pin /src/b"), ["pin /src/b c"]);
        assert_eq!(values("x"), [""; 0]);
    }

    #[test]
    fn the_usage_names_every_word() {
        for (word, _) in WORDS {
            assert!(USAGE.contains(&format!("/pr-footer {word}")), "{word}");
        }
    }
}
