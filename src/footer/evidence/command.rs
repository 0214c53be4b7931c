//! What literal shell commands say of where they work, and what they change.
//!
//! | command | hint | when |
//! | --- | --- | --- |
//! | `cd <path> && <command>` | the path | at once; with an effect, after it |
//! | `git -C <path> …` | the path | the same |
//! | `git worktree add <destination> [<commit-ish>]` | the destination, file tier; the directory that it is run in | after it |
//! | `cat file head less ls readlink realpath stat tail wc` with one operand, absolute | that | at once |
//! | `grep rg sed` with a pattern and one operand, absolute | that | at once |
//! | `find` with one starting point, absolute | that | at once |
//! | any other recognised effect | the directory that it is run in | after it |
//! | any other chain of commands | none; the effects of all of them count | after it |
//!
//! An option that is not known to stand alone rejects the command, since its value could be what looks like an operand. An
//! absolute path anywhere else is a conflict, and two hints are not guessed between.

use crate::host::PathStyle;

use super::shell;
use super::{EffectKind, Evidence, Hint, Tier, literal, path};

/// What programs read a file by its name, with the options of theirs that take no value.
const READERS: [(&str, &str); 10] = [
    ("cat", "AbeEnstTuv"),
    ("file", "bhiLkNprsvzZ"),
    ("head", "qvz0123456789"),
    ("less", "NSRXFi"),
    ("ls", "aAlhtrRSUXF1dgGiLnopqQsmxCcukBbfHNv"),
    ("readlink", "fenmqsvz"),
    ("realpath", "emLPqsz"),
    ("stat", "Lt"),
    ("tail", "fFqvz0123456789"),
    ("wc", "clmwL"),
];
/// The same for those that take a pattern or a script first.
const SEARCHERS: [(&str, &str); 3] =
    [("grep", "ivnlLrRhHowxcsEFGPqabzZ"), ("rg", "iSsnNlwxFvcoqzpuUaLPhH."), ("sed", "nErsuz")];
/// The options of `find` that may stand before its starting points.
const FIND_OPTIONS: [&str; 3] = ["-H", "-L", "-P"];

/// What `git remote` and `git worktree` change.
const REMOTE_CHANGES: [&str; 9] =
    ["add", "prune", "remove", "rm", "rename", "set-branches", "set-head", "set-url", "update"];
const WORKTREE_CHANGES: [&str; 7] = ["add", "lock", "move", "prune", "remove", "repair", "unlock"];
/// What `gh pr` changes of a pull request.
const PULL_CHANGES: [&str; 7] = ["close", "create", "edit", "merge", "ready", "reopen", "update-branch"];

/// What a command says when it is run in `cwd`.
pub(super) fn evidence(command: &str, cwd: &str, style: PathStyle) -> Evidence {
    let Some(chain) = shell::chain(command) else { return Evidence::default() };
    let place = Place { cwd, style };
    let evidence = match chain.as_slice() {
        [words] => place.alone(words),
        [first, second] if first[0] == "cd" => place.after_cd(first, second),
        // Where each of them is run depends on those before it.
        chain => Some(Evidence { effects: effects(chain), ..Evidence::default() }),
    };
    evidence.unwrap_or_default()
}

/// Where a command is run.
#[derive(Clone, Copy)]
struct Place<'a> {
    cwd: &'a str,
    style: PathStyle,
}

