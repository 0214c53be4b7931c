//! What the person orders: `/pr-footer`.
//!
//! Pin, unpin and refresh give up what is being done; the rest only says something.

use crate::host::{Host, NoticeLevel};

use super::{Controller, Current, Work};
use crate::footer::command::{self, Order};
use crate::footer::lookup::Lookup;
use crate::footer::path;
use crate::footer::state::Mode;

impl Controller {
    /// The person has typed the command.
    pub(in crate::footer) fn run_command(&mut self, arguments: &str, cwd: &str, host: &mut dyn Host) {
        match command::order(arguments) {
            Order::Overview => {
                let message = format!("{}\n\n{}", self.status(host), command::USAGE);
                host.notify(NoticeLevel::Info, &message);
            }
            Order::Status => {
                let status = self.status(host);
                host.notify(NoticeLevel::Info, &status);
            }
            Order::Help => host.notify(NoticeLevel::Info, command::USAGE),
            Order::Unknown => {
                let message = format!("/pr-footer does not know {:?}.\n\n{}", arguments.trim(), command::USAGE);
                host.notify(NoticeLevel::Error, &message);
            }
            Order::PinNothing => {
                host.notify(NoticeLevel::Error, "/pr-footer pin needs a path, such as /pr-footer pin .");
            }
            Order::Pin(path) => self.pin(path, cwd, host),
            Order::Unpin => self.unpin(host),
            Order::Refresh => self.refresh(host),
        }
        self.go_on(host);
    }

    /// What could be typed after the command.
    pub(in crate::footer) fn complete(&self, typed: &str) -> Vec<(String, Option<&'static str>)> {
        let mut paths: Vec<String> = Vec::new();
        let roots = self.roots.iter().filter_map(|(_, root)| root.clone());
        let kept = self.state.last_confirmed_root.iter().cloned();
        for path in
            self.current_root().map(str::to_owned).into_iter().chain(roots).chain(kept).chain([self.cwd.clone()])
        {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        command::complete(typed, &paths)
    }
}

impl Controller {
    fn pin(&mut self, path: &str, cwd: &str, host: &mut dyn Host) {
        let Some(directory) = path::join(cwd, path, self.style) else {
            return host.notify(NoticeLevel::Error, &format!("{path:?} is not a path that can be pinned."));
        };
        self.begin_transition(host);
        self.work = Work::Pinning(Lookup::whole(&directory, host));
    }

    fn unpin(&mut self, host: &mut dyn Host) {
        let is_pinning = matches!(self.work, Work::Pinning(_));
        if !self.is_pinned() && !is_pinning {
            return host.notify(NoticeLevel::Info, "Nothing is pinned: the line follows what the tools touch.");
        }
        self.begin_transition(host);
        self.state.mode = Mode::Auto;
        self.store(host);
        host.notify(NoticeLevel::Info, "Unpinned: the line follows what the tools touch.");
        self.publish(host);
        self.take_up_again(host);
    }

    fn refresh(&mut self, host: &mut dyn Host) {
        self.begin_transition(host);
        self.roots.forget(|_, _| true);
        self.snapshots.forget(|_, _| true);
        self.queries.forget(|_, _| true);
        host.notify(NoticeLevel::Info, "Asking git and GitHub anew.");
        match self.current_root() {
            Some(root) if !self.is_pinned() => self.work = Work::Refreshing(Lookup::whole(root, host)),
            _ => self.look(host),
        }
    }

    /// What was found before no longer counts, and what was about to be found is not wanted.
    fn begin_transition(&mut self, host: &mut dyn Host) {
        self.abandon_work(host);
        self.watermark = self.calls;
        self.hints.clear();
        if let Some(timer) = self.debounce.take() {
            host.cancel_timer(timer);
        }
    }

    /// Looks again at what was shown, as far as that is not remembered: a transition may have given up a look at it.
    pub(super) fn take_up_again(&mut self, host: &mut dyn Host) {
        match (&self.current, &self.state.mode) {
            (Current::Repository { repository, .. }, _) => self.identify(repository.root.clone(), host),
            (Current::Unseen | Current::Unverified, _) | (_, Mode::Pinned { .. }) => self.look(host),
            (Current::Unusable | Current::Ambiguous(_), Mode::Auto) => {}
        }
    }

    pub(super) fn abandon_work(&mut self, host: &mut dyn Host) {
        match std::mem::replace(&mut self.work, Work::Idle) {
            Work::Idle => {}
            Work::Resolving(mut resolving, _) => resolving.cancel(host),
            Work::Restoring(mut lookup)
            | Work::Starting(mut lookup)
            | Work::Identifying(mut lookup)
            | Work::Pinning(mut lookup)
            | Work::Refreshing(mut lookup) => lookup.cancel(host),
        }
    }

    fn status(&self, host: &dyn Host) -> String {
        let line = self.line(host).unwrap_or_else(|| "nothing yet".into());
        let mode = if self.is_pinned() { "pinned" } else { "auto: it follows what the tools touch" };
        let root = self.current_root().unwrap_or("none");
        format!("{line}\nmode: {mode}\nroot: {root}")
    }
}
