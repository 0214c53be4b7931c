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
    /// What the person called it. Free text.
    pub name: Option<String>,
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
        /// Whether the agent kept only a part of the output.
        truncated: bool,
        /// Where the whole output is, if it was kept.
        full_output_path: Option<String>,
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

/// A tool call inside a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool that is called.
    pub name: String,
    /// JSON, as the model gave it.
    pub arguments: String,
}

/// The content of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The blocks of text, in order.
    pub text_parts: Vec<String>,
    /// In order, as many as the header names.
    pub tool_calls: Vec<ToolCall>,
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

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's own.
    Global,
    /// Those of the project, if the person trusts it.
    Project,
}

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// To be aware of.
    Warning,
    /// Something failed.
    Error,
}

/// A message to the model in the name of this extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// Which of our messages it is.
    pub custom_type: &'static str,
    /// What the model reads. The person does not see it in the conversation.
    pub text: String,
}

/// When a message reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Stored; starts nothing.
    Append,
    /// In the next request of the running run.
    Steer,
    /// As [`Delivery::Steer`] during a run; otherwise starts one.
    TriggerTurn,
}

/// Names an attempt to compact. Never used twice in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptId(pub u32);

/// How a turn or a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// By itself.
    Completed,
    /// The person stopped it.
    Aborted,
    /// It failed.
    Failed,
}

/// Why a conversation is compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionReason {
    /// The person or this guest asked.
    Manual,
    /// The window is nearly full.
    Threshold,
    /// The model refused the request as too long.
    Overflow,
}

/// A summary that takes the place of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionContent {
    /// What the model reads instead.
    pub summary: String,
    /// The first entry that stays in the context; absent to keep nothing.
    pub first_kept: Option<EntryId>,
    /// JSON, kept with the entry.
    pub details: String,
}

/// What is wanted of a compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompactionDecision {
    /// Nothing: others decide.
    NoOpinion,
    /// That it does not happen.
    Cancel,
    /// This content.
    Replace(CompactionContent),
}

/// An entry to be appended when a run settles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draft {
    /// A custom entry with JSON data.
    Custom {
        /// Its type.
        custom_type: &'static str,
        /// Its data.
        data: String,
    },
    /// A message to the model.
    Message(OutgoingMessage),
    /// A compaction of what precedes it.
    Compaction(CompactionContent),
}

/// What is wanted at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// To be appended, in this order; all or none.
    pub drafts: Vec<Draft>,
    /// Whether the model should be asked once more after that.
    pub continue_run: bool,
}

/// How a compaction that was asked for went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompactionError {
    /// Somebody stopped it.
    Cancelled,
    /// It was refused or failed; why, for people.
    Failed(String),
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
    /// The bodies of entries, in the order of `ids`: at least one, and then as many as the host holds at once.
    fn read_bodies(&mut self, ids: &[&str]) -> Vec<Option<Body>>;
    /// Appends a custom entry to the active branch.
    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, Refused>;
    /// A section of the settings as JSON, where it exists.
    fn settings_section(&mut self, scope: Scope, name: &str) -> Result<Option<String>, Refused>;
    /// The tokens that the agent keeps free for the active model.
    fn compaction_reserve(&mut self) -> Result<u64, Refused>;
    /// Requests a process; answered by a later event.
    fn start_process(&mut self, command: Command) -> RequestId;
    /// Gives a request up.
    fn cancel_process(&mut self, id: RequestId);
    /// Shows a status line, or takes it away.
    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), Refused>;
    /// Tells the person something. Where nobody can be told, nobody is.
    fn notify(&mut self, level: NoticeLevel, message: &str);
    /// How full the context is; absent without a model.
    fn context_usage(&mut self) -> Option<ContextUsage>;
    /// Whether nothing runs and nothing will by itself.
    fn is_idle(&mut self) -> bool;
    /// Whether messages wait for the model.
    fn has_pending_messages(&mut self) -> bool;
    /// Whether the person has stopped the active run.
    fn is_aborted(&mut self) -> bool;
    /// Hands a message over, to be delivered after the running event.
    fn send_message(&mut self, message: OutgoingMessage, delivery: Delivery) -> Result<(), Refused>;
    /// Asks for a compaction after the running event; answered by a later event.
    fn compact(&mut self, attempt: AttemptId) -> Result<(), Refused>;
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// A clock that only grows, in milliseconds: what durations are measured with.
    fn monotonic_now(&self) -> u64;
    /// Local time's offset from UTC at that moment, in minutes, positive east of Greenwich.
    fn utc_offset(&self, at: Timestamp) -> i16;
    /// Requests a timer, in milliseconds from now.
    fn start_timer(&mut self, delay: u32) -> TimerId;
    /// Withdraws a timer.
    fn cancel_timer(&mut self, id: TimerId);
    /// 32 random bits.
    fn random_bits(&mut self) -> u32;
}