impl Place<'_> {
    /// A command by itself.
    fn alone(self, words: &[String]) -> Option<Evidence> {
        let (program, rest) = words.split_first()?;
        match program.as_str() {
            "git" => self.git(rest),
            "gh" => Some(self.changing(pull_effect(rest)?, rest)),
            "find" => self.at_once(self.starting_point(rest)?),
            name => {
                if let Some((_, options)) = READERS.iter().find(|(known, _)| *known == name) {
                    return self.at_once(self.only_operand(rest, options, 0)?);
                }
                let (_, options) = SEARCHERS.iter().find(|(known, _)| *known == name)?;
                self.at_once(self.only_operand(rest, options, 1)?)
            }
        }
    }

    /// A command after a change of directory.
    fn after_cd(self, first: &[String], second: &[String]) -> Option<Evidence> {
        let target = match first {
            [cd, target] if cd == "cd" && !target.starts_with('-') => target,
            [cd, end, target] if cd == "cd" && end == "--" && target != "-" => target,
            _ => return None,
        };
        let directory = literal(self.cwd, target, self.style)?;
        let inside = Place { cwd: &directory, style: self.style };
        let (program, rest) = second.split_first()?;
        match program.as_str() {
            "cd" => return None,
            // A global option could lead elsewhere.
            "git" if rest.first().is_some_and(|word| word.starts_with('-')) => return None,
            _ => {}
        }
        match effect(second) {
            Some(effect) => Some(inside.changing(effect, rest)),
            None if rest.iter().any(|word| self.is_absolute(word)) => None,
            None => self.at_once(Hint::directory(Tier::Bash, directory.clone())),
        }
    }

    fn git(self, words: &[String]) -> Option<Evidence> {
        let (directory, rest) = match words {
            [option, target, rest @ ..] if option == "-C" => (Some(literal(self.cwd, target, self.style)?), rest),
            rest => (None, rest),
        };
        // A second `-C`, or another global option, could lead elsewhere.
        if rest.first()?.starts_with('-') {
            return None;
        }
        let inside = Place { cwd: directory.as_deref().unwrap_or(self.cwd), style: self.style };
        match git_effect(rest) {
            Some(effect) => Some(inside.changing(effect, rest)),
            None if rest.iter().any(|word| self.is_absolute(word)) => None,
            None => self.at_once(Hint::directory(Tier::Bash, directory?)),
        }
    }

    /// A command that changes something in this place. It may name absolute paths only as a new worktree.
    fn changing(self, effect: EffectKind, words: &[String]) -> Evidence {
        let here = Hint::directory(Tier::Bash, self.cwd.to_owned());
        let mut after: Vec<Hint> = new_worktree(words)
            .and_then(|destination| literal(self.cwd, destination, self.style))
            .map(|destination| Hint::directory(Tier::File, destination))
            .into_iter()
            .collect();
        after.push(here);
        Evidence { effects: vec![effect], after, ..Evidence::default() }
    }

    fn at_once(self, hint: Hint) -> Option<Evidence> {
        Some(Evidence { hints: vec![hint], ..Evidence::default() })
    }

    /// The one operand after `skipped` others, if it is absolute and every option stands alone.
    fn only_operand(self, words: &[String], options: &str, skipped: usize) -> Option<Hint> {
        let mut operands = Vec::new();
        let mut are_options = true;
        for word in words {
            match word.strip_prefix('-') {
                Some("-") if are_options => are_options = false,
                Some(letters) if are_options && !letters.is_empty() => {
                    let stands_alone = letters.chars().all(|letter| options.contains(letter));
                    let has_its_value = letters.starts_with('-') && letters.contains('=');
                    if !stands_alone && !has_its_value {
                        return None;
                    }
                }
                _ => operands.push(word),
            }
        }
        match operands.get(skipped..)? {
            [operand] if operands[..skipped].iter().all(|word| !self.is_absolute(word)) => self.absolute(operand),
            _ => None,
        }
    }

    /// The one starting point of `find`, if nothing else is absolute.
    fn starting_point(self, words: &[String]) -> Option<Hint> {
        let words: Vec<&String> = words.iter().skip_while(|word| FIND_OPTIONS.contains(&word.as_str())).collect();
        let (start, tests) = words.split_first()?;
        let begins_tests = tests.first().is_none_or(|word| word.starts_with('-'));
        if !begins_tests || tests.iter().any(|word| self.is_absolute(word)) {
            return None;
        }
        self.absolute(start)
    }

    fn absolute(self, word: &str) -> Option<Hint> {
        self.is_absolute(word).then(|| literal(self.cwd, word, self.style)).flatten().map(|path| {
            // What git is asked about may turn out to be a file; then its directory is asked about.
            Hint::directory(Tier::Bash, path)
        })
    }

    fn is_absolute(self, word: &str) -> bool {
        path::is_absolute(word, self.style)
    }
}

