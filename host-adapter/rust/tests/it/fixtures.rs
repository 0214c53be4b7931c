//! The component reads stored sessions: those in `tests/fixtures/sessions`, each with what it holds beside it, as
//! another reader found it. `host-adapter/pi/scripts/fixtures.ts` makes both.

use std::fs;
use std::path::PathBuf;

use pi_capsule_host::session_file::Skipped;
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::tools::Invocation;
use pi_capsule_host::{Capsule, LocalHost};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support;

/// What a session holds.
#[derive(Debug, Deserialize, PartialEq)]
struct Contents {
    windows: Vec<Value>,
    items: Vec<Value>,
    notes: Vec<Value>,
}

/// A session that the component has been told of.
struct Reader {
    capsule: Capsule<LocalHost>,
}

impl Reader {
    fn open(name: &str) -> (Reader, Skipped) {
        let (host, skipped) = LocalHost::open(support::session(name)).unwrap();
        let mut capsule = Capsule::instantiate(support::shipped_module(), host.without_programs()).unwrap();
        capsule.session_started(StartReason::Resume).unwrap();
        (Reader { capsule }, skipped)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let (name, arguments) = (tool.into(), arguments.to_string());
        let invocation = Invocation { call_id: "1".into(), name, arguments, cwd: "/work/widget".into() };
        self.capsule.call_tool(&invocation).unwrap().unwrap_or_else(|error| panic!("{tool}: {error}")).text
    }

    /// The rows of all pages.
    fn list(&mut self, tool: &str, rows: &str, mut arguments: Value) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let mut page: Value = serde_json::from_str(&self.call(tool, &arguments)).unwrap();
            all.append(page[rows].as_array_mut().unwrap());
            if page["next_cursor"].is_null() {
                return all;
            }
            arguments["cursor"] = page["next_cursor"].take();
        }
    }

    /// The whole text, put together from parts.
    fn read(&mut self, tool: &str, mut arguments: Value) -> String {
        let mut text = String::new();
        loop {
            let answer = self.call(tool, &arguments);
            let (header, part) = answer.split_once('\n').unwrap();
            text += part;
            match header.split_once("continue at offset_chars=") {
                Some((_, rest)) => arguments["offset_chars"] = rest.trim_end_matches(']').parse().unwrap(),
                None => return text,
            }
        }
    }

    fn contents(&mut self) -> Contents {
        let windows = self.list("history_list_windows", "windows", json!({ "recent_first": false }));
        let list = json!({ "recent_first": false, "limit": 7, "max_chars_per_item": 5 });
        let mut items = self.list("history_list_items", "items", list);
        for item in &mut items {
            let identity = json!({ "window_id": item["window_id"], "item_id": item["item_id"], "limit_chars": 50 });
            let content = self.read("history_read_item", identity);
            check_excerpt(item, &content);
            item["content"] = content.into();
        }
        let list = json!({ "file_order_by": "name", "file_order": "ascending", "max_results": 2 });
        let mut notes = self.list("notes_list_files", "files", list);
        for note in &mut notes {
            let text = self.read("notes_read_file", json!({ "path": note["path"], "limit_chars": 5 }));
            assert_eq!(take(note, "size_bytes"), text.len());
            note["text"] = text.into();
            for time in ["created_at", "updated_at"] {
                note[time] = milliseconds(note[time].as_str().unwrap()).into();
            }
        }
        Contents { windows, items, notes }
    }
}

/// What a list shows of an item is the beginning of it. Takes away what only a list has.
fn check_excerpt(item: &mut Value, content: &str) {
    let excerpt: String = content.chars().take(5).collect();
    assert_eq!(take(item, "truncated_content"), excerpt);
    assert_eq!(take(item, "total_chars"), content.chars().count());
    assert_eq!(take(item, "truncated"), excerpt.len() < content.len());
}

fn take(row: &mut Value, member: &str) -> Value {
    row.as_object_mut().unwrap().remove(member).unwrap()
}

/// Of a time as ISO 8601 has it. The calendar repeats itself every 400 years, and so brings years of six digits, which
/// JavaScript dates can have, into the range of the library.
fn milliseconds(time: &str) -> i64 {
    const CYCLE: i64 = 146_097 * 24 * 60 * 60 * 1000;
    let (year, rest) = time.split_at(time.find('-').filter(|&at| at > 0).unwrap_or(7));
    let year: i64 = year.parse().unwrap();
    let within: jiff::Timestamp = format!("{:04}{rest}", year.rem_euclid(400) + 2000).parse().unwrap();
    within.as_millisecond() + CYCLE * (year.div_euclid(400) - 5)
}

fn expected(name: &str) -> Contents {
    let path = support::session(name).with_extension("expected.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The component finds what is expected, and nobody has touched the file.
fn check(name: &str) -> Skipped {
    let file: PathBuf = support::session(name);
    let before = fs::read(&file).unwrap();
    let (mut reader, skipped) = Reader::open(name);
    let (found, expected) = (reader.contents(), expected(name));
    assert_eq!(found.windows, expected.windows);
    assert_rows(&found.items, &expected.items);
    assert_rows(&found.notes, &expected.notes);
    reader.capsule.session_shut_down(ShutdownReason::Quit).unwrap();
    assert_eq!(fs::read(&file).unwrap(), before);
    skipped
}

/// One by one, so that a failure shows the row and not all of them.
fn assert_rows(found: &[Value], expected: &[Value]) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn a_session_of_the_typescript_extension() {
    assert!(check("typescript").is_empty());
}

#[test]
fn a_session_of_this_extension_in_pi() {
    assert!(check("capsule").is_empty());
}

#[test]
fn a_session_of_the_first_version() {
    assert!(check("legacy").is_empty());
}

#[test]
fn a_session_in_which_much_is_broken() {
    let skipped = check("malformed");
    assert_eq!((skipped.unreadable_lines, skipped.truncated_end), (2, true));
    // Some of a known kind make no sense: messages without a role, an edit without a target.
    let unknown = [("context_edit", 1), ("hologram", 1), ("message", 2)];
    assert_eq!(skipped.unknown_kinds, unknown.map(|(kind, count)| (kind.into(), count)).into());
}

#[test]
fn what_was_taken_out_of_the_context_is_not_found_either() {
    let (mut reader, _) = Reader::open("typescript");
    for query in
        ["swordfish", "prase", "from a sibling", "parser generator", "printenv", "API_KEY", "secret", "Where is it?"]
    {
        let arguments = json!({ "query": query });
        let items = reader.list("history_search_contents", "items", arguments.clone());
        let notes = reader.list("notes_search_contents", "files", arguments);
        assert_eq!((items, notes), (Vec::new(), Vec::new()), "{query}");
    }
}
