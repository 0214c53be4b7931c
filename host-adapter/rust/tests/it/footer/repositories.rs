//! What kinds of repositories there are, and what is shown of each.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::world::World;

#[test]
fn a_plain_repository_is_named_by_its_directory() {
    let world = World::new();
    let widget = world.repository("widget");
    assert_eq!(world.line_in(&widget), "widget · main · !");
    fs::create_dir_all(format!("{widget}/src/deep")).unwrap();
    assert_eq!(world.line_in(&format!("{widget}/src/deep")), "widget · main · !");
    assert_eq!(world.asked_gh(), [""; 0], "there is nothing to ask GitHub about");
}

#[test]
fn a_branch_without_a_commit_is_a_branch() {
    let world = World::new();
    world.git("", ["init", "--quiet", "--initial-branch=feature/new", "widget"]);
    assert_eq!(world.line_in(&world.path("widget")), "widget · feature/new · !");
}

#[test]
fn a_commit_is_shown_where_no_branch_is_checked_out() {
    let world = World::new();
    let widget = world.repository("widget");
    world.git("widget", ["switch", "--quiet", "--detach"]);
    let commit = world.git("widget", ["rev-parse", "--short", "HEAD"]);
    assert_eq!(world.line_in(&widget), format!("widget · @{commit} · !"));
}

#[test]
fn a_linked_worktree_is_a_place_of_its_own() {
    let world = World::new();
    world.repository("widget");
    world.git("widget", ["worktree", "add", "--quiet", "-b", "topic", "../other"]);
    assert_eq!(world.line_in(&world.path("other")), "other · topic · !");
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let world = World::new();
    let part = world.repository("part");
    let whole = world.repository("whole");
    world.git("whole", ["submodule", "--quiet", "add", &part, "inner"]);
    assert_eq!(world.line_in(&format!("{whole}/inner")), "inner · main · !");
    assert_eq!(world.line_in(&whole), "whole · main · !");
}

#[test]
fn a_bare_repository_has_no_work_tree_to_be_in() {
    let world = World::new();
    world.git("", ["init", "--quiet", "--bare", "bare.git"]);
    assert_eq!(world.line_in(&world.path("bare.git")), "repo — · !");
}

#[test]
fn outside_of_all_repositories_there_is_none() {
    // Above the usual place of the tests there may be the repository of this project.
    let world = World::at(TempDir::new().unwrap());
    assert_eq!(world.line_in(&world.path("home")), "repo — · !");
}

#[cfg(target_os = "linux")]
#[test]
fn a_mount_point_above_ends_the_search() {
    let world = World::at(TempDir::new_in("/dev/shm").expect("Linux has a file system of its own there"));
    fs::create_dir(world.path("plain")).unwrap();
    let mut session = world.pinned_session_in(&world.path("plain"), &world.path("home"));
    assert_eq!(session.line(), "repo — · !", "it is certain that the pin is no repository, so it is dropped");
    let widget = world.repository("widget");
    session.read(&format!("{widget}/x"));
    assert_eq!(session.line(), "widget · main · !");
}

#[test]
fn reftable_storage_is_read_like_any_other() {
    let world = World::new();
    world.git("", ["init", "--quiet", "--ref-format=reftable", "--initial-branch=main", "widget"]);
    world.git("widget", ["commit", "--quiet", "--allow-empty", "--message=first"]);
    world.git("widget", ["switch", "--quiet", "--create", "topic"]);
    assert_eq!(world.line_in(&world.path("widget")), "widget · topic · !");
}

#[test]
fn a_tag_with_the_name_of_the_branch_changes_nothing() {
    let world = World::new();
    let widget = world.repository("widget");
    world.git("widget", ["tag", "main"]);
    assert_eq!(world.line_in(&widget), "widget · main · !");
}

