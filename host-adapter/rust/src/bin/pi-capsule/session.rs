//! What the subcommands that look into a session share: opening it, and asking the tools of a component about it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use pi_capsule_host::session_file::{self, SessionError, Skipped};
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::tools::Invocation;
use pi_capsule_host::{Capsule, LocalHost};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::component::{Component, ComponentArgs};
use crate::progress;

/// A session from a file, and a component that knows its way about it.
pub(crate) struct Session {
    /// The file.
    path: PathBuf,
    skipped: Skipped,
    cwd: String,
    component: Component,
    capsule: Capsule<LocalHost>,
    tools: BTreeSet<String>,
    calls: usize,
}

/// What a tool has answered.
pub(crate) struct Answer<T> {
    /// As it came.
    pub(crate) text: String,
    /// What it says.
    pub(crate) value: T,
}

impl Session {
    /// Reads the file, which stays as it is, and starts the component.
    pub(crate) fn open(path: &Path, component: ComponentArgs) -> anyhow::Result<Session> {
        let (session, skipped) = read(path)?;
        let component = component.load()?;
        let cwd = session.info().cwd.clone();
        // The session is from anywhere. Its directory is not looked at.
        let mut capsule = component.run(LocalHost::new(session).without_programs())?;
        let tools = component.checked(capsule.tools())?.into_iter().map(|tool| tool.name).collect();
        component.checked(capsule.session_started(StartReason::Startup))?;
        Ok(Session { path: path.to_owned(), skipped, cwd, component, capsule, tools, calls: 0 })
    }

    /// Calls a tool and gives what it answers. What it complains of is about the session, and becomes the error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &impl Serialize) -> anyhow::Result<String> {
        if !self.tools.contains(tool) {
            let component = self.component.path.display();
            bail!("{component}: this component has no tool {tool}; name another with --component");
        }
        self.calls += 1;
        let invocation = Invocation {
            call_id: self.calls.to_string(),
            name: tool.into(),
            arguments: serde_json::to_string(arguments)?,
            cwd: self.cwd.clone(),
        };
        let answer = self.component.checked(self.capsule.call_tool(&invocation))?;
        let output = answer.map_err(|message| {
            let message: Vec<&str> = message.lines().map(str::trim).collect();
            anyhow!("{}: {}", self.path.display(), message.join(" "))
        })?;
        Ok(output.text)
    }

    /// As [`call`](Session::call), for a tool that answers JSON.
    pub(crate) fn ask<T: DeserializeOwned>(
        &mut self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> anyhow::Result<Answer<T>> {
        let text = self.call(tool, arguments)?;
        match serde_json::from_str(&text) {
            Ok(value) => Ok(Answer { text, value }),
            Err(error) => Err(self.fault(tool, &format!("its answer is not understood: {error}"))),
        }
    }

    /// Something that a tool should not have done.
    pub(crate) fn fault(&self, tool: &str, what: &str) -> anyhow::Error {
        anyhow!("{}: {tool}: {what}; name another with --component", self.component.path.display())
    }

    /// Ends the session. An error when something of the file was left out: what was printed is not all.
    pub(crate) fn close(mut self) -> anyhow::Result<()> {
        self.component.checked(self.capsule.session_shut_down(ShutdownReason::Quit))?;
        if !self.skipped.is_empty() {
            bail!("{}: {}; {}", self.path.display(), self.skipped, self.skipped.remedy());
        }
        Ok(())
    }
}

fn read(path: &Path) -> anyhow::Result<(session_file::Session, Skipped)> {
    let bar = progress::reading(path);
    let opened = session_file::Session::open_with_progress(path, |bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    opened.map_err(|error| unusable(path, error))
}

/// Why a file is of no use, and what to do.
pub(crate) fn unusable(path: &Path, error: SessionError) -> anyhow::Error {
    match error {
        SessionError::Io(_) => anyhow!("{}: {error}", path.display()),
        _ => anyhow!("{}: {error}; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions", path.display()),
    }
}
