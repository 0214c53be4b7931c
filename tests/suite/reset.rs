//! The reset protocol, told to the native guest and to the component: each row of its tables.

use pi_capsule::host::{
    AttemptId, Boundary, CompactionContent, CompactionDecision, CompactionError, CompactionReason, Delivery, Draft,
    RunOutcome,
};
use pi_capsule::session::tags;
use serde_json::json;

use crate::world::branch::{assistant, compaction, custom, custom_message, tool_result, user};
use crate::world::{Event, Guest, Reply, World, tell};

const ROOT: &str = "pcw:01234567:root";
const FULL: Option<(Option<u64>, Option<u64>)> = Some((Some(180_000), Some(200_000)));
const FILLING: Option<(Option<u64>, Option<u64>)> = Some((Some(165_000), Some(200_000)));
const ROOMY: Option<(Option<u64>, Option<u64>)> = Some((Some(10_000), Some(200_000)));

fn before_settle(guest: &mut dyn Guest) -> Option<Boundary> {
    match guest.tell(Event::BeforeSettle) {
        Reply::Boundary(boundary) => boundary,
        reply => panic!("{reply:?}"),
    }
}

fn before_compact(guest: &mut dyn Guest, reason: CompactionReason) -> CompactionDecision {
    match guest.tell(Event::BeforeCompact { reason, aborted: false }) {
        Reply::Decision(decision) => decision,
        reply => panic!("{reply:?}"),
    }
}

fn replacement(guest: &mut dyn Guest, reason: CompactionReason) -> CompactionContent {
    match before_compact(guest, reason) {
        CompactionDecision::Replace(content) => content,
        decision => panic!("{decision:?}"),
    }
}

/// Writes drafts to the branch, as a host does.
fn commit(world: &mut World, boundary: &Boundary) {
    for draft in &boundary.drafts {
        world.push([match draft {
            Draft::Custom { custom_type, data } => custom(custom_type, data),
            Draft::Message(message) => custom_message(message.custom_type, &message.text),
            Draft::Compaction(content) => compaction(&content.summary, &content.details),
        }]);
    }
}

/// A compaction by the agent, from beginning to end.
fn compact(guest: &mut dyn Guest, reason: CompactionReason) -> String {
    let content = replacement(guest, reason);
    let id = guest.world().borrow_mut().push([compaction(&content.summary, &content.details)]);
    guest.tell(Event::Compacted(id.clone()));
    id
}

/// The model asks for a reset, with everything that lands on the branch by that.
fn request(guest: &mut dyn Guest) -> serde_json::Value {
    guest.world().borrow_mut().push([assistant("", &[("new_context", "{}")])]);
    let output = guest.call_tool("new_context", "{}").expect("an answer");
    assert!(output.terminate);
    guest.world().borrow_mut().push([tool_result("new_context", &output.text)]);
    serde_json::from_str(&output.text).unwrap()
}

fn notices(guest: &mut dyn Guest) -> Vec<String> {
    let kinds = ["info: ", "warning: ", "error: "];
    guest.effects().into_iter().filter(|effect| kinds.iter().any(|kind| effect.starts_with(kind))).collect()
}

