//! Reads on in a session file while Pi appends to it.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use same_file::Handle;

use super::activity::{self, Activity};
use super::read::{HEADER_WITHIN, Lines, Reading, SessionError, open};
use super::skipped::Skipped;
use super::tree::{Session, StoredEntry};

/// A session file that grows.
///
/// Only complete lines count: what stands after the last line break is still being written.
pub struct Follower {
    path: PathBuf,
    /// What was opened, to notice when another file has taken its name.
    identity: Handle,
    /// Whether another file has taken its name, or it was cut.
    is_replaced: bool,
    /// Up to where its lines are complete, in bytes.
    offset: u64,
    /// Up to where it has been read: an incomplete line is not read again before it has grown.
    length: u64,
    reading: Reading,
}

/// What has become of a file since it was last looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Growth {
    /// So much was appended; often nothing. What the file is told of is on the session's branch already.
    Appended(Vec<Activity>),
    /// It is shorter than it was, or another file, and has a first line again: it has to be opened anew.
    Replaced,
}

impl Follower {
    /// Reads a file as far as it goes, and says what of it could not be read.
    pub fn open(path: impl AsRef<Path>) -> Result<(Follower, Session, Skipped), SessionError> {
        let path = path.as_ref().to_owned();
        let file = open(&path)?;
        let identity = Handle::from_file(file.try_clone()?)?;
        let mut lines = Lines::of(file, 0);
        let reading = Reading::new(&mut lines)?;
        let offset = lines.offset;
        let mut follower = Follower { path, identity, is_replaced: false, offset, length: offset, reading };
        let mut entries = Vec::new();
        follower.read(&mut lines, |entry, _| entries.push(entry))?;
        let (session, skipped) = follower.reading.session(entries, lines.reader.into_inner());
        Ok((follower, session, skipped))
    }

    /// Reads what was appended, and appends it to the session, which has to be that of this file.
    ///
    /// # Errors
    ///
    /// When the file is gone or cannot be read.
    pub fn read_on(&mut self, session: &mut Session) -> Result<Growth, SessionError> {
        let length = fs::metadata(&self.path).map_err(SessionError::of_path)?.len();
        self.is_replaced = self.is_replaced
            || length < self.length
            || Handle::from_path(&self.path).map_err(SessionError::of_path)? != self.identity;
        let mut activities = Vec::new();
        if self.is_replaced {
            if has_first_line(&self.path)? {
                return Ok(Growth::Replaced);
            }
        } else if length > self.length {
            let mut file = File::open(&self.path).map_err(SessionError::of_path)?;
            file.seek(SeekFrom::Start(self.offset))?;
            self.read(&mut Lines::of(file, self.offset), |stored, line| {
                let told = activity::of_line(&stored.entry, line);
                if session.append_stored(stored) {
                    activities.push(Activity::BranchChanged);
                }
                activities.extend(told);
            })?;
        }
        Ok(Growth::Appended(activities))
    }

    /// What could not be understood of the lines so far.
    pub fn skipped(&self) -> &Skipped {
        &self.reading.skipped
    }

    /// Takes the entries of all complete lines, each with its line.
    fn read(&mut self, lines: &mut Lines, mut take: impl FnMut(StoredEntry, &[u8])) -> io::Result<()> {
        while let Some((span, line)) = lines.next(u64::MAX)?
            && line.ends_with(b"\n")
        {
            self.offset = lines.offset;
            if let Some(entry) = self.reading.entry(span, &line) {
                take(entry, &line);
            }
        }
        self.length = lines.offset;
        Ok(())
    }
}

