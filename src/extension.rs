//! The composition root: owns the features and brings events, tools and commands to them.
//!
//! Nothing is decided here. A host's events arrive in the order in which they happened and never overlap. The projections
//! are brought up to date before a feature looks at them.

use crate::footer::{self, Footer};
use crate::host::{
    AttemptId, Boundary, CompactionDecision, CompactionError, Host, Outcome, RequestId, RunOutcome, TimerId,
};
use crate::reset::{CompactionRequest, Reset, command};
use crate::session::Session;
use crate::tools;

/// The whole guest.
#[derive(Debug, Default)]
pub struct Extension {
    open: Option<Open>,
    footer: Footer,
}

/// What there is while a session is open.
#[derive(Debug)]
struct Open {
    session: Session,
    reset: Reset,
}

/// A command as the person sees it.
#[derive(Clone, Copy, Debug)]
pub struct CommandDefinition {
    /// Without the slash.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
}

/// Something that could be typed after a command.
#[derive(Clone, Debug)]
pub struct Completion {
    /// What takes the place of what was typed.
    pub value: String,
    /// One line beside it.
    pub description: Option<&'static str>,
}

impl Extension {
    /// A session begins, perhaps as a copy of another one.
    pub fn on_session_started(&mut self, is_fork: bool, host: &mut dyn Host) {
        let seed = u64::from(host.random_bits()) << 32 | u64::from(host.random_bits());
        let mut session = Session::new(host.session().id, seed);
        session.sync(host);
        let reset = Reset::start(&session, is_fork, host);
        self.footer.on_session_started(&session, host);
        self.open = Some(Open { session, reset });
    }

    /// The session ends.
    pub fn on_session_shut_down(&mut self, host: &mut dyn Host) {
        self.footer.on_session_shut_down(host);
        self.open = None;
    }

    /// The person moved to another point of the session tree.
    pub fn on_branch_changed(&mut self, host: &mut dyn Host) {
        let footer = &mut self.footer;
        if let Some(open) = &mut self.open {
            open.session.sync(host);
            open.reset.on_branch_changed(&open.session, host);
            footer.on_branch_changed(&open.session);
        }
    }

    /// Another model is active.
    pub fn on_model_changed(&mut self) {
        if let Some(open) = &mut self.open {
            open.reset.on_model_changed();
        }
    }

    /// A request to the model is about to be built.
    pub fn on_context_requested(&mut self, host: &mut dyn Host) {
        self.with_open(host, |open, host| open.reset.on_context_requested(&open.session, host));
    }

    /// The model has answered once.
    pub fn on_turn_ended(&mut self, outcome: RunOutcome) {
        if let Some(open) = &mut self.open {
            open.reset.on_turn_ended(outcome);
        }
    }

    /// A run has ended.
    pub fn on_agent_ended(&mut self, outcome: RunOutcome) {
        if let Some(open) = &mut self.open {
            open.reset.on_agent_ended(outcome);
        }
    }

    /// A run is about to settle.
    pub fn before_settle(&mut self, host: &mut dyn Host) -> Option<Boundary> {
        self.with_open(host, |open, host| open.reset.before_settle(&open.session, host))?
    }

    /// The agent is idle.
    pub fn on_agent_settled(&mut self, outcome: RunOutcome, host: &mut dyn Host) {
        self.with_open(host, |open, host| open.reset.on_agent_settled(outcome, &open.session, host));
        self.footer.on_agent_settled(host);
    }

    /// The agent is about to compact.
    pub fn before_compact(&mut self, request: CompactionRequest, host: &mut dyn Host) -> CompactionDecision {
        self.with_open(host, |open, host| open.reset.before_compact(request, &open.session, host))
            .unwrap_or(CompactionDecision::NoOpinion)
    }

    /// A compaction has been written.
    pub fn on_compacted(&mut self, host: &mut dyn Host) {
        self.with_open(host, |open, host| open.reset.on_compacted(&open.session, host));
    }

