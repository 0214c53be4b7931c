//! `new_context` and `get_context_remaining`: the window that the model is in.

use serde::{Deserialize, Serialize};

use super::output::json;
use super::{Answer, Context, Definition, Output, Tool, arguments};
use crate::reset::lifecycle::Request;
use crate::session::tags;

const NO_PARAMETERS: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

pub(super) const NEW_CONTEXT: Tool = Tool {
    definition: Definition {
        name: tags::NEW_CONTEXT,
        label: "New context",
        description: "Clears your context window and continues in a new, empty one, without a summary. Write what you \
            need afterwards into a note first: notes and the whole history stay readable, nothing else carries over. \
            Ends your turn: other calls of the same message still finish, then the window is cleared and you go on. \
            Answers {\"status\": \"rollover_requested\"}, or \"rollover_already_pending\" if you have asked before. \
            Takes no arguments.",
        parameters: NO_PARAMETERS,
        prompt_snippet: "Clear the context window and go on from your notes",
        sequential: false,
    },
    call: new_context,
};

pub(super) const GET_CONTEXT_REMAINING: Tool = Tool {
    definition: Definition {
        name: "get_context_remaining",
        label: "Context remaining",
        description: "How many tokens of the context window are left before you are told to save your work. \
            Answers {\"remaining_tokens\": number}, 0 when none are left, or null while it is not known, \
            for example right after the context was cleared. Takes no arguments.",
        parameters: NO_PARAMETERS,
        prompt_snippet: "Tokens left in the context window",
        sequential: false,
    },
    call: get_context_remaining,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Serialize)]
struct Requested {
    status: &'static str,
}

fn new_context(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let NoArguments {} = arguments(tags::NEW_CONTEXT, json_arguments)?;
    let status = match context.reset.request(context.session, context.host) {
        Some(Request::Accepted) => "rollover_requested",
        Some(Request::AlreadyPending) => "rollover_already_pending",
        None => {
            return Err(
                "Context resets are switched off in this session, so nothing was cleared. Go on with the task; \
                 the user can switch them on with /pi-context on."
                    .into(),
            );
        }
    };
    Ok(Output { terminate: true, ..json(&Requested { status })? })
}

#[derive(Serialize)]
struct Remaining {
    remaining_tokens: Option<u64>,
}

fn get_context_remaining(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let NoArguments {} = arguments("get_context_remaining", json_arguments)?;
    json(&Remaining { remaining_tokens: context.reset.tokens_left(context.session, context.host) })
}
