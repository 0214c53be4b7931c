//! `status`: status lines and notices.

use crate::bindings::pi::extension::status;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;
use crate::text::{plain_line, plain_lines};
use crate::wit::status::{NoticeLevel, StatusError};

impl<H: Host> status::Host for State<H> {
    fn set_status(&mut self, key: String, text: Option<String>) -> wasmtime::Result<Result<(), StatusError>> {
        self.count_request()?;
        self.in_session("status.set-status", |state| {
            state.permit(Policy::shared().status_key(&key)).map_err(StatusError::Denied)?;
            let text = text.as_deref().map(plain_line);
            state.host.set_status(&key, text.as_deref())?;
            match text {
                Some(_) => state.shown.insert(key),
                None => state.shown.remove(&key),
            };
            Ok(())
        })
    }

    fn notify(&mut self, level: NoticeLevel, message: String) -> wasmtime::Result<Result<(), StatusError>> {
        self.count_request()?;
        self.in_session("status.notify", |state| state.host.notify(level, &plain_lines(&message)))
    }
}
