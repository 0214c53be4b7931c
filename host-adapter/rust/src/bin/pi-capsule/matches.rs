//! Makes what was looked for stand out in a text.

use std::cmp::Reverse;

use anstyle::{AnsiColor, Color, Style};

const MATCH: Style = Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Red)));

/// `text` with every occurrence of a query marked; of several at one place, the longest.
pub(crate) fn marked(text: &str, queries: &[String]) -> String {
    let mut marked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, length)) = first(rest, queries) {
        marked += &rest[..at];
        // Line by line: what stands in front of the next line is not part of it.
        let lines = rest[at..at + length].split('\n').map(|line| format!("{MATCH}{line}{MATCH:#}"));
        marked += &lines.collect::<Vec<_>>().join("\n");
        rest = &rest[at + length..];
    }
    marked + rest
}

/// Where the first occurrence begins, and how long it is.
fn first(text: &str, queries: &[String]) -> Option<(usize, usize)> {
    let queries = queries.iter().filter(|query| !query.is_empty());
    let found = queries.filter_map(|query| Some((text.find(query.as_str())?, query.len())));
    found.min_by_key(|&(at, length)| (at, Reverse(length)))
}
