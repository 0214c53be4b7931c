//! Items of history as a person reads them: a line that says what it is, and the text below, moved in.

use std::borrow::Cow;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use pi_capsule_host::text::{plain_line, plain_text};
use serde::Deserialize;
use serde_json::json;

use crate::matches;
use crate::session::Session;

/// An item, as the tools answer it.
#[derive(Deserialize)]
pub(crate) struct Item {
    window_id: String,
    item_id: String,
    role: String,
    tool_name: Option<String>,
    #[serde(default)]
    tool_error: bool,
    #[serde(default)]
    output_truncated: bool,
    full_output_path: Option<String>,
    truncated: bool,
    total_chars: u64,
    truncated_content: String,
    match_offset_chars: Option<u64>,
}

/// Shows items page by page; a window is named where its items begin.
pub(crate) struct Items {
    queries: Vec<String>,
    window: Option<String>,
}

/// How much of what comes before a match is shown, in characters.
const BEFORE_MATCH: u64 = 80;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

impl Items {
    /// What was looked for stands out.
    pub(crate) fn new(queries: Vec<String>) -> Items {
        Items { queries, window: None }
    }

    pub(crate) fn show(&mut self, session: &mut Session, page: &[Item]) -> anyhow::Result<String> {
        let mut text = String::new();
        for item in page {
            if self.window.as_ref() != Some(&item.window_id) {
                let gap = if self.window.is_some() { "\n" } else { "" };
                let _ = writeln!(text, "{gap}{BOLD}window {}{BOLD:#}", plain_line(&item.window_id));
                self.window = Some(item.window_id.clone());
            }
            let Excerpt { begin, content } = excerpt(session, item)?;
            text.push('\n');
            text += &heading(item);
            for line in matches::marked(&plain_text(&content), &self.queries).lines() {
                let indent = if line.is_empty() { "" } else { "    " };
                let _ = writeln!(text, "{indent}{line}");
            }
            text += &remarks(item, begin);
        }
        Ok(text)
    }
}

/// The part of an item that is shown.
struct Excerpt<'a> {
    /// How many characters come before it.
    begin: u64,
    content: Cow<'a, str>,
}

/// The beginning of an item, or where it matches, if that is further on: a search is about the match.
fn excerpt<'a>(session: &mut Session, item: &'a Item) -> anyhow::Result<Excerpt<'a>> {
    let length = item.truncated_content.chars().count() as u64;
    match item.match_offset_chars {
        Some(at) if at >= length => {
            let begin = at.saturating_sub(BEFORE_MATCH.min(length / 2));
            let Item { window_id, item_id, .. } = item;
            let limit = length.max(1);
            let part = json!({
                "window_id": window_id, "item_id": item_id, "offset_chars": begin, "limit_chars": limit
            });
            let answer = session.call("history_read_item", &part)?;
            let (_, content) = answer.split_once('\n').unwrap_or_default();
            Ok(Excerpt { begin, content: content.to_owned().into() })
        }
        _ => Ok(Excerpt { begin: 0, content: item.truncated_content.as_str().into() }),
    }
}

fn heading(item: &Item) -> String {
    let style = role_style(&item.role);
    let mut line = format!("{BOLD}{}{BOLD:#}  {style}{}{style:#}", plain_line(&item.item_id), plain_line(&item.role));
    if let Some(tool) = &item.tool_name {
        let _ = write!(line, "  {}", plain_line(tool));
    }
    if item.tool_error {
        let red = Style::new().fg_color(Some(AnsiColor::Red.into()));
        let _ = write!(line, "  {red}failed{red:#}");
    }
    line.push('\n');
    line
}

/// What of an item is not shown, and where it is.
fn remarks(item: &Item, begin: u64) -> String {
    let mut text = String::new();
    let mut remark = |what: &str| {
        let _ = writeln!(text, "    {DIM}({what}){DIM:#}");
    };
    if item.truncated {
        let from = if begin > 0 { format!("from {begin} ") } else { String::new() };
        remark(&format!("{from}of {} characters", item.total_chars));
    }
    if item.output_truncated {
        match &item.full_output_path {
            Some(path) => remark(&format!("Pi kept the whole output in {}", plain_line(path))),
            None => remark("Pi kept only a part of the output"),
        }
    }
    text
}

fn role_style(role: &str) -> Style {
    let color = match role {
        "user" => AnsiColor::Green,
        "assistant" => AnsiColor::Cyan,
        "tool_call" | "tool" => AnsiColor::Yellow,
        _ => AnsiColor::Magenta,
    };
    Style::new().fg_color(Some(color.into()))
}
