//! What the probe can ask its host for: every import of the world, as JSON.
//!
//! Why something was refused is for people, in the words of the host, so it is given as [`WHY`]; a host has to say something.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::bindings::pi::extension::agent::{self, AgentError, Delivery, OutgoingMessage};
use crate::bindings::pi::extension::session_reader::{self, Changes, Entry};
use crate::bindings::pi::extension::session_writer::{self, AppendError};
use crate::bindings::pi::extension::settings::{self, Scope, SettingsError};
use crate::bindings::pi::extension::status::{self, NoticeLevel, StatusError};
use crate::bindings::pi::extension::subprocess::{self, Command, Outcome};
use crate::bindings::pi::extension::{clock, random};

/// Stands for what a host says to people.
const WHY: &str = "(why)";

/// The most entries of a page.
const PAGE_ENTRIES: usize = 1000;

/// A call of an import, by its name and its parameters; or, at the end, none.
#[derive(Deserialize)]
pub(crate) enum Request {
    #[serde(rename = "session-reader.session")]
    Session,
    /// All pages of it.
    #[serde(rename = "session-reader.changes-since")]
    ChangesSince(Option<String>),
    /// All answers to it.
    #[serde(rename = "session-reader.read-bodies")]
    ReadBodies(Vec<String>),
    #[serde(rename = "session-writer.append")]
    Append(String, String),
    #[serde(rename = "settings.section")]
    Section(Scope, String),
    #[serde(rename = "settings.compaction")]
    Compaction,
    #[serde(rename = "subprocess.start")]
    Start(Command),
    #[serde(rename = "subprocess.cancel")]
    Cancel(u32),
    #[serde(rename = "status.set-status")]
    SetStatus(String, Option<String>),
    #[serde(rename = "status.notify")]
    Notify(NoticeLevel, String),
    #[serde(rename = "agent.usage")]
    Usage,
    #[serde(rename = "agent.is-idle")]
    IsIdle,
    #[serde(rename = "agent.has-pending-messages")]
    HasPendingMessages,
    #[serde(rename = "agent.is-aborted")]
    IsAborted,
    #[serde(rename = "agent.send-message")]
    SendMessage(OutgoingMessage, Delivery),
    #[serde(rename = "agent.compact")]
    Compact(u32),
    #[serde(rename = "clock.now")]
    Now,
    #[serde(rename = "clock.monotonic-now")]
    MonotonicNow,
    #[serde(rename = "clock.utc-offset")]
    UtcOffset(i64),
    #[serde(rename = "clock.start-timer")]
    StartTimer(u32),
    #[serde(rename = "clock.cancel-timer")]
    CancelTimer(u32),
    #[serde(rename = "random.bits")]
    Bits,
    /// The probe breaks.
    #[serde(rename = "trap")]
    Trap,
}

impl Request {
    /// Calls the import, and gives what it answers.
    pub(crate) fn make(self) -> Value {
        match self {
            Self::Session => json!(session_reader::session()),
            Self::ChangesSince(cursor) => changes_since(cursor),
            Self::ReadBodies(ids) => read_bodies(&ids),
            Self::Append(custom_type, data) => json!(session_writer::append(&custom_type, &data).map_err(append_error)),
            Self::Section(scope, name) => json!(settings::section(scope, &name).map_err(settings_error)),
            Self::Compaction => json!(settings::compaction().map_err(settings_error)),
            Self::Start(command) => json!(subprocess::start(&command)),
            Self::Cancel(id) => json!(subprocess::cancel(id)),
            Self::SetStatus(key, text) => json!(status::set_status(&key, text.as_deref()).map_err(status_error)),
            Self::Notify(level, message) => json!(status::notify(level, &message).map_err(status_error)),
            Self::Usage => json!(agent::usage()),
            Self::IsIdle => json!(agent::is_idle()),
            Self::HasPendingMessages => json!(agent::has_pending_messages()),
            Self::IsAborted => json!(agent::is_aborted()),
            Self::SendMessage(message, delivery) => json!(agent::send_message(&message, delivery).map_err(agent_error)),
            Self::Compact(attempt) => json!(agent::compact(attempt).map_err(agent_error)),
            Self::Now => json!(clock::now()),
            Self::MonotonicNow => json!(clock::monotonic_now()),
            Self::UtcOffset(at) => json!(clock::utc_offset(at)),
            Self::StartTimer(delay) => json!(clock::start_timer(delay)),
            Self::CancelTimer(id) => json!(clock::cancel_timer(id)),
            Self::Bits => json!(random::bits()),
            Self::Trap => core::arch::wasm32::unreachable(),
        }
    }
}