#[test]
fn a_symbolic_link_leads_to_the_root_behind_it() {
    let world = World::new();
    let widget = world.repository("widget");
    symlink(&widget, world.path("link")).unwrap();
    let mut session = world.session_in(&world.path("link"));
    assert_eq!(session.line(), "widget · main · !");
    session.command("pin .");
    assert!(session.traces().contains(&format!(r#""pinnedRoot\":\"{widget}\""#)), "{}", session.traces());
}

#[test]
fn names_may_hold_anything_that_a_file_system_takes() {
    let world = World::new();
    for (name, shown) in [
        ("my widget", "my widget"),
        ("wídget-日本", "wídget-日本"),
        ("it's \"quoted\" $HOME `x`", "it's \"quoted\" $HOME `x`"),
        ("-rf", "-rf"),
        ("line\nbreak\u{1b}[31m", "line\u{fffd}break\u{fffd}[31m"),
    ] {
        fs::create_dir(world.path(name)).unwrap();
        world.git(name, ["init", "--quiet", "--initial-branch=main"]);
        assert_eq!(world.line_in(&world.path(name)), format!("{shown} · main · !"), "{name:?}");
    }
}

#[test]
fn branch_names_bring_nothing_that_a_terminal_obeys_or_that_cannot_be_seen() {
    let world = World::new();
    let widget = world.repository("widget");
    for (branch, shown) in [
        ("a\u{9b}31mb", "a\u{fffd}31mb"),
        ("a\u{202e}b", "a\u{fffd}b"),
        ("a\u{200b}b", "a\u{fffd}b"),
        ("a\u{2028}b", "a\u{fffd}b"),
        ("größe-日本", "größe-日本"),
    ] {
        world.git("widget", ["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
        assert_eq!(world.line_in(&widget), format!("widget · {shown} · !"), "{branch:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_branch_name_that_is_no_text_is_shown_and_not_asked_about() {
    let world = World::new();
    let widget = world.repository_of("widget", "https://github.com/acme/widget");
    let branch = OsString::from_vec(b"refs/heads/caf\xe9".to_vec());
    world.git("widget", ["symbolic-ref".into(), "HEAD".into(), branch]);
    world.gh("echo '[]'");
    assert_eq!(world.line_in(&widget), "acme/widget · caf\u{fffd} · !");
    assert_eq!(world.asked_gh(), [""; 0], "it would be another branch");
}

#[test]
fn long_names_are_cut() {
    let world = World::new();
    let widget = world.repository(&"w".repeat(100));
    world.git("", ["-C", &widget, "switch", "--quiet", "--create", &"b".repeat(200)]);
    assert_eq!(
        world.session_in(&widget).text(),
        format!("{}… · {}…", "w".repeat(59), "b".repeat(56)),
        "60 columns for a name, 120 for the line"
    );
}

#[test]
fn a_path_that_is_not_there_yet_belongs_to_the_directory_above_it() {
    let world = World::new();
    let widget = world.repository("widget");
    let gadget = world.repository("gadget");
    let mut session = world.session_in(&widget);
    session.read(&format!("{gadget}/new/deep/file.rs"));
    assert_eq!(session.line(), "gadget · main · !");
}

#[test]
fn a_startup_directory_that_is_gone_gives_way_to_what_is_left_of_it() {
    let world = World::new();
    let widget = world.repository("widget");
    assert_eq!(world.line_in(&format!("{widget}/gone/for/good")), "widget · main · !");
}

#[test]
fn two_repositories_at_once_are_two() {
    let world = World::new();
    let [widget, gadget, gizmo] = ["widget", "gadget", "gizmo"].map(|name| world.repository(name));
    let mut session = world.session_in(&widget);
    session.tool("read", serde_json::json!({"paths": [format!("{gadget}/a"), format!("{gizmo}/a")]}), || {});
    assert_eq!(session.line(), "repo? 2 · ?");
}

#[test]
fn a_switch_is_seen_although_a_later_command_of_the_chain_fails() {
    let world = World::new();
    let widget = world.repository("widget");
    let mut session = world.session_in(&widget);
    session.tool("bash", serde_json::json!({"command": "git switch --create topic && false"}), || {
        world.git("widget", ["switch", "--quiet", "--create", "topic"]);
    });
    assert_eq!(session.line(), "widget · topic · !");
}

#[test]
fn a_new_worktree_is_where_the_work_goes_on() {
    let world = World::new();
    let widget = world.repository("widget");
    let mut session = world.session_in(&widget);
    session.tool("bash", serde_json::json!({"command": "git worktree add ../topic"}), || {
        world.git("widget", ["worktree", "add", "--quiet", "../topic"]);
    });
    assert_eq!(session.line(), "topic · topic · !");
}

#[test]
fn a_pin_is_shown_and_stays() {
    let world = World::new();
    let [widget, gadget] = ["widget", "gadget"].map(|name| world.repository(name));
    let mut session = world.session_in(&widget);
    session.command("pin ../gadget");
    assert_eq!(session.line(), "📌 gadget · main · !");
    session.read(&format!("{widget}/x"));
    assert_eq!(session.line(), "📌 gadget · main · !");
    assert_eq!(world.pinned_session_in(&widget, &gadget).line(), "📌 gadget · main · !");
}

#[test]
fn a_pin_whose_root_is_gone_is_dropped() {
    let world = World::new();
    let widget = world.repository("widget");
    let session = world.pinned_session_in(&widget, &world.path("gone"));
    assert_eq!(session.line(), "widget · main · !");
    assert!(session.traces().contains(r#"\"mode\":\"auto\""#), "{}", session.traces());
}
