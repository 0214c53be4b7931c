//! The guest of the scenarios that are about hosts: it asks its host for what it is told to ask, and tells what it hears.
//!
//! It is told through its tools. `ask` takes a list of requests, makes them and answers with what came
//! of each. `plan` takes what it is to ask and to answer in the next call of other exports, by their names. `heard` answers
//! with the calls there have been. `tests/conformance/README.md` is the manual.
//!
//! A call inside of another one breaks it, as does whatever else the contract rules out: that is how a host is found out.

#![cfg(target_arch = "wasm32")]

mod request;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use bindings::exports::pi::extension::{commands, completions, lifecycle, tool_observer, tools};
use request::Request;

#[allow(missing_docs, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        world: "extension",
        additional_derives: [serde::Serialize, serde::Deserialize],
    });
}

struct Probe;

bindings::export!(Probe with_types_in bindings);

/// What it does in the next call of an export.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Plan {
    /// What it asks for.
    ask: Vec<Request>,
    /// What it answers with.
    answer: Option<Value>,
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static PLANS: RefCell<BTreeMap<String, Plan>> = RefCell::default();
    static HEARD: RefCell<Vec<Value>> = RefCell::default();
}

/// Runs an export, and breaks when another one is running.
fn alone<T>(run: impl FnOnce() -> T) -> T {
    assert!(!INSIDE.replace(true), "an export is called inside of another one");
    let answer = run();
    INSIDE.set(false);
    answer
}

/// Writes down a call, does what is planned for it, and gives the planned answer, if any.
fn hear<A: DeserializeOwned>(export: &str, said: Value) -> Option<A> {
    let Plan { ask, answer } = PLANS.with_borrow_mut(|plans| plans.remove(export)).unwrap_or_default();
    let answers: Vec<Value> = ask.into_iter().map(Request::make).collect();
    let mut call = vec![json!(export), said];
    if !answers.is_empty() {
        call.push(json!(answers));
    }
    HEARD.with_borrow_mut(|heard| heard.push(json!(call)));
    answer.map(|answer| serde_json::from_value(answer).expect("the planned answer is one of this export"))
}

/// As [`hear`], for an export without an answer.
fn note(export: &str, said: Value) {
    alone(|| hear::<Value>(export, said));
}

fn told<T: DeserializeOwned>(arguments: &str) -> Result<T, String> {
    serde_json::from_str(arguments).map_err(|error| format!("the probe does not understand: {error}"))
}

fn output(value: &Value) -> tools::Output {
    tools::Output { text: value.to_string(), terminate: false }
}

impl tools::Guest for Probe {
    fn definitions() -> Vec<tools::Definition> {
        alone(|| hear("tools.definitions", Value::Null).unwrap_or_default())
    }

    fn call(invocation: tools::Invocation) -> Result<tools::Output, String> {
        alone(|| match invocation.name.as_str() {
            "ask" => {
                let answers = told::<Vec<Request>>(&invocation.arguments)?.into_iter().map(Request::make);
                Ok(output(&answers.collect()))
            }
            "plan" => {
                PLANS.set(told(&invocation.arguments)?);
                Ok(output(&Value::Null))
            }
            "heard" => Ok(output(&HEARD.take().into())),
            _ => hear("tools.call", json!(invocation)).unwrap_or_else(|| Err("nothing is planned".into())),
        })
    }
}

impl commands::Guest for Probe {
    fn definitions() -> Vec<commands::Definition> {
        alone(|| hear("commands.definitions", Value::Null).unwrap_or_default())
    }

    fn complete(name: String, typed: String) -> Vec<commands::Completion> {
        alone(|| hear("commands.complete", json!([name, typed])).unwrap_or_default())
    }

    fn run(invocation: commands::Invocation) {
        note("commands.run", json!(invocation));
    }
}

impl tool_observer::Guest for Probe {
    fn tool_called(call: tool_observer::Call) {
        note("tool-observer.tool-called", json!(call));
    }

    fn tool_finished(call_id: String, is_error: bool) {
        note("tool-observer.tool-finished", json!([call_id, is_error]));
    }
}

impl completions::Guest for Probe {
    fn subprocess_finished(id: u32, outcome: completions::Outcome) {
        note("completions.subprocess-finished", json!([id, request::outcome(outcome)]));
    }

    fn timer_fired(id: u32) {
        note("completions.timer-fired", json!(id));
    }
}

impl lifecycle::Guest for Probe {
    fn session_started(reason: lifecycle::StartReason) {
        note("lifecycle.session-started", json!(reason));
    }

    fn session_shut_down(reason: lifecycle::ShutdownReason) {
        note("lifecycle.session-shut-down", json!(reason));
    }

    fn branch_changed() {
        note("lifecycle.branch-changed", Value::Null);
    }

    fn model_changed() {
        note("lifecycle.model-changed", Value::Null);
    }

    fn context_requested() {
        note("lifecycle.context-requested", Value::Null);
    }

    fn turn_ended(outcome: lifecycle::RunOutcome) {
        note("lifecycle.turn-ended", json!(outcome));
    }

    fn agent_ended(outcome: lifecycle::RunOutcome) {
        note("lifecycle.agent-ended", json!(outcome));
    }

    fn before_settle() -> Option<lifecycle::Boundary> {
        alone(|| hear("lifecycle.before-settle", Value::Null))
    }

    fn agent_settled(outcome: lifecycle::RunOutcome) {
        note("lifecycle.agent-settled", json!(outcome));
    }

    fn before_compact(request: lifecycle::CompactionRequest) -> lifecycle::CompactionDecision {
        let no_opinion = lifecycle::CompactionDecision::NoOpinion;
        alone(|| hear("lifecycle.before-compact", json!(request)).unwrap_or(no_opinion))
    }

    fn compacted(event: lifecycle::CompactedEvent) {
        note("lifecycle.compacted", json!(event));
    }

    fn compaction_failed(failure: lifecycle::CompactionFailure) {
        note("lifecycle.compaction-failed", json!(failure));
    }

    fn compaction_finished(attempt: u32, outcome: Result<(), lifecycle::CompactionError>) {
        note("lifecycle.compaction-finished", json!([attempt, outcome]));
    }
}
