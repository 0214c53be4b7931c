//! `agent`: what the agent is doing, and messages to the model.

use crate::bindings::pi::extension::agent;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;
use crate::stored::check_text;
use crate::wit::agent::{AgentError, AttemptId, ContextUsage, Delivery, OutgoingMessage};

impl<H: Host> agent::Host for State<H> {
    fn usage(&mut self) -> wasmtime::Result<Option<ContextUsage>> {
        self.in_session("agent.usage", |state| state.host.context_usage())
    }

    fn is_idle(&mut self) -> wasmtime::Result<bool> {
        self.in_session("agent.is-idle", |state| state.host.is_idle())
    }

    fn has_pending_messages(&mut self) -> wasmtime::Result<bool> {
        self.in_session("agent.has-pending-messages", |state| state.host.has_pending_messages())
    }

    fn is_aborted(&mut self) -> wasmtime::Result<bool> {
        self.in_session("agent.is-aborted", |state| state.host.is_aborted())
    }

    fn send_message(
        &mut self,
        message: OutgoingMessage,
        delivery: Delivery,
    ) -> wasmtime::Result<Result<(), AgentError>> {
        self.count_request()?;
        self.in_session("agent.send-message", |state| {
            let decision = Policy::shared().message_type(&message.custom_type);
            state.permit(decision).map_err(AgentError::Denied)?;
            check_text(&message.text, message.details.as_deref())
                .map_err(|why| AgentError::Unavailable(format!("a message that cannot be stored: {why}")))?;
            state.host.send_message(message, delivery)
        })
    }

    fn compact(&mut self, attempt: AttemptId) -> wasmtime::Result<Result<(), AgentError>> {
        self.count_request()?;
        self.in_session("agent.compact", |state| state.host.compact(attempt))
    }
}
