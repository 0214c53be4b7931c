//! A place with repositories in it, and the footer of sessions that work there.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pi_capsule_host::session_file::Session;
use pi_capsule_host::wit::commands::Invocation;
use pi_capsule_host::wit::lifecycle::StartReason;
use pi_capsule_host::wit::session_reader::{CustomEntry, EntryKind};
use pi_capsule_host::wit::tool_observer::Call;
use pi_capsule_host::{Capsule, LocalHost};
use tempfile::TempDir;

use crate::support;

/// Longer than a program may run.
const PATIENCE: Duration = Duration::from_secs(40);

/// Directories, programs and an environment of its own.
pub(super) struct World {
    directory: TempDir,
    root: PathBuf,
    pub(super) variables: BTreeMap<OsString, OsString>,
}

impl World {
    pub(super) fn new() -> World {
        World::at(TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    /// As [`new`](World::new), in a directory that the test chose.
    pub(super) fn at(directory: TempDir) -> World {
        // As git names it: without symbolic links.
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir(root.join("home")).unwrap();
        fs::create_dir(root.join("bin")).unwrap();
        let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
        let variables = [("HOME", root.join("home").into_os_string()), ("PATH", path.into())];
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value)).collect();
        // Without a person who is logged in, unless a test says so.
        let world = World { directory, root, variables };
        world.gh("echo 'To get started with GitHub CLI, please run: gh auth login' >&2; exit 4");
        world
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.root.join(name).into_os_string().into_string().unwrap()
    }

