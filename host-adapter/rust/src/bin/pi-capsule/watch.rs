//! `pi-capsule footer --watch`: the footer of a session that goes on, by what Pi writes to its file.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use console::{Term, truncate_str};
use pi_capsule_host::session_file::{Activity, Follower, Growth, Skipped};
use pi_capsule_host::wit::commands::Invocation;
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::session_reader::{CustomEntry, EntryKind};
use pi_capsule_host::wit::tool_observer::Call;
use pi_capsule_host::{CallError, Capsule, LocalHost};
use serde::Deserialize;

use crate::component::Component;
use crate::line::{STATUS_KEY, tell_notices, write_line};
use crate::{note, session, warn};

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// The type of the entries in which the component stores that a root is pinned.
const STATE_TYPE: &str = "pr-footer-state";

/// The command of the component that pins.
const COMMAND: &str = "pr-footer";

/// Follows a session file until the person or the system ends it.
pub(crate) fn watch(path: &Path, component: &Component, json: bool) -> anyhow::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let by_signal = Arc::clone(&stop);
    ctrlc::set_handler(move || by_signal.store(true, Ordering::Relaxed)).context("signals cannot be received")?;
    let mut screen = Screen::new(json);
    while let End::Replaced = Watch::open(path, component, &mut screen)?.run(&stop, &mut screen)? {
        screen.beside(|| note(&format!("{}: this is another file now; it is read from its beginning", path.display())));
    }
    Ok(())
}

/// Why it does not go on.
enum End {
    /// There is another file of that name.
    Replaced,
    /// It was asked to stop.
    Stopped,
}

/// A session file, and a guest that is told what it says.
struct Watch<'a> {
    path: PathBuf,
    component: &'a Component,
    capsule: Capsule<LocalHost>,
    follower: Follower,
    /// The tools that the component has itself; it is told of those of others.
    own_tools: BTreeSet<String>,
    /// The calls that it was told of and that have not ended.
    open_calls: BTreeSet<String>,
    /// Whether the person knows that not all of the file is understood.
    has_warned: bool,
    /// The root that the session was last pinned to.
    pinned: Option<String>,
}

impl<'a> Watch<'a> {
    fn open(path: &Path, component: &'a Component, screen: &mut Screen) -> anyhow::Result<Watch<'a>> {
        let (follower, session, skipped) = Follower::open(path).map_err(|error| session::unusable(path, error))?;
        let has_warned = warn_of(&skipped, path, screen);
        let states: Vec<Option<String>> = session
            .branch()
            .filter_map(|entry| match &entry.kind {
                EntryKind::Custom(custom) => pinned_root(custom),
                _ => None,
            })
            .collect();
        let mut capsule = component.run(LocalHost::new(session))?;
        let own_tools = component.checked(capsule.tools())?.into_iter().map(|tool| tool.name).collect();
        component.checked(capsule.session_started(StartReason::Startup))?;
        let pinned = states.into_iter().last().flatten();
        let open_calls = BTreeSet::new();
        Ok(Watch { path: path.to_owned(), component, capsule, follower, own_tools, open_calls, has_warned, pinned })
    }

    fn run(mut self, stop: &AtomicBool, screen: &mut Screen) -> anyhow::Result<End> {
        let end = loop {
            if stop.load(Ordering::Relaxed) {
                break End::Stopped;
            }
            self.show(screen)?;
            let shown = self.capsule.host().status(STATUS_KEY).map(str::to_owned);
            let is_new = |capsule: &Capsule<LocalHost>| capsule.host().status(STATUS_KEY) != shown.as_deref();
            self.component.checked(self.capsule.run_until(is_new, INTERVAL))?;
            let session = self.capsule.host_mut().session_mut();
            match self.follower.read_on(session).map_err(|error| session::unusable(&self.path, error))? {
                Growth::Appended(activities) => {
                    self.has_warned = self.has_warned || warn_of(self.follower.skipped(), &self.path, screen);
                    activities.into_iter().try_for_each(|activity| self.tell(activity))?;
                }
                Growth::Replaced => break End::Replaced,
            }
        };
        self.component.checked(self.capsule.session_shut_down(ShutdownReason::Quit))?;
        Ok(end)
    }

    fn show(&mut self, screen: &mut Screen) -> anyhow::Result<()> {
        let notices = self.capsule.host_mut().take_notices();
        if !notices.is_empty() {
            screen.beside(|| tell_notices(&notices));
        }
        let host = self.capsule.host();
        match host.status(STATUS_KEY) {
            Some(text) => screen.show(text, &host.session().info().cwd),
            None if host.has_programs() => Ok(()),
            None => bail!("{}: this component shows no footer", self.component.path.display()),
        }
    }

    /// Tells the guest what Pi has told its own.
    fn tell(&mut self, activity: Activity) -> anyhow::Result<()> {
        let cwd = self.capsule.host().session().info().cwd.clone();
        let told = match activity {
            Activity::BranchChanged => self.capsule.branch_changed(),
            Activity::ToolCalled { name, .. } if self.own_tools.contains(&name) => Ok(()),
            Activity::ToolCalled { call_id, name, arguments } => {
                self.open_calls.insert(call_id.clone());
                self.capsule.tool_called(Call { call_id, name, arguments, cwd })
            }
            Activity::ToolFinished { call_id, .. } if !self.open_calls.remove(&call_id) => Ok(()),
            Activity::ToolFinished { call_id, is_error } => self.capsule.tool_finished(&call_id, is_error),
            Activity::RunEnded(outcome) => self.capsule.agent_settled(outcome),
            Activity::Stored(custom) => match pinned_root(&custom) {
                Some(pinned) if pinned != self.pinned => self.pin(pinned, cwd),
                _ => Ok(()),
            },
        };
        self.component.checked(told)
    }

    /// Does as the person did in Pi.
    fn pin(&mut self, root: Option<String>, cwd: String) -> Result<(), CallError> {
        // Between quotes, a space at the end of a name counts.
        let arguments = root.as_ref().map_or("unpin".into(), |root| format!("pin \"{root}\""));
        self.pinned = root;
        self.capsule.run_command(&Invocation { name: COMMAND.into(), arguments, cwd })
    }
}

/// Says what of a file is not understood, if anything. Returns whether there was something to say.
fn warn_of(skipped: &Skipped, path: &Path, screen: &mut Screen) -> bool {
    if skipped.is_empty() {
        return false;
    }
    screen.beside(|| warn(&format!("{}: {skipped}; {}", path.display(), skipped.remedy())));
    true
}

/// The pinned root that an entry stores, if it is one that says whether there is any.
fn pinned_root(custom: &CustomEntry) -> Option<Option<String>> {
    #[derive(Deserialize)]
    #[serde(tag = "mode", rename_all = "camelCase")]
    enum State {
        Auto,
        #[serde(rename_all = "camelCase")]
        Pinned {
            pinned_root: String,
        },
    }

    if custom.custom_type != STATE_TYPE {
        return None;
    }
    match serde_json::from_str(custom.data.as_deref()?).ok()? {
        State::Auto => Some(None),
        State::Pinned { pinned_root } => Some(Some(pinned_root)),
    }
}

/// Where the line is shown.
enum Screen {
    /// In its place, on a terminal.
    Terminal(Painted),
    /// One line for each change, for programs.
    Lines { json: bool, last: Option<String> },
}

impl Screen {
    fn new(json: bool) -> Screen {
        if json || !io::stdout().is_terminal() {
            return Screen::Lines { json, last: None };
        }
        Screen::Terminal(Painted { terminal: Term::stdout(), is_there: false })
    }

