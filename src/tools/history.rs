//! The history tools: the session's past windows, read from its branch.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Answer, Context, Definition, Tool, arguments, json};
use crate::session::Window;

pub(super) const LIST_WINDOWS: Tool = Tool {
    definition: Definition {
        name: "history_list_windows",
        label: "List context windows",
        description: "Lists the context windows of this session, newest first. A window is the stretch of the \
            conversation between two compactions; the first window in the list is the one you are in. \
            Answers {\"windows\": [{\"window_id\", \"item_count\"}]}.",
        parameters: r#"{
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "minimum": 1, "description": "At most this many windows. All by default."},
                "recent_first": {"type": "boolean", "description": "Newest first, which is the default; false gives the oldest first."}
            },
            "additionalProperties": false
        }"#,
        prompt_snippet: "List the context windows of this session",
    },
    call: list_windows,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListWindows {
    limit: Option<NonZeroUsize>,
    #[serde(default = "newest_first")]
    recent_first: bool,
}

fn newest_first() -> bool {
    true
}

#[derive(Serialize)]
struct WindowList<'a> {
    windows: Vec<WindowRow<'a>>,
}

#[derive(Serialize)]
struct WindowRow<'a> {
    window_id: &'a str,
    item_count: usize,
}

impl<'a> From<&'a Window> for WindowRow<'a> {
    fn from(window: &'a Window) -> Self {
        Self { window_id: &window.id, item_count: window.item_count }
    }
}

fn list_windows(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let ListWindows { limit, recent_first } = arguments("history_list_windows", json_arguments)?;
    let limit = limit.map_or(usize::MAX, NonZeroUsize::get);
    let windows = context.session.windows().iter();
    let rows = if recent_first {
        windows.rev().take(limit).map(WindowRow::from).collect()
    } else {
        windows.take(limit).map(WindowRow::from).collect()
    };
    json(&WindowList { windows: rows })
}
