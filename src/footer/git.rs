//! The questions asked of git, and what its answers mean.
//!
//! Four questions, all read-only, all about one directory given with `-C`. Each answer is read into a closed type, so
//! that no code behind this file looks at exit codes or messages. The host runs git in the C locale and without any
//! inherited `GIT_*` variable; without that the messages below could be in another language, or about another
//! repository.

use crate::host::{Command, Failure, Outcome, Program};

use super::github::GitHubRepository;

/// A question about a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which repository is it in?
    Root,
    /// Which branch is checked out?
    Branch,
    /// Which commit, when no branch is?
    Commit,
    /// What are the remotes, and how are their URLs rewritten?
    Remotes,
}

impl Question {
    /// The command that asks it.
    pub fn about(self, directory: &str) -> Command {
        let question: &[&str] = match self {
            Self::Root => &["rev-parse", "--show-toplevel"],
            // Not `--short`: that prints `heads/main` where a tag is called `main`.
            Self::Branch => &["symbolic-ref", "--quiet", "HEAD"],
            Self::Commit => &["rev-parse", "--short", "HEAD"],
            // `-z`: without it a URL with a line break in it reads as a second remote.
            Self::Remotes => &["config", "-z", "--get-regexp", "^(remote\\..*\\.url|url\\..*\\.insteadof)$"],
        };
        let arguments = ["-C", directory].iter().chain(question).map(|&argument| argument.to_owned()).collect();
        Command { program: Program::Git, arguments }
    }
}

/// Why git's answer settles nothing. Nothing may be concluded from it about the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indeterminate {
    /// There was no answer.
    NoAnswer(Failure),
    /// It refused for a reason that is not a plain "no": permissions, ownership, corruption.
    Refused,
    /// The answer is not text, or not in the expected form.
    Unreadable,
}

/// Whether a directory is in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discovery {
    /// It is, and this is the canonical root of the work tree.
    Repository(String),
    /// It is not.
    NotRepository,
    /// There is no such directory.
    NoDirectory,
    /// It cannot be told.
    Indeterminate(Indeterminate),
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkout {
    /// A branch, which need not have a commit yet.
    Branch(String),
    /// No branch.
    Detached,
}

/// Reads the answer to [`Question::Root`].
pub fn discovery(outcome: &Outcome) -> Discovery {
    let (code, stdout, stderr) = match outcome {
        Outcome::Exited { code, stdout, stderr } => (*code, stdout, stderr),
        Outcome::Failed(failure) => return Discovery::Indeterminate(Indeterminate::NoAnswer(*failure)),
    };
    match code {
        0 => match line(stdout) {
            Some(root) if !root.is_empty() => Discovery::Repository(root.to_owned()),
            _ => Discovery::Indeterminate(Indeterminate::Unreadable),
        },
        128 => refusal(stderr),
        _ => Discovery::Indeterminate(Indeterminate::Refused),
    }
}

/// What git's first line of complaint says about the directory.
fn refusal(stderr: &[u8]) -> Discovery {
    let text = String::from_utf8_lossy(stderr);
    // A path in the message may hold a line break; then the first line is cut short and matches nothing below.
    let first = text.lines().next().unwrap_or_default();
    let outside = first == "fatal: not a git repository (or any of the parent directories): .git"
        || first.starts_with("fatal: not a git repository (or any parent up to mount point ");
    let missing = first.starts_with("fatal: cannot change to '")
        && (first.ends_with("': No such file or directory") || first.ends_with("': Not a directory"));
    if outside {
        Discovery::NotRepository
    } else if missing {
        Discovery::NoDirectory
    } else {
        Discovery::Indeterminate(Indeterminate::Refused)
    }
}

/// Reads the answer to [`Question::Branch`].
pub fn checkout(outcome: &Outcome) -> Result<Checkout, Indeterminate> {
    match outcome {
        Outcome::Exited { code: 0, stdout, .. } => {
            let reference = String::from_utf8_lossy(stdout);
            let reference = reference.strip_suffix('\n').unwrap_or(&reference);
            match reference.strip_prefix("refs/heads/") {
                Some(branch) if !branch.is_empty() => Ok(Checkout::Branch(branch.to_owned())),
                _ => Err(Indeterminate::Unreadable),
            }
        }
        Outcome::Exited { code: 1, stdout, stderr } if stdout.is_empty() && stderr.is_empty() => Ok(Checkout::Detached),
        Outcome::Exited { .. } => Err(Indeterminate::Refused),
        Outcome::Failed(failure) => Err(Indeterminate::NoAnswer(*failure)),
    }
}

