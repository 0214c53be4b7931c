//! `settings`: single sections, and when the agent compacts.

use crate::bindings::pi::extension::settings;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;
use crate::wit::session_reader::Json;
use crate::wit::settings::{CompactionPolicy, Scope, SettingsError};

impl<H: Host> settings::Host for State<H> {
    fn section(&mut self, scope: Scope, name: String) -> wasmtime::Result<Result<Option<Json>, SettingsError>> {
        self.in_session("settings.section", |state| {
            state.permit(Policy::shared().settings_section(&name)).map_err(SettingsError::Denied)?;
            state.host.settings_section(scope, &name)
        })
    }

    fn compaction(&mut self) -> wasmtime::Result<Result<CompactionPolicy, SettingsError>> {
        self.in_session("settings.compaction", |state| state.host.compaction_policy())
    }
}
