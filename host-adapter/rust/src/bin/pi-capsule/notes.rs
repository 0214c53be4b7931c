//! `pi-capsule notes`

use std::fmt::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::{ArgAction, Args, Subcommand, ValueEnum};
use pi_capsule_host::text::plain_line;
use serde::{Deserialize, Serialize};

use crate::component::ComponentArgs;
use crate::pages::{Listing, Range};
use crate::session::Session;
use crate::{matches, note};

/// Read the notes that the model keeps in a session
///
/// Notes are files inside the session, and nowhere else. Session files are only read. What cannot be read of one is
/// left out and said on standard error; then the exit code is 1.
#[derive(Args)]
pub(crate) struct Notes {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(List),
    Read(Read),
    Search(Search),
}

/// List the notes of a session, most recently updated first
#[derive(Args)]
struct List {
    /// A session file of Pi
    #[arg(value_name = "SESSION.jsonl")]
    session: PathBuf,

    #[command(flatten)]
    query: ListQuery,

    #[command(flatten)]
    page: Page,

    #[command(flatten)]
    component: ComponentArgs,
}

#[derive(Args, Serialize)]
struct ListQuery {
    /// Only paths of this form: `*` is anything within a folder, `**` any folders, `?` one character
    #[arg(long, value_name = "GLOB")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,

    /// What to sort by
    #[arg(long, value_name = "KEY", default_value = "updated_at")]
    file_order_by: OrderBy,

    /// Which way to sort [default: names ascend and times descend]
    #[arg(long, value_name = "ORDER")]
    #[serde(skip_serializing_if = "Option::is_none")]
    file_order: Option<Order>,

    /// Print one page of at most this many notes, 200 at most, instead of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_results: Option<u32>,
}

#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum OrderBy {
    /// The path
    Name,
    /// When it was first written
    #[value(alias = "created-at")]
    CreatedAt,
    /// When it was last changed
    #[value(alias = "updated-at")]
    UpdatedAt,
}

#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Order {
    /// The smallest or oldest first
    Ascending,
    /// The largest or newest first
    Descending,
}

/// Print one note in full
///
/// To a program it is the text and nothing else; on a terminal, control characters show as �.
#[derive(Args)]
struct Read {
    /// A session file of Pi
    #[arg(value_name = "SESSION.jsonl")]
    session: PathBuf,

    #[command(flatten)]
    identity: Identity,

    #[command(flatten)]
    range: Range,

    /// Print the tool's own answers, one on a line, as {"header": ..., "text": ..., "next_offset_chars": ...}
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    component: ComponentArgs,
}

#[derive(Args, Serialize)]
struct Identity {
    /// The note
    path: String,
}

/// Print the lines of notes that hold a text, as `path:line:text`
///
/// Letters have to be the same, large or small; no character has a meaning of its own.
#[derive(Args)]
struct Search {
    /// A session file of Pi
    #[arg(value_name = "SESSION.jsonl")]
    session: PathBuf,

    #[command(flatten)]
    query: SearchQuery,

    #[command(flatten)]
    page: Page,

    #[command(flatten)]
    component: ComponentArgs,
}

#[derive(Args, Serialize)]
struct SearchQuery {
    /// What to look for; of several, any will do
    #[arg(required = true)]
    query: Vec<String>,

    /// Only notes whose path begins so
    #[arg(long, value_name = "PREFIX")]
    #[serde(skip_serializing_if = "Option::is_none")]
    path_prefix: Option<String>,

    /// Show at most this many lines of a note, 100 at most
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100))]
    max_matches_per_file: u32,

    /// Whether the notes come most recently updated first
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    recent_file_first: bool,

    /// Print one page of at most this many notes, 100 at most, instead of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_files: Option<u32>,
}

#[derive(Args)]
struct Page {
    /// Print one page that begins here, as the page before has said
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<u64>,

    /// Print the tool's own answers, {"files": [...], "next_cursor": ...}, one on a line
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct File {
    path: String,
    size_bytes: u64,
    stale: bool,
    created_at: String,
    updated_at: String,
}

#[derive(Deserialize)]
struct Found {
    path: String,
    matches_total: usize,
    matches: Vec<Match>,
}

#[derive(Deserialize)]
struct Match {
    line: u64,
    text: String,
    truncated: bool,
}

impl Notes {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::List(list) => list.run(),
            Command::Search(search) => search.run(),
            Command::Read(Read { session, identity, range, json, component }) => {
                let mut session = Session::open(&session, component)?;
                range.print(&mut session, "notes_read_file", &identity, json)?;
                session.close()
            }
        }
    }
}

impl List {
    fn run(self) -> anyhow::Result<()> {
        let mut session = Session::open(&self.session, self.component)?;
        let Page { cursor, json } = self.page;
        let one_page = self.query.max_results.is_some() || cursor.is_some();
        let mut rows = Rows::default();
        Listing { tool: "notes_list_files", query: &self.query, cursor, one_page, json }
            .print(&mut session, |_, page: Vec<File>| Ok(rows.show(&page)))?;
        session.close()
    }
}

impl Search {
    fn run(self) -> anyhow::Result<()> {
        let mut session = Session::open(&self.session, self.component)?;
        let Page { cursor, json } = self.page;
        let one_page = self.query.max_files.is_some() || cursor.is_some();
        let queries = &self.query.query;
        Listing { tool: "notes_search_contents", query: &self.query, cursor, one_page, json }
            .print(&mut session, |_, page: Vec<Found>| Ok(page.iter().map(|found| lines(found, queries)).collect()))?;
        session.close()
    }
}

/// A table, page by page. The paths come last: how long they are is not known before the end.
#[derive(Default)]
struct Rows {
    has_headings: bool,
}

impl Rows {
    fn show(&mut self, page: &[File]) -> String {
        let mut text = String::new();
        if let (false, [first, ..]) = (self.has_headings, page) {
            let (bold, times) = (Style::new().bold(), first.updated_at.chars().count());
            let _ = writeln!(text, "{bold}{:times$}  {:times$}    BYTES  STALE  PATH{bold:#}", "UPDATED", "CREATED");
            self.has_headings = true;
        }
        for File { path, size_bytes, stale, created_at, updated_at } in page {
            let (updated, created, path) = (plain_line(updated_at), plain_line(created_at), plain_line(path));
            let stale = if *stale { "yes" } else { "no" };
            let _ = writeln!(text, "{updated}  {created}  {size_bytes:>7}  {stale:<5}  {path}");
        }
        text
    }
}

/// The lines of one note, as `grep` shows them.
fn lines(found: &Found, queries: &[String]) -> String {
    let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
    let (magenta, green) = (color(AnsiColor::Magenta), color(AnsiColor::Green));
    let path = plain_line(&found.path);
    let mut text = String::new();
    for Match { line, text: content, truncated } in &found.matches {
        let content = matches::marked(&plain_line(content), queries);
        let rest = if *truncated { " …" } else { "" };
        let _ = writeln!(text, "{magenta}{path}{magenta:#}:{green}{line}{green:#}:{content}{rest}");
    }
    if found.matches_total > found.matches.len() {
        note(&format!("{path}: {} of {} matching lines are shown", found.matches.len(), found.matches_total));
    }
    text
}
