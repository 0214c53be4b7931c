//! How the footer follows what the tools touch, told to the native guest and to the component.

use serde_json::json;

use crate::world::{End, Event, Guest, tell};

const ROOT: &str = "--show-toplevel";
const BRANCH: &str = "symbolic-ref";
const REMOTES: &str = "config";
const PULLS: &str = "pr list";

const NO_REPOSITORY: End = End::Exit(128, "", "fatal: not a git repository (or any of the parent directories): .git\n");
const NO_DIRECTORY: End = End::Exit(128, "", "fatal: cannot change to '/x': No such file or directory\n");
const DUBIOUS: End = End::Exit(128, "", "fatal: detected dubious ownership in repository at '/src/x'\n");
const NO_PULLS: End = End::Exit(0, "[]\n", "");
const PULL_42: End = End::Exit(
    0,
    r#"[{"number":42,"state":"OPEN","isDraft":false,"url":"https://github.com/acme/gadget/pull/42",
        "isCrossRepository":false,"headRepositoryOwner":{"login":"acme"}}]"#,
    "",
);
const ON_MAIN: End = End::Exit(0, "refs/heads/main\n", "");
const ON_TOPIC: End = End::Exit(0, "refs/heads/topic\n", "");
const GADGET: End = End::Exit(0, "remote.origin.url\nhttps://github.com/acme/gadget\0", "");
const WIDGET: End = End::Exit(0, "remote.origin.url\nhttps://github.com/acme/widget\0", "");
const NO_REMOTES: End = End::Exit(1, "", "");

const WIDGET_LINE: Option<&str> = Some("acme/widget · main · 12m");

/// Starts in `/src/widget`, on `main`, without pull requests.
fn start(guest: &mut dyn Guest) {
    guest.start();
    guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
    guest.answer(BRANCH, ON_MAIN);
    guest.answer(REMOTES, WIDGET);
    guest.answer(PULLS, NO_PULLS);
    assert_eq!(guest.status().as_deref(), WIDGET_LINE);
}

fn read(guest: &mut dyn Guest, path: &str) {
    guest.tell(Event::ToolCalled("r", "read", json!({"path": path}).to_string()));
    guest.tell(Event::ToolFinished("r"));
}

fn list(guest: &mut dyn Guest, path: &str) {
    guest.tell(Event::ToolCalled("l", "ls", json!({"path": path}).to_string()));
    guest.tell(Event::ToolFinished("l"));
}

fn bash(guest: &mut dyn Guest, id: &'static str, command: &str) {
    guest.tell(Event::ToolCalled(id, "bash", json!({"command": command}).to_string()));
}

/// The programs that were run since this was last asked.
fn runs(guest: &mut dyn Guest) -> Vec<String> {
    guest.effects().into_iter().filter(|effect| effect.starts_with("run ")).collect()
}

/// Answers for a repository `acme/gadget` at `/src/gadget`, up to its pull requests.
fn answer_gadget(guest: &mut dyn Guest) {
    guest.answer(ROOT, End::Exit(0, "/src/gadget\n", ""));
    guest.answer(BRANCH, ON_TOPIC);
    guest.answer(REMOTES, GADGET);
}

#[test]
fn the_line_follows_a_file_into_another_repository() {
    tell(|guest| {
        start(guest);
        read(guest, "/src/gadget/src/main.rs");
        assert_eq!(runs(guest), [""; 0], "hints wait for more");
        guest.wait(100);
        assert_eq!(runs(guest), ["run git -C /src/gadget/src rev-parse --show-toplevel"]);
        answer_gadget(guest);
        assert_eq!(
            guest.status().as_deref(),
            Some("acme/gadget · topic · ! · 12m"),
            "at once, without an old pull request"
        );
        guest.answer(PULLS, PULL_42);
        assert_eq!(guest.status().as_deref(), Some("acme/gadget · topic · PR #42 · 12m"));
        // Back: what is remembered costs nothing.
        list(guest, "/src/widget/crates");
        guest.wait(100);
        assert_eq!(runs(guest), ["run git -C /src/widget/crates rev-parse --show-toplevel"]);
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        assert_eq!(guest.status().as_deref(), WIDGET_LINE);
        read(guest, "/src/gadget/src/lib.rs");
        guest.wait(100);
        let effects = guest.effects();
        assert!(effects.contains(&"status pr-footer: acme/gadget · topic · PR #42 · 12m".into()), "{effects:?}");
        assert!(!effects.iter().any(|effect| effect.starts_with("run ")), "{effects:?}");
    });
}

