//! Where the command is tried: apart from all that the person has.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::pty::openpty;
use snapbox::cmd::{Command, cargo_bin};
use snapbox::{Assert, Redactions};
use tempfile::TempDir;

use crate::support;

/// A place of its own: files to work on, a home without settings, and programs.
pub(super) struct Sandbox {
    directory: TempDir,
}

impl Sandbox {
    pub(super) fn new() -> Sandbox {
        let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for name in ["home", "bin"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        Sandbox { directory }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Puts one of the stored sessions in place, as `s.jsonl`.
    pub(super) fn session(&self, name: &str) {
        self.write("s.jsonl", fs::read(support::session(name)).unwrap());
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// `pi-capsule` with the component of this project, in an environment that holds nothing else.
    pub(super) fn command(&self) -> Command {
        self.bare_command(cargo_bin!("pi-capsule")).env("PI_CAPSULE_COMPONENT", support::precompiled_component())
    }

    /// What the command writes to a terminal.
    pub(super) fn on_terminal(&self, arguments: &[&str]) -> String {
        let terminal = openpty(None, None).unwrap();
        let mut child = std::process::Command::new(cargo_bin!("pi-capsule"))
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("TERM", "xterm-256color")
            .env("PI_CAPSULE_COMPONENT", support::precompiled_component())
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .stdout(terminal.slave)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut seen = Vec::new();
        // Where the other end is closed, Linux answers with an error and not with the end.
        let _ = File::from(terminal.master).read_to_end(&mut seen);
        assert!(child.wait().unwrap().success());
        String::from_utf8(seen).unwrap().replace("\r\n", "\n")
    }

    pub(super) fn bare_command(&self, program: &Path) -> Command {
        let path = std::env::var("PATH").unwrap();
        Command::new(program)
            .with_assert(self.assert())
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .current_dir(self.directory.path())
    }

    /// Paths in this place show as `[ROOT]`.
    fn assert(&self) -> Assert {
        let mut redactions = Redactions::new();
        redactions.insert("[ROOT]", self.directory.path().to_owned()).unwrap();
        Assert::new().action_env("SNAPSHOTS").redact_with(redactions)
    }

    /// A repository on GitHub, on a branch.
    pub(super) fn repository(&self) {
        self.git(&["init", "--quiet", "--initial-branch", "feature/footer", "repo"]);
        self.git(&["-C", "repo", "remote", "add", "origin", "https://github.com/acme/widget.git"]);
    }

    /// Runs git as the person would.
    pub(super) fn git(&self, arguments: &[&str]) {
        Command::new("git")
            .env("HOME", self.path("home"))
            .current_dir(self.directory.path())
            .args(arguments)
            .assert()
            .success();
    }
}
