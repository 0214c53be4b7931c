//! What is done, step by step: what each look is about, and what follows from what it has found.

use crate::host::{Host, NoticeLevel, Outcome, RequestId};

use super::shown::{pulls_of, query_of};
use super::{BAD_LIFETIME, CallNumber, Controller, Current, GOOD_LIFETIME, PullLookup, Staged, Work, push_bounded};
use crate::footer::evidence::EffectKind;
use crate::footer::lookup::{Finding, Lookup};
use crate::footer::path;
use crate::footer::resolving::{Resolution, Resolving};
use crate::footer::state::Mode;

impl Controller {
    /// Looks at the place that the session should be in by its mode.
    pub(super) fn look(&mut self, host: &mut dyn Host) {
        self.work = match &self.state.mode {
            Mode::Pinned { root } => Work::Restoring(Lookup::whole(root, host)),
            Mode::Auto => Work::Starting(Lookup::whole(&self.cwd, host)),
        };
    }

    /// Brings an answer to a look; goes on with the look, or with what it has found.
    pub(super) fn look_on(
        &mut self,
        mut lookup: Lookup,
        work: fn(Lookup) -> Work,
        on_finding: fn(&mut Self, &Lookup, Finding, &mut dyn Host),
        id: RequestId,
        outcome: &Outcome,
        host: &mut dyn Host,
    ) {
        match lookup.on_answer(id, outcome, host) {
            Some(finding) => on_finding(self, &lookup, finding, host),
            None => self.work = work(lookup),
        }
    }

    /// Begins with what waits, if nothing is being done.
    pub(super) fn go_on(&mut self, host: &mut dyn Host) {
        if !matches!(self.work, Work::Idle) || self.debounce.is_some() {
            return;
        }
        let has_effects = !self.effects.is_empty();
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                // What such a command touches is not only the directory that it runs in.
                EffectKind::Git => {
                    self.roots.forget(|_, _| true);
                    self.snapshots.forget(|_, _| true);
                }
                EffectKind::PullRequest => self.queries.forget(|_, _| true),
            }
        }
        let mut hints = std::mem::take(&mut self.hints);
        hints.retain(|(call, _)| *call > self.watermark);
        if let Some(newest) = hints.iter().map(|(call, _)| *call).max() {
            let hints = hints.into_iter().map(|(_, hint)| hint).collect();
            self.resolve(Resolving::new(hints, &self.roots, self.style), newest, host);
        } else if has_effects && let Some(root) = self.current_root() {
            self.identify(root.to_owned(), host);
        }
    }

    /// Does not wait for more hints.
    pub(super) fn flush(&mut self, host: &mut dyn Host) {
        if let Some(timer) = self.debounce.take() {
            host.cancel_timer(timer);
        }
        self.go_on(host);
    }

    pub(super) fn take_effect(&mut self, staged: Staged) {
        for effect in staged.effects {
            if !self.effects.contains(&effect) {
                self.effects.push(effect);
            }
        }
        for hint in staged.after {
            push_bounded(&mut self.hints, (staged.call, hint));
        }
    }

    pub(super) fn resolve(&mut self, mut resolving: Resolving, newest: CallNumber, host: &mut dyn Host) {
        match resolving.advance(&mut self.roots, host.monotonic_now(), host) {
            None => self.work = Work::Resolving(resolving, newest),
            Some(resolution) => {
                if resolution != Resolution::Nothing {
                    self.watermark = newest;
                }
                self.on_resolved(resolution, host);
            }
        }
    }

    pub(super) fn on_resolved(&mut self, resolution: Resolution, host: &mut dyn Host) {
        match (resolution, &self.state.mode) {
            (Resolution::Root(root), Mode::Pinned { root: pinned }) if root == *pinned => self.identify(root, host),
            (_, Mode::Pinned { .. }) | (Resolution::Nothing, Mode::Auto) => {}
            (Resolution::Root(root), Mode::Auto) => self.identify(root, host),
            (Resolution::Ambiguous(roots), Mode::Auto) => self.show(Current::Ambiguous(roots), host),
            (Resolution::Unknown, Mode::Auto) => self.show(Current::Unusable, host),
        }
    }

    pub(super) fn identify(&mut self, root: String, host: &mut dyn Host) {
        match self.snapshots.get(&root, host.monotonic_now()).cloned() {
            Some(Some(repository)) => self.show_repository(repository, host),
            Some(None) => self.show_stale(&root, host),
            None => self.work = Work::Identifying(Lookup::identity(&root, host)),
        }
    }

    pub(super) fn on_identified(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match finding {
            Finding::Repository(repository) => self.remember_and_show(repository, host),
            Finding::Root(_) | Finding::NotRepository | Finding::NoDirectory | Finding::Indeterminate(_) => {
                self.remember(lookup.directory(), None, BAD_LIFETIME, host);
                self.show_stale(lookup.directory(), host);
            }
        }
    }

    pub(super) fn on_restored(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match finding {
            Finding::Repository(repository) if repository.root == lookup.directory() => {
                self.remember_and_show(repository, host);
            }
            Finding::Indeterminate(_) if self.current_root() == Some(lookup.directory()) => {
                self.show_stale(lookup.directory(), host);
            }
            Finding::Indeterminate(_) => self.show(Current::Unverified, host),
            Finding::Repository(_) | Finding::Root(_) | Finding::NotRepository | Finding::NoDirectory => {
                self.state.mode = Mode::Auto;
                self.store(host);
                self.look(host);
            }
        }
    }

    pub(super) fn on_started(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match finding {
            Finding::Repository(repository) => self.remember_and_show(repository, host),
            Finding::NoDirectory => match path::parent(lookup.directory(), self.style) {
                Some(parent) => self.work = Work::Starting(Lookup::whole(parent, host)),
                None => self.show(Current::Unusable, host),
            },
            Finding::Root(_) | Finding::NotRepository | Finding::Indeterminate(_) => self.show(Current::Unusable, host),
        }
    }

    pub(super) fn on_pinned(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        let why = match finding {
            Finding::Repository(repository) => {
                self.state.mode = Mode::Pinned { root: repository.root.clone() };
                host.notify(NoticeLevel::Info, &format!("Pinned to {}.", repository.root));
                return self.remember_and_show(repository, host);
            }
            Finding::NoDirectory => "there is no such directory",
            Finding::NotRepository => "it is not in a git repository",
            Finding::Root(_) | Finding::Indeterminate(_) => "git could not tell what repository it is in",
        };
        host.notify(NoticeLevel::Error, &format!("Not pinned: {}: {why}. Nothing has changed.", lookup.directory()));
        self.take_up_again(host);
    }

    pub(super) fn on_refreshed(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match finding {
            Finding::Repository(repository) => self.remember_and_show(repository, host),
            Finding::Indeterminate(_) => self.show_stale(lookup.directory(), host),
            Finding::Root(_) | Finding::NotRepository | Finding::NoDirectory => self.look(host),
        }
    }

    pub(super) fn on_pulls(&mut self, outcome: &Outcome, host: &mut dyn Host) {
        let Some(PullLookup { query, epoch, .. }) = self.pull_lookup.take() else { return };
        let answer = query.answer(outcome);
        let lifetime = if answer.is_ok() { GOOD_LIFETIME } else { BAD_LIFETIME };
        self.queries.insert(query.clone(), answer, epoch, host.monotonic_now(), lifetime);
        if let Current::Repository { repository, pulls, .. } = &mut self.current
            && query_of(repository).as_ref() == Some(&query)
        {
            *pulls = pulls_of(Some(&answer));
            self.publish(host);
        }
    }
}