/// What a chain of commands changes, each kind once.
fn effects(chain: &[Vec<String>]) -> Vec<EffectKind> {
    let mut effects = Vec::new();
    for effect in chain.iter().filter_map(|words| effect(words)) {
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    effects
}

/// What a command changes, wherever that is.
fn effect(words: &[String]) -> Option<EffectKind> {
    let (program, rest) = words.split_first()?;
    match (program.as_str(), rest) {
        ("git", [option, _, rest @ ..]) if option == "-C" => git_effect(rest),
        ("git", rest) => git_effect(rest),
        ("gh", rest) => pull_effect(rest),
        _ => None,
    }
}

/// What a `git` command changes, given the words after its global options.
fn git_effect(words: &[String]) -> Option<EffectKind> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_change = match words.as_slice() {
        ["checkout" | "switch", _, ..] => true,
        ["branch", rest @ ..] => rest.iter().any(|word| matches!(*word, "-m" | "-M" | "--move")),
        ["remote", change, ..] => REMOTE_CHANGES.contains(change),
        ["worktree", change, ..] => WORKTREE_CHANGES.contains(change),
        ["symbolic-ref", "HEAD", _] => true,
        ["config", rest @ ..] => writes_remote_url(rest),
        _ => false,
    };
    is_change.then_some(EffectKind::Git)
}

/// Whether `git config` writes the URL of a remote, or takes it away.
fn writes_remote_url(words: &[&str]) -> bool {
    let Some(key) = words.iter().position(|word| is_remote_url(word)) else { return false };
    let before = &words[..key];
    let reads =
        before.iter().any(|word| word.starts_with("--get") || matches!(*word, "get" | "list" | "--list" | "-l"));
    let writes = before
        .iter()
        .any(|word| word.starts_with("--unset") || matches!(*word, "set" | "unset" | "--add" | "--replace-all"));
    !reads && (writes || words.len() > key + 1)
}

fn is_remote_url(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.strip_prefix("remote.").and_then(|rest| rest.strip_suffix(".url")).is_some_and(|name| !name.is_empty())
}

/// What a `gh` command changes, given the words after the program. One that names its repository changes another one.
fn pull_effect(words: &[String]) -> Option<EffectKind> {
    let (pr, rest) = words.split_first()?;
    let (change, rest) = rest.split_first()?;
    let selects = |word: &String| word.starts_with("-R") || word == "--repo" || word.starts_with("--repo=");
    if pr != "pr" || rest.iter().any(selects) {
        return None;
    }
    match change.as_str() {
        "checkout" => Some(EffectKind::Git),
        change => PULL_CHANGES.contains(&change).then_some(EffectKind::PullRequest),
    }
}

