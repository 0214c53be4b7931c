//! `pi-capsule history`

use std::process::Stdio;

use serde_json::{Value, json};
use snapbox::cmd::cargo_bin;
use snapbox::{IntoData, str};

use super::sandbox::Sandbox;
use super::{HEADER, session};
use crate::support::{self, Guest};

/// A user message of that text.
fn said(id: usize, text: &str) -> String {
    let message = json!({ "role": "user", "content": text });
    json!({ "type": "message", "id": format!("m{id}"), "parentId": parent(id), "message": message }).to_string()
}

fn parent(id: usize) -> Option<String> {
    id.checked_sub(1).map(|before| format!("m{before}"))
}

/// A session in which the person has said all this.
fn talk(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let lines = texts.into_iter().enumerate().map(|(id, text)| said(id, text.as_ref()));
    [HEADER.to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join("\n") + "\n"
}

/// What the command prints when all goes well and nothing is to be said besides.
fn printed(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let assert = sandbox.command().args(arguments).assert().success().stderr_eq("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The rows that a tool has answered with, of all lines.
fn rows(lines: &str) -> Vec<Value> {
    let pages = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    pages.flat_map(|mut page| std::mem::take(page["items"].as_array_mut().unwrap())).collect()
}

#[test]
fn list_tells_a_session_window_by_window() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    // Raw, because the library takes backslashes for paths of Windows.
    sandbox.command().args(["history", "list", "s.jsonl"]).assert().success().stderr_eq("").stdout_eq(
        str![[r##"
window pcw:0193a1b2:root

e0000003  developer
    <context_window>root</context_window>
    There are no notes yet.

e0000005  user
    Port the parser to Rust.
    Keep its tests.

e0000006  assistant
    I look at what there is.

e0000006#0  tool_call  read
    {"path":"src/parser.ts"}

e0000006#1  tool_call  bash
    {"command":"npm test","timeout":60.5}

e0000007  tool  read
    export function parse(text: string) {
      return text;
    }

e0000008  tool  bash  failed
    1 test failed: naïve 🎉 input

e0000009  tool  bash
    ls -R /
    bin
    boot
    (Pi kept the whole output in /tmp/pi-bash-1.log)

e000000b  tool  bash
    true

e000000e#0  tool_call  notes_write_file
    {"path":"plan.md","text":"# Plan\n"}

e0000010  tool  notes_write_file
    {"path":"plan.md","size_bytes":7,"operation":"write","stale":false}

e000001b  developer
    About 24,000 tokens are left above the warning line.

e0000024  system
    Tried it another way; e0000023 was the end.

e0000027  user
    Rename parse to parseText.

e0000028#0  tool_call  bash
    {"command":"echo <removed>"}

e000002c  tool  bash  failed
    token=<removed>

e0000032  developer
    Write one checkpoint note now, then call new_context.

e0000033#0  tool_call  new_context
    {}

e0000034  tool  new_context
    {"status":"rollover_requested"}

window pcw:0193a1b2:0a1b2c3d

e0000036  system
    Memory was cleared. Notes and history remain.
    <context_window>pcw:0193a1b2:0a1b2c3d</context_window>

e0000038  developer
    Go on where the checkpoint note says.

e0000039  assistant
    The note says: lexer first.

e000003a  user
    And the tests?

window e000003b

e000003b  system
    ## Goal
    Port the parser.

e000003d  assistant
    They come next.
    All forty.

e000003e  user
    Mind the lexer.

window pcw:0193a1b2:deadbeef

e0000041  system
    Memory was cleared. Notes and history remain.
    <context_window>pcw:0193a1b2:deadbeef</context_window>

e0000043  user
    日本語で答えて 🎌

e0000044  assistant
    はい。

window pcw:0193a1b2:feedf00d

e0000047  user
    Good night.

"##]]
        .raw(),
    );
}

#[test]
fn list_takes_the_filters_of_the_tool() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    let list = |filters: &[&str]| sandbox.command().args(["history", "list", "s.jsonl"]).args(filters).assert();
    list(&["--window-id", "pcw:0193a1b2:0a1b2c3d", "--recent-first", "--max-chars-per-item", "9"])
        .success()
        .stderr_eq("")
        .stdout_eq(str![[r#"
window pcw:0193a1b2:0a1b2c3d

e000003a  user
    And the t
    (of 14 characters)

e0000039  assistant
    The note 
    (of 27 characters)

e0000038  developer
    Go on whe
    (of 37 characters)

e0000036  system
    Memory wa
    (of 100 characters)

"#]]);
    for role in ["tool_call", "tool-call"] {
        list(&["--role", role, "--tool-name", "bash"]).success().stderr_eq("").stdout_eq(str![[r#"
window pcw:0193a1b2:root

e0000006#1  tool_call  bash
    {"command":"npm test","timeout":60.5}

e0000028#0  tool_call  bash
    {"command":"echo <removed>"}

"#]]);
    }
}

#[test]
fn list_follows_the_pages_to_the_end() {
    let sandbox = Sandbox::new();
    let texts: Vec<String> = (0..250).map(|number| format!("{number}: {}", "x".repeat(number * 3))).collect();
    sandbox.write("s.jsonl", talk(&texts));
    let lines = printed(&sandbox, &["history", "list", "s.jsonl", "--json"]);
    assert!(lines.lines().count() > 2, "several pages");
    let contents: Vec<Value> = rows(&lines).into_iter().map(|mut item| item["truncated_content"].take()).collect();
    assert_eq!(contents, texts);
    let table = printed(&sandbox, &["history", "list", "s.jsonl"]);
    assert!(table.contains("m249"), "{table}");
}

#[test]
fn list_prints_one_page_and_says_how_to_go_on() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", talk(["one", "two", "three"]));
    let list = |page: &[&str]| sandbox.command().args(["history", "list", "s.jsonl"]).args(page).assert().success();
    list(&["--limit", "2"])
        .stderr_eq(str![[r#"
note: there is more; continue with --cursor 2

"#]])
        .stdout_eq(str![[r#"
window pcw:0193a1b2:root

m0  user
    one

m1  user
    two

"#]]);
    list(&["--cursor", "2"]).stderr_eq("").stdout_eq(str![[r#"
window pcw:0193a1b2:root

m2  user
    three

"#]]);
    list(&["--limit", "2", "--json"]).stdout_eq(str![[r#"
{"items":[{"window_id":"pcw:0193a1b2:root","item_id":"m0","role":"user","truncated":false,"total_chars":3,"truncated_content":"one"},{"window_id":"pcw:0193a1b2:root","item_id":"m1","role":"user","truncated":false,"total_chars":3,"truncated_content":"two"}],"next_cursor":2}

"#]]);
}

#[test]
fn read_prints_the_text_and_nothing_else() {
    let sandbox = Sandbox::new();
    let long = "no line break, 🎉 and \u{1b}[2J ".repeat(8_000);
    sandbox.write("s.jsonl", talk(["short\ttext", &long]));
    let window = "pcw:0193a1b2:root";
    assert_eq!(printed(&sandbox, &["history", "read", "s.jsonl", window, "m0"]), "short\ttext");
    assert!(printed(&sandbox, &["history", "read", "s.jsonl", window, "m1"]) == long, "byte for byte");
    let lines = printed(&sandbox, &["history", "read", "s.jsonl", window, "m1", "--json"]);
    let parts: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text: String = parts.iter().map(|part| part["text"].as_str().unwrap()).collect();
    assert!(parts.len() > 1 && text == long, "the same in parts");
}

#[test]
fn read_prints_a_part() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", talk(["0123456789"]));
    let read = |range: &[&str]| {
        let item = ["history", "read", "s.jsonl", "pcw:0193a1b2:root", "m0"];
        sandbox.command().args(item).args(range).assert().success()
    };
    read(&["--offset-chars", "-3"]).stderr_eq("").stdout_eq("789");
    read(&["--offset-chars", "2", "--limit-chars", "3"]).stdout_eq("234").stderr_eq(str![[r#"
note: there is more; continue with --offset-chars 5

"#]]);
    read(&["--limit-chars", "3", "--json"]).stdout_eq(str![[r#"
{"header":"[pcw:0193a1b2:root m0 · chars 0-3 of 10 · continue at offset_chars=3]","text":"012","next_offset_chars":3}

"#]]);
}

#[test]
fn search_finds_any_of_several_texts() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    let search = |queries: &[&str]| sandbox.command().args(["history", "search", "s.jsonl"]).args(queries).assert();
    search(&["Lexer", "日本語", "--role", "user"]).success().stderr_eq("").stdout_eq(str![[r#"
window pcw:0193a1b2:deadbeef

e0000043  user
    日本語で答えて 🎌

"#]]);
    search(&["Lexer", "lexer", "--limit", "1", "--json"]).success().stdout_eq(str![[r#"
{"items":[{"window_id":"pcw:0193a1b2:0a1b2c3d","item_id":"e0000039","role":"assistant","truncated":false,"total_chars":27,"match_offset_chars":15,"truncated_content":"The note says: lexer first."}],"next_cursor":25}

"#]]);
    search(&["nowhere"]).success().stdout_eq("").stderr_eq(str![[r#"
note: there is nothing to show

"#]]);
    search(&["--json", "nowhere"]).success().stderr_eq("").stdout_eq(str![[r#"
{"items":[],"next_cursor":null}

"#]]);
}

#[test]
fn search_shows_where_it_found_something() {
    let sandbox = Sandbox::new();
    let far = format!("{}needle{}", "x".repeat(2_000), "y".repeat(2_000));
    sandbox.write("s.jsonl", talk([far.as_str(), "a needle at hand"]));
    let search = ["history", "search", "s.jsonl", "needle", "--max-chars-per-item", "20"];
    sandbox.command().args(search).assert().success().stderr_eq("").stdout_eq(str![[r#"
window pcw:0193a1b2:root

m0  user
    xxxxxxxxxxneedleyyyy
    (from 1990 of 4006 characters)

m1  user
    a needle at hand

"#]]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", talk(vec!["x".repeat(1_000); 500]));
    let mut child = std::process::Command::new(cargo_bin!("pi-capsule"))
        .args(["history", "list", "s.jsonl"])
        .env("PI_CAPSULE_COMPONENT", support::precompiled_component())
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_component_that_answers_something_else_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", talk(["hi"]));
    let history = |command: &[&str], tool: &str, answer: &str| {
        sandbox.write("other.wasm", answering(tool, answer));
        let component = ["--component", "other.wasm"];
        sandbox.command().args(["history", command[0], "s.jsonl"]).args(&command[1..]).args(component).assert().code(1)
    };
    let list = |answer: &str| history(&["list"], "history_list_items", answer).stdout_eq("");
    list("so much").stderr_eq(str![[r#"
error: other.wasm: history_list_items: its answer is not understood: expected value at line 1 column 1; name another with --component

"#]]);
    list(r#"{"items":[],"next_cursor":0}"#).stderr_eq(str![[r#"
error: other.wasm: history_list_items: its pages do not come to an end; name another with --component

"#]]);
    let read = |next: u32| {
        let answer = format!("[pcw:0193a1b2:root/a · user · continue at offset_chars={next}]\nab");
        history(&["read", "pcw:0193a1b2:root", "a"], "history_read_item", &answer).stderr_eq(str![[r#"
error: other.wasm: history_read_item: its pages do not come to an end; name another with --component

"#]])
    };
    read(0).stdout_eq("ab");
    read(2).stdout_eq("abab");
}

/// A component with one tool that has one answer.
fn answering(tool: &str, answer: &str) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let (name, text) = (8192, 8448);
    let named = [name, tool.len() as u32];
    // A list of one definition: name, label, description, parameters, no snippet, parallel.
    let definitions = [&[4104, 1][..], &named, &named, &named, &named, &[0; 4]].concat();
    // The case `ok`, then the text, and no end of the turn.
    let output = [0, text, answer.len() as u32, 0];
    Guest::default()
        .data(4096, &words(&definitions))
        .data(name, tool.as_bytes())
        .data(4352, &words(&output))
        .data(text, answer.as_bytes())
        .export("tools.definitions", "i32.const 4096")
        .export("tools.call", "i32.const 4352")
        .build()
}

#[test]
fn what_the_tools_complain_of_is_one_line() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    let history = |command: &str, arguments: &[&str]| {
        sandbox.command().args(["history", command, "s.jsonl"]).args(arguments).assert().code(1).stdout_eq("")
    };
    let root = "pcw:0193a1b2:root";
    history("list", &["--window-id", "nowhere"]).stderr_eq(str![[r#"
error: s.jsonl: There is no window "nowhere". The windows, newest first: "pcw:0193a1b2:feedf00d", "pcw:0193a1b2:deadbeef", "e000003b", "pcw:0193a1b2:0a1b2c3d", "pcw:0193a1b2:root".

"#]]);
    history("list", &["--role", "user", "--tool-name", "bash"]).stderr_eq(str![[r#"
error: s.jsonl: tool_name goes with role tool_call or tool, or with no role. Leave one of the two out.

"#]]);
    history("read", &["nowhere", "e0000005"]).stderr_eq(str![[r#"
error: s.jsonl: There is no window "nowhere". The windows, newest first: "pcw:0193a1b2:feedf00d", "pcw:0193a1b2:deadbeef", "e000003b", "pcw:0193a1b2:0a1b2c3d", "pcw:0193a1b2:root".

"#]]);
    history("read", &[root, "e0000099"]).stderr_eq(str![[r#"
error: s.jsonl: There is no item "e0000099" in this session. Take item_id from history_list_items or history_search_contents.

"#]]);
    history("read", &[root, "e0000005", "--offset-chars", "1000"]).stderr_eq(str![[r#"
error: s.jsonl: offset_chars 1000 is past the end. The largest offset here is 40; -1 is the last character.

"#]]);
    history("search", &[""]).stderr_eq(str![[r#"
error: s.jsonl: query must not be empty: give the text to look for, or a list of texts of which one is enough.

"#]]);
}

#[test]
fn what_can_be_read_of_a_broken_file_is_shown() {
    let sandbox = Sandbox::new();
    sandbox.session("malformed");
    let list = sandbox.command().args(["history", "list", "s.jsonl", "--window-id", "pcw:0193a1b2:root"]).assert();
    list.code(1).stderr_eq(str![[r#"
error: s.jsonl: 2 lines cannot be read; the last line is incomplete; 4 entries are of an unknown kind (context_edit, hologram, message); a later version of pi-capsule may know more

"#]]).stdout_eq(str![[r#"
window pcw:0193a1b2:root

e0000044  user
    No marker above starts a window.

"#]]);
}

#[test]
fn wrong_usage_is_found_before_the_file_is_read() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["list"][..],
        &["list", "s.jsonl", "--limit", "0"],
        &["list", "s.jsonl", "--limit", "101"],
        &["list", "s.jsonl", "--role", "robot"],
        &["list", "s.jsonl", "--cursor", "-1"],
        &["list", "s.jsonl", "--max-chars-per-item", "0"],
        &["read", "s.jsonl", "window"],
        &["read", "s.jsonl", "window", "item", "--limit-chars", "50001"],
        &["search", "s.jsonl"],
        &[],
    ] {
        sandbox.command().arg("history").args(arguments).assert().code(2).stdout_eq("");
    }
}

#[test]
fn a_terminal_gets_colours_and_no_orders() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", talk(["tab\there\r\nclear \u{1b}[2J\u{9b}2J \u{202e}esrever"]));
    let list = sandbox.on_terminal(&["history", "list", "s.jsonl"]);
    assert!(list.contains("\u{1b}[1mm0\u{1b}[0m"), "{list:?}");
    assert!(list.contains("    tab\there\n    clear \u{fffd}[2J\u{fffd}2J \u{fffd}esrever\n"), "{list:?}");
    // Of several texts that begin at one place, the longest stands out.
    let found = sandbox.on_terminal(&["history", "search", "s.jsonl", "he", "ere", "here"]);
    assert!(found.contains("tab\t\u{1b}[1m\u{1b}[31mhere\u{1b}[0m\n"), "{found:?}");
    let item = ["history", "read", "s.jsonl", "pcw:0193a1b2:root", "m0"];
    let text = sandbox.on_terminal(&item);
    assert_eq!(text, "tab\there\nclear \u{fffd}[2J\u{fffd}2J \u{fffd}esrever\n");
    let json = sandbox.on_terminal(&[&item[..], &["--json"]].concat());
    assert!(json.contains(r"clear \u001b[2J\u009b2J \u202eesrever"), "{json:?}");
    // A pipe gets no colours.
    assert!(!printed(&sandbox, &["history", "list", "s.jsonl"]).contains('\u{1b}'));
}

#[test]
fn an_empty_session_has_nothing_to_show() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", session(&[]));
    sandbox.command().args(["history", "list", "s.jsonl"]).assert().success().stdout_eq("").stderr_eq(str![[r#"
note: there is nothing to show

"#]]);
}

#[test]
fn help_says_it_all() {
    let sandbox = Sandbox::new();
    let help = |arguments: &[&str]| sandbox.command().args(arguments).assert().success().stderr_eq("");
    help(&["history", "--help"]).stdout_eq(str![[r#"
Read what was said and done in a session, in all its context windows

The items of history are the messages of the person and the model, tool calls and their results, commands, summaries, and what extensions have said. Session files are only read. What cannot be read of one is left out and said on standard error; then the exit code is 1.

Usage: pi-capsule history <COMMAND>

Commands:
  list    List the items of a session, oldest first
  read    Print one item in full
  search  List the items that hold a text, oldest first
  help    Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

"#]]);
    help(&["history", "list", "-h"]).stdout_eq(str![[r#"
List the items of a session, oldest first

Usage: pi-capsule history list [OPTIONS] <SESSION.jsonl>

Arguments:
  <SESSION.jsonl>  A session file of Pi

Options:
      --window-id <WINDOW>      Only items of this window
      --role <ROLE>             Only items of this role [possible values: user, assistant, tool_call, tool, system, developer]
      --tool-name <TOOL>        Only calls and results of this tool
      --recent-first            Newest first
      --max-chars-per-item <N>  Show at most this many characters of an item [default: 1200]
      --limit <N>               Print one page of at most this many items, 100 at most, instead of all
      --cursor <CURSOR>         Print one page that begins here, as the page before has said
      --json                    Print the tool's own answers, {"items": [...], "next_cursor": ...}, one on a line
      --component <FILE>        The component to run
  -h, --help                    Print help (see more with '--help')

"#]]);
    help(&["history", "read", "-h"]).stdout_eq(str![[r#"
Print one item in full

Usage: pi-capsule history read [OPTIONS] <SESSION.jsonl> <WINDOW> <ITEM>

Arguments:
  <SESSION.jsonl>  A session file of Pi
  <WINDOW>         The window that holds the item
  <ITEM>           The item; of a tool call the id has a number, as in a1b2c3d4#0

Options:
      --offset-chars <N>  Begin after this many characters; a negative number counts from the end [default: 0]
      --limit-chars <N>   Print at most this many characters, 50000 at most [default: all, or 12000 with --offset-chars]
      --json              Print the tool's own answers, one on a line, as {"header": ..., "text": ..., "next_offset_chars": ...}
      --component <FILE>  The component to run
  -h, --help              Print help (see more with '--help')

"#]]);
    help(&["history", "search", "-h"]).stdout_eq(str![[r#"
List the items that hold a text, oldest first

Usage: pi-capsule history search [OPTIONS] <SESSION.jsonl> <QUERY>...

Arguments:
  <SESSION.jsonl>  A session file of Pi
  <QUERY>...       What to look for; of several, any will do

Options:
      --window-id <WINDOW>      Only items of this window
      --role <ROLE>             Only items of this role [possible values: user, assistant, tool_call, tool, system, developer]
      --tool-name <TOOL>        Only calls and results of this tool
      --recent-first            Newest first
      --max-chars-per-item <N>  Show at most this many characters of an item [default: 1200]
      --limit <N>               Print one page of at most this many items, 100 at most, instead of all
      --cursor <CURSOR>         Print one page that begins here, as the page before has said
      --json                    Print the tool's own answers, {"items": [...], "next_cursor": ...}, one on a line
      --component <FILE>        The component to run
  -h, --help                    Print help (see more with '--help')

"#]]);
}
