//! What is shown, what of it is remembered, and what of it is stored.

use crate::host::Host;

use super::{AGE_INTERVAL, Controller, Current, GOOD_LIFETIME, PullLookup};
use crate::footer::STATUS_KEY;
use crate::footer::lookup::{Head, Repository};
use crate::footer::path;
use crate::footer::pull_request::{PullRequest, Query, Unknown};
use crate::footer::state::{self, Mode};
use crate::footer::text::{self, Place, Pulls};

impl Controller {
    pub(super) fn is_pinned(&self) -> bool {
        matches!(self.state.mode, Mode::Pinned { .. })
    }

    pub(super) fn current_root(&self) -> Option<&str> {
        match &self.current {
            Current::Repository { repository, .. } => Some(&repository.root),
            _ => None,
        }
    }

    pub(super) fn remember_and_show(&mut self, repository: Repository, host: &mut dyn Host) {
        self.remember(&repository.root, Some(repository.clone()), GOOD_LIFETIME, host);
        self.show_repository(repository, host);
    }

    pub(super) fn remember(&mut self, root: &str, repository: Option<Repository>, lifetime: u64, host: &mut dyn Host) {
        let (epoch, now) = (self.snapshots.epoch(), host.monotonic_now());
        self.snapshots.insert(root.to_owned(), repository, epoch, now, lifetime);
    }

    /// Shows a repository at once, with what is known of its pull requests, and asks for what is not.
    pub(super) fn show_repository(&mut self, repository: Repository, host: &mut dyn Host) {
        let query = query_of(&repository);
        let known = query.as_ref().and_then(|query| self.queries.get(query, host.monotonic_now()).copied());
        if !self.is_pinned() {
            self.state.last_confirmed_root = Some(repository.root.clone());
        }
        self.show(Current::Repository { repository, pulls: pulls_of(known.as_ref()), is_stale: false }, host);
        match query {
            Some(query) if known.is_none() => self.ask_pulls(query, host),
            _ => {}
        }
    }

    pub(super) fn ask_pulls(&mut self, query: Query, host: &mut dyn Host) {
        let epoch = self.queries.epoch();
        if let Some(running) = &self.pull_lookup {
            if running.query == query && running.epoch == epoch {
                return;
            }
            host.cancel_process(running.id);
        }
        let id = host.start_process(query.command());
        self.pull_lookup = Some(PullLookup { id, query, epoch });
    }

    /// A root could not be looked at. What was shown of it before may be wrong by now; nothing else is shown for it.
    pub(super) fn show_stale(&mut self, root: &str, host: &mut dyn Host) {
        match &mut self.current {
            Current::Repository { repository, is_stale, .. } if repository.root == root => {
                *is_stale = true;
                self.publish(host);
            }
            _ => self.show(Current::Unusable, host),
        }
    }

    pub(super) fn show(&mut self, current: Current, host: &mut dyn Host) {
        self.current = current;
        self.store(host);
        self.publish(host);
        if self.age_timer.is_none() {
            self.age_timer = Some(host.start_timer(AGE_INTERVAL));
        }
    }

    /// Writes the state to the branch if it is not there yet. A failure is the host's to report; the next change tries
    /// again.
    pub(super) fn store(&mut self, host: &mut dyn Host) {
        if self.stored.as_ref() == Some(&self.state) {
            return;
        }
        if host.append(state::CUSTOM_TYPE, &self.state.to_json()).is_ok() {
            self.stored = Some(self.state.clone());
        }
    }

    /// Shows the line if it differs from what is shown.
    pub(super) fn publish(&mut self, host: &mut dyn Host) {
        let Some(line) = self.line(host) else { return };
        if self.shown.as_deref() == Some(line.as_str()) {
            return;
        }
        if host.set_status(STATUS_KEY, Some(&line)).is_ok() {
            self.shown = Some(line);
        }
    }

    pub(super) fn line(&self, host: &dyn Host) -> Option<String> {
        let place = match &self.current {
            Current::Unseen => return None,
            Current::Unusable => Place::Unusable,
            Current::Unverified => Place::Unverified,
            Current::Ambiguous(roots) => Place::Ambiguous(*roots),
            Current::Repository { repository, pulls, is_stale } => Place::Repository {
                name: self.name_of(repository),
                head: repository.head.clone(),
                pulls: *pulls,
                is_stale: *is_stale,
            },
        };
        Some(text::line(&place, self.is_pinned(), self.state.started_at, host.now()))
    }

    pub(super) fn name_of(&self, repository: &Repository) -> String {
        match &repository.github {
            Some(github) => format!("{}/{}", github.owner, github.name),
            None => path::name(&repository.root, self.style).to_owned(),
        }
    }
}

/// What the pull requests of a repository are looked up by; nothing where there can be none.
pub(super) fn query_of(repository: &Repository) -> Option<Query> {
    match (&repository.github, &repository.head) {
        // A name that could not be read whole would ask about another branch.
        (Some(github), Head::Branch(branch)) if !branch.contains(char::REPLACEMENT_CHARACTER) => {
            Some(Query::new(github, branch))
        }
        _ => None,
    }
}

pub(super) fn pulls_of(known: Option<&Result<Option<PullRequest>, Unknown>>) -> Pulls {
    match known {
        Some(Ok(Some(pull))) => Pulls::Open(*pull),
        Some(Ok(None)) => Pulls::None,
        Some(Err(Unknown)) | None => Pulls::Unknown,
    }
}
