//! Scenarios as data: what is on the branch, then what happens, with any values. Told to every guest, and made up by fuzzers.
//!
//! A story is JSON, so that the host in TypeScript can tell it, too. Whatever it says, what [`Story::tell`] checks after each
//! step has to hold. Two characters stand for what a small text could not hold otherwise: see [`LONG`] and [`bytes`].

use std::borrow::Cow;

use pi_capsule::host::{
    AttemptId, Boundary, CompactionContent, CompactionDecision, CompactionError, CompactionReason, Delivery, Draft,
    OutgoingMessage, RunOutcome,
};
use pi_capsule::tools::Output;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::branch::{self, NewEntry};
use super::{End, Event, Guest, Reply, Sent, World};

/// Stands for the character before it, [`LONG_TIMES`] times: what is small is quickly changed, and what is large breaks limits.
const LONG: char = '\u{e000}';
const LONG_TIMES: usize = 5_000;
/// In one input; further ones stand for themselves.
const LONG_MOST: usize = 10;

/// The most that the guest says at once, to the model or about a window, in bytes.
const LONGEST_TEXT: usize = 32 * 1024;
/// The widest status line, in columns, and the longest, in bytes: accents take bytes and no columns.
const WIDEST_LINE: usize = 120;
const LONGEST_LINE: usize = 4 * 1024;

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
    /// The host asks for the names of the tools.
    Tools,
    /// The host asks for the names of the commands.
    Commands,
    /// The person types after a command.
    Complete {
        name: String,
        typed: String,
    },
    /// One of the running processes answers, with [`bytes`].
    Answer {
        nth: usize,
        code: i32,
        stdout: String,
        #[serde(default, skip_serializing_if = "is_default")]
        stderr: String,
    },
    /// One of them is not waited for any longer.
    TimeOut(usize),
    /// One of them prints more than a host takes.
    OutputLimit(usize),
    /// A process answers that has ended, was cancelled or never was, if the id is not that of a running one.
    Stranger(u32),
    /// A timer is due that was due before, was cancelled or never was, if the id is not that of a waiting one.
    StrayTimer(u32),
    /// The host refuses from now on what the guest asks it to do, or does not any longer.
    Refuse(bool),
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
        #[serde(default, skip_serializing_if = "is_default")]
        reason: Why,
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

/// Why the agent compacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Why {
    Manual,
    #[default]
    Threshold,
    Overflow,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a guest does and answers in a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Done {
    /// What it asks for, in order; what it says to the model comes last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) does: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) answers: Option<Value>,
}

impl Done {
    /// All of it as plain text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let answer = self.answers.as_ref().and_then(|answer| answer.get("ok").or(answer.get("error")));
        let answer = answer.and_then(Value::as_str);
        self.does.iter().map(String::as_str).chain(answer)
    }
}

/// What a guest does in a story: at its beginning, in each step, and at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Told {
    pub(crate) begins: Vec<String>,
    pub(crate) steps: Vec<Done>,
    pub(crate) ends: Vec<String>,
}

impl Story {
    /// Tells it to one of our guests, and checks after each step what has to hold.
    pub(crate) fn tell(&self, guest: &mut dyn Guest) -> Told {
        self.tell_to_any(guest, check_what_is_done)
    }

