//! What an embedder provides: the trait [`Host`].

use std::sync::LazyLock;
use std::time::Instant;

use jiff::{Timestamp, tz::TimeZone};

use crate::policy::AllowedCommand;
use crate::wit::agent::{AgentError, AttemptId, ContextUsage, Delivery, OutgoingMessage};
use crate::wit::clock::{self, Monotonic, TimerId};
use crate::wit::session_reader::{Body, Changes, EntryId, Json, SessionInfo};
use crate::wit::session_writer::AppendError;
use crate::wit::settings::{CompactionPolicy, Scope, SettingsError};
use crate::wit::status::{NoticeLevel, StatusError};
use crate::wit::subprocess::{Outcome, RequestId};

/// Everything that a guest can reach, as the program that embeds it sees it.
///
/// A [`Capsule`](crate::Capsule) calls these methods while an export runs, so they have to return at once and cannot
/// call the capsule. What takes time is begun here and answered later, by a method of the capsule.
///
/// The capsule stands between the guest and this trait. An implementation sees only requests that the
/// [policy](crate::policy) grants, made while there is a session, with text that holds no control characters. It is
/// asked to cancel what is still running when the session ends or the guest fails.
///
/// A session, a place for status lines and notices, and timers are all that an implementation must have. A host without
/// an agent, settings or programs leaves the rest as it is.
pub trait Host: 'static {
    /// What identifies the session.
    fn session(&mut self) -> SessionInfo;

    /// The entries after `cursor` on the active branch, in pages; see the WIT file for their limits.
    ///
    /// [`Session`](crate::session_file::Session) implements this and [`read_bodies`](Host::read_bodies) for entries
    /// held in memory or in a file.
    fn changes_since(&mut self, cursor: Option<&str>) -> Changes;

    /// The bodies of entries on the active branch, in the order of `ids`: all, or the first ones, but at least one.
    fn read_bodies(&mut self, ids: &[EntryId]) -> Vec<Option<Body>>;

    /// Appends a custom entry at the end of the active branch. `data` is the text of one JSON value.
    fn append(&mut self, custom_type: &str, data: &str) -> Result<EntryId, AppendError>;

    /// Shows `text` as the status line `key`, or takes the line away.
    fn set_status(&mut self, key: &str, text: Option<&str>) -> Result<(), StatusError>;

    /// Tells the person something.
    fn notify(&mut self, level: NoticeLevel, message: &str) -> Result<(), StatusError>;

    /// Begins to wait for `delay` milliseconds. Then [`timer_fired`](crate::Capsule::timer_fired) has to be called.
    fn start_timer(&mut self, id: TimerId, delay: u32);

    /// Gives a timer up. A call of `timer_fired` that is already on its way does no harm.
    fn cancel_timer(&mut self, id: TimerId);

    /// Starts a program, within the [limits](crate::policy::Policy::process_limits) and in the
    /// [environment](crate::policy::Policy::environment) of the policy; [`process::start`](crate::process::start) does.
    /// When it has ended, [`subprocess_finished`](crate::Capsule::subprocess_finished) has to be called.
    ///
    /// An error is the outcome of a program that will not run; the capsule delivers it.
    fn start_process(&mut self, id: RequestId, command: AllowedCommand) -> Result<(), Outcome> {
        let _ = id;
        Err(Outcome::Unavailable(format!("this host does not run {}", command.program())))
    }

    /// Kills a program. The capsule answers the guest; an outcome that still arrives does no harm.
    fn cancel_process(&mut self, id: RequestId) {
        let _ = id;
    }

    /// One section of the person's settings, or of the project's while the person trusts it.
    fn settings_section(&mut self, scope: Scope, name: &str) -> Result<Option<Json>, SettingsError> {
        let _ = (scope, name);
        Ok(None)
    }

    /// When the agent compacts by itself. By default what Pi does without any settings.
    fn compaction_policy(&mut self) -> Result<CompactionPolicy, SettingsError> {
        Ok(CompactionPolicy { enabled: true, reserve_tokens: 16_384, keep_recent_tokens: 20_000 })
    }

    /// How full the context of the active model is; `None` without one.
    fn context_usage(&mut self) -> Option<ContextUsage> {
        None
    }

    /// Whether nothing runs and nothing will by itself.
    fn is_idle(&mut self) -> bool {
        true
    }

    /// Whether messages wait to be delivered to the model.
    fn has_pending_messages(&mut self) -> bool {
        false
    }

    /// Whether the person has stopped the active run.
    fn is_aborted(&mut self) -> bool {
        false
    }

    /// Queues a message to the model. It takes effect after the running export has returned.
    fn send_message(&mut self, message: OutgoingMessage, delivery: Delivery) -> Result<(), AgentError> {
        let _ = (message, delivery);
        Err(no_agent())
    }

    /// Queues a compaction. It takes effect after the running export has returned, and is answered by
    /// [`compaction_finished`](crate::Capsule::compaction_finished).
    fn compact(&mut self, attempt: AttemptId) -> Result<(), AgentError> {
        let _ = attempt;
        Err(no_agent())
    }

    /// The wall clock. By default the system's.
    fn now(&mut self) -> clock::Timestamp {
        Timestamp::now().as_millisecond()
    }

    /// A clock that only grows. By default milliseconds since it was first asked for in this process.
    fn monotonic_now(&mut self) -> Monotonic {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed().as_millis().try_into().unwrap_or(Monotonic::MAX)
    }

    /// The offset of local time from UTC at that moment, in minutes. By default that of the system's time zone.
    fn utc_offset(&mut self, at: clock::Timestamp) -> i16 {
        let Ok(at) = Timestamp::from_millisecond(at) else { return 0 };
        let seconds = TimeZone::system().to_offset(at).seconds();
        // A zone can be nearly 26 hours off; the contract allows for less than a day.
        (seconds / 60).clamp(-1439, 1439) as i16
    }

    /// 32 random bits. By default from the operating system; where that has none to give, from the clock.
    fn random_bits(&mut self) -> u32 {
        getrandom::u32().unwrap_or_else(|_| self.monotonic_now().wrapping_mul(0x9e37_79b9) as u32 ^ self.now() as u32)
    }
}

fn no_agent() -> AgentError {
    AgentError::Unavailable("this host has no running agent".into())
}
