//! The history tools: the session's windows and what is in them, read from its branch.
//!
//! A cursor is a position among all items of the branch, counted from the oldest: with the newest first, everything below
//! it is still to come. So it stays right while the branch grows, which it does with every call of a tool.

use std::ops::{ControlFlow, Range};

use serde::{Deserialize, Serialize};

use super::output::{Page, Slice, json_prefix, name, read, to_json};
use super::query::{Matcher, Query};
use super::{Answer, Context, Definition, Tool, arguments, begin, within};
use crate::session::{Role, Session, View};
use crate::text::{byte_of, code_points, in_header, quoted};

/// The default of `limit`.
const LIMIT_DEFAULT: usize = 20;
/// The most that it can be.
const LIMIT_MOST: usize = 100;
/// The default of `max_chars_per_item`.
const CHARS_DEFAULT: usize = 1_200;
/// The most that it can be: more than a result holds.
const CHARS_MOST: usize = 50_000;
/// How many windows an error names.
const WINDOWS_NAMED: usize = 20;

/// The properties that the tools which page through items share.
macro_rules! item_properties {
    () => {
        r#"
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most this many items, 20 by default. A page may hold fewer."},
                "cursor": {"type": "integer", "minimum": 0, "description": "next_cursor of the page before. 0 or absent for the first page."},
                "recent_first": {"type": "boolean", "description": "Newest first, which is the default; false gives the oldest first."},
                "role": {"type": "string", "enum": ["user", "assistant", "tool_call", "tool", "system", "developer"], "description": "Only items of this role: user is what the user said, assistant what you said, tool_call the arguments of your calls, tool their results, system summaries, developer notices about the context."},
                "tool_name": {"type": "string", "description": "Only calls and results of this tool. Not with a role other than tool_call or tool."},
                "window_id": {"type": "string", "description": "Only items of this window, as history_list_windows names it. All windows by default."},
                "max_chars_per_item": {"type": "integer", "minimum": 1, "maximum": 50000, "description": "Longer texts are cut after this many characters, 1200 by default."}
        "#
    };
}

pub(super) const LIST_WINDOWS: Tool = Tool {
    definition: Definition {
        name: "history_list_windows",
        label: "List context windows",
        description: "Lists the context windows of this session, newest first. A window is the stretch of the \
            conversation between two resets; the first window in the list is the one you are in. \
            Answers {\"windows\": [{\"window_id\", \"item_count\"}]}, and \"omitted\" if there are more than fit.",
        parameters: r#"{
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "minimum": 1, "description": "At most this many windows. All by default."},
                "recent_first": {"type": "boolean", "description": "Newest first, which is the default; false gives the oldest first."}
            },
            "additionalProperties": false
        }"#,
        prompt_snippet: "List the context windows of this session",
        sequential: false,
    },
    call: list_windows,
};

pub(super) const LIST_ITEMS: Tool = Tool {
    definition: Definition {
        name: "history_list_items",
        label: "List history",
        description: "Lists what was said and done in this session, newest first, also in windows that were cleared: \
            messages, tool calls, tool results. Filters narrow it down: the latest request of the user is \
            {\"role\": \"user\", \"limit\": 1}. Answers {\"items\": [{\"window_id\", \"item_id\", \"role\", \"tool_name\", \
            \"truncated\", \"total_chars\", \"truncated_content\"}], \"next_cursor\"}. Where truncated is true, read the \
            rest with history_read_item. Call again with cursor = next_cursor for the next page; null means that was all.",
        parameters: concat!(
            r#"{"type": "object", "properties": {"#,
            item_properties!(),
            r#"}, "additionalProperties": false}"#
        ),
        prompt_snippet: "List messages, tool calls and results of this session, also from cleared windows",
        sequential: false,
    },
    call: list_items,
};

pub(super) const READ_ITEM: Tool = Tool {
    definition: Definition {
        name: "history_read_item",
        label: "Read history item",
        description: "Reads one item of the history in full: window_id and item_id as history_list_items or \
            history_search_contents gave them. The first line says which characters these are and, if there are more, \
            where to continue: call again with that offset_chars. Then comes the text itself.",
        parameters: r#"{
            "type": "object",
            "properties": {
                "window_id": {"type": "string", "description": "The window that the item is in."},
                "item_id": {"type": "string", "description": "The item."},
                "offset_chars": {"type": "integer", "description": "The first character to read, 0 by default. Negative counts from the end: -500 reads the last 500."},
                "limit_chars": {"type": "integer", "minimum": 1, "maximum": 50000, "description": "At most this many characters, 12000 by default."}
            },
            "required": ["window_id", "item_id"],
            "additionalProperties": false
        }"#,
        prompt_snippet: "Read one item of the history in full",
        sequential: false,
    },
    call: read_item,
};