    /// Tells it to a guest that may do anything that the host lets it do, after each step of which `check` is called.
    pub(crate) fn tell_to_any(&self, guest: &mut dyn Guest, check: fn(&World)) -> Told {
        {
            let mut world = guest.world().borrow_mut();
            world.settings = self.settings.clone();
            world.context = self.context;
            for stored in &self.branch {
                world.branch.push(stored.entry());
            }
        }
        let mut said = 0;
        let mut done = |guest: &mut dyn Guest| {
            guest.world().borrow_mut().deliver();
            check(&guest.world().borrow());
            take_done(&mut guest.world().borrow_mut(), &mut said)
        };
        guest.start();
        let begins = done(guest);
        let mut steps = Vec::new();
        for step in &self.steps {
            let answers = step.tell(guest);
            steps.push(Done { does: done(guest), answers });
        }
        guest.shut_down();
        let ends = done(guest);
        let world = guest.world().borrow();
        assert_eq!((world.running().len(), world.waiting_timers()), (0, 0), "nothing goes on after the end");
        Told { begins, steps, ends }
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
    /// Gives what the guest answers, where it is asked.
    fn tell(&self, guest: &mut dyn Guest) -> Option<Value> {
        let event = match self {
            Self::Tool { name, arguments } => {
                let answer = guest.call_tool(name, arguments);
                assert_short(name, answer.as_ref().map_or_else(|error| error, |output| &output.text));
                return Some(match answer {
                    Ok(Output { text, terminate: false }) => json!({ "ok": text }),
                    Ok(Output { text, terminate: true }) => json!({ "ok": text, "terminate": true }),
                    Err(error) => json!({ "error": error }),
                });
            }
            Self::Tools => return Some(json!(guest.tools())),
            Self::Commands => return Some(json!(guest.commands())),
            Self::Complete { name, typed } => return Some(json!(guest.complete(name, typed))),
            Self::Answer { nth, code, stdout, stderr } => {
                finish_nth(guest, *nth, End::Said(*code, bytes(stdout), bytes(stderr)));
                return None;
            }
            Self::TimeOut(nth) => {
                finish_nth(guest, *nth, End::TimedOut);
                return None;
            }
            Self::OutputLimit(nth) => {
                finish_nth(guest, *nth, End::OutputLimit);
                return None;
            }
            Self::Stranger(id) => {
                if !guest.world().borrow().is_running(*id) {
                    let end = End::Said(0, b"/src/late\n".to_vec(), vec![]);
                    assert_in_vain(guest, |guest| guest.finish(*id, end));
                }
                return None;
            }
            Self::StrayTimer(id) => {
                if !guest.world().borrow().is_waiting(*id) {
                    assert_in_vain(guest, |guest| guest.fire(*id));
                }
                return None;
            }
            Self::Wait(milliseconds) => {
                guest.wait((*milliseconds).min(10_000_000));
                return None;
            }
            Self::Refuse(refuses) => {
                guest.world().borrow_mut().refuses = *refuses;
                return None;
            }
            Self::Store(stored) => {
                guest.world().borrow_mut().branch.push(stored.entry());
                return None;
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
                return None;
            }
            Self::Restart { fork } => {
                guest.shut_down();
                if *fork {
                    guest.start_fork()
                } else {
                    guest.start()
                }
                return None;
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
            Self::BeforeCompact { reason, aborted } => {
                Event::BeforeCompact { reason: (*reason).into(), aborted: *aborted }
            }
            Self::Compacted => {
                let leaf = guest.world().borrow().branch.leaf()?;
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
        let reply = guest.tell(event);
        check_reply(&reply);
        match reply {
            Reply::Nothing => None,
            Reply::Boundary(boundary) => {
                Some(boundary.map_or_else(|| json!("none"), |boundary| boundary_json(&boundary)))
            }
            Reply::Decision(CompactionDecision::NoOpinion) => Some(json!("noOpinion")),
            Reply::Decision(CompactionDecision::Cancel) => Some(json!("cancel")),
            Reply::Decision(CompactionDecision::Replace(content)) => Some(json!({ "replace": content_json(&content) })),
        }
    }
}

impl From<Why> for CompactionReason {
    fn from(why: Why) -> Self {
        match why {
            Why::Manual => Self::Manual,
            Why::Threshold => Self::Threshold,
            Why::Overflow => Self::Overflow,
        }
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

/// Checks what holds of our guests, whatever happens.
fn check_what_is_done(world: &World) {
    for effect in &world.effects {
        if let Some(line) = effect.strip_prefix("status pr-footer: ") {
            assert!(line.width() <= WIDEST_LINE, "{} columns in the status line", line.width());
            assert!(line.len() <= LONGEST_LINE, "{} bytes in the status line", line.len());
            assert!(!line.contains(is_dangerous), "{line:?}");
        }
        if let Some((_, data)) = effect.strip_prefix("append ").and_then(|entry| entry.split_once(' ')) {
            serde_json::from_str::<Value>(data).expect("what is stored is JSON");
        }
    }
    for sent in &world.sent {
        assert_short(&sent.custom_type, &sent.text);
    }
    // The age and the moment that hints wait for; and a few questions about each of a few directories.
    assert!(world.waiting_timers() <= 2, "{} timers", world.waiting_timers());
    assert!(world.running().len() <= 8, "{:?}", world.running());
}

/// What the guest has done since the last time, which is forgotten. `said` is how much of what it has said to the model was
/// given before.
fn take_done(world: &mut World, said: &mut usize) -> Vec<String> {
    let mut done = std::mem::take(&mut world.effects);
    done.extend(world.sent[*said..].iter().map(|Sent { custom_type, text, delivery }| {
        let how = match delivery {
            Delivery::Append => "append",
            Delivery::Steer => "steer",
            Delivery::TriggerTurn => "trigger-turn",
        };
        format!("send {custom_type} {how} {text}")
    }));
    *said = world.sent.len();
    done
}

fn content_json(CompactionContent { summary, first_kept, details }: &CompactionContent) -> Value {
    json!({ "summary": summary, "firstKept": first_kept, "details": details })
}

fn boundary_json(Boundary { drafts, continue_run }: &Boundary) -> Value {
    let draft = |draft: &Draft| match draft {
        Draft::Custom { custom_type, data } => json!({ "custom": { "type": custom_type, "data": data } }),
        Draft::Message(OutgoingMessage { custom_type, text }) => {
            json!({ "message": { "type": custom_type, "text": text } })
        }
        Draft::Compaction(content) => json!({ "compaction": content_json(content) }),
    };
    json!({ "drafts": drafts.iter().map(draft).collect::<Vec<_>>(), "continueRun": continue_run })
}

/// Checks what the guest wants to be written at the end of a run, or in the place of a compaction.
fn check_reply(reply: &Reply) {
    let compaction = |content: &CompactionContent| {
        assert_short("a summary", &content.summary);
        serde_json::from_str::<Value>(&content.details).expect("details are JSON");
    };
    match reply {
        Reply::Boundary(Some(boundary)) => boundary.drafts.iter().for_each(|draft| match draft {
            Draft::Custom { data, .. } => {
                serde_json::from_str::<Value>(data).expect("what is stored is JSON");
            }
            Draft::Message(message) => assert_short(message.custom_type, &message.text),
            Draft::Compaction(content) => compaction(content),
        }),
        Reply::Decision(CompactionDecision::Replace(content)) => compaction(content),
        Reply::Nothing | Reply::Boundary(None) | Reply::Decision(_) => {}
    }
}

fn assert_short(what: &str, text: &str) {
    assert!(text.len() <= LONGEST_TEXT, "{what}: {} bytes", text.len());
}

/// Ends one of the running processes, counted round, if there is any.
fn finish_nth(guest: &mut dyn Guest, nth: usize, end: End) {
    let id = guest.world().borrow_mut().take_nth_running(nth);
    if let Some(id) = id {
        guest.finish(id, end);
    }
}

/// Checks that nothing comes of it.
fn assert_in_vain(guest: &mut dyn Guest, call: impl FnOnce(&mut dyn Guest)) {
    let before = guest.world().borrow().effects.len();
    call(guest);
    assert_eq!(guest.world().borrow().effects[before..], [""; 0], "something comes of what nobody waits for");
}

/// The bytes that a text stands for: itself, and for each U+FFFD one that is not UTF-8. Names in a repository need not be.
fn bytes(text: &str) -> Vec<u8> {
    text.split(char::REPLACEMENT_CHARACTER).map(str::as_bytes).collect::<Vec<_>>().join(&0xff)
}

/// The text with what [`LONG`] stands for.
fn spelled_out(text: &str) -> Cow<'_, str> {
    let mut parts = text.splitn(LONG_MOST + 1, LONG);
    let mut long = Cow::Borrowed(parts.next().unwrap_or_default());
    for part in parts {
        if let Some(last) = long.chars().last() {
            long.to_mut().extend(std::iter::repeat_n(last, LONG_TIMES));
        }
        long.to_mut().push_str(part);
    }
    long
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
    Step::Answer { nth: 0, code: 0, stdout: stdout.into(), stderr: String::new() }
}

/// What git says at the beginning: a repository, its branch, and no remote.
fn widget() -> Vec<Step> {
    let no_remote = Step::Answer { nth: 0, code: 1, stdout: String::new(), stderr: String::new() };
    vec![answer("/src/widget\n"), answer("refs/heads/main\n"), no_remote]
}

/// What a few tools say of whatever is on the branch.
fn reading() -> Vec<Step> {
    vec![
        tool("history_list_windows", "{}"),
        tool("history_list_items", "{}"),
        tool("history_search_contents", r#"{"query": ["a", "\u0000"], "recent_first": true}"#),
        tool("history_read_item", r#"{"window_id": "pcw:01234567:root", "item_id": "e0", "limit_chars": 50000}"#),
        tool("notes_list_files", "{}"),
        tool("notes_search_contents", r#"{"query": "a"}"#),
        tool("notes_read_file", r#"{"path": "a", "offset_chars": -3}"#),
        tool("notes_read_file", r#"{"path": "a", "limit_chars": 50000}"#),
        // Notes are named in what begins the next window.
        tool("new_context", "{}"),
        Step::BeforeSettle,
    ]
}

/// Entries of every kind, one on a line; what is no JSON is what the person says.
fn entries(text: &str) -> Story {
    let branch = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| Stored::User(line.into())));
    Story { branch: branch.collect(), steps: reading(), ..Story::default() }
}

/// Operations on notes, one on a line.
fn notes(text: &str) -> Story {
    let custom = |data: &str| Stored::Custom { r#type: "pi-context/note".into(), data: data.into() };
    Story { branch: text.lines().map(custom).collect(), steps: reading(), ..Story::default() }
}

/// A shell command of the model, and a path; what they lead to is looked at.
fn words(text: &str) -> Story {
    let called = |tool: &str, arguments: Value| Step::Called {
        id: tool.into(),
        tool: tool.into(),
        arguments: arguments.to_string(),
    };
    let looked_at = [Step::Wait(100), answer("/src/gadget\n"), answer("refs/heads/topic\n"), answer("")];
    let mut steps = widget();
    steps.extend([called("bash", json!({ "command": text })), Step::Finished("bash".into())]);
    steps.extend(looked_at.clone());
    steps.extend([
        called("read", json!({ "path": text })),
        called("ls", json!({ "paths": text.split('\n').collect::<Vec<_>>() })),
    ]);
    steps.extend(looked_at);
    Story { steps, ..Story::default() }
}

/// What git says of the root, the branch and the remotes, with the record separator of ASCII in between.
fn git(text: &str) -> Story {
    Story { steps: text.splitn(4, '\u{1e}').map(answer).collect(), ..Story::default() }
}

/// What `gh` says of a branch.
fn gh(text: &str) -> Story {
    let remote = "remote.origin.url\nhttps://github.com/acme/widget\0";
    Story {
        steps: vec![answer("/src/widget\n"), answer("refs/heads/main\n"), answer(remote), answer(text)],
        ..Story::default()
    }
}

/// What is stored about the footer, one state on a line.
fn state(text: &str) -> Story {
    let custom = |data: &str| Stored::Custom { r#type: "pr-footer-state".into(), data: data.into() };
    let mut steps = widget();
    steps.push(Step::Command { name: "pr-footer".into(), arguments: "status".into() });
    Story { branch: text.lines().map(custom).collect(), steps, ..Story::default() }
}

/// The arguments of a tool, for all of them, and of the commands.
fn arguments(text: &str) -> Story {
    let branch = vec![
        Stored::User("héllo a\nwörld".into()),
        Stored::Assistant { text: "a".into(), calls: vec![("read".into(), "{}".into())] },
        Stored::Custom {
            r#type: "pi-context/note".into(),
            data: r#"{"op":"write","path":"a","text":"a\nä","createdAt":1,"updatedAt":2}"#.into(),
        },
    ];
    let mut steps = widget();
    steps.extend(TOOLS.iter().map(|name| tool(name, text)));
    steps.extend(["pi-context", "pr-footer"].map(|name| Step::Command { name: name.into(), arguments: text.into() }));
    // A path to pin is looked at.
    steps.extend(widget());
    Story { branch, steps, ..Story::default() }
}

/// A pattern of paths.
fn globs(text: &str) -> Story {
    let write = |path: &str| tool("notes_write_file", json!({ "path": path, "text": "x" }).to_string());
    let paths = ["a", "a/b.md", "deep/er/and/deeper/still.txt", "[x]{y}*", "ä/日本"];
    let list = tool("notes_list_files", json!({ "pattern": text }).to_string());
    Story { steps: paths.map(write).into_iter().chain([list]).collect(), ..Story::default() }
}

/// The person's section of the settings.
fn settings(text: &str) -> Story {
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
fn story(text: &str) -> Story {
    serde_json::from_str(text).unwrap_or_default()
}

/// The story that an input of a kind makes.
pub(crate) fn made(kind: &str, input: &[u8]) -> Story {
    let (_, make) = KINDS.iter().find(|(name, _)| *name == kind).expect("a kind of input");
    make(&spelled_out(&String::from_utf8_lossy(input)))
}

/// How an input becomes a story.
type Making = fn(&str) -> Story;

/// Each kind of input, by what it is about, and how it becomes a story. Each has a fuzz target and a folder in `fuzz/corpus`.
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
