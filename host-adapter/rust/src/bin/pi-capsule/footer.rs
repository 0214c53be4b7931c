//! `pi-capsule footer`

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::status::NoticeLevel;
use pi_capsule_host::{Capsule, LocalHost};
use serde::Serialize;

use crate::component::ComponentArgs;
use crate::warn;

/// The status line that the component shows.
const STATUS_KEY: &str = "pr-footer";

/// How long to wait for it. The component asks up to four programs one after the other, each for ten seconds at most.
const PATIENCE: Duration = Duration::from_secs(45);

/// Print the footer that Pi would show in a directory
///
/// Starts a new session there and waits until the component has asked git and gh what it wants to know.
#[derive(Args)]
pub(crate) struct Footer {
    /// The directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Print {"text": ..., "cwd": ...}
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    component: ComponentArgs,
}

#[derive(Serialize)]
struct Line<'a> {
    text: &'a str,
    cwd: &'a str,
}

impl Footer {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let cwd = match self.cwd {
            Some(cwd) => cwd,
            None => env::current_dir().context("the current directory is gone; name one with --cwd")?,
        };
        let component = self.component.load()?;
        let mut capsule = component.run(host_in(&cwd)?)?;
        component.checked(capsule.session_started(StartReason::Startup))?;
        let settled = component.checked(capsule.run_until(is_settled, PATIENCE))?;
        for notice in capsule.host().notices().iter().filter(|notice| notice.level != NoticeLevel::Info) {
            warn(&notice.message);
        }
        if !settled {
            warn(&format!("stopped waiting after {} seconds", PATIENCE.as_secs()));
        }
        let Some(text) = capsule.host().status(STATUS_KEY) else {
            bail!("{}: this component shows no footer", component.path.display());
        };
        let cwd = &capsule.host().session().info().cwd;
        let line = if self.json { serde_json::to_string(&Line { text, cwd })? } else { text.to_owned() };
        writeln!(io::stdout(), "{line}")?;
        component.checked(capsule.session_shut_down(ShutdownReason::Quit))
    }
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
