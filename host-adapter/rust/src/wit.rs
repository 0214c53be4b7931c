//! The types of the world `pi:extension/extension`, one module for each interface and file in `wit/`.
//!
//! Only names live here. What they mean is said in the WIT files and repeated on each type.

/// Time, and timers.
pub mod clock {
    pub use crate::bindings::pi::extension::clock::{Monotonic, TimerId, Timestamp};
}

/// The session and its entries.
pub mod session_reader {
    pub use crate::bindings::pi::extension::session_reader::{
        BashExecution, Body, Changes, Content, ContextEdit, CustomEntry, CustomMessage, Entry, EntryId, EntryKind,
        Json, Message, Page, PathStyle, SessionInfo, ToolCall, ToolResult,
    };
}

/// Appending custom entries.
pub mod session_writer {
    pub use crate::bindings::pi::extension::session_writer::AppendError;
}

/// The person's settings.
pub mod settings {
    pub use crate::bindings::pi::extension::settings::{CompactionPolicy, Scope, SettingsError};
}

/// Running `git` and `gh`.
pub mod subprocess {
    pub use crate::bindings::pi::extension::subprocess::{Command, Exit, Outcome, Program, RequestId};
}

/// Status lines and notices.
pub mod status {
    pub use crate::bindings::pi::extension::status::{NoticeLevel, StatusError};
}

/// The agent that the session belongs to.
pub mod agent {
    pub use crate::bindings::pi::extension::agent::{AgentError, AttemptId, ContextUsage, Delivery, OutgoingMessage};
}

/// The events of a session.
pub mod lifecycle {
    pub use crate::bindings::exports::pi::extension::lifecycle::{
        Boundary, CompactedEvent, CompactionContent, CompactionDecision, CompactionError, CompactionFailure,
        CompactionReason, CompactionRequest, CustomDraft, Draft, RunOutcome, ShutdownReason, StartReason,
    };
}

/// Tools that the model can call.
pub mod tools {
    pub use crate::bindings::exports::pi::extension::tools::{Definition, Execution, Invocation, Output};
}

/// What other tools do.
pub mod tool_observer {
    pub use crate::bindings::exports::pi::extension::tool_observer::Call;
}

/// Commands that the person types.
pub mod commands {
    pub use crate::bindings::exports::pi::extension::commands::{Completion, Definition, Invocation};
}
