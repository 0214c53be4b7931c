//! The boundary: generated bindings on one side, [`crate::host`] on the other.
//!
//! The only file that knows `wit-bindgen`. It turns types into types and keeps the one instance of the guest; it
//! decides nothing.

use std::cell::RefCell;

use crate::extension::Extension;
use crate::host::{
    AttemptId, Body, Boundary, Changes, Command, CompactionContent, CompactionDecision, CompactionError,
    CompactionReason, Content, ContextUsage, Delivery, Draft, Entry, EntryId, EntryKind, Failure, Host, Message,
    NoticeLevel, Outcome, OutgoingMessage, Page, PathStyle, Program, Refused, RequestId, RunOutcome, Scope,
    SessionInfo, TimerId, Timestamp, ToolCall,
};
use crate::reset::CompactionRequest;
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
    fn session_started(reason: lifecycle::StartReason) {
        let is_fork = reason == lifecycle::StartReason::Fork;
        with_extension(|extension, host| extension.on_session_started(is_fork, host));
    }

    fn session_shut_down(_reason: lifecycle::ShutdownReason) {
        with_extension(Extension::on_session_shut_down);
    }

    fn branch_changed() {
        with_extension(Extension::on_branch_changed);
    }

    fn model_changed() {
        with_extension(|extension, _| extension.on_model_changed());
    }

    fn context_requested() {
        with_extension(Extension::on_context_requested);
    }

    fn turn_ended(outcome: lifecycle::RunOutcome) {
        with_extension(|extension, _| extension.on_turn_ended(outcome.into()));
    }

    fn agent_ended(outcome: lifecycle::RunOutcome) {
        with_extension(|extension, _| extension.on_agent_ended(outcome.into()));
    }

    fn before_settle() -> Option<lifecycle::Boundary> {
        with_extension(Extension::before_settle).map(lifecycle::Boundary::from)
    }

    fn agent_settled(outcome: lifecycle::RunOutcome) {
        with_extension(|extension, host| extension.on_agent_settled(outcome.into(), host));
    }

    fn before_compact(request: lifecycle::CompactionRequest) -> lifecycle::CompactionDecision {
        let reason = match request.reason {
            lifecycle::CompactionReason::Manual => CompactionReason::Manual,
            lifecycle::CompactionReason::Threshold => CompactionReason::Threshold,
            lifecycle::CompactionReason::Overflow => CompactionReason::Overflow,
        };
        let request = CompactionRequest { reason, aborted: request.aborted };
        match with_extension(|extension, host| extension.before_compact(request, host)) {
            CompactionDecision::NoOpinion => lifecycle::CompactionDecision::NoOpinion,
            CompactionDecision::Cancel => lifecycle::CompactionDecision::Cancel,
            CompactionDecision::Replace(content) => lifecycle::CompactionDecision::Replace(content.into()),
        }
    }

    fn compacted(_event: lifecycle::CompactedEvent) {
        with_extension(Extension::on_compacted);
    }

    fn compaction_failed(failure: lifecycle::CompactionFailure) {
        let why = failure.message.as_deref();
        with_extension(|extension, host| extension.on_compaction_failed(failure.aborted, why, host));
    }

    fn compaction_finished(attempt: agent::AttemptId, outcome: Result<(), lifecycle::CompactionError>) {
        let result = outcome.map_err(|error| match error {
            lifecycle::CompactionError::Cancelled => CompactionError::Cancelled,
            lifecycle::CompactionError::Failed(why) => CompactionError::Failed(why),
        });
        with_extension(|extension, host| extension.on_compaction_finished(AttemptId(attempt), &result, host));
    }
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
                execution: if definition.sequential {
                    wit_tools::Execution::Sequential
                } else {
                    wit_tools::Execution::Parallel
                },
            })
            .collect()
    }

    fn call(invocation: wit_tools::Invocation) -> Result<wit_tools::Output, String> {
        let answer =
            with_extension(|extension, host| extension.call_tool(&invocation.name, &invocation.arguments, host));
        answer.map(|output| wit_tools::Output { text: output.text, terminate: output.terminate })
    }
}

impl tool_observer::Guest for Component {
    fn tool_called(call: tool_observer::Call) {
        with_extension(|extension, host| {
            extension.on_tool_called(&call.call_id, &call.name, &call.arguments, &call.cwd, host);
        });
    }

    fn tool_finished(call_id: String, _is_error: bool) {
        with_extension(|extension, host| extension.on_tool_finished(&call_id, host));
    }
}

impl commands::Guest for Component {
    fn definitions() -> Vec<commands::Definition> {
        Extension::commands()
            .map(|command| commands::Definition { name: command.name.into(), description: command.description.into() })
            .into()
    }

