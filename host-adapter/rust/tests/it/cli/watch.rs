//! `pi-capsule footer --watch`

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use snapbox::cmd::cargo_bin;
use snapbox::str;

use super::sandbox::Sandbox;
use crate::support;

/// A session file that grows, with two repositories beside it.
struct Growing {
    sandbox: Sandbox,
    file: PathBuf,
    entries: usize,
}

impl Growing {
    fn new() -> Growing {
        let sandbox = Sandbox::new();
        sandbox.repository();
        sandbox.git(&["init", "--quiet", "--initial-branch", "main", "other"]);
        let header = json!({"type": "session", "version": 3, "id": "0193a1b2", "cwd": sandbox.path("repo")});
        let file = sandbox.write("s.jsonl", format!("{header}\n"));
        Growing { sandbox, file, entries: 0 }
    }

    fn append_text(&self, text: &str) {
        File::options().append(true).open(&self.file).unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Appends an entry after the one before.
    fn append(&mut self, mut entry: serde_json::Value) {
        entry["parentId"] = if self.entries == 0 { json!(null) } else { json!(format!("e{}", self.entries)) };
        self.entries += 1;
        entry["id"] = json!(format!("e{}", self.entries));
        self.append_text(&format!("{entry}\n"));
    }

    fn call(&mut self, id: &str, name: &str, arguments: serde_json::Value) {
        let call = json!({"type": "toolCall", "id": id, "name": name, "arguments": arguments});
        let message = json!({"role": "assistant", "stopReason": "toolUse", "content": [call]});
        self.append(json!({"type": "message", "message": message}));
    }

    fn result(&mut self, id: &str) {
        let message = json!({"role": "toolResult", "toolCallId": id, "isError": false, "content": []});
        self.append(json!({"type": "message", "message": message}));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin!("pi-capsule"));
        command
            .args(["footer", "--watch", "s.jsonl"])
            .args(arguments)
            .env_clear()
            .env("HOME", self.sandbox.path("home"))
            .env("PATH", std::env::var("PATH").unwrap())
            .env("TERM", "xterm-256color")
            .env("PI_CAPSULE_COMPONENT", support::shipped_component())
            .current_dir(self.file.parent().unwrap())
            .stdin(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    fn watch(&self, arguments: &[&str]) -> Watching {
        let mut child = self.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Watching { child, lines }
    }
}

struct Watching {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watching {
    /// Reads lines until there is one that begins so.
    fn line(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "it ends before {beginning:?}");
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    fn stop(self) -> String {
        stop(self.child)
    }
}

/// Ends it as a person does. What it has said on standard error.
fn stop(child: Child) -> String {
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn it_follows_the_tools_and_the_person() {
    let mut file = Growing::new();
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · feature/footer · ! · ");
    let other = file.sandbox.path("other");
    file.call("1", "read", json!({"path": other.join("x")}));
    watching.line("other · main · ! · ");
    file.call("2", "bash", json!({"command": format!("git -C {} switch -c topic", other.display())}));
    file.sandbox.git(&["-C", "other", "switch", "--quiet", "--create", "topic"]);
    file.result("2");
    watching.line("other · topic · ! · ");
    let state = |mode: &str, root: Option<PathBuf>| {
        let data = json!({"version": 1, "startedAt": 1, "mode": mode, "pinnedRoot": root});
        json!({"type": "custom", "customType": "pr-footer-state", "data": data})
    };
    file.append(state("pinned", Some(file.sandbox.path("repo"))));
    watching.line("📌 acme/widget · feature/footer · ! · ");
    file.append(state("auto", None));
    watching.line("acme/widget · feature/footer · ! · ");
    let before = fs::read(&file.file).unwrap();
    assert_eq!(watching.stop(), "");
    assert_eq!(fs::read(&file.file).unwrap(), before, "the file is only read");
}

#[test]
fn an_incomplete_line_waits_for_its_end() {
    let mut file = Growing::new();
    let other = file.sandbox.path("other");
    let mut watching = file.watch(&["--json"]);
    watching.line("{\"text\":\"acme/widget · feature/footer · ! · ");
    let part = r#"{"type":"custom","id":"part","parentId":null,"customType":"x","da"#;
    file.append_text(part);
    std::thread::sleep(std::time::Duration::from_millis(600));
    file.append_text("ta\":1}\nnot json\n");
    file.call("1", "ls", json!({"path": other}));
    watching.line("{\"text\":\"other · main · ! · ");
    assert_eq!(watching.stop(), "");
}

#[test]
fn another_file_of_that_name_is_read_from_its_beginning() {
    let file = Growing::new();
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    let header = json!({"type": "session", "version": 3, "id": "x", "cwd": file.sandbox.path("other")});
    fs::write(file.sandbox.path("new"), format!("{header}\n")).unwrap();
    fs::rename(file.sandbox.path("new"), &file.file).unwrap();
    watching.line("other · main · ! · ");
    assert_eq!(watching.stop(), "note: s.jsonl: this is another file now; it is read from its beginning\n");
}

#[test]
fn a_file_that_goes_ends_it() {
    let file = Growing::new();
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    fs::remove_file(&file.file).unwrap();
    let output = watching.child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: s.jsonl: there is no such file; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions\n"
    );
}

#[test]
fn a_reader_that_goes_ends_it_quietly() {
    let file = Growing::new();
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    drop(watching.lines);
    // The age alone changes the line every second.
    let output = watching.child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn it_needs_a_session_file() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "some text\n");
    sandbox.command().args(["footer", "--watch", "notes.txt"]).assert().code(1).stdout_eq("").stderr_eq(str![[r#"
error: notes.txt: this is not a Pi session: it does not begin with a session header; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions

"#]]);
    sandbox.command().args(["footer", "--watch", "s.jsonl", "--cwd", "home"]).assert().code(2).stdout_eq("");
}

#[test]
fn a_terminal_shows_one_line_in_its_place() {
    let mut file = Growing::new();
    let size = Winsize { ws_row: 24, ws_col: 30, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(&size, None).unwrap();
    let child = file.command(&[]).stdout(terminal.slave).spawn().unwrap();
    let mut master = File::from(terminal.master);
    let mut seen = String::new();
    let mut see = |expected: &str| {
        let mut buffer = [0; 4096];
        while !seen.contains(expected) {
            let length = master.read(&mut buffer).unwrap();
            seen += &String::from_utf8_lossy(&buffer[..length]);
        }
        seen.clone()
    };
    // Cut to the 30 columns there are.
    see("acme/widget · feature/footer ");
    file.call("1", "ls", json!({"path": file.sandbox.path("other")}));
    let seen = see("other · main · !");
    assert!(!seen.contains('\n'), "{seen:?}");
    assert!(seen.contains('\r'), "{seen:?}");
    assert_eq!(stop(child), "");
}
