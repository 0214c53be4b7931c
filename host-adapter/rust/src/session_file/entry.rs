//! What a guest is told of one stored entry: its header, and its body on demand.
//!
//! Nothing is taken for granted about the shape of an entry. Which of them are on the active branch is no concern here.

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::json::{self, Object};
use crate::policy::Policy;
use crate::wit::clock;
use crate::wit::session_reader::{
    BashExecution, Body, Content, ContextEdit, CustomEntry, CustomMessage, Entry, EntryKind, Message, ToolCall,
    ToolResult,
};

/// Kinds that hold nothing for a reader. Together with those that [`kind`] tells apart, all that Pi writes.
const KINDS_WITHOUT_CONTENT: [&str; 5] = ["label", "model_change", "session_info", "thinking_level_change", "usage"];

/// The first version of the format in which the role `custom` has that name.
const ROLE_CUSTOM_SINCE: u64 = 3;

/// The header of an entry that has the given id.
pub(super) fn header(id: String, stored: &Object<'_>, version: u64) -> Entry {
    Entry { id, created_at: time(stored), kind: kind(stored, version) }
}

/// When the entry was stored.
pub(super) fn time(stored: &Object<'_>) -> Option<clock::Timestamp> {
    let time: Timestamp = stored.string("timestamp")?.parse().ok()?;
    Some(time.as_millisecond())
}

/// The kind's name, if it is one that no known version of Pi writes.
pub(super) fn unknown_kind(entry: &Entry, stored: &Object<'_>) -> Option<String> {
    match &entry.kind {
        EntryKind::Other(name) if !KINDS_WITHOUT_CONTENT.contains(&name.as_str()) => stored.string("type"),
        _ => None,
    }
}

fn kind(stored: &Object<'_>, version: u64) -> EntryKind {
    let name = stored.string("type").unwrap_or_default();
    let kind = match name.as_str() {
        "message" => stored.object("message").and_then(|message| message_kind(&message, version)),
        "compaction" => Some(EntryKind::Compaction(json_text(stored, "details"))),
        "branch_summary" => Some(EntryKind::BranchSummary),
        "custom" => Some(EntryKind::Custom(custom(stored))),
        "custom_message" => Some(custom_message(stored)),
        "context_edit" => context_edit(stored),
        _ => None,
    };
    kind.unwrap_or(EntryKind::Other(name))
}

fn message_kind(message: &Object<'_>, version: u64) -> Option<EntryKind> {
    let role = role(message, version)?;
    Some(EntryKind::Message(match role.as_str() {
        "user" => Message::User(Content { has_text: has_text(message.get("content")), tool_calls: Vec::new() }),
        "assistant" => Message::Assistant(content(message.get("content"))),
        "toolResult" => Message::ToolResult(ToolResult {
            tool_name: message.string("toolName").unwrap_or_default(),
            is_error: message.is_true("isError"),
            has_text: has_text(message.get("content")),
        }),
        "bashExecution" => Message::BashExecution(BashExecution {
            truncated: message.is_true("truncated"),
            full_output_path: message.string("fullOutputPath").filter(|path| !path.is_empty()),
            hidden_from_model: message.is_true("excludeFromContext"),
        }),
        // Where sessions of early versions kept what is an entry of its own now.
        "custom" => return Some(custom_message(message)),
        _ => Message::Other(role),
    }))
}

fn role(message: &Object<'_>, version: u64) -> Option<String> {
    let role = message.string("role")?;
    let renamed = version < ROLE_CUSTOM_SINCE && role == "hookMessage";
    Some(if renamed { "custom".into() } else { role })
}

/// The data of other extensions is not even kept: no guest gets to see it.
fn custom(stored: &Object<'_>) -> CustomEntry {
    let custom_type = stored.string("customType").unwrap_or_default();
    let is_ours = Policy::shared().entry_type(&custom_type).is_ok();
    CustomEntry { data: is_ours.then(|| json_text(stored, "data")).flatten(), custom_type }
}

fn custom_message(stored: &Object<'_>) -> EntryKind {
    EntryKind::CustomMessage(CustomMessage {
        custom_type: stored.string("customType").unwrap_or_default(),
        has_text: has_text(stored.get("content")),
    })
}

fn context_edit(stored: &Object<'_>) -> Option<EntryKind> {
    let replacement = stored.object("replacement").map(|replacement| content(replacement.get("content")));
    Some(EntryKind::ContextEdit(ContextEdit { target: stored.string("targetId")?, replacement }))
}

/// The body of an entry; `None` for kinds that have none.
pub(super) fn body(stored: &Object<'_>, version: u64) -> Option<Body> {
    match stored.string("type")?.as_str() {
        "message" => message_body(&stored.object("message")?, version),
        "compaction" | "branch_summary" => Some(texts_only([stored.string("summary")])),
        "custom_message" => Some(texts_only(texts(stored.get("content")))),
        "context_edit" => Some(whole_body(stored.object("replacement")?.get("content"))),
        _ => None,
    }
}

