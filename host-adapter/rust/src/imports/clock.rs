//! `clock`: the time, and timers. May be used without a session.

use crate::bindings::pi::extension::clock;
use crate::host::Host;
use crate::state::State;
use crate::wit::clock::{Monotonic, TimerId, Timestamp};

impl<H: Host> clock::Host for State<H> {
    fn now(&mut self) -> wasmtime::Result<Timestamp> {
        Ok(self.host.now())
    }

    fn monotonic_now(&mut self) -> wasmtime::Result<Monotonic> {
        Ok(self.host.monotonic_now())
    }

    fn utc_offset(&mut self, at: Timestamp) -> wasmtime::Result<i16> {
        Ok(self.host.utc_offset(at))
    }

    fn start_timer(&mut self, delay: u32) -> wasmtime::Result<TimerId> {
        self.count_request()?;
        let id = self.timers.open();
        self.host.start_timer(id, delay);
        Ok(id)
    }

    fn cancel_timer(&mut self, id: TimerId) -> wasmtime::Result<()> {
        if self.timers.close(id) {
            self.host.cancel_timer(id);
        }
        Ok(())
    }
}
