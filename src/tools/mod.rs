//! What the model can call.
//!
//! A tool reads projections and answers in text. Its arguments come from a model and are checked here whatever a host
//! has checked before; an error says what to do instead, because a model reads it.

mod context;
mod history;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::host::Host;
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
}

/// What a tool may look at.
pub struct Context<'a> {
    /// The session, up to date.
    pub session: &'a Session,
    /// For what is not on the branch.
    pub host: &'a mut dyn Host,
}

/// The answer, or what the model should do instead.
pub type Answer = Result<String, String>;

/// A tool: how it is described, and what it does.
struct Tool {
    definition: Definition,
    call: fn(&mut Context<'_>, arguments: &str) -> Answer,
}

static TOOLS: [Tool; 2] = [context::GET_CONTEXT_REMAINING, history::LIST_WINDOWS];

/// All tools, in the order in which a host should list them.
pub fn definitions() -> impl Iterator<Item = Definition> {
    TOOLS.iter().map(|tool| tool.definition)
}

/// Calls the tool `name` with a JSON object.
pub fn call(context: &mut Context<'_>, name: &str, arguments: &str) -> Answer {
    match TOOLS.iter().find(|tool| tool.definition.name == name) {
        Some(tool) => (tool.call)(context, arguments),
        None => Err(format!("There is no tool named {name}. {}", known_tools())),
    }
}

fn known_tools() -> String {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.definition.name).collect();
    format!("The tools here are {}.", names.join(", "))
}

/// Reads arguments, or says what is wrong with them. They are an object: serde would take a list for a struct as well.
fn arguments<T: DeserializeOwned>(name: &str, json: &str) -> Result<T, String> {
    serde_json::from_str::<Map<String, Value>>(json)
        .and_then(|object| serde_json::from_value(Value::Object(object)))
        .map_err(|error| format!("{name} cannot read its arguments: {error}."))
}

/// The JSON that a tool answers.
fn json<T: Serialize>(value: &T) -> Answer {
    serde_json::to_string(value).map_err(|error| format!("The answer cannot be written as JSON: {error}."))
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
        }
    }
}