fn windows(guest: &mut dyn Guest) -> Vec<String> {
    let listed: serde_json::Value =
        serde_json::from_str(&guest.call("history_list_windows", r#"{"recent_first":false}"#).unwrap()).unwrap();
    listed["windows"].as_array().unwrap().iter().map(|row| row["window_id"].as_str().unwrap().to_owned()).collect()
}

fn sent(guest: &mut dyn Guest, custom_type: &str) -> usize {
    guest.world().borrow().sent_as(custom_type).len()
}

const RESET_NOTICE: &str = "info: Context window reset. Notes and history are kept; this is window ";

// Boot block

#[test]
fn a_root_window_gets_its_boot_block_once() {
    tell(|guest| {
        guest.world().borrow_mut().name = Some("fix the parser".into());
        guest.start();
        let boot = guest.world().borrow().sent_as(tags::BOOT);
        assert_eq!(boot.len(), 1);
        assert_eq!(boot[0].delivery, Delivery::Append);
        assert!(boot[0].text.contains("agent: \"fix the parser\"\n"), "{}", boot[0].text);
        assert!(boot[0].text.contains(&format!("current_window: \"{ROOT}\"\n")), "{}", boot[0].text);
        // Reloaded, and resumed: the branch has it.
        guest.shut_down();
        guest.start();
        assert_eq!(sent(guest, tags::BOOT), 1);
    });
}

#[test]
fn a_fork_gets_a_boot_block_that_names_its_own_root_window() {
    tell(|guest| {
        guest.world().borrow_mut().push([custom_message(tags::BOOT, "current_window: \"pcw:fedcba98:root\"")]);
        guest.start_fork();
        let boot = guest.world().borrow().sent_as(tags::BOOT);
        assert_eq!(boot.len(), 1);
        assert!(boot[0].text.contains(&format!("current_window: \"{ROOT}\"\n")), "{}", boot[0].text);
        guest.shut_down();
        guest.start();
        assert_eq!(sent(guest, tags::BOOT), 1);
    });
}

#[test]
fn a_reset_window_has_its_boot_block_in_the_summary_and_gets_no_other() {
    tell(|guest| {
        guest.world().borrow_mut().push([user("a"), compaction("Your context was cleared.", "{}")]);
        guest.start();
        assert_eq!(sent(guest, tags::BOOT), 0);
    });
}

#[test]
fn navigation_to_a_root_window_without_a_boot_block_gives_it_one() {
    tell(|guest| {
        let first = guest.world().borrow_mut().push([user("a")]);
        guest.start();
        guest.tell(Event::BranchChanged);
        assert_eq!(sent(guest, tags::BOOT), 1);
        guest.world().borrow_mut().branch.navigate(Some(&first));
        guest.tell(Event::BranchChanged);
        assert_eq!(sent(guest, tags::BOOT), 2);
    });
}

// Explicit resets

#[test]
fn new_context_resets_before_the_run_settles_and_goes_on() {
    tell(|guest| {
        guest.world().borrow_mut().push([user("a")]);
        guest.start();
        assert_eq!(request(guest), json!({"status": "rollover_requested"}));
        assert_eq!(request(guest), json!({"status": "rollover_already_pending"}));
        let boundary = before_settle(guest).expect("a boundary");
        assert!(boundary.continue_run);
        let [Draft::Custom { custom_type, data }, Draft::Compaction(content), Draft::Message(message)] =
            boundary.drafts.as_slice()
        else {
            panic!("{boundary:?}")
        };
        assert_eq!(*custom_type, tags::RESET_MARKER);
        assert_eq!(data, r#"{"reason":"manual","requested":true,"version":1}"#);
        assert_eq!(content.first_kept, None);
        assert_eq!(message.custom_type, tags::CONTINUATION);
        let details: serde_json::Value = serde_json::from_str(&content.details).unwrap();
        assert_eq!(details["piContext"], "reset-v2");
        let window = details["windowId"].as_str().unwrap();
        assert!(content.summary.starts_with("Your context was cleared."), "{}", content.summary);
        assert!(content.summary.contains(&format!("current_window: \"{window}\"\nprevious_window: \"{ROOT}\"\n")));

        commit(&mut guest.world().borrow_mut(), &boundary);
        guest.effects();
        guest.tell(Event::ContextRequested);
        let entries: Vec<_> = guest.world().borrow().branch.entries().map(|entry| entry.id.clone()).collect();
        // Marker, compaction, continuation, state.
        let compaction = &entries[entries.len() - 3];
        let state = format!("append pi-context/state {{\"lastResetEntryId\":\"{compaction}\",\"version\":1}}");
        assert_eq!(guest.effects(), [state, format!("{RESET_NOTICE}{window}.")]);
        assert_eq!(windows(guest), [ROOT, window]);
        // The continuation ends as any other run.
        assert_eq!(before_settle(guest), None);
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        assert_eq!(guest.effects(), [""; 0]);
        assert_eq!(sent(guest, tags::CONTINUATION), 0, "it was part of the boundary");
    });
}

#[test]
fn on_a_host_without_drafts_new_context_asks_for_a_compaction_and_sends_the_continuation() {
    tell(|guest| {
        guest.start();
        guest.effects();
        request(guest);
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        let effects = guest.effects();
        let [asked] = effects.as_slice() else { panic!("{effects:?}") };
        let attempt = AttemptId(asked.strip_prefix("compact ").unwrap().parse().unwrap());
        let id = compact(guest, CompactionReason::Manual);
        let effects = guest.effects();
        assert!(
            effects[0].starts_with("append pi-context/reset-marker {\"reason\":\"manual\",\"requested\":true"),
            "{effects:?}"
        );
        assert_eq!(effects[1], format!("append pi-context/state {{\"lastResetEntryId\":\"{id}\",\"version\":1}}"));
        assert!(effects[2].starts_with(RESET_NOTICE), "{effects:?}");
        assert_eq!(sent(guest, tags::CONTINUATION), 0);
        guest.tell(Event::CompactionFinished(attempt, Ok(())));
        let continuation = guest.world().borrow().sent_as(tags::CONTINUATION);
        assert_eq!(continuation.len(), 1);
        assert_eq!(continuation[0].delivery, Delivery::TriggerTurn);
        // Again: the attempt is over.
        guest.tell(Event::CompactionFinished(attempt, Ok(())));
        assert_eq!(sent(guest, tags::CONTINUATION), 1);
    });
}

#[test]
fn a_confirmed_reset_is_not_continued_while_something_else_goes_on() {
    for busy in [|world: &mut World| world.is_idle = false, |world: &mut World| world.has_pending_messages = true] {
        tell(|guest| {
            guest.start();
            request(guest);
            guest.effects();
            guest.tell(Event::AgentSettled(RunOutcome::Completed));
            let attempt = AttemptId(guest.effects()[0].strip_prefix("compact ").unwrap().parse().unwrap());
            compact(guest, CompactionReason::Manual);
            busy(&mut guest.world().borrow_mut());
            guest.tell(Event::CompactionFinished(attempt, Ok(())));
            assert_eq!(sent(guest, tags::CONTINUATION), 0);
            // Released: the model can ask again.
            assert_eq!(request(guest), json!({"status": "rollover_requested"}));
        });
    }
}

#[test]
fn a_request_during_the_continuation_is_the_next_reset() {
    tell(|guest| {
        guest.start();
        for _ in 0..2 {
            assert_eq!(request(guest), json!({"status": "rollover_requested"}));
            let boundary = before_settle(guest).expect("a boundary");
            commit(&mut guest.world().borrow_mut(), &boundary);
            guest.tell(Event::ContextRequested);
        }
        let windows = windows(guest);
        assert_eq!(windows.len(), 3);
        assert_ne!(windows[1], windows[2]);
    });
}

#[test]
fn a_run_that_the_person_stopped_is_never_resurrected() {
    tell(|guest| {
        guest.start();
        request(guest);
        guest.tell(Event::AgentEnded(RunOutcome::Aborted));
        guest.effects();
        guest.tell(Event::AgentSettled(RunOutcome::Aborted));
        assert_eq!(before_settle(guest), None);
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        assert_eq!(guest.effects(), [""; 0]);
    });
    // Stopped while handlers of the end of the run are running.
    tell(|guest| {
        guest.start();
        request(guest);
        guest.world().borrow_mut().is_aborted = true;
        assert_eq!(before_settle(guest), None);
        guest.world().borrow_mut().is_aborted = false;
        assert_eq!(before_settle(guest), None);
    });
    // Stopped after the boundary was handed over: it stands, and nothing is continued.
    tell(|guest| {
        guest.start();
        request(guest);
        let boundary = before_settle(guest).expect("a boundary");
        commit(&mut guest.world().borrow_mut(), &boundary);
        guest.effects();
        guest.tell(Event::AgentSettled(RunOutcome::Aborted));
        assert!(guest.effects()[0].starts_with("append pi-context/state "));
        assert_eq!(sent(guest, tags::CONTINUATION), 0);
    });
    // Stopped while the agent compacts on our request.
    tell(|guest| {
        guest.start();
        request(guest);
        guest.effects();
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        let attempt = AttemptId(guest.effects()[0].strip_prefix("compact ").unwrap().parse().unwrap());
        replacement(guest, CompactionReason::Manual);
        guest.effects();
        guest.tell(Event::CompactionFailed { aborted: true, message: None });
        assert_eq!(guest.effects(), ["info: The context was not reset: it was stopped. The conversation is kept."]);
        guest.tell(Event::CompactionFinished(attempt, Err(CompactionError::Cancelled)));
        assert_eq!(guest.effects(), [""; 0]);
        assert_eq!(sent(guest, tags::CONTINUATION), 0);
    });
}

#[test]
fn a_refused_compaction_keeps_the_conversation_and_is_not_repeated() {
    tell(|guest| {
        guest.start();
        request(guest);
        guest.effects();
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        let attempt = AttemptId(guest.effects()[0].strip_prefix("compact ").unwrap().parse().unwrap());
        guest.tell(Event::CompactionFinished(attempt, Err(CompactionError::Failed("session too small.".into()))));
        let kept = "warning: The context was not reset: session too small. The conversation is kept.";
        assert_eq!(guest.effects(), [kept]);
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        assert_eq!(guest.effects(), [""; 0]);
    });
    // A host that writes none of the drafts.
    tell(|guest| {
        guest.start();
        request(guest);
        before_settle(guest).expect("a boundary");
        guest.effects();
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        let kept = "warning: The context was not reset: its boundary was not written. The conversation is kept.";
        assert_eq!(guest.effects(), [kept]);
    });
    // A host that does not compact on request.
    tell(|guest| {
        guest.start();
        request(guest);
        guest.world().borrow_mut().refuses = true;
        guest.effects();
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        let effects = guest.effects();
        assert!(
            effects[1].starts_with("warning: The context was not reset: this host does not compact"),
            "{effects:?}"
        );
    });
}

#[test]
fn a_session_that_ended_before_the_reset_is_not_resumed_by_itself() {
    tell(|guest| {
        guest.world().borrow_mut().push([user("a"), tool_result(tags::NEW_CONTEXT, "{}")]);
        guest.start();
        let notices = notices(guest);
        assert_eq!(notices.len(), 1);
        assert!(
            notices[0].starts_with("warning: The context reset that the model asked for did not happen"),
            "{notices:?}"
        );
        assert_eq!(before_settle(guest), None);
    });
}

// Resets by the agent

#[test]
fn every_compaction_of_the_agent_is_a_reset_at_once() {
    for (reason, word) in [
        (CompactionReason::Manual, "manual"),
        (CompactionReason::Threshold, "threshold"),
        (CompactionReason::Overflow, "overflow"),
    ] {
        for is_idle in [true, false] {
            tell(|guest| {
                guest.start();
                guest.world().borrow_mut().is_idle = is_idle;
                guest.effects();
                let content = replacement(guest, reason);
                let marker = guest.world().borrow().branch.leaf();
                assert_eq!(content.first_kept, marker, "the marker is the first entry that is kept");
                let effects = guest.effects();
                let expected = format!(
                    "append pi-context/reset-marker {{\"reason\":\"{word}\",\"requested\":false,\"version\":1}}"
                );
                assert_eq!(effects, [expected]);
                let id = guest.world().borrow_mut().push([compaction(&content.summary, &content.details)]);
                guest.tell(Event::Compacted(id));
                let notices = notices(guest);
                assert!(notices[0].starts_with(RESET_NOTICE), "{notices:?}");
                // It goes on by itself, or not: that is the agent's affair.
                assert_eq!(before_settle(guest), None);
                guest.tell(Event::AgentSettled(RunOutcome::Completed));
                assert_eq!(sent(guest, tags::CONTINUATION), 0);
            });
        }
    }
}

#[test]
fn a_compaction_that_was_stopped_already_is_cancelled() {
    tell(|guest| {
        guest.start();
        guest.effects();
        let event = Event::BeforeCompact { reason: CompactionReason::Manual, aborted: true };
        assert_eq!(guest.tell(event), Reply::Decision(CompactionDecision::Cancel));
        assert_eq!(guest.effects(), [""; 0]);
    });
}

#[test]
fn a_reset_that_cannot_be_built_is_cancelled_with_a_notice() {
    tell(|guest| {
        guest.start();
        guest.world().borrow_mut().refuses = true;
        guest.effects();
        assert_eq!(before_compact(guest, CompactionReason::Threshold), CompactionDecision::Cancel);
        let notices = notices(guest);
        assert!(
            notices[0].starts_with("error: The context was not reset: the session could not be written."),
            "{notices:?}"
        );
    });
}

#[test]
fn a_compaction_in_the_run_of_a_request_serves_it_and_only_the_continuation_is_left() {
    tell(|guest| {
        guest.start();
        request(guest);
        compact(guest, CompactionReason::Threshold);
        let boundary = before_settle(guest).expect("a continuation");
        assert!(boundary.continue_run);
        assert!(
            matches!(boundary.drafts.as_slice(), [Draft::Message(message)] if message.custom_type == tags::CONTINUATION)
        );
        assert_eq!(before_settle(guest), None, "once");
        assert_eq!(windows(guest).len(), 2);
    });
    // On a host without drafts.
    tell(|guest| {
        guest.start();
        request(guest);
        compact(guest, CompactionReason::Threshold);
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        assert_eq!(sent(guest, tags::CONTINUATION), 1);
    });
    // In the middle of the run: the model goes on by itself.
    tell(|guest| {
        guest.start();
        request(guest);
        compact(guest, CompactionReason::Threshold);
        guest.tell(Event::ContextRequested);
        assert_eq!(before_settle(guest), None);
    });
}

#[test]
fn a_result_of_another_extension_in_place_of_ours_is_said_once() {
    tell(|guest| {
        guest.start();
        replacement(guest, CompactionReason::Manual);
        guest.effects();
        let id = guest.world().borrow_mut().push([compaction("a summary", "{}")]);
        guest.tell(Event::Compacted(id.clone()));
        guest.tell(Event::Compacted(id.clone()));
        let expected = "warning: Another extension compacted the context in its own way, so it was not reset.";
        assert_eq!(guest.effects(), [expected]);
        assert_eq!(windows(guest), [ROOT, &id]);
    });
}

#[test]
fn automatic_resets_stop_after_three_in_a_row() {
    tell(|guest| {
        guest.world().borrow_mut().push([user("a")]);
        guest.start();
        for _ in 0..3 {
            compact(guest, CompactionReason::Overflow);
        }
        guest.effects();
        assert_eq!(before_compact(guest, CompactionReason::Overflow), CompactionDecision::Cancel);
        assert_eq!(before_compact(guest, CompactionReason::Threshold), CompactionDecision::Cancel);
        let told = notices(guest);
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("error: The context was reset three times in a row"), "{told:?}");
        // The person can always.
        compact(guest, CompactionReason::Manual);
        // A message of the person starts the count anew.
        guest.world().borrow_mut().push([user("b")]);
        for _ in 0..3 {
            compact(guest, CompactionReason::Overflow);
        }
        assert_eq!(before_compact(guest, CompactionReason::Overflow), CompactionDecision::Cancel);
        // So does a completed turn; a failed one does not.
        guest.tell(Event::TurnEnded(RunOutcome::Failed));
        assert_eq!(before_compact(guest, CompactionReason::Overflow), CompactionDecision::Cancel);
        guest.tell(Event::TurnEnded(RunOutcome::Completed));
        compact(guest, CompactionReason::Overflow);
    });
}

#[test]
fn navigation_ends_an_attempt_and_its_late_callbacks_do_nothing() {
    tell(|guest| {
        guest.start();
        request(guest);
        guest.effects();
        guest.tell(Event::AgentSettled(RunOutcome::Completed));
        let attempt = AttemptId(guest.effects()[0].strip_prefix("compact ").unwrap().parse().unwrap());
        compact(guest, CompactionReason::Manual);
        guest.tell(Event::BranchChanged);
        guest.effects();
        guest.tell(Event::CompactionFinished(attempt, Ok(())));
        guest.tell(Event::CompactionFailed { aborted: false, message: Some("late") });
        assert_eq!(guest.effects(), [""; 0]);
        assert_eq!(sent(guest, tags::CONTINUATION), 0);
    });
}

#[test]
fn navigation_before_a_reset_brings_the_old_window_back() {
    tell(|guest| {
        guest.world().borrow_mut().push([user("a")]);
        guest.start();
        let before = guest.world().borrow().branch.leaf();
        compact(guest, CompactionReason::Manual);
        assert_eq!(windows(guest).len(), 2);
        guest.world().borrow_mut().branch.navigate(before.as_deref());
        guest.tell(Event::BranchChanged);
        assert_eq!(windows(guest), [ROOT]);
        assert_eq!(sent(guest, tags::BOOT), 1, "the boot block of the old window is still there");
    });
}

// The switch

#[test]
fn off_stops_resets_reminders_and_warnings_and_leaves_the_tools() {
    tell(|guest| {
        guest.start();
        request(guest);
        guest.effects();
        guest.tell(Event::Command("pi-context", "off"));
        let effects = guest.effects();
        assert!(effects[0].starts_with("info: Context resets are off in this session"), "{effects:?}");
        assert_eq!(before_settle(guest), None);
        assert_eq!(before_compact(guest, CompactionReason::Threshold), CompactionDecision::NoOpinion);
        let refused = guest.call_tool("new_context", "{}").expect_err("an error");
        assert!(refused.starts_with("Context resets are switched off"), "{refused}");
        guest.world().borrow_mut().context = FULL;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::WARNING), 0);
        guest.call("notes_write_file", r#"{"path":"a","text":"x"}"#).expect("notes are still written");
        assert_eq!(windows(guest), [ROOT]);

        guest.tell(Event::Command("pi-context", "on"));
        compact(guest, CompactionReason::Threshold);
        assert_eq!(windows(guest).len(), 2);
    });
}

#[test]
fn the_command_shows_the_switch_and_refuses_anything_else() {
    tell(|guest| {
        guest.start();
        guest.effects();
        guest.tell(Event::Command("pi-context", ""));
        guest.tell(Event::Command("pi-context", "of"));
        let effects = guest.effects();
        assert!(effects[0].starts_with("info: Context resets are on"), "{effects:?}");
        assert_eq!(effects[1], "error: /pi-context takes on, off or nothing, not \"of\".");
    });
}

// Budget

#[test]
fn the_model_is_reminded_once_a_window_with_what_is_left() {
    tell(|guest| {
        guest.start();
        guest.world().borrow_mut().context = ROOMY;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::GUIDANCE), 0);
        guest.world().borrow_mut().context = FILLING;
        guest.effects();
        for _ in 0..3 {
            guest.tell(Event::ContextRequested);
        }
        let guidance = guest.world().borrow().sent_as(tags::GUIDANCE);
        assert_eq!(guidance.len(), 1);
        assert_eq!(guidance[0].delivery, Delivery::Append);
        assert!(guidance[0].text.contains("About 10424 tokens are left"), "{}", guidance[0].text);
        let notices = notices(guest);
        assert!(notices[0].starts_with("warning: The context is filling up: 10424 tokens"), "{notices:?}");
        // Reloaded: the branch says that it was.
        guest.shut_down();
        guest.start();
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::GUIDANCE), 1);
    });
}

