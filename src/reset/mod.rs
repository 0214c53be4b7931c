//! The reset protocol: a context that is full is cleared at once, and the model goes on from notes and history.
//!
//! | event | what happens |
//! | --- | --- |
//! | session started, branch changed | attempts are over; a root window without a boot block gets one |
//! | context requested | a boundary that was drafted is confirmed; the model is reminded or warned if that is due |
//! | turn ended | a completed one ends a row of automatic resets |
//! | agent ended, aborted | what the model asked for is dropped |
//! | before settle | the reset that the model asked for, or the continuation that is owed, as drafts |
//! | agent settled | the same on hosts without drafts: `compact`, or the continuation as a message |
//! | before compact | the reset, whatever led to it; never a summary |
//! | compacted | confirmed by what is on the branch, or somebody else's |
//! | compaction failed, finished | given up, or continued |
//!
//! [`lifecycle`] holds where a reset stands, `budget` how full the window is, `prompts` what the model reads and
//! [`thresholds`] the numbers. This module brings them together and is the only one of them that writes, sends and
//! notifies. It knows nothing of the footer, nor of how the branch is stored.

mod budget;
pub mod command;
pub mod lifecycle;
mod prompts;
pub mod thresholds;

use crate::host::{
    AttemptId, Boundary, CompactionContent, CompactionDecision, CompactionError, CompactionReason, Delivery, Draft,
    EntryId, Host, NoticeLevel, OutgoingMessage, Refused, RunOutcome,
};
use crate::session::{Session, tags};
use budget::{Budget, Due};
use command::Order;
use lifecycle::{Finish, Lifecycle, Request, State};
use prompts::Boot;

/// This many automatic resets in a row, without a completed turn between, and the next one does not happen.
const MOST_AUTOMATIC: u32 = 3;

/// The reset protocol of a session.
#[derive(Clone, Debug)]
pub struct Reset {
    is_on: bool,
    lifecycle: Lifecycle,
    budget: Budget,
    automatic: Automatic,
}

/// The automatic resets since the model last completed a turn or the person last spoke.
#[derive(Clone, Debug, Default)]
struct Automatic {
    in_a_row: u32,
    user_messages: usize,
    told: bool,
}

/// A compaction that is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionRequest {
    /// What led to it.
    pub reason: CompactionReason,
    /// Whether it has been stopped already.
    pub aborted: bool,
}

impl Reset {
    /// Begins with a session that has been read, and is switched on. A fork has the boot block of the session that it was
    /// copied from, which names that one's root window.
    pub fn start(session: &Session, is_fork: bool, host: &mut dyn Host) -> Self {
        let lifecycle = Lifecycle::new(host.random_bits());
        let reset = Self { is_on: true, lifecycle, budget: Budget::default(), automatic: Automatic::default() };
        if session.windows().active().awaits_reset {
            host.notify(
                NoticeLevel::Warning,
                "The context reset that the model asked for did not happen before the session ended. \
                 Nothing was lost; /compact resets now.",
            );
        }
        send_boot(session, is_fork, host);
        reset
    }

    /// Whether contexts are reset.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Where a reset stands.
    pub fn state(&self) -> &State {
        self.lifecycle.state()
    }

    /// The model asks for a reset. `None` when they are switched off.
    pub fn request(&mut self, session: &Session, host: &mut dyn Host) -> Option<Request> {
        // A boundary that is there has served an earlier request.
        self.confirm_built(session, host);
        self.is_on.then(|| self.lifecycle.request())
    }

    /// The tokens left above the warning line, if that can be told.
    pub fn tokens_left(&mut self, session: &Session, host: &mut dyn Host) -> Option<u64> {
        self.budget.left(session, host)
    }

    /// The person moved to another point of the session tree.
    pub fn on_branch_changed(&mut self, session: &Session, host: &mut dyn Host) {
        self.lifecycle.invalidate();
        self.budget.forget();
        self.automatic = Automatic::default();
        send_boot(session, false, host);
    }

    /// Another model is active.
    pub fn on_model_changed(&mut self) {
        self.budget.forget_policy();
    }

    /// A request to the model is about to be built.
    pub fn on_context_requested(&mut self, session: &Session, host: &mut dyn Host) {
        self.settle_built(session, host);
        // The model goes on by itself, in a context that it does not know to have asked for.
        self.lifecycle.take_continuation(&session.windows().active().id);
        // What is said to a run that was stopped would reach the next one.
        if self.is_on && !host.is_aborted() {
            self.say_what_is_due(session, host);
        }
    }

    /// The model has answered once.
    pub fn on_turn_ended(&mut self, outcome: RunOutcome) {
        if outcome == RunOutcome::Completed {
            self.automatic = Automatic::default();
        }
    }

    /// A run has ended.
    pub fn on_agent_ended(&mut self, outcome: RunOutcome) {
        if outcome == RunOutcome::Aborted {
            self.lifecycle.cancel();
        }
    }

