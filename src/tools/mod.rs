//! What the model can call.
//!
//! A tool reads projections and answers in text. Its arguments come from a model and are checked here whatever a host
//! has checked before; an error says what to do instead, because a model reads it. What goes out is bounded by `output`.
//!
//! | file | tools |
//! | --- | --- |
//! | `context` | `new_context`, `get_context_remaining` |
//! | `history` | `history_list_windows`, `history_list_items`, `history_read_item`, `history_search_contents` |
//! | `notes` | `notes_list_files`, `notes_read_file`, `notes_search_contents` |
//! | `note_writes` | `notes_append_to_file`, `notes_write_file` |

mod context;
mod glob;
mod history;
mod note_writes;
mod notes;
mod output;
mod query;

use serde::de::DeserializeOwned;

use crate::host::Host;
use crate::reset::Reset;
use crate::session::Session;

/// A tool as a model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What a person reads where the call is shown.
    pub label: &'static str,
    /// When and how to call it.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub parameters: &'static str,
    /// One line for the system prompt.
    pub prompt_snippet: &'static str,
    /// Whether the calls of a batch have to run one after the other.
    pub sequential: bool,
}

/// What a tool may look at.
pub struct Context<'a> {
    /// The session, up to date.
    pub session: &'a mut Session,
    /// The reset protocol of the session.
    pub reset: &'a mut Reset,
    /// For what is not on the branch.
    pub host: &'a mut dyn Host,
}

/// What a tool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What the model reads.
    pub text: String,
    /// Whether the agent should end its turn.
    pub terminate: bool,
}

/// The answer, or what the model should do instead.
pub type Answer = Result<Output, String>;

/// A tool: how it is described, and what it does.
struct Tool {
    definition: Definition,
    call: fn(&mut Context<'_>, arguments: &str) -> Answer,
}

static TOOLS: [Tool; 11] = [
    context::NEW_CONTEXT,
    context::GET_CONTEXT_REMAINING,
    history::LIST_WINDOWS,
    history::LIST_ITEMS,
    history::READ_ITEM,
    history::SEARCH_CONTENTS,
    notes::LIST_FILES,
    notes::READ_FILE,
    notes::SEARCH_CONTENTS,
    note_writes::APPEND_TO_FILE,
    note_writes::WRITE_FILE,
];

/// All tools, in the order in which a host should list them.
pub fn definitions() -> impl Iterator<Item = Definition> {
    TOOLS.iter().map(|tool| tool.definition)
}

/// Calls the tool `name` with a JSON object.
pub fn call(context: &mut Context<'_>, name: &str, arguments: &str) -> Answer {
    match TOOLS.iter().find(|tool| tool.definition.name == name) {
        Some(tool) => (tool.call)(context, arguments),
        None => Err(format!("There is no tool named {}. {}", crate::text::quoted(name), known_tools())),
    }
}

fn known_tools() -> String {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.definition.name).collect();
    format!("The tools here are {}.", names.join(", "))
}

/// Reads arguments, or says what is wrong with them. They are an object: serde would take a list for a struct as well.
fn arguments<T: DeserializeOwned>(name: &str, json: &str) -> Result<T, String> {
    if !json.trim_start().starts_with('{') {
        return Err(format!("{name} cannot read its arguments: they must be a JSON object."));
    }
    // What is wrong is named, however long the name.
    serde_json::from_str(json)
        .map_err(|error| format!("{name} cannot read its arguments: {}.", output::name(&error.to_string())))
}

/// A number from a range, or what the range is.
fn within(name: &str, value: Option<u64>, default: usize, most: usize) -> Result<usize, String> {
    let Some(value) = value else { return Ok(default) };
    Some(saturated(value)).filter(|value| (1..=most).contains(value)).ok_or_else(|| match most {
        usize::MAX => format!("{name} must be at least 1."),
        most => format!("{name} must be 1 to {most}."),
    })
}

/// Where a page begins among `count` things, or that the cursor is none of this tool's.
fn begin(cursor: Option<u64>, count: usize) -> Result<usize, String> {
    let cursor = cursor.unwrap_or(0);
    Some(saturated(cursor))
        .filter(|position| *position <= count)
        .ok_or_else(|| format!("cursor {cursor} is not one that this tool gave. Begin again without a cursor."))
}

/// The number, or the largest there is: whether an argument is answered must not depend on how many bits an address has.
fn saturated(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_an_object_that_forbids_what_it_does_not_name() {
        for definition in definitions() {
            let schema: serde_json::Value = serde_json::from_str(definition.parameters).expect(definition.name);
            assert_eq!(schema["type"], "object", "{}", definition.name);
            assert_eq!(schema["additionalProperties"], false, "{}", definition.name);
            for (name, property) in schema["properties"].as_object().expect(definition.name) {
                assert!(property["description"].is_string(), "{}.{name} is not described", definition.name);
            }
        }
    }
}
