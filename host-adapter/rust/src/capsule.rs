//! One running guest: [`Capsule`], with a method for each export of the world.

use std::time::Duration;

use wasmtime::{Store, Trap};

use crate::bindings::Extension;
use crate::engine;
use crate::host::Host;
use crate::module::{CapsuleModule, LoadError};
use crate::observer;
use crate::policy::{Capability, Denial, Policy};
use crate::state::State;
use crate::stored::{check_data, check_text};
use crate::text::plain_line;
use crate::wit::agent::AttemptId;
use crate::wit::clock::TimerId;
use crate::wit::lifecycle::{
    Boundary, CompactedEvent, CompactionDecision, CompactionError, CompactionFailure, CompactionRequest, Draft,
    RunOutcome, ShutdownReason, StartReason,
};
use crate::wit::subprocess::{Outcome, RequestId};
use crate::wit::{commands, tool_observer, tools};

/// How many refused or cancelled requests are answered after one call. A guest starts a few programs at a time; one that
/// asks again whenever it is refused would go on for ever.
const MOST_ANSWERS: usize = 100;

/// A guest and the host that it speaks to.
///
/// Every export of the world is a method. A call returns when the guest has answered; what it has asked for meanwhile
/// has gone to the [`Host`], and requests that did not get that far (those that the policy denies, for one) have been
/// answered, too.
///
/// Except for [`tools`](Capsule::tools) and [`commands`](Capsule::commands), the methods need a session: they come
/// between [`session_started`](Capsule::session_started) and [`session_shut_down`](Capsule::session_shut_down).
pub struct Capsule<H: Host> {
    module: CapsuleModule,
    store: Store<State<H>>,
    extension: Extension,
    call_time: Duration,
    /// The call that broke the guest. Nothing of it can be trusted from then on.
    fault: Option<&'static str>,
}

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The guest broke. Its processes, timers and status lines are gone; the capsule is of no more use, except to
    /// [`restart`](Capsule::restart) it.
    #[error("the component failed in {export}: {reason}")]
    Fault {
        /// The export that was running, which may be a completion that followed the one that was called.
        export: &'static str,
        /// What happened, on one line.
        reason: String,
    },

    /// It broke in an earlier call.
    #[error("the component is stopped, because it failed in {export}")]
    Stopped {
        /// The export that was running then.
        export: &'static str,
    },

    /// There is no session, or there is one already.
    #[error("{export} does not come {}", if *.has_session { "during a session" } else { "without a session" })]
    OutOfOrder {
        /// The export that was asked for. The guest was not called.
        export: &'static str,
        /// Whether there is a session.
        has_session: bool,
    },
}

impl<H: Host> Capsule<H> {
    /// Makes a guest of the bytes of a `.wasm` file.
    pub fn load(component: &[u8], host: H) -> Result<Capsule<H>, LoadError> {
        Capsule::instantiate(&CapsuleModule::compile(component)?, host)
    }

    /// Makes a guest of a component that is compiled already.
    pub fn instantiate(module: &CapsuleModule, host: H) -> Result<Capsule<H>, LoadError> {
        Capsule::with_state(module.clone(), State::new(host), Policy::shared().guest_limits().call)
    }

    /// Makes a new guest of the same component, for the same host: the way on after a [fault](CallError::Fault). It
    /// knows nothing of the one before and wants a [`session_started`](Capsule::session_started) with the reason
    /// [`Recovered`](StartReason::Recovered).
    pub fn restart(self) -> Result<Capsule<H>, LoadError> {
        let mut state = self.store.into_data();
        state.end_session();
        Capsule::with_state(self.module, state, self.call_time)
    }

    fn with_state(module: CapsuleModule, state: State<H>, call_time: Duration) -> Result<Capsule<H>, LoadError> {
        let (store, extension) = module.instantiate(state)?;
        Ok(Capsule { module, store, extension, call_time, fault: None })
    }

