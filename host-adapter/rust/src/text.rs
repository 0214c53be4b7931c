//! Text as a person may see it: without control characters that could move a cursor, break a line or reorder words.

/// `text` on one line: every control character becomes a visible U+FFFD.
pub fn plain_line(text: &str) -> String {
    text.chars().map(|char| if is_control(char) { char::REPLACEMENT_CHARACTER } else { char }).collect()
}

/// As [`plain_line`], but keeps the line breaks.
pub fn plain_lines(text: &str) -> String {
    text.split('\n').map(plain_line).collect::<Vec<_>>().join("\n")
}

/// As [`plain_lines`], but keeps the tabs as well, and takes the line breaks of Windows for what they are: a whole text
/// as a terminal may show it.
pub fn plain_text(text: &str) -> String {
    let shown =
        |char| if is_control(char) && !matches!(char, '\n' | '\t') { char::REPLACEMENT_CHARACTER } else { char };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// Whether a character could move a cursor, break a line or reorder words: C0, DEL and C1, the bidirectional controls,
/// and the two line breaks of Unicode.
pub fn is_control(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_become_visible() {
        assert_eq!(
            plain_line("a\u{1b}[2Jb\u{9b}\u{202e}\u{2028}\r\n"),
            "a\u{fffd}[2Jb\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(plain_line("acme · 📌 ü"), "acme · 📌 ü");
    }

    #[test]
    fn line_breaks_can_be_kept() {
        assert_eq!(plain_lines("one\ntwo\r\n"), "one\ntwo\u{fffd}\n");
    }

    #[test]
    fn a_whole_text_keeps_its_tabs() {
        assert_eq!(plain_text("\tone\r\ntwo\r\u{1b}[2J\n"), "\tone\ntwo\u{fffd}\u{fffd}[2J\n");
    }
}