    /// Puts a program on the path, before all others.
    pub(super) fn program(&self, name: &str, script: &str) {
        let file = self.directory.path().join("bin").join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A `gh` that writes down what it is asked, and then does as the script says.
    pub(super) fn gh(&self, script: &str) {
        let log = self.path("gh.log");
        self.program("gh", &format!("printf '%s\\n' \"$*\" >>'{log}'\n{script}"));
    }

    /// What `gh` was asked so far, a line for each time.
    pub(super) fn asked_gh(&self) -> Vec<String> {
        let log = fs::read_to_string(self.path("gh.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// The real git, with words before its arguments, in place of git.
    pub(super) fn git_through(&self, words: &str) {
        let git = which::which_in("git", std::env::var_os("PATH"), "/").unwrap();
        self.program("git", &format!("exec {words} '{}' \"$@\"", git.display()));
    }

    /// Runs git as the person would.
    pub(super) fn git<S: AsRef<OsStr>>(&self, directory: &str, arguments: impl IntoIterator<Item = S>) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Someone", "-c", "user.email=someone@example.org"])
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(self.root.join(directory))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A repository on the branch `main`, with a commit.
    pub(super) fn repository(&self, name: &str) -> String {
        self.git("", ["init", "--quiet", "--initial-branch=main", name]);
        self.git(name, ["commit", "--quiet", "--allow-empty", "--message=first"]);
        self.path(name)
    }

    /// The same, with a remote called `origin`.
    pub(super) fn repository_of(&self, name: &str, url: &str) -> String {
        let path = self.repository(name);
        self.git(name, ["remote", "add", "origin", url]);
        path
    }

    /// The line of a new session in a directory, without its age.
    pub(super) fn line_in(&self, cwd: &str) -> String {
        self.session_in(cwd).line()
    }

    /// A session in a directory.
    pub(super) fn session_in(&self, cwd: &str) -> Running {
        self.session(Session::empty("0193a1b2-c3d4", cwd, Some(now())), cwd)
    }

    /// A session that was pinned to a root before.
    pub(super) fn pinned_session_in(&self, cwd: &str, root: &str) -> Running {
        let mut session = Session::empty("0193a1b2-c3d4", cwd, Some(now()));
        let state = serde_json::json!({"version": 1, "startedAt": now(), "mode": "pinned", "pinnedRoot": root});
        let custom = CustomEntry { custom_type: "pr-footer-state".into(), data: Some(state.to_string()) };
        session.append(now(), EntryKind::Custom(custom), None);
        self.session(session, cwd)
    }

    fn session(&self, session: Session, cwd: &str) -> Running {
        let host = LocalHost::new(session).with_environment(self.variables.clone());
        let mut capsule = Capsule::instantiate(support::shipped_module(), host).unwrap();
        capsule.session_started(StartReason::Startup).unwrap();
        let mut running = Running { capsule, cwd: cwd.into(), calls: 0 };
        running.settle();
        running
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// A session that goes on.
pub(super) struct Running {
    capsule: Capsule<LocalHost>,
    cwd: String,
    calls: usize,
}

impl Running {
    /// The line as it is now.
    pub(super) fn text(&self) -> &str {
        self.capsule.host().status("pr-footer").expect("a line")
    }

    /// The line as it is now, without its age.
    pub(super) fn line(&self) -> String {
        let text = self.text();
        let (line, age) = text.rsplit_once(" · ").unwrap();
        assert!(age.ends_with('s'), "{text}");
        line.to_owned()
    }

    /// Waits until no program runs any more.
    pub(super) fn settle(&mut self) {
        let is_settled = |capsule: &Capsule<LocalHost>| {
            !capsule.host().has_programs() && capsule.host().status("pr-footer").is_some()
        };
        assert!(self.capsule.run_until(is_settled, PATIENCE).unwrap(), "it does not come to an end");
    }

    /// Waits until the line is another one.
    pub(super) fn line_becomes(&mut self, expected: &str) {
        let is_there = |capsule: &Capsule<LocalHost>| {
            let line = capsule.host().status("pr-footer").and_then(|text| text.rsplit_once(" · "));
            line.is_some_and(|(line, _)| line == expected)
        };
        let comes = self.capsule.run_until(is_there, PATIENCE).unwrap();
        assert!(comes, "it stays {:?}", self.line());
    }

    /// The model calls a tool, and something happens before that ends.
    pub(super) fn tool(&mut self, name: &str, arguments: serde_json::Value, meanwhile: impl FnOnce()) {
        self.calls += 1;
        let call_id = self.calls.to_string();
        let call = Call {
            call_id: call_id.clone(),
            name: name.into(),
            arguments: arguments.to_string(),
            cwd: self.cwd.clone(),
        };
        self.capsule.tool_called(call).unwrap();
        meanwhile();
        self.capsule.tool_finished(&call_id, false).unwrap();
        // Hints wait for a tenth of a second.
        self.capsule.run_until(|_| false, Duration::from_millis(150)).unwrap();
        self.settle();
    }

    /// The model reads a file; what follows from that is not waited for.
    pub(super) fn begin_reading(&mut self, path: &str) {
        let (call_id, name, cwd) = ("r".into(), "read".into(), self.cwd.clone());
        let arguments = serde_json::json!({ "path": path }).to_string();
        self.capsule.tool_called(Call { call_id, name, arguments, cwd }).unwrap();
    }

    pub(super) fn read(&mut self, path: &str) {
        self.tool("read", serde_json::json!({ "path": path }), || {});
    }

    pub(super) fn command(&mut self, arguments: &str) {
        let (name, arguments, cwd) = ("pr-footer".into(), arguments.into(), self.cwd.clone());
        self.capsule.run_command(&Invocation { name, arguments, cwd }).unwrap();
        self.settle();
    }

    /// All that was stored and said: what must hold no secret.
    pub(super) fn traces(&self) -> String {
        let host = self.capsule.host();
        let stored: Vec<String> = host
            .session()
            .branch()
            .filter_map(|entry| match &entry.kind {
                EntryKind::Custom(custom) => custom.data.clone(),
                _ => None,
            })
            .collect();
        format!("{:?} {stored:?} {:?}", host.status("pr-footer"), host.notices())
    }
}

/// A path as `sh` takes it.
pub(super) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}
