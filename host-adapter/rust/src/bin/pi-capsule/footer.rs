//! `pi-capsule footer`

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::{Capsule, LocalHost};

use crate::component::{Component, ComponentArgs};
use crate::line::{STATUS_KEY, tell_notices, write_line};
use crate::{warn, watch};

/// How long to wait for it. The component asks up to four programs one after the other, each for ten seconds at most.
const PATIENCE: Duration = Duration::from_secs(45);

/// Print the footer that Pi would show in a directory, or follow a session
///
/// Without --watch it starts a new session in the directory and waits until the component has asked git and gh what it
/// wants to know. With --watch it shows the footer of a session while Pi writes to its file: on a terminal one line that
/// is painted anew, for a program a line for each change. Ctrl-C ends it, with exit code 0.
#[derive(Args)]
pub(crate) struct Footer {
    /// The directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Follow the session in this file instead; the file is only read
    #[arg(long, value_name = "SESSION.jsonl", conflicts_with = "cwd")]
    watch: Option<PathBuf>,

    /// Print {"text": ..., "cwd": ...}; with --watch on a line for each change
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    component: ComponentArgs,
}

impl Footer {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if let Some(session) = self.watch {
            return watch::watch(&session, &self.component.load()?, self.json);
        }
        let cwd = match self.cwd {
            Some(cwd) => cwd,
            None => env::current_dir().context("the current directory is gone; name one with --cwd")?,
        };
        print(&cwd, &self.component.load()?, self.json)
    }
}

/// Prints the footer of a directory.
fn print(cwd: &Path, component: &Component, json: bool) -> anyhow::Result<()> {
    let mut capsule = component.run(host_in(cwd)?)?;
    component.checked(capsule.session_started(StartReason::Startup))?;
    let settled = component.checked(capsule.run_until(is_settled, PATIENCE))?;
    tell_notices(capsule.host().notices());
    if !settled {
        warn(&format!("stopped waiting after {} seconds", PATIENCE.as_secs()));
    }
    let Some(text) = capsule.host().status(STATUS_KEY) else {
        bail!("{}: this component shows no footer", component.path.display());
    };
    write_line(text, &capsule.host().session().info().cwd, json)?;
    component.checked(capsule.session_shut_down(ShutdownReason::Quit))
}

/// Nothing more will come by itself, except for the age, which only grows.
fn is_settled(capsule: &Capsule<LocalHost>) -> bool {
    capsule.host().status(STATUS_KEY).is_some() && !capsule.host().has_programs()
}

fn host_in(cwd: &Path) -> anyhow::Result<LocalHost> {
    LocalHost::in_directory(cwd).map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::NotFound => "there is no such directory".into(),
            io::ErrorKind::NotADirectory => "this is not a directory".into(),
            _ => error.to_string(),
        };
        anyhow!("{}: {what}; name one with --cwd", cwd.display())
    })
}
