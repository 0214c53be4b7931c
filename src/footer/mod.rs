//! The footer: one status line that says where the session is working.
//!
//! It is discovered from what git says about the paths that the tools touch, never guessed, and never replaces a line of
//! the host's own. At the start of a session the place is the root that the person pinned, if that can be confirmed, else
//! the startup directory.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `evidence` | what a tool call says of where the session works |
//! | `resolving` | which repositories those paths are in |
//! | `lookup`, `git`, `github` | what git says of a directory |
//! | `pull_request` | what GitHub says of a branch |
//! | `cache` | what is remembered of both |
//! | `controller` | what happens at each event |
//! | `command` | `/pr-footer` |
//! | `state` | what outlives the instance |
//! | `text` | the line |
//!
//! The age timer only writes the line anew from what is known; it asks nobody. What finishes after the session was shut
//! down changes nothing.

mod cache;
pub mod command;
mod controller;
pub mod evidence;
pub mod git;
pub mod github;
pub mod lookup;
pub mod path;
pub mod pull_request;
mod resolving;
pub mod state;
pub mod text;

use crate::host::{Host, Outcome, RequestId, TimerId};
use crate::session::Session;

use controller::Controller;

/// The name of the status line.
pub const STATUS_KEY: &str = "pr-footer";

/// The footer of a session that may or may not be running.
#[derive(Debug, Default)]
pub struct Footer {
    running: Option<Controller>,
}

impl Footer {
    /// A session begins, and `session` is up to date.
    pub fn on_session_started(&mut self, session: &Session, host: &mut dyn Host) {
        self.on_session_shut_down(host);
        self.running = Some(Controller::start(session, host));
    }

    /// The session ends.
    pub fn on_session_shut_down(&mut self, host: &mut dyn Host) {
        if let Some(running) = self.running.take() {
            running.stop(host);
        }
    }

    /// The person moved to another point of the session tree.
    pub fn on_branch_changed(&mut self, session: &Session) {
        if let Some(running) = &mut self.running {
            running.on_branch_changed(session);
        }
    }

    /// Another tool is called, with a JSON object, in a directory.
    pub fn on_tool_called(&mut self, call_id: &str, tool: &str, arguments: &str, cwd: &str, host: &mut dyn Host) {
        if let Some(running) = &mut self.running {
            running.on_tool_called(call_id, tool, arguments, cwd, host);
        }
    }

    /// A call of another tool has ended, well or not.
    pub fn on_tool_finished(&mut self, call_id: &str, host: &mut dyn Host) {
        if let Some(running) = &mut self.running {
            running.on_tool_finished(call_id, host);
        }
    }

    /// The agent is idle.
    pub fn on_agent_settled(&mut self, host: &mut dyn Host) {
        if let Some(running) = &mut self.running {
            running.on_agent_settled(host);
        }
    }

    /// A process has ended. Ids of others are ignored.
    pub fn on_subprocess_finished(&mut self, id: RequestId, outcome: &Outcome, host: &mut dyn Host) {
        if let Some(running) = &mut self.running {
            running.on_answer(id, outcome, host);
        }
    }

    /// A timer has run out. Ids of others are ignored.
    pub fn on_timer_fired(&mut self, id: TimerId, host: &mut dyn Host) {
        if let Some(running) = &mut self.running {
            running.on_timer_fired(id, host);
        }
    }

    /// The person has typed `/pr-footer`, in a directory.
    pub fn run_command(&mut self, arguments: &str, cwd: &str, host: &mut dyn Host) {
        if let Some(running) = &mut self.running {
            running.run_command(arguments, cwd, host);
        }
    }

    /// What could be typed after `/pr-footer`: what takes the place of what was typed, and a line beside it.
    pub fn complete(&self, typed: &str) -> Vec<(String, Option<&'static str>)> {
        match &self.running {
            Some(running) => running.complete(typed),
            None => command::complete(typed, &[]),
        }
    }
}