/// The entries of all pages. Breaks when the pages make no sense.
fn changes_since(cursor: Option<String>) -> Value {
    let first = session_reader::changes_since(cursor.as_deref());
    let is_appended = matches!(first, Changes::Appended(_));
    let (Changes::Appended(mut page) | Changes::Replaced(mut page)) = first;
    let mut entries = Vec::new();
    loop {
        assert!(page.entries.len() <= PAGE_ENTRIES, "a page of {} entries", page.entries.len());
        assert!(!page.more || !page.entries.is_empty(), "an empty page, and more to come");
        entries.append(&mut page.entries);
        if !page.more {
            break;
        }
        let cursor = entries.last().map(|entry| &*entry.id);
        let Changes::Appended(next) = session_reader::changes_since(cursor) else { panic!("a page begins anew") };
        page = next;
    }
    // When an entry came to be is the host's affair.
    entries.iter_mut().for_each(|entry: &mut Entry| entry.created_at = None);
    if is_appended { json!({ "Appended": entries }) } else { json!({ "Replaced": entries }) }
}

/// What is answered until all of it is. Breaks when an answer has nothing, or too much.
fn read_bodies(ids: &[String]) -> Value {
    let mut bodies = Vec::new();
    while bodies.len() < ids.len() {
        let mut more = session_reader::read_bodies(&ids[bodies.len()..]);
        assert!(!more.is_empty(), "no body where some are left");
        bodies.append(&mut more);
    }
    assert_eq!(bodies.len(), ids.len(), "more bodies than were asked for");
    json!(bodies)
}

/// An outcome, without what is for people.
pub(crate) fn outcome(outcome: Outcome) -> Value {
    json!(match outcome {
        Outcome::Denied(why) => Outcome::Denied(said(&why)),
        Outcome::Unavailable(why) => Outcome::Unavailable(said(&why)),
        Outcome::Exited(exit) =>
            return json!({ "Exited": {
                "code": exit.code,
                "stdout": String::from_utf8_lossy(&exit.stdout),
                "stderr": String::from_utf8_lossy(&exit.stderr),
            }}),
        other => other,
    })
}

fn append_error(error: AppendError) -> AppendError {
    match error {
        AppendError::Denied(why) => AppendError::Denied(said(&why)),
        AppendError::InvalidData(why) => AppendError::InvalidData(said(&why)),
        AppendError::Failed(why) => AppendError::Failed(said(&why)),
    }
}

fn settings_error(error: SettingsError) -> SettingsError {
    match error {
        SettingsError::Denied(why) => SettingsError::Denied(said(&why)),
        SettingsError::Unreadable(why) => SettingsError::Unreadable(said(&why)),
    }
}

fn status_error(error: StatusError) -> StatusError {
    match error {
        StatusError::Denied(why) => StatusError::Denied(said(&why)),
        StatusError::Failed(why) => StatusError::Failed(said(&why)),
    }
}

fn agent_error(error: AgentError) -> AgentError {
    match error {
        AgentError::Denied(why) => AgentError::Denied(said(&why)),
        AgentError::Unavailable(why) => AgentError::Unavailable(said(&why)),
    }
}

fn said(why: &str) -> String {
    assert!(!why.trim().is_empty(), "a host says why");
    WHY.into()
}
