//! What git does not settle is not concluded from: a pin is kept, and nothing is shown in place of what is not known.

use std::fs;
use std::time::Instant;

use super::world::{World, quoted};

/// In a directory that git cannot tell about, nothing is shown; a root that was pinned there stays pinned.
fn assert_is_not_known(world: &World, directory: &str) {
    assert_eq!(world.line_in(directory), "repo — · !");
    let pinned = world.pinned_session_in(directory, directory);
    assert_eq!(pinned.line(), "📌 repo — · ~");
    assert!(!pinned.traces().contains(r#"\"mode\":\"auto\""#), "{}", pinned.traces());
}

#[test]
fn a_repository_of_somebody_else() {
    let world = World::new();
    let widget = world.repository("widget");
    // What git itself is tested with: it takes every owner for another one.
    world.git_through("env GIT_TEST_ASSUME_DIFFERENT_OWNER=1");
    assert_is_not_known(&world, &widget);
}

#[test]
fn a_configuration_that_cannot_be_read() {
    let world = World::new();
    let widget = world.repository("widget");
    fs::write(format!("{widget}/.git/config"), "[core\n").unwrap();
    assert_is_not_known(&world, &widget);
}

#[test]
fn a_head_that_is_broken_makes_git_say_that_there_is_no_repository() {
    let world = World::at(tempfile::TempDir::new().unwrap());
    let widget = world.repository("widget");
    fs::write(format!("{widget}/.git/HEAD"), "garbage\n").unwrap();
    assert_eq!(world.line_in(&widget), "repo — · !");
    let pinned = world.pinned_session_in(&widget, &widget);
    assert_eq!(pinned.line(), "repo — · !", "git is certain, so the pin is dropped");
}

#[test]
fn a_directory_that_may_not_be_entered() {
    let world = World::new();
    let widget = world.repository("widget");
    let closed = format!("{widget}/closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    // The superuser may enter everything; git shall not run as one.
    if nix::unistd::geteuid().is_root() {
        world.git_through("setpriv --reuid=65534 --regid=65534 --clear-groups");
    }
    assert_is_not_known(&world, &closed);
}

#[test]
fn git_that_is_not_there() {
    let mut world = World::new();
    let widget = world.repository("widget");
    world.variables.insert("PATH".into(), world.path("bin").into());
    assert_is_not_known(&world, &widget);
    world.variables.insert("PATH".into(), "bin:.".into());
    assert_is_not_known(&world, &widget);
}

#[test]
fn git_that_prints_too_much() {
    let world = World::new();
    let widget = world.repository("widget");
    world.program("git", "head -c 2097152 /dev/zero");
    assert_is_not_known(&world, &widget);
}

#[test]
fn git_that_does_not_come_to_an_end() {
    let world = World::new();
    let widget = world.repository("widget");
    world.program("git", "exec sleep 600");
    let start = Instant::now();
    assert_eq!(world.line_in(&widget), "repo — · !");
    let seconds = start.elapsed().as_secs();
    assert!((10..20).contains(&seconds), "{seconds} s");
}

#[test]
fn what_the_person_has_set_for_git_leads_nowhere_else() {
    let mut world = World::new();
    let widget = world.repository("widget");
    let other = world.repository("other");
    for (name, value) in [
        ("GIT_DIR", format!("{other}/.git")),
        ("GIT_WORK_TREE", other.clone()),
        ("GIT_CEILING_DIRECTORIES", world.path("")),
        ("GIT_CONFIG_COUNT", "1".into()),
        ("GIT_CONFIG_KEY_0", "remote.origin.url".into()),
        ("GIT_CONFIG_VALUE_0", "https://github.com/evil/x".into()),
    ] {
        world.variables.insert(name.into(), value.into());
    }
    assert_eq!(world.line_in(&widget), "widget · main · !");
}

#[test]
fn the_language_of_the_person_does_not_change_what_git_means() {
    let mut world = World::at(tempfile::TempDir::new().unwrap());
    for name in ["LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE"] {
        world.variables.insert(name.into(), "de_DE.UTF-8".into());
    }
    fs::create_dir(world.path("plain")).unwrap();
    let git = which::which_in("git", std::env::var_os("PATH"), "/").unwrap();
    // A German git, whether or not this machine has its translation.
    world.program(
        "git",
        &format!(
            "if [ \"${{LC_ALL-}}\" != C ] || [ -n \"${{LANGUAGE-}}\" ]; then\n  \
             echo 'Schwerwiegend: Kein Git-Repository' >&2; exit 128\nfi\nexec {} \"$@\"",
            quoted(&git)
        ),
    );
    let pinned = world.pinned_session_in(&world.path("plain"), &world.path("plain"));
    assert_eq!(pinned.line(), "repo — · !", "it was understood that there is no repository");
}

#[test]
fn a_root_that_cannot_be_looked_at_again_is_shown_as_such() {
    let world = World::new();
    let widget = world.repository("widget");
    let mut session = world.session_in(&widget);
    world.program("git", "exit 1");
    session.command("refresh");
    assert_eq!(session.line(), "widget · main · ! · ~");
    fs::remove_file(world.path("bin/git")).unwrap();
    session.command("refresh");
    assert_eq!(session.line(), "widget · main · !");
}

#[test]
fn a_place_that_git_cannot_tell_about_is_not_shown_as_the_one_before() {
    let world = World::new();
    let [widget, gadget] = ["widget", "gadget"].map(|name| world.repository(name));
    fs::write(format!("{gadget}/.git/config"), "[core\n").unwrap();
    let mut session = world.session_in(&widget);
    session.read(&format!("{gadget}/x"));
    assert_eq!(session.line(), "repo — · !");
    session.read("x");
    assert_eq!(session.line(), "widget · main · !");
}
