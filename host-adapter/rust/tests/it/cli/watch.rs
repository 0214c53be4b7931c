//! `pi-capsule footer --watch`

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use snapbox::cmd::cargo_bin;
use snapbox::str;
use tempfile::TempDir;

use super::sandbox::Sandbox;
use crate::support::{self, Guest};

/// Longer than it takes until the file has been looked at again.
const SEVERAL_LOOKS: Duration = Duration::from_millis(700);

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(20);

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
        let file = sandbox.write("s.jsonl", header(&sandbox.path("repo")));
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
        let mut command = self.in_place(cargo_bin!("pi-capsule"));
        command.args(["footer", "--watch", "s.jsonl"]).args(arguments).stderr(Stdio::piped());
        command
    }

    /// A program in the environment of the command.
    fn in_place(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.sandbox.path("home"))
            .env("PATH", std::env::var("PATH").unwrap())
            .env("TERM", "xterm-256color")
            .env("PI_CAPSULE_COMPONENT", support::precompiled_component())
            .current_dir(self.file.parent().unwrap())
            .stdin(Stdio::null());
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
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "it ends before {beginning:?}");
            if line.starts_with(beginning) {
                return line;
            }
            // There is one at least every second, for the age.
            assert!(Instant::now() < deadline, "it stays {line:?}");
        }
    }

    fn stop(self) -> String {
        stop(self.child)
    }
}

fn header(cwd: &Path) -> String {
    format!("{}\n", json!({"type": "session", "version": 3, "id": "0193a1b2", "cwd": cwd}))
}

fn state(mode: &str, root: Option<PathBuf>) -> serde_json::Value {
    let data = json!({"version": 1, "startedAt": 1, "mode": mode, "pinnedRoot": root});
    json!({"type": "custom", "customType": "pr-footer-state", "data": data})
}

/// Ends it as a person does. What it has said on standard error.
fn stop(child: Child) -> String {
    stop_by(child, Signal::SIGINT)
}

fn stop_by(child: Child, signal: Signal) -> String {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{signal}");
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
    thread::sleep(SEVERAL_LOOKS);
    file.append_text("ta\":1}\n");
    file.call("1", "ls", json!({"path": other}));
    watching.line("{\"text\":\"other · main · ! · ");
    assert_eq!(watching.stop(), "");
}

/// What is read of a file is counted by the system.
#[cfg(target_os = "linux")]
#[test]
fn an_incomplete_line_is_not_read_again_and_again() {
    const LENGTH: usize = 8 << 20;
    let file = Growing::new();
    file.append_text(&"x".repeat(LENGTH));
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    let bytes_read = || -> usize {
        let counters = fs::read_to_string(format!("/proc/{}/io", watching.child.id())).unwrap();
        counters.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
    };
    let before = bytes_read();
    thread::sleep(SEVERAL_LOOKS);
    assert!(bytes_read() - before < LENGTH);
    watching.stop();
}

#[test]
fn a_line_that_is_not_understood_is_passed_over_and_said_once() {
    let mut file = Growing::new();
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    file.append_text("not json\n");
    thread::sleep(SEVERAL_LOOKS);
    file.append_text("[]\n");
    file.call("1", "ls", json!({"path": file.sandbox.path("other")}));
    watching.line("other · main · ! · ");
    assert_eq!(
        watching.stop(),
        "warning: s.jsonl: 1 line cannot be read; the file is damaged, and what is shown is what can be read\n"
    );
}

#[test]
fn a_file_that_is_cut_is_read_from_its_beginning() {
    let file = Growing::new();
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    fs::write(&file.file, "").unwrap();
    thread::sleep(SEVERAL_LOOKS);
    file.append_text(&header(&file.sandbox.path("other")));
    watching.line("other · main · ! · ");
    assert_eq!(watching.stop(), "note: s.jsonl: this is another file now; it is read from its beginning\n");
}

#[test]
fn a_pinned_root_may_end_with_a_space() {
    let mut file = Growing::new();
    file.sandbox.git(&["init", "--quiet", "--initial-branch", "main", "odd "]);
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    file.append(state("pinned", Some(file.sandbox.path("odd "))));
    watching.line("📌 odd  · main · ! · ");
    assert_eq!(watching.stop(), "");
}

#[test]
fn the_directory_of_a_session_brings_nothing_that_a_terminal_obeys() {
    let file = Growing::new();
    fs::write(&file.file, header(&file.sandbox.path("repo/\u{9b}31m\u{202e}"))).unwrap();
    let mut watching = file.watch(&["--json"]);
    let line = watching.line("{\"text\":\"acme/widget · ");
    assert!(line.ends_with("/repo/\\u009b31m\\u202e\"}\n"), "{line:?}");
    watching.stop();
}

