//! What the guest may ask for, in plain types.
//!
//! [`Host`] is the whole outside: a component reaches it through the WIT imports, a test through a struct of its own.
//! The types mirror `wit/`, where each is documented as a contract; this file adds only what Rust needs to know. It
//! contains no logic.

/// Milliseconds since the Unix epoch.
pub type Timestamp = i64;
/// Names an entry of the session.
pub type EntryId = String;

/// Names a running process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u32);

/// Names a waiting timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimerId(pub u32);

/// How paths are written on the machine of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStyle {
    /// `/` separates.
    Posix,
    /// `\` and `/` separate; drive letters and UNC prefixes.
    Windows,
}

/// What identifies a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Stable for the life of the session.
    pub id: String,
    /// Where the session was started. Absolute.
    pub cwd: String,
    /// How paths are written.
    pub path_style: PathStyle,
    /// When the session was created, where known.
    pub created_at: Option<Timestamp>,
}

/// What can be told of a content without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Whether there is any text.
    pub has_text: bool,
    /// The tools called, in order.
    pub tool_calls: Vec<String>,
}

/// A message, by its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// By the person.
    User(Content),
    /// By the model.
    Assistant(Content),
    /// The outcome of a tool call.
    ToolResult {
        /// The tool that was called.
        tool_name: String,
        /// Whether it failed.
        is_error: bool,
    },
    /// A command that the person ran directly.
    BashExecution {
        /// Whether the person kept it out of the model's context.
        hidden_from_model: bool,
    },
    /// The system prompt, and roles that are not known here.
    Other,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A message of the conversation.
    Message(Message),
    /// A compaction, with its details as JSON.
    Compaction(Option<String>),
    /// The summary of a branch that was left.
    BranchSummary,
    /// State of an extension.
    Custom {
        /// Whose state, and which.
        custom_type: String,
        /// JSON; absent for the state of other extensions.
        data: Option<String>,
    },
    /// A message by an extension.
    CustomMessage {
        /// Whose message, and which.
        custom_type: String,
        /// Whether there is any text.
        has_text: bool,
    },
    /// A correction of what an earlier entry contributes.
    ContextEdit {
        /// The entry corrected.
        target: EntryId,
        /// What takes its place; absent when it is omitted.
        replacement: Option<Content>,
    },
    /// An entry without content for a reader.
    Other,
}

/// The header of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub id: EntryId,
    /// What it is.
    pub kind: EntryKind,
}

/// A run of entries, root first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// In the order of the branch.
    pub entries: Vec<Entry>,
    /// Whether the branch goes on after them.
    pub more: bool,
}

/// How the active branch relates to a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The cursor is on it; this follows.
    Appended(Page),
    /// It is not; this is the branch from its root.
    Replaced(Page),
}

/// A program that may be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `git`
    Git,
    /// `gh`, GitHub's command
    Gh,
}

/// A request to run a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Which one.
    pub program: Program,
    /// Its arguments, as they are.
    pub arguments: Vec<String>,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran to its end.
    Exited {
        /// The exit status.
        code: i32,
        /// Bytes, not text: names in a repository need not be Unicode.
        stdout: Vec<u8>,
        /// As `stdout`.
        stderr: Vec<u8>,
    },
    /// It did not, for a reason that says nothing about the question asked.
    Failed(Failure),
}

/// Why a program gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The host's policy refuses it.
    Denied,
    /// There is no such program.
    NotFound,
    /// It could not be started.
    Unavailable,
    /// It ran too long.
    TimedOut,
    /// It printed too much.
    OutputLimit,
    /// It was given up.
    Cancelled,
}

/// How full the model's context is, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextUsage {
    /// Absent while unknown.
    pub used: Option<u64>,
    /// The size of the window, where known.
    pub window: Option<u64>,
}

/// The host refused or failed. It has told the person where that matters, and nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Everything outside of the guest.
///
/// Every function returns at once. Only [`Host::random_bits`] may be called outside of a session.
pub trait Host {
    /// The current session.
    fn session(&self) -> SessionInfo;
    /// The entries after `cursor` on the active branch.
    fn changes_since(&mut self, cursor: Option<&str>) -> Changes;
    /// Appends a custom entry to the active branch.
    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, Refused>;
    /// The tokens that the agent keeps free for the active model.
    fn compaction_reserve(&mut self) -> Result<u64, Refused>;
    /// Requests a process; answered by a later event.
    fn start_process(&mut self, command: Command) -> RequestId;
    /// Gives a request up.
    fn cancel_process(&mut self, id: RequestId);
    /// Shows a status line, or takes it away.
    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), Refused>;
    /// How full the context is; absent without a model.
    fn context_usage(&mut self) -> Option<ContextUsage>;
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// Requests a timer, in milliseconds from now.
    fn start_timer(&mut self, delay: u32) -> TimerId;
    /// Withdraws a timer.
    fn cancel_timer(&mut self, id: TimerId);
    /// 32 random bits.
    fn random_bits(&mut self) -> u32;
}