    /// A run is about to settle, on a host that can append a compaction here.
    pub fn before_settle(&mut self, session: &Session, host: &mut dyn Host) -> Option<Boundary> {
        self.settle_built(session, host);
        if host.is_aborted() {
            self.lifecycle.cancel();
            return None;
        }
        let continuation = Draft::Message(continuation());
        if self.lifecycle.take_continuation(&session.windows().active().id) {
            return Some(Boundary { drafts: vec![continuation], continue_run: true });
        }
        if *self.lifecycle.state() != State::Requested {
            return None;
        }
        let window = mint(session, host);
        let marker = Draft::Custom { custom_type: tags::RESET_MARKER, data: marker(CompactionReason::Manual, true) };
        let compaction = Draft::Compaction(boundary(session, &window, None, host));
        self.lifecycle.draft(window);
        Some(Boundary { drafts: vec![marker, compaction, continuation], continue_run: true })
    }

    /// The agent is idle.
    pub fn on_agent_settled(&mut self, outcome: RunOutcome, session: &Session, host: &mut dyn Host) {
        self.settle_built(session, host);
        if outcome == RunOutcome::Aborted {
            self.lifecycle.cancel();
            return;
        }
        if self.lifecycle.take_continuation(&session.windows().active().id) {
            go_on(host);
        } else if host.is_idle()
            && let Some(attempt) = self.lifecycle.ask()
            && host.compact(attempt) == Err(Refused)
        {
            self.give_up("this host does not compact on request", NoticeLevel::Warning, host);
        }
    }

    /// The agent is about to compact.
    pub fn before_compact(
        &mut self,
        request: CompactionRequest,
        session: &Session,
        host: &mut dyn Host,
    ) -> CompactionDecision {
        let CompactionRequest { reason, aborted } = request;
        if !self.is_on {
            return CompactionDecision::NoOpinion;
        }
        if aborted || self.is_going_in_circles(reason, session, host) {
            return CompactionDecision::Cancel;
        }
        let is_requested = *self.lifecycle.state() != State::Idle;
        let Ok(marker) = host.append(tags::RESET_MARKER, &marker(reason, is_requested)) else {
            let message = "The context was not reset: the session could not be written. The conversation is kept.";
            host.notify(NoticeLevel::Error, message);
            return CompactionDecision::Cancel;
        };
        let window = mint(session, host);
        let content = boundary(session, &window, Some(marker), host);
        self.lifecycle.build(reason, window);
        CompactionDecision::Replace(content)
    }

    /// A compaction has been written, and `session` is up to date.
    pub fn on_compacted(&mut self, session: &Session, host: &mut dyn Host) {
        self.confirm_built(session, host);
        if self.lifecycle.fail() {
            host.notify(
                NoticeLevel::Warning,
                "Another extension compacted the context in its own way, so it was not reset.",
            );
        }
    }

    /// A compaction was given up.
    pub fn on_compaction_failed(&mut self, aborted: bool, why: Option<&str>, host: &mut dyn Host) {
        match why {
            _ if aborted => self.give_up("it was stopped", NoticeLevel::Info, host),
            Some(why) => self.give_up(why, NoticeLevel::Warning, host),
            None => self.give_up("compaction failed", NoticeLevel::Warning, host),
        }
    }

    /// The agent has answered [`Host::compact`].
    pub fn on_compaction_finished(
        &mut self,
        attempt: AttemptId,
        result: &Result<(), CompactionError>,
        session: &Session,
        host: &mut dyn Host,
    ) {
        self.confirm_built(session, host);
        match (self.lifecycle.finish(attempt, &session.windows().active().id), result) {
            (Finish::Continue, Ok(())) => go_on(host),
            (Finish::Failed, Err(CompactionError::Cancelled)) => tell_kept("it was stopped", NoticeLevel::Info, host),
            (Finish::Failed, Err(CompactionError::Failed(why))) => tell_kept(why, NoticeLevel::Warning, host),
            (Finish::Failed, Ok(())) => tell_kept("no boundary was written", NoticeLevel::Warning, host),
            (Finish::Stale | Finish::Done | Finish::Continue, _) => {}
        }
    }

    /// The person has typed `/pi-context`.
    pub fn run_command(&mut self, arguments: &str, host: &mut dyn Host) {
        match command::order(arguments) {
            Order::Unknown => return host.notify(NoticeLevel::Error, &command::unknown(arguments.trim())),
            Order::Show => {}
            Order::Switch(on) => {
                self.is_on = on;
                if !on {
                    self.lifecycle.invalidate();
                }
            }
        }
        host.notify(NoticeLevel::Info, &command::shown(self.is_on));
    }

    /// Confirms a boundary that was handed over, or gives it up: whatever wrote it has had its time.
    fn settle_built(&mut self, session: &Session, host: &mut dyn Host) {
        self.confirm_built(session, host);
        if self.lifecycle.built_window().is_some() {
            self.give_up("its boundary was not written", NoticeLevel::Warning, host);
        }
    }