fn message_body(message: &Object<'_>, version: u64) -> Option<Body> {
    match role(message, version)?.as_str() {
        "assistant" => Some(whole_body(message.get("content"))),
        "user" | "toolResult" | "custom" => Some(texts_only(texts(message.get("content")))),
        "bashExecution" => Some(texts_only([message.string("command"), message.string("output")])),
        _ => None,
    }
}

fn whole_body(content: Option<&RawValue>) -> Body {
    let call = |part: Object<'_>| ToolCall {
        name: part.string("name").unwrap_or_default(),
        arguments: json_text(&part, "arguments").unwrap_or_else(|| "null".into()),
    };
    Body { tool_calls: parts(content, "toolCall").map(call).collect(), ..texts_only(texts(content)) }
}

fn texts_only(texts: impl IntoIterator<Item = Option<String>>) -> Body {
    Body { text_parts: texts.into_iter().flatten().collect(), tool_calls: Vec::new() }
}

fn content(content: Option<&RawValue>) -> Content {
    let tool_calls = parts(content, "toolCall").map(|part| part.string("name").unwrap_or_default()).collect();
    Content { has_text: has_text(content), tool_calls }
}

/// Content is a string, or an array of parts.
fn has_text(content: Option<&RawValue>) -> bool {
    content.is_some_and(json::is_text) || parts(content, "text").any(|part| part.get("text").is_some_and(json::is_text))
}

fn texts(content: Option<&RawValue>) -> Vec<Option<String>> {
    match content.and_then(json::string) {
        Some(text) => vec![Some(text)],
        None => parts(content, "text").map(|part| part.string("text")).collect(),
    }
}

fn parts<'a>(content: Option<&'a RawValue>, kind: &'static str) -> impl Iterator<Item = Object<'a>> {
    let parts = content.map(json::objects).unwrap_or_default();
    parts.into_iter().filter(move |part| part.string("type").as_deref() == Some(kind))
}