/// The destination of a `git worktree add` of exactly that form.
fn new_worktree(words: &[String]) -> Option<&str> {
    match words {
        [worktree, add, destination] | [worktree, add, destination, _]
            if worktree == "worktree" && add == "add" && words[2..].iter().all(|word| !word.starts_with('-')) =>
        {
            Some(destination)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EffectKind::{Git, PullRequest};
    use PathStyle::{Posix, Windows};

    /// Hints at once, effects, hints after; each hint as `file:` or `bash:` and its path.
    type Said = (Vec<String>, Vec<EffectKind>, Vec<String>);

    fn said(command: &str) -> Said {
        let Evidence { hints, effects, after } = evidence(command, "/src/a", Posix);
        let write = |hints: Vec<Hint>| {
            hints.iter().map(|hint| format!("{:?}:{}", hint.tier, hint.path).to_lowercase()).collect()
        };
        (write(hints), effects, write(after))
    }

    fn at_once(path: &str) -> Said {
        (vec![format!("bash:{path}")], vec![], vec![])
    }

    fn changes(effect: EffectKind, after: &[&str]) -> Said {
        (vec![], vec![effect], after.iter().map(|&hint| hint.to_owned()).collect())
    }

    #[test]
    fn every_form_that_names_a_place() {
        for (command, path) in [
            ("cd /src/b && make", "/src/b"),
            ("cd ../b && make test", "/src/b"),
            ("cd 'my dir' && ls", "/src/a/my dir"),
            ("cd -- /src/b && ls", "/src/b"),
            ("cd /src/b && cat file.rs", "/src/b"),
            ("cd /src/b && git status", "/src/b"),
            ("cd /src/b && gh pr list", "/src/b"),
            ("git -C /src/b log --oneline", "/src/b"),
            ("git -C ../b diff a.rs", "/src/b"),
            ("git -C \"/src/b\" status", "/src/b"),
            ("git -C /src/b config --get remote.origin.url", "/src/b"),
            ("git -C /src/b config remote.origin.url", "/src/b"),
            ("git -C /src/b branch --list", "/src/b"),
            ("git -C /src/b remote -v", "/src/b"),
            ("cat /src/b/x", "/src/b/x"),
            ("cat -n /src/b/x", "/src/b/x"),
            ("cat -- /src/b/x", "/src/b/x"),
            ("file -b /src/b/x", "/src/b/x"),
            ("head -20 /src/b/x", "/src/b/x"),
            ("less /src/b/x", "/src/b/x"),
            ("ls -la /src/b", "/src/b"),
            ("ls --color=never /src/b", "/src/b"),
            ("readlink -f /src/b", "/src/b"),
            ("realpath /src/b/../c", "/src/c"),
            ("stat /src/b", "/src/b"),
            ("tail -5 /src/b/x", "/src/b/x"),
            ("wc -l /src/b/x", "/src/b/x"),
            ("grep -rn pattern /src/b", "/src/b"),
            ("grep -- -pattern /src/b", "/src/b"),
            ("rg -l pattern /src/b", "/src/b"),
            ("sed -n 1,5p /src/b/x", "/src/b/x"),
            ("find /src/b", "/src/b"),
            ("find -L /src/b -name x -type f", "/src/b"),
        ] {
            assert_eq!(said(command), at_once(path), "{command}");
        }
    }

    #[test]
    fn what_is_not_certain_says_nothing() {
        for command in [
            "cd /src/b",
            "cd && ls",
            "cd - && ls",
            "cd -P /src/b && ls",
            "cd /src/b /src/c && ls",
            "cd '' && ls",
            "cd /src/b && cd c",
            "make && cd /src/b",
            "cd ~/b && ls",
            "cd $B && ls",
            "cd /src/b; ls",
            "cd /src/b || ls",
            "cd /src/b && cat /src/c/x",
            "cd /src/b && git -C /src/c status",
            "cd /src/b && git --git-dir=x status",
            "cd /src/b && git -c a=b status",
            "git status",
            "git",
            "git -C",
            "git -C /src/b",
            "git -C /src/b -C c status",
            "git -c a=b -C /src/b status",
            "git --git-dir /src/b/.git status",
            "git -C /src/b --no-pager log",
            "git -C '' status",
            "git -C /src/b diff /src/c/x",
            "git -C ~/b status",
            "git diff /src/b/x",
            "cat x",
            "cat /src/b/x /src/c/x",
            "cat x /src/b/x",
            "cat",
            "head -n 5 /src/b/x",
            "head --lines 5 /src/b/x",
            "tail -n 5 /src/b/x",
            "ls -I x /src/b",
            "ls -w 80 /src/b",
            "wc --files0-from /src/b/x",
            "stat -c %n /src/b",
            "grep /src/b",
            "grep -e pattern /src/b",
            "grep pattern",
            "grep /src/c /src/b",
            "grep -A 3 pattern /src/b",
            "rg -g x pattern /src/b",
            "sed -i s/a/b/ /src/b/x",
            "sed -e p /src/b/x",
            "find",
            "find b",
            "find /src/b /src/c",
            "find /src/b -newer /src/c/x",
            "find -name x",
            "find -name /src/b",
            "cp /src/b/x /src/c",
            "sudo cat /src/b/x",
            "command cat /src/b/x",
            "env A=b cat /src/b/x",
            "A=b cat /src/b/x",
            "time ls /src/b",
            "/bin/ls /src/b",
            "echo /src/b",
            "pushd /src/b && ls",
            "",
            "''",
            "gh pr view",
            "gh -R a/b pr merge",
            "gh issue create",
        ] {
            assert_eq!(said(command), (vec![], vec![], vec![]), "{command}");
        }
    }

    #[test]
    fn every_effect_counts_after_its_call() {
        for command in [
            "git checkout main",
            "git switch -c topic",
            "git branch -m old new",
            "git branch -M new",
            "git branch --move a b",
            "git remote add origin /srv/x.git",
            "git remote set-url origin https://x",
            "git remote rename a b",
            "git remote remove a",
            "git remote rm a",
            "git remote prune a",
            "git remote update",
            "git remote set-head origin main",
            "git remote set-branches origin main",
            "git config remote.origin.url https://x",
            "git config --add remote.o.url x",
            "git config --unset remote.origin.url",
            "git config set remote.origin.url x",
            "git config --local Remote.o.URL x",
            "git symbolic-ref HEAD refs/heads/x",
            "git worktree prune",
            "git worktree remove /src/b",
            "git worktree move b c",
            "git worktree lock b",
            "git worktree unlock b",
            "git worktree repair",
            "gh pr checkout 7",
        ] {
            assert_eq!(said(command), changes(Git, &["bash:/src/a"]), "{command}");
        }
        for command in [
            "gh pr create --fill",
            "gh pr close 7",
            "gh pr edit --title x",
            "gh pr merge --squash",
            "gh pr ready",
            "gh pr reopen 7",
            "gh pr update-branch",
        ] {
            assert_eq!(said(command), changes(PullRequest, &["bash:/src/a"]), "{command}");
        }
        assert_eq!(said("git -C /src/b switch x"), changes(Git, &["bash:/src/b"]));
        assert_eq!(said("cd /src/b && git switch x"), changes(Git, &["bash:/src/b"]));
        assert_eq!(said("cd ../b && gh pr create"), changes(PullRequest, &["bash:/src/b"]));
    }

    #[test]
    fn of_other_chains_only_the_effects_count() {
        for (command, expected) in [
            ("git switch x && false", vec![Git]),
            ("make && git -C /src/b switch x", vec![Git]),
            ("cd /src/b && git switch x && make", vec![Git]),
            ("git switch x && git push && gh pr create --fill", vec![Git, PullRequest]),
            ("git worktree add ../b && cd ../b && ls", vec![Git]),
            ("make && cat /src/b/x", vec![]),
            ("cd /src/b && ls && ls", vec![]),
            ("git -C /src/b -C c switch x && ls", vec![]),
        ] {
            assert_eq!(said(command), (vec![], expected, vec![]), "{command}");
        }
    }

    #[test]
    fn a_new_worktree_is_a_file_that_counts_after_its_call() {
        let new = |path: &str, source: &str| changes(Git, &[&format!("file:{path}"), &format!("bash:{source}")]);
        assert_eq!(said("git worktree add ../b"), new("/src/b", "/src/a"));
        assert_eq!(said("git worktree add /src/b topic"), new("/src/b", "/src/a"));
        assert_eq!(said("git -C /src/c worktree add b topic"), new("/src/c/b", "/src/c"));
        assert_eq!(said("cd /src/c && git worktree add ../b"), new("/src/b", "/src/c"));
        // Of another form it changes something, but where is not certain.
        for command in
            ["git worktree add -b topic ../b", "git worktree add ../b topic extra", "git worktree add --detach ../b"]
        {
            assert_eq!(said(command), changes(Git, &["bash:/src/a"]), "{command}");
        }
    }

    #[test]
    fn what_only_reads_or_names_its_repository_has_no_effect() {
        for command in [
            "git checkout",
            "git branch",
            "git branch topic",
            "git remote",
            "git remote show origin",
            "git worktree list",
            "git symbolic-ref HEAD",
            "git symbolic-ref refs/x refs/y",
            "git config remote.origin.url",
            "git config --get remote.o.url x",
            "git config user.name x",
            "git config remote..url x",
            "git commit -m x",
            "gh pr merge -R a/b",
            "gh pr create --repo a/b",
            "gh pr create --repo=a/b",
            "gh pr merge -Ra/b 7",
            "gh repo create",
            "gh pr",
            "gh",
        ] {
            assert_eq!(said(command).1, [], "{command}");
        }
    }

    #[test]
    fn paths_are_those_of_the_machine() {
        let Evidence { hints, .. } = evidence("git -C 'C:\\src\\b' status", "C:\\src\\a", Windows);
        assert_eq!(hints, [Hint::directory(Tier::Bash, "C:\\src\\b".into())]);
        let Evidence { hints, .. } = evidence("cd ../b && ls", "C:\\src\\a", Windows);
        assert_eq!(hints, [Hint::directory(Tier::Bash, "C:\\src\\b".into())]);
    }
}