#[test]
fn a_message_on_its_way_is_not_sent_twice_and_navigation_forgets_it() {
    tell(|guest| {
        guest.start();
        guest.world().borrow_mut().holds_messages = true;
        guest.world().borrow_mut().context = FILLING;
        guest.tell(Event::ContextRequested);
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::GUIDANCE), 1);
        guest.tell(Event::BranchChanged);
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::GUIDANCE), 2, "a branch that never received it gets it");
    });
}

#[test]
fn the_model_is_warned_once_a_window_and_not_reminded_after_that() {
    tell(|guest| {
        guest.start();
        guest.world().borrow_mut().context = FULL;
        guest.tell(Event::ContextRequested);
        guest.tell(Event::ContextRequested);
        guest.world().borrow_mut().context = FILLING;
        guest.tell(Event::ContextRequested);
        let warning = guest.world().borrow().sent_as(tags::WARNING);
        assert_eq!(warning.len(), 1);
        assert_eq!(warning[0].delivery, Delivery::Steer);
        assert!(warning[0].text.contains("Write one checkpoint note"), "{}", warning[0].text);
        assert!(warning[0].text.contains("Call new_context"), "{}", warning[0].text);
        assert!(warning[0].text.contains(&format!("Context window \"{ROOT}\" is nearly full")), "{}", warning[0].text);
        assert_eq!(sent(guest, tags::GUIDANCE), 0);
        // The next window has its own.
        compact(guest, CompactionReason::Threshold);
        guest.world().borrow_mut().push([assistant("x", &[])]);
        guest.world().borrow_mut().context = FULL;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::WARNING), 2);
    });
}

