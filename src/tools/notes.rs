//! The note tools that read: virtual files inside the session.
//!
//! A cursor counts files in the order that was asked for.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::glob;
use super::output::{Page, Slice, json_prefix, name, read, to_json};
use super::query::{Matcher, Query};
use super::{Answer, Context, Definition, Tool, arguments, begin, within};
use crate::host::{Host, Timestamp};
use crate::session::{Note, Notes};
use crate::text::{byte_of, code_points, in_header, iso_time, quoted};

/// The default of `max_results`.
const RESULTS_DEFAULT: usize = 50;
/// The most that it can be.
const RESULTS_MOST: usize = 200;
/// The default of `max_files` and of `max_matches_per_file`.
const SEARCH_DEFAULT: usize = 20;
/// The most that they can be.
const SEARCH_MOST: usize = 100;
/// How much of a line is shown, in code points.
const LINE_SHOWN: usize = 400;
/// How many notes an error names.
const NOTES_NAMED: usize = 20;

pub(super) const LIST_FILES: Tool = Tool {
    definition: Definition {
        name: "notes_list_files",
        label: "List notes",
        description: "Lists your notes, the latest change first. Notes are files of this session, not of the disk; they \
            survive when the context window is cleared. Answers {\"files\": [{\"path\", \"size_bytes\", \"stale\", \
            \"created_at\", \"updated_at\"}], \"next_cursor\"}. Call again with cursor = next_cursor for more; null means \
            that was all.",
        parameters: r#"{
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "Only paths that fit: * within a folder, ** across folders, ? for one character. \"**/*.md\" is every .md note."},
                "max_results": {"type": "integer", "minimum": 1, "maximum": 200, "description": "At most this many notes, 50 by default. A page may hold fewer."},
                "cursor": {"type": "integer", "minimum": 0, "description": "next_cursor of the page before. 0 or absent for the first page."},
                "file_order_by": {"type": "string", "enum": ["name", "created_at", "updated_at"], "description": "What to sort by, updated_at by default."},
                "file_order": {"type": "string", "enum": ["ascending", "descending"], "description": "The direction. By default names ascend and times descend."}
            },
            "additionalProperties": false
        }"#,
        prompt_snippet: "List the notes that survive when the context is cleared",
        sequential: false,
    },
    call: list_files,
};

pub(super) const READ_FILE: Tool = Tool {
    definition: Definition {
        name: "notes_read_file",
        label: "Read note",
        description: "Reads a note. The first line says when it was written, which characters these are and, if there are \
            more, where to continue: call again with that offset_chars. Then comes the text itself.",
        parameters: r#"{
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The note, as notes_list_files gives it."},
                "offset_chars": {"type": "integer", "description": "The first character to read, 0 by default. Negative counts from the end: -500 reads the last 500."},
                "limit_chars": {"type": "integer", "minimum": 1, "maximum": 50000, "description": "At most this many characters, 12000 by default."}
            },
            "required": ["path"],
            "additionalProperties": false
        }"#,
        prompt_snippet: "Read a note",
        sequential: false,
    },
    call: read_file,
};

pub(super) const SEARCH_CONTENTS: Tool = Tool {
    definition: Definition {
        name: "notes_search_contents",
        label: "Search notes",
        description: "Finds lines of your notes that contain a text. Case-sensitive, no patterns; of several texts one is \
            enough. Answers {\"files\": [{\"path\", \"stale\", \"matches_total\", \"matches\": [{\"line\", \"text\", \
            \"truncated\", \"total_chars\", \"offset_chars\"}]}], \"next_cursor\"}: line counts from 1, total_chars is the \
            length of the line, offset_chars is where the match begins in the note, for notes_read_file.",
        parameters: r#"{
            "type": "object",
            "properties": {
                "query": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}], "description": "The text to look for, or several."},
                "path_prefix": {"type": "string", "description": "Only notes whose path begins with this."},
                "max_files": {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most this many notes, 20 by default. A page may hold fewer."},
                "max_matches_per_file": {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most this many lines of each note, 20 by default."},
                "recent_file_first": {"type": "boolean", "description": "The latest change first, which is the default; false gives the oldest first."},
                "cursor": {"type": "integer", "minimum": 0, "description": "next_cursor of the page before. 0 or absent for the first page."}
            },
            "required": ["query"],
            "additionalProperties": false
        }"#,
        prompt_snippet: "Search the notes for a text",
        sequential: false,
    },
    call: search_contents,
};

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OrderBy {
    Name,
    CreatedAt,
    UpdatedAt,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Ascending,
    Descending,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFiles {
    pattern: Option<String>,
    max_results: Option<u64>,
    cursor: Option<u64>,
    file_order_by: Option<OrderBy>,
    file_order: Option<Direction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    path: String,
    offset_chars: Option<i64>,
    limit_chars: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: Query,
    path_prefix: Option<String>,
    max_files: Option<u64>,
    max_matches_per_file: Option<u64>,
    recent_file_first: Option<bool>,
    cursor: Option<u64>,
}

#[derive(Serialize)]
struct FileRow<'a> {
    path: &'a str,
    size_bytes: usize,
    stale: bool,
    created_at: String,
    updated_at: String,
}

