//! The footer at the start of a session, told to the native guest and to the component.

use crate::world::{End, Guest, NOW, tell};

const ROOT: &str = "--show-toplevel";
const BRANCH: &str = "symbolic-ref";
const REMOTES: &str = "config";
const COMMIT: &str = "--short";
const PULLS: &str = "pr list";

const WIDGET_ROOT: End = End::Exit(0, "/src/widget\n", "");
const WIDGET_BRANCH: End = End::Exit(0, "refs/heads/feature/footer\n", "");
const WIDGET_REMOTES: End = End::Exit(0, "remote.origin.url\ngit@github.com:acme/widget.git\0", "");
const NO_PULLS: End = End::Exit(0, "[]\n", "");
const DETACHED: End = End::Exit(1, "", "");
const NO_REMOTES: End = End::Exit(1, "", "");
const NO_REPOSITORY: End = End::Exit(128, "", "fatal: not a git repository (or any of the parent directories): .git\n");
const NO_DIRECTORY: End = End::Exit(128, "", "fatal: cannot change to '/gone': No such file or directory\n");
const DUBIOUS: End = End::Exit(128, "", "fatal: detected dubious ownership in repository at '/src/widget'\n");

const STARTED: i64 = NOW - 12 * 60_000;

fn auto(last_confirmed_root: &str) -> String {
    format!(r#"{{"version":1,"startedAt":{STARTED},"mode":"auto","lastConfirmedRoot":"{last_confirmed_root}"}}"#)
}

fn pinned(root: &str) -> String {
    format!(r#"{{"version":1,"startedAt":{STARTED},"mode":"pinned","pinnedRoot":"{root}"}}"#)
}

fn answer_all(guest: &mut dyn Guest, answers: &[(&str, End)]) {
    for (question, end) in answers {
        guest.answer(question, end.clone());
    }
}

#[test]
fn a_session_in_a_github_repository_shows_it_and_remembers_it() {
    tell(|guest| {
        guest.start();
        assert_eq!(
            guest.effects(),
            [
                "run git -C /src/widget/crates rev-parse --show-toplevel",
                "run git -C /src/widget/crates symbolic-ref --quiet HEAD",
                "run git -C /src/widget/crates config -z --get-regexp ^(remote\\..*\\.url|url\\..*\\.insteadof)$",
            ]
        );
        answer_all(
            guest,
            &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
        );
        assert_eq!(
            guest.effects(),
            [
                format!("append pr-footer-state {}", auto("/src/widget")),
                "status pr-footer: acme/widget · feature/footer · ! · 12m".into(),
                "timer in 1000 ms".into(),
                "run gh pr list --repo github.com/acme/widget --head feature/footer --state open --limit 20 --json \
                 number,state,isDraft,url,isCrossRepository,headRepositoryOwner"
                    .into(),
                "status pr-footer: acme/widget · feature/footer · 12m".into(),
            ]
        );
    });
}

#[test]
fn the_order_of_the_answers_does_not_matter() {
    let answers = [(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES)];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        tell(|guest| {
            guest.start();
            answer_all(guest, &order.map(|index| answers[index].clone()));
            guest.answer(PULLS, NO_PULLS);
            assert_eq!(guest.status().as_deref(), Some("acme/widget · feature/footer · 12m"), "{order:?}");
        });
    }
}

#[test]
fn a_detached_head_costs_one_question_more_and_is_asked_once() {
    tell(|guest| {
        guest.start();
        answer_all(guest, &[(BRANCH, DETACHED), (ROOT, WIDGET_ROOT)]);
        assert_eq!(guest.effects().last().unwrap(), "run git -C /src/widget/crates rev-parse --short HEAD");
        answer_all(guest, &[(REMOTES, WIDGET_REMOTES), (COMMIT, End::Exit(0, "a1b2c3d\n", ""))]);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · @a1b2c3d · ! · 12m"));
    });
}

#[test]
fn a_repository_that_is_not_on_github_is_named_by_its_directory() {
    tell(|guest| {
        guest.start();
        answer_all(guest, &[(REMOTES, NO_REMOTES), (BRANCH, WIDGET_BRANCH), (ROOT, WIDGET_ROOT)]);
        assert_eq!(guest.status().as_deref(), Some("widget · feature/footer · ! · 12m"));
    });
}

#[test]
fn outside_of_a_repository_nothing_is_guessed_and_the_other_questions_are_given_up() {
    tell(|guest| {
        guest.start();
        guest.effects();
        guest.answer(ROOT, NO_REPOSITORY);
        let effects = guest.effects();
        assert_eq!(effects.iter().filter(|effect| effect.starts_with("kill")).count(), 2, "{effects:?}");
        assert!(effects.contains(&"status pr-footer: repo — · ! · 12m".into()), "{effects:?}");
    });
}

#[test]
fn whatever_git_does_not_settle_is_shown_as_not_usable() {
    for answers in [
        vec![(ROOT, DUBIOUS)],
        vec![(ROOT, End::TimedOut)],
        vec![(ROOT, WIDGET_ROOT), (BRANCH, End::Exit(128, "", "fatal: bad HEAD\n"))],
        vec![(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, End::TimedOut)],
    ] {
        tell(|guest| {
            guest.start();
            answer_all(guest, &answers);
            assert_eq!(guest.status().as_deref(), Some("repo — · ! · 12m"));
        });
    }
}

#[test]
fn a_startup_directory_that_is_gone_gives_way_to_its_parents() {
    tell(|guest| {
        guest.start();
        guest.answer(ROOT, NO_DIRECTORY);
        assert!(guest.effects().contains(&"run git -C /src/widget rev-parse --show-toplevel".into()));
        answer_all(
            guest,
            &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
        );
        assert_eq!(guest.status().as_deref(), Some("acme/widget · feature/footer · 12m"));
    });
    tell(|guest| {
        guest.start();
        for directory in ["/src/widget", "/src", "/"] {
            guest.answer(ROOT, NO_DIRECTORY);
            assert!(guest.effects().contains(&format!("run git -C {directory} rev-parse --show-toplevel")));
        }
        guest.answer(ROOT, NO_DIRECTORY);
        assert_eq!(guest.status().as_deref(), Some("repo — · ! · 12m"));
    });
}

#[test]
fn a_stored_state_keeps_its_age_and_is_not_written_again() {
    tell(|guest| {
        guest.world().borrow_mut().created_at = None;
        guest.world().borrow_mut().push_footer_states([auto("/src/widget")]);
        guest.start();
        answer_all(
            guest,
            &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
        );
        let effects = guest.effects();
        assert!(effects.contains(&"status pr-footer: acme/widget · feature/footer · 12m".into()), "{effects:?}");
        assert!(!effects.iter().any(|effect| effect.starts_with("append")), "{effects:?}");
    });
}

#[test]
fn the_last_confirmed_root_is_never_looked_at_by_itself() {
    tell(|guest| {
        guest.world().borrow_mut().push_footer_states([auto("/src/elsewhere")]);
        guest.start();
        assert!(guest.effects().iter().all(|effect| effect.starts_with("run git -C /src/widget/crates ")));
    });
}

#[test]
fn a_state_that_is_not_valid_gives_way_to_an_older_one() {
    tell(|guest| {
        let broken = r#"{"version":1,"startedAt":"today"}"#.to_owned();
        guest.world().borrow_mut().push_footer_states([pinned("/src/pin"), broken]);
        guest.start();
        assert!(guest.effects().iter().all(|effect| effect.starts_with("run git -C /src/pin ")));
    });
}

#[test]
fn a_restored_pin_that_is_confirmed_is_shown_and_not_written_again() {
    tell(|guest| {
        guest.world().borrow_mut().push_footer_states([pinned("/src/widget")]);
        guest.start();
        answer_all(
            guest,
            &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
        );
        let effects = guest.effects();
        assert!(effects.contains(&"status pr-footer: 📌 acme/widget · feature/footer · 12m".into()), "{effects:?}");
        assert!(!effects.iter().any(|effect| effect.starts_with("append")), "{effects:?}");
    });
}

#[test]
fn a_restored_pin_that_is_no_repository_any_more_is_dropped() {
    for answers in [
        vec![(ROOT, NO_REPOSITORY)],
        vec![(ROOT, NO_DIRECTORY)],
        // Its `.git` is gone, and now it belongs to the repository around it.
        vec![(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES)],
    ] {
        tell(|guest| {
            guest.world().borrow_mut().push_footer_states([pinned("/src/widget/vendor")]);
            guest.start();
            guest.effects();
            answer_all(guest, &answers);
            let effects = guest.effects();
            let dropped = format!(r#"append pr-footer-state {{"version":1,"startedAt":{STARTED},"mode":"auto"}}"#);
            assert!(effects.contains(&dropped), "{effects:?}");
            answer_all(
                guest,
                &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
            );
            assert_eq!(guest.status().as_deref(), Some("acme/widget · feature/footer · 12m"));
        });
    }
}

#[test]
fn a_restored_pin_that_cannot_be_verified_is_kept() {
    for end in [DUBIOUS, End::TimedOut] {
        tell(|guest| {
            guest.world().borrow_mut().push_footer_states([pinned("/src/widget")]);
            guest.start();
            guest.answer(ROOT, end.clone());
            let effects = guest.effects();
            assert!(effects.contains(&"status pr-footer: 📌 repo — · ~ · 12m".into()), "{effects:?}");
            assert!(!effects.iter().any(|effect| effect.starts_with("append")), "{effects:?}");
        });
    }
}

#[test]
fn the_age_timer_asks_nobody_and_shows_only_what_changed() {
    tell(|guest| {
        guest.start();
        answer_all(
            guest,
            &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
        );
        guest.effects();
        guest.wait(1_000);
        assert_eq!(guest.effects(), ["timer in 1000 ms"]);
        guest.wait(59_000);
        assert_eq!(guest.effects(), ["timer in 1000 ms", "status pr-footer: acme/widget · feature/footer · 13m"]);
    });
}

#[test]
fn a_clock_that_goes_backwards_shows_no_negative_age() {
    tell(|guest| {
        guest.start();
        answer_all(
            guest,
            &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
        );
        guest.world().borrow_mut().now -= 3_600_000;
        guest.wait(1_000);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · feature/footer · 0s"));
    });
}

#[test]
fn after_shutdown_nothing_is_shown_and_late_answers_change_nothing() {
    tell(|guest| {
        guest.start();
        guest.answer(ROOT, WIDGET_ROOT);
        guest.effects();
        guest.shut_down();
        let effects = guest.effects();
        assert_eq!(effects.iter().filter(|effect| effect.starts_with("kill")).count(), 2, "{effects:?}");
        guest.finish(2, WIDGET_BRANCH);
        guest.finish(3, WIDGET_REMOTES);
        guest.fire(4);
        assert_eq!(guest.effects(), Vec::<String>::new());
    });
}

#[test]
fn a_shown_line_is_taken_away_at_shutdown() {
    tell(|guest| {
        guest.start();
        guest.answer(ROOT, NO_REPOSITORY);
        guest.effects();
        guest.shut_down();
        assert_eq!(guest.effects(), ["no timer", "status pr-footer: (none)"]);
    });
}

#[test]
fn a_host_that_refuses_everything_is_survived() {
    tell(|guest| {
        guest.world().borrow_mut().refuses = true;
        guest.start();
        answer_all(
            guest,
            &[(ROOT, WIDGET_ROOT), (BRANCH, WIDGET_BRANCH), (REMOTES, WIDGET_REMOTES), (PULLS, NO_PULLS)],
        );
        guest.wait(1_000);
        assert_eq!(guest.status().as_deref(), Some("acme/widget · feature/footer · 12m"), "shown once it can be");
    });
}

#[test]
fn an_unknown_answer_is_ignored() {
    tell(|guest| {
        guest.start();
        guest.effects();
        guest.finish(999, WIDGET_ROOT);
        guest.fire(999);
        assert_eq!(guest.effects(), Vec::<String>::new());
    });
}