#[test]
fn a_relative_path_is_one_of_the_directory_of_the_call_whatever_is_shown() {
    tell(|guest| {
        start(guest);
        read(guest, "/src/gadget/a.rs");
        guest.wait(100);
        answer_gadget(guest);
        runs(guest);
        read(guest, "src/b.rs");
        guest.wait(100);
        assert_eq!(runs(guest), ["run git -C /src/widget/crates/src rev-parse --show-toplevel"]);
    });
}

#[test]
fn what_git_could_not_tell_is_asked_again_the_next_time() {
    tell(|guest| {
        start(guest);
        for _ in 0..2 {
            read(guest, "/src/gadget/a.rs");
            guest.wait(100);
            assert_eq!(runs(guest), ["run git -C /src/gadget rev-parse --show-toplevel"]);
            guest.answer(ROOT, DUBIOUS);
        }
    });
}

#[test]
fn a_burst_of_calls_in_one_repository_is_one_question() {
    tell(|guest| {
        start(guest);
        for _ in 0..20 {
            read(guest, "/src/gadget/a.rs");
        }
        guest.wait(100);
        assert_eq!(runs(guest).len(), 1);
    });
}

#[test]
fn a_path_that_does_not_exist_yet_belongs_to_the_nearest_directory_that_does() {
    tell(|guest| {
        start(guest);
        read(guest, "/src/gadget/new/deep/file.rs");
        guest.wait(100);
        guest.answer(ROOT, NO_DIRECTORY);
        guest.answer(ROOT, NO_DIRECTORY);
        let runs = runs(guest);
        assert_eq!(runs.last().unwrap(), "run git -C /src/gadget rev-parse --show-toplevel", "{runs:?}");
        answer_gadget(guest);
        assert_eq!(guest.status().as_deref(), Some("acme/gadget · topic · ! · 12m"));
    });
}

#[test]
fn activity_outside_of_any_repository_keeps_the_last_one() {
    tell(|guest| {
        start(guest);
        read(guest, "/tmp/notes.txt");
        guest.wait(100);
        guest.answer(ROOT, NO_REPOSITORY);
        assert_eq!(guest.effects().iter().filter(|effect| effect.starts_with("status")).count(), 0);
        // And it is remembered for half a minute.
        read(guest, "/tmp/notes.txt");
        guest.wait(100);
        assert_eq!(runs(guest), [""; 0]);
        guest.wait(30_000);
        read(guest, "/tmp/notes.txt");
        guest.wait(100);
        assert_eq!(runs(guest).len(), 1);
    });
}

#[test]
fn a_repository_that_cannot_be_read_is_not_shown_as_the_one_before() {
    tell(|guest| {
        start(guest);
        read(guest, "/src/gadget/a.rs");
        guest.wait(100);
        guest.answer(ROOT, End::Exit(0, "/src/gadget\n", ""));
        guest.answer(BRANCH, End::Exit(128, "", "fatal: bad HEAD\n"));
        assert_eq!(guest.status().as_deref(), Some("repo — · ! · 12m"));
    });
    tell(|guest| {
        start(guest);
        read(guest, "/src/gadget/a.rs");
        guest.wait(100);
        guest.answer(ROOT, DUBIOUS);
        assert_eq!(guest.status().as_deref(), Some("repo — · ! · 12m"));
    });
}

#[test]
fn two_repositories_at_once_are_not_guessed_between() {
    tell(|guest| {
        start(guest);
        list(guest, "/src/gadget");
        list(guest, "/src/gizmo");
        guest.wait(100);
        guest.answer("/src/gadget rev-parse", End::Exit(0, "/src/gadget\n", ""));
        guest.answer("/src/gizmo rev-parse", End::Exit(0, "/src/gizmo\n", ""));
        assert_eq!(guest.status().as_deref(), Some("repo? 2 · ? · 12m"));
    });
}

#[test]
fn what_file_tools_touch_is_stronger_than_what_a_command_names() {
    tell(|guest| {
        start(guest);
        bash(guest, "b", "cd /src/gizmo && make");
        list(guest, "/src/gadget");
        guest.wait(100);
        assert_eq!(runs(guest), ["run git -C /src/gadget rev-parse --show-toplevel"]);
        answer_gadget(guest);
        assert_eq!(guest.status().as_deref(), Some("acme/gadget · topic · ! · 12m"));
    });
    // Unless the files are in no repository.
    tell(|guest| {
        start(guest);
        bash(guest, "b", "cd /src/gadget && make");
        list(guest, "/tmp");
        guest.wait(100);
        guest.answer(ROOT, NO_REPOSITORY);
        answer_gadget(guest);
        assert_eq!(guest.status().as_deref(), Some("acme/gadget · topic · ! · 12m"));
    });
}