pub(super) const SEARCH_CONTENTS: Tool = Tool {
    definition: Definition {
        name: "history_search_contents",
        label: "Search history",
        description: "Finds items of the history that contain a text, newest first, also in windows that were cleared. \
            Case-sensitive, no patterns; of several texts one is enough. Answers as history_list_items does, each item \
            with match_offset_chars, where the text begins: pass it to history_read_item as offset_chars.",
        parameters: concat!(
            r#"{"type": "object", "properties": {
                "query": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}], "description": "The text to look for, or several."},"#,
            item_properties!(),
            r#"}, "required": ["query"], "additionalProperties": false}"#
        ),
        prompt_snippet: "Search the history of this session for a text",
        sequential: false,
    },
    call: search_contents,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListWindows {
    limit: Option<u64>,
    recent_first: Option<bool>,
}

#[derive(Serialize)]
struct WindowRow<'a> {
    window_id: &'a str,
    item_count: usize,
}

fn list_windows(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let ListWindows { limit, recent_first } = arguments("history_list_windows", json_arguments)?;
    let limit = within("limit", limit, usize::MAX, usize::MAX)?;
    let windows = context.session.windows();
    let history = context.session.history();
    let total = windows.iter().len();
    let mut page = Page::new("windows");
    for nth in 0..total.min(limit) {
        let index = if recent_first.unwrap_or(true) { total - 1 - nth } else { nth };
        let row = WindowRow { window_id: &windows.get(index).id, item_count: history.of_window(index).len() };
        if !page.push(&to_json(&row)?) {
            break;
        }
    }
    let omitted = total.min(limit) - page.rows();
    Ok(page.finish_without_cursor(omitted))
}

/// The arguments of the tools that page through items. Only the search has a query, and cannot do without.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Selection {
    query: Option<Query>,
    limit: Option<u64>,
    cursor: Option<u64>,
    recent_first: Option<bool>,
    role: Option<Role>,
    tool_name: Option<String>,
    window_id: Option<String>,
    max_chars_per_item: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadItem {
    window_id: String,
    item_id: String,
    offset_chars: Option<i64>,
    limit_chars: Option<u64>,
}

/// What is to be shown, checked.
struct Selected {
    /// Positions of the items, in the order in which they are shown.
    positions: Vec<usize>,
    recent_first: bool,
    limit: usize,
    chars: usize,
}

impl Selection {
    /// The items that fit, `extra` more than the limit at most.
    fn select(self, session: &Session, extra: usize) -> Result<Selected, String> {
        if let (Some(role), Some(_)) = (self.role, &self.tool_name)
            && !matches!(role, Role::ToolCall | Role::Tool)
        {
            return Err("tool_name goes with role tool_call or tool, or with no role. Leave one of the two out.".into());
        }
        let limit = within("limit", self.limit, LIMIT_DEFAULT, LIMIT_MOST)?;
        let chars = within("max_chars_per_item", self.max_chars_per_item, CHARS_DEFAULT, CHARS_MOST)?;
        let recent_first = self.recent_first.unwrap_or(true);
        let history = session.history();
        let Range { start, end } = match &self.window_id {
            Some(id) => history.of_window(window(session, id)?),
            None => 0..history.len(),
        };
        let range = match begin(self.cursor, history.len())? {
            0 => start..end,
            cursor if recent_first => start..end.min(cursor),
            cursor => start.max(cursor)..end,
        };
        let fits = |&position: &usize| {
            let item = history.item(position);
            self.role.is_none_or(|role| history.role(item) == role)
                && self.tool_name.as_deref().is_none_or(|name| history.tool_name(item) == Some(name))
        };
        let most = limit.saturating_add(extra);
        let positions = if recent_first {
            range.rev().filter(fits).take(most).collect()
        } else {
            range.filter(fits).take(most).collect()
        };
        Ok(Selected { positions, recent_first, limit, chars })
    }
}

impl Selected {
    /// The cursor of a page that begins with this item.
    fn cursor(&self, position: usize) -> usize {
        if self.recent_first { position + 1 } else { position }
    }
}

#[derive(Serialize)]
struct ItemRow<'a> {
    window_id: &'a str,
    item_id: String,
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tool_error: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    output_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<&'a str>,
    truncated: bool,
    total_chars: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_offset_chars: Option<usize>,
    truncated_content: &'a str,
}