    fn complete(name: String, typed: String) -> Vec<commands::Completion> {
        with_extension(|extension, _| extension.complete(&name, &typed))
            .into_iter()
            .map(|completion| commands::Completion {
                label: completion.value.clone(),
                value: completion.value,
                description: completion.description.map(str::to_owned),
            })
            .collect()
    }

    fn run(invocation: commands::Invocation) {
        let commands::Invocation { name, arguments, cwd } = invocation;
        with_extension(|extension, host| extension.run_command(&name, &arguments, &cwd, host));
    }
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
            name: info.name,
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

    fn read_bodies(&mut self, ids: &[&str]) -> Vec<Option<Body>> {
        // The bindings take owned names.
        let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
        session_reader::read_bodies(&ids).into_iter().map(|body| body.map(Body::from)).collect()
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, Refused> {
        session_writer::append(custom_type, data).map_err(|_| Refused)
    }

    fn settings_section(&mut self, scope: Scope, name: &str) -> Result<Option<String>, Refused> {
        let scope = match scope {
            Scope::Global => settings::Scope::Global,
            Scope::Project => settings::Scope::Project,
        };
        settings::section(scope, name).map_err(|_| Refused)
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

    fn notify(&mut self, level: NoticeLevel, message: &str) {
        let level = match level {
            NoticeLevel::Info => status::NoticeLevel::Info,
            NoticeLevel::Warning => status::NoticeLevel::Warning,
            NoticeLevel::Error => status::NoticeLevel::Error,
        };
        // A notice that cannot be shown has nobody to be shown to.
        let _ = status::notify(level, message);
    }

    fn context_usage(&mut self) -> Option<ContextUsage> {
        agent::usage().map(|usage| ContextUsage { used: usage.used, window: usage.window })
    }

    fn is_idle(&mut self) -> bool {
        agent::is_idle()
    }

    fn has_pending_messages(&mut self) -> bool {
        agent::has_pending_messages()
    }

    fn is_aborted(&mut self) -> bool {
        agent::is_aborted()
    }

    fn send_message(&mut self, message: OutgoingMessage, delivery: Delivery) -> Result<(), Refused> {
        let delivery = match delivery {
            Delivery::Append => agent::Delivery::Append,
            Delivery::Steer => agent::Delivery::Steer,
            Delivery::TriggerTurn => agent::Delivery::TriggerTurn,
        };
        agent::send_message(&message.into(), delivery).map_err(|_| Refused)
    }

    fn compact(&mut self, attempt: AttemptId) -> Result<(), Refused> {
        agent::compact(attempt.0).map_err(|_| Refused)
    }

    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn monotonic_now(&self) -> u64 {
        clock::monotonic_now()
    }

    fn utc_offset(&self, at: Timestamp) -> i16 {
        clock::utc_offset(at)
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
            session_reader::Message::BashExecution(execution) => Self::BashExecution {
                truncated: execution.truncated,
                full_output_path: execution.full_output_path,
                hidden_from_model: execution.hidden_from_model,
            },
            session_reader::Message::Other(_) => Self::Other,
        }
    }
}

impl From<session_reader::Content> for Content {
    fn from(content: session_reader::Content) -> Self {
        Self { has_text: content.has_text, tool_calls: content.tool_calls }
    }
}

impl From<session_reader::Body> for Body {
    fn from(body: session_reader::Body) -> Self {
        let tool_calls = body.tool_calls.into_iter();
        Self {
            text_parts: body.text_parts,
            tool_calls: tool_calls.map(|call| ToolCall { name: call.name, arguments: call.arguments }).collect(),
        }
    }
}

impl From<OutgoingMessage> for agent::OutgoingMessage {
    fn from(message: OutgoingMessage) -> Self {
        Self { custom_type: message.custom_type.into(), text: message.text, display: false, details: None }
    }
}

impl From<CompactionContent> for lifecycle::CompactionContent {
    fn from(content: CompactionContent) -> Self {
        Self { summary: content.summary, first_kept: content.first_kept, details: Some(content.details) }
    }
}

impl From<Boundary> for lifecycle::Boundary {
    fn from(boundary: Boundary) -> Self {
        let drafts = boundary.drafts.into_iter().map(|draft| match draft {
            Draft::Custom { custom_type, data } => {
                lifecycle::Draft::Custom(lifecycle::CustomDraft { custom_type: custom_type.into(), data })
            }
            Draft::Message(message) => lifecycle::Draft::Message(message.into()),
            Draft::Compaction(content) => lifecycle::Draft::Compaction(content.into()),
        });
        Self { drafts: drafts.collect(), continue_run: boundary.continue_run }
    }
}

impl From<lifecycle::RunOutcome> for RunOutcome {
    fn from(outcome: lifecycle::RunOutcome) -> Self {
        match outcome {
            lifecycle::RunOutcome::Completed => Self::Completed,
            lifecycle::RunOutcome::Aborted => Self::Aborted,
            lifecycle::RunOutcome::Failed => Self::Failed,
        }
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
