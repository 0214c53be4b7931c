//! `session-writer`: custom entries at the end of the active branch.

use crate::bindings::pi::extension::session_writer;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;
use crate::stored::check_data;
use crate::wit::session_reader::{EntryId, Json};
use crate::wit::session_writer::AppendError;

impl<H: Host> session_writer::Host for State<H> {
    fn append(&mut self, custom_type: String, data: Json) -> wasmtime::Result<Result<EntryId, AppendError>> {
        self.count_request()?;
        self.in_session("session-writer.append", |state| {
            state.permit(Policy::shared().entry_type(&custom_type)).map_err(AppendError::Denied)?;
            check_data(&data).map_err(AppendError::InvalidData)?;
            state.host.append(&custom_type, &data)
        })
    }
}
