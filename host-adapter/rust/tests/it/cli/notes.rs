//! `pi-capsule notes`

use serde_json::json;
use snapbox::cmd::Command;
use snapbox::str;

use super::sandbox::Sandbox;
use super::session;

/// The line of an operation on a note, the `number`th entry, at that second.
fn operation(number: usize, op: &str, path: &str, text: &str) -> String {
    let at = 1_740_819_600_000_u64 + 1000 * number as u64;
    let data = json!({ "op": op, "path": path, "text": text, "createdAt": at, "updatedAt": at });
    let parent = number.checked_sub(1).map(|before| format!("n{before}"));
    let id = format!("n{number}");
    let custom_type = "pi-context/note";
    json!({ "type": "custom", "customType": custom_type, "id": id, "parentId": parent, "data": data }).to_string()
}

/// A session with these notes.
fn notes(texts: &[(&str, &str)]) -> String {
    let lines = texts.iter().enumerate().map(|(number, (path, text))| operation(number, "write", path, text));
    let lines: Vec<String> = lines.collect();
    session(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// In a place two hours east of Greenwich.
fn command(sandbox: &Sandbox) -> Command {
    sandbox.command().env("TZ", "<+02>-2").arg("notes")
}

#[test]
fn list_is_a_table() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    command(&sandbox).args(["list", "s.jsonl"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
UPDATED                        CREATED                          BYTES  STALE  PATH
2025-03-01T11:00:26.000+02:00  2025-03-01T11:00:15.000+02:00       27  yes    plan.md
2025-03-01T11:00:23.000+02:00  2025-03-01T11:00:23.000+02:00        1  no     revived.md
2025-03-01T11:00:22.000+02:00  2025-03-01T11:00:19.000+02:00       37  no     scratch.md
2025-03-01T11:00:21.000+02:00  2025-03-01T11:00:21.000+02:00        4  yes    done.md
2025-03-01T11:00:18.000+02:00  2025-03-01T11:00:18.000+02:00       10  no     notes/日誌.md

"#]]);
}

#[test]
fn list_takes_the_options_of_the_tool() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    let list = |options: &[&str]| command(&sandbox).args(["list", "s.jsonl"]).args(options).assert().success();
    list(&["--pattern", "*/*", "--json"]).stderr_eq("").stdout_eq(str![[r#"
{"files":[{"path":"notes/日誌.md","size_bytes":10,"stale":false,"created_at":"2025-03-01T11:00:18.000+02:00","updated_at":"2025-03-01T11:00:18.000+02:00"}],"next_cursor":null}

"#]]);
    list(&["--file-order-by", "name", "--file-order", "ascending", "--max-results", "2"])
        .stderr_eq(str![[r#"
note: there is more; continue with --cursor 2

"#]])
        .stdout_eq(str![[r#"
UPDATED                        CREATED                          BYTES  STALE  PATH
2025-03-01T11:00:21.000+02:00  2025-03-01T11:00:21.000+02:00        4  yes    done.md
2025-03-01T11:00:18.000+02:00  2025-03-01T11:00:18.000+02:00       10  no     notes/日誌.md

"#]]);
    list(&["--file-order-by", "created-at", "--cursor", "3"]).stderr_eq("").stdout_eq(str![[r#"
UPDATED                        CREATED                          BYTES  STALE  PATH
2025-03-01T11:00:18.000+02:00  2025-03-01T11:00:18.000+02:00       10  no     notes/日誌.md
2025-03-01T11:00:26.000+02:00  2025-03-01T11:00:15.000+02:00       27  yes    plan.md

"#]]);
    list(&["--pattern", "nothing/**"]).stdout_eq("").stderr_eq(str![[r#"
note: there is nothing to show

"#]]);
}

#[test]
fn list_follows_the_pages_to_the_end() {
    let sandbox = Sandbox::new();
    let paths: Vec<String> = (0..120).map(|number| format!("note {number:03}.md")).collect();
    let texts: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "text")).collect();
    sandbox.write("s.jsonl", notes(&texts));
    let assert = command(&sandbox).args(["list", "s.jsonl"]).assert().success().stderr_eq("");
    let table = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let listed: Vec<&str> = table.lines().skip(1).map(|line| &line[line.find("note").unwrap()..]).collect();
    assert_eq!(listed, paths.iter().rev().collect::<Vec<_>>());
}

#[test]
fn read_prints_the_text_and_nothing_else() {
    let sandbox = Sandbox::new();
    let long = "so much to keep in mind 📌\n".repeat(6_000);
    sandbox.write("s.jsonl", notes(&[("plan.md", "1. Lexer"), ("long · [x].md", &long)]));
    let read = |arguments: &[&str]| command(&sandbox).args(["read", "s.jsonl"]).args(arguments).assert().success();
    read(&["plan.md"]).stderr_eq("").stdout_eq("1. Lexer");
    let whole = read(&["long · [x].md"]).stderr_eq("").get_output().stdout.clone();
    assert!(String::from_utf8(whole).unwrap() == long, "byte for byte");
    read(&["plan.md", "--offset-chars", "-5", "--limit-chars", "3"]).stdout_eq("Lex").stderr_eq(str![[r#"
note: there is more; continue with --offset-chars 6

"#]]);
    read(&["plan.md", "--json"]).stderr_eq("").stdout_eq(str![[r#"
{"header":"[plan.md · created 2025-03-01T11:00:00.000+02:00 · updated 2025-03-01T11:00:00.000+02:00 · chars 0-8 of 8 · end]","text":"1. Lexer","next_offset_chars":null}

"#]]);
}

#[test]
fn search_prints_the_lines_as_grep_does() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    let search = |arguments: &[&str]| command(&sandbox).args(["search", "s.jsonl"]).args(arguments).assert().success();
    search(&["Lexer", "line"]).stderr_eq("").stdout_eq(str![[r#"
plan.md:3:1. Lexer
notes/日誌.md:1:first line

"#]]);
    search(&["Lexer", "line", "--recent-file-first", "false"]).stderr_eq("").stdout_eq(str![[r#"
notes/日誌.md:1:first line
plan.md:3:1. Lexer

"#]]);
    search(&["i", "--path-prefix", "s", "--json"]).stderr_eq("").stdout_eq(str![[r#"
{"files":[{"path":"scratch.md","stale":false,"matches_total":1,"matches":[{"line":1,"text":"try rustc --edition 2024, then clippy","truncated":false,"total_chars":37,"offset_chars":14}]}],"next_cursor":null}

"#]]);
    search(&["e", "--max-files", "1", "--max-matches-per-file", "1"])
        .stderr_eq(str![[r#"
note: plan.md: 1 of 2 matching lines are shown
note: there is more; continue with --cursor 2

"#]])
        .stdout_eq(str![[r#"
plan.md:3:1. Lexer

"#]]);
    search(&["nowhere"]).stdout_eq("").stderr_eq(str![[r#"
note: there is nothing to show

"#]]);
}

#[test]
fn search_follows_the_pages_to_the_end() {
    let sandbox = Sandbox::new();
    let paths: Vec<String> = (0..50).map(|number| format!("{number}.md")).collect();
    let texts: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "a needle\nhay")).collect();
    sandbox.write("s.jsonl", notes(&texts));
    let assert = command(&sandbox).args(["search", "s.jsonl", "needle"]).assert().success().stderr_eq("");
    let lines = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let expected: Vec<String> = paths.iter().rev().map(|path| format!("{path}:1:a needle")).collect();
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_the_tools_complain_of_is_one_line() {
    let sandbox = Sandbox::new();
    sandbox.session("typescript");
    let notes = |arguments: &[&str]| command(&sandbox).args(arguments).assert().code(1).stdout_eq("");
    notes(&["read", "s.jsonl", "leaked.md"]).stderr_eq(str![[r#"
error: s.jsonl: There is no note "leaked.md". The notes: "plan.md", "revived.md", "scratch.md", "done.md", "notes/日誌.md".

"#]]);
    notes(&["read", "s.jsonl", "../plan.md"]).stderr_eq(str![[r#"
error: s.jsonl: There is no note "../plan.md". The notes: "plan.md", "revived.md", "scratch.md", "done.md", "notes/日誌.md".

"#]]);
    notes(&["read", "s.jsonl", "plan.md", "--offset-chars", "1000"]).stderr_eq(str![[r#"
error: s.jsonl: offset_chars 1000 is past the end. The largest offset here is 27; -1 is the last character.

"#]]);
    notes(&["search", "s.jsonl", ""]).stderr_eq(str![[r#"
error: s.jsonl: query must not be empty: give the text to look for, or a list of texts of which one is enough.

"#]]);
    notes(&["list", "missing.jsonl"]).stderr_eq(str![[r#"
error: missing.jsonl: there is no such file; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions

"#]]);
}

#[test]
fn wrong_usage_is_found_before_the_file_is_read() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["list"][..],
        &["list", "s.jsonl", "--max-results", "201"],
        &["list", "s.jsonl", "--file-order-by", "size"],
        &["list", "s.jsonl", "--file-order", "random"],
        &["read", "s.jsonl"],
        &["search", "s.jsonl"],
        &["search", "s.jsonl", "x", "--max-files", "0"],
        &["search", "s.jsonl", "x", "--max-matches-per-file", "101"],
        &["search", "s.jsonl", "x", "--recent-file-first", "maybe"],
        &[],
    ] {
        command(&sandbox).args(arguments).assert().code(2).stdout_eq("");
    }
}

#[test]
fn a_terminal_gets_colours_and_no_orders() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", notes(&[("evil\u{1b}[2J.md", "one\u{7}\n\u{1b}]0;title\u{7} needle")]));
    let found = sandbox.on_terminal(&["notes", "search", "s.jsonl", "needle"]);
    assert!(found.contains("evil\u{fffd}[2J.md") && found.contains("\u{fffd}]0;title\u{fffd} \u{1b}[1m"), "{found:?}");
    let list = sandbox.on_terminal(&["notes", "list", "s.jsonl"]);
    assert!(list.starts_with("\u{1b}[1mUPDATED") && list.ends_with("  evil\u{fffd}[2J.md\n"), "{list:?}");
    let text = sandbox.on_terminal(&["notes", "read", "s.jsonl", "evil\u{1b}[2J.md"]);
    assert_eq!(text, "one\u{fffd}\n\u{fffd}]0;title\u{fffd} needle\n");
}

#[test]
fn help_says_it_all() {
    let sandbox = Sandbox::new();
    let help = |arguments: &[&str]| command(&sandbox).args(arguments).assert().success().stderr_eq("");
    help(&["--help"]).stdout_eq(str![[r#"
Read the notes that the model keeps in a session

Notes are files inside the session, and nowhere else. Session files are only read. What cannot be read of one is left out and said on standard error; then the exit code is 1.

Usage: pi-capsule notes <COMMAND>

Commands:
  list    List the notes of a session, most recently updated first
  read    Print one note in full
  search  Print the lines of notes that hold a text, as `path:line:text`
  help    Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

"#]]);
    help(&["list", "-h"]).stdout_eq(str![[r#"
List the notes of a session, most recently updated first

Usage: pi-capsule notes list [OPTIONS] <SESSION.jsonl>

Arguments:
  <SESSION.jsonl>  A session file of Pi

Options:
      --pattern <GLOB>       Only paths of this form: `*` is anything within a folder, `**` any folders, `?` one character
      --file-order-by <KEY>  What to sort by [default: updated_at] [possible values: name, created_at, updated_at]
      --file-order <ORDER>   Which way to sort [default: names ascend and times descend] [possible values: ascending, descending]
      --max-results <N>      Print one page of at most this many notes, 200 at most, instead of all
      --cursor <CURSOR>      Print one page that begins here, as the page before has said
      --json                 Print the tool's own answers, {"files": [...], "next_cursor": ...}, one on a line
      --component <FILE>     The component to run
  -h, --help                 Print help (see more with '--help')

"#]]);
    help(&["read", "-h"]).stdout_eq(str![[r#"
Print one note in full

Usage: pi-capsule notes read [OPTIONS] <SESSION.jsonl> <PATH>

Arguments:
  <SESSION.jsonl>  A session file of Pi
  <PATH>           The note

Options:
      --offset-chars <N>  Begin after this many characters; a negative number counts from the end [default: 0]
      --limit-chars <N>   Print at most this many characters, 50000 at most [default: all, or 12000 with --offset-chars]
      --json              Print the tool's own answers, one on a line, as {"header": ..., "text": ..., "next_offset_chars": ...}
      --component <FILE>  The component to run
  -h, --help              Print help (see more with '--help')

"#]]);
    help(&["search", "-h"]).stdout_eq(str![[r#"
Print the lines of notes that hold a text, as `path:line:text`

Usage: pi-capsule notes search [OPTIONS] <SESSION.jsonl> <QUERY>...

Arguments:
  <SESSION.jsonl>  A session file of Pi
  <QUERY>...       What to look for; of several, any will do

Options:
      --path-prefix <PREFIX>      Only notes whose path begins so
      --max-matches-per-file <N>  Show at most this many lines of a note, 100 at most [default: 100]
      --recent-file-first <BOOL>  Whether the notes come most recently updated first [default: true] [possible values: true, false]
      --max-files <N>             Print one page of at most this many notes, 100 at most, instead of all
      --cursor <CURSOR>           Print one page that begins here, as the page before has said
      --json                      Print the tool's own answers, {"files": [...], "next_cursor": ...}, one on a line
      --component <FILE>          The component to run
  -h, --help                      Print help (see more with '--help')

"#]]);
}
