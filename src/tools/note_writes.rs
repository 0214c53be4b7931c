//! The note tools that write: one operation on the branch for each call.
//!
//! What a note becomes is decided by the projection, by the same rules for a new operation as for one of long ago.

use serde::{Deserialize, Serialize};

use super::output::{json, name, to_json};
use super::{Answer, Context, Definition, Tool, arguments, notes};
use crate::session::{LARGEST_NOTE, Operation, Operator, Refusal, tags};
use crate::text::quoted;

/// The longest path of a new note, in bytes of UTF-8.
const LONGEST_PATH: usize = 512;

/// The properties that both tools share.
macro_rules! write_properties {
    () => {
        r#"
                "path": {"type": "string", "minLength": 1, "description": "The note, such as \"plan.md\" or \"research/api.md\". Relative, with / between folders."},
                "mark_stale": {"type": "boolean", "description": "true marks the note as out of date, so that it is not shown after a reset; alone or together with text. New text without it makes a note current again."}
        "#
    };
}

pub(super) const APPEND_TO_FILE: Tool = Tool {
    definition: Definition {
        name: "notes_append_to_file",
        label: "Append to note",
        description: "Adds text to the end of a note; makes the note if there is none. Begin with a line break if the text \
            should start a new line. Notes are files of this session, not of the disk; they survive when the context window \
            is cleared. Answers {\"path\", \"size_bytes\", \"operation\", \"stale\"}.",
        parameters: concat!(
            r#"{"type": "object", "properties": {
                "text": {"type": "string", "description": "What to add. May be left out to change the mark alone."},"#,
            write_properties!(),
            r#"}, "required": ["path"], "additionalProperties": false}"#
        ),
        prompt_snippet: "Add to a note that survives when the context is cleared",
        sequential: true,
    },
    call: |context, json_arguments| write(context, "notes_append_to_file", Operator::Append, json_arguments),
};

pub(super) const WRITE_FILE: Tool = Tool {
    definition: Definition {
        name: "notes_write_file",
        label: "Write note",
        description: "Writes a note, in place of what it said before. Write what you would need if your memory were \
            cleared: goal, decisions, open work, next step. Notes are files of this session, not of the disk; they survive \
            when the context window is cleared. Answers {\"path\", \"size_bytes\", \"operation\", \"stale\"}.",
        parameters: concat!(
            r#"{"type": "object", "properties": {
                "text": {"type": "string", "description": "The whole text of the note. May be left out to change the mark alone."},"#,
            write_properties!(),
            r#"}, "required": ["path"], "additionalProperties": false}"#
        ),
        prompt_snippet: "Write a note that survives when the context is cleared",
        sequential: true,
    },
    call: |context, json_arguments| write(context, "notes_write_file", Operator::Write, json_arguments),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Write {
    path: String,
    text: Option<String>,
    mark_stale: Option<bool>,
}

#[derive(Serialize)]
struct Written<'a> {
    path: &'a str,
    size_bytes: usize,
    operation: Operator,
    stale: bool,
}

fn write(context: &mut Context<'_>, tool: &str, op: Operator, json_arguments: &str) -> Answer {
    let Write { path, text, mark_stale } = arguments(tool, json_arguments)?;
    let known = context.session.notes();
    let now = context.host.now();
    let created_at = known.get(&path).map_or(now, |note| note.created_at);
    let operation = Operation { op, path, text, stale: mark_stale, created_at, updated_at: now };
    known.check(&operation).map_err(|refusal| match refusal {
        Refusal::Path => format!(
            "{} is not a path of a note. Use a relative path such as plan.md or research/api.md: names between single \
             slashes, none of them . or .., no backslash.",
            quoted(name(&operation.path))
        ),
        Refusal::Nothing => format!("{tool} needs text, or mark_stale, or both."),
        Refusal::NoNote => notes::unknown(known, &operation.path),
        Refusal::TooLarge => {
            format!("A note holds at most {LARGEST_NOTE} bytes of UTF-8. Nothing was changed; begin another note.")
        }
    })?;
    if operation.path.len() > LONGEST_PATH && known.get(&operation.path).is_none() {
        return Err(format!("The path of a new note is at most {LONGEST_PATH} bytes long. Choose a shorter one."));
    }
    let data = to_json(&operation)?;
    if context.host.append(tags::NOTE, &data).is_err() {
        return Err(
            "The note was not saved: the session could not be written. What it said before still stands.".into()
        );
    }
    context.session.sync(context.host);
    let note = context.session.notes().get(&operation.path).ok_or("The note was saved but is not on this branch.")?;
    json(&Written { path: name(&operation.path), size_bytes: note.text.len(), operation: op, stale: note.stale })
}
