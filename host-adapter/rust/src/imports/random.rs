//! `random`: bits for names. May be used without a session.

use crate::bindings::pi::extension::random;
use crate::host::Host;
use crate::state::State;

impl<H: Host> random::Host for State<H> {
    fn bits(&mut self) -> wasmtime::Result<u32> {
        Ok(self.host.random_bits())
    }
}
