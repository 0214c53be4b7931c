//! What the footer does at each event: one piece of work at a time, and what waits for it.
//!
//! | work | asks | ends with | then |
//! | --- | --- | --- | --- |
//! | restoring | all about the pinned root | that repository | shown, pinned |
//! | | | none, another one, no directory | the pin is dropped and stored so; starting |
//! | | | not known | pin kept, shown as not verifiable |
//! | starting | all about the startup directory, then its parents | a repository | shown |
//! | | | none, not known | shown as not usable |
//! | resolving | the roots of what the tools touch | one root | identifying, or shown from what is remembered |
//! | | | several | shown as ambiguous |
//! | | | not known | shown as not usable |
//! | | | none | nothing changes |
//! | identifying | what is checked out at a root | a repository | shown |
//! | | | not known | shown as stale if it was shown before, else as not usable |
//! | pinning | all about the path that the person named | a repository | pinned, stored, shown |
//! | | | anything else | said; nothing changes |
//! | refreshing | all about the shown root | a repository | shown |
//! | | | none, no directory | starting |
//! | | | not known | shown as stale |
//!
//! Work belongs to the latest order of the person: pin, unpin and refresh give up what runs, and the answers to work that
//! is gone belong to nobody. What the tools do meanwhile waits. Answers about pull requests come beside the work and count
//! only as long as the repository and branch that they were asked for are shown.
//!
//! Hints wait for a moment, so that a burst of calls is one question. An effect (a branch is switched, a worktree added, a
//! pull request made) is staged with its call and counts only when that has ended, well or not; then what was remembered
//! is forgotten and asked for again. When the run has settled, what is still staged counts too, once.
//!
//! Calls may end in another order than they began. The watermark is the number of the newest call whose hints have
//! counted; an order of the person raises it to the newest call of all. Hints of older calls say nothing any more; their
//! effects still count.

use crate::host::{Host, NoticeLevel, Outcome, PathStyle, RequestId, TimerId};
use crate::session::Session;

use super::STATUS_KEY;
use super::cache::{Cache, Epoch};
use super::command::{self, Order};
use super::evidence::{self, EffectKind, Evidence, Hint};
use super::lookup::{Finding, Head, Lookup, Repository};
use super::path;
use super::pull_request::{PullRequest, Query, Unknown};
use super::resolving::{Resolution, Resolving, Roots};
use super::state::{self, Mode, State};
use super::text::{self, Place, Pulls};

/// How often the age is written anew, in milliseconds.
const AGE_INTERVAL: u32 = 1_000;
/// How long hints wait for more.
const DEBOUNCE: u32 = 100;
/// How many hints and staged effects wait at most; the oldest go first.
const MOST_WAITING: usize = 64;
/// How many paths, roots and questions to GitHub are remembered.
const PATHS: usize = 128;
const SNAPSHOTS: usize = 32;
const QUERIES: usize = 32;
/// How long what is known of a root or a branch is remembered, in milliseconds…
const GOOD_LIFETIME: u64 = 60_000;
/// …and how long it is not asked for again after it could not be had.
const BAD_LIFETIME: u64 = 10_000;

/// The footer while there is a session.
#[derive(Debug)]
pub(super) struct Controller {
    cwd: String,
    style: PathStyle,
    state: State,
    stored: Option<State>,
    work: Work,
    pull_lookup: Option<PullLookup>,
    calls: CallNumber,
    watermark: CallNumber,
    hints: Vec<(CallNumber, Hint)>,
    debounce: Option<TimerId>,
    staged: Vec<Staged>,
    effects: Vec<EffectKind>,
    current: Current,
    roots: Roots,
    /// What is checked out at a root; absent where that could not be read.
    snapshots: Cache<String, Option<Repository>>,
    queries: Cache<Query, Result<Option<PullRequest>, Unknown>>,
    shown: Option<String>,
    age_timer: Option<TimerId>,
}

/// The number of a call, in the order in which they began; 0 is before the first.
type CallNumber = u64;

/// What is being done.
#[derive(Debug)]
enum Work {
    Idle,
    Restoring(Lookup),
    Starting(Lookup),
    /// With the newest call that hinted.
    Resolving(Resolving, CallNumber),
    Identifying(Lookup),
    Pinning(Lookup),
    Refreshing(Lookup),
}

