//! A host that is ready to use, [`LocalHost`], and the loop that drives a guest with it.
//!
//! It shows a session to a guest, from a file or made up, and lets it run programs. There is no agent and no person:
//! entries are appended in memory, and what the guest shows is collected.

mod timers;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use std::{env, fs, io, path};

use self::timers::Timers;
use crate::capsule::{CallError, Capsule};
use crate::host::Host;
use crate::policy::AllowedCommand;
use crate::process::{self, RunningProcess};
use crate::session_file::{Session, SessionError, Skipped};
use crate::wit::clock::TimerId;
use crate::wit::session_reader::{Body, Changes, CustomEntry, EntryId, EntryKind, SessionInfo};
use crate::wit::session_writer::AppendError;
use crate::wit::status::{NoticeLevel, StatusError};
use crate::wit::subprocess::{Outcome, RequestId};

/// Longer than anybody waits, and yet a time that there will be.
const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A session, real programs, the real clock; statuses and notices are collected.
pub struct LocalHost {
    session: Session,
    statuses: BTreeMap<String, String>,
    notices: Vec<Notice>,
    timers: Timers,
    runs_programs: bool,
    /// What programs inherit, before the policy has its say; this process's if it is not set.
    environment: Option<Vec<(OsString, OsString)>>,
    programs: HashMap<RequestId, RunningProcess>,
    finished_sender: Sender<Finished>,
    finished: Receiver<Finished>,
    /// Received, but later than a timer that comes first.
    next_finished: Option<Finished>,
}

/// Something that the guest has told the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How urgent it is.
    pub level: NoticeLevel,
    /// What it says; may have several lines.
    pub message: String,
}

/// The end of a program.
struct Finished {
    at: Instant,
    id: RequestId,
    outcome: Outcome,
}

/// What a guest waits for.
enum Event {
    Finished(RequestId, Outcome),
    Due(TimerId),
}

impl LocalHost {
    /// A host for a session that is there already.
    pub fn new(session: Session) -> LocalHost {
        let (finished_sender, finished) = mpsc::channel();
        LocalHost {
            session,
            statuses: BTreeMap::new(),
            notices: Vec::new(),
            timers: Timers::default(),
            runs_programs: true,
            environment: None,
            programs: HashMap::new(),
            finished_sender,
            finished,
            next_finished: None,
        }
    }

    /// A host for the session in a file, which stays as it is.
    pub fn open(path: impl AsRef<Path>) -> Result<(LocalHost, Skipped), SessionError> {
        let (session, skipped) = Session::open(path)?;
        Ok((LocalHost::new(session), skipped))
    }

    /// A host for a new session in a directory.
    pub fn in_directory(cwd: impl AsRef<Path>) -> io::Result<LocalHost> {
        let cwd = path::absolute(cwd)?;
        if !fs::metadata(&cwd)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let not_unicode = || io::Error::new(io::ErrorKind::InvalidInput, "the path is not valid Unicode");
        let cwd = cwd.to_str().ok_or_else(not_unicode)?;
        let id = format!("{:016x}", getrandom::u64()?);
        let now = jiff::Timestamp::now().as_millisecond();
        Ok(LocalHost::new(Session::empty(id, cwd, Some(now))))
    }

    /// Answers every request for a program with `unavailable`. For sessions that are only looked at: their directory may
    /// be of no concern, or not be there.
    pub fn without_programs(mut self) -> LocalHost {
        self.runs_programs = false;
        self
    }

