//! The footer: one status line that says where the session is working.
//!
//! It is discovered from what git says, never guessed, and never replaces a line of the host's own. At the start of a
//! session the place is the root that the person pinned, if that can be confirmed, else the startup directory.
//!
//! | looking at | finding | what happens |
//! | --- | --- | --- |
//! | pinned root | that very repository | shown, pinned |
//! | pinned root | no repository, another one, no directory | the pin is dropped and stored so; look at the startup directory |
//! | pinned root | indeterminate | pin kept, shown as not verifiable |
//! | startup directory | repository | shown, remembered as confirmed |
//! | startup directory | no directory | look at its parent, up to the root of the path |
//! | startup directory | no repository, indeterminate | shown as not usable |
//!
//! The age timer only writes the line anew from what is known; it asks nobody. What finishes after the session was shut
//! down changes nothing.

pub mod git;
pub mod github;
pub mod lookup;
pub mod path;
pub mod state;
pub mod text;

use crate::host::{Host, Outcome, PathStyle, RequestId, TimerId};
use crate::session::Session;

use lookup::{Finding, Lookup, Repository};
use state::{Mode, State};
use text::Place;

/// The name of the status line.
pub const STATUS_KEY: &str = "pr-footer";
/// How often the age is written anew, in milliseconds.
const AGE_INTERVAL: u32 = 1_000;

/// The footer of a session that may or may not be running.
#[derive(Debug, Default)]
pub struct Footer {
    running: Option<Running>,
}

/// The footer while there is a session.
#[derive(Debug)]
struct Running {
    cwd: String,
    path_style: PathStyle,
    state: State,
    stored: Option<State>,
    lookup: Option<(Target, Lookup)>,
    place: Option<Place>,
    shown: Option<String>,
    age_timer: Option<TimerId>,
}

/// Why a directory is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The person pinned it in an earlier run of the session.
    RestoredPin,
    /// The session was started there, or below it.
    Startup,
}

impl Footer {
    /// A session begins, and `session` is up to date.
    pub fn on_session_started(&mut self, session: &Session, host: &mut dyn Host) {
        self.on_session_shut_down(host);
        let mut running = Running::restore(session, host);
        running.look(host);
        self.running = Some(running);
    }

    /// The session ends.
    pub fn on_session_shut_down(&mut self, host: &mut dyn Host) {
        if let Some(mut running) = self.running.take() {
            running.stop(host);
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
        if let Some(running) = &mut self.running
            && running.age_timer == Some(id)
        {
            running.age_timer = Some(host.start_timer(AGE_INTERVAL));
            running.publish(host);
        }
    }
}

impl Running {
    fn restore(session: &Session, host: &mut dyn Host) -> Self {
        let info = host.session();
        let stored = State::restore(session.custom_data(state::CUSTOM_TYPE).rev(), info.path_style);
        let state = stored.clone().unwrap_or_else(|| State::new(info.created_at.unwrap_or_else(|| host.now())));
        Self {
            cwd: info.cwd,
            path_style: info.path_style,
            state,
            stored,
            lookup: None,
            place: None,
            shown: None,
            age_timer: None,
        }
    }

    /// Looks at the place that the session should be in by its mode.
    fn look(&mut self, host: &mut dyn Host) {
        self.lookup = Some(match &self.state.mode {
            Mode::Pinned { root } => (Target::RestoredPin, Lookup::start(root, host)),
            Mode::Auto => (Target::Startup, Lookup::start(&self.cwd, host)),
        });
    }

    fn on_answer(&mut self, id: RequestId, outcome: &Outcome, host: &mut dyn Host) {
        let Some((target, mut lookup)) = self.lookup.take() else { return };
        match lookup.on_answer(id, outcome, host) {
            Some(finding) => self.on_finding(target, &lookup, finding, host),
            None => self.lookup = Some((target, lookup)),
        }
    }

    fn on_finding(&mut self, target: Target, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match (target, finding) {
            (Target::RestoredPin, Finding::Repository(repository)) if repository.root == lookup.directory() => {
                self.show(self.repository(repository), host);
            }
            (Target::RestoredPin, Finding::Indeterminate(_)) => self.show(Place::Unverified, host),
            (Target::RestoredPin, Finding::Repository(_) | Finding::NotRepository | Finding::NoDirectory) => {
                self.state.mode = Mode::Auto;
                self.store(host);
                self.look(host);
            }
            (Target::Startup, Finding::Repository(repository)) => {
                self.state.last_confirmed_root = Some(repository.root.clone());
                self.show(self.repository(repository), host);
            }
            (Target::Startup, Finding::NoDirectory) => match path::parent(lookup.directory(), self.path_style) {
                Some(parent) => self.lookup = Some((Target::Startup, Lookup::start(parent, host))),
                None => self.show(Place::Unusable, host),
            },
            (Target::Startup, Finding::NotRepository | Finding::Indeterminate(_)) => self.show(Place::Unusable, host),
        }
    }

    fn repository(&self, repository: Repository) -> Place {
        let (name, on_github) = match repository.github {
            Some(github) => (format!("{}/{}", github.owner, github.name), true),
            None => (path::name(&repository.root, self.path_style).to_owned(), false),
        };
        Place::Repository { name, on_github, head: repository.head }
    }

    fn show(&mut self, place: Place, host: &mut dyn Host) {
        self.place = Some(place);
        self.store(host);
        self.publish(host);
        if self.age_timer.is_none() {
            self.age_timer = Some(host.start_timer(AGE_INTERVAL));
        }
    }

    /// Writes the state to the branch if it is not there yet. A failure is the host's to report; the next
    /// change tries again.
    fn store(&mut self, host: &mut dyn Host) {
        if self.stored.as_ref() == Some(&self.state) {
            return;
        }
        if host.append(state::CUSTOM_TYPE, &self.state.to_json()).is_ok() {
            self.stored = Some(self.state.clone());
        }
    }

    /// Shows the line if it differs from what is shown.
    fn publish(&mut self, host: &mut dyn Host) {
        let Some(place) = &self.place else { return };
        let pinned = matches!(self.state.mode, Mode::Pinned { .. });
        let line = text::line(place, pinned, self.state.started_at, host.now());
        if self.shown.as_deref() == Some(line.as_str()) {
            return;
        }
        if host.set_status(STATUS_KEY, Some(&line)).is_ok() {
            self.shown = Some(line);
        }
    }

    fn stop(&mut self, host: &mut dyn Host) {
        if let Some((_, lookup)) = &mut self.lookup {
            lookup.cancel(host);
        }
        if let Some(timer) = self.age_timer {
            host.cancel_timer(timer);
        }
        if self.shown.is_some() {
            // Nothing is left to do about a line that cannot be taken away.
            let _ = host.set_status(STATUS_KEY, None);
        }
    }
}