/// What the session works in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Current {
    /// Not known yet.
    Unseen,
    Unusable,
    Unverified,
    Ambiguous(usize),
    Repository {
        repository: Repository,
        pulls: Pulls,
        is_stale: bool,
    },
}

/// A question to GitHub that is under way.
#[derive(Debug)]
struct PullLookup {
    id: RequestId,
    query: Query,
    epoch: Epoch,
}

/// A call with an effect that has not ended.
#[derive(Debug)]
struct Staged {
    call_id: String,
    call: CallNumber,
    effects: Vec<EffectKind>,
    after: Vec<Hint>,
}

impl Controller {
    /// Begins with a session that has been read.
    pub(super) fn start(session: &Session, host: &mut dyn Host) -> Self {
        let info = host.session();
        let stored = State::restore(session.custom_data(state::CUSTOM_TYPE).rev(), info.path_style);
        let state = stored.clone().unwrap_or_else(|| State::new(info.created_at.unwrap_or_else(|| host.now())));
        let mut controller = Self {
            cwd: info.cwd,
            style: info.path_style,
            state,
            stored,
            work: Work::Idle,
            pull_lookup: None,
            calls: 0,
            watermark: 0,
            hints: Vec::new(),
            debounce: None,
            staged: Vec::new(),
            effects: Vec::new(),
            current: Current::Unseen,
            roots: Cache::new(PATHS),
            snapshots: Cache::new(SNAPSHOTS),
            queries: Cache::new(QUERIES),
            shown: None,
            age_timer: None,
        };
        controller.look(host);
        controller
    }

    /// Ends: nothing that was begun goes on.
    pub(super) fn stop(mut self, host: &mut dyn Host) {
        self.abandon_work(host);
        if let Some(lookup) = self.pull_lookup.take() {
            host.cancel_process(lookup.id);
        }
        for timer in [self.debounce, self.age_timer].into_iter().flatten() {
            host.cancel_timer(timer);
        }
        if self.shown.is_some() {
            // Nothing is left to do about a line that cannot be taken away.
            let _ = host.set_status(STATUS_KEY, None);
        }
    }

    /// The person moved to another point of the session tree, which may hold another state. What is kept is written
    /// there when it next changes.
    pub(super) fn on_branch_changed(&mut self, session: &Session) {
        self.stored = State::restore(session.custom_data(state::CUSTOM_TYPE).rev(), self.style);
    }

    /// Another tool is called.
    pub(super) fn on_tool_called(
        &mut self,
        call_id: &str,
        tool: &str,
        arguments: &str,
        cwd: &str,
        host: &mut dyn Host,
    ) {
        let Evidence { hints, effects, after } = evidence::of_call(tool, arguments, cwd, self.style);
        self.calls += 1;
        let call = self.calls;
        if !effects.is_empty() {
            push_bounded(&mut self.staged, Staged { call_id: call_id.to_owned(), call, effects, after });
        }
        if self.is_pinned() || hints.is_empty() {
            return;
        }
        for hint in hints {
            push_bounded(&mut self.hints, (call, hint));
        }
        if self.debounce.is_none() {
            self.debounce = Some(host.start_timer(DEBOUNCE));
        }
    }

    /// Another tool has ended, well or not.
    pub(super) fn on_tool_finished(&mut self, call_id: &str, host: &mut dyn Host) {
        let Some(index) = self.staged.iter().position(|staged| staged.call_id == call_id) else { return };
        let staged = self.staged.remove(index);
        self.take_effect(staged);
        self.flush(host);
    }

    /// The run is over. What is still staged has no end of its own.
    pub(super) fn on_agent_settled(&mut self, host: &mut dyn Host) {
        for staged in std::mem::take(&mut self.staged) {
            self.take_effect(staged);
        }
        if !self.hints.is_empty() || !self.effects.is_empty() {
            self.flush(host);
        }
    }

    /// A timer has run out. Ids of others are ignored.
    pub(super) fn on_timer_fired(&mut self, id: TimerId, host: &mut dyn Host) {
        if self.age_timer == Some(id) {
            self.age_timer = Some(host.start_timer(AGE_INTERVAL));
            self.publish(host);
        } else if self.debounce == Some(id) {
            self.debounce = None;
            self.go_on(host);
        }
    }