/// The JSON text of a member.
pub(super) fn json_text(object: &Object<'_>, name: &str) -> Option<String> {
    object.get(name).map(|value| value.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header_of(text: &str) -> Entry {
        header("e".into(), &Object::parse(text).unwrap(), 3)
    }

    fn kind_of(text: &str) -> EntryKind {
        header_of(text).kind
    }

    fn body_of(text: &str) -> Option<Body> {
        body(&Object::parse(text).unwrap(), 3)
    }

    fn text_body(parts: &[&str]) -> Option<Body> {
        Some(Body { text_parts: parts.iter().map(|&part| part.into()).collect(), tool_calls: Vec::new() })
    }

    #[test]
    fn times_are_milliseconds_and_may_be_missing() {
        assert_eq!(header_of(r#"{"timestamp":"2024-12-03T14:00:00.250Z"}"#).created_at, Some(1_733_234_400_250));
        assert_eq!(header_of(r#"{"timestamp":"yesterday"}"#).created_at, None);
        assert_eq!(header_of(r#"{"timestamp":1733234400250}"#).created_at, None);
    }

    #[test]
    fn a_user_message_is_a_string_or_parts() {
        let user = |has_text| EntryKind::Message(Message::User(Content { has_text, tool_calls: Vec::new() }));
        let plain = r#"{"type":"message","message":{"role":"user","content":"hi"}}"#;
        assert_eq!((kind_of(plain), body_of(plain)), (user(true), text_body(&["hi"])));
        let parts = r#"{"type":"message","message":{"role":"user","content":[
            {"type":"text","text":""},{"type":"image","data":"aGk="},{"type":"text","text":"b"}]}}"#;
        assert_eq!((kind_of(parts), body_of(parts)), (user(true), text_body(&["", "b"])));
        let image = r#"{"type":"message","message":{"role":"user","content":[{"type":"image","data":"aGk="}]}}"#;
        assert_eq!((kind_of(image), body_of(image)), (user(false), text_body(&[])));
        let broken = r#"{"type":"message","message":{"role":"user","content":null}}"#;
        assert_eq!((kind_of(broken), body_of(broken)), (user(false), text_body(&[])));
    }

    #[test]
    fn an_assistant_message_has_text_and_tool_calls_but_no_thinking() {
        let text = r#"{"type":"message","message":{"role":"assistant","content":[
            {"type":"thinking","thinking":"hm"},
            {"type":"toolCall","id":"1","name":"read","arguments":{"path":"a", "n": 1.0}},
            {"type":"text","text":"done"},
            {"type":"toolCall","id":"2","name":"ls"}]}}"#;
        let tool_calls = vec!["read".into(), "ls".into()];
        assert_eq!(kind_of(text), EntryKind::Message(Message::Assistant(Content { has_text: true, tool_calls })));
        let body = body_of(text).unwrap();
        assert_eq!(body.text_parts, ["done"]);
        let calls: Vec<_> = body.tool_calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
        assert_eq!(calls, [("read", r#"{"path":"a", "n": 1.0}"#), ("ls", "null")]);
    }

    #[test]
    fn tool_results_and_bash_executions() {
        let result = r#"{"type":"message","message":{"role":"toolResult","toolName":"bash","isError":true,
            "content":[{"type":"text","text":"no"}]}}"#;
        let tool_name = "bash".into();
        let expected = Message::ToolResult(ToolResult { tool_name, is_error: true, has_text: true });
        assert_eq!((kind_of(result), body_of(result)), (EntryKind::Message(expected), text_body(&["no"])));

        let bash = r#"{"type":"message","message":{"role":"bashExecution","command":"ls","output":"a\n",
            "truncated":true,"fullOutputPath":"/tmp/o","excludeFromContext":true}}"#;
        let full_output_path = Some("/tmp/o".into());
        let expected = BashExecution { truncated: true, full_output_path, hidden_from_model: true };
        assert_eq!(kind_of(bash), EntryKind::Message(Message::BashExecution(expected)));
        assert_eq!(body_of(bash), text_body(&["ls", "a\n"]));
    }

    #[test]
    fn other_roles_carry_their_name_and_have_no_body() {
        let system = r#"{"type":"message","message":{"role":"system","content":"secret"}}"#;
        assert_eq!(kind_of(system), EntryKind::Message(Message::Other("system".into())));
        assert_eq!(body_of(system), None);
        assert_eq!(kind_of(r#"{"type":"message","message":{}}"#), EntryKind::Other("message".into()));
    }

    #[test]
    fn hook_messages_are_custom_messages_in_old_files_only() {
        let text = r#"{"type":"message","message":{"role":"hookMessage","customType":"x","content":"y"}}"#;
        let stored = Object::parse(text).unwrap();
        let custom = EntryKind::CustomMessage(CustomMessage { custom_type: "x".into(), has_text: true });
        assert_eq!(header("e".into(), &stored, 2).kind, custom);
        assert_eq!(body(&stored, 2), text_body(&["y"]));
        assert_eq!(header("e".into(), &stored, 3).kind, EntryKind::Message(Message::Other("hookMessage".into())));
        assert_eq!(body(&stored, 3), None);
    }

    #[test]
    fn summaries_are_bodies_and_details_come_along() {
        let text = r#"{"type":"compaction","summary":"s","details":{"piContext":"reset-v2"}}"#;
        assert_eq!(kind_of(text), EntryKind::Compaction(Some(r#"{"piContext":"reset-v2"}"#.into())));
        assert_eq!(body_of(text), text_body(&["s"]));
        assert_eq!(kind_of(r#"{"type":"compaction"}"#), EntryKind::Compaction(None));
        let text = r#"{"type":"branch_summary","summary":"b"}"#;
        assert_eq!((kind_of(text), body_of(text)), (EntryKind::BranchSummary, text_body(&["b"])));
    }

    #[test]
    fn data_of_other_extensions_is_withheld() {
        let custom = |name: &str| kind_of(&format!(r#"{{"type":"custom","customType":"{name}","data":{{"a":1}}}}"#));
        let ours = CustomEntry { custom_type: "pr-footer-state".into(), data: Some(r#"{"a":1}"#.into()) };
        assert_eq!(custom("pr-footer-state"), EntryKind::Custom(ours));
        let theirs = CustomEntry { custom_type: "other".into(), data: None };
        assert_eq!(custom("other"), EntryKind::Custom(theirs));
    }

    #[test]
    fn a_context_edit_omits_or_replaces() {
        let edit = |replacement| EntryKind::ContextEdit(ContextEdit { target: "t".into(), replacement });
        let omitted = r#"{"type":"context_edit","targetId":"t","replacement":null}"#;
        assert_eq!((kind_of(omitted), body_of(omitted)), (edit(None), None));
        let replaced =
            r#"{"type":"context_edit","targetId":"t","replacement":{"content":[{"type":"text","text":"x"}]}}"#;
        let content = Content { has_text: true, tool_calls: Vec::new() };
        assert_eq!((kind_of(replaced), body_of(replaced)), (edit(Some(content)), text_body(&["x"])));
    }

    #[test]
    fn kinds_without_content_and_unknown_ones_carry_their_name() {
        for (name, unknown) in [("label", false), ("usage", false), ("hologram", true), ("context_edit", true)] {
            let text = format!(r#"{{"type":"{name}"}}"#);
            let entry = header_of(&text);
            assert_eq!(entry.kind, EntryKind::Other(name.into()));
            assert_eq!(unknown_kind(&entry, &Object::parse(&text).unwrap()).is_some(), unknown, "{name}");
        }
    }
}