/// Reads the answer to [`Question::Commit`].
pub fn commit(outcome: &Outcome) -> Result<String, Indeterminate> {
    match outcome {
        Outcome::Exited { code: 0, stdout, .. } => match line(stdout) {
            Some(hash) if !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(hash.to_owned()),
            _ => Err(Indeterminate::Unreadable),
        },
        Outcome::Exited { .. } => Err(Indeterminate::Refused),
        Outcome::Failed(failure) => Err(Indeterminate::NoAnswer(*failure)),
    }
}

/// Reads the answer to [`Question::Remotes`]: the first remote on GitHub, `origin` before all others.
pub fn github_remote(outcome: &Outcome) -> Result<Option<GitHubRepository>, Indeterminate> {
    match outcome {
        Outcome::Exited { code: 0, stdout, .. } => Ok(Remotes::parse(stdout).github()),
        // Nothing matches: no remotes.
        Outcome::Exited { code: 1, stdout, .. } if stdout.is_empty() => Ok(None),
        Outcome::Exited { .. } => Err(Indeterminate::Refused),
        Outcome::Failed(failure) => Err(Indeterminate::NoAnswer(*failure)),
    }
}

/// The remotes of a repository and the rules that rewrite their URLs.
#[derive(Default)]
struct Remotes {
    urls: Vec<(String, String)>,
    rewrites: Vec<Rewrite>,
}

/// `url.<base>.insteadOf = <prefix>`
struct Rewrite {
    base: String,
    prefix: String,
}

impl Remotes {
    /// Reads `key LF value NUL` records. A record that is not Unicode names no repository of GitHub's.
    fn parse(records: &[u8]) -> Self {
        let mut remotes = Self::default();
        for record in records.split(|&byte| byte == 0) {
            let Some((key, value)) = str::from_utf8(record).ok().and_then(|record| record.split_once('\n')) else {
                continue;
            };
            if let Some(name) = key.strip_prefix("remote.").and_then(|rest| rest.strip_suffix(".url")) {
                remotes.urls.push((name.to_owned(), value.to_owned()));
            } else if let Some(base) = key.strip_prefix("url.").and_then(|rest| rest.strip_suffix(".insteadof")) {
                remotes.rewrites.push(Rewrite { base: base.to_owned(), prefix: value.to_owned() });
            }
        }
        remotes
    }

    fn github(&self) -> Option<GitHubRepository> {
        let is_origin = |name: &str| name == "origin";
        let origin = self.urls.iter().filter(|(name, _)| is_origin(name));
        let others = self.urls.iter().filter(|(name, _)| !is_origin(name));
        origin.chain(others).find_map(|(_, url)| self.resolve(url))
    }

    /// The repository of a URL as it is written, or as the longest matching rule rewrites it.
    fn resolve(&self, url: &str) -> Option<GitHubRepository> {
        GitHubRepository::parse(url).or_else(|| {
            let matching = self.rewrites.iter().filter(|rule| url.starts_with(&rule.prefix));
            let rule = matching.max_by_key(|rule| rule.prefix.len())?;
            GitHubRepository::parse(&format!("{}{}", rule.base, &url[rule.prefix.len()..]))
        })
    }
}

