//! Reads a session file from front to back, once.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::FORMAT_VERSION;
use super::entry;
use super::json::{Object, well_formed};
use super::skipped::Skipped;
use super::tree::{Session, Source, Span, StoredEntry, path_style};
use crate::wit::session_reader::{EntryId, SessionInfo};

/// The first version whose entries name their parents.
const TREE_SINCE: u64 = 2;

/// How far into a file its header may begin; Pi looks no further, either. Keeps other files from being read whole.
pub(super) const HEADER_WITHIN: u64 = 1024 * 1024;

/// The longest line that is read, in bytes. Pi has no longer ones: they do not fit into a string of JavaScript.
const LONGEST_LINE: u64 = 512 * 1024 * 1024;

/// Why a file cannot be read as a session. None of these names the file: whoever opens it knows.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is nothing of that name.
    #[error("there is no such file")]
    NotFound,
    /// It is a directory, a device or the like.
    #[error("this is {0}, not a file")]
    NotAFile(&'static str),
    /// It is empty.
    #[error("this file is empty")]
    Empty,
    /// The first JSON value in it is no session header.
    #[error("this is not a Pi session: it does not begin with a session header")]
    NotASession,
    /// The system refused to read it.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

impl Session {
    /// Reads a file, and says what of it could not be read.
    pub fn open(path: impl AsRef<Path>) -> Result<(Session, Skipped), SessionError> {
        Session::open_with_progress(path, |_| {})
    }

    /// Reads a file and calls `progress` with the number of bytes read so far, once for each line.
    pub fn open_with_progress(
        path: impl AsRef<Path>,
        mut progress: impl FnMut(u64),
    ) -> Result<(Session, Skipped), SessionError> {
        let mut lines = Lines::of(open(path.as_ref())?, 0);
        let mut reading = Reading::new(&mut lines)?;
        let mut entries = Vec::new();
        while let Some((span, line)) = lines.next(u64::MAX)? {
            entries.extend(reading.entry(span, &line));
            progress(lines.offset);
        }
        Ok(reading.session(entries, lines.reader.into_inner()))
    }
}

impl SessionError {
    /// Why nothing could be done with a path.
    pub(super) fn of_path(error: io::Error) -> SessionError {
        match error.kind() {
            io::ErrorKind::NotFound => SessionError::NotFound,
            _ => SessionError::Io(error),
        }
    }
}

/// Opens what may be a session.
pub(super) fn open(path: &Path) -> Result<File, SessionError> {
    // Before it is opened: opening a pipe would wait for its writer.
    let metadata = fs::metadata(path).map_err(SessionError::of_path)?;
    match metadata.file_type() {
        kind if kind.is_dir() => Err(SessionError::NotAFile("a directory")),
        kind if !kind.is_file() => Err(SessionError::NotAFile("a device or a pipe")),
        _ if metadata.len() == 0 => Err(SessionError::Empty),
        _ => File::open(path).map_err(SessionError::of_path),
    }
}

/// The lines of a file, with where they stand in it.
pub(super) struct Lines {
    pub(super) reader: BufReader<File>,
    /// Where the next one begins.
    pub(super) offset: u64,
    longest: u64,
}

impl Lines {
    /// The lines of a file that stands at `offset`.
    pub(super) fn of(file: File, offset: u64) -> Lines {
        Lines { reader: BufReader::with_capacity(1 << 20, file), offset, longest: LONGEST_LINE }
    }

    /// The next line with its end, if any; cut where the file's first `limit` bytes end. Of one that is too long only its end is
    /// kept, behind something by which it makes no sense.
    pub(super) fn next(&mut self, limit: u64) -> io::Result<Option<(Span, Vec<u8>)>> {
        let start = self.offset;
        let mut line = Vec::new();
        loop {
            let room = limit.saturating_sub(self.offset).min(self.longest);
            let read = io::Read::take(&mut self.reader, room).read_until(b'\n', &mut line)? as u64;
            self.offset += read;
            if read < self.longest || line.ends_with(b"\n") {
                break;
            }
            line.clear();
            line.push(b'?');
        }
        let length = (self.offset - start) as usize;
        Ok((length > 0).then_some((Span { offset: start, length }, line)))
    }
}

/// What has been read of a session, except for its entries.
pub(super) struct Reading {
    version: u64,
    info: SessionInfo,
    /// How many entries there were, and the last one.
    count: usize,
    last: Option<EntryId>,
    pub(super) skipped: Skipped,
}

impl Reading {
    /// Begins with the header, which is the first line that holds JSON.
    pub(super) fn new(lines: &mut Lines) -> Result<Reading, SessionError> {
        let mut skipped = Skipped::default();
        while let Some((_, line)) = lines.next(HEADER_WITHIN)? {
            let text = well_formed(&line);
            if text.trim().is_empty() {
                continue;
            }
            match serde_json::from_str(&text) {
                Ok(header) => return Reading::with_header(&header, skipped).ok_or(SessionError::NotASession),
                // Other JSON than an object is as little of a header as an object of another type.
                Err(error) if error.is_data() => return Err(SessionError::NotASession),
                Err(_) => skipped.unreadable_lines += 1,
            }
        }
        Err(SessionError::NotASession)
    }

    fn with_header(header: &Object<'_>, mut skipped: Skipped) -> Option<Reading> {
        let id = header.string("id").filter(|id| !id.is_empty())?;
        if header.string("type")? != "session" {
            return None;
        }
        // Files of the first version have no version.
        let version = header.get("version").map_or(Some(1), |version| version.get().parse().ok()).unwrap_or(1);
        skipped.later_version = (version > FORMAT_VERSION).then_some(version);
        // Without one, any absolute path will do.
        let cwd = header.string("cwd").filter(|cwd| !cwd.is_empty()).unwrap_or_else(|| "/".into());
        let created_at = entry::time(header);
        let info = SessionInfo { id, name: None, path_style: path_style(&cwd), cwd, created_at };
        Some(Reading { version, info, count: 0, last: None, skipped })
    }

    /// The entry that a line holds, if it holds one. What cannot be read is counted.
    pub(super) fn entry(&mut self, span: Span, line: &[u8]) -> Option<StoredEntry> {
        let text = well_formed(line);
        if text.trim().is_empty() {
            return None;
        }
        let Some(stored) = Object::parse(&text) else {
            match line.ends_with(b"\n") {
                true => self.skipped.unreadable_lines += 1,
                false => self.skipped.truncated_end = true,
            }
            return None;
        };
        match stored.string("type").as_deref() {
            Some("session") => None,
            Some(kind) => self.entry_of(kind, span, &stored),
            None => {
                self.skipped.unreadable_lines += 1;
                None
            }
        }
    }

    fn entry_of(&mut self, kind: &str, span: Span, stored: &Object<'_>) -> Option<StoredEntry> {
        let Some((id, parent)) = self.place(stored) else {
            self.skipped.unreadable_lines += 1;
            return None;
        };
        let entry = entry::header(id, stored, self.version);
        if let Some(kind) = entry::unknown_kind(&entry, stored) {
            *self.skipped.unknown_kinds.entry(kind).or_default() += 1;
        }
        if kind == "session_info" {
            // The latest one counts, wherever in the tree it is; an empty one takes the name away.
            let name = stored.string("name").map(|name| name.trim().to_owned());
            self.info.name = name.filter(|name| !name.is_empty());
        }
        self.count += 1;
        self.last = Some(entry.id.clone());
        Some(StoredEntry { entry, parent, span })
    }

    /// The id of an entry and that of its parent.
    fn place(&self, stored: &Object<'_>) -> Option<(EntryId, Option<EntryId>)> {
        if self.version < TREE_SINCE {
            // The ids that Pi would give are random. These are the same each time the file is read.
            return Some((format!("{:08x}", self.count), self.last.clone()));
        }
        let id = stored.string("id").filter(|id| !id.is_empty())?;
        Some((id, stored.string("parentId").filter(|parent| !parent.is_empty())))
    }

    /// The session of all entries, and what was skipped on the way.
    pub(super) fn session(&self, entries: Vec<StoredEntry>, file: File) -> (Session, Skipped) {
        let source = Source { file, version: self.version };
        let (session, is_whole) = Session::stored(self.info.clone(), entries, source);
        (session, Skipped { broken_branch: !is_whole, ..self.skipped.clone() })
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::wit::session_reader::{EntryKind, Message, PathStyle};

    const HEADER: &str =
        r#"{"type":"session","version":3,"id":"s1","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/work"}"#;

    fn open(content: impl AsRef<[u8]>) -> Result<(Session, Skipped), SessionError> {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("session.jsonl");
        fs::write(&file, &content).unwrap();
        let opened = Session::open(&file);
        assert_eq!(fs::read(&file).unwrap(), content.as_ref(), "the file stays as it was");
        opened
    }

    fn session(lines: &[&str]) -> (Session, Skipped) {
        open([&[HEADER], lines].concat().join("\n") + "\n").unwrap()
    }

    fn user(id: &str, parent: &str, text: &str) -> String {
        let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user","content":"{text}"}}}}"#
        )
    }

    fn branch(session: &Session) -> Vec<&str> {
        session.branch().map(|entry| &*entry.id).collect()
    }

    fn texts(session: &Session) -> Vec<String> {
        let ids: Vec<EntryId> = session.branch().map(|entry| entry.id.clone()).collect();
        let bodies = session.read_bodies(&ids).into_iter().flatten();
        bodies.flat_map(|body| body.text_parts).collect()
    }

    #[test]
    fn a_session_is_its_header_and_its_branch() {
        let (session, skipped) = session(&[&user("a", "", "one"), &user("b", "a", "beside"), &user("c", "a", "two")]);
        let expected = SessionInfo {
            id: "s1".into(),
            name: None,
            cwd: "/work".into(),
            path_style: PathStyle::Posix,
            created_at: Some(1_733_234_400_000),
        };
        assert_eq!(session.info(), &expected);
        assert_eq!(branch(&session), ["a", "c"]);
        assert_eq!(texts(&session), ["one", "two"]);
        assert!(skipped.is_empty());
    }

    #[test]
    fn the_latest_name_counts() {
        let name =
            |id: &str, name: &str| format!(r#"{{"type":"session_info","id":"{id}","parentId":null,"name":"{name}"}}"#);
        assert_eq!(session(&[&name("a", "one"), &name("b", " two ")]).0.info().name.as_deref(), Some("two"));
        assert_eq!(session(&[&name("a", "one"), &name("b", " ")]).0.info().name, None);
    }

    #[test]
    fn what_cannot_be_read_is_skipped_and_counted() {
        let (a, b, c) = (user("a", "", "one"), user("b", "a", "two"), user("c", "b", "three"));
        let hologram = r#"{"type":"hologram","id":"h","parentId":"c"}"#;
        let lines = [&*a, "{broken", "", "[1]", r#"{"type":"custom"}"#, &b, "  ", &c, hologram];
        let (session, skipped) = session(&lines);
        assert_eq!(branch(&session), ["a", "b", "c", "h"]);
        assert_eq!(texts(&session), ["one", "two", "three"]);
        assert_eq!(skipped.unreadable_lines, 3);
        assert_eq!(skipped.unknown_kinds, [("hologram".into(), 1)].into());
        assert_eq!(skipped.to_string(), "3 lines cannot be read; 1 entry is of an unknown kind (hologram)");
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("session.jsonl");
        let lines = |text: &str| {
            fs::write(&path, text).unwrap();
            let mut lines = Lines { longest: 8, ..Lines::of(File::open(&path).unwrap(), 0) };
            let lines = std::iter::from_fn(|| lines.next(u64::MAX).unwrap());
            lines.map(|(span, line)| (span.offset, span.length, String::from_utf8(line).unwrap())).collect::<Vec<_>>()
        };
        let line = |offset, length, text: &str| (offset, length, text.to_owned());
        assert_eq!(lines("1234567\n[]\n"), [line(0, 8, "1234567\n"), line(8, 3, "[]\n")]);
        assert_eq!(lines("12345678\n[]\n"), [line(0, 9, "?\n"), line(9, 3, "[]\n")]);
        assert_eq!(lines("[                 ]\n[]"), [line(0, 20, "?  ]\n"), line(20, 2, "[]")]);
        assert_eq!(lines("12345678"), [line(0, 8, "?")]);
    }

    #[test]
    fn a_truncated_end_loses_nothing_else() {
        let whole = format!("{HEADER}\n{}\n{}", user("a", "", "one"), user("b", "a", "two"));
        let (session, skipped) = open(&whole[..whole.len() - 5]).unwrap();
        assert_eq!(branch(&session), ["a"]);
        assert_eq!(skipped.to_string(), "the last line is incomplete");
        let (session, skipped) = open(&whole).unwrap();
        assert_eq!(texts(&session), ["one", "two"]);
        assert!(skipped.is_empty(), "only the line break is missing");
    }

    #[test]
    fn a_missing_parent_ends_the_branch() {
        let (session, skipped) = session(&[&user("a", "", "one"), &user("b", "lost", "two"), &user("c", "b", "three")]);
        assert_eq!(branch(&session), ["b", "c"]);
        assert_eq!(skipped.to_string(), "the beginning of the branch is missing");
    }

    #[test]
    fn parents_in_a_circle_come_to_an_end() {
        let (circle, skipped) = session(&[&user("a", "c", "one"), &user("b", "a", "two"), &user("c", "b", "three")]);
        assert_eq!(branch(&circle), ["a", "b", "c"]);
        assert!(skipped.broken_branch);
        assert_eq!(branch(&session(&[&user("a", "a", "one")]).0), ["a"]);
    }

    #[test]
    fn of_two_entries_with_one_id_the_later_counts() {
        let (session, _) = session(&[&user("a", "", "one"), &user("a", "", "two"), &user("b", "a", "three")]);
        assert_eq!(texts(&session), ["two", "three"]);
    }

    #[test]
    fn half_characters_and_broken_bytes_become_visible() {
        let mut content = format!("{HEADER}\n{}\n", user("a", "", r"x\ud83dy")).into_bytes();
        content.extend(user("b", "a", "caf?").bytes().map(|byte| if byte == b'?' { 0xE9 } else { byte }));
        let (session, skipped) = open(content).unwrap();
        assert_eq!(texts(&session), ["x\u{FFFD}y", "caf\u{FFFD}"]);
        assert!(skipped.is_empty());
    }

    #[test]
    fn line_ends_of_windows_are_line_ends() {
        let content = [HEADER, &user("a", "", "one"), &user("b", "a", "two"), ""].join("\r\n");
        let (session, skipped) = open(content).unwrap();
        assert_eq!(texts(&session), ["one", "two"]);
        assert!(skipped.is_empty());
    }

    #[test]
    fn a_file_of_version_1_is_a_chain() {
        let content = r#"{"type":"session","id":"old","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/work"}
            {"type":"message","timestamp":"2024-12-03T14:00:01.000Z","message":{"role":"user","content":"one"}}
            {"type":"message","message":{"role":"hookMessage","customType":"x","content":"two"}}
            {"type":"compaction","summary":"three","firstKeptEntryIndex":1}"#;
        let (session, skipped) = open(content).unwrap();
        assert_eq!(branch(&session), ["00000000", "00000001", "00000002"]);
        assert_eq!(texts(&session), ["one", "two", "three"]);
        assert!(matches!(session.branch().nth(1).unwrap().kind, EntryKind::CustomMessage(_)));
        assert!(skipped.is_empty());
    }

    #[test]
    fn a_file_of_version_2_names_its_hook_messages_differently() {
        let header = HEADER.replace("\"version\":3", "\"version\":2");
        let hook = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"hookMessage","content":"x"}}"#;
        let (session, _) = open(format!("{header}\n{hook}\n")).unwrap();
        assert!(matches!(session.branch().next().unwrap().kind, EntryKind::CustomMessage(_)));
        assert_eq!(texts(&session), ["x"]);
    }

    #[test]
    fn a_later_version_is_read_and_named() {
        let header = HEADER.replace("\"version\":3", "\"version\":4");
        let (session, skipped) = open(format!("{header}\n{}\n", user("a", "", "one"))).unwrap();
        assert!(matches!(session.branch().next().unwrap().kind, EntryKind::Message(Message::User(_))));
        assert_eq!(skipped.to_string(), "its format 4 is later than the 3 known here");
    }

    #[test]
    fn appended_entries_follow_the_stored_ones() {
        let (mut session, _) = session(&[&user("00000001", "", "one")]);
        let id = session.append(0, EntryKind::BranchSummary, None);
        assert_ne!(id, "00000001");
        assert_eq!(branch(&session), ["00000001", &*id]);
    }

    #[test]
    fn other_files_are_refused() {
        let error = |content: &str| open(content).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error(""), "this file is empty");
        let refusal = "this is not a Pi session: it does not begin with a session header";
        for content in ["\n\n", "some text\n", "{}", "[]", &user("a", "", "one"), r#"{"type":"session","version":3}"#] {
            assert_eq!(error(content), refusal, "{content:?}");
        }
        assert_eq!(error(&format!("{}\n{HEADER}\n", "x".repeat(1 << 20))), refusal, "the header comes too late");
    }

    #[test]
    fn lines_before_the_header_are_skipped() {
        let (session, skipped) = open(format!("\n// a note\n{HEADER}\n{}\n", user("a", "", "one"))).unwrap();
        assert_eq!(texts(&session), ["one"]);
        assert_eq!(skipped.to_string(), "1 line cannot be read");
    }

    #[test]
    fn what_is_no_file_is_said_to_be_something_else() {
        let directory = TempDir::new().unwrap();
        let error = |path: &Path| Session::open(path).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error(directory.path()), "this is a directory, not a file");
        assert_eq!(error(&directory.path().join("missing")), "there is no such file");
        #[cfg(unix)]
        assert_eq!(error(Path::new("/dev/null")), "this is a device or a pipe, not a file");
    }

    #[test]
    fn progress_ends_at_the_size_of_the_file() {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("session.jsonl");
        fs::write(&file, format!("{HEADER}\n{}\n{}", user("a", "", "one"), user("b", "a", "two"))).unwrap();
        let mut reported = Vec::new();
        Session::open_with_progress(&file, |bytes| reported.push(bytes)).unwrap();
        assert!(reported.is_sorted());
        assert_eq!(reported.last(), Some(&fs::metadata(&file).unwrap().len()));
    }
}