    /// The embedder's side.
    pub fn host(&self) -> &H {
        &self.store.data().host
    }

    /// The embedder's side, to be changed.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.store.data_mut().host
    }

    /// Drops the guest. A session that is still open ends without the guest being told.
    pub fn into_host(self) -> H {
        let mut state = self.store.into_data();
        state.end_session();
        state.host
    }

    /// Sets how long a call may take, in place of what the [policy](Policy::guest_limits) says. What the host does for
    /// the guest meanwhile counts, too.
    pub fn set_call_time(&mut self, time: Duration) {
        self.call_time = time;
    }

    /// A session begins.
    pub fn session_started(&mut self, reason: StartReason) -> Result<(), CallError> {
        const EXPORT: &str = "lifecycle.session-started";
        self.check_order(EXPORT, false)?;
        self.store.data_mut().begin_session();
        self.call(EXPORT, |guest, store| guest.pi_extension_lifecycle().call_session_started(store, reason))
    }

    /// The session ends. Afterwards none of the guest's processes, timers and status lines is left.
    pub fn session_shut_down(&mut self, reason: ShutdownReason) -> Result<(), CallError> {
        const EXPORT: &str = "lifecycle.session-shut-down";
        self.check_order(EXPORT, true)?;
        // Nothing is delivered after it: what it still asks for is cancelled.
        self.call_export(EXPORT, |guest, store| guest.pi_extension_lifecycle().call_session_shut_down(store, reason))?;
        self.store.data_mut().end_session();
        Ok(())
    }

    /// The person moved to another point of the session tree.
    pub fn branch_changed(&mut self) -> Result<(), CallError> {
        self.call_in_session("lifecycle.branch-changed", |guest, store| {
            guest.pi_extension_lifecycle().call_branch_changed(store)
        })
    }

    /// Another model is active.
    pub fn model_changed(&mut self) -> Result<(), CallError> {
        self.call_in_session("lifecycle.model-changed", |guest, store| {
            guest.pi_extension_lifecycle().call_model_changed(store)
        })
    }

    /// A request to the model is about to be built.
    pub fn context_requested(&mut self) -> Result<(), CallError> {
        self.call_in_session("lifecycle.context-requested", |guest, store| {
            guest.pi_extension_lifecycle().call_context_requested(store)
        })
    }

    /// The model has answered once, and the tools it called have finished.
    pub fn turn_ended(&mut self, outcome: RunOutcome) -> Result<(), CallError> {
        self.call_in_session("lifecycle.turn-ended", |guest, store| {
            guest.pi_extension_lifecycle().call_turn_ended(store, outcome)
        })
    }

    /// A run has ended.
    pub fn agent_ended(&mut self, outcome: RunOutcome) -> Result<(), CallError> {
        self.call_in_session("lifecycle.agent-ended", |guest, store| {
            guest.pi_extension_lifecycle().call_agent_ended(store, outcome)
        })
    }

    /// The agent is about to become idle. Not for hosts that cannot append a compaction at this point.
    ///
    /// A boundary with a draft that the policy denies, or that cannot be stored, comes back as `None`: its drafts are
    /// appended all or not at all.
    pub fn before_settle(&mut self) -> Result<Option<Boundary>, CallError> {
        let boundary = self.call_in_session("lifecycle.before-settle", |guest, store| {
            guest.pi_extension_lifecycle().call_before_settle(store)
        })?;
        let state = self.store.data_mut();
        Ok(boundary.filter(|boundary| state.permit(check_drafts(boundary)).is_ok()))
    }

    /// The agent is idle.
    pub fn agent_settled(&mut self, outcome: RunOutcome) -> Result<(), CallError> {
        self.call_in_session("lifecycle.agent-settled", |guest, store| {
            guest.pi_extension_lifecycle().call_agent_settled(store, outcome)
        })
    }

    /// The agent is about to compact.
    ///
    /// Content with details that cannot be stored comes back as [`CompactionDecision::NoOpinion`].
    pub fn before_compact(&mut self, request: CompactionRequest) -> Result<CompactionDecision, CallError> {
        let decision = self.call_in_session("lifecycle.before-compact", |guest, store| {
            guest.pi_extension_lifecycle().call_before_compact(store, request)
        })?;
        let CompactionDecision::Replace(content) = &decision else { return Ok(decision) };
        let stored = storable(check_text(&content.summary, content.details.as_deref()));
        let is_stored = self.store.data_mut().permit(stored).is_ok();
        Ok(if is_stored { decision } else { CompactionDecision::NoOpinion })
    }

    /// A compaction has been written.
    pub fn compacted(&mut self, event: &CompactedEvent) -> Result<(), CallError> {
        self.call_in_session("lifecycle.compacted", |guest, store| {
            guest.pi_extension_lifecycle().call_compacted(store, event)
        })
    }

    /// A compaction was given up after [`before_compact`](Capsule::before_compact).
    pub fn compaction_failed(&mut self, failure: &CompactionFailure) -> Result<(), CallError> {
        self.call_in_session("lifecycle.compaction-failed", |guest, store| {
            guest.pi_extension_lifecycle().call_compaction_failed(store, failure)
        })
    }

    /// The answer to [`Host::compact`].
    pub fn compaction_finished(
        &mut self,
        attempt: AttemptId,
        outcome: Result<(), &CompactionError>,
    ) -> Result<(), CallError> {
        self.call_in_session("lifecycle.compaction-finished", |guest, store| {
            guest.pi_extension_lifecycle().call_compaction_finished(store, attempt, outcome)
        })
    }

    /// The tools of the guest, save those that the policy does not let it offer.
    pub fn tools(&mut self) -> Result<Vec<tools::Definition>, CallError> {
        let mut tools =
            self.call("tools.definitions", |guest, store| guest.pi_extension_tools().call_definitions(store))?;
        let state = self.store.data_mut();
        tools.retain(|tool| state.permit(Policy::shared().tool(&tool.name)).is_ok());
        Ok(tools)
    }

    /// Runs a tool. The inner error is what the model reads when the call failed.
    pub fn call_tool(&mut self, invocation: &tools::Invocation) -> Result<Result<tools::Output, String>, CallError> {
        self.call_in_session("tools.call", |guest, store| guest.pi_extension_tools().call_call(store, invocation))
    }

    /// Another tool is about to run. Long arguments are left out, as the contract wants it.
    pub fn tool_called(&mut self, mut call: tool_observer::Call) -> Result<(), CallError> {
        observer::drop_long_arguments(&mut call.arguments);
        self.call_in_session("tool-observer.tool-called", |guest, store| {
            guest.pi_extension_tool_observer().call_tool_called(store, &call)
        })
    }

    /// Another tool has been answered.
    pub fn tool_finished(&mut self, call_id: &str, is_error: bool) -> Result<(), CallError> {
        self.call_in_session("tool-observer.tool-finished", |guest, store| {
            guest.pi_extension_tool_observer().call_tool_finished(store, call_id, is_error)
        })
    }

    /// The commands of the guest, save those that the policy does not let it offer.
    pub fn commands(&mut self) -> Result<Vec<commands::Definition>, CallError> {
        let mut commands =
            self.call("commands.definitions", |guest, store| guest.pi_extension_commands().call_definitions(store))?;
        let state = self.store.data_mut();
        commands.retain(|command| state.permit(Policy::shared().command_name(&command.name)).is_ok());
        Ok(commands)
    }

    /// What could be typed next.
    pub fn complete_command(&mut self, name: &str, typed: &str) -> Result<Vec<commands::Completion>, CallError> {
        self.call_in_session("commands.complete", |guest, store| {
            guest.pi_extension_commands().call_complete(store, name, typed)
        })
    }

    /// Runs a command.
    pub fn run_command(&mut self, invocation: &commands::Invocation) -> Result<(), CallError> {
        self.call_in_session("commands.run", |guest, store| guest.pi_extension_commands().call_run(store, invocation))
    }

    /// A program that [`Host::start_process`] has started is done. Ignored when the guest does not wait for it any more.
    pub fn subprocess_finished(&mut self, id: RequestId, outcome: &Outcome) -> Result<(), CallError> {
        if !self.store.data_mut().processes.close(id) {
            return Ok(());
        }
        self.call_in_session("completions.subprocess-finished", |guest, store| {
            guest.pi_extension_completions().call_subprocess_finished(store, id, outcome)
        })
    }

    /// A timer that [`Host::start_timer`] has started is due. Ignored when the guest does not wait for it any more.
    pub fn timer_fired(&mut self, id: TimerId) -> Result<(), CallError> {
        if !self.store.data_mut().timers.close(id) {
            return Ok(());
        }
        self.call_in_session("completions.timer-fired", |guest, store| {
            guest.pi_extension_completions().call_timer_fired(store, id)
        })
    }

    fn call_in_session<T>(
        &mut self,
        export: &'static str,
        call: impl FnOnce(&Extension, &mut Store<State<H>>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        self.check_order(export, true)?;
        self.call(export, call)
    }

    fn check_order(&self, export: &'static str, wants_session: bool) -> Result<(), CallError> {
        let has_session = self.store.data().has_session();
        match self.fault {
            // There is no session after a fault, but that is not what the caller got wrong.
            None if has_session != wants_session => Err(CallError::OutOfOrder { export, has_session }),
            _ => Ok(()),
        }
    }

    /// Calls an export, then delivers the answers that have become ready meanwhile.
    fn call<T>(
        &mut self,
        export: &'static str,
        call: impl FnOnce(&Extension, &mut Store<State<H>>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        let answer = self.call_export(export, call)?;
        for _ in 0..MOST_ANSWERS {
            let Some((id, outcome)) = self.store.data_mut().answers.pop_front() else { return Ok(answer) };
            self.call_export("completions.subprocess-finished", |guest, store| {
                guest.pi_extension_completions().call_subprocess_finished(store, id, &outcome)
            })?;
        }
        Err(self.break_down(export, "it asks again and again for what it is refused".into()))
    }

    fn call_export<T>(
        &mut self,
        export: &'static str,
        call: impl FnOnce(&Extension, &mut Store<State<H>>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        if let Some(export) = self.fault {
            return Err(CallError::Stopped { export });
        }
        self.store.data_mut().begin_call();
        self.store.set_epoch_deadline(engine::ticks(self.call_time));
        call(&self.extension, &mut self.store).map_err(|error| {
            let reason = match error.downcast_ref() {
                Some(Trap::Interrupt) => "it did not come to an end".into(),
                _ => plain_line(&error.root_cause().to_string()),
            };
            self.break_down(export, reason)
        })
    }

    fn break_down(&mut self, export: &'static str, reason: String) -> CallError {
        self.fault = Some(export);
        self.store.data_mut().end_session();
        CallError::Fault { export, reason }
    }
}

/// The first draft that the policy denies, or that cannot be stored.
fn check_drafts(boundary: &Boundary) -> Result<(), Denial> {
    boundary.drafts.iter().try_for_each(|draft| match draft {
        Draft::Custom(custom) => {
            Policy::shared().entry_type(&custom.custom_type)?;
            storable(check_data(&custom.data))
        }
        Draft::Message(message) => {
            Policy::shared().message_type(&message.custom_type)?;
            storable(check_text(&message.text, message.details.as_deref()))
        }
        Draft::Compaction(content) => storable(check_text(&content.summary, content.details.as_deref())),
    })
}

fn storable(check: Result<(), String>) -> Result<(), Denial> {
    check.map_err(|why| Denial {
        capability: Capability::Answer,
        reason: format!("an answer that cannot be stored is ignored, part of it is {why}"),
    })
}