    fn show(&mut self, text: &str, cwd: &str) -> anyhow::Result<()> {
        match self {
            // Also if it says the same: the terminal may have another width now.
            Screen::Terminal(painted) => painted.paint(text)?,
            Screen::Lines { last, .. } if last.as_deref() == Some(text) => {}
            Screen::Lines { json, last } => {
                write_line(text, cwd, *json)?;
                io::stdout().flush()?;
                *last = Some(text.to_owned());
            }
        }
        Ok(())
    }

    /// Lets something be said on standard error without the line in its way.
    fn beside(&mut self, say: impl FnOnce()) {
        if let Screen::Terminal(painted) = self {
            painted.clear();
        }
        say();
    }
}

/// A line that stays in its place on a terminal, and is left there at the end.
struct Painted {
    terminal: Term,
    /// Whether the cursor stands behind it.
    is_there: bool,
}

impl Painted {
    fn paint(&mut self, text: &str) -> io::Result<()> {
        // What the person types is echoed behind the line. In the last column it would go on in the next row.
        let width = usize::from(self.terminal.size().1).saturating_sub(1);
        self.terminal.clear_line()?;
        self.is_there = true;
        self.terminal.write_str(&truncate_str(text, width, "…"))
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_there) {
            // When the terminal is gone, the next line fails.
            let _ = self.terminal.clear_line();
        }
    }
}

impl Drop for Painted {
    fn drop(&mut self) {
        if self.is_there {
            let _ = self.terminal.write_line("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinned(custom_type: &str, data: &str) -> Option<Option<String>> {
        pinned_root(&CustomEntry { custom_type: custom_type.into(), data: Some(data.into()) })
    }

    #[test]
    fn a_pin_is_what_the_state_says() {
        let state = r#"{"version":1,"startedAt":1,"mode":"pinned","pinnedRoot":"/src/a"}"#;
        assert_eq!(pinned(STATE_TYPE, state), Some(Some("/src/a".into())));
        assert_eq!(pinned(STATE_TYPE, r#"{"version":1,"startedAt":1,"mode":"auto"}"#), Some(None));
        assert_eq!(pinned(STATE_TYPE, r#"{"mode":"pinned"}"#), None);
        assert_eq!(pinned(STATE_TYPE, "7"), None);
        assert_eq!(pinned("other", state), None);
    }
}
