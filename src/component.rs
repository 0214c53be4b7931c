//! The boundary: generated bindings on one side, [`crate::host`] on the other.
//!
//! The only file that knows `wit-bindgen`. It turns types into types and keeps the one instance of the guest; it
//! decides nothing.

use std::cell::RefCell;

use crate::extension::Extension;
use crate::host::{
    Changes, Command, Content, ContextUsage, Entry, EntryId, EntryKind, Failure, Host, Message, Outcome, Page,
    PathStyle, Program, Refused, RequestId, SessionInfo, TimerId, Timestamp,
};
use crate::tools;

#[allow(missing_docs, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "extension" });
}

use bindings::exports::pi::extension::{commands, completions, lifecycle, tool_observer, tools as wit_tools};
use bindings::pi::extension::{agent, clock, random, session_reader, session_writer, settings, status, subprocess};

struct Component;

bindings::export!(Component with_types_in bindings);

thread_local! {
    /// The guest's state. A host never calls an export while another one runs, so it is never borrowed twice.
    static EXTENSION: RefCell<Extension> = RefCell::default();
}

fn with_extension<T>(call: impl FnOnce(&mut Extension, &mut dyn Host) -> T) -> T {
    EXTENSION.with_borrow_mut(|extension| call(extension, &mut Imports))
}

impl lifecycle::Guest for Component {
    fn session_started(_reason: lifecycle::StartReason) {
        with_extension(Extension::on_session_started);
    }

    fn session_shut_down(_reason: lifecycle::ShutdownReason) {
        with_extension(Extension::on_session_shut_down);
    }

    fn branch_changed() {}

    fn model_changed() {}

    fn context_requested() {}

    fn turn_ended(_outcome: lifecycle::RunOutcome) {}

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

    fn compaction_finished(_attempt: agent::AttemptId, _outcome: Result<(), lifecycle::CompactionError>) {}
}

impl wit_tools::Guest for Component {
    fn definitions() -> Vec<wit_tools::Definition> {
        tools::definitions()
            .map(|definition| wit_tools::Definition {
                name: definition.name.into(),
                label: definition.label.into(),
                description: definition.description.into(),
                parameters: definition.parameters.into(),
                prompt_snippet: Some(definition.prompt_snippet.into()),
                execution: wit_tools::Execution::Parallel,
            })
            .collect()
    }

    fn call(invocation: wit_tools::Invocation) -> Result<wit_tools::Output, String> {
        let answer =
            with_extension(|extension, host| extension.call_tool(&invocation.name, &invocation.arguments, host));
        answer.map(|text| wit_tools::Output { text, terminate: false })
    }
}

impl tool_observer::Guest for Component {
    fn tool_called(_call: tool_observer::Call) {}

    fn tool_finished(_call_id: String, _is_error: bool) {}
}

impl commands::Guest for Component {
    fn definitions() -> Vec<commands::Definition> {
        Vec::new()
    }

    fn complete(_name: String, _typed: String) -> Vec<commands::Completion> {
        Vec::new()
    }

    fn run(_invocation: commands::Invocation) {}
}

impl completions::Guest for Component {
    fn subprocess_finished(id: subprocess::RequestId, outcome: subprocess::Outcome) {
        let outcome = outcome.into();
        with_extension(|extension, host| extension.on_subprocess_finished(RequestId(id), &outcome, host));
    }

    fn timer_fired(id: clock::TimerId) {
        with_extension(|extension, host| extension.on_timer_fired(TimerId(id), host));
    }
}

/// The imports of the component as a [`Host`].
struct Imports;

impl Host for Imports {
    fn session(&self) -> SessionInfo {
        let info = session_reader::session();
        SessionInfo {
            id: info.id,
            cwd: info.cwd,
            path_style: match info.path_style {
                session_reader::PathStyle::Posix => PathStyle::Posix,
                session_reader::PathStyle::Windows => PathStyle::Windows,
            },
            created_at: info.created_at,
        }
    }