#[derive(Serialize)]
struct MatchesRow<'a> {
    path: &'a str,
    stale: bool,
    matches_total: usize,
    matches: Vec<Match<'a>>,
}

#[derive(Serialize)]
struct Match<'a> {
    line: usize,
    text: &'a str,
    truncated: bool,
    total_chars: usize,
    offset_chars: usize,
}

/// Notes in the order that was asked for; those that compare equal by path, so that an order is one.
fn sorted(notes: &Notes, by: OrderBy, direction: Direction) -> Vec<(&str, &Note)> {
    let mut files: Vec<(&str, &Note)> = notes.iter().collect();
    let compare = |(_, a): &(&str, &Note), (_, b): &(&str, &Note)| match by {
        OrderBy::Name => Ordering::Equal,
        OrderBy::CreatedAt => a.created_at.cmp(&b.created_at),
        OrderBy::UpdatedAt => a.updated_at.cmp(&b.updated_at),
    };
    match (by, direction) {
        (OrderBy::Name, Direction::Ascending) => {}
        (OrderBy::Name, Direction::Descending) => files.reverse(),
        (_, Direction::Ascending) => files.sort_by(compare),
        (_, Direction::Descending) => files.sort_by(|a, b| compare(b, a)),
    }
    files
}

fn local_time(at: Timestamp, host: &dyn Host) -> String {
    iso_time(at, host.utc_offset(at))
}

fn list_files(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let ListFiles { pattern, max_results, cursor, file_order_by, file_order } =
        arguments("notes_list_files", json_arguments)?;
    let most = within("max_results", max_results, RESULTS_DEFAULT, RESULTS_MOST)?;
    let by = file_order_by.unwrap_or(OrderBy::UpdatedAt);
    let direction =
        file_order.unwrap_or(if by == OrderBy::Name { Direction::Ascending } else { Direction::Descending });
    let mut files = sorted(context.session.notes(), by, direction);
    files.retain(|(path, _)| pattern.as_deref().is_none_or(|pattern| glob::matches(pattern, path)));
    let first = begin(cursor, files.len())?;
    let mut page = Page::new("files");
    for (path, note) in files.iter().skip(first).take(most) {
        let row = FileRow {
            path: name(path),
            size_bytes: note.text.len(),
            stale: note.stale,
            created_at: local_time(note.created_at, context.host),
            updated_at: local_time(note.updated_at, context.host),
        };
        if !page.push(&to_json(&row)?) {
            break;
        }
    }
    let next = first + page.rows();
    Ok(page.finish((next < files.len()).then_some(next)))
}

fn read_file(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let ReadFile { path, offset_chars, limit_chars } = arguments("notes_read_file", json_arguments)?;
    let notes = context.session.notes();
    let note = notes.get(&path).ok_or_else(|| unknown(notes, &path))?;
    let identity = format!(
        "{} · created {} · updated {}{}",
        in_header(name(&path)),
        local_time(note.created_at, context.host),
        local_time(note.updated_at, context.host),
        if note.stale { " · stale" } else { "" },
    );
    read(&identity, &note.text, Slice { offset_chars, limit_chars })
}

