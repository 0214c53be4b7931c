//! The contract as a guest meets it: what its requests lead to, and what becomes of it when it breaks.

use std::time::Duration;

use pi_capsule_host::policy::{AllowedCommand, Policy};
use pi_capsule_host::session_file::Session;
use pi_capsule_host::wit::agent::{AgentError, Delivery, OutgoingMessage};
use pi_capsule_host::wit::clock::TimerId;
use pi_capsule_host::wit::lifecycle::{
    CompactedEvent, CompactionFailure, CompactionReason, CompactionRequest, RunOutcome, ShutdownReason, StartReason,
};
use pi_capsule_host::wit::session_reader::{
    Body, Changes, CustomEntry, Entry, EntryId, EntryKind, Page, PathStyle, SessionInfo,
};
use pi_capsule_host::wit::session_writer::AppendError;
use pi_capsule_host::wit::status::{NoticeLevel, StatusError};
use pi_capsule_host::wit::subprocess::{Outcome, RequestId};
use pi_capsule_host::wit::tools::Invocation;
use pi_capsule_host::wit::{commands, tool_observer};
use pi_capsule_host::{CallError, Capsule, Host, LocalHost};

use crate::support::{Guest, TELL_ERROR};

/// A host that writes down what reaches it and grants everything.
#[derive(Default)]
struct Desk {
    log: Vec<String>,
    refuses_programs: bool,
}

impl Desk {
    fn note(&mut self, line: impl Into<String>) {
        self.log.push(line.into());
    }
}

impl Host for Desk {
    fn session(&mut self) -> SessionInfo {
        let (id, cwd) = ("s".into(), "/work".into());
        SessionInfo { id, name: None, cwd, path_style: PathStyle::Posix, created_at: None }
    }

    fn changes_since(&mut self, _cursor: Option<&str>) -> Changes {
        let custom = |name: &str| CustomEntry { custom_type: name.into(), data: Some("1".into()) };
        let entry = |name| Entry { id: "e".into(), created_at: None, kind: EntryKind::Custom(custom(name)) };
        Changes::Replaced(Page { entries: vec![entry("pr-footer-state"), entry("foreign")], more: false })
    }

    fn read_bodies(&mut self, ids: &[EntryId]) -> Vec<Option<Body>> {
        vec![None; ids.len()]
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, AppendError> {
        self.note(format!("append {custom_type} {data}"));
        Ok("e".into())
    }

    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), StatusError> {
        self.note(format!("status {key} {text:?}"));
        Ok(())
    }

    fn notify(&mut self, level: NoticeLevel, message: &str) -> Result<(), StatusError> {
        let level = match level {
            NoticeLevel::Info => "info",
            NoticeLevel::Warning => "warning",
            NoticeLevel::Error => "error",
        };
        self.note(format!("{level}: {message}"));
        Ok(())
    }

    fn start_timer(&mut self, id: TimerId, delay: u32) {
        self.note(format!("timer {id} in {delay}"));
    }

    fn cancel_timer(&mut self, id: TimerId) {
        self.note(format!("no timer {id}"));
    }

    fn start_process(&mut self, id: RequestId, command: AllowedCommand) -> Result<(), Outcome> {
        if self.refuses_programs {
            return Err(Outcome::NotFound);
        }
        self.note(format!("run {id} {} {}", command.program(), command.arguments().join(" ")));
        Ok(())
    }

    fn cancel_process(&mut self, id: RequestId) {
        self.note(format!("kill {id}"));
    }

    fn send_message(&mut self, message: OutgoingMessage, delivery: Delivery) -> Result<(), AgentError> {
        self.note(format!("{delivery:?} {} {}", message.custom_type, message.text));
        Ok(())
    }
}

/// A capsule whose session has begun.
fn started(guest: Guest) -> Capsule<Desk> {
    started_with(guest, Desk::default())
}

fn started_with(guest: Guest, desk: Desk) -> Capsule<Desk> {
    let mut capsule = Capsule::load(&guest.build(), desk).unwrap();
    capsule.session_started(StartReason::Startup).unwrap();
    capsule
}

