//! `session-writer`: custom entries at the end of the active branch.

use serde_json::Value;

use crate::bindings::pi::extension::session_writer;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;
use crate::wit::session_reader::{EntryId, Json};
use crate::wit::session_writer::AppendError;

/// The longest data of an entry, in bytes: what the contract promises to store, and no more.
const LONGEST_DATA: usize = 2 * 1024 * 1024;

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

/// Whether the session can hold the data, and be read again with it.
pub(crate) fn check_data(data: &str) -> Result<(), String> {
    if data.len() > LONGEST_DATA {
        return Err(format!("longer than {LONGEST_DATA} bytes"));
    }
    // Reads 127 levels and no more, which is as deep as an entry may be: the session has to be read again.
    match serde_json::from_str::<Value>(data) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("not JSON, or nested too deep: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_one_json_value_of_bounded_length() {
        assert_eq!(check_data(r#"{"version": 1}"#), Ok(()));
        assert!(check_data("{} {}").unwrap_err().starts_with("not JSON, "));
        assert!(check_data("").is_err());
        let text = |length| format!("\"{}\"", "x".repeat(length - 2));
        assert_eq!(check_data(&text(LONGEST_DATA)), Ok(()));
        assert_eq!(check_data(&text(LONGEST_DATA + 1)), Err("longer than 2097152 bytes".into()));
        let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(check_data(&nested(127)), Ok(()));
        assert!(check_data(&nested(128)).unwrap_err().ends_with("recursion limit exceeded at line 1 column 128"));
    }
}