#[test]
fn a_switch_is_seen_when_its_call_has_ended_also_when_that_failed() {
    tell(|guest| {
        start(guest);
        bash(guest, "b", "git switch topic");
        guest.wait(200);
        assert_eq!(runs(guest), [""; 0], "it has not happened yet");
        guest.tell(Event::ToolFinished("b"));
        assert_eq!(runs(guest), ["run git -C /src/widget/crates rev-parse --show-toplevel"]);
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, ON_TOPIC);
        guest.answer(REMOTES, WIDGET);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · topic · ! · 12m"));
    });
}

#[test]
fn a_switch_is_seen_in_a_chain_of_commands_whose_places_are_not_followed() {
    tell(|guest| {
        start(guest);
        bash(guest, "b", "git switch topic && cd /src/gadget && make && false");
        guest.wait(200);
        assert_eq!(runs(guest), [""; 0]);
        guest.tell(Event::ToolFinished("b"));
        let runs = runs(guest);
        assert_eq!(runs.len(), 2, "what is shown is asked about anew, and nothing else: {runs:?}");
        assert_eq!(runs[0], "run git -C /src/widget symbolic-ref --quiet HEAD");
        guest.answer(BRANCH, ON_TOPIC);
        guest.answer(REMOTES, WIDGET);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · topic · ! · 12m"));
    });
}

#[test]
fn a_call_that_began_earlier_and_ends_later_does_not_take_the_line_back() {
    tell(|guest| {
        start(guest);
        bash(guest, "b", "git -C /src/gizmo switch topic");
        read(guest, "/src/gadget/a.rs");
        guest.wait(100);
        answer_gadget(guest);
        guest.answer(PULLS, PULL_42);
        runs(guest);
        guest.tell(Event::ToolFinished("b"));
        let runs = runs(guest);
        assert_eq!(runs[0], "run git -C /src/gadget symbolic-ref --quiet HEAD", "its effect counts: {runs:?}");
        guest.answer(BRANCH, ON_MAIN);
        guest.answer(REMOTES, GADGET);
        assert_eq!(guest.status().as_deref(), Some("acme/gadget · main · ! · 12m"));
    });
}

#[test]
fn a_call_that_began_before_an_order_of_the_person_does_not_move_the_line_after_it() {
    tell(|guest| {
        start(guest);
        bash(guest, "w", "git worktree add /src/gadget topic");
        guest.tell(Event::Command("pr-footer", "refresh"));
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, ON_MAIN);
        guest.answer(REMOTES, WIDGET);
        guest.answer(PULLS, NO_PULLS);
        runs(guest);
        guest.tell(Event::ToolFinished("w"));
        let runs = runs(guest);
        assert_eq!(runs[0], "run git -C /src/widget symbolic-ref --quiet HEAD", "{runs:?}");
    });
}

#[test]
fn a_new_worktree_is_selected_after_its_result_and_not_before() {
    tell(|guest| {
        start(guest);
        bash(guest, "w", "git worktree add /src/gadget topic");
        guest.wait(200);
        assert!(!runs(guest).iter().any(|run| run.contains("/src/gadget ")), "it does not exist yet");
        guest.tell(Event::ToolFinished("w"));
        assert_eq!(runs(guest), ["run git -C /src/gadget rev-parse --show-toplevel"]);
        answer_gadget(guest);
        assert_eq!(guest.status().as_deref(), Some("acme/gadget · topic · ! · 12m"));
    });
}

#[test]
fn a_new_pull_request_is_asked_for_and_an_old_answer_is_not_remembered() {
    tell(|guest| {
        start(guest);
        bash(guest, "p", "gh pr create --fill");
        guest.tell(Event::ToolFinished("p"));
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        let effects = guest.effects();
        assert!(effects.contains(&"status pr-footer: acme/widget · main · ! · 12m".into()), "{effects:?}");
        guest.answer(PULLS, PULL_42);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · main · PR #42 · 12m"));
    });
    // One that was asked for before does not answer for what came after it.
    tell(|guest| {
        guest.start();
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, ON_MAIN);
        guest.answer(REMOTES, WIDGET);
        bash(guest, "p", "gh pr create --fill");
        guest.tell(Event::ToolFinished("p"));
        guest.effects();
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        let effects = guest.effects();
        assert!(effects[0].starts_with("kill pr list"), "{effects:?}");
        assert!(effects[1].starts_with("run gh pr list"), "{effects:?}");
    });
}

