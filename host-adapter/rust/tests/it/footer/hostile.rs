//! Repositories that want to run something on whoever looks at them.

use std::fs;
use std::process::Command;
use std::time::Instant;

use super::world::World;
use crate::support;

/// Makes the hostile repository `widget`, in a world whose path also has the places where it lies.
fn hostile() -> World {
    let mut world = World::new();
    let script = support::fixture("hostile-repository.sh");
    let made =
        Command::new("sh").arg(script).arg(world.path("widget")).env("HOME", world.path("home")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let path = world.variables[std::ffi::OsStr::new("PATH")].to_str().unwrap();
    let path = format!(":.:./widget:{path}:");
    world.variables.insert("PATH".into(), path.into());
    world
}

fn sprung(world: &World) -> String {
    fs::read_to_string(world.path("widget.sprung")).unwrap_or_default()
}

#[test]
fn the_traps_work() {
    for arguments in [&["status"][..], &["diff"], &["add", "file"], &["switch", "--create", "x"], &["fetch"]] {
        let world = hostile();
        assert_eq!(sprung(&world), "", "making them has sprung one");
        // Fails, because the trap does.
        let _ = Command::new("git")
            .args(arguments)
            .env("HOME", world.path("home"))
            .current_dir(world.path("widget"))
            .output()
            .unwrap();
        assert_ne!(sprung(&world), "", "git {arguments:?}");
    }
    let world = hostile();
    assert!(!Command::new(world.path("widget/git")).status().unwrap().success());
    assert_ne!(sprung(&world), "");
}

#[test]
fn looking_at_a_hostile_repository_runs_nothing_of_it() {
    let world = hostile();
    let widget = world.path("widget");
    let other = world.repository("other");
    assert_eq!(world.line_in(&widget), "widget · main · !");
    for place in ["inner", "pointing", "inner/hooks", ".git", ".git/hooks", "evil-hooks"] {
        world.line_in(&format!("{widget}/{place}"));
    }
    let mut session = world.session_in(&other);
    session.read(&format!("{widget}/file"));
    assert_eq!(session.line(), "widget · main · !");
    for command in ["pin .", &format!("pin {widget}"), "refresh", "unpin"] {
        session.command(command);
    }
    for command in ["git switch x", "git worktree add ../y", "gh pr create"] {
        session.tool("bash", serde_json::json!({ "command": format!("cd {widget} && {command}") }), || {});
    }
    world.pinned_session_in(&other, &widget);
    assert_eq!(sprung(&world), "");
}

#[test]
fn a_hostile_repository_on_github_runs_nothing_either() {
    let world = hostile();
    let widget = world.path("widget");
    let config = fs::read_to_string(format!("{widget}/.git/config")).unwrap();
    let (before, _) = config.split_once("[remote").unwrap();
    fs::write(
        format!("{widget}/.git/config"),
        format!("{before}[remote \"origin\"]\n\turl = https://github.com/acme/widget\n"),
    )
    .unwrap();
    world.gh("echo '[]'");
    assert_eq!(world.line_in(&widget), "acme/widget · main");
    assert_eq!(sprung(&world), "");
}

#[test]
fn a_pipe_in_place_of_a_configuration_holds_nobody_up_for_ever() {
    let world = World::new();
    let widget = world.repository("widget");
    nix::unistd::mkfifo(world.path("pipe").as_str(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    world.git("widget", ["config", "include.path", &world.path("pipe")]);
    let start = Instant::now();
    assert_eq!(world.line_in(&widget), "repo — · !");
    let seconds = start.elapsed().as_secs();
    assert!((10..20).contains(&seconds), "{seconds} s");
}
