//! `pi-capsule history`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

use crate::component::ComponentArgs;
use crate::items::{Item, Items};
use crate::pages::{Listing, Range};
use crate::session::Session;

/// Read what was said and done in a session, in all its context windows
///
/// The items of history are the messages of the person and the model, tool calls and their results, commands,
/// summaries, and what extensions have said. Session files are only read. What cannot be read of one is left out and
/// said on standard error; then the exit code is 1.
#[derive(Args)]
pub(crate) struct History {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(List),
    Read(Read),
    Search(Search),
}

/// List the items of a session, oldest first
#[derive(Args)]
struct List {
    /// A session file of Pi
    #[arg(value_name = "SESSION.jsonl")]
    session: PathBuf,

    #[command(flatten)]
    filters: Filters,

    #[command(flatten)]
    page: Page,

    #[command(flatten)]
    component: ComponentArgs,
}

/// Print one item in full
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
    /// The window that holds the item
    #[arg(value_name = "WINDOW")]
    window_id: String,

    /// The item; of a tool call the id has a number, as in a1b2c3d4#0
    #[arg(value_name = "ITEM")]
    item_id: String,
}

/// List the items that hold a text, oldest first
///
/// Letters have to be the same, large or small; no character has a meaning of its own.
#[derive(Args)]
struct Search {
    /// A session file of Pi
    #[arg(value_name = "SESSION.jsonl")]
    session: PathBuf,

    /// What to look for; of several, any will do
    #[arg(required = true)]
    query: Vec<String>,

    #[command(flatten)]
    filters: Filters,

    #[command(flatten)]
    page: Page,

    #[command(flatten)]
    component: ComponentArgs,
}

/// Which items, and how much of them
#[derive(Args, Serialize)]
struct Filters {
    /// Only items of this window
    #[arg(long, value_name = "WINDOW")]
    #[serde(skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,

    /// Only items of this role
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,

    /// Only calls and results of this tool
    #[arg(long, value_name = "TOOL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,

    /// Newest first
    #[arg(long)]
    recent_first: bool,

    /// Show at most this many characters of an item [default: 1200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_chars_per_item: Option<u32>,
}

/// Where an item comes from.
#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Role {
    /// The person, or an extension that speaks to the model
    User,
    /// The model
    Assistant,
    /// The model, calling a tool
    #[value(alias = "tool-call")]
    ToolCall,
    /// What a tool answered, or a command of the person printed
    Tool,
    /// A summary of what came before
    System,
    /// What this extension has said to the model
    Developer,
}

/// One page instead of all
#[derive(Args)]
struct Page {
    /// Print one page of at most this many items, 100 at most, instead of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: Option<u32>,

    /// Print one page that begins here, as the page before has said
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<u64>,

    /// Print the tool's own answers, {"items": [...], "next_cursor": ...}, one on a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Query {
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<Vec<String>>,
    #[serde(flatten)]
    filters: Filters,
    limit: u32,
}

impl History {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::List(List { session, filters, page, component }) => {
                let session = Session::open(&session, component)?;
                page.print(session, "history_list_items", None, filters)
            }
            Command::Search(Search { session, query, filters, page, component }) => {
                let session = Session::open(&session, component)?;
                page.print(session, "history_search_contents", Some(query), filters)
            }
            Command::Read(Read { session, identity, range, json, component }) => {
                let mut session = Session::open(&session, component)?;
                range.print(&mut session, "history_read_item", &identity, json)?;
                session.close()
            }
        }
    }
}

impl Page {
    /// The largest page, for those who want them all.
    const LARGEST: u32 = 100;
    /// What the tools give when nothing is said.
    const USUAL: u32 = 20;

    fn print(
        self,
        mut session: Session,
        tool: &str,
        query: Option<Vec<String>>,
        filters: Filters,
    ) -> anyhow::Result<()> {
        let one_page = self.limit.is_some() || self.cursor.is_some();
        let limit = self.limit.unwrap_or(if one_page { Self::USUAL } else { Self::LARGEST });
        let mut items = Items::new(query.clone().unwrap_or_default());
        let query = Query { query, filters, limit };
        Listing { tool, query: &query, cursor: self.cursor, one_page, json: self.json }
            .print(&mut session, |session, page: Vec<Item>| items.show(session, &page))?;
        session.close()
    }
}
