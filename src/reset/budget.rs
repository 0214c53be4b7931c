//! The context budget: how full the window is, and whether the model has to hear of it.
//!
//! Remembers what was read of the settings, and what the branch does not show yet. Decides what to say; the words are in
//! `prompts`, and the messages are sent by the module above.

use serde_json::{Map, Value};

use super::thresholds::{DEFAULT_MARGIN, Lines, Standing};
use crate::host::{Host, NoticeLevel, Refused, Scope};
use crate::session::{Session, Window};

/// The section of the settings.
const SECTION: &str = "pi-context";
/// The key in it: how far before Pi's reserve the model is reminded.
const MARGIN_KEY: &str = "reminderMarginTokens";

/// What the model has to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// That the window is filling, with the tokens left above the warning line.
    Guidance(u64),
    /// That the reset is next.
    Warning,
}

/// The budget of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    policy: Option<Policy>,
    /// What was said in which window, since it reaches the branch only later.
    said: Said,
    /// What the person has been told in this session.
    told: Vec<String>,
}

/// What the lines are computed from.
#[derive(Clone, Copy, Debug)]
struct Policy {
    reserve: u64,
    margin: u64,
}

#[derive(Clone, Debug, Default)]
struct Said {
    window: String,
    guidance: bool,
    warning: bool,
}

impl Budget {
    /// Reads the settings anew when they are next needed, and trusts the branch alone for what has been said.
    pub(super) fn forget(&mut self) {
        self.said = Said::default();
        self.forget_policy();
    }

    /// Reads the settings anew when they are next needed.
    pub(super) fn forget_policy(&mut self) {
        self.policy = None;
    }

    /// The tokens left above the warning line, if that can be told.
    pub(super) fn left(&mut self, session: &Session, host: &mut dyn Host) -> Option<u64> {
        let usage = host.context_usage()?;
        let used = usage.used.filter(|_| is_measured(session))?;
        Some(self.lines(usage.window, host).ok()?.standing(used).left())
    }

    /// What the model has to hear now. Each is due once a window; once it is, it counts as said.
    pub(super) fn due(&mut self, session: &Session, host: &mut dyn Host) -> Option<Due> {
        let usage = host.context_usage()?;
        let lines = match self.lines(usage.window, host) {
            Ok(lines) => lines,
            Err(why) => {
                let message = format!("{SECTION}: {why}, so the model is not told when its context fills up.");
                self.tell_once(message, host);
                return None;
            }
        };
        let used = usage.used.filter(|_| is_measured(session))?;
        let window = session.windows().active();
        let said = self.said_in(window);
        match lines.standing(used) {
            Standing::Filling(left) if !said.guidance && !said.warning => {
                said.guidance = true;
                Some(Due::Guidance(left))
            }
            Standing::Full if !said.warning => {
                said.warning = true;
                Some(Due::Warning)
            }
            _ => None,
        }
    }

    /// What has been said in a window, on the branch or on its way there.
    fn said_in(&mut self, window: &Window) -> &mut Said {
        if self.said.window != window.id {
            self.said = Said { window: window.id.clone(), ..Said::default() };
        }
        self.said.guidance |= window.has_guidance;
        self.said.warning |= window.has_warning;
        &mut self.said
    }

    /// The lines of the active model, or why there are none.
    fn lines(&mut self, window: Option<u64>, host: &mut dyn Host) -> Result<Lines, &'static str> {
        let Policy { reserve, margin } = self.policy(host)?;
        let window = window.ok_or("the size of the model's context window is not known")?;
        Lines::new(window, reserve, margin).ok_or("compaction.reserveTokens takes the model's whole context window")
    }

    fn policy(&mut self, host: &mut dyn Host) -> Result<Policy, &'static str> {
        if let Some(policy) = self.policy {
            return Ok(policy);
        }
        let reserve = host.compaction_reserve().map_err(|Refused| "the settings for compaction cannot be read")?;
        let margin = self.margin(host);
        Ok(*self.policy.insert(Policy { reserve, margin }))
    }

    /// The margin of the settings: the project's, else the person's, else the default.
    fn margin(&mut self, host: &mut dyn Host) -> u64 {
        let mut value = None;
        for scope in [Scope::Project, Scope::Global] {
            match section(scope, host) {
                Ok(section) => value = value.or_else(|| section?.remove(MARGIN_KEY)),
                Err(complaint) => self.tell_once(complaint, host),
            }
        }
        let Some(value) = value else { return DEFAULT_MARGIN };
        value.as_u64().filter(|&margin| margin > 0).unwrap_or_else(|| {
            let complaint = format!(
                "{SECTION}.{MARGIN_KEY} in the settings must be a whole number above 0; {DEFAULT_MARGIN} is used instead."
            );
            self.tell_once(complaint, host);
            DEFAULT_MARGIN
        })
    }

    fn tell_once(&mut self, message: String, host: &mut dyn Host) {
        if !self.told.contains(&message) {
            host.notify(NoticeLevel::Warning, &message);
            self.told.push(message);
        }
    }
}

/// Whether the usage belongs to the active window: after a reset it is the old one's until the model has answered.
fn is_measured(session: &Session) -> bool {
    session.windows().is_at_root() || session.windows().active().has_answer
}

/// A section of the settings, or what is wrong with it.
fn section(scope: Scope, host: &mut dyn Host) -> Result<Option<Map<String, Value>>, String> {
    let whose = match scope {
        Scope::Global => "your",
        Scope::Project => "the project's",
    };
    let json = host
        .settings_section(scope, SECTION)
        .map_err(|Refused| format!("{SECTION}: {whose} settings cannot be read and are left out."))?;
    json.map(|json| serde_json::from_str(&json)).transpose().map_err(|_| {
        format!("{SECTION} in {whose} settings must be an object such as {{\"{MARGIN_KEY}\": {DEFAULT_MARGIN}}}; it is left out.")
    })
}
