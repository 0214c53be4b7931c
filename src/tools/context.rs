//! `get_context_remaining`: how much of the window is left.

use serde::{Deserialize, Serialize};

use super::{Answer, Context, Definition, Tool, arguments, json};
use crate::reset::thresholds::remaining_above_warning;

pub(super) const GET_CONTEXT_REMAINING: Tool = Tool {
    definition: Definition {
        name: "get_context_remaining",
        label: "Context remaining",
        description: "How many tokens of the context window are left before you should save your work. \
            Answers {\"remaining_tokens\": number}, 0 when none are left, or null while it is not known, \
            for example right after the context was compacted. Takes no arguments.",
        parameters: r#"{"type":"object","properties":{},"additionalProperties":false}"#,
        prompt_snippet: "Tokens left in the context window",
    },
    call: get_context_remaining,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Serialize)]
struct Remaining {
    remaining_tokens: Option<u64>,
}

fn get_context_remaining(context: &mut Context<'_>, json_arguments: &str) -> Answer {
    let NoArguments {} = arguments("get_context_remaining", json_arguments)?;
    json(&Remaining { remaining_tokens: remaining(context) })
}

fn remaining(context: &mut Context<'_>) -> Option<u64> {
    let usage = context.host.context_usage()?;
    let reserve = context.host.compaction_reserve().ok()?;
    remaining_above_warning(usage.window?, reserve, usage.used?)
}
