//! One look at a directory: which repository it is in, and what is checked out there.
//!
//! | look | asks at first | ends with |
//! | --- | --- | --- |
//! | [`Lookup::whole`] | root, branch, remotes | a repository |
//! | [`Lookup::root`] | root | a root |
//! | [`Lookup::identity`], of a root that is known | branch, remotes | a repository |
//!
//! Git answers independent questions at the same time, and one more after them where no branch is checked out. The
//! running processes are a table that says what each was asked; an answer takes its row out before it acts. The look ends
//! as soon as its outcome cannot change any more, and gives up what still runs then.

use crate::host::{Host, Outcome, RequestId};

use super::git::{self, Checkout, Discovery, Indeterminate, Question};
use super::github::GitHubRepository;

/// What a look has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A repository whose metadata could be read.
    Repository(Repository),
    /// The root of a repository, of which no more was asked.
    Root(String),
    /// No repository.
    NotRepository,
    /// No such directory.
    NoDirectory,
    /// Nothing may be concluded.
    Indeterminate(Indeterminate),
}

/// A repository as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The canonical root of the work tree. Absolute.
    pub root: String,
    /// What is checked out.
    pub head: Head,
    /// Where it lives on GitHub, if it does.
    pub github: Option<GitHubRepository>,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch.
    Branch(String),
    /// A commit, by its short hash.
    Detached(String),
}

/// A look that is under way.
#[derive(Debug)]
pub struct Lookup {
    directory: String,
    /// Whether to ask for more than the root.
    wants_identity: bool,
    running: Vec<(RequestId, Question)>,
    discovery: Option<Discovery>,
    checkout: Option<Result<Checkout, Indeterminate>>,
    commit: Option<Result<String, Indeterminate>>,
    remote: Option<Result<Option<GitHubRepository>, Indeterminate>>,
}

impl Lookup {
    /// Asks everything about `directory`, which is absolute.
    pub fn whole(directory: &str, host: &mut dyn Host) -> Self {
        let mut lookup = Self::new(directory, true);
        for question in [Question::Root, Question::Branch, Question::Remotes] {
            lookup.ask(question, host);
        }
        lookup
    }

    /// Asks which repository `directory` is in. It is absolute.
    pub fn root(directory: &str, host: &mut dyn Host) -> Self {
        let mut lookup = Self::new(directory, false);
        lookup.ask(Question::Root, host);
        lookup
    }

    /// Asks what is checked out at `root`, which git has named as one.
    pub fn identity(root: &str, host: &mut dyn Host) -> Self {
        let mut lookup = Self { discovery: Some(Discovery::Repository(root.to_owned())), ..Self::new(root, true) };
        for question in [Question::Branch, Question::Remotes] {
            lookup.ask(question, host);
        }
        lookup
    }

    fn new(directory: &str, wants_identity: bool) -> Self {
        Self {
            directory: directory.to_owned(),
            wants_identity,
            running: Vec::new(),
            discovery: None,
            checkout: None,
            commit: None,
            remote: None,
        }
    }

    /// What is looked at.
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// Takes an answer; ids of others are ignored. Returns the finding once there is one; the look is over then.
    pub fn on_answer(&mut self, id: RequestId, outcome: &Outcome, host: &mut dyn Host) -> Option<Finding> {
        let row = self.running.iter().position(|&(running, _)| running == id)?;
        match self.running.swap_remove(row).1 {
            Question::Root => self.discovery = Some(git::discovery(outcome)),
            Question::Branch => self.checkout = Some(git::checkout(outcome)),
            Question::Commit => self.commit = Some(git::commit(outcome)),
            Question::Remotes => self.remote = Some(git::github_remote(outcome)),
        }
        let finding = self.conclude(host)?;
        self.cancel(host);
        Some(finding)
    }

    /// Gives up what still runs.
    pub fn cancel(&mut self, host: &mut dyn Host) {
        for (id, _) in self.running.drain(..) {
            host.cancel_process(id);
        }
    }

    fn ask(&mut self, question: Question, host: &mut dyn Host) {
        let id = host.start_process(question.about(&self.directory));
        self.running.push((id, question));
    }

    /// The finding, if the answers so far leave no other. The discovery decides first: outside of a repository the
    /// other questions fail for the same reason and say nothing of their own.
    fn conclude(&mut self, host: &mut dyn Host) -> Option<Finding> {
        let root = match self.discovery.as_ref()? {
            Discovery::Repository(root) if !self.wants_identity => return Some(Finding::Root(root.clone())),
            Discovery::Repository(root) => root.clone(),
            Discovery::NotRepository => return Some(Finding::NotRepository),
            Discovery::NoDirectory => return Some(Finding::NoDirectory),
            Discovery::Indeterminate(cause) => return Some(Finding::Indeterminate(*cause)),
        };
        let head = match self.checkout.as_ref()? {
            Ok(Checkout::Branch(branch)) => Head::Branch(branch.clone()),
            Ok(Checkout::Detached) => match &self.commit {
                Some(Ok(hash)) => Head::Detached(hash.clone()),
                Some(Err(cause)) => return Some(Finding::Indeterminate(*cause)),
                None => {
                    if !self.running.iter().any(|&(_, question)| question == Question::Commit) {
                        self.ask(Question::Commit, host);
                    }
                    return None;
                }
            },
            Err(cause) => return Some(Finding::Indeterminate(*cause)),
        };
        match self.remote.as_ref()? {
            Ok(github) => Some(Finding::Repository(Repository { root, head, github: github.clone() })),
            Err(cause) => Some(Finding::Indeterminate(*cause)),
        }
    }
}