    /// A compaction was given up.
    pub fn on_compaction_failed(&mut self, aborted: bool, why: Option<&str>, host: &mut dyn Host) {
        if let Some(open) = &mut self.open {
            open.reset.on_compaction_failed(aborted, why, host);
        }
    }

    /// The agent has answered a request to compact.
    pub fn on_compaction_finished(
        &mut self,
        attempt: AttemptId,
        result: &Result<(), CompactionError>,
        host: &mut dyn Host,
    ) {
        self.with_open(host, |open, host| {
            open.reset.on_compaction_finished(attempt, result, &open.session, host);
        });
    }

    /// Another tool is called, with a JSON object, in a directory.
    pub fn on_tool_called(&mut self, call_id: &str, tool: &str, arguments: &str, cwd: &str, host: &mut dyn Host) {
        self.footer.on_tool_called(call_id, tool, arguments, cwd, host);
    }

    /// A call of another tool has ended.
    pub fn on_tool_finished(&mut self, call_id: &str, host: &mut dyn Host) {
        self.footer.on_tool_finished(call_id, host);
    }

    /// A process has ended.
    pub fn on_subprocess_finished(&mut self, id: RequestId, outcome: &Outcome, host: &mut dyn Host) {
        self.footer.on_subprocess_finished(id, outcome, host);
    }

    /// A timer has run out.
    pub fn on_timer_fired(&mut self, id: TimerId, host: &mut dyn Host) {
        self.footer.on_timer_fired(id, host);
    }

    /// The model calls a tool.
    pub fn call_tool(&mut self, name: &str, arguments: &str, host: &mut dyn Host) -> tools::Answer {
        let call = |open: &mut Open, host: &mut dyn Host| {
            let Open { session, reset } = open;
            tools::call(&mut tools::Context { session, reset, host }, name, arguments)
        };
        self.with_open(host, call).unwrap_or_else(|| Err(format!("{name} needs a session, and none is open.")))
    }

    /// The commands of the person.
    pub fn commands() -> [CommandDefinition; 2] {
        [
            CommandDefinition { name: command::NAME, description: command::DESCRIPTION },
            CommandDefinition { name: footer::command::NAME, description: footer::command::DESCRIPTION },
        ]
    }

    /// What could be typed after a command.
    pub fn complete(&self, name: &str, typed: &str) -> Vec<Completion> {
        match name {
            command::NAME => {
                let known = command::ARGUMENTS.iter().filter(|(value, _)| value.starts_with(typed.trim_start()));
                known.map(|&(value, what)| Completion { value: value.into(), description: Some(what) }).collect()
            }
            footer::command::NAME => {
                let known = self.footer.complete(typed).into_iter();
                known.map(|(value, description)| Completion { value, description }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The person has typed a command, in a directory.
    pub fn run_command(&mut self, name: &str, arguments: &str, cwd: &str, host: &mut dyn Host) {
        match (name, &mut self.open) {
            (command::NAME, Some(open)) => open.reset.run_command(arguments, host),
            (footer::command::NAME, _) => self.footer.run_command(arguments, cwd, host),
            _ => {}
        }
    }

    /// Calls with projections that are up to date, while a session is open.
    fn with_open<T>(&mut self, host: &mut dyn Host, call: impl FnOnce(&mut Open, &mut dyn Host) -> T) -> Option<T> {
        let open = self.open.as_mut()?;
        open.session.sync(host);
        Some(call(open, host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_completes_what_begins_so() {
        let values = |name: &str, typed: &str| -> Vec<String> {
            Extension::default().complete(name, typed).into_iter().map(|completion| completion.value).collect()
        };
        assert_eq!(values("pi-context", ""), ["on", "off"]);
        assert_eq!(values("pi-context", "of"), ["off"]);
        assert_eq!(values("pi-context", "x"), [""; 0]);
        assert_eq!(values("pr-footer", "re"), ["refresh"]);
        assert_eq!(values("other", ""), [""; 0]);
    }
}
