//! Scenarios as data: what is on the branch, then what happens, with any values. Told to every guest, and made up by fuzzers.
//!
//! A story is JSON, so that the host in TypeScript can tell it, too. Whatever it says, what [`Story::tell`] checks after each
//! step has to hold.

use pi_capsule::host::{AttemptId, CompactionError, CompactionReason, RunOutcome};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::branch::{self, NewEntry};
use super::{End, Event, Guest};

/// A session and what happens in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Story {
    /// The section `pi-context` of the person's and of the project's settings.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) settings: [Option<String>; 2],
    /// Used and window, in tokens.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) context: Option<(Option<u64>, Option<u64>)>,
    /// What is on the branch when the session begins.
    pub(crate) branch: Vec<Stored>,
    pub(crate) steps: Vec<Step>,
}

/// An entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Stored {
    User(String),
    Assistant { text: String, calls: Vec<(String, String)> },
    Result { tool: String, text: String },
    Custom { r#type: String, data: String },
    Message { r#type: String, text: String },
    Compaction { summary: String, details: String },
    Edit { target: String, replacement: Option<String> },
}

/// Something that happens.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Step {
    /// The model calls a tool of the guest.
    Tool {
        name: String,
        arguments: String,
    },
    /// The model calls another tool.
    Called {
        id: String,
        tool: String,
        arguments: String,
    },
    /// A call of another tool ends, perhaps one that never began.
    Finished(String),
    Command {
        name: String,
        arguments: String,
    },
    /// One of the running processes answers.
    Answer {
        nth: usize,
        code: i32,
        stdout: String,
    },
    /// One of them is not waited for any longer.
    TimeOut(usize),
    /// A process that nobody asked for answers.
    Stranger(u32),
    /// A timer that nobody waits for is due.
    StrayTimer(u32),
    Wait(u32),
    /// An entry comes to the branch.
    Store(Stored),
    /// The person goes to another entry, counted round, or before the first one.
    Navigate(Option<usize>),
    /// How full the context is.
    Fill(Option<u64>),
    ModelChanged,
    ContextRequested,
    TurnEnded(How),
    AgentEnded(How),
    BeforeSettle,
    AgentSettled(How),
    BeforeCompact {
        aborted: bool,
    },
    Compacted,
    CompactionFailed {
        aborted: bool,
        message: Option<String>,
    },
    CompactionFinished {
        attempt: u32,
        failure: Option<String>,
    },
    /// The instance is dropped and another one begins.
    Restart {
        fork: bool,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum How {
    Completed,
    Aborted,
    Failed,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Story {
    /// Tells it, and checks after each step what has to hold.
    pub(crate) fn tell(&self, guest: &mut dyn Guest) {
        {
            let mut world = guest.world().borrow_mut();
            world.settings = self.settings.clone();
            world.context = self.context;
            for stored in &self.branch {
                world.branch.push(stored.entry());
            }
        }
        guest.start();
        check(guest);
        for step in &self.steps {
            step.tell(guest);
            check(guest);
        }
        guest.shut_down();
        let world = guest.world().borrow();
        assert_eq!((world.running().len(), world.waiting_timers()), (0, 0), "nothing goes on after the end");
    }
}

impl Stored {
    fn entry(&self) -> NewEntry {
        match self {
            Self::User(text) => branch::user(text),
            Self::Assistant { text, calls } => {
                let calls: Vec<(&str, &str)> =
                    calls.iter().map(|(name, arguments)| (name.as_str(), arguments.as_str())).collect();
                branch::assistant(text, &calls)
            }
            Self::Result { tool, text } => branch::tool_result(tool, text),
            Self::Custom { r#type, data } => branch::custom(r#type, data),
            Self::Message { r#type, text } => branch::custom_message(r#type, text),
            Self::Compaction { summary, details } => branch::compaction(summary, details),
            Self::Edit { target, replacement } => branch::edit(target, replacement.as_deref()),
        }
    }
}

impl Step {
    fn tell(&self, guest: &mut dyn Guest) {
        let event = match self {
            Self::Tool { name, arguments } => {
                let answer = guest.call_tool(name, arguments);
                let text = answer.map_or_else(|error| error, |output| output.text);
                assert!(text.len() <= 32 * 1024, "{name} answers {} bytes", text.len());
                return;
            }
            Self::Answer { nth, code, stdout } => {
                let id = guest.world().borrow_mut().take_nth_running(*nth);
                return id.into_iter().for_each(|id| guest.finish(id, End::Said(*code, stdout.clone())));
            }
            Self::TimeOut(nth) => {
                let id = guest.world().borrow_mut().take_nth_running(*nth);
                return id.into_iter().for_each(|id| guest.finish(id, End::TimedOut));
            }
            // The ids of a world begin at 1 and count up.
            Self::Stranger(id) => return guest.finish(id | 0x8000_0000, End::TimedOut),
            Self::StrayTimer(id) => return guest.fire(id | 0x8000_0000),
            Self::Wait(milliseconds) => return guest.wait((*milliseconds).min(10_000_000)),
            Self::Store(stored) => {
                guest.world().borrow_mut().branch.push(stored.entry());
                return;
            }
            Self::Navigate(to) => {
                let mut world = guest.world().borrow_mut();
                let ids: Vec<String> = world.branch.entries().map(|entry| entry.id.clone()).collect();
                let to = to.and_then(|to| to.checked_rem(ids.len())).map(|index| ids[index].clone());
                world.branch.navigate(to.as_deref());
                drop(world);
                Event::BranchChanged
            }
            Self::Fill(used) => {
                guest.world().borrow_mut().context = Some((*used, Some(200_000)));
                return;
            }
            Self::Restart { fork } => {
                guest.shut_down();
                return if *fork { guest.start_fork() } else { guest.start() };
            }
            Self::Called { id, tool, arguments } => Event::ToolCalled(id, tool, arguments.clone()),
            Self::Finished(id) => Event::ToolFinished(id),
            Self::Command { name, arguments } => Event::Command(name, arguments),
            Self::ModelChanged => Event::ModelChanged,
            Self::ContextRequested => Event::ContextRequested,
            Self::TurnEnded(how) => Event::TurnEnded((*how).into()),
            Self::AgentEnded(how) => Event::AgentEnded((*how).into()),
            Self::BeforeSettle => Event::BeforeSettle,
            Self::AgentSettled(how) => Event::AgentSettled((*how).into()),
            Self::BeforeCompact { aborted } => {
                Event::BeforeCompact { reason: CompactionReason::Threshold, aborted: *aborted }
            }
            Self::Compacted => {
                let Some(leaf) = guest.world().borrow().branch.leaf() else { return };
                Event::Compacted(leaf)
            }
            Self::CompactionFailed { aborted, message } => {
                Event::CompactionFailed { aborted: *aborted, message: message.as_deref() }
            }
            Self::CompactionFinished { attempt, failure } => {
                let result = failure.clone().map_or(Ok(()), |why| Err(CompactionError::Failed(why)));
                Event::CompactionFinished(AttemptId(*attempt), result)
            }
        };
        guest.tell(event);
    }
}

impl From<How> for RunOutcome {
    fn from(how: How) -> Self {
        match how {
            How::Completed => Self::Completed,
            How::Aborted => Self::Aborted,
            How::Failed => Self::Failed,
        }
    }
}

/// What holds whatever happens.
fn check(guest: &mut dyn Guest) {
    let mut world = guest.world().borrow_mut();
    for effect in &world.effects {
        if let Some(line) = effect.strip_prefix("status pr-footer: ") {
            assert!(line.len() <= 4 * 1024, "{} bytes in the status line", line.len());
            assert!(!line.contains(is_dangerous), "{line:?}");
        }
        if let Some((_, data)) = effect.strip_prefix("append ").and_then(|entry| entry.split_once(' ')) {
            serde_json::from_str::<Value>(data).expect("what is stored is JSON");
        }
    }
    // So that a long story does not fill the memory of whoever tells it.
    world.effects.clear();
    // The age and the moment that hints wait for; and a few questions about each of a few directories.
    assert!(world.waiting_timers() <= 2, "{} timers", world.waiting_timers());
    assert!(world.running().len() <= 8, "{:?}", world.running());
}

/// Whether a terminal might obey the character, or a person overlook it.
fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The tools of the guest, which [`arguments`] calls one after the other.
const TOOLS: [&str; 11] = [
    "new_context",
    "get_context_remaining",
    "history_list_windows",
    "history_list_items",
    "history_read_item",
    "history_search_contents",
    "notes_list_files",
    "notes_read_file",
    "notes_search_contents",
    "notes_write_file",
    "notes_append_to_file",
];

fn tool(name: &str, arguments: impl Into<String>) -> Step {
    Step::Tool { name: name.into(), arguments: arguments.into() }
}

fn answer(stdout: &str) -> Step {
    Step::Answer { nth: 0, code: 0, stdout: stdout.into() }
}

/// What a few tools say of whatever is on the branch.
fn reading() -> Vec<Step> {
    vec![
        tool("history_list_windows", "{}"),
        tool("history_list_items", "{}"),
        tool("history_search_contents", r#"{"query": ["a", "\u0000"], "recent_first": true}"#),
        tool("notes_list_files", "{}"),
        tool("notes_search_contents", r#"{"query": "a"}"#),
        tool("notes_read_file", r#"{"path": "a", "offset_chars": -3}"#),
    ]
}

/// Entries of every kind, one on a line; what is no JSON is what the person says.
pub(crate) fn entries(text: &str) -> Story {
    let branch = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| Stored::User(line.into())));
    Story { branch: branch.collect(), steps: reading(), ..Story::default() }
}

/// Operations on notes, one on a line.
pub(crate) fn notes(text: &str) -> Story {
    let custom = |data: &str| Stored::Custom { r#type: "pi-context/note".into(), data: data.into() };
    Story { branch: text.lines().map(custom).collect(), steps: reading(), ..Story::default() }
}

/// A shell command of the model.
pub(crate) fn words(text: &str) -> Story {
    let called = |tool: &str, arguments: Value| Step::Called {
        id: "1".into(),
        tool: tool.into(),
        arguments: arguments.to_string(),
    };
    let steps = vec![
        called("bash", json!({ "command": text })),
        Step::Finished("1".into()),
        Step::Wait(100),
        called("read", json!({ "path": text })),
        called("ls", json!({ "paths": text.split('\n').collect::<Vec<_>>() })),
        Step::Wait(100),
    ];
    Story { steps, ..Story::default() }
}

/// What git says of the root, the branch and the remotes, with the record separator of ASCII in between.
pub(crate) fn git(text: &str) -> Story {
    Story { steps: text.splitn(4, '\u{1e}').map(answer).collect(), ..Story::default() }
}

/// What `gh` says of a branch.
pub(crate) fn gh(text: &str) -> Story {
    let remote = "remote.origin.url\nhttps://github.com/acme/widget\0";
    Story {
        steps: vec![answer("/src/widget\n"), answer("refs/heads/main\n"), answer(remote), answer(text)],
        ..Story::default()
    }
}

/// What is stored about the footer, one state on a line.
pub(crate) fn state(text: &str) -> Story {
    let custom = |data: &str| Stored::Custom { r#type: "pr-footer-state".into(), data: data.into() };
    let steps = vec![answer("/src/widget\n"), Step::Command { name: "pr-footer".into(), arguments: "status".into() }];
    Story { branch: text.lines().map(custom).collect(), steps, ..Story::default() }
}

/// The arguments of a tool, for all of them, and of the commands.
pub(crate) fn arguments(text: &str) -> Story {
    let branch = vec![
        Stored::User("héllo a\nwörld".into()),
        Stored::Assistant { text: "a".into(), calls: vec![("read".into(), "{}".into())] },
        Stored::Custom {
            r#type: "pi-context/note".into(),
            data: r#"{"version":1,"op":"write","path":"a","text":"a\nä","stale":false}"#.into(),
        },
    ];
    let commands = ["pi-context", "pr-footer"].map(|name| Step::Command { name: name.into(), arguments: text.into() });
    Story { branch, steps: TOOLS.iter().map(|name| tool(name, text)).chain(commands).collect(), ..Story::default() }
}

/// A pattern of paths.
pub(crate) fn globs(text: &str) -> Story {
    let write = |path: &str| tool("notes_write_file", json!({ "path": path, "text": "x" }).to_string());
    let paths = ["a", "a/b.md", "deep/er/and/deeper/still.txt", "[x]{y}*", "ä/日本"];
    let list = ["notes_list_files", "notes_search_contents"]
        .map(|name| tool(name, json!({ "pattern": text, "query": "x" }).to_string()));
    Story { steps: paths.map(write).into_iter().chain(list).collect(), ..Story::default() }
}

/// The person's section of the settings.
pub(crate) fn settings(text: &str) -> Story {
    let steps = vec![
        Step::ContextRequested,
        Step::TurnEnded(How::Completed),
        tool("get_context_remaining", "{}"),
        Step::Command { name: "pi-context".into(), arguments: "on".into() },
        Step::BeforeSettle,
    ];
    let context = Some((Some(170_000), Some(200_000)));
    Story { settings: [Some(text.into()), None], context, steps, ..Story::default() }
}

/// A whole story, as JSON. What is none is a story without anything.
pub(crate) fn story(text: &str) -> Story {
    serde_json::from_str(text).unwrap_or_default()
}

/// How an input becomes a story.
type Making = fn(&str) -> Story;

/// Each kind of input by what it is about. Each has a fuzz target and a folder in `fuzz/corpus`.
pub(crate) const KINDS: [(&str, Making); 10] = [
    ("entries", entries),
    ("notes", notes),
    ("words", words),
    ("git", git),
    ("gh", gh),
    ("state", state),
    ("arguments", arguments),
    ("globs", globs),
    ("settings", settings),
    ("story", story),
];