    /// A process has ended. Ids of others are ignored.
    pub(super) fn on_answer(&mut self, id: RequestId, outcome: &Outcome, host: &mut dyn Host) {
        if self.pull_lookup.as_ref().is_some_and(|lookup| lookup.id == id) {
            return self.on_pulls(outcome, host);
        }
        match std::mem::replace(&mut self.work, Work::Idle) {
            Work::Idle => return,
            Work::Resolving(mut resolving, newest) => {
                resolving.on_answer(id, outcome, &mut self.roots, host.monotonic_now(), host);
                self.resolve(resolving, newest, host);
            }
            Work::Restoring(lookup) => self.look_on(lookup, Work::Restoring, Self::on_restored, id, outcome, host),
            Work::Starting(lookup) => self.look_on(lookup, Work::Starting, Self::on_started, id, outcome, host),
            Work::Identifying(lookup) => {
                self.look_on(lookup, Work::Identifying, Self::on_identified, id, outcome, host)
            }
            Work::Pinning(lookup) => self.look_on(lookup, Work::Pinning, Self::on_pinned, id, outcome, host),
            Work::Refreshing(lookup) => self.look_on(lookup, Work::Refreshing, Self::on_refreshed, id, outcome, host),
        }
        self.go_on(host);
    }

    /// The person has typed the command.
    pub(super) fn run_command(&mut self, arguments: &str, cwd: &str, host: &mut dyn Host) {
        match command::order(arguments) {
            Order::Overview => {
                let message = format!("{}\n\n{}", self.status(host), command::USAGE);
                host.notify(NoticeLevel::Info, &message);
            }
            Order::Status => {
                let status = self.status(host);
                host.notify(NoticeLevel::Info, &status);
            }
            Order::Help => host.notify(NoticeLevel::Info, command::USAGE),
            Order::Unknown => {
                let message = format!("/pr-footer does not know {:?}.\n\n{}", arguments.trim(), command::USAGE);
                host.notify(NoticeLevel::Error, &message);
            }
            Order::PinNothing => {
                host.notify(NoticeLevel::Error, "/pr-footer pin needs a path, such as /pr-footer pin .");
            }
            Order::Pin(path) => self.pin(path, cwd, host),
            Order::Unpin => self.unpin(host),
            Order::Refresh => self.refresh(host),
        }
        self.go_on(host);
    }

    /// What could be typed after the command.
    pub(super) fn complete(&self, typed: &str) -> Vec<(String, Option<&'static str>)> {
        let mut paths: Vec<String> = Vec::new();
        let roots = self.roots.iter().filter_map(|(_, root)| root.clone());
        let kept = self.state.last_confirmed_root.iter().cloned();
        for path in
            self.current_root().map(str::to_owned).into_iter().chain(roots).chain(kept).chain([self.cwd.clone()])
        {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        command::complete(typed, &paths)
    }
}

/// Orders of the person. Each gives up what is being done.
impl Controller {
    fn pin(&mut self, path: &str, cwd: &str, host: &mut dyn Host) {
        let Some(directory) = path::join(cwd, path, self.style) else {
            return host.notify(NoticeLevel::Error, &format!("{path:?} is not a path that can be pinned."));
        };
        self.begin_transition(host);
        self.work = Work::Pinning(Lookup::whole(&directory, host));
    }

    fn unpin(&mut self, host: &mut dyn Host) {
        let is_pinning = matches!(self.work, Work::Pinning(_));
        if !self.is_pinned() && !is_pinning {
            return host.notify(NoticeLevel::Info, "Nothing is pinned: the line follows what the tools touch.");
        }
        self.begin_transition(host);
        self.state.mode = Mode::Auto;
        self.store(host);
        host.notify(NoticeLevel::Info, "Unpinned: the line follows what the tools touch.");
        self.publish(host);
        self.take_up_again(host);
    }

    fn refresh(&mut self, host: &mut dyn Host) {
        self.begin_transition(host);
        self.roots.forget(|_, _| true);
        self.snapshots.forget(|_, _| true);
        self.queries.forget(|_, _| true);
        host.notify(NoticeLevel::Info, "Asking git and GitHub anew.");
        match self.current_root() {
            Some(root) if !self.is_pinned() => self.work = Work::Refreshing(Lookup::whole(root, host)),
            _ => self.look(host),
        }
    }

