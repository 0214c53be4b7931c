//! Repositories on GitHub, and what `gh` says of their pull requests.

use std::time::Instant;

use super::world::World;

fn pull(number: u32, is_draft: bool, owner: &str) -> String {
    format!(
        r#"{{"number":{number},"state":"OPEN","isDraft":{is_draft},"url":"https://github.com/acme/widget/pull/{number}","isCrossRepository":{},"headRepositoryOwner":{{"id":"x","login":"{owner}"}}}}"#,
        owner != "acme"
    )
}

/// A `gh` that answers with these pull requests.
fn answering(pulls: &[String]) -> String {
    format!("printf '%s\\n' '[{}]'", pulls.join(","))
}

fn line_with(gh: &str) -> String {
    let world = World::new();
    let widget = world.repository_of("widget", "https://github.com/acme/widget.git");
    world.gh(gh);
    world.line_in(&widget)
}

#[test]
fn every_way_to_write_a_remote_on_github() {
    let world = World::new();
    world.gh("echo '[]'");
    let widget = world.repository_of("widget", "x");
    for url in [
        "https://github.com/acme/widget",
        "https://github.com/acme/widget.git",
        "https://github.com/acme/widget/",
        "http://github.com/acme/widget",
        "https://GitHub.com/acme/widget",
        "https://me:s3cret@github.com/acme/widget.git",
        "ssh://git@github.com/acme/widget.git",
        "ssh://git@github.com:22/acme/widget",
        "git://github.com/acme/widget.git",
        "git@github.com:acme/widget.git",
        "git@github.com:acme/widget",
        "github.com:acme/widget",
    ] {
        world.git("widget", ["remote", "set-url", "origin", url]);
        assert_eq!(world.line_in(&widget), "acme/widget · main", "{url}");
    }
    for url in ["https://gitlab.com/acme/widget", "https://github.com.evil.org/acme/widget", "/srv/widget.git"] {
        world.git("widget", ["remote", "set-url", "origin", url]);
        assert_eq!(world.line_in(&widget), "widget · main · !", "{url}");
    }
}

#[test]
fn secrets_in_a_url_go_nowhere() {
    let world = World::new();
    let widget = world.repository_of("widget", "https://me:s3cret-t0ken@github.com/acme/widget.git");
    world.gh(&answering(&[pull(42, false, "acme")]));
    let session = world.session_in(&widget);
    assert_eq!(session.line(), "acme/widget · main · PR #42");
    let traces = format!("{} {:?}", session.traces(), world.asked_gh());
    assert!(!traces.contains("s3cret") && !traces.contains("me:"), "{traces}");
}

#[test]
fn of_several_remotes_origin_comes_first_and_then_the_first_on_github() {
    let world = World::new();
    world.gh("echo '[]'");
    let widget = world.repository("widget");
    world.git("widget", ["remote", "add", "upstream", "git@github.com:acme/upstream"]);
    assert_eq!(world.line_in(&widget), "acme/upstream · main");
    world.git("widget", ["remote", "add", "origin", "git@github.com:acme/widget"]);
    assert_eq!(world.line_in(&widget), "acme/widget · main");
    world.git("widget", ["remote", "set-url", "origin", "/srv/mirror.git"]);
    assert_eq!(world.line_in(&widget), "acme/upstream · main");
}

#[test]
fn rules_that_rewrite_urls_are_followed() {
    let world = World::new();
    world.gh("echo '[]'");
    let widget = world.repository_of("widget", "gh:acme/widget");
    assert_eq!(world.line_in(&widget), "widget · main · !");
    world.git("widget", ["config", "url.https://github.com/.insteadOf", "gh:"]);
    assert_eq!(world.line_in(&widget), "acme/widget · main");
    world.git("widget", ["config", "--global", "url.https://gitlab.com/acme/.insteadOf", "gh:acme/"]);
    assert_eq!(world.line_in(&widget), "widget · main · !", "the longest rule counts");
}

#[test]
fn a_line_break_in_a_url_forges_no_remote() {
    let world = World::new();
    let widget = world.repository_of("widget", "/srv/x\nremote.origin.url https://github.com/evil/x");
    assert_eq!(world.line_in(&widget), "widget · main · !");
}

#[test]
fn an_open_pull_request_a_draft_and_none() {
    assert_eq!(line_with(&answering(&[pull(42, false, "acme")])), "acme/widget · main · PR #42");
    assert_eq!(line_with(&answering(&[pull(42, true, "acme")])), "acme/widget · main · draft PR #42");
    assert_eq!(line_with(&answering(&[])), "acme/widget · main");
}

#[test]
fn a_pin_has_its_pull_request() {
    let world = World::new();
    let widget = world.repository_of("widget", "https://github.com/acme/widget.git");
    world.git("widget", ["switch", "--quiet", "--create", "feature/footer"]);
    world.gh(&answering(&[pull(42, false, "acme")]));
    let pinned = world.pinned_session_in(&world.path("home"), &widget);
    assert_eq!(pinned.line(), "📌 acme/widget · feature/footer · PR #42");
}