impl<'a> ItemRow<'a> {
    fn new(view: View<'a>, position: usize, text: &'a str, found: Option<usize>, chars: usize) -> Self {
        let View { windows, history } = view;
        let item = history.item(position);
        let shown = &text[..byte_of(text, chars)];
        Self {
            window_id: &windows.get(history.window(item)).id,
            item_id: history.item_id(item),
            role: history.role(item),
            tool_name: history.tool_name(item).map(name),
            tool_error: history.failed(item),
            output_truncated: history.output_truncated(item),
            full_output_path: history.full_output_path(item).map(name),
            truncated: shown.len() < text.len(),
            total_chars: code_points(text),
            match_offset_chars: found.map(|byte| code_points(&text[..byte])),
            truncated_content: shown,
        }
    }

    /// Puts the row on the page, cut to what fits if it is the first. Whether it is on the page.
    fn put(mut self, page: &mut Page) -> Result<bool, String> {
        if page.push(&to_json(&self)?) {
            return Ok(true);
        }
        if page.rows() > 0 {
            return Ok(false);
        }
        let text = std::mem::take(&mut self.truncated_content);
        self.truncated = true;
        let room = page.room().saturating_sub(to_json(&self)?.len());
        self.truncated_content = json_prefix(text, room);
        Ok(page.push(&to_json(&self)?))
    }
}

fn list_items(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let selection: Selection = arguments("history_list_items", json_arguments)?;
    if selection.query.is_some() {
        return Err(
            "history_list_items lists without looking at the text. Use history_search_contents with query.".into()
        );
    }
    // One more tells whether there is a next page.
    let mut selected = selection.select(context.session, 1)?;
    let next = selected.positions.get(selected.limit).map(|&position| selected.cursor(position));
    selected.positions.truncate(selected.limit);
    page_of_items(context, &selected, None, next)
}

fn search_contents(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let mut selection: Selection = arguments("history_search_contents", json_arguments)?;
    let query = selection.query.take().ok_or("history_search_contents needs query: the text to look for.")?;
    let matcher = query.matcher()?;
    let selected = selection.select(context.session, usize::MAX)?;
    page_of_items(context, &selected, Some(&matcher), None)
}

/// A page of the selected items: all of them, or those that match. `next` is the cursor after the last one.
fn page_of_items(
    context: &mut Context<'_>,
    selected: &Selected,
    matcher: Option<&Matcher>,
    mut next: Option<usize>,
) -> Answer {
    let mut page = Page::new("items");
    let mut failure = None;
    context.session.show_items(&selected.positions, context.host, |view, position, text| {
        let found = match matcher {
            None => None,
            Some(matcher) => match matcher.earliest(text) {
                None => return ControlFlow::Continue(()),
                found => found,
            },
        };
        let is_full = page.rows() == selected.limit;
        let row = (!is_full).then(|| ItemRow::new(view, position, text, found, selected.chars).put(&mut page));
        match row {
            Some(Ok(true)) => ControlFlow::Continue(()),
            Some(Err(error)) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
            None | Some(Ok(false)) => {
                next = Some(selected.cursor(position));
                ControlFlow::Break(())
            }
        }
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(page.finish(next)),
    }
}

fn read_item(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let ReadItem { window_id, item_id, offset_chars, limit_chars } = arguments("history_read_item", json_arguments)?;
    let position = find(context.session, &window_id, &item_id)?;
    let identity = format!("{} {}", in_header(name(&window_id)), in_header(name(&item_id)));
    let mut answer = Err("The item is gone. List the items again.".to_owned());
    context.session.show_items(&[position], context.host, |_, _, text| {
        answer = read(&identity, text, Slice { offset_chars, limit_chars });
        ControlFlow::Break(())
    });
    answer
}

/// The position of an item, which has to be in that window.
fn find(session: &Session, window_id: &str, item_id: &str) -> Result<usize, String> {
    let index = window(session, window_id)?;
    let history = session.history();
    let position = history.find(item_id).ok_or_else(|| {
        format!(
            "There is no item {} in this session. Take item_id from history_list_items or history_search_contents.",
            quoted(name(item_id))
        )
    })?;
    let in_window = history.window(history.item(position));
    if in_window != index {
        let known = quoted(&session.windows().get(in_window).id);
        return Err(format!("Item {} is in window {known}. Use that window_id.", quoted(name(item_id))));
    }
    Ok(position)
}

/// The window of that name, or which there are.
fn window(session: &Session, id: &str) -> Result<usize, String> {
    let windows = session.windows();
    windows.position(id).ok_or_else(|| {
        let known: Vec<String> = windows.iter().rev().take(WINDOWS_NAMED).map(|window| quoted(&window.id)).collect();
        let more = windows.iter().len() - known.len();
        let more = if more > 0 { format!(" and {more} older ones: history_list_windows") } else { String::new() };
        format!("There is no window {}. The windows, newest first: {}{more}.", quoted(name(id)), known.join(", "))
    })
}
