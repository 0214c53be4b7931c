//! What happened in a session, as far as its entries tell: for whoever follows a file while Pi writes to it.

use super::entry;
use super::json::{self, Object, well_formed};
use crate::wit::lifecycle::RunOutcome;
use crate::wit::session_reader::{CustomEntry, Entry, EntryKind, Message};

/// Something that an entry tells of.
#[derive(Clone, Debug, PartialEq)]
pub enum Activity {
    /// The entry does not follow the one before it: the person went on from another point of the tree.
    BranchChanged,
    /// The model has called a tool, which runs now.
    ToolCalled {
        /// Names the call within the session.
        call_id: String,
        /// The tool.
        name: String,
        /// What it was called with: a JSON object.
        arguments: String,
    },
    /// A call has ended.
    ToolFinished {
        /// The name of the call.
        call_id: String,
        /// Whether it failed.
        is_error: bool,
    },
    /// The model has answered and called no tool: the run is over.
    RunEnded(RunOutcome),
    /// An extension has stored something.
    Stored(CustomEntry),
}

/// What an entry tells, given its line.
pub(super) fn of_line(entry: &Entry, line: &[u8]) -> Vec<Activity> {
    Object::parse(&well_formed(line)).map(|stored| of(entry, &stored)).unwrap_or_default()
}

fn of(entry: &Entry, stored: &Object<'_>) -> Vec<Activity> {
    match &entry.kind {
        EntryKind::Message(Message::Assistant(_)) => answer(stored).unwrap_or_default(),
        EntryKind::Message(Message::ToolResult(result)) => {
            let call_id = stored.object("message").and_then(|message| message.string("toolCallId"));
            call_id.map(|call_id| Activity::ToolFinished { call_id, is_error: result.is_error }).into_iter().collect()
        }
        EntryKind::Custom(custom) => vec![Activity::Stored(custom.clone())],
        _ => Vec::new(),
    }
}

/// What an answer of the model tells: the calls in it, or how the run has ended.
fn answer(stored: &Object<'_>) -> Option<Vec<Activity>> {
    let message = stored.object("message")?;
    let outcome = match message.string("stopReason").as_deref() {
        Some("toolUse") => return Some(calls(&message)),
        Some("aborted") => RunOutcome::Aborted,
        Some("error") => RunOutcome::Failed,
        _ => RunOutcome::Completed,
    };
    Some(vec![Activity::RunEnded(outcome)])
}

fn calls(message: &Object<'_>) -> Vec<Activity> {
    let parts = message.get("content").map(json::objects).unwrap_or_default();
    let call = |part: &Object<'_>| {
        Some(Activity::ToolCalled {
            call_id: part.string("id")?,
            name: part.string("name")?,
            arguments: entry::json_text(part, "arguments")?,
        })
    };
    parts.iter().filter(|part| part.string("type").as_deref() == Some("toolCall")).filter_map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(text: &str) -> Vec<Activity> {
        let stored = Object::parse(text).unwrap();
        of(&entry::header("e".into(), &stored, 3), &stored)
    }

    fn assistant(stop_reason: &str, content: &str) -> String {
        format!(
            r#"{{"type":"message","message":{{"role":"assistant","stopReason":"{stop_reason}","content":{content}}}}}"#
        )
    }

    #[test]
    fn an_answer_calls_tools_or_ends_the_run() {
        let calls = r#"[{"type":"text","text":"hm"},{"type":"toolCall","id":"1","name":"ls","arguments":{"path":"a"}},
            {"type":"toolCall","name":"lost its id"}]"#;
        let called =
            Activity::ToolCalled { call_id: "1".into(), name: "ls".into(), arguments: r#"{"path":"a"}"#.into() };
        assert_eq!(of_text(&assistant("toolUse", calls)), [called]);
        for (reason, outcome) in [
            ("stop", RunOutcome::Completed),
            ("length", RunOutcome::Completed),
            ("aborted", RunOutcome::Aborted),
            ("error", RunOutcome::Failed),
        ] {
            assert_eq!(of_text(&assistant(reason, "[]")), [Activity::RunEnded(outcome)], "{reason}");
        }
    }

    #[test]
    fn results_end_calls() {
        let result = r#"{"type":"message","message":{"role":"toolResult","toolCallId":"1","isError":true}}"#;
        assert_eq!(of_text(result), [Activity::ToolFinished { call_id: "1".into(), is_error: true }]);
    }

    #[test]
    fn other_entries_tell_nothing_or_what_was_stored() {
        assert_eq!(of_text(r#"{"type":"message","message":{"role":"user","content":"hi"}}"#), []);
        assert_eq!(of_text(r#"{"type":"message","message":{"role":"toolResult"}}"#), []);
        let stored = CustomEntry { custom_type: "pr-footer-state".into(), data: Some("1".into()) };
        assert_eq!(of_text(r#"{"type":"custom","customType":"pr-footer-state","data":1}"#), [Activity::Stored(stored)]);
    }
}
