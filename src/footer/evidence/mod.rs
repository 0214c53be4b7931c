//! What a tool call says of where the session works: paths, and changes to what the line shows.
//!
//! | call | evidence |
//! | --- | --- |
//! | `read`, `write`, `edit`, `grep`, `find`, `ls` | the paths in its arguments, file tier |
//! | `bash` with literal commands | what `command` makes of them |
//! | anything else | none |
//!
//! Pure: a path is text here, and whether it exists is git's to say. A path relative to the call's directory is joined to
//! it; one that begins with `~` is none, since the guest knows no home. What the model writes is hostile input, so what is
//! not understood for certain says nothing.

mod command;
mod shell;

use serde::Deserialize;

use crate::host::PathStyle;
use crate::session;

use super::path;

/// The most hints that one call gives.
const MOST_HINTS: usize = 32;
/// The longest path that is looked at, in bytes.
const LONGEST_PATH: usize = 4_096;

/// How strong a hint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A command names it.
    Bash,
    /// A file tool touches it.
    File,
}

/// A path that the session works with. It need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// How strong it is.
    pub tier: Tier,
    /// Absolute.
    pub path: String,
    /// Whether the call takes it for a file, so that its directory is what git can be asked about.
    pub is_file: bool,
}

/// What a change is made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// Branches, remotes or worktrees.
    Git,
    /// The pull requests of a branch.
    PullRequest,
}

/// What a call says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Counts at once.
    pub hints: Vec<Hint>,
    /// What may have been changed when the call has ended, well or not.
    pub effects: Vec<EffectKind>,
    /// Counts when the call has ended.
    pub after: Vec<Hint>,
}

impl Hint {
    fn directory(tier: Tier, path: String) -> Self {
        Self { tier, path, is_file: false }
    }

    /// The directory to ask git about first.
    pub fn nearest_directory(&self, style: PathStyle) -> &str {
        if self.is_file { path::parent(&self.path, style).unwrap_or(&self.path) } else { &self.path }
    }
}

/// What a call of `tool` says. `arguments` is a JSON object, from anyone; `cwd` is absolute.
pub fn of_call(tool: &str, arguments: &str, cwd: &str, style: PathStyle) -> Evidence {
    match tool {
        "read" | "write" | "edit" => of_files(arguments, cwd, style, true),
        "grep" | "find" | "ls" => of_files(arguments, cwd, style, false),
        "bash" => {
            let Some(Bash { command }) = session::object(arguments) else { return Evidence::default() };
            command::evidence(&command, cwd, style)
        }
        _ => Evidence::default(),
    }
}

#[derive(Deserialize)]
struct Bash {
    command: String,
}

/// The names under which file tools take paths.
#[derive(Deserialize)]
struct Files {
    path: Option<Paths>,
    #[serde(rename = "filePath")]
    file_path_camel: Option<Paths>,
    file_path: Option<Paths>,
    paths: Option<Paths>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Paths {
    One(String),
    Several(Vec<String>),
}

fn of_files(arguments: &str, cwd: &str, style: PathStyle, is_file: bool) -> Evidence {
    let Some(Files { path, file_path_camel, file_path, paths }) = session::object(arguments) else {
        return Evidence::default();
    };
    let named = [path, file_path_camel, file_path, paths].into_iter().flatten().flat_map(|paths| match paths {
        Paths::One(path) => vec![path],
        Paths::Several(paths) => paths,
    });
    let hints = named.filter_map(|path| literal(cwd, &path, style)).take(MOST_HINTS);
    Evidence { hints: hints.map(|path| Hint { tier: Tier::File, path, is_file }).collect(), ..Evidence::default() }
}

/// The path that a text means to a program which expands nothing.
fn literal(cwd: &str, text: &str, style: PathStyle) -> Option<String> {
    if text.starts_with('~') || text.len() > LONGEST_PATH {
        return None;
    }
    path::join(cwd, text, style).filter(|path| path.len() <= LONGEST_PATH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use PathStyle::{Posix, Windows};

    fn paths(tool: &str, arguments: &str) -> Vec<(String, bool)> {
        let evidence = of_call(tool, arguments, "/src/a", Posix);
        assert_eq!((evidence.effects.len(), evidence.after.len()), (0, 0));
        assert!(evidence.hints.iter().all(|hint| hint.tier == Tier::File));
        evidence.hints.into_iter().map(|hint| (hint.path, hint.is_file)).collect()
    }

    #[test]
    fn file_tools_name_their_paths() {
        for tool in ["read", "write", "edit"] {
            assert_eq!(paths(tool, r#"{"path":"b.rs","content":"x"}"#), [("/src/a/b.rs".into(), true)]);
        }
        for tool in ["grep", "find", "ls"] {
            assert_eq!(paths(tool, r#"{"path":"/src/b","pattern":"x"}"#), [("/src/b".into(), false)]);
        }
        for name in ["filePath", "file_path", "path", "paths"] {
            assert_eq!(paths("read", &format!(r#"{{"{name}":"../c"}}"#)), [("/src/c".into(), true)], "{name}");
        }
        assert_eq!(paths("read", r#"{"paths":["/a","b"]}"#), [("/a".into(), true), ("/src/a/b".into(), true)]);
    }

    #[test]
    fn what_is_no_path_of_a_file_tool_says_nothing() {
        for (tool, arguments) in [
            ("Read", r#"{"path":"/a"}"#),
            ("multi_read", r#"{"path":"/a"}"#),
            ("", r#"{"path":"/a"}"#),
            ("read", r#"{"file":"/a"}"#),
            ("read", r#"{"path":7}"#),
            ("read", r#"{"path":null}"#),
            ("read", r#"{"path":""}"#),
            ("read", r#"{"path":"~/a"}"#),
            ("read", r#"{"path":"a\u0000b"}"#),
            ("read", r#"["/a"]"#),
            ("read", "no json"),
            ("ls", "{}"),
        ] {
            assert_eq!(paths(tool, arguments), [], "{tool} {arguments}");
        }
        let long = format!(r#"{{"path":"/{}"}}"#, "a".repeat(4_096));
        assert_eq!(paths("read", &long), []);
        let many = serde_json::json!({"paths": vec!["/a"; 100]}).to_string();
        assert_eq!(paths("read", &many).len(), 32);
    }

    #[test]
    fn a_file_is_asked_about_by_its_directory() {
        let hint = |path: &str, is_file| Hint { tier: Tier::File, path: path.into(), is_file };
        assert_eq!(hint("/src/a/b.rs", true).nearest_directory(Posix), "/src/a");
        assert_eq!(hint("/src/a", false).nearest_directory(Posix), "/src/a");
        assert_eq!(hint("/", true).nearest_directory(Posix), "/");
        assert_eq!(hint("C:\\a\\b", true).nearest_directory(Windows), "C:\\a");
    }
}
