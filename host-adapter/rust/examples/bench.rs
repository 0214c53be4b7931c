//! The wasmtime side of `./just bench`: measures the component on a session file and prints the measurement as JSON.
//!
//! Makes the same calls in the same order as `host-adapter/pi/bench/measure.ts`, goes by the same rule for how often,
//! and prints what is described there.

use std::error::Error;
use std::time::{Duration, Instant};
use std::{env, fs};

use pi_capsule_host::policy::AllowedCommand;
use pi_capsule_host::session_file::Session;
use pi_capsule_host::wit::agent::{AgentError, ContextUsage, Delivery, OutgoingMessage};
use pi_capsule_host::wit::clock::TimerId;
use pi_capsule_host::wit::lifecycle::StartReason;
use pi_capsule_host::wit::session_reader::{
    Body, Changes, Content, CustomEntry, EntryId, EntryKind, Message, SessionInfo,
};
use pi_capsule_host::wit::session_writer::AppendError;
use pi_capsule_host::wit::status::{NoticeLevel, StatusError};
use pi_capsule_host::wit::subprocess::{Outcome, RequestId};
use pi_capsule_host::wit::tools::Invocation;
use pi_capsule_host::{Capsule, Host};
use serde_json::{Value, json};

const USAGE: &str = "usage: bench COMPONENT.wasm SESSION.jsonl RARE-WORD ABSENT-WORD";

/// Sampling ends after so many samples, or so long a time, but not before the least.
const SAMPLES: usize = 50;
const LEAST_SAMPLES: usize = 5;
const SAMPLING: Duration = Duration::from_secs(1);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [component, session, rare, absent] = &arguments[..] else { return Err(USAGE.into()) };
    let component = fs::read(component).map_err(|error| format!("{component}: {error}"))?;
    let opened = Session::open(session).map_err(|error| format!("{session}: {error}"))?;
    let agent = Agent { session: opened.0 };
    let measurement = Bench { capsule: Capsule::load(&component, agent)? }.measure(rare, absent)?;
    println!("{measurement}");
    Ok(())
}

struct Bench {
    capsule: Capsule<Agent>,
}

impl Bench {
    fn measure(mut self, rare: &str, absent: &str) -> Result<Value, Box<dyn Error>> {
        let before = resident_bytes();
        let (start, ()) = timed(|| Ok(self.capsule.session_started(StartReason::Startup)?))?;
        let (first_notes, _) = timed(|| self.list_notes())?;
        let (first_search, _) = timed(|| self.search(rare))?;
        let grown = resident_bytes().zip(before).map(|(after, before)| after - before);
        let answers = json!({
            "items": self.list_items()?,
            "search": self.search(rare)?,
            "absent": self.search(absent)?,
            "notes": self.list_notes()?,
        });
        let times = json!({
            "start": start,
            "firstNotes": first_notes,
            "firstSearch": first_search,
            "contextHook": self.sampled(Agent::answer, |bench| Ok(bench.capsule.context_requested()?))?,
            "listItems": self.sampled(Agent::answer, |bench| bench.list_items().map(drop))?,
            "listNotes": self.sampled(Agent::note, |bench| bench.list_notes().map(drop))?,
            "searchRare": self.sampled(Agent::answer, |bench| bench.search(rare).map(drop))?,
            "searchAbsent": self.sampled(Agent::answer, |bench| bench.search(absent).map(drop))?,
        });
        // How large the guest's memory is has no access from here; it is as in the other host.
        let memory = json!({ "processBytes": grown, "wasmBytes": null });
        Ok(json!({ "times": times, "memory": memory, "answers": answers }))
    }

    fn list_items(&mut self) -> Result<String, Box<dyn Error>> {
        self.call("history_list_items", json!({}))
    }

    fn search(&mut self, query: &str) -> Result<String, Box<dyn Error>> {
        self.call("history_search_contents", json!({ "query": query }))
    }

    fn list_notes(&mut self) -> Result<String, Box<dyn Error>> {
        self.call("notes_list_files", json!({}))
    }

    fn call(&mut self, name: &str, arguments: Value) -> Result<String, Box<dyn Error>> {
        let arguments = arguments.to_string();
        let invocation = Invocation { call_id: "1".into(), name: name.into(), arguments, cwd: "/work/widget".into() };
        Ok(self.capsule.call_tool(&invocation)?.map_err(|message| format!("{name}: {message}"))?.text)
    }

    /// The times of a call in milliseconds, each after the session has grown by an entry.
    fn sampled(
        &mut self,
        grow: impl Fn(&mut Agent),
        call: impl Fn(&mut Bench) -> Result<(), Box<dyn Error>>,
    ) -> Result<Vec<f64>, Box<dyn Error>> {
        let begin = Instant::now();
        let mut samples = Vec::new();
        while samples.len() < SAMPLES && (samples.len() < LEAST_SAMPLES || begin.elapsed() < SAMPLING) {
            grow(self.capsule.host_mut());
            samples.push(timed(|| call(self))?.0);
        }
        Ok(samples)
    }
}

fn timed<T>(call: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(f64, T), Box<dyn Error>> {
    let begin = Instant::now();
    let answer = call()?;
    Ok((begin.elapsed().as_secs_f64() * 1000.0, answer))
}

/// The resident memory of this process, where the system tells it in Linux's way.
fn resident_bytes() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<i64>().ok()? * 1024)
}

/// A running agent without a person: a session, and a context that is filled to the same degree at every event.
struct Agent {
    session: Session,
}

impl Agent {
    fn answer(&mut self) {
        let content = Content { has_text: true, tool_calls: Vec::new() };
        let body = Body { text_parts: vec!["The next step.".into()], tool_calls: Vec::new() };
        self.session.append(0, EntryKind::Message(Message::Assistant(content)), Some(body));
    }

    fn note(&mut self) {
        let data = r#"{"op":"append","path":"plan/step-1.md","text":"One more line.\n","createdAt":0,"updatedAt":0}"#;
        let entry = CustomEntry { custom_type: "pi-context/note".into(), data: Some(data.into()) };
        self.session.append(0, EntryKind::Custom(entry), None);
    }
}

impl Host for Agent {
    fn session(&mut self) -> SessionInfo {
        self.session.info().clone()
    }

    fn changes_since(&mut self, cursor: Option<&str>) -> Changes {
        self.session.changes_since(cursor)
    }

    fn read_bodies(&mut self, ids: &[EntryId]) -> Vec<Option<Body>> {
        self.session.read_bodies(ids)
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, AppendError> {
        let entry = CustomEntry { custom_type: custom_type.into(), data: Some(data.into()) };
        Ok(self.session.append(0, EntryKind::Custom(entry), None))
    }

    fn set_status(&mut self, _key: &str, _text: Option<&str>) -> Result<(), StatusError> {
        Ok(())
    }

    fn notify(&mut self, _level: NoticeLevel, _message: &str) -> Result<(), StatusError> {
        Ok(())
    }

    fn start_timer(&mut self, _id: TimerId, _delay: u32) {}

    fn cancel_timer(&mut self, _id: TimerId) {}

    fn start_process(&mut self, _id: RequestId, _command: AllowedCommand) -> Result<(), Outcome> {
        Err(Outcome::NotFound)
    }

    fn context_usage(&mut self) -> Option<ContextUsage> {
        Some(ContextUsage { used: Some(165_000), window: Some(200_000) })
    }

    fn is_idle(&mut self) -> bool {
        false
    }

    fn send_message(&mut self, _message: OutgoingMessage, _delivery: Delivery) -> Result<(), AgentError> {
        Ok(())
    }
}