#[test]
fn a_run_that_was_stopped_is_told_nothing() {
    tell(|guest| {
        guest.start();
        guest.world().borrow_mut().context = FULL;
        guest.world().borrow_mut().is_aborted = true;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::WARNING), 0);
        guest.world().borrow_mut().is_aborted = false;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::WARNING), 1, "the next one is");
    });
}

#[test]
fn usage_from_before_a_reset_is_not_judged() {
    tell(|guest| {
        guest.start();
        compact(guest, CompactionReason::Threshold);
        guest.world().borrow_mut().context = FULL;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::WARNING), 0);
        assert_eq!(guest.call("get_context_remaining", "{}").unwrap(), r#"{"remaining_tokens":null}"#);
    });
}

#[test]
fn a_window_without_usable_tokens_is_not_judged_and_said_so_once() {
    for (context, why) in [
        (Some((Some(16_000), Some(16_384))), "compaction.reserveTokens takes the model's whole context window"),
        (Some((Some(16_000), None)), "the size of the model's context window is not known"),
    ] {
        tell(|guest| {
            guest.start();
            guest.world().borrow_mut().context = context;
            guest.effects();
            guest.tell(Event::ContextRequested);
            guest.tell(Event::ContextRequested);
            let expected = format!("warning: pi-context: {why}, so the model is not told when its context fills up.");
            assert_eq!(guest.effects(), [expected]);
        });
    }
}

