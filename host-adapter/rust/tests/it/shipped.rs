//! The component of this project under this host: what it imports, and that it starts, answers and ends.

use std::fs;

use pi_capsule_host::session_file::Session;
use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::session_reader::{Body, EntryKind};
use pi_capsule_host::wit::tools::Invocation;
use pi_capsule_host::{Capsule, LocalHost};
use tempfile::NamedTempFile;

use crate::support;

const SESSION: &str = r#"{"type":"session","version":3,"id":"0193a1b2-c3d4","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/work"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}
"#;

fn list_windows(capsule: &mut Capsule<LocalHost>) -> String {
    list(capsule, "history_list_windows")
}

fn list_notes(capsule: &mut Capsule<LocalHost>) -> String {
    list(capsule, "notes_list_files")
}

fn list(capsule: &mut Capsule<LocalHost>, tool: &str) -> String {
    let invocation = Invocation { call_id: "1".into(), name: tool.into(), arguments: "{}".into(), cwd: "/".into() };
    capsule.call_tool(&invocation).unwrap().unwrap().text
}

#[test]
fn it_follows_a_session_from_a_file_as_it_grows() {
    let file = NamedTempFile::new().unwrap();
    fs::write(&file, SESSION).unwrap();
    let (host, skipped) = LocalHost::open(&file).unwrap();
    assert!(skipped.is_empty());
    let mut capsule = Capsule::instantiate(support::shipped_module(), host.without_programs()).unwrap();
    capsule.session_started(StartReason::Resume).unwrap();
    let root = r#"{"window_id":"pcw:0193a1b2:root","item_count":1}"#;
    assert_eq!(list_windows(&mut capsule), format!(r#"{{"windows":[{root}]}}"#));

    let details = r#"{"piContext":"reset-v2","windowId":"pcw:0193a1b2:00c0ffee"}"#;
    let summary = Body { text_parts: vec!["so far".into()], tool_calls: Vec::new() };
    let session = capsule.host_mut().session_mut();
    session.append(1, EntryKind::Compaction(Some(details.into())), Some(summary));
    let reset = r#"{"window_id":"pcw:0193a1b2:00c0ffee","item_count":1}"#;
    assert_eq!(list_windows(&mut capsule), format!(r#"{{"windows":[{reset},{root}]}}"#));

    assert!(capsule.host_mut().session_mut().move_to(Some("a")));
    capsule.branch_changed().unwrap();
    assert_eq!(list_windows(&mut capsule), format!(r#"{{"windows":[{root}]}}"#));
    assert_eq!(fs::read_to_string(&file).unwrap(), SESSION, "the file stays as it was");
}

#[test]
fn a_new_instance_knows_what_the_one_before_knew() {
    let (host, _) = LocalHost::open(support::session("capsule")).unwrap();
    let mut capsule = Capsule::instantiate(support::shipped_module(), host.without_programs()).unwrap();
    capsule.session_started(StartReason::Resume).unwrap();
    let write = Invocation {
        call_id: "w".into(),
        name: "notes_write_file".into(),
        arguments: r#"{"path":"plan.md","text":"tamarind"}"#.into(),
        cwd: "/".into(),
    };
    capsule.call_tool(&write).unwrap().unwrap();
    let before = (list_windows(&mut capsule), list_notes(&mut capsule), capsule.host().status("pr-footer").is_some());
    let mut capsule = capsule.restart().unwrap();
    capsule.session_started(StartReason::Recovered).unwrap();
    let after = (list_windows(&mut capsule), list_notes(&mut capsule), capsule.host().status("pr-footer").is_some());
    assert_eq!(after, before);
    assert!(before.1.contains("plan.md"));
}

#[test]
fn waiting_for_ever_is_no_fault() {
    let host = LocalHost::new(Session::empty("s", "/", None)).without_programs();
    let mut capsule = Capsule::instantiate(support::shipped_module(), host).unwrap();
    capsule.session_started(StartReason::Startup).unwrap();
    let shown = |capsule: &Capsule<LocalHost>| capsule.host().status("pr-footer").is_some();
    assert!(capsule.run_until(shown, std::time::Duration::MAX).unwrap());
}

#[test]
fn it_lives_through_a_session() {
    let component = fs::read(support::shipped_component()).unwrap();
    let host = LocalHost::new(Session::empty("0193a1b2-c3d4", "/", None)).without_programs();
    let mut capsule = Capsule::load(&component, host).unwrap();
    assert!(capsule.tools().unwrap().iter().any(|tool| tool.name == "history_list_windows"));
    capsule.session_started(StartReason::Startup).unwrap();
    assert!(capsule.host().status("pr-footer").is_some());

    assert!(list_windows(&mut capsule).contains("pcw:0193a1b2:root"));
    let (call_id, name, arguments, cwd) = ("2".into(), "no_such_tool".into(), "{}".into(), "/".into());
    capsule.call_tool(&Invocation { call_id, name, arguments, cwd }).unwrap().unwrap_err();

    capsule.session_shut_down(ShutdownReason::Quit).unwrap();
    assert_eq!(capsule.host().status("pr-footer"), None);
}
