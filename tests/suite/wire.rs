//! What goes out to the model, for any text: parts that rebuild the whole, and pages that cover everything once.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::branch::{NewEntry, assistant, tool_result, user};
use crate::world::{Guest, Native, World, tell};

/// The most that a result holds, in bytes.
const BUDGET: usize = 32 * 1024;
/// More calls than anything here needs: a reader that gets no further would go on for ever.
const PATIENCE: usize = 2_000;
const ROOT: &str = "pcw:01234567:root";

/// Text of every kind of character, also those that take many bytes in JSON.
fn text(longest: usize) -> impl Strategy<Value = String> {
    let character = prop_oneof![
        6 => prop::char::range('a', 'z'),
        1 => Just('\n'),
        1 => prop::char::range('\0', '\u{1f}'),
        1 => prop_oneof![Just('"'), Just('\\'), Just('<')],
        1 => prop_oneof![Just('é'), Just('\u{301}'), Just('\u{fffd}'), Just('\u{200d}'), Just('\u{2028}')],
        1 => prop::char::range('一', '十'),
        1 => prop::char::range('😀', '😏'),
    ];
    // A short piece many times over: long texts without a generator that takes long.
    (prop::collection::vec(character, 0..40), 0..=longest / 40 + 1)
        .prop_map(|(piece, times)| piece.into_iter().collect::<String>().repeat(times))
}

fn native(entries: impl IntoIterator<Item = NewEntry>) -> Native {
    let world = World::new();
    for entry in entries {
        world.borrow_mut().push([entry]);
    }
    let mut guest = Native::new(world);
    guest.start();
    guest
}

/// Follows `continue at` to the end.
fn read_all(guest: &mut dyn Guest, tool: &str, arguments: &Value, limit: u64) -> String {
    let mut whole = String::new();
    let mut offset = json!(0);
    for _ in 0..PATIENCE {
        let mut arguments = arguments.clone();
        arguments["offset_chars"] = offset;
        arguments["limit_chars"] = json!(limit);
        let answer = guest.call(tool, &arguments.to_string()).expect("a part");
        assert!(answer.len() <= BUDGET, "{}", answer.len());
        let (header, part) = answer.split_once('\n').expect("a header");
        assert!(part.chars().count() as u64 <= limit);
        whole.push_str(part);
        match header.split_once("continue at offset_chars=") {
            Some((_, next)) => offset = next.trim_end_matches(']').parse::<u64>().expect("a number").into(),
            None => return whole,
        }
    }
    panic!("{tool} does not get to the end");
}