#[test]
fn a_pull_request_is_never_shown_beside_another_branch() {
    tell(|guest| {
        start(guest);
        read(guest, "/src/gadget/a.rs");
        guest.wait(100);
        answer_gadget(guest);
        // Before the answer comes the session is elsewhere.
        list(guest, "/src/widget");
        guest.wait(100);
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.effects();
        guest.answer(PULLS, PULL_42);
        assert_eq!(guest.status(), None, "nothing changes");
    });
}

#[test]
fn github_is_not_asked_again_for_a_minute_or_ten_seconds_after_a_failure() {
    tell(|guest| {
        guest.start();
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, ON_MAIN);
        guest.answer(REMOTES, WIDGET);
        guest.answer(PULLS, End::Exit(4, "", "gh: not logged in"));
        list(guest, "/src/widget");
        guest.wait(100);
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.effects();
        list(guest, "/src/widget");
        guest.wait(5_000);
        assert_eq!(runs(guest), [""; 0]);
        guest.wait(5_000);
        list(guest, "/src/widget");
        guest.wait(100);
        let asked = runs(guest);
        assert!(asked.len() == 1 && asked[0].starts_with("run gh pr list"), "{asked:?}");
        guest.answer(PULLS, NO_PULLS);
        guest.effects();
        list(guest, "/src/widget");
        guest.wait(40_000);
        assert_eq!(runs(guest), [""; 0]);
    });
}

#[test]
fn the_age_timer_asks_nobody() {
    tell(|guest| {
        start(guest);
        for _ in 0..100 {
            guest.wait(1_000);
        }
        assert_eq!(runs(guest), [""; 0]);
    });
}

#[test]
fn what_is_still_staged_when_the_run_has_settled_is_looked_at_once() {
    tell(|guest| {
        start(guest);
        bash(guest, "b", "git switch topic");
        guest.tell(Event::AgentSettled(pi_capsule::host::RunOutcome::Aborted));
        assert_eq!(runs(guest), ["run git -C /src/widget/crates rev-parse --show-toplevel"]);
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, ON_TOPIC);
        guest.answer(REMOTES, NO_REMOTES);
        guest.effects();
        guest.tell(Event::AgentSettled(pi_capsule::host::RunOutcome::Completed));
        guest.tell(Event::ToolFinished("b"));
        assert_eq!(runs(guest), [""; 0]);
    });
}

#[test]
fn a_root_that_cannot_be_looked_at_again_is_stale() {
    tell(|guest| {
        start(guest);
        bash(guest, "b", "git switch topic");
        guest.tell(Event::ToolFinished("b"));
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, End::TimedOut);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · main · ~ · 12m"));
    });
}

// The command

const PIN: fn(&mut dyn Guest) = |guest| {
    guest.tell(Event::Command("pr-footer", "pin /src/gadget/src"));
    answer_gadget(guest);
    guest.answer(PULLS, NO_PULLS);
};

