//! `subprocess`: programs, each request answered once.
//!
//! A request that will not run is answered here, by way of the same queue that answers the cancelled ones; the capsule
//! delivers from it as soon as the running export has returned.

use crate::bindings::pi::extension::subprocess;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;
use crate::wit::subprocess::{Command, Outcome, RequestId};

impl<H: Host> subprocess::Host for State<H> {
    fn start(&mut self, command: Command) -> wasmtime::Result<RequestId> {
        self.count_request()?;
        self.in_session("subprocess.start", |state| {
            let id = state.processes.open();
            if let Err(outcome) = state.start_process(id, command) {
                state.processes.close(id);
                state.answers.push_back((id, outcome));
            }
            id
        })
    }

    fn cancel(&mut self, id: RequestId) -> wasmtime::Result<()> {
        self.in_session("subprocess.cancel", |state| {
            if state.processes.close(id) {
                state.host.cancel_process(id);
                state.answers.push_back((id, Outcome::Cancelled));
            }
        })
    }
}

impl<H: Host> State<H> {
    /// Has the program of an open request started, or says what became of it instead.
    fn start_process(&mut self, id: RequestId, command: Command) -> Result<(), Outcome> {
        let policy = Policy::shared();
        let command = self.permit(policy.command(command)).map_err(Outcome::Denied)?;
        let most = policy.process_limits().concurrent;
        if self.processes.len() > most {
            return Err(Outcome::Unavailable(format!("{most} programs are running already")));
        }
        self.host.start_process(id, command)
    }
}
