//! The command, as a person or a script calls it.

mod history;
mod notes;
mod sandbox;
mod watch;

use std::fs;
use std::process::Stdio;

use snapbox::cmd::cargo_bin;
use snapbox::str;

use self::sandbox::Sandbox;
use crate::support::{self, Guest};

const HEADER: &str =
    r#"{"type":"session","version":3,"id":"0193a1b2-c3d4","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/work"}"#;
const SAID: &str = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}"#;
const RESET: &str = r#"{"type":"compaction","id":"b","parentId":"a","summary":"so far","details":{"piContext":"reset-v2","windowId":"pcw:0193a1b2:00c0ffee"}}"#;

fn session(lines: &[&str]) -> String {
    [&[HEADER], lines].concat().join("\n") + "\n"
}

#[test]
fn footer_shows_where_one_is() {
    let sandbox = Sandbox::new();
    sandbox.repository();
    sandbox.command().args(["footer", "--cwd", "repo"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
acme/widget · feature/footer · [..]s

"#]]);
}

#[test]
fn footer_as_json_names_the_directory() {
    let sandbox = Sandbox::new();
    sandbox.repository();
    sandbox.command().args(["footer", "--cwd", "repo", "--json"]).assert().success().stderr_eq("").stdout_eq(str![[
        r#"
{"text":"acme/widget · feature/footer · [..]s","cwd":"[ROOT]/repo"}

"#
    ]]);
}

#[test]
fn footer_outside_of_a_repository_is_a_line_too() {
    let sandbox = Sandbox::new();
    sandbox.command().args(["footer", "--cwd", "/"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
repo — · ! · [..]s

"#]]);
}

#[test]
fn footer_needs_a_directory_that_is_there() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    let footer = |cwd: &str| sandbox.command().args(["footer", "--cwd", cwd]).assert().code(1).stdout_eq("");
    footer("missing").stderr_eq(str![[r#"
error: missing: there is no such directory; name one with --cwd

"#]]);
    footer("file").stderr_eq(str![[r#"
error: file: this is not a directory; name one with --cwd

"#]]);
}

#[test]
fn windows_are_a_table() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", session(&[SAID, RESET]));
    sandbox.command().args(["windows", "s.jsonl"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
WINDOW                 ITEMS
pcw:0193a1b2:root          1
pcw:0193a1b2:00c0ffee      1

"#]]);
}

#[test]
fn windows_are_json_for_scripts() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", session(&[SAID]));
    sandbox.command().args(["windows", "s.jsonl", "--json"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
{"windows":[{"window_id":"pcw:0193a1b2:root","item_count":1}]}

"#]]);
}

#[test]
fn windows_says_how_many_do_not_fit() {
    let sandbox = Sandbox::new();
    let compaction = |number: usize| {
        let parent = number.checked_sub(1).map_or("null".into(), |before| format!("\"c{before}\""));
        format!(r#"{{"type":"compaction","id":"c{number}","parentId":{parent},"summary":"so far"}}"#)
    };
    let lines: Vec<String> = (0..2000).map(compaction).collect();
    sandbox.write("s.jsonl", session(&lines.iter().map(String::as_str).collect::<Vec<_>>()));
    let windows = sandbox.command().args(["windows", "s.jsonl"]).assert().code(1).stderr_eq(str![[r#"
error: s.jsonl: [..] later windows do not fit; `pi-capsule history list` shows what is in them

"#]]);
    let table = String::from_utf8(windows.get_output().stdout.clone()).unwrap();
    assert!(table.lines().count() > 500 && table.lines().any(|line| line == "c499                   1"), "{table}");
}

#[test]
fn windows_says_what_it_skipped_and_shows_the_rest() {
    let sandbox = Sandbox::new();
    let hologram = r#"{"type":"hologram","id":"h","parentId":"a"}"#;
    let file = sandbox.write("s.jsonl", session(&[SAID, "{", hologram]) + &RESET[..40]);
    let before = fs::read(&file).unwrap();
    sandbox
        .command()
        .args(["windows", "s.jsonl"])
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
error: s.jsonl: 1 line cannot be read; the last line is incomplete; 1 entry is of an unknown kind (hologram); a later version of pi-capsule may know more

"#]])
        .stdout_eq(str![[r#"
WINDOW             ITEMS
pcw:0193a1b2:root      1

"#]]);
    assert_eq!(fs::read(&file).unwrap(), before, "the file stays as it was");
}

#[test]
fn windows_of_a_file_that_pi_is_writing_are_shown_with_advice() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", session(&[SAID]) + &RESET[..40]);
    sandbox
        .command()
        .args(["windows", "s.jsonl", "--json"])
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
error: s.jsonl: the last line is incomplete; if Pi is writing to it now, try again when Pi has finished

"#]])
        .stdout_eq(str![[r#"
{"windows":[{"window_id":"pcw:0193a1b2:root","item_count":1}]}

"#]]);
}

#[test]
fn windows_needs_a_session_file() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.jsonl", "");
    sandbox.write("notes.txt", "some text\n");
    sandbox.write("list.json", "[]");
    let windows = |file: &str| sandbox.command().args(["windows", file]).assert().code(1).stdout_eq("");
    windows("missing.jsonl").stderr_eq(str![[r#"
error: missing.jsonl: there is no such file; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions

"#]]);
    windows("home").stderr_eq(str![[r#"
error: home: this is a directory, not a file; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions

"#]]);
    windows("empty.jsonl").stderr_eq(str![[r#"
error: empty.jsonl: this file is empty; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions

"#]]);
    for file in ["notes.txt", "list.json"] {
        windows(file).stderr_eq(str![[r#"
error: [..]: this is not a Pi session: it does not begin with a session header; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions

"#]]);
    }
}

#[test]
fn a_component_has_to_be_one_of_this_world() {
    let sandbox = Sandbox::new();
    sandbox.write("text.wasm", "some text");
    sandbox.write("core.wasm", support::core_module());
    sandbox.write("other.wasm", support::of_another_world());
    sandbox.write("later.wasm", support::of_version("0.2.0"));
    sandbox.write("silent.wasm", Guest::default().build());
    let footer = |file: &str| sandbox.command().args(["footer", "--component", file]).assert().code(1).stdout_eq("");
    footer("missing.wasm").stderr_eq(str![[r#"
error: missing.wasm: there is no such file; build one with `cargo xtask component`, or name another with --component

"#]]);
    footer("home").stderr_eq(str![[r#"
error: home: this is a directory, not a component; build one with `cargo xtask component`, or name another with --component

"#]]);
    footer("text.wasm").stderr_eq(str![[r#"
error: text.wasm: this is not WebAssembly; build one with `cargo xtask component`, or name another with --component

"#]]);
    footer("core.wasm").stderr_eq(str![[r#"
error: core.wasm: this is a core WebAssembly module, not a component; make one of it, for example with `wasm-tools component new`

"#]]);
    footer("other.wasm").stderr_eq(str![[r#"
error: other.wasm: this component is not for the world pi:extension/extension: it imports acme:clocks/time@2.0.0 and does not export pi:extension/commands, pi:extension/completions, pi:extension/lifecycle, pi:extension/tool-observer, pi:extension/tools; build one with `cargo xtask component`, or name another with --component

"#]]);
    footer("later.wasm").stderr_eq(str![[r#"
error: later.wasm: this component was made for pi:extension@0.2.0, but this host implements pi:extension@0.1.0; use versions of both that match

"#]]);
}

#[test]
fn a_component_without_the_tool_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", session(&[SAID]));
    sandbox.write("silent.wasm", Guest::default().build());
    let windows = sandbox.command().args(["windows", "s.jsonl", "--component", "silent.wasm"]).assert();
    windows.code(1).stdout_eq("").stderr_eq(str![[r#"
error: silent.wasm: this component has no tool history_list_windows; name another with --component

"#]]);
}

#[test]
fn a_component_that_breaks_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("broken.wasm", Guest::default().export("lifecycle.session-started", "unreachable").build());
    let footer = sandbox.command().args(["footer", "--component", "broken.wasm"]).assert();
    footer.code(1).stdout_eq("").stderr_eq(str![[r#"
error: broken.wasm: the component failed in lifecycle.session-started: wasm trap: wasm `unreachable` instruction executed

"#]]);
}

#[test]
fn the_component_is_found_beside_the_program_or_its_folder() {
    let sandbox = Sandbox::new();
    let program = sandbox.path("bin/pi-capsule");
    fs::hard_link(cargo_bin!("pi-capsule"), &program).unwrap();
    let footer = || sandbox.bare_command(&program).args(["footer", "--cwd", "/"]).assert();
    footer().code(1).stdout_eq("").stderr_eq(str![[r#"
error: there is no component: build it with `cargo xtask component`, or name a file with --component or PI_CAPSULE_COMPONENT

"#]]);
    for place in ["component/pi_capsule.wasm", "bin/pi_capsule.wasm"] {
        sandbox.write(place, place);
        footer().code(1).stdout_eq("").stderr_eq(format!(
            "error: [ROOT]/{place}: this is not WebAssembly; build one with `cargo xtask component`, or name another \
             with --component\n"
        ));
    }
}

#[test]
fn a_component_is_precompiled_and_then_starts_at_once() {
    let sandbox = Sandbox::new();
    sandbox.session("capsule");
    let shipped = crate::support::shipped_component();
    let shipped = shipped.to_str().unwrap();
    let precompile = |arguments: &[&str]| sandbox.command().arg("precompile").args(arguments).assert();
    precompile(&["--component", shipped, "--output", "own.cwasm"]).success().stdout_eq("own.cwasm\n").stderr_eq("");
    let windows = |component: &str| {
        let output = sandbox.command().args(["windows", "s.jsonl", "--component", component]).assert();
        output.success().stderr_eq("").get_output().stdout.clone()
    };
    assert_eq!(windows("own.cwasm"), windows(shipped));

    fs::copy(shipped, sandbox.path("copy.wasm")).unwrap();
    precompile(&["--component", "copy.wasm"]).success().stdout_eq("copy.cwasm\n");
    precompile(&["--component", "copy.wasm", "-o", "copy.wasm"]).code(1).stderr_eq(str![[r#"
error: copy.wasm: this would overwrite the component

"#]]);
    precompile(&["-o", "nowhere/own.cwasm"]).code(1).stdout_eq("").stderr_eq(str![[r#"
error: nowhere/own.cwasm: it cannot be written: No such file or directory (os error 2)

"#]]);

    let mut code = fs::read(sandbox.path("own.cwasm")).unwrap();
    code.truncate(code.len() / 2);
    sandbox.write("half.cwasm", code);
    let half = sandbox.command().args(["windows", "s.jsonl", "--component", "half.cwasm"]).assert();
    half.code(1).stdout_eq("").stderr_eq(str![[r#"
error: half.cwasm: this was not precompiled by this program on such a machine; precompile the component again: [..]

"#]]);
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let sandbox = Sandbox::new();
    for arguments in [&[][..], &["windows"], &["footer", "--color"], &["completions", "csh"]] {
        sandbox.command().args(arguments).assert().code(2).stdout_eq("");
    }
}

#[test]
fn completions_are_a_script_for_the_shell() {
    let sandbox = Sandbox::new();
    for (shell, expected) in [("bash", "complete -F"), ("zsh", "#compdef pi-capsule"), ("fish", "complete -c")] {
        let output =
            sandbox.command().args(["completions", shell]).assert().success().stderr_eq("").get_output().clone();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains(expected) && script.contains("max-chars-per-item"), "{shell}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = std::process::Command::new(cargo_bin!("pi-capsule"))
        .args(["completions", "bash"])
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
fn help_says_it_all() {
    let sandbox = Sandbox::new();
    let help = |arguments: &[&str]| sandbox.command().args(arguments).assert().success().stderr_eq("");
    help(&["--help"]).stdout_eq(str![[r#"
Run the pi-capsule component outside of Pi

Usage: pi-capsule <COMMAND>

Commands:
  footer       Print the footer that Pi would show in a directory, or follow a session
  windows      List the context windows of a session, oldest first
  history      Read what was said and done in a session, in all its context windows
  notes        Read the notes that the model keeps in a session
  precompile   Compile the component for this machine, so that it starts at once
  completions  Print a completion script for a shell
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help
  -V, --version  Print version

"#]]);
    help(&["footer", "--help"]).stdout_eq(str![[r#"
Print the footer that Pi would show in a directory, or follow a session

Without --watch it starts a new session in the directory and waits until the component has asked git and gh what it wants to know. With --watch it shows the footer of a session while Pi writes to its file: on a terminal one line that is painted anew, for a program a line for each change. Ctrl-C ends it, with exit code 0.

Usage: pi-capsule footer [OPTIONS]

Options:
      --cwd <DIR>
          The directory [default: the current one]

      --watch <SESSION.jsonl>
          Follow the session in this file instead; the file is only read

      --json
          Print {"text": ..., "cwd": ...}; with --watch on a line for each change

      --component <FILE>
          The component to run
          
          By default the one that the variable PI_CAPSULE_COMPONENT names, then pi_capsule.wasm beside this program, then the one that `cargo xtask component` has built. A file that `pi-capsule precompile` has made starts at once; it is native code, so take none from anybody else.

  -h, --help
          Print help (see a summary with '-h')

"#]]);
    help(&["windows", "--help"]).stdout_eq(str![[r#"
List the context windows of a session, oldest first

Reads the session file and leaves it as it is. Prints the id of each window on the active branch and how many items of history it holds. What cannot be read of a file is left out and said on standard error; then the exit code is 1.

Usage: pi-capsule windows [OPTIONS] <SESSION.jsonl>

Arguments:
  <SESSION.jsonl>
          A session file of Pi

Options:
      --json
          Print the tool's own answer, {"windows": [{"window_id": ..., "item_count": ...}]}

      --component <FILE>
          The component to run
          
          By default the one that the variable PI_CAPSULE_COMPONENT names, then pi_capsule.wasm beside this program, then the one that `cargo xtask component` has built. A file that `pi-capsule precompile` has made starts at once; it is native code, so take none from anybody else.

  -h, --help
          Print help (see a summary with '-h')

"#]]);
}
