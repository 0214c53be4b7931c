//! A component of the world `pi:extension`, to begin from: it counts the turns of the session in the footer, and says so
//! when asked with `/turns`.
//!
//! Every export of the world is here. What an extension has no use for stays an empty function or list. The contract of each
//! is written in `wit/`.

use std::cell::Cell;

mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "extension" });
}

use bindings::exports::pi::extension::{commands, completions, lifecycle, tool_observer, tools};
use bindings::pi::extension::status;

/// The line in the footer. A host lets a component set the one that is named like its file, so this is `my-extension.wasm`.
const STATUS_KEY: &str = "my-extension";

struct Extension;

bindings::export!(Extension with_types_in bindings);

thread_local! {
    /// A host never calls an export while another one runs. What has to outlive the instance belongs on the session branch.
    static TURNS: Cell<u32> = const { Cell::new(0) };
}

fn text() -> String {
    match TURNS.get() {
        1 => "1 turn".into(),
        turns => format!("{turns} turns"),
    }
}

fn show() {
    // Where no line can be shown, there is nothing to do about it.
    let _ = status::set_status(STATUS_KEY, Some(&text()));
}

impl lifecycle::Guest for Extension {
    fn session_started(_reason: lifecycle::StartReason) {
        TURNS.set(0);
        show();
    }

    fn turn_ended(_outcome: lifecycle::RunOutcome) {
        TURNS.set(TURNS.get() + 1);
        show();
    }

    fn session_shut_down(_reason: lifecycle::ShutdownReason) {}
    fn branch_changed() {}
    fn model_changed() {}
    fn context_requested() {}
    fn agent_ended(_outcome: lifecycle::RunOutcome) {}
    fn before_settle() -> Option<lifecycle::Boundary> {
        None
    }
    fn agent_settled(_outcome: lifecycle::RunOutcome) {}
    fn before_compact(_request: lifecycle::CompactionRequest) -> lifecycle::CompactionDecision {
        lifecycle::CompactionDecision::NoOpinion
    }
    fn compacted(_event: lifecycle::CompactedEvent) {}
    fn compaction_failed(_failure: lifecycle::CompactionFailure) {}
    fn compaction_finished(_attempt: u32, _outcome: Result<(), lifecycle::CompactionError>) {}
}

impl commands::Guest for Extension {
    fn definitions() -> Vec<commands::Definition> {
        vec![commands::Definition { name: "turns".into(), description: "Say how many turns there were".into() }]
    }

    fn complete(_name: String, _typed: String) -> Vec<commands::Completion> {
        Vec::new()
    }

    fn run(_invocation: commands::Invocation) {
        let _ = status::notify(status::NoticeLevel::Info, &text());
    }
}

impl tools::Guest for Extension {
    fn definitions() -> Vec<tools::Definition> {
        Vec::new()
    }

    fn call(invocation: tools::Invocation) -> Result<tools::Output, String> {
        Err(format!("there is no tool {}", invocation.name))
    }
}

impl tool_observer::Guest for Extension {
    fn tool_called(_call: tool_observer::Call) {}
    fn tool_finished(_call_id: String, _is_error: bool) {}
}

impl completions::Guest for Extension {
    fn subprocess_finished(_id: u32, _outcome: completions::Outcome) {}
    fn timer_fired(_id: u32) {}
}