    fn changes_since(&mut self, cursor: Option<&str>) -> Changes {
        match session_reader::changes_since(cursor) {
            session_reader::Changes::Appended(page) => Changes::Appended(page.into()),
            session_reader::Changes::Replaced(page) => Changes::Replaced(page.into()),
        }
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, Refused> {
        session_writer::append(custom_type, data).map_err(|_| Refused)
    }

    fn compaction_reserve(&mut self) -> Result<u64, Refused> {
        settings::compaction().map(|policy| policy.reserve_tokens).map_err(|_| Refused)
    }

    fn start_process(&mut self, command: Command) -> RequestId {
        let program = match command.program {
            Program::Git => subprocess::Program::Git,
            Program::Gh => subprocess::Program::Gh,
        };
        RequestId(subprocess::start(&subprocess::Command { program, arguments: command.arguments }))
    }

    fn cancel_process(&mut self, id: RequestId) {
        subprocess::cancel(id.0);
    }

    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), Refused> {
        status::set_status(key, text).map_err(|_| Refused)
    }

    fn context_usage(&mut self) -> Option<ContextUsage> {
        agent::usage().map(|usage| ContextUsage { used: usage.used, window: usage.window })
    }

    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn start_timer(&mut self, delay: u32) -> TimerId {
        TimerId(clock::start_timer(delay))
    }

    fn cancel_timer(&mut self, id: TimerId) {
        clock::cancel_timer(id.0);
    }

    fn random_bits(&mut self) -> u32 {
        random::bits()
    }
}

impl From<session_reader::Page> for Page {
    fn from(page: session_reader::Page) -> Self {
        Self { entries: page.entries.into_iter().map(Entry::from).collect(), more: page.more }
    }
}

impl From<session_reader::Entry> for Entry {
    fn from(entry: session_reader::Entry) -> Self {
        use session_reader::EntryKind as Kind;
        let kind = match entry.kind {
            Kind::Message(message) => EntryKind::Message(message.into()),
            Kind::Compaction(details) => EntryKind::Compaction(details),
            Kind::BranchSummary => EntryKind::BranchSummary,
            Kind::Custom(custom) => EntryKind::Custom { custom_type: custom.custom_type, data: custom.data },
            Kind::CustomMessage(message) => {
                EntryKind::CustomMessage { custom_type: message.custom_type, has_text: message.has_text }
            }
            Kind::ContextEdit(edit) => {
                EntryKind::ContextEdit { target: edit.target, replacement: edit.replacement.map(Content::from) }
            }
            Kind::Other(_) => EntryKind::Other,
        };
        Self { id: entry.id, kind }
    }
}

impl From<session_reader::Message> for Message {
    fn from(message: session_reader::Message) -> Self {
        match message {
            session_reader::Message::User(content) => Self::User(content.into()),
            session_reader::Message::Assistant(content) => Self::Assistant(content.into()),
            session_reader::Message::ToolResult(result) => {
                Self::ToolResult { tool_name: result.tool_name, is_error: result.is_error }
            }
            session_reader::Message::BashExecution(execution) => {
                Self::BashExecution { hidden_from_model: execution.hidden_from_model }
            }
            session_reader::Message::Other(_) => Self::Other,
        }
    }
}

impl From<session_reader::Content> for Content {
    fn from(content: session_reader::Content) -> Self {
        Self { has_text: content.has_text, tool_calls: content.tool_calls }
    }
}

impl From<subprocess::Outcome> for Outcome {
    fn from(outcome: subprocess::Outcome) -> Self {
        match outcome {
            subprocess::Outcome::Exited(exit) => {
                Self::Exited { code: exit.code, stdout: exit.stdout, stderr: exit.stderr }
            }
            subprocess::Outcome::Denied(_) => Self::Failed(Failure::Denied),
            subprocess::Outcome::NotFound => Self::Failed(Failure::NotFound),
            subprocess::Outcome::Unavailable(_) => Self::Failed(Failure::Unavailable),
            subprocess::Outcome::TimedOut => Self::Failed(Failure::TimedOut),
            subprocess::Outcome::OutputLimit => Self::Failed(Failure::OutputLimit),
            subprocess::Outcome::Cancelled => Self::Failed(Failure::Cancelled),
        }
    }
}