/// That there is no such note, and which there are.
pub(super) fn unknown(notes: &Notes, path: &str) -> String {
    let known = sorted(notes, OrderBy::UpdatedAt, Direction::Descending);
    let named: Vec<String> = known.iter().take(NOTES_NAMED).map(|(path, _)| quoted(name(path))).collect();
    let which = match (named.len(), known.len()) {
        (0, _) => "There are no notes yet; notes_write_file makes one".to_owned(),
        (shown, all) if shown < all => format!("The latest of {all} notes: {}", named.join(", ")),
        _ => format!("The notes: {}", named.join(", ")),
    };
    format!("There is no note {}. {which}.", quoted(name(path)))
}

fn search_contents(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let Search { query, path_prefix, max_files, max_matches_per_file, recent_file_first, cursor } =
        arguments("notes_search_contents", json_arguments)?;
    let matcher = query.matcher()?;
    let most_files = within("max_files", max_files, SEARCH_DEFAULT, SEARCH_MOST)?;
    let most_matches = within("max_matches_per_file", max_matches_per_file, SEARCH_DEFAULT, SEARCH_MOST)?;
    let direction = if recent_file_first.unwrap_or(true) { Direction::Descending } else { Direction::Ascending };
    let files = sorted(context.session.notes(), OrderBy::UpdatedAt, direction);
    let mut page = Page::new("files");
    for (index, (path, note)) in files.iter().enumerate().skip(begin(cursor, files.len())?) {
        if path_prefix.as_deref().is_some_and(|prefix| !path.starts_with(prefix)) {
            continue;
        }
        let mut matches = matching_lines(&matcher, &note.text);
        if matches.is_empty() {
            continue;
        }
        if page.rows() == most_files {
            return Ok(page.finish(Some(index)));
        }
        let matches_total = matches.len();
        matches.truncate(most_matches);
        let row = MatchesRow { path: name(path), stale: note.stale, matches_total, matches };
        if !put(row, &mut page)? {
            return Ok(page.finish(Some(index)));
        }
    }
    Ok(page.finish(None))
}

/// Puts the row on the page, with as many matches as fit if it is the first. Whether it is on the page.
fn put(mut row: MatchesRow<'_>, page: &mut Page) -> Result<bool, String> {
    loop {
        if page.push(&to_json(&row)?) {
            return Ok(true);
        }
        if page.rows() > 0 || row.matches.pop().is_none() {
            return Ok(false);
        }
    }
}

/// The lines in which a match begins, each with its earliest one.
fn matching_lines<'a>(matcher: &Matcher, text: &'a str) -> Vec<Match<'a>> {
    let mut found: Vec<Match<'a>> = Vec::new();
    let (mut line, mut begin, mut chars) = (1, 0, 0);
    let mut end = line_end(text, 0);
    let mut counted = 0;
    for position in matcher.all(text) {
        if found.last().is_some_and(|last| last.line == line) && position <= end {
            continue;
        }
        while position > end {
            begin = end + 1;
            end = line_end(text, begin);
            line += 1;
        }
        chars += code_points(&text[counted..position]);
        counted = position;
        let whole = &text[begin..end];
        let shown = json_prefix(&whole[..byte_of(whole, LINE_SHOWN)], LINE_SHOWN * 4);
        found.push(Match {
            line,
            text: shown,
            truncated: shown.len() < whole.len(),
            total_chars: code_points(whole),
            offset_chars: chars,
        });
    }
    found
}

/// Where the line that begins at a byte ends: at its line break, which belongs to it, or at the end of the text.
fn line_end(text: &str, begin: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[begin..]).map_or(text.len(), |length| begin + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_once_with_its_earliest_match() {
        let matcher = Query::Several(vec!["b".into(), "é".into(), "\nx".into()]).matcher().unwrap();
        let text = "aé b\n\nbb\nx\nb";
        let found: Vec<_> = matching_lines(&matcher, text)
            .into_iter()
            .map(|found| (found.line, found.text.to_owned(), found.offset_chars))
            .collect();
        let expected = [(1, "aé b", 1), (3, "bb", 6), (5, "b", 11)].map(|(line, text, at)| (line, text.to_owned(), at));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_line_is_cut_and_says_so() {
        let matcher = Query::One("z".into()).matcher().unwrap();
        let text = format!("{}z", "é".repeat(500));
        let found = matching_lines(&matcher, &text);
        assert_eq!((found[0].truncated, found[0].total_chars, found[0].offset_chars), (true, 501, 500));
        assert_eq!(code_points(found[0].text), 400);
    }
}
