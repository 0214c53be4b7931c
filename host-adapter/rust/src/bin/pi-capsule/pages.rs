//! Long answers: tools give them in pages, which follow each other here to the end, unless the person wants only one.

use std::collections::BTreeSet;

use clap::Args;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::session::Session;
use crate::{note, output};

/// What is wrong with a component whose next page is one that it has given before.
const ENDLESS: &str = "its pages do not come to an end";

/// How to ask for a list.
pub(crate) struct Listing<'a, Q> {
    pub(crate) tool: &'a str,
    pub(crate) query: &'a Q,
    /// Where to begin; the beginning, if it is not said.
    pub(crate) cursor: Option<u64>,
    /// Whether the person wants no more than one page.
    pub(crate) one_page: bool,
    /// Whether to print the answers of the tool, one on a line.
    pub(crate) json: bool,
}

/// What a tool answers when it is asked for a list.
#[derive(Deserialize)]
struct Page<T> {
    #[serde(alias = "files")]
    items: Vec<T>,
    next_cursor: Option<u64>,
}

#[derive(Serialize)]
struct At<'a, Q> {
    #[serde(flatten)]
    query: &'a Q,
    cursor: u64,
}

impl<Q: Serialize> Listing<'_, Q> {
    /// Prints the list, each page as `show` makes it. Says so when there is nothing, or more.
    pub(crate) fn print<T: DeserializeOwned>(
        self,
        session: &mut Session,
        mut show: impl FnMut(&mut Session, Vec<T>) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let mut cursor = self.cursor.unwrap_or_default();
        let mut begun = BTreeSet::from([cursor]);
        let mut is_empty = true;
        loop {
            let answer = session.ask(self.tool, &At { query: self.query, cursor })?;
            let Page { items, next_cursor } = answer.value;
            is_empty &= items.is_empty();
            if self.json {
                output::json(&answer.text)?;
            } else {
                output::styled(&show(session, items)?)?;
            }
            match next_cursor {
                Some(next) if self.one_page => {
                    note(&format!("there is more; continue with --cursor {next}"));
                    return Ok(());
                }
                Some(next) if !begun.insert(next) => return Err(session.fault(self.tool, ENDLESS)),
                Some(next) => cursor = next,
                None => break,
            }
        }
        if is_empty && !self.json {
            note("there is nothing to show");
        }
        Ok(())
    }
}

/// Which part of a text to read
#[derive(Args, Serialize)]
pub(crate) struct Range {
    /// Begin after this many characters; a negative number counts from the end [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    offset_chars: Option<i64>,

    /// Print at most this many characters, 50000 at most [default: all, or 12000 with --offset-chars]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_chars: Option<u32>,
}

/// A part of a text, as a tool answers it, for scripts.
#[derive(Serialize)]
struct Part<'a> {
    header: &'a str,
    text: &'a str,
    next_offset_chars: Option<i64>,
}

#[derive(Serialize)]
struct Reading<'a, I> {
    #[serde(flatten)]
    identity: &'a I,
    #[serde(flatten)]
    range: &'a Range,
}

impl Range {
    /// Prints the text that `identity` names, or the part of it that was asked for.
    pub(crate) fn print(
        mut self,
        session: &mut Session,
        tool: &str,
        identity: &impl Serialize,
        json: bool,
    ) -> anyhow::Result<()> {
        let one_page = self.offset_chars.is_some() || self.limit_chars.is_some();
        loop {
            let answer = session.call(tool, &Reading { identity, range: &self })?;
            let (header, text) = answer.split_once('\n').unwrap_or((&answer, ""));
            let next_offset_chars = continuation(header);
            if json {
                output::json(&serde_json::to_string(&Part { header, text, next_offset_chars })?)?;
            } else {
                output::raw(text)?;
            }
            match next_offset_chars {
                Some(next) if !one_page && next <= self.offset_chars.unwrap_or_default() => {
                    return Err(session.fault(tool, ENDLESS));
                }
                Some(next) if !one_page => self.offset_chars = Some(next),
                next => {
                    if !json {
                        output::end_raw(text)?;
                    }
                    if let Some(next) = next {
                        note(&format!("there is more; continue with --offset-chars {next}"));
                    }
                    return Ok(());
                }
            }
        }
    }
}

/// Where the text goes on, by the header line `[... · continue at offset_chars=N]`.
fn continuation(header: &str) -> Option<i64> {
    let (_, rest) = header.rsplit_once(" · continue at offset_chars=")?;
    let digits = rest.split(|char: char| !char.is_ascii_digit()).next()?;
    digits.parse().ok()
}