    /// What was found before no longer counts, and what was about to be found is not wanted.
    fn begin_transition(&mut self, host: &mut dyn Host) {
        self.abandon_work(host);
        self.watermark = self.calls;
        self.hints.clear();
        if let Some(timer) = self.debounce.take() {
            host.cancel_timer(timer);
        }
    }

    /// Looks again at what was shown, as far as that is not remembered: a transition may have given up a look at it.
    fn take_up_again(&mut self, host: &mut dyn Host) {
        match (&self.current, &self.state.mode) {
            (Current::Repository { repository, .. }, _) => self.identify(repository.root.clone(), host),
            (Current::Unseen | Current::Unverified, _) | (_, Mode::Pinned { .. }) => self.look(host),
            (Current::Unusable | Current::Ambiguous(_), Mode::Auto) => {}
        }
    }

    fn abandon_work(&mut self, host: &mut dyn Host) {
        match std::mem::replace(&mut self.work, Work::Idle) {
            Work::Idle => {}
            Work::Resolving(mut resolving, _) => resolving.cancel(host),
            Work::Restoring(mut lookup)
            | Work::Starting(mut lookup)
            | Work::Identifying(mut lookup)
            | Work::Pinning(mut lookup)
            | Work::Refreshing(mut lookup) => lookup.cancel(host),
        }
    }

    fn status(&self, host: &dyn Host) -> String {
        let line = self.line(host).unwrap_or_else(|| "nothing yet".into());
        let mode = if self.is_pinned() { "pinned" } else { "auto: it follows what the tools touch" };
        let root = self.current_root().unwrap_or("none");
        format!("{line}\nmode: {mode}\nroot: {root}")
    }
}

/// Work, step by step.
impl Controller {
    /// Looks at the place that the session should be in by its mode.
    fn look(&mut self, host: &mut dyn Host) {
        self.work = match &self.state.mode {
            Mode::Pinned { root } => Work::Restoring(Lookup::whole(root, host)),
            Mode::Auto => Work::Starting(Lookup::whole(&self.cwd, host)),
        };
    }