#[test]
fn a_pin_stays_whatever_the_tools_touch() {
    tell(|guest| {
        start(guest);
        PIN(guest);
        let effects = guest.effects();
        assert!(effects.contains(&"info: Pinned to /src/gadget.".into()), "{effects:?}");
        assert!(effects.contains(&"status pr-footer: 📌 acme/gadget · topic · 12m".into()), "{effects:?}");
        let stored = effects.iter().find(|effect| effect.starts_with("append pr-footer-state")).expect("stored");
        assert!(stored.contains(r#""mode":"pinned","pinnedRoot":"/src/gadget""#), "{stored}");
        list(guest, "/src/widget");
        guest.wait(200);
        assert_eq!(runs(guest), [""; 0]);
        // A switch elsewhere, and one inside of it.
        bash(guest, "a", "git -C /src/widget switch topic");
        guest.tell(Event::ToolFinished("a"));
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        assert_eq!(runs(guest).len(), 1);
        bash(guest, "b", "git -C /src/gadget switch main");
        guest.tell(Event::ToolFinished("b"));
        guest.answer(ROOT, End::Exit(0, "/src/gadget\n", ""));
        guest.answer(BRANCH, ON_MAIN);
        guest.answer(REMOTES, GADGET);
        assert_eq!(guest.status().as_deref(), Some("📌 acme/gadget · main · ! · 12m"));
    });
}

#[test]
fn a_pin_that_cannot_be_changes_nothing() {
    for (answer, why) in [
        (NO_REPOSITORY, "it is not in a git repository"),
        (NO_DIRECTORY, "there is no such directory"),
        (DUBIOUS, "git could not tell what repository it is in"),
    ] {
        tell(|guest| {
            start(guest);
            guest.tell(Event::Command("pr-footer", "pin ../gadget"));
            guest.answer(ROOT, answer.clone());
            let effects = guest.effects();
            let said = format!("error: Not pinned: /src/widget/gadget: {why}. Nothing has changed.");
            assert!(effects.contains(&said), "{effects:?}");
            assert!(
                !effects.iter().any(|effect| effect.starts_with("append") || effect.starts_with("status")),
                "{effects:?}"
            );
        });
    }
}

#[test]
fn a_pin_that_fails_before_anything_was_shown_begins_again() {
    tell(|guest| {
        guest.start();
        guest.tell(Event::Command("pr-footer", "pin /tmp"));
        guest.answer(ROOT, NO_REPOSITORY);
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, ON_MAIN);
        guest.answer(REMOTES, NO_REMOTES);
        assert_eq!(guest.status().as_deref(), Some("widget · main · ! · 12m"));
    });
}

#[test]
fn what_the_tools_do_while_a_pin_is_looked_at_waits_for_it() {
    tell(|guest| {
        start(guest);
        bash(guest, "b", "git -C /src/gadget switch main");
        guest.tell(Event::Command("pr-footer", "pin /src/gadget"));
        guest.tell(Event::ToolFinished("b"));
        answer_gadget(guest);
        // The look may be from before the switch.
        guest.answer(BRANCH, ON_MAIN);
        guest.answer(REMOTES, GADGET);
        guest.answer(PULLS, NO_PULLS);
        assert_eq!(guest.status().as_deref(), Some("📌 acme/gadget · main · 12m"));
    });
}

#[test]
fn unpinned_the_line_follows_again() {
    tell(|guest| {
        start(guest);
        PIN(guest);
        guest.effects();
        guest.tell(Event::Command("pr-footer", "unpin"));
        let effects = guest.effects();
        assert!(effects[0].contains(r#""mode":"auto""#), "{effects:?}");
        assert_eq!(effects[2], "status pr-footer: acme/gadget · topic · 12m");
        list(guest, "/src/widget");
        guest.wait(100);
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        assert_eq!(guest.status().as_deref(), WIDGET_LINE);
        guest.tell(Event::Command("pr-footer", "unpin"));
        assert!(guest.effects()[0].starts_with("info: Nothing is pinned"));
    });
}

#[test]
fn refresh_asks_everybody_anew() {
    tell(|guest| {
        start(guest);
        guest.tell(Event::Command("pr-footer", "refresh"));
        guest.answer(ROOT, End::Exit(0, "/src/widget\n", ""));
        guest.answer(BRANCH, ON_TOPIC);
        guest.answer(REMOTES, GADGET);
        guest.answer(PULLS, PULL_42);
        assert_eq!(guest.status().as_deref(), Some("acme/gadget · topic · PR #42 · 12m"));
    });
    // The repository is gone.
    tell(|guest| {
        start(guest);
        guest.tell(Event::Command("pr-footer", "refresh"));
        guest.answer(ROOT, NO_DIRECTORY);
        assert_eq!(runs(guest).last().unwrap().split(' ').nth(3), Some("/src/widget/crates"));
    });
    tell(|guest| {
        start(guest);
        guest.tell(Event::Command("pr-footer", "refresh"));
        guest.answer(ROOT, DUBIOUS);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · main · ~ · 12m"));
    });
}

#[test]
fn status_help_and_what_is_neither() {
    tell(|guest| {
        start(guest);
        let said = |guest: &mut dyn Guest, arguments: &'static str| {
            guest.effects();
            guest.tell(Event::Command("pr-footer", arguments));
            guest.effects().pop().expect("an answer")
        };
        let status = "info: acme/widget · main · 12m\nmode: auto: it follows what the tools touch\nroot: /src/widget";
        assert_eq!(said(guest, "status"), status);
        assert!(said(guest, "").starts_with(&format!("{status}\n\n/pr-footer status")));
        assert!(said(guest, "help").starts_with("info: /pr-footer status"));
        assert!(said(guest, "pinn x").starts_with("error: /pr-footer does not know \"pinn x\".\n\n/pr-footer status"));
        assert!(said(guest, "pin").starts_with("error: /pr-footer pin needs a path"));
    });
}

#[test]
fn after_shutdown_nothing_that_was_asked_for_is_shown() {
    tell(|guest| {
        start(guest);
        read(guest, "/src/gadget/a.rs");
        bash(guest, "b", "git switch topic");
        guest.wait(100);
        guest.shut_down();
        guest.effects();
        guest.finish(99, NO_PULLS);
        guest.wait(10_000);
        assert_eq!(guest.effects(), [""; 0]);
    });
}