#[test]
fn the_margin_comes_from_the_settings_and_the_project_wins() {
    for (settings, complaint, reminded) in [
        ([None, None], None, true),
        ([Some(r#"{"reminderMarginTokens":9000}"#), None], None, false),
        ([Some(r#"{"reminderMarginTokens":9000}"#), Some(r#"{"reminderMarginTokens":30000}"#)], None, true),
        ([Some(r#"{"reminderMarginTokens":9000}"#), Some(r#"{"other":1}"#)], None, false),
        ([None, Some(r#"{"reminderMarginTokens":0}"#)], Some("pi-context.reminderMarginTokens"), true),
        ([None, Some(r#"{"reminderMarginTokens":"9000"}"#)], Some("pi-context.reminderMarginTokens"), true),
        ([Some("{\"reminderMarginTokens\":1.5}"), None], Some("pi-context.reminderMarginTokens"), true),
        ([Some("7"), None], Some("pi-context in your settings must be an object"), true),
    ] {
        tell(|guest| {
            guest.world().borrow_mut().settings = settings.map(|section| section.map(str::to_owned));
            guest.start();
            guest.world().borrow_mut().context = FILLING;
            guest.effects();
            guest.tell(Event::ContextRequested);
            guest.tell(Event::ModelChanged);
            guest.tell(Event::ContextRequested);
            assert_eq!(sent(guest, tags::GUIDANCE), usize::from(reminded), "{settings:?}");
            let complaints: Vec<_> = notices(guest).into_iter().filter(|notice| notice.contains("settings")).collect();
            assert_eq!(complaints.len(), usize::from(complaint.is_some()), "{complaints:?}");
            assert!(complaint.is_none_or(|complaint| complaints[0].contains(complaint)), "{complaints:?}");
        });
    }
}

#[test]
fn another_model_has_its_own_reserve() {
    tell(|guest| {
        guest.start();
        guest.world().borrow_mut().context = FILLING;
        guest.world().borrow_mut().reserve = 1_000;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::GUIDANCE), 0);
        guest.world().borrow_mut().reserve = 16_384;
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::GUIDANCE), 0, "the lines are kept for the session");
        guest.tell(Event::ModelChanged);
        guest.tell(Event::ContextRequested);
        assert_eq!(sent(guest, tags::GUIDANCE), 1);
    });
}
