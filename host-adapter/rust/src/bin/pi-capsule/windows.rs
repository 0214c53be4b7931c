//! `pi-capsule windows`

use std::io::Write;
use std::path::{Path, PathBuf};

use anstyle::Style;
use anyhow::{anyhow, bail};
use clap::Args;
use pi_capsule_host::LocalHost;
use pi_capsule_host::session_file::{Session, SessionError, Skipped};
use pi_capsule_host::text::plain_line;
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::tools::Invocation;
use serde::Deserialize;

use crate::component::ComponentArgs;
use crate::progress;

/// The tool that knows them.
const TOOL: &str = "history_list_windows";

/// List the context windows of a session, oldest first
///
/// Reads the session file and leaves it as it is. Prints the id of each window on the active branch and how many items
/// of history it holds. What cannot be read of a file is left out and said on standard error; then the exit code is 1.
#[derive(Args)]
pub(crate) struct Windows {
    /// A session file of Pi
    #[arg(value_name = "SESSION.jsonl")]
    session: PathBuf,

    /// Print the tool's own answer, {"windows": [{"window_id": ..., "item_count": ...}]}
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    component: ComponentArgs,
}

#[derive(Deserialize)]
struct Answer {
    windows: Vec<Window>,
}

#[derive(Deserialize)]
struct Window {
    window_id: String,
    item_count: u64,
}

impl Windows {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (session, skipped) = open(&self.session)?;
        let component = self.component.load()?;
        // The session is from anywhere. Its directory is not looked at.
        let cwd = session.info().cwd.clone();
        let mut capsule = component.run(LocalHost::new(session).without_programs())?;
        if !component.checked(capsule.tools())?.iter().any(|tool| tool.name == TOOL) {
            bail!("{}: this component has no tool {TOOL}; name another with --component", component.path.display());
        }
        component.checked(capsule.session_started(StartReason::Startup))?;
        let invocation =
            Invocation { call_id: "1".into(), name: TOOL.into(), arguments: r#"{"recent_first":false}"#.into(), cwd };
        let answer = component.checked(capsule.call_tool(&invocation))?;
        let answer = answer.map_err(|message| anyhow!("{}: {TOOL}: {message}", component.path.display()))?.text;
        print(&answer, self.json)?;
        component.checked(capsule.session_shut_down(ShutdownReason::Quit))?;
        if !skipped.is_empty() {
            bail!("{}: {skipped}; {}", self.session.display(), skipped.remedy());
        }
        Ok(())
    }
}

fn open(path: &Path) -> anyhow::Result<(Session, Skipped)> {
    let bar = progress::reading(path);
    let opened = Session::open_with_progress(path, |bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    opened.map_err(|error| match error {
        SessionError::Io(_) => anyhow!("{}: {error}", path.display()),
        _ => anyhow!("{}: {error}; Pi keeps its sessions as .jsonl files in ~/.pi/agent/sessions", path.display()),
    })
}

fn print(answer: &str, json: bool) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    const HEADINGS: [&str; 2] = ["WINDOW", "ITEMS"];
    let Answer { windows } = serde_json::from_str(answer)?;
    let rows: Vec<_> = windows.iter().map(|window| (plain_line(&window.window_id), window.item_count)).collect();
    let width = rows.iter().map(|(id, _)| id.chars().count()).chain([HEADINGS[0].len()]).max().unwrap_or_default();
    let bold = Style::new().bold();
    writeln!(out, "{bold}{:width$}  {}{bold:#}", HEADINGS[0], HEADINGS[1])?;
    for (id, items) in rows {
        writeln!(out, "{id:width$}  {items:>5}")?;
    }
    Ok(())
}