/// What has reached the host since the last time.
fn log(capsule: &mut Capsule<Desk>) -> Vec<String> {
    std::mem::take(&mut capsule.host_mut().log)
}

/// A guest that knows `git -C / rev-parse --show-toplevel` (at 8192) and `git --version` (at 8256), and reports each
/// outcome that it is told as a status line: its number as a letter, `a` for `exited`.
fn asking(started: &str) -> Guest {
    let mut words = Vec::new();
    let mut list = |address: u32, arguments: &[&str]| {
        let entries = arguments.iter().flat_map(|argument| {
            let at = 12288 + u32::try_from(words.len()).unwrap();
            words.extend(argument.bytes());
            [at, u32::try_from(argument.len()).unwrap()]
        });
        (address, entries.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
    };
    let (allowed_at, allowed) = list(8192, &["-C", "/", "rev-parse", "--show-toplevel"]);
    let (denied_at, denied) = list(8256, &["--version"]);
    Guest::default()
        .data(allowed_at, &allowed)
        .data(denied_at, &denied)
        .data(12288, &words)
        .data(4096, b"pr-footer")
        .export("lifecycle.session-started", started)
        .export(
            "completions.subprocess-finished",
            "(i32.store8 (i32.const 1536) (i32.add (local.get 1) (i32.const 97)))
             (call $status.set-status (i32.const 4096) (i32.const 9)
                (i32.const 1) (i32.const 1536) (i32.const 1) (i32.const 1024))",
        )
}

const ASK_ALLOWED: &str = "(drop (call $subprocess.start (i32.const 0) (i32.const 8192) (i32.const 4)))";
const ASK_DENIED: &str = "(drop (call $subprocess.start (i32.const 0) (i32.const 8256) (i32.const 1)))";

#[test]
fn an_allowed_program_reaches_the_host_and_is_answered_once() {
    let mut capsule = started(asking(ASK_ALLOWED));
    assert_eq!(log(&mut capsule), ["run 1 git -C / rev-parse --show-toplevel"]);
    capsule.subprocess_finished(1, &Outcome::TimedOut).unwrap();
    assert_eq!(log(&mut capsule), [r#"status pr-footer Some("e")"#]);
    capsule.subprocess_finished(1, &Outcome::TimedOut).unwrap();
    capsule.subprocess_finished(7, &Outcome::TimedOut).unwrap();
    assert_eq!(log(&mut capsule), Vec::<String>::new(), "nobody waits for those");
}

#[test]
fn a_denied_program_is_answered_without_the_host_and_the_person_is_told_once() {
    let mut capsule = started(asking(&[ASK_DENIED, ASK_DENIED].concat()));
    let told = "warning: A request of the component was refused: git is not allowed with these arguments.";
    let answered = r#"status pr-footer Some("b")"#;
    assert_eq!(log(&mut capsule), [told, answered, answered]);
}

#[test]
fn a_program_that_the_host_cannot_start_is_answered() {
    let desk = Desk { refuses_programs: true, ..Desk::default() };
    let mut capsule = started_with(asking(ASK_ALLOWED), desk);
    assert_eq!(log(&mut capsule), [r#"status pr-footer Some("c")"#]);
}

#[test]
fn at_most_eight_programs_run_side_by_side() {
    let mut capsule = started(asking(&ASK_ALLOWED.repeat(9)));
    let log = log(&mut capsule);
    assert_eq!(log.len(), 9);
    assert!(log[7].starts_with("run 8 "));
    assert_eq!(log[8], r#"status pr-footer Some("d")"#, "the ninth is unavailable");
}

#[test]
fn a_cancelled_program_is_killed_and_answered_once() {
    let cancel = "(call $subprocess.cancel (i32.const 1)) (call $subprocess.cancel (i32.const 1))";
    let mut capsule = started(asking(&[ASK_ALLOWED, cancel].concat()));
    assert_eq!(log(&mut capsule)[1..], ["kill 1", r#"status pr-footer Some("g")"#]);
    capsule.subprocess_finished(1, &Outcome::NotFound).unwrap();
    assert_eq!(log(&mut capsule), Vec::<String>::new(), "its own outcome comes too late");
}

#[test]
fn a_guest_that_repeats_what_it_is_refused_is_stopped() {
    let guest = asking("").export("lifecycle.model-changed", ASK_DENIED);
    let mut capsule = started(guest.export("completions.subprocess-finished", ASK_DENIED));
    let CallError::Fault { export, reason } = capsule.model_changed().unwrap_err() else { panic!("it is a fault") };
    assert_eq!((export, &*reason), ("lifecycle.model-changed", "it asks again and again for what it is refused"));
}

#[test]
fn a_timer_fires_once_and_not_after_it_was_cancelled() {
    let guest = Guest::default()
        .data(4096, b"fired")
        .export(
            "lifecycle.session-started",
            "(drop (call $clock.start-timer (i32.const 50))) (drop (call $clock.start-timer (i32.const 60)))
             (call $clock.cancel-timer (i32.const 2))",
        )
        .export(
            "completions.timer-fired",
            "(call $status.notify (i32.const 0) (i32.const 4096) (i32.const 5) (i32.const 1024))",
        );
    let mut capsule = started(guest);
    assert_eq!(log(&mut capsule), ["timer 1 in 50", "timer 2 in 60", "no timer 2"]);
    for id in [2, 1, 1] {
        capsule.timer_fired(id).unwrap();
    }
    assert_eq!(log(&mut capsule), ["info: fired"]);
}

#[test]
fn names_outside_of_the_policy_are_denied() {
    let body = [
        "(call $status.set-status (i32.const 4096) (i32.const 3)
            (i32.const 1) (i32.const 4096) (i32.const 3) (i32.const 1024))",
        TELL_ERROR,
        "(call $session-writer.append (i32.const 4096) (i32.const 3) (i32.const 4096) (i32.const 3) (i32.const 1024))",
        TELL_ERROR,
        "(call $settings.section (i32.const 0) (i32.const 4096) (i32.const 3) (i32.const 1024))",
        TELL_ERROR,
        "(call $agent.send-message (i32.const 4096) (i32.const 3) (i32.const 4096) (i32.const 3)
            (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024))",
        TELL_ERROR,
    ];
    let mut capsule = started(Guest::default().data(4096, b"mcp").export("lifecycle.session-started", &body.concat()));
    let mut expected = Vec::new();
    for name in ["status line", "entry type", "settings section", "message type"] {
        let reason = format!("the {name} \"mcp\" is not allowed");
        expected.push(format!("warning: A request of the component was refused: {reason}."));
        expected.push(format!("info: {reason}"));
    }
    assert_eq!(log(&mut capsule), expected);
}

#[test]
fn data_that_is_not_json_never_reaches_the_host() {
    let append = "(call $session-writer.append (i32.const 4096) (i32.const 15)
        (i32.const 4160) (i32.const 8) (i32.const 1024))";
    let guest = |data: &[u8]| {
        Guest::default()
            .data(4096, b"pi-context/note")
            .data(4160, data)
            .export("lifecycle.session-started", &[append, TELL_ERROR].concat())
    };
    assert_eq!(log(&mut started(guest(br#"{"a": 1}"#))), [r#"append pi-context/note {"a": 1}"#]);
    let refused = log(&mut started(guest(br#"{"a": 1]"#)));
    assert!(refused[0].starts_with("info: not JSON, ") && refused.len() == 1, "{refused:?}");
}

#[test]
fn control_characters_do_not_reach_the_host() {
    let body = "(call $status.set-status (i32.const 4096) (i32.const 9)
            (i32.const 1) (i32.const 4160) (i32.const 3) (i32.const 1024))
        (call $status.notify (i32.const 0) (i32.const 4160) (i32.const 3) (i32.const 1024))";
    let guest = Guest::default().data(4096, b"pr-footer").data(4160, b"a\x1b\n");
    let mut capsule = started(guest.export("lifecycle.session-started", body));
    assert_eq!(log(&mut capsule), ["status pr-footer Some(\"a\u{FFFD}\u{FFFD}\")", "info: a\u{FFFD}\n"]);
}

/// The guest looks where the ABI puts it: an entry takes 56 bytes, and whether a custom one has data is said at byte 36.
#[test]
fn foreign_data_is_withheld_whatever_the_host_hands_out() {
    let body = "(call $session-reader.changes-since (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024))
        (i32.store8 (i32.const 1536) (i32.add (i32.const 48)
            (i32.load8_u (i32.add (i32.load (i32.const 1028)) (i32.const OWN)))))
        (i32.store8 (i32.const 1537) (i32.add (i32.const 48)
            (i32.load8_u (i32.add (i32.load (i32.const 1028)) (i32.const FOREIGN)))))
        (call $status.notify (i32.const 0) (i32.const 1536) (i32.const 2) (i32.const 2048))";
    let body = body.replace("OWN", "36").replace("FOREIGN", "92");
    let mut capsule = started(Guest::default().export("lifecycle.session-started", &body));
    assert_eq!(log(&mut capsule), ["info: 10"]);
}

#[test]
fn a_boundary_with_a_denied_draft_is_dropped_as_a_whole() {
    let word = |number: u32| number.to_le_bytes();
    // One custom draft, then a boundary of it that goes on.
    let draft =
        |length| [word(0), word(4096), word(length), word(4160), word(1), [0; 4], [0; 4], [0; 4], [0; 4]].concat();
    let boundary = [word(1), word(8192), word(1), word(1)].concat();
    let storing = |length, data: &[u8]| {
        let guest = Guest::default().data(4096, b"pi-context/noted").data(4160, data).data(8192, &draft(length));
        guest.data(8256, &boundary).export("lifecycle.before-settle", "i32.const 8256")
    };
    let guest = |length| storing(length, b"1");
    let mut capsule = started(guest(15));
    let boundary = capsule.before_settle().unwrap().expect("its draft is allowed");
    assert!(boundary.continue_run && boundary.drafts.len() == 1);

    let mut capsule = started(guest(16));
    assert_eq!(capsule.before_settle().unwrap(), None);
    assert!(log(&mut capsule)[0].contains("the entry type \"pi-context/noted\" is not allowed"));

    let mut capsule = started(storing(15, b"{"));
    assert_eq!(capsule.before_settle().unwrap(), None);
    assert!(log(&mut capsule)[0].contains("an answer that cannot be stored is ignored, part of it is not JSON"));
}

#[test]
fn the_end_of_a_session_leaves_nothing_behind() {
    let show = "(call $status.set-status (i32.const 4096) (i32.const 9)
        (i32.const 1) (i32.const 4096) (i32.const 9) (i32.const 1024))";
    let timer = "(drop (call $clock.start-timer (i32.const 50)))";
    let mut capsule = started(asking(&[ASK_ALLOWED, timer, show].concat()));
    log(&mut capsule);
    capsule.session_shut_down(ShutdownReason::Quit).unwrap();
    assert_eq!(log(&mut capsule), ["kill 1", "no timer 1", "status pr-footer None"]);
    capsule.subprocess_finished(1, &Outcome::Cancelled).unwrap();
    capsule.timer_fired(1).unwrap();
    assert_eq!(log(&mut capsule), Vec::<String>::new());

    capsule.session_started(StartReason::New).unwrap();
    assert!(log(&mut capsule)[0].starts_with("run 2 "), "no id is used twice");
}

#[test]
fn what_is_asked_for_at_the_end_of_a_session_is_not_answered() {
    let mut capsule = started(asking("").export("lifecycle.session-shut-down", &[ASK_DENIED, ASK_ALLOWED].concat()));
    capsule.session_shut_down(ShutdownReason::Quit).unwrap();
    let log = log(&mut capsule);
    assert!(log.iter().any(|line| line == "kill 1" || line == "kill 2"), "{log:?}");
    assert!(!log.iter().any(|line| line.starts_with("status")), "{log:?}");
}

#[test]
fn calls_out_of_order_do_not_reach_the_guest() {
    let guest = Guest::default().export("lifecycle.model-changed", "unreachable");
    let mut capsule = Capsule::load(&guest.build(), Desk::default()).unwrap();
    let error = capsule.model_changed().unwrap_err();
    assert_eq!(error.to_string(), "lifecycle.model-changed does not come without a session");
    capsule.session_started(StartReason::Startup).unwrap();
    let error = capsule.session_started(StartReason::Startup).unwrap_err();
    assert_eq!(error.to_string(), "lifecycle.session-started does not come during a session");
}

#[test]
fn a_guest_that_wants_a_session_without_one_breaks() {
    let guest = Guest::default().export("tools.definitions", "(drop (call $agent.is-idle)) i32.const 0");
    let mut capsule = Capsule::load(&guest.build(), Desk::default()).unwrap();
    let error = capsule.tools().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the component failed in tools.definitions: it called agent.is-idle outside of a session"
    );
}

#[test]
fn a_fault_names_its_export_and_ends_the_session() {
    let mut capsule = started(asking(ASK_ALLOWED).export("lifecycle.model-changed", "unreachable"));
    log(&mut capsule);
    let error = capsule.model_changed().unwrap_err();
    assert!(matches!(error, CallError::Fault { export: "lifecycle.model-changed", .. }), "{error}");
    assert_eq!(log(&mut capsule), ["kill 1"]);
    let error = capsule.branch_changed().unwrap_err();
    assert_eq!(error, CallError::Stopped { export: "lifecycle.model-changed" });
}

/// Each export, and a call of it.
type Calls = [(&'static str, fn(&mut Capsule<Desk>) -> Result<(), CallError>); 19];

#[test]
fn a_fault_in_any_export_is_survived() {
    let calls: Calls = [
        ("lifecycle.session-shut-down", |guest| guest.session_shut_down(ShutdownReason::Quit)),
        ("lifecycle.branch-changed", Capsule::branch_changed),
        ("lifecycle.model-changed", Capsule::model_changed),
        ("lifecycle.context-requested", Capsule::context_requested),
        ("lifecycle.turn-ended", |guest| guest.turn_ended(RunOutcome::Completed)),
        ("lifecycle.agent-ended", |guest| guest.agent_ended(RunOutcome::Failed)),
        ("lifecycle.before-settle", |guest| guest.before_settle().map(drop)),
        ("lifecycle.agent-settled", |guest| guest.agent_settled(RunOutcome::Aborted)),
        ("lifecycle.before-compact", |guest| {
            let request = CompactionRequest { reason: CompactionReason::Manual, will_retry: false, aborted: false };
            guest.before_compact(request).map(drop)
        }),
        ("lifecycle.compacted", |guest| {
            let reason = CompactionReason::Threshold;
            guest.compacted(&CompactedEvent { entry: "e".into(), reason, will_retry: false })
        }),
        ("lifecycle.compaction-failed", |guest| {
            let reason = CompactionReason::Overflow;
            guest.compaction_failed(&CompactionFailure { reason, aborted: true, message: None })
        }),
        ("lifecycle.compaction-finished", |guest| guest.compaction_finished(1, Ok(()))),
        ("tools.definitions", |guest| guest.tools().map(drop)),
        ("tools.call", |guest| guest.call_tool(&invocation()).map(drop)),
        ("tool-observer.tool-called", |guest| {
            let (call_id, name, arguments, cwd) = ("1".into(), "read".into(), "{}".into(), "/".into());
            guest.tool_called(tool_observer::Call { call_id, name, arguments, cwd })
        }),
        ("tool-observer.tool-finished", |guest| guest.tool_finished("1", false)),
        ("commands.definitions", |guest| guest.commands().map(drop)),
        ("commands.complete", |guest| guest.complete_command("x", "").map(drop)),
        ("commands.run", |guest| {
            let (name, arguments, cwd) = ("x".into(), String::new(), "/".into());
            guest.run_command(&commands::Invocation { name, arguments, cwd })
        }),
    ];
    for (export, call) in calls {
        let mut guest = started(Guest::default().export(export, "unreachable"));
        assert!(matches!(call(&mut guest), Err(CallError::Fault { export: at, .. }) if at == export), "{export}");
        assert!(matches!(call(&mut guest), Err(CallError::Stopped { .. })), "{export}");
        let mut guest = guest.restart().unwrap();
        guest.session_started(StartReason::Recovered).unwrap();
    }
}

fn invocation() -> Invocation {
    Invocation { call_id: "1".into(), name: "x".into(), arguments: "{}".into(), cwd: "/".into() }
}

#[test]
fn a_fault_in_an_answer_names_the_completion() {
    let guest = asking("").export("lifecycle.model-changed", ASK_DENIED);
    let mut capsule = started(guest.export("completions.subprocess-finished", "unreachable"));
    let error = capsule.model_changed().unwrap_err();
    assert!(matches!(error, CallError::Fault { export: "completions.subprocess-finished", .. }), "{error}");
}

#[test]
fn after_a_fault_a_new_guest_goes_on_with_the_same_host() {
    let mut capsule = started(asking(ASK_ALLOWED).export("lifecycle.model-changed", "unreachable"));
    capsule.model_changed().unwrap_err();
    let mut capsule = capsule.restart().unwrap();
    capsule.session_started(StartReason::Recovered).unwrap();
    let log = log(&mut capsule);
    assert_eq!(log[1..], ["kill 1", "run 2 git -C / rev-parse --show-toplevel"]);
    capsule.subprocess_finished(1, &Outcome::Cancelled).unwrap();
    assert_eq!(capsule.host().log, Vec::<String>::new(), "that was for the one before");
}

#[test]
fn a_guest_that_does_not_come_to_an_end_is_stopped() {
    let mut capsule = started(Guest::default().export("commands.run", "(loop (br 0))"));
    capsule.set_call_time(Duration::from_millis(100));
    let invocation = commands::Invocation { name: "x".into(), arguments: String::new(), cwd: "/".into() };
    let error = capsule.run_command(&invocation).unwrap_err();
    assert_eq!(error.to_string(), "the component failed in commands.run: it did not come to an end");
}

#[test]
fn a_guest_that_makes_too_many_requests_in_one_call_is_stopped() {
    let most = Policy::shared().guest_limits().requests;
    let status = "(call $status.set-status (i32.const 4096) (i32.const 9)
        (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024))";
    let guest = || Guest::default().data(4096, b"pr-footer");
    let mut capsule = started(guest().export("lifecycle.model-changed", &status.repeat(most)));
    capsule.model_changed().unwrap();
    capsule.model_changed().unwrap();
    let mut capsule = started(guest().export("lifecycle.model-changed", &format!("(loop {status} (br 0))")));
    let error = capsule.model_changed().unwrap_err();
    assert!(error.to_string().contains("it made more than 1000 requests in one call"), "{error}");
    assert_eq!(log(&mut capsule).len(), most);
}

#[test]
fn a_guest_that_has_too_many_requests_under_way_is_stopped() {
    let most = Policy::shared().guest_limits().requests;
    let timer = "(drop (call $clock.start-timer (i32.const 50)))";
    let mut capsule = started(Guest::default().export("lifecycle.model-changed", &timer.repeat(most)));
    capsule.model_changed().unwrap();
    assert_eq!(log(&mut capsule).len(), most);
    let error = capsule.model_changed().unwrap_err();
    assert!(error.to_string().contains("it has more than 1000 requests under way"), "{error}");
    assert_eq!(log(&mut capsule).len(), 1 + most + 1, "one more was started, and all were cancelled");
}

#[test]
fn a_guest_that_wants_too_much_memory_is_stopped() {
    let pages = Policy::shared().guest_limits().memory / 65536;
    let grow = |pages| format!("(drop (memory.grow (i32.const {pages})))");
    let mut capsule = started(Guest::default().export("lifecycle.model-changed", &grow(pages - 16)));
    capsule.model_changed().unwrap();
    let mut capsule = started(Guest::default().export("lifecycle.model-changed", &grow(pages - 15)));
    let error = capsule.model_changed().unwrap_err();
    assert!(error.to_string().contains("growing memory"), "{error}");
}

#[test]
fn a_guest_that_calls_itself_for_ever_is_stopped() {
    let guest =
        Guest::default().function("(func $deep (call $deep))").export("lifecycle.model-changed", "(call $deep)");
    let error = started(guest).model_changed().unwrap_err();
    assert!(error.to_string().contains("stack"), "{error}");
}

#[test]
fn a_guest_with_too_large_a_table_does_not_start() {
    let guest = Guest::default().function("(table $large 200000 funcref)").build();
    let error = Capsule::load(&guest, LocalHost::new(Session::empty("s", "/work", None))).err().unwrap();
    assert!(error.to_string().contains("table"), "{error}");
}

#[test]
fn a_guest_that_lets_its_table_grow_is_stopped() {
    let grow = "(drop (table.grow $small (ref.null func) (i32.const 200000)))";
    let guest = Guest::default().function("(table $small 1 funcref)").export("lifecycle.model-changed", grow);
    let error = started(guest).model_changed().unwrap_err();
    assert!(error.to_string().contains("table"), "{error}");
}

#[test]
fn tools_and_commands_that_the_policy_does_not_allow_are_left_out() {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    // Pointers to a list of one and to its record. Strings are a pointer and a length; all of them are "bash".
    let bash = [4096, 4];
    let tool = [&bash[..], &bash, &bash, &bash, &[0, 0, 0, 0]].concat();
    let command = bash.repeat(2);
    let guest = Guest::default()
        .data(4096, b"bash")
        .data(8192, &words(&[8208, 1, 8304, 1]))
        .data(8208, &words(&tool))
        .data(8304, &words(&command))
        .export("tools.definitions", "i32.const 8192")
        .export("commands.definitions", "i32.const 8200");
    let mut capsule = started(guest);
    assert_eq!((capsule.tools().unwrap().len(), capsule.commands().unwrap().len()), (0, 0));
    assert_eq!(
        log(&mut capsule),
        [
            r#"warning: A request of the component was refused: the tool "bash" is not allowed."#,
            r#"warning: A request of the component was refused: the command "bash" is not allowed."#,
        ]
    );
}

#[test]
fn long_arguments_of_other_tools_are_left_out() {
    let tell = "(call $status.notify (i32.const 0) (local.get 4) (local.get 5) (i32.const 1024))";
    let mut capsule = started(Guest::default().export("tool-observer.tool-called", tell));
    let arguments = format!(r#"{{"content":"{}","path":"/a"}}"#, "x".repeat(20_000));
    let (call_id, name, cwd) = ("1".into(), "write".into(), "/".into());
    capsule.tool_called(tool_observer::Call { call_id, name, arguments, cwd }).unwrap();
    assert_eq!(log(&mut capsule), [r#"info: {"path":"/a"}"#]);
}

/// The driver of the local host: a timer, then a real program that the timer's event starts, whose end sets the status.
#[test]
fn the_driver_delivers_timers_and_programs_until_a_condition_holds() {
    let guest =
        asking("(drop (call $clock.start-timer (i32.const 20)))").export("completions.timer-fired", ASK_ALLOWED);
    let host = LocalHost::new(Session::empty("s", "/work", None));
    let mut capsule = Capsule::load(&guest.build(), host).unwrap();
    capsule.session_started(StartReason::Startup).unwrap();
    let shown = |capsule: &Capsule<LocalHost>| capsule.host().status("pr-footer").is_some();
    assert!(capsule.run_until(shown, Duration::from_secs(20)).unwrap());
    assert_eq!(capsule.host().status("pr-footer"), Some("a"));
    assert!(!capsule.host().has_programs());
}

#[test]
fn the_driver_gives_up_after_its_time() {
    let again = "(drop (call $clock.start-timer (i32.const 0)))";
    let guest = Guest::default().export("lifecycle.session-started", again).export("completions.timer-fired", again);
    let mut capsule = Capsule::load(&guest.build(), LocalHost::new(Session::empty("s", "/work", None))).unwrap();
    capsule.session_started(StartReason::Startup).unwrap();
    assert!(!capsule.run_until(|_| false, Duration::from_millis(50)).unwrap());
}