#[test]
fn without_a_branch_there_is_nothing_to_ask_github_about() {
    let world = World::new();
    let widget = world.repository_of("widget", "https://github.com/acme/widget.git");
    world.git("widget", ["switch", "--quiet", "--detach"]);
    let commit = world.git("widget", ["rev-parse", "--short", "HEAD"]);
    assert_eq!(world.line_in(&widget), format!("acme/widget · @{commit} · !"));
    assert_eq!(world.asked_gh(), [""; 0]);
}

#[test]
fn a_strangers_branch_of_the_same_name_is_not_ours() {
    let (ours, stranger) = (pull(42, false, "Acme"), pull(99, false, "stranger"));
    assert_eq!(line_with(&answering(&[stranger.clone(), ours.clone()])), "acme/widget · main · PR #42");
    assert_eq!(line_with(&answering(&[ours, stranger.clone()])), "acme/widget · main · PR #42");
    assert_eq!(line_with(&answering(&[stranger])), "acme/widget · main");
}

#[test]
fn whatever_gh_does_not_answer_is_not_known() {
    for gh in [
        "echo '[{'",
        "echo 'null'",
        "echo '{}'",
        r#"echo '[{"number":"42"}]'"#,
        &answering(&[pull(0, false, "acme")]),
        &answering(&[pull(42, false, "acme").replace("OPEN", "MERGED")]),
        &answering(&[pull(42, false, "acme").replace("https:", "javascript:")]),
        "echo 'To get started with GitHub CLI, please run: gh auth login' >&2; exit 4",
        "echo 'GraphQL: API rate limit exceeded (HTTP 403)' >&2; exit 1",
        "head -c 2097152 /dev/zero",
        "kill -9 $$",
    ] {
        assert_eq!(line_with(gh), "acme/widget · main · !", "{gh}");
    }
}

#[test]
fn gh_that_is_not_there() {
    let mut world = World::new();
    let widget = world.repository_of("widget", "git@github.com:acme/widget");
    let git = which::which_in("git", std::env::var_os("PATH"), "/").unwrap();
    // Nothing on the path but git.
    std::fs::create_dir(world.path("only")).unwrap();
    std::os::unix::fs::symlink(git, world.path("only/git")).unwrap();
    world.variables.insert("PATH".into(), world.path("only").into());
    assert_eq!(world.line_in(&widget), "acme/widget · main · !");
}

#[test]
fn gh_that_is_slow_is_waited_for_with_the_branch_shown() {
    let world = World::new();
    let widget = world.repository("widget");
    let gadget = world.repository_of("gadget", "git@github.com:acme/gadget");
    let mut session = world.session_in(&widget);
    world.gh(&format!(
        "while ! [ -e '{}' ]; do sleep 0.05; done\n{}",
        world.path("go"),
        answering(&[pull(7, false, "acme")])
    ));
    session.begin_reading(&format!("{gadget}/x"));
    session.line_becomes("acme/gadget · main · !");
    std::fs::write(world.path("go"), "").unwrap();
    session.line_becomes("acme/gadget · main · PR #7");
}

#[test]
fn gh_that_does_not_come_to_an_end_is_given_up() {
    let start = Instant::now();
    assert_eq!(line_with("exec sleep 600"), "acme/widget · main · !");
    let seconds = start.elapsed().as_secs();
    assert!((10..20).contains(&seconds), "{seconds} s");
}

#[test]
fn the_question_names_host_repository_and_branch() {
    let mut world = World::new();
    let widget = world.repository_of("widget", "git@github.com:Acme/Widget");
    world.git("widget", ["switch", "--quiet", "--create", "Feature/x"]);
    for (name, value) in [("GH_HOST", "evil.example"), ("GH_REPO", "evil/x"), ("GH_DEBUG", "api")] {
        world.variables.insert(name.into(), value.into());
    }
    world.gh("[ -z \"$GH_HOST$GH_REPO$GH_DEBUG\" ] && echo '[]'");
    assert_eq!(world.line_in(&widget), "Acme/Widget · Feature/x");
    let fields = "number,state,isDraft,url,isCrossRepository,headRepositoryOwner";
    assert_eq!(
        world.asked_gh(),
        [format!("pr list --repo github.com/acme/widget --head Feature/x --state open --limit 20 --json {fields}")]
    );
}

#[test]
fn a_new_pull_request_is_seen_when_its_command_has_ended() {
    let world = World::new();
    let widget = world.repository_of("widget", "git@github.com:acme/widget");
    world.gh("echo '[]'");
    let mut session = world.session_in(&widget);
    session.tool("bash", serde_json::json!({"command": "gh pr create --fill"}), || {
        world.gh(&answering(&[pull(42, false, "acme")]));
    });
    assert_eq!(session.line(), "acme/widget · main · PR #42");
    session.tool("bash", serde_json::json!({"command": "git switch --create topic"}), || {
        world.gh("sleep 0.2; echo '[]'");
        world.git("widget", ["switch", "--quiet", "--create", "topic"]);
    });
    assert_eq!(session.line(), "acme/widget · topic", "the pull request of another branch is gone");
}
