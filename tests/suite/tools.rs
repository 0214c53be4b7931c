//! The tools, told to the native guest and to the component.

use serde_json::{Value, json};

use crate::world::branch::{
    NewEntry, assistant, compaction, custom, custom_message, edit, long_command, tool_error, tool_result, user,
};
use crate::world::{Guest, NOW, tell};

const RESET: &str = r#"{"piContext":"reset-v2","windowId":"pcw:01234567:0a0b0c0d"}"#;
const ROOT: &str = "pcw:01234567:root";
const SECOND: &str = "pcw:01234567:0a0b0c0d";

fn parsed(answer: Result<String, String>) -> Value {
    serde_json::from_str(&answer.expect("an answer")).expect("JSON")
}

fn ask(guest: &mut dyn Guest, tool: &str, arguments: Value) -> Value {
    parsed(guest.call(tool, &arguments.to_string()))
}

fn error(guest: &mut dyn Guest, tool: &str, arguments: Value) -> String {
    guest.call(tool, &arguments.to_string()).expect_err("an error")
}

/// A session of two windows. The boot block comes last, as the guest sends it when it is started.
fn conversation() -> Vec<NewEntry> {
    vec![
        user("fix the parser"),                                                                   // e0
        assistant("reading", &[("read", r#"{"path":"a.rs"}"#), ("bash", r#"{"command":"ls"}"#)]), // e1
        tool_result("read", "fn main() {}"),                                                      // e2
        tool_error("bash", "ls: denied"),                                                         // e3
        long_command("make", "line 1\nline 2", "/tmp/out.log"),                                   // e4
        compaction("Your context was cleared.", RESET),                                           // e5
        custom_message("pi-context/guidance", "About 9 tokens"),                                  // e6
        custom_message("other/hint", "from elsewhere"),                                           // e7
        assistant("done", &[]),                                                                   // e8
    ]
}

/// Starts with these entries on the branch.
fn start(guest: &mut dyn Guest, entries: impl IntoIterator<Item = NewEntry>) {
    guest.world().borrow_mut().push(entries);
    guest.start();
}

fn ids(page: &Value) -> Vec<&str> {
    page["items"].as_array().expect("items").iter().map(|item| item["item_id"].as_str().expect("an id")).collect()
}

#[test]
fn windows_are_listed_newest_first_with_their_items() {
    tell(|guest| {
        start(guest, conversation());
        let listed = ask(guest, "history_list_windows", json!({}));
        let expected = json!([{"window_id": SECOND, "item_count": 4}, {"window_id": ROOT, "item_count": 7}]);
        assert_eq!(listed, json!({"windows": expected}));
        let oldest = ask(guest, "history_list_windows", json!({"recent_first": false, "limit": 1}));
        assert_eq!(oldest, json!({"windows": [{"window_id": ROOT, "item_count": 7}]}));
    });
}

#[test]
fn more_windows_than_fit_are_counted() {
    tell(|guest| {
        guest.world().borrow_mut().branch.page = 1_000;
        start(guest, (0..1_500).map(|_| compaction("summary", "{}")));
        let text = guest.call("history_list_windows", "{}").unwrap();
        assert!(text.len() <= 32 * 1024, "{}", text.len());
        let listed: Value = serde_json::from_str(&text).unwrap();
        let shown = listed["windows"].as_array().unwrap().len() as u64;
        assert!(shown > 500, "{shown}");
        assert_eq!(listed["omitted"], 1_501 - shown);
    });
}

#[test]
fn a_call_reads_only_what_is_new() {
    tell(|guest| {
        guest.world().borrow_mut().push_messages(100);
        guest.start();
        ask(guest, "history_list_windows", json!({}));
        guest.world().borrow_mut().branch.headers_read = 0;
        guest.world().borrow_mut().push([custom("pr-footer-state", "{}")]);
        for _ in 0..2 {
            ask(guest, "history_list_windows", json!({}));
            assert_eq!(guest.world().borrow().branch.headers_read, 1);
        }
    });
}

#[test]
fn every_kind_of_entry_is_an_item_with_its_role() {
    tell(|guest| {
        start(guest, conversation());
        let page = ask(guest, "history_list_items", json!({"recent_first": false}));
        assert_eq!(page["next_cursor"], Value::Null);
        let item = |window: &str, id: &str, role: &str, text: &str, more: Value| {
            let mut item = json!({"window_id": window, "item_id": id, "role": role, "truncated": false,
                "total_chars": text.chars().count(), "truncated_content": text});
            item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            item
        };
        let expected = [
            item(ROOT, "e0", "user", "fix the parser", json!({})),
            item(ROOT, "e1", "assistant", "reading", json!({})),
            item(ROOT, "e1#0", "tool_call", r#"{"path":"a.rs"}"#, json!({"tool_name": "read"})),
            item(ROOT, "e1#1", "tool_call", r#"{"command":"ls"}"#, json!({"tool_name": "bash"})),
            item(ROOT, "e2", "tool", "fn main() {}", json!({"tool_name": "read"})),
            item(ROOT, "e3", "tool", "ls: denied", json!({"tool_name": "bash", "tool_error": true})),
            item(
                ROOT,
                "e4",
                "tool",
                "make\nline 1\nline 2",
                json!({"tool_name": "bash", "output_truncated": true, "full_output_path": "/tmp/out.log"}),
            ),
            item(SECOND, "e5", "system", "Your context was cleared.", json!({})),
            item(SECOND, "e6", "developer", "About 9 tokens", json!({})),
            item(SECOND, "e7", "user", "from elsewhere", json!({})),
            item(SECOND, "e8", "assistant", "done", json!({})),
        ];
        assert_eq!(page["items"], Value::from(expected.to_vec()));
    });
}

#[test]
fn filters_narrow_the_list_down() {
    tell(|guest| {
        start(guest, conversation());
        for (filter, expected) in [
            (json!({"role": "user"}), vec!["e7", "e0"]),
            (json!({"role": "tool_call", "tool_name": "read"}), vec!["e1#0"]),
            (json!({"tool_name": "bash"}), vec!["e4", "e3", "e1#1"]),
            (json!({"window_id": ROOT, "role": "assistant"}), vec!["e1"]),
            (json!({"window_id": SECOND, "limit": 2}), vec!["e8", "e7"]),
            (json!({"tool_name": "nothing"}), vec![]),
        ] {
            assert_eq!(ids(&ask(guest, "history_list_items", filter.clone())), expected, "{filter}");
        }
    });
}

#[test]
fn a_cursor_goes_on_where_the_page_ended_also_when_the_branch_has_grown() {
    tell(|guest| {
        start(guest, conversation());
        for recent_first in [true, false] {
            let mut seen: Vec<String> = Vec::new();
            let mut cursor = json!(0);
            loop {
                let arguments = json!({"limit": 3, "cursor": cursor, "recent_first": recent_first, "window_id": ROOT});
                let page = ask(guest, "history_list_items", arguments);
                seen.extend(ids(&page).into_iter().map(str::to_owned));
                cursor = page["next_cursor"].clone();
                if cursor.is_null() {
                    break;
                }
                // The call and its result are on the branch before the next one.
                guest.world().borrow_mut().push([assistant("", &[("history_list_items", "{}")])]);
            }
            let mut expected = vec!["e0", "e1", "e1#0", "e1#1", "e2", "e3", "e4"];
            if recent_first {
                expected.reverse();
            }
            assert_eq!(seen, expected);
        }
    });
}

#[test]
fn listing_a_long_branch_reads_the_bodies_of_its_page_and_of_no_other() {
    tell(|guest| {
        let mut world = guest.world().borrow_mut();
        world.branch.page = 1_000;
        world.branch.bodies = 1_000;
        world.push_messages(100_000);
        drop(world);
        guest.start();
        assert_eq!(guest.world().borrow().branch.bodies_read.len(), 0);
        let arguments = json!({"limit": 2, "role": "user"});
        let page = ask(guest, "history_list_items", arguments.clone());
        assert_eq!(guest.world().borrow().branch.bodies_read, ids(&page));
        ask(guest, "history_list_items", arguments);
        assert_eq!(guest.world().borrow().branch.bodies_read.len(), 2, "what was read is kept");
    });
}

#[test]
fn a_page_is_cut_to_the_budget_and_an_item_too_large_by_itself_is_cut_too() {
    tell(|guest| {
        start(guest, [user(&"\u{1}".repeat(50_000)), user("small"), user(&"é".repeat(15_000))]);
        let list = |guest: &mut dyn Guest, cursor: Value| {
            let arguments = json!({"max_chars_per_item": 50_000, "role": "user", "cursor": cursor});
            let text = guest.call("history_list_items", &arguments.to_string()).unwrap();
            assert!(text.len() <= 32 * 1024, "{}", text.len());
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let first = list(guest, json!(0));
        assert_eq!(ids(&first), ["e2", "e1"]);
        let second = list(guest, first["next_cursor"].clone());
        assert_eq!(ids(&second), ["e0"]);
        let item = &second["items"][0];
        assert_eq!((&item["truncated"], &item["total_chars"]), (&json!(true), &json!(50_000)));
        let shown = item["truncated_content"].as_str().unwrap().len();
        assert!((5_400..5_461).contains(&shown), "{shown}");
        assert_eq!(second["next_cursor"], Value::Null);
    });
}

#[test]
fn an_item_is_read_in_parts() {
    tell(|guest| {
        start(guest, conversation());
        let read = |guest: &mut dyn Guest, more: Value| {
            let mut arguments = json!({"window_id": ROOT, "item_id": "e1#0"});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            guest.call("history_read_item", &arguments.to_string()).unwrap()
        };
        let whole = format!("[{ROOT} e1#0 · chars 0-15 of 15 · end]\n{{\"path\":\"a.rs\"}}");
        assert_eq!(read(guest, json!({})), whole);
        let part = format!("[{ROOT} e1#0 · chars 2-6 of 15 · continue at offset_chars=6]\npath");
        assert_eq!(read(guest, json!({"offset_chars": 2, "limit_chars": 4})), part);
        let tail = format!("[{ROOT} e1#0 · chars 13-15 of 15 · end]\n\"}}");
        assert_eq!(read(guest, json!({"offset_chars": -2})), tail);
    });
}

#[test]
fn a_search_finds_the_earliest_match_in_code_points() {
    tell(|guest| {
        start(
            guest,
            [user("🙂 needle and needle"), user("no match"), tool_result("read", "Needle"), user("pin needle")],
        );
        let found = ask(guest, "history_search_contents", json!({"query": ["pin", "needle"], "role": "user"}));
        assert_eq!(ids(&found), ["e3", "e0"]);
        let offsets: Vec<_> =
            found["items"].as_array().unwrap().iter().map(|item| &item["match_offset_chars"]).collect();
        assert_eq!(offsets, [0, 2]);
        assert_eq!(found["next_cursor"], Value::Null);
    });
}

#[test]
fn search_pages_cover_every_match_once() {
    tell(|guest| {
        start(guest, (0..9).map(|index| user(if index % 2 == 0 { "needle" } else { "hay" })));
        let mut seen = Vec::new();
        let mut cursor = json!(0);
        while !cursor.is_null() {
            let page = ask(guest, "history_search_contents", json!({"query": "needle", "limit": 2, "cursor": cursor}));
            seen.extend(ids(&page).into_iter().map(str::to_owned));
            cursor = page["next_cursor"].clone();
        }
        assert_eq!(seen, ["e8", "e6", "e4", "e2", "e0"]);
    });
}

#[test]
fn what_an_edit_took_out_never_comes_back() {
    tell(|guest| {
        start(
            guest,
            [user("the secret is 42"), edit("e0", Some("the secret is gone")), user("secret"), edit("e2", None)],
        );
        let found = ask(guest, "history_search_contents", json!({"query": "secret", "role": "user"}));
        assert_eq!(ids(&found), ["e0"]);
        assert_eq!(found["items"][0]["truncated_content"], "the secret is gone");
        let none = ask(guest, "history_search_contents", json!({"query": "42"}));
        assert_eq!(ids(&none), Vec::<&str>::new());
        let read = error(guest, "history_read_item", json!({"window_id": ROOT, "item_id": "e2"}));
        assert!(read.starts_with("There is no item \"e2\""), "{read}");
    });
}

#[test]
fn notes_are_written_listed_read_and_searched() {
    tell(|guest| {
        guest.start();
        let written = ask(guest, "notes_write_file", json!({"path": "plan.md", "text": "goal\nnext: é"}));
        assert_eq!(written, json!({"path": "plan.md", "size_bytes": 13, "operation": "write", "stale": false}));
        guest.world().borrow_mut().now += 1_000;
        let appended = ask(guest, "notes_append_to_file", json!({"path": "plan.md", "text": " done"}));
        assert_eq!(appended, json!({"path": "plan.md", "size_bytes": 18, "operation": "append", "stale": false}));
        ask(guest, "notes_append_to_file", json!({"path": "log/a.md", "text": "x"}));

        let listed = ask(guest, "notes_list_files", json!({"pattern": "*.md"}));
        let file = json!({"path": "plan.md", "size_bytes": 18, "stale": false,
            "created_at": "2023-11-14T23:13:20.000+01:00", "updated_at": "2023-11-14T23:13:21.000+01:00"});
        assert_eq!(listed, json!({"files": [file], "next_cursor": null}));

        let read = guest.call("notes_read_file", r#"{"path":"plan.md","offset_chars":-6}"#).unwrap();
        let times = "created 2023-11-14T23:13:20.000+01:00 · updated 2023-11-14T23:13:21.000+01:00";
        assert_eq!(read, format!("[plan.md · {times} · chars 11-17 of 17 · end]\né done"));

        let found = ask(guest, "notes_search_contents", json!({"query": "é"}));
        let matches =
            json!([{"line": 2, "text": "next: é done", "truncated": false, "total_chars": 12, "offset_chars": 11}]);
        let file = json!({"path": "plan.md", "stale": false, "matches_total": 1, "matches": matches});
        assert_eq!(found, json!({"files": [file], "next_cursor": null}));
    });
}

#[test]
fn notes_are_listed_in_the_order_that_is_asked_for_and_page_by_page() {
    tell(|guest| {
        guest.start();
        for path in ["b", "c", "a"] {
            guest.world().borrow_mut().now += 1_000;
            ask(guest, "notes_write_file", json!({"path": path, "text": path}));
        }
        guest.world().borrow_mut().now += 1_000;
        ask(guest, "notes_append_to_file", json!({"path": "b", "text": "!"}));
        let list = |guest: &mut dyn Guest, arguments: Value| -> (Vec<String>, Value) {
            let page = ask(guest, "notes_list_files", arguments);
            let paths = page["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned());
            (paths.collect(), page["next_cursor"].clone())
        };
        let all = |guest: &mut dyn Guest, arguments: Value| list(guest, arguments).0;
        assert_eq!(all(guest, json!({})), ["b", "a", "c"]);
        assert_eq!(all(guest, json!({"file_order_by": "created_at"})), ["a", "c", "b"]);
        assert_eq!(all(guest, json!({"file_order_by": "name"})), ["a", "b", "c"]);
        assert_eq!(all(guest, json!({"file_order_by": "name", "file_order": "descending"})), ["c", "b", "a"]);
        assert_eq!(list(guest, json!({"max_results": 2})), (vec!["b".into(), "a".into()], json!(2)));
        assert_eq!(list(guest, json!({"max_results": 2, "cursor": 2})), (vec!["c".into()], Value::Null));
    });
}

#[test]
fn a_note_search_is_bounded_by_files_and_by_matches() {
    tell(|guest| {
        guest.start();
        for path in ["a", "b", "c"] {
            guest.world().borrow_mut().now += 1_000;
            ask(guest, "notes_write_file", json!({"path": path, "text": "x\nx\nx"}));
        }
        let arguments = json!({"query": "x", "max_files": 2, "max_matches_per_file": 1, "recent_file_first": false});
        let page = ask(guest, "notes_search_contents", arguments);
        assert_eq!((&page["files"][0]["path"], &page["files"][0]["matches_total"]), (&json!("a"), &json!(3)));
        assert_eq!(page["files"][0]["matches"].as_array().unwrap().len(), 1);
        let rest = ask(
            guest,
            "notes_search_contents",
            json!({"query": "x", "cursor": page["next_cursor"], "recent_file_first": false}),
        );
        assert_eq!((&rest["files"][0]["path"], &rest["next_cursor"]), (&json!("c"), &Value::Null));
        let prefixed = ask(guest, "notes_search_contents", json!({"query": "x", "path_prefix": "b"}));
        assert_eq!(prefixed["files"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_stale_note_is_marked_and_revived() {
    tell(|guest| {
        guest.start();
        ask(guest, "notes_write_file", json!({"path": "a", "text": "x"}));
        let marked = ask(guest, "notes_append_to_file", json!({"path": "a", "mark_stale": true}));
        assert_eq!(marked, json!({"path": "a", "size_bytes": 1, "operation": "append", "stale": true}));
        assert!(guest.call("notes_read_file", r#"{"path":"a"}"#).unwrap().contains(" · stale · chars 0-1"));
        let revived = ask(guest, "notes_append_to_file", json!({"path": "a", "text": "y"}));
        assert_eq!(revived["stale"], false);
    });
}

#[test]
fn a_note_is_what_the_branch_says_and_no_other_branch() {
    tell(|guest| {
        let fork = guest.world().borrow_mut().push([user("hello")]);
        guest.start();
        ask(guest, "notes_write_file", json!({"path": "a", "text": "one side"}));
        guest.world().borrow_mut().branch.navigate(Some(&fork));
        let gone = error(guest, "notes_read_file", json!({"path": "a"}));
        assert_eq!(gone, "There is no note \"a\". There are no notes yet; notes_write_file makes one.");
    });
}

#[test]
fn context_remaining_is_null_while_it_is_not_known() {
    for (context, expected) in [
        (None, Value::Null),
        (Some((None, Some(200_000))), Value::Null),
        (Some((Some(1), None)), Value::Null),
        (Some((Some(1), Some(16_384))), Value::Null),
        (Some((Some(100_000), Some(200_000))), 75_424.into()),
        (Some((Some(199_000), Some(200_000))), 0.into()),
    ] {
        tell(|guest| {
            guest.world().borrow_mut().context = context;
            guest.start();
            let remaining = ask(guest, "get_context_remaining", json!({}));
            assert_eq!(remaining, json!({"remaining_tokens": expected}));
        });
    }
}

#[test]
fn errors_tell_the_model_what_to_do_instead() {
    tell(|guest| {
        start(guest, conversation());
        ask(guest, "notes_write_file", json!({"path": "plan.md", "text": "x"}));
        let long = "x".repeat(513);
        let huge = "x".repeat(1_000_001);
        for (tool, arguments, advice) in [
            ("history_rewrite", json!({}), "The tools here are new_context, "),
            ("history_list_windows", json!({"limit": 0}), "limit must be at least 1."),
            ("history_list_windows", json!({"limit": "3"}), "history_list_windows cannot read its arguments: "),
            (
                "history_list_windows",
                json!({"newest": true}),
                "unknown field `newest`, expected `limit` or `recent_first`",
            ),
            ("history_list_items", json!({"limit": 101}), "limit must be 1 to 100."),
            ("history_list_items", json!({"role": "me"}), "unknown variant `me`, expected one of `user`, `assistant`"),
            (
                "history_list_items",
                json!({"role": "user", "tool_name": "read"}),
                "tool_name goes with role tool_call or tool",
            ),
            (
                "history_list_items",
                json!({"window_id": "w"}),
                "The windows, newest first: \"pcw:01234567:0a0b0c0d\", \"pcw:01234567:root\".",
            ),
            ("history_list_items", json!({"cursor": 999}), "Begin again without a cursor."),
            ("history_list_items", json!({"query": "x"}), "Use history_search_contents with query."),
            ("history_search_contents", json!({}), "needs query"),
            ("history_search_contents", json!({"query": ""}), "query must not be empty"),
            ("history_search_contents", json!({"query": []}), "query must not be empty"),
            ("history_read_item", json!({"window_id": ROOT, "item_id": "e9"}), "Take item_id from history_list_items"),
            (
                "history_read_item",
                json!({"window_id": ROOT, "item_id": "e8"}),
                "Item \"e8\" is in window \"pcw:01234567:0a0b0c0d\".",
            ),
            (
                "history_read_item",
                json!({"window_id": ROOT, "item_id": "e0", "offset_chars": 15}),
                "The largest offset here is 14",
            ),
            (
                "history_read_item",
                json!({"window_id": ROOT, "item_id": "e0", "limit_chars": 0}),
                "limit_chars must be 1 to 50000.",
            ),
            ("notes_read_file", json!({"path": "b"}), "There is no note \"b\". The notes: \"plan.md\"."),
            ("notes_list_files", json!({"cursor": 2}), "Begin again without a cursor."),
            ("notes_search_contents", json!({"query": ["a", ""]}), "query must not be empty"),
            ("notes_write_file", json!({"path": "/etc/passwd", "text": "x"}), "Use a relative path such as plan.md"),
            ("notes_write_file", json!({"path": "a/../b", "text": "x"}), "is not a path of a note"),
            ("notes_write_file", json!({"path": "a"}), "notes_write_file needs text, or mark_stale, or both."),
            ("notes_write_file", json!({"path": "b", "mark_stale": true}), "There is no note \"b\"."),
            (
                "notes_write_file",
                json!({"path": long, "text": "x"}),
                "The path of a new note is at most 512 bytes long.",
            ),
            (
                "notes_append_to_file",
                json!({"path": "plan.md", "text": huge}),
                "A note holds at most 1000000 bytes of UTF-8.",
            ),
            ("new_context", json!({"reason": "full"}), "unknown field `reason`"),
        ] {
            let message = error(guest, tool, arguments);
            assert!(message.contains(advice), "{tool}: {message}");
        }
        for arguments in ["[1]", "", "{"] {
            let message = guest.call("history_list_windows", arguments).expect_err("an error");
            assert!(message.starts_with("history_list_windows cannot read its arguments: "), "{message}");
        }
    });
}

#[test]
fn a_note_that_cannot_be_stored_is_said_to_be_unchanged() {
    tell(|guest| {
        guest.start();
        ask(guest, "notes_write_file", json!({"path": "a", "text": "kept"}));
        guest.world().borrow_mut().refuses = true;
        let message = error(guest, "notes_write_file", json!({"path": "a", "text": "lost"}));
        assert!(message.starts_with("The note was not saved"), "{message}");
        assert!(guest.call("notes_read_file", r#"{"path":"a"}"#).unwrap().ends_with("\nkept"));
    });
}

#[test]
fn a_path_of_an_older_session_is_not_capped_but_shown_short() {
    tell(|guest| {
        let path = format!("{}/{}", "a".repeat(40_000), "\u{1}");
        let operation = json!({"op": "write", "path": path, "text": "x", "createdAt": NOW, "updatedAt": NOW});
        start(guest, [custom("pi-context/note", &operation.to_string())]);
        for (tool, arguments) in [
            ("notes_list_files", json!({})),
            ("notes_search_contents", json!({"query": "x"})),
            ("notes_read_file", json!({"path": path})),
            ("notes_append_to_file", json!({"path": path, "text": "y"})),
        ] {
            let text = guest.call(tool, &arguments.to_string()).unwrap();
            assert!(text.len() <= 32 * 1024 && text.contains("aaaa"), "{tool}: {}", text.len());
        }
    });
}

#[test]
fn names_that_nobody_would_choose_do_not_stall_a_page() {
    tell(|guest| {
        let long = "\u{1}".repeat(40_000);
        let window = format!(r#"{{"piContext":"reset-v2","windowId":{}}}"#, json!(long));
        start(guest, [compaction("one", &window), long_command("a", "b", &long), tool_result(&long, "c"), user("d")]);
        let mut seen = Vec::new();
        let mut cursor = json!(0);
        while !cursor.is_null() {
            let text = guest.call("history_list_items", &json!({"cursor": cursor}).to_string()).unwrap();
            assert!(text.len() <= 32 * 1024, "{}", text.len());
            let page: Value = serde_json::from_str(&text).unwrap();
            seen.extend(ids(&page).into_iter().map(str::to_owned));
            cursor = page["next_cursor"].clone();
        }
        assert_eq!(seen, ["e3", "e2", "e1", "e0"]);
    });
}
