//! What goes out: JSON pages and slices of text that never exceed the wire budget.
//!
//! The budget is counted on what a model is given, so a page is measured as the JSON that it is and not as the text in it.

use std::fmt::Write;

use serde::Serialize;

use super::{Answer, Output};
use crate::text::{byte_of, code_points, prefix};

/// The most that one result holds, in bytes of UTF-8.
pub(super) const BUDGET: usize = 32 * 1024;
/// The longest end of a page: the largest cursor.
const PAGE_END: usize = r#"],"next_cursor":18446744073709551615}"#.len();
/// How much of a path or another name is shown. Longer ones exist only where somebody wrote the session file by hand.
const LONGEST_NAME: usize = 1_024;

/// The default of `limit_chars` of the tools that read.
const READ_DEFAULT: usize = 12_000;
/// The most that it can be.
const READ_MOST: usize = 50_000;

/// A JSON answer that is known to be small.
pub(super) fn json<T: Serialize>(value: &T) -> Answer {
    Ok(plain(to_json(value)?))
}

/// An answer that does not end the turn.
pub(super) fn plain(text: String) -> Output {
    Output { text, terminate: false }
}

/// The JSON of a value.
pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| format!("The answer cannot be written as JSON: {error}."))
}

/// A name as it is shown.
pub(super) fn name(name: &str) -> &str {
    prefix(name, LONGEST_NAME)
}

/// A page of rows, `{"<key>":[...],"next_cursor":...}`, that takes rows as long as they fit.
pub(super) struct Page {
    text: String,
    rows: usize,
}

impl Page {
    pub(super) fn new(key: &str) -> Self {
        Self { text: format!("{{\"{key}\":["), rows: 0 }
    }

    /// How long the JSON of the next row may be.
    pub(super) fn room(&self) -> usize {
        let separator = usize::from(self.rows > 0);
        BUDGET.saturating_sub(self.text.len() + separator + PAGE_END)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Takes a row if it fits.
    pub(super) fn push(&mut self, row: &str) -> bool {
        if row.len() > self.room() {
            return false;
        }
        if self.rows > 0 {
            self.text.push(',');
        }
        self.text.push_str(row);
        self.rows += 1;
        true
    }

    /// Ends the page.
    pub(super) fn finish(mut self, next_cursor: Option<usize>) -> Output {
        let _ = match next_cursor {
            Some(cursor) => write!(self.text, "],\"next_cursor\":{cursor}}}"),
            None => write!(self.text, "],\"next_cursor\":null}}"),
        };
        plain(self.text)
    }

    /// Ends a page that has no next one. Says how many rows did not fit, if any.
    pub(super) fn finish_without_cursor(mut self, omitted: usize) -> Output {
        self.text.push(']');
        if omitted > 0 {
            let _ = write!(self.text, ",\"omitted\":{omitted}");
        }
        self.text.push('}');
        plain(self.text)
    }
}

/// The longest beginning of a text that takes at most `room` bytes inside of a JSON string.
pub(super) fn json_prefix(text: &str, room: usize) -> &str {
    let mut taken = 0;
    for (byte, c) in text.char_indices() {
        taken += match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            c => c.len_utf8(),
        };
        if taken > room {
            return &text[..byte];
        }
    }
    text
}

/// Which part of a text a model wants to read.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    pub(super) offset_chars: Option<i64>,
    pub(super) limit_chars: Option<u64>,
}

/// Reads a part of a text: a header line that says which, then the text as it is.
///
/// Gives the longest beginning of that part that fits, so that following `continue at` rebuilds the whole.
pub(super) fn read(identity: &str, text: &str, slice: Slice) -> Answer {
    let total = code_points(text);
    let start = start(slice.offset_chars.unwrap_or(0), total)?;
    let limit = super::within("limit_chars", slice.limit_chars, READ_DEFAULT, READ_MOST)?;
    let rest = &text[byte_of(text, start)..];
    let wanted = &rest[..byte_of(rest, limit)];
    let header = |end: usize| {
        let after = if end < total { format!("continue at offset_chars={end}") } else { "end".into() };
        format!("[{identity} · chars {start}-{end} of {total} · {after}]\n")
    };
    // No header is longer than one that goes on and ends right before the last character.
    let longest = header(total.saturating_sub(1)).len().max(header(total).len());
    let given = prefix(wanted, BUDGET.saturating_sub(longest));
    Ok(plain(header(start + code_points(given)) + given))
}

/// Where to start: counted from the end if negative.
fn start(offset: i64, total: usize) -> Result<usize, String> {
    let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    if offset < 0 {
        Ok(total.saturating_sub(distance))
    } else if distance <= total {
        Ok(distance)
    } else {
        Err(format!(
            "offset_chars {offset} is past the end. The largest offset here is {total}; -1 is the last character."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_takes_what_fits_and_not_a_byte_more() {
        let mut page = Page::new("items");
        let row = format!("\"{}\"", "x".repeat(998));
        while page.push(&row) {}
        assert_eq!(page.rows(), 32);
        let last = format!("\"{}\"", "x".repeat(page.room() - 2));
        assert!(!page.push(&format!("{last}\"")) && page.push(&last));
        let text = page.finish(Some(usize::MAX)).text;
        assert!(text.len() <= BUDGET && text.len() > BUDGET - 20, "{}", text.len());
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }

    #[test]
    fn a_json_prefix_is_measured_as_json_writes_it() {
        for c in (0..0x250).filter_map(char::from_u32).chain(['\u{2028}', '日', '🙂']) {
            let text: String = std::iter::repeat_n(c, 3).collect();
            let each = (serde_json::to_string(&text).unwrap().len() - 2) / 3;
            assert_eq!(json_prefix(&text, 2 * each).chars().count(), 2, "{c:?}");
            assert_eq!(json_prefix(&text, 2 * each - 1).chars().count(), 1, "{c:?}");
        }
    }

    fn slice(offset_chars: i64, limit_chars: u64) -> Slice {
        Slice { offset_chars: Some(offset_chars), limit_chars: Some(limit_chars) }
    }

    #[test]
    fn a_header_says_which_part_it_is() {
        let text = "aé日🙂e";
        let read = |offset, limit| read("w i", text, slice(offset, limit)).map(|output| output.text);
        assert_eq!(read(1, 2).unwrap(), "[w i · chars 1-3 of 5 · continue at offset_chars=3]\né日");
        assert_eq!(read(-2, 50).unwrap(), "[w i · chars 3-5 of 5 · end]\n🙂e");
        assert_eq!(read(-99, 1).unwrap(), "[w i · chars 0-1 of 5 · continue at offset_chars=1]\na");
        assert_eq!(read(5, 1).unwrap(), "[w i · chars 5-5 of 5 · end]\n");
        assert!(read(6, 1).unwrap_err().contains("The largest offset here is 5"));
        assert!(read(0, 0).unwrap_err().contains("limit_chars must be 1 to 50000"));
        assert!(read(0, 50_001).is_err());
        assert_eq!(super::read("w", "", slice(0, 1)).unwrap().text, "[w · chars 0-0 of 0 · end]\n");
    }

    #[test]
    fn reading_stops_at_the_budget_between_characters() {
        let text = "🙂".repeat(20_000);
        let output = read("w", &text, slice(0, 50_000)).unwrap().text;
        assert!(output.len() <= BUDGET && output.len() > BUDGET - 8, "{}", output.len());
    }
}
