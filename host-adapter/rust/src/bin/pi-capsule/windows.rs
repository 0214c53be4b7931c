//! `pi-capsule windows`

use std::fmt::Write;
use std::path::PathBuf;

use anstyle::Style;
use anyhow::bail;
use clap::Args;
use pi_capsule_host::text::plain_line;
use serde::Deserialize;
use serde_json::json;

use crate::component::ComponentArgs;
use crate::output;
use crate::session::Session;

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
struct List {
    windows: Vec<Window>,
    /// How many more there are than one answer holds.
    #[serde(default)]
    omitted: u64,
}

#[derive(Deserialize)]
struct Window {
    window_id: String,
    item_count: u64,
}

impl Windows {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut session = Session::open(&self.session, self.component)?;
        let answer = session.ask("history_list_windows", &json!({ "recent_first": false }))?;
        let List { windows, omitted } = answer.value;
        if self.json {
            output::json(&answer.text)?;
        } else {
            output::styled(&table(&windows))?;
        }
        session.close()?;
        // The tool has no pages.
        if omitted > 0 {
            let session = self.session.display();
            bail!("{session}: {omitted} later windows do not fit; `pi-capsule history list` shows what is in them");
        }
        Ok(())
    }
}

fn table(windows: &[Window]) -> String {
    const HEADINGS: [&str; 2] = ["WINDOW", "ITEMS"];
    let rows: Vec<_> = windows.iter().map(|window| (plain_line(&window.window_id), window.item_count)).collect();
    let width = rows.iter().map(|(id, _)| id.chars().count()).chain([HEADINGS[0].len()]).max().unwrap_or_default();
    let bold = Style::new().bold();
    let mut table = format!("{bold}{:width$}  {}{bold:#}\n", HEADINGS[0], HEADINGS[1]);
    for (id, items) in rows {
        let _ = writeln!(table, "{id:width$}  {items:>5}");
    }
    table
}
