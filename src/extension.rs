//! The composition root: owns the features and brings events, tools and commands to them.
//!
//! Nothing is decided here. A host's events arrive in the order in which they happened and never overlap.

use crate::footer::Footer;
use crate::host::{Host, Outcome, RequestId, TimerId};
use crate::session::Session;
use crate::tools;

/// The whole guest.
#[derive(Debug, Default)]
pub struct Extension {
    session: Option<Session>,
    footer: Footer,
}

impl Extension {
    /// A session begins.
    pub fn on_session_started(&mut self, host: &mut dyn Host) {
        let seed = u64::from(host.random_bits()) << 32 | u64::from(host.random_bits());
        let session = self.session.insert(Session::new(host.session().id, seed));
        session.sync(host);
        self.footer.on_session_started(session, host);
    }

    /// The session ends.
    pub fn on_session_shut_down(&mut self, host: &mut dyn Host) {
        self.footer.on_session_shut_down(host);
        self.session = None;
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
        let Some(session) = &mut self.session else {
            return Err(format!("{name} needs a session, and none is open."));
        };
        session.sync(host);
        tools::call(&mut tools::Context { session, host }, name, arguments)
    }
}