/// One line of text without its line break. A path may itself hold line breaks.
fn line(bytes: &[u8]) -> Option<&str> {
    let text = str::from_utf8(bytes).ok()?;
    Some(text.strip_suffix('\n').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exited(code: i32, stdout: &str, stderr: &str) -> Outcome {
        Outcome::Exited { code, stdout: stdout.into(), stderr: stderr.into() }
    }

    fn remote(records: &[&str]) -> Option<String> {
        let stdout: String = records.iter().map(|record| format!("{record}\0")).collect();
        github_remote(&exited(0, &stdout, "")).expect("exit 0").map(|found| format!("{}/{}", found.owner, found.name))
    }

    #[test]
    fn a_root_is_taken_as_it_is() {
        assert_eq!(discovery(&exited(0, "/src/a b\n", "")), Discovery::Repository("/src/a b".into()));
        assert_eq!(discovery(&exited(0, "/src/a\nb\n", "")), Discovery::Repository("/src/a\nb".into()));
    }

    #[test]
    fn only_the_two_plain_refusals_mean_no_repository() {
        for stderr in [
            "fatal: not a git repository (or any of the parent directories): .git\n",
            "fatal: not a git repository (or any parent up to mount point /mnt)\nStopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).\n",
        ] {
            assert_eq!(discovery(&exited(128, "", stderr)), Discovery::NotRepository, "{stderr}");
        }
        for stderr in [
            "fatal: cannot change to '/a/b': No such file or directory\n",
            "fatal: cannot change to '/a/b': Not a directory\n",
        ] {
            assert_eq!(discovery(&exited(128, "", stderr)), Discovery::NoDirectory, "{stderr}");
        }
    }

    #[test]
    fn everything_else_is_indeterminate() {
        for (code, stderr) in [
            (128, "fatal: cannot change to '/a': Permission denied\n"),
            (128, "fatal: detected dubious ownership in repository at '/a'\n"),
            (128, "fatal: not a git repository: /a/.git/worktrees/b\n"),
            (128, "fatal: this operation must be run in a work tree\n"),
            (128, "Schwerwiegend: Kein Git-Repository\n"),
            (128, ""),
            (1, "fatal: not a git repository (or any of the parent directories): .git\n"),
            (139, ""),
        ] {
            assert_eq!(
                discovery(&exited(code, "", stderr)),
                Discovery::Indeterminate(Indeterminate::Refused),
                "{code} {stderr}"
            );
        }
        let not_text = Outcome::Exited { code: 0, stdout: vec![b'/', 0xff, b'\n'], stderr: vec![] };
        assert_eq!(discovery(&not_text), Discovery::Indeterminate(Indeterminate::Unreadable));
        assert_eq!(discovery(&exited(0, "\n", "")), Discovery::Indeterminate(Indeterminate::Unreadable));
        assert_eq!(
            discovery(&Outcome::Failed(Failure::TimedOut)),
            Discovery::Indeterminate(Indeterminate::NoAnswer(Failure::TimedOut))
        );
    }

    #[test]
    fn branches() {
        let branch = |outcome| checkout(&outcome);
        assert_eq!(branch(exited(0, "refs/heads/feature/footer\n", "")), Ok(Checkout::Branch("feature/footer".into())));
        assert_eq!(branch(exited(1, "", "")), Ok(Checkout::Detached));
        assert_eq!(branch(exited(0, "refs/tags/v1\n", "")), Err(Indeterminate::Unreadable));
        assert_eq!(branch(exited(0, "refs/heads/\n", "")), Err(Indeterminate::Unreadable));
        assert_eq!(branch(exited(128, "", "fatal: bad HEAD\n")), Err(Indeterminate::Refused));
        let not_text = Outcome::Exited { code: 0, stdout: b"refs/heads/\xff\n".to_vec(), stderr: vec![] };
        assert_eq!(branch(not_text), Ok(Checkout::Branch("\u{fffd}".into())));
    }

    #[test]
    fn commits() {
        assert_eq!(commit(&exited(0, "a1b2c3d\n", "")), Ok("a1b2c3d".into()));
        assert_eq!(commit(&exited(0, "HEAD\n", "")), Err(Indeterminate::Unreadable));
        assert_eq!(commit(&exited(128, "", "fatal: ambiguous argument 'HEAD'\n")), Err(Indeterminate::Refused));
    }

    #[test]
    fn no_remotes_is_an_answer_and_a_failure_is_not() {
        assert_eq!(github_remote(&exited(1, "", "")), Ok(None));
        assert_eq!(github_remote(&exited(3, "", "fatal: bad config\n")), Err(Indeterminate::Refused));
    }

    #[test]
    fn origin_comes_first_then_the_order_of_the_file() {
        assert_eq!(
            remote(&["remote.up.url\ngit@github.com:a/b", "remote.origin.url\ngit@github.com:c/d"]),
            Some("c/d".into())
        );
        assert_eq!(
            remote(&[
                "remote.origin.url\n/srv/x",
                "remote.up.url\ngit@github.com:a/b",
                "remote.z.url\ngit@github.com:y/z"
            ]),
            Some("a/b".into())
        );
        assert_eq!(remote(&["remote.origin.url\nhttps://gitlab.com/a/b"]), None);
        assert_eq!(remote(&["remote.a.b.url\ngit@github.com:a/b"]), Some("a/b".into()));
    }

    #[test]
    fn a_line_break_in_a_url_forges_nothing() {
        assert_eq!(remote(&["remote.x.url\n/srv\nremote.origin.url\nhttps://github.com/evil/x"]), None);
    }

    #[test]
    fn the_longest_rewrite_counts() {
        let rules = ["url.https://github.com/.insteadof\ngh:", "url.https://gitlab.com/.insteadof\ngh:acme/"];
        assert_eq!(remote(&[rules[0], "remote.origin.url\ngh:acme/widget"]), Some("acme/widget".into()));
        assert_eq!(remote(&[rules[0], rules[1], "remote.origin.url\ngh:acme/widget"]), None);
    }
}