/// Whether a file has a first line. Whoever replaces a session may be about to write it.
fn has_first_line(path: &Path) -> Result<bool, SessionError> {
    let file = match open(path) {
        Err(SessionError::Empty) => return Ok(false),
        opened => opened?,
    };
    let mut lines = Lines::of(file, 0);
    let first = lines.next(HEADER_WITHIN)?;
    Ok(first.is_some_and(|(_, line)| line.ends_with(b"\n")) || lines.offset == HEADER_WITHIN)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tempfile::TempDir;

    use super::*;

    const HEADER: &str = r#"{"type":"session","version":3,"id":"s1","cwd":"/work"}"#;

    struct Growing {
        _directory: TempDir,
        path: PathBuf,
        follower: Follower,
        session: Session,
    }

    impl Growing {
        fn new(lines: &[String]) -> Growing {
            let directory = TempDir::new().unwrap();
            let path = directory.path().join("session.jsonl");
            fs::write(&path, format!("{HEADER}\n{}", lines.concat())).unwrap();
            let (follower, session, skipped) = Follower::open(&path).unwrap();
            assert!(skipped.is_empty());
            Growing { _directory: directory, path, follower, session }
        }

        fn append(&self, text: &str) {
            File::options().append(true).open(&self.path).unwrap().write_all(text.as_bytes()).unwrap();
        }

        fn read_on(&mut self) -> Growth {
            self.follower.read_on(&mut self.session).unwrap()
        }

        fn branch(&self) -> Vec<&str> {
            self.session.branch().map(|entry| &*entry.id).collect()
        }

        fn text(&self, id: &str) -> String {
            self.session.read_bodies(&[id.to_owned()]).remove(0).unwrap().text_parts.concat()
        }
    }

    fn user(id: &str, parent: &str) -> String {
        let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
        let message = format!(r#"{{"role":"user","content":"text of {id}"}}"#);
        format!("{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"message\":{message}}}\n")
    }

    fn quiet() -> Growth {
        Growth::Appended(Vec::new())
    }

    #[test]
    fn what_is_appended_is_on_the_branch() {
        let mut file = Growing::new(&[user("a", "")]);
        assert_eq!(file.read_on(), quiet());
        file.append(&(user("b", "a") + &user("c", "b")));
        assert_eq!(file.read_on(), quiet());
        assert_eq!(file.branch(), ["a", "b", "c"]);
        assert_eq!(file.text("c"), "text of c");
    }

    #[test]
    fn a_line_counts_when_it_is_complete() {
        let mut file = Growing::new(&[]);
        let line = user("a", "");
        let (first, second) = line.split_at(20);
        file.append(first);
        assert_eq!(file.read_on(), quiet());
        assert_eq!(file.branch(), [""; 0]);
        file.append(second);
        assert_eq!(file.read_on(), quiet());
        assert_eq!(file.branch(), ["a"]);
    }

    #[test]
    fn an_incomplete_line_at_the_beginning_is_read_when_it_is_whole() {
        let (whole, part) = (user("a", ""), user("b", "a"));
        let mut file = Growing::new(&[whole, part[..part.len() - 1].to_owned()]);
        assert_eq!(file.branch(), ["a"]);
        file.append("\n");
        file.read_on();
        assert_eq!(file.branch(), ["a", "b"]);
    }

    #[test]
    fn going_on_from_another_point_changes_the_branch() {
        let mut file = Growing::new(&[user("a", ""), user("b", "a")]);
        file.append(&user("c", "a"));
        assert_eq!(file.read_on(), Growth::Appended(vec![Activity::BranchChanged]));
        assert_eq!(file.branch(), ["a", "c"]);
    }

    #[test]
    fn what_was_appended_in_memory_stays_where_it_was() {
        let mut file = Growing::new(&[user("a", "")]);
        let held = file.session.append(0, crate::wit::session_reader::EntryKind::BranchSummary, None);
        file.append(&user("b", "a"));
        assert_eq!(file.read_on(), quiet());
        assert_eq!(file.branch(), ["a", &held, "b"]);
    }

    #[test]
    fn a_line_that_is_nothing_is_passed_over() {
        let mut file = Growing::new(&[]);
        file.append(&format!("{{broken\n\n[1]\n{}", user("a", "")));
        assert_eq!(file.read_on(), quiet());
        assert_eq!(file.branch(), ["a"]);
        assert_eq!(file.follower.skipped().unreadable_lines, 2);
    }

    #[test]
    fn a_file_that_is_cut_counts_as_another_one_when_it_has_a_first_line() {
        let mut file = Growing::new(&[user("a", "")]);
        fs::write(&file.path, "").unwrap();
        assert_eq!(file.read_on(), quiet());
        file.append(HEADER);
        assert_eq!(file.read_on(), quiet());
        // Longer than before: that it was cut is not forgotten.
        file.append(&format!("\n{}{}", user("a", ""), user("b", "a")));
        assert_eq!(file.read_on(), Growth::Replaced);
    }

    #[test]
    fn another_file_of_that_name_is_noticed_and_so_is_none() {
        let mut file = Growing::new(&[user("a", "")]);
        fs::write(&file.path, format!("{HEADER}\n")).unwrap();
        assert_eq!(file.read_on(), Growth::Replaced);
        let mut file = Growing::new(&[user("a", "")]);
        let other = file.path.with_extension("new");
        fs::write(&other, format!("{HEADER}\n{}{}", user("a", ""), user("b", "a"))).unwrap();
        fs::rename(&other, &file.path).unwrap();
        assert_eq!(file.read_on(), Growth::Replaced);
        fs::remove_file(&file.path).unwrap();
        assert!(matches!(file.follower.read_on(&mut file.session), Err(SessionError::NotFound)));
    }
}