/// The component says when a call has ended, and is told so of those only that it was told the beginning of.
#[test]
fn calls_end_that_have_begun() {
    let shown = "(drop (call $clock.start-timer (i32.const 0)))
        (call $status.set-status (i32.const 4096) (i32.const 9)
            (i32.const 1) (i32.const 4096) (i32.const 9) (i32.const 1024))";
    let said = "(call $status.notify (i32.const 1) (local.get 0) (local.get 1) (i32.const 1024))";
    let guest = Guest::default()
        .data(4096, b"pr-footer")
        .export("lifecycle.session-started", shown)
        .export("tool-observer.tool-finished", said);
    let mut file = Growing::new();
    file.sandbox.write("guest.wasm", guest.build());
    file.call("before", "ls", json!({}));
    let mut watching = file.watch(&["--component", "guest.wasm"]);
    watching.line("pr-footer");
    file.result("before");
    file.call("meanwhile", "ls", json!({}));
    file.result("meanwhile");
    file.result("meanwhile");
    thread::sleep(SEVERAL_LOOKS);
    assert_eq!(watching.stop(), "warning: meanwhile\n");
}

#[test]
fn every_signal_that_asks_for_the_end_is_followed() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let file = Growing::new();
        let mut watching = file.watch(&[]);
        watching.line("acme/widget · ");
        assert_eq!(stop_by(watching.child, signal), "");
    }
}

#[test]
fn another_file_of_that_name_is_read_from_its_beginning() {
    let file = Growing::new();
    let mut watching = file.watch(&[]);
    watching.line("acme/widget · ");
    fs::write(file.sandbox.path("new"), header(&file.sandbox.path("other"))).unwrap();
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
        let deadline = Instant::now() + PATIENCE;
        while !seen.contains(expected) {
            assert!(Instant::now() < deadline, "{seen:?}");
            let length = master.read(&mut buffer).unwrap();
            seen += &String::from_utf8_lossy(&buffer[..length]);
        }
        seen.clone()
    };
    // Cut to what fits into 30 columns.
    see("acme/widget · feature/footer…");
    file.call("1", "ls", json!({"path": file.sandbox.path("other")}));
    let seen = see("other · main · !");
    assert!(!seen.contains('\n'), "{seen:?}");
    assert!(seen.contains('\r'), "{seen:?}");
    assert_eq!(stop(child), "");
}

/// The screen of a person, with the watch on it.
struct Tmux<'a> {
    file: &'a Growing,
    /// Not with the other files: the name of a socket has to be short.
    sockets: TempDir,
}

impl Tmux<'_> {
    fn start(file: &Growing, columns: u16) -> Tmux<'_> {
        let tmux = Tmux { file, sockets: TempDir::new().unwrap() };
        let columns = columns.to_string();
        // Started by hand, so that the screen stays when the watch has ended.
        tmux.tell(&["new-session", "-d", "-x", &columns, "-y", "10", "env PS1='$ ' sh"]);
        let program = cargo_bin!("pi-capsule").display();
        tmux.tell(&["send-keys", &format!("clear; '{program}' footer --watch s.jsonl"), "Enter"]);
        tmux
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.file.in_place("tmux");
        command.arg("-S").arg(self.sockets.path().join("s")).args(["-u", "-f", "/dev/null"]).args(arguments);
        command
    }

    fn tell(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("tmux: ./just setup brings it");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The rows that are not empty, as soon as they are as expected.
    fn rows(&self, expected: impl Fn(&[&str]) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.tell(&["capture-pane", "-p"]);
            let rows: Vec<&str> = screen.lines().filter(|row| !row.is_empty()).collect();
            if expected(&rows) {
                return screen;
            }
            assert!(Instant::now() < deadline, "{screen}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        // The test may have failed already.
        let _ = self.command(&["kill-server"]).output();
    }
}

#[test]
fn on_a_screen_the_line_grows_with_the_width_and_stays_once_when_it_ends() {
    let file = Growing::new();
    let tmux = Tmux::start(&file, 20);
    tmux.rows(|rows| rows == ["acme/widget · feat…"]);
    tmux.tell(&["resize-window", "-x", "60", "-y", "10"]);
    let is_whole = |row: &&str| row.starts_with("acme/widget · feature/footer · ! · ");
    tmux.rows(|rows| matches!(rows, [row] if is_whole(row)));
    tmux.tell(&["send-keys", "C-c"]);
    tmux.rows(|rows| matches!(rows, [row, "$"] if is_whole(row)));
}
