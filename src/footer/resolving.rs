//! Which repositories the hints of a moment are in, and what follows from that.
//!
//! | hints of the strongest tier are in | outcome |
//! | --- | --- |
//! | one repository | that one |
//! | several | ambiguous |
//! | none, and git could not tell of some | not known |
//! | none | the next tier decides; after the last one, nothing |
//!
//! A path need not exist: where there is no such directory its parent is asked about, up to the root of the path. A few
//! questions run at the same time. What this does not know is what the session has been working in before.

use crate::host::{Host, Outcome, PathStyle, RequestId};

use super::cache::{Cache, Epoch};
use super::evidence::{Hint, Tier};
use super::lookup::{Finding, Lookup};
use super::path;

/// How many questions run at the same time.
const AT_ONCE: usize = 4;
/// How long a repository is remembered for a path, in milliseconds: five minutes.
const FOUND_LIFETIME: u64 = 300_000;
/// How long it is remembered that there is none.
const NONE_LIFETIME: u64 = 30_000;

/// Roots by path; absent where git has said that there is none.
pub(super) type Roots = Cache<String, Option<String>>;

/// What the hints say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolution {
    /// The session works there.
    Root(String),
    /// It works in so many repositories at once.
    Ambiguous(usize),
    /// It works somewhere that git cannot tell.
    Unknown,
    /// Nothing.
    Nothing,
}

/// Hints that are being resolved.
#[derive(Debug)]
pub(super) struct Resolving {
    /// Of the tier that is asked about now, then of the others, the strongest last.
    candidates: Vec<Candidate>,
    weaker: Vec<Hint>,
    epoch: Epoch,
    style: PathStyle,
}

#[derive(Debug)]
struct Candidate {
    /// What the hint named.
    path: String,
    progress: Progress,
}

#[derive(Debug)]
enum Progress {
    /// To be asked about.
    Waiting(String),
    Asked(Lookup),
    Root(String),
    None,
    Indeterminate,
}

impl Resolving {
    /// Begins with hints that may be of several tiers.
    pub(super) fn new(hints: Vec<Hint>, roots: &Roots, style: PathStyle) -> Self {
        Self { candidates: Vec::new(), weaker: hints, epoch: roots.epoch(), style }
    }

    /// Goes on as far as that is possible without an answer. The resolution, once there is one.
    pub(super) fn advance(&mut self, roots: &mut Roots, now: u64, host: &mut dyn Host) -> Option<Resolution> {
        loop {
            self.ask(host);
            if self.candidates.iter().any(|candidate| matches!(candidate.progress, Progress::Asked(_))) {
                return None;
            }
            match self.judge() {
                Resolution::Nothing if !self.weaker.is_empty() => self.take_strongest(roots, now),
                resolution => return Some(resolution),
            }
        }
    }

    /// Takes an answer; ids of others are ignored.
    pub(super) fn on_answer(
        &mut self,
        id: RequestId,
        outcome: &Outcome,
        roots: &mut Roots,
        now: u64,
        host: &mut dyn Host,
    ) {
        for candidate in &mut self.candidates {
            let Progress::Asked(lookup) = &mut candidate.progress else { continue };
            let Some(finding) = lookup.on_answer(id, outcome, host) else { continue };
            let directory = lookup.directory().to_owned();
            candidate.progress = match finding {
                Finding::Root(root) => Progress::Root(root),
                Finding::NotRepository => Progress::None,
                Finding::NoDirectory => match path::parent(&directory, self.style) {
                    Some(parent) => Progress::Waiting(parent.to_owned()),
                    None => Progress::None,
                },
                Finding::Repository(_) | Finding::Indeterminate(_) => Progress::Indeterminate,
            };
            let path = candidate.path.clone();
            match &candidate.progress {
                Progress::Root(root) => roots.insert(path, Some(root.clone()), self.epoch, now, FOUND_LIFETIME),
                Progress::None => roots.insert(path, None, self.epoch, now, NONE_LIFETIME),
                _ => {}
            }
            return;
        }
    }

    /// Gives up what still runs.
    pub(super) fn cancel(&mut self, host: &mut dyn Host) {
        for candidate in &mut self.candidates {
            if let Progress::Asked(lookup) = &mut candidate.progress {
                lookup.cancel(host);
            }
        }
    }

    /// Asks about what waits, as far as there is room.
    fn ask(&mut self, host: &mut dyn Host) {
        let asked = |candidate: &&mut Candidate| matches!(candidate.progress, Progress::Asked(_));
        let running = self.candidates.iter_mut().filter(asked).count();
        let waiting = self.candidates.iter_mut().filter(|candidate| matches!(candidate.progress, Progress::Waiting(_)));
        for candidate in waiting.take(AT_ONCE.saturating_sub(running)) {
            if let Progress::Waiting(directory) = &candidate.progress {
                candidate.progress = Progress::Asked(Lookup::root(directory, host));
            }
        }
    }

    /// Makes candidates of the strongest hints that are left, each path once.
    fn take_strongest(&mut self, roots: &mut Roots, now: u64) {
        let strongest = self.weaker.iter().map(|hint| hint.tier).max().unwrap_or(Tier::Bash);
        let (strong, weaker) = std::mem::take(&mut self.weaker).into_iter().partition(|hint| hint.tier == strongest);
        self.weaker = weaker;
        self.candidates.clear();
        let strong: Vec<Hint> = strong;
        for hint in strong {
            let directory = hint.nearest_directory(self.style).to_owned();
            if self.candidates.iter().all(|candidate| candidate.path != directory) {
                let progress = match roots.get(&directory, now) {
                    Some(Some(root)) => Progress::Root(root.clone()),
                    Some(None) => Progress::None,
                    None => Progress::Waiting(directory.clone()),
                };
                self.candidates.push(Candidate { path: directory, progress });
            }
        }
    }

    /// What the answers so far say, all of them being there.
    fn judge(&self) -> Resolution {
        let mut found: Vec<&str> = self
            .candidates
            .iter()
            .filter_map(|candidate| match &candidate.progress {
                Progress::Root(root) => Some(root.as_str()),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        let is_unknown =
            || self.candidates.iter().any(|candidate| matches!(candidate.progress, Progress::Indeterminate));
        match found.as_slice() {
            [root] => Resolution::Root((*root).to_owned()),
            [] if is_unknown() => Resolution::Unknown,
            [] => Resolution::Nothing,
            several => Resolution::Ambiguous(several.len()),
        }
    }
}
