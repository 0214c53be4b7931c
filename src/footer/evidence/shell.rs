//! The words of commands that mean themselves: nothing in them that a shell would expand, redirect or run beside them.
//!
//! | in a command | what it does |
//! | --- | --- |
//! | space, tab | ends a word |
//! | `'…'` | part of a word, as it is |
//! | `"…"` | the same; a `$`, backtick or backslash in it rejects the command |
//! | `&&` | ends a command of a chain |
//! | `& ; $` backtick `\| < > ( ) { } ! * ? [ # \`, a line break, a NUL | rejects the command |
//! | `~` at the beginning of a word | rejects the command |
//! | anything else | part of a word |

/// The words of each command of a chain, in order, unless a shell might make something else of any of them. There is at
/// least one command, and each has at least one word.
pub(super) fn chain(text: &str) -> Option<Vec<Vec<String>>> {
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '&' => {
                rest.next_if_eq(&'&')?;
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        end if end == c => break,
                        '\n' | '\r' | '\0' => return None,
                        '$' | '`' | '\\' if c == '"' => return None,
                        inside => word.push(inside),
                    }
                }
            }
            '~' if word.is_none() => return None,
            _ if is_special(c) => return None,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    commands.push(words);
    commands.iter().all(|words| !words.is_empty()).then_some(commands)
}

/// Whether a shell gives the character a meaning outside of quotes.
fn is_special(c: char) -> bool {
    matches!(
        c,
        ';' | '$'
            | '`'
            | '|'
            | '<'
            | '>'
            | '('
            | ')'
            | '{'
            | '}'
            | '!'
            | '*'
            | '?'
            | '['
            | '#'
            | '\\'
            | '\n'
            | '\r'
            | '\0'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(command: &str) -> Option<Vec<String>> {
        let mut commands = chain(command)?;
        (commands.len() == 1).then(|| commands.remove(0))
    }

    #[test]
    fn words_are_what_a_shell_makes_of_them() {
        for (command, expected) in [
            ("ls", vec!["ls"]),
            ("  ls \t -l  ", vec!["ls", "-l"]),
            ("ls 'a b' \"c d\"", vec!["ls", "a b", "c d"]),
            ("ls a'b'\"c\"d", vec!["ls", "abcd"]),
            ("ls ''", vec!["ls", ""]),
            ("ls 'a$b`c\\d*~'", vec!["ls", "a$b`c\\d*~"]),
            ("ls \"it's\" '\"'", vec!["ls", "it's", "\""]),
            ("ls a~b a=b ] %,:@^+-_/.", vec!["ls", "a~b", "a=b", "]", "%,:@^+-_/."]),
            ("ls ''~", vec!["ls", "~"]),
            ("ls ä 日本", vec!["ls", "ä", "日本"]),
        ] {
            assert_eq!(one(command), Some(expected.into_iter().map(str::to_owned).collect()), "{command}");
        }
    }

    #[test]
    fn and_joins_a_chain() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(chain("cd a&&ls"), Some(vec![words(&["cd", "a"]), words(&["ls"])]));
        assert_eq!(chain("a && b c && d"), Some(vec![words(&["a"]), words(&["b", "c"]), words(&["d"])]));
    }

    #[test]
    fn what_a_shell_might_change_is_rejected() {
        for command in [
            "",
            " ",
            "&& ls",
            "ls &&",
            "a && && c",
            "ls &",
            "ls & ls",
            "ls &&& ls",
            "ls; ls",
            "ls | wc",
            "ls > a",
            "ls < a",
            "echo $HOME",
            "echo \"$HOME\"",
            "echo `ls`",
            "echo \"`ls`\"",
            "(ls)",
            "{ ls",
            "ls }",
            "ls !1",
            "ls *",
            "ls a?",
            "ls [ab",
            "ls # a",
            "ls a\\ b",
            "ls \"a\\\"b\"",
            "ls ~",
            "ls ~/a",
            "ls a\nls",
            "ls 'a\nb'",
            "ls \"a\rb\"",
            "ls 'a",
            "ls \"a",
            "ls a\0b",
            "ls 'a\0b'",
        ] {
            assert_eq!(chain(command), None, "{command:?}");
        }
    }
}