    /// Confirms a boundary that was handed over and is on the branch.
    fn confirm_built(&mut self, session: &Session, host: &mut dyn Host) {
        let Some(window) = self.lifecycle.built_window() else { return };
        let Some(window) = session.windows().iter().rev().find(|known| known.id == window) else { return };
        let Some(entry) = window.boundary.clone() else { return };
        let id = window.id.clone();
        let Some(reason) = self.lifecycle.confirm() else { return };
        if reason != CompactionReason::Manual {
            self.automatic.in_a_row += 1;
            self.automatic.user_messages = session.windows().user_messages();
        }
        // The boundary stands, whether this is written or not.
        let _ = host.append(tags::STATE, &state(&entry));
        host.notify(
            NoticeLevel::Info,
            &format!("Context window reset. Notes and history are kept; this is window {id}."),
        );
    }

    /// Whether automatic resets do not help. Something that comes back after each reset takes the whole window.
    fn is_going_in_circles(&mut self, reason: CompactionReason, session: &Session, host: &mut dyn Host) -> bool {
        if reason == CompactionReason::Manual {
            return false;
        }
        if session.windows().user_messages() != self.automatic.user_messages {
            self.automatic = Automatic { user_messages: session.windows().user_messages(), ..Automatic::default() };
        }
        if self.automatic.in_a_row < MOST_AUTOMATIC {
            return false;
        }
        if !std::mem::replace(&mut self.automatic.told, true) {
            host.notify(
                NoticeLevel::Error,
                "The context was reset three times in a row and is full again before the model could answer: the system \
                 prompt, the tools or one message take up the window. No further reset until your next message; use a \
                 model with a larger window, or shorten what is loaded.",
            );
        }
        true
    }

    fn give_up(&mut self, why: &str, level: NoticeLevel, host: &mut dyn Host) {
        if self.lifecycle.fail() {
            tell_kept(why, level, host);
        }
    }

    fn say_what_is_due(&mut self, session: &Session, host: &mut dyn Host) {
        let (message, delivery, notice) = match self.budget.due(session, host) {
            None => return,
            Some(Due::Guidance(left)) => (
                OutgoingMessage { custom_type: tags::GUIDANCE, text: prompts::guidance(left) },
                Delivery::Append,
                format!(
                    "The context is filling up: {left} tokens are left before the model is asked to save its notes."
                ),
            ),
            Some(Due::Warning) => (
                OutgoingMessage { custom_type: tags::WARNING, text: prompts::warning(&session.windows().active().id) },
                Delivery::Steer,
                "The context is nearly full: the model is asked to save its notes and to reset.".to_owned(),
            ),
        };
        if host.send_message(message, delivery).is_ok() {
            host.notify(NoticeLevel::Warning, &notice);
        }
    }
}

fn tell_kept(why: &str, level: NoticeLevel, host: &mut dyn Host) {
    let why = why.trim().trim_end_matches('.');
    host.notify(level, &format!("The context was not reset: {why}. The conversation is kept."));
}

/// Makes the model go on after a reset that it asked for, unless something else already does.
fn go_on(host: &mut dyn Host) {
    if host.is_idle()
        && !host.has_pending_messages()
        && host.send_message(continuation(), Delivery::TriggerTurn) == Err(Refused)
    {
        let message = "The context was reset, but the model could not be asked to go on. Send it a message.";
        host.notify(NoticeLevel::Warning, message);
    }
}

/// Gives a root window its boot block, unless it has one of its own.
fn send_boot(session: &Session, is_fork: bool, host: &mut dyn Host) {
    if session.windows().is_at_root() && (is_fork || !session.windows().active().has_boot) {
        let text = boot(session, None, host);
        // Without it the session works as before, only that the model has to find the tools by itself.
        let _ = host.send_message(OutgoingMessage { custom_type: tags::BOOT, text }, Delivery::Append);
    }
}

fn boot(session: &Session, next: Option<&str>, host: &dyn Host) -> String {
    let agent = host.session().name;
    let utc_offset = |at| host.utc_offset(at);
    Boot { agent: agent.as_deref(), windows: session.windows(), next, notes: session.notes(), utc_offset: &utc_offset }
        .text()
}

fn mint(session: &Session, host: &mut dyn Host) -> String {
    session.windows().mint(|| host.random_bits())
}

/// The compaction that starts `window`.
fn boundary(session: &Session, window: &str, first_kept: Option<EntryId>, host: &dyn Host) -> CompactionContent {
    let details = serde_json::json!({"piContext": tags::RESET_DETAILS, "windowId": window});
    CompactionContent { summary: boot(session, Some(window), host), first_kept, details: details.to_string() }
}

fn continuation() -> OutgoingMessage {
    OutgoingMessage { custom_type: tags::CONTINUATION, text: prompts::CONTINUATION.into() }
}

/// The data of the entry that precedes a reset.
fn marker(reason: CompactionReason, requested: bool) -> String {
    let reason = match reason {
        CompactionReason::Manual => "manual",
        CompactionReason::Threshold => "threshold",
        CompactionReason::Overflow => "overflow",
    };
    serde_json::json!({"version": 1, "reason": reason, "requested": requested}).to_string()
}

/// The data of the entry that follows a reset.
fn state(boundary: &str) -> String {
    serde_json::json!({"version": 1, "lastResetEntryId": boundary}).to_string()
}