    /// Lets programs inherit these variables in place of this process's. The policy still removes and sets what it does;
    /// `PATH` says where programs are found.
    pub fn with_environment(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> LocalHost {
        self.environment = Some(variables.into_iter().collect());
        self
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to append to it or to move its leaf. Afterwards tell the guest, for example by
    /// [`branch_changed`](Capsule::branch_changed).
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The text of a status line, if the guest shows it.
    pub fn status(&self, key: &str) -> Option<&str> {
        self.statuses.get(key).map(String::as_str)
    }

    /// What the guest has told the person so far, or since it was last taken.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// What the guest has told the person since this was last asked.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Whether a program of the guest runs, or has ended without the guest having been told.
    pub fn has_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    /// The next thing that the guest waits for, in the order of happening; `None` if nothing happens until `deadline`.
    fn next_event(&mut self, deadline: Instant) -> Option<Event> {
        loop {
            let timer = self.timers.first();
            let wait_until = timer.map_or(deadline, |(due, _)| due.min(deadline));
            if self.next_finished.is_none() {
                let wait = wait_until.saturating_duration_since(Instant::now());
                self.next_finished = self.finished.recv_timeout(wait).ok();
            }
            let now = Instant::now();
            let program_at = self.next_finished.as_ref().map_or(now, |finished| finished.at);
            if let Some((due, id)) = timer
                && due <= program_at
            {
                self.timers.remove(id);
                return Some(Event::Due(id));
            }
            if let Some(Finished { id, outcome, .. }) = self.next_finished.take() {
                self.programs.remove(&id);
                return Some(Event::Finished(id, outcome));
            }
            if now >= deadline {
                return None;
            }
        }
    }
}

impl Capsule<LocalHost> {
    /// Tells the guest of finished programs and due timers, in order, until `condition` holds. False when that takes
    /// longer than `timeout`.
    pub fn run_until(
        &mut self,
        mut condition: impl FnMut(&Capsule<LocalHost>) -> bool,
        timeout: Duration,
    ) -> Result<bool, CallError> {
        let now = Instant::now();
        let deadline = now.checked_add(timeout).unwrap_or(now + FAR);
        while !condition(self) {
            // Asked for each time, so that timers without delay cannot go on for ever.
            if Instant::now() >= deadline {
                return Ok(false);
            }
            match self.host_mut().next_event(deadline) {
                Some(Event::Finished(id, outcome)) => self.subprocess_finished(id, &outcome)?,
                Some(Event::Due(id)) => self.timer_fired(id)?,
                None => {}
            }
        }
        Ok(true)
    }
}

impl Host for LocalHost {
    fn session(&mut self) -> SessionInfo {
        self.session.info().clone()
    }

    fn changes_since(&mut self, cursor: Option<&str>) -> Changes {
        self.session.changes_since(cursor)
    }

    fn read_bodies(&mut self, ids: &[EntryId]) -> Vec<Option<Body>> {
        self.session.read_bodies(ids)
    }

    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, AppendError> {
        let entry = CustomEntry { custom_type: custom_type.into(), data: Some(data.into()) };
        let now = self.now();
        Ok(self.session.append(now, EntryKind::Custom(entry), None))
    }

    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), StatusError> {
        match text {
            Some(text) => self.statuses.insert(key.into(), text.into()),
            None => self.statuses.remove(key),
        };
        Ok(())
    }

    fn notify(&mut self, level: NoticeLevel, message: &str) -> Result<(), StatusError> {
        self.notices.push(Notice { level, message: message.into() });
        Ok(())
    }

    fn start_timer(&mut self, id: TimerId, delay: u32) {
        self.timers.start(id, Instant::now() + Duration::from_millis(delay.into()));
    }

    fn cancel_timer(&mut self, id: TimerId) {
        self.timers.remove(id);
    }

    fn start_process(&mut self, id: RequestId, command: AllowedCommand) -> Result<(), Outcome> {
        if !self.runs_programs {
            return Err(Outcome::Unavailable("this host runs no programs".into()));
        }
        let sender = self.finished_sender.clone();
        let finished = move |outcome| {
            // Nobody receives it when the host is gone.
            let _ = sender.send(Finished { at: Instant::now(), id, outcome });
        };
        let inherited = self.environment.clone().unwrap_or_else(|| env::vars_os().collect());
        self.programs.insert(id, process::start(&command, inherited, finished)?);
        Ok(())
    }

    fn cancel_process(&mut self, id: RequestId) {
        self.programs.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_the_order_of_their_happening() {
        let mut host = LocalHost::new(Session::empty("s", "/", None));
        let start = Instant::now();
        let after = |milliseconds| start + Duration::from_millis(milliseconds);
        for (id, at) in [(1, 2), (2, 4)] {
            host.finished_sender.send(Finished { at: after(at), id, outcome: Outcome::NotFound }).unwrap();
        }
        host.timers.start(11, after(3));
        host.timers.start(12, after(1));
        let mut order = Vec::new();
        while let Some(event) = host.next_event(after(20)) {
            order.push(match event {
                Event::Finished(id, _) | Event::Due(id) => id,
            });
        }
        assert_eq!(order, [12, 1, 11, 2]);
    }

    #[test]
    fn a_timer_is_never_early() {
        let mut host = LocalHost::new(Session::empty("s", "/", None));
        let start = Instant::now();
        host.start_timer(1, 30);
        assert!(matches!(host.next_event(start + Duration::from_secs(10)), Some(Event::Due(1))));
        assert!(start.elapsed() >= Duration::from_millis(30));
    }
}