    /// Brings an answer to a look; goes on with the look, or with what it has found.
    fn look_on(
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
    fn go_on(&mut self, host: &mut dyn Host) {
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
    fn flush(&mut self, host: &mut dyn Host) {
        if let Some(timer) = self.debounce.take() {
            host.cancel_timer(timer);
        }
        self.go_on(host);
    }

    fn take_effect(&mut self, staged: Staged) {
        for effect in staged.effects {
            if !self.effects.contains(&effect) {
                self.effects.push(effect);
            }
        }
        for hint in staged.after {
            push_bounded(&mut self.hints, (staged.call, hint));
        }
    }

    fn resolve(&mut self, mut resolving: Resolving, newest: CallNumber, host: &mut dyn Host) {
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

    fn on_resolved(&mut self, resolution: Resolution, host: &mut dyn Host) {
        match (resolution, &self.state.mode) {
            (Resolution::Root(root), Mode::Pinned { root: pinned }) if root == *pinned => self.identify(root, host),
            (_, Mode::Pinned { .. }) | (Resolution::Nothing, Mode::Auto) => {}
            (Resolution::Root(root), Mode::Auto) => self.identify(root, host),
            (Resolution::Ambiguous(roots), Mode::Auto) => self.show(Current::Ambiguous(roots), host),
            (Resolution::Unknown, Mode::Auto) => self.show(Current::Unusable, host),
        }
    }

    fn identify(&mut self, root: String, host: &mut dyn Host) {
        match self.snapshots.get(&root, host.monotonic_now()).cloned() {
            Some(Some(repository)) => self.show_repository(repository, host),
            Some(None) => self.show_stale(&root, host),
            None => self.work = Work::Identifying(Lookup::identity(&root, host)),
        }
    }

    fn on_identified(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match finding {
            Finding::Repository(repository) => self.remember_and_show(repository, host),
            Finding::Root(_) | Finding::NotRepository | Finding::NoDirectory | Finding::Indeterminate(_) => {
                self.remember(lookup.directory(), None, BAD_LIFETIME, host);
                self.show_stale(lookup.directory(), host);
            }
        }
    }

    fn on_restored(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
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

    fn on_started(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match finding {
            Finding::Repository(repository) => self.remember_and_show(repository, host),
            Finding::NoDirectory => match path::parent(lookup.directory(), self.style) {
                Some(parent) => self.work = Work::Starting(Lookup::whole(parent, host)),
                None => self.show(Current::Unusable, host),
            },
            Finding::Root(_) | Finding::NotRepository | Finding::Indeterminate(_) => self.show(Current::Unusable, host),
        }
    }

    fn on_pinned(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
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

    fn on_refreshed(&mut self, lookup: &Lookup, finding: Finding, host: &mut dyn Host) {
        match finding {
            Finding::Repository(repository) => self.remember_and_show(repository, host),
            Finding::Indeterminate(_) => self.show_stale(lookup.directory(), host),
            Finding::Root(_) | Finding::NotRepository | Finding::NoDirectory => self.look(host),
        }
    }

    fn on_pulls(&mut self, outcome: &Outcome, host: &mut dyn Host) {
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

/// What is shown.
impl Controller {
    fn is_pinned(&self) -> bool {
        matches!(self.state.mode, Mode::Pinned { .. })
    }

    fn current_root(&self) -> Option<&str> {
        match &self.current {
            Current::Repository { repository, .. } => Some(&repository.root),
            _ => None,
        }
    }

    fn remember_and_show(&mut self, repository: Repository, host: &mut dyn Host) {
        self.remember(&repository.root, Some(repository.clone()), GOOD_LIFETIME, host);
        self.show_repository(repository, host);
    }

    fn remember(&mut self, root: &str, repository: Option<Repository>, lifetime: u64, host: &mut dyn Host) {
        let (epoch, now) = (self.snapshots.epoch(), host.monotonic_now());
        self.snapshots.insert(root.to_owned(), repository, epoch, now, lifetime);
    }

    /// Shows a repository at once, with what is known of its pull requests, and asks for what is not.
    fn show_repository(&mut self, repository: Repository, host: &mut dyn Host) {
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

    fn ask_pulls(&mut self, query: Query, host: &mut dyn Host) {
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
    fn show_stale(&mut self, root: &str, host: &mut dyn Host) {
        match &mut self.current {
            Current::Repository { repository, is_stale, .. } if repository.root == root => {
                *is_stale = true;
                self.publish(host);
            }
            _ => self.show(Current::Unusable, host),
        }
    }

    fn show(&mut self, current: Current, host: &mut dyn Host) {
        self.current = current;
        self.store(host);
        self.publish(host);
        if self.age_timer.is_none() {
            self.age_timer = Some(host.start_timer(AGE_INTERVAL));
        }
    }

    /// Writes the state to the branch if it is not there yet. A failure is the host's to report; the next change tries
    /// again.
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
        let Some(line) = self.line(host) else { return };
        if self.shown.as_deref() == Some(line.as_str()) {
            return;
        }
        if host.set_status(STATUS_KEY, Some(&line)).is_ok() {
            self.shown = Some(line);
        }
    }

    fn line(&self, host: &dyn Host) -> Option<String> {
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

    fn name_of(&self, repository: &Repository) -> String {
        match &repository.github {
            Some(github) => format!("{}/{}", github.owner, github.name),
            None => path::name(&repository.root, self.style).to_owned(),
        }
    }
}

/// What the pull requests of a repository are looked up by; nothing where there can be none.
fn query_of(repository: &Repository) -> Option<Query> {
    match (&repository.github, &repository.head) {
        // A name that could not be read whole would ask about another branch.
        (Some(github), Head::Branch(branch)) if !branch.contains(char::REPLACEMENT_CHARACTER) => {
            Some(Query::new(github, branch))
        }
        _ => None,
    }
}

fn pulls_of(known: Option<&Result<Option<PullRequest>, Unknown>>) -> Pulls {
    match known {
        Some(Ok(Some(pull))) => Pulls::Open(*pull),
        Some(Ok(None)) => Pulls::None,
        Some(Err(Unknown)) | None => Pulls::Unknown,
    }
}

fn push_bounded<T>(waiting: &mut Vec<T>, next: T) {
    if waiting.len() == MOST_WAITING {
        waiting.remove(0);
    }
    waiting.push(next);
}