/// The items of all pages, each checked to be within the budget.
fn pages(guest: &mut dyn Guest, tool: &str, arguments: &Value) -> Vec<Value> {
    let mut items = Vec::new();
    let mut cursor = json!(0);
    for _ in 0..PATIENCE {
        let mut arguments = arguments.clone();
        arguments["cursor"] = cursor;
        let answer = guest.call(tool, &arguments.to_string()).expect("a page");
        assert!(answer.len() <= BUDGET, "{}", answer.len());
        let page: Value = serde_json::from_str(&answer).expect("JSON");
        let rows = page["items"].as_array().or(page["files"].as_array()).expect("rows");
        items.extend(rows.iter().cloned());
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            return items;
        }
        assert!(!rows.is_empty(), "an empty page that is not the last");
    }
    panic!("{tool} does not get to the end");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_parts_of_an_item_or_a_note_rebuild_it(text in text(60_000), limit in 1_000..50_000u64) {
        let mut guest = native([user(&text)]);
        if !text.is_empty() {
            let arguments = json!({"window_id": ROOT, "item_id": "e0"});
            prop_assert_eq!(&read_all(&mut guest, "history_read_item", &arguments, limit), &text);
        }
        guest.call_tool("notes_write_file", &json!({"path": "a", "text": text}).to_string()).expect("written");
        prop_assert_eq!(&read_all(&mut guest, "notes_read_file", &json!({"path": "a"}), limit), &text);
    }

    #[test]
    fn pages_of_items_cover_each_once(
        texts in prop::collection::vec(text(9_000), 0..30),
        limit in 1..100usize,
        recent_first in any::<bool>(),
        chars in 1..50_000u32,
        search in any::<bool>(),
    ) {
        let entries = texts.iter().enumerate().map(|(index, text)| match index % 3 {
            0 => user(&format!("x{text}")),
            1 => assistant("", &[("read", &format!("x{text}"))]),
            _ => tool_result("read", &format!("x{text}")),
        });
        let mut guest = native(entries);
        let mut arguments = json!({"limit": limit, "recent_first": recent_first, "max_chars_per_item": chars, "window_id": ROOT});
        let tool = if search { "history_search_contents" } else { "history_list_items" };
        if search {
            arguments["query"] = "x".into();
        }
        let items = pages(&mut guest, tool, &arguments);
        let mut ids: Vec<String> = items.iter().map(|item| item["item_id"].as_str().unwrap().to_owned()).collect();
        if recent_first {
            ids.reverse();
        }
        let expected = (0..texts.len()).map(|index| if index % 3 == 1 { format!("e{index}#0") } else { format!("e{index}") });
        prop_assert_eq!(ids, expected.collect::<Vec<_>>());
        for item in &items {
            let index: usize = item["item_id"].as_str().unwrap()[1..].trim_end_matches("#0").parse().unwrap();
            let whole = format!("x{}", texts[index]);
            let shown = item["truncated_content"].as_str().unwrap();
            prop_assert!(whole.starts_with(shown));
            prop_assert_eq!(&item["truncated"], &json!(shown.len() < whole.len()));
            prop_assert_eq!(&item["total_chars"], &json!(whole.chars().count()));
        }
    }

    #[test]
    fn pages_of_notes_cover_each_once(
        notes in prop::collection::btree_map("[a-z<>\"\u{e9}]{1,100}", text(3_000), 0..30),
        limit in 1..100usize,
        search in any::<bool>(),
    ) {
        let mut guest = native([]);
        for (path, text) in &notes {
            guest.call_tool("notes_write_file", &json!({"path": path, "text": format!("x{text}")}).to_string()).expect("written");
        }
        let found = if search {
            pages(&mut guest, "notes_search_contents", &json!({"query": "x", "max_files": limit}))
        } else {
            pages(&mut guest, "notes_list_files", &json!({"max_results": limit}))
        };
        let mut paths: Vec<&str> = found.iter().map(|file| file["path"].as_str().unwrap()).collect();
        paths.sort_unstable();
        prop_assert_eq!(paths, notes.keys().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn a_text_of_a_megabyte_is_rebuilt() {
    tell(|guest| {
        let text = "\u{1f642}é日\u{301}\"\\\n".repeat(71_428);
        assert_eq!(text.len(), 999_992);
        guest.world().borrow_mut().push([user(&text)]);
        guest.start();
        let arguments = json!({"window_id": ROOT, "item_id": "e0"});
        assert_eq!(read_all(guest, "history_read_item", &arguments, 50_000), text);
        guest.call("notes_write_file", &json!({"path": "a", "text": text}).to_string()).expect("the largest note");
        assert_eq!(read_all(guest, "notes_read_file", &json!({"path": "a"}), 50_000), text);
    });
}

#[test]
fn text_beyond_what_is_kept_is_read_again_and_the_rest_is_not() {
    let megabyte = "x".repeat(1 << 20);
    let mut guest = native((0..140).map(|index| user(&format!("{index} {megabyte}"))));
    guest.world().borrow_mut().branch.bodies = 1;
    let read = |guest: &mut Native| {
        guest.world().borrow_mut().branch.bodies_read.clear();
        let found = pages(guest, "history_search_contents", &json!({"query": "139 x", "role": "user"}));
        assert_eq!(found.len(), 1);
        let nothing = pages(guest, "history_search_contents", &json!({"query": "absent"}));
        assert_eq!(nothing.len(), 0);
        guest.world().borrow().branch.bodies_read.len()
    };
    let first = read(&mut guest);
    assert!((140..165).contains(&first), "{first}");
    let second = read(&mut guest);
    assert!((10..40).contains(&second), "{second}");
}
