//! Projections of random trees: kept up to date step by step they equal ones made from nothing, and nothing of a sibling
//! branch is ever in them.

use std::ops::ControlFlow;

use pi_capsule::session::{Session, tags};
use proptest::prelude::*;

use crate::world::branch::{NewEntry, assistant, compaction, custom, custom_message, edit, tool_result, user};
use crate::world::{NativeHost, SESSION_ID, Shared, World};

/// A step of a session's life.
#[derive(Clone, Debug)]
enum Step {
    Append(Kind),
    /// Goes to the entry at this part of those that there are, or before the root.
    Navigate(Option<prop::sample::Index>),
    Sync,
    /// Looks at the text of everything, so that bodies are kept.
    Read,
}

#[derive(Clone, Debug)]
enum Kind {
    User,
    Assistant(u8),
    ToolResult,
    Message(&'static str),
    Compaction(Option<u8>),
    Marker(u8),
    Note { path: u8, append: bool, stale: Option<bool>, text: bool },
    Edit { target: prop::sample::Index, replaced: bool },
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        4 => Just(Kind::User),
        3 => (0..3u8).prop_map(Kind::Assistant),
        2 => Just(Kind::ToolResult),
        1 => prop_oneof![Just(tags::BOOT), Just(tags::GUIDANCE), Just(tags::WARNING), Just("other")].prop_map(Kind::Message),
        2 => prop::option::of(0..3u8).prop_map(Kind::Compaction),
        1 => (0..3u8).prop_map(Kind::Marker),
        4 => (0..3u8, any::<bool>(), any::<Option<bool>>(), any::<bool>())
            .prop_map(|(path, append, stale, text)| Kind::Note { path, append, stale, text }),
        2 => (any::<prop::sample::Index>(), any::<bool>()).prop_map(|(target, replaced)| Kind::Edit { target, replaced }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => kind().prop_map(Step::Append),
        2 => prop::option::weighted(0.9, any::<prop::sample::Index>()).prop_map(Step::Navigate),
        3 => Just(Step::Sync),
        1 => Just(Step::Read),
    ]
}

/// An entry whose every text says which one it is: `<n>`.
fn entry(kind: &Kind, n: usize) -> NewEntry {
    let window = |name: &u8| format!("pcw:01234567:0000000{name}");
    match kind {
        Kind::User => user(&format!("<{n}>")),
        Kind::Assistant(calls) => {
            let text = if *calls == 1 { String::new() } else { format!("<{n}>") };
            let arguments = format!("[\"<{n}>\"]");
            assistant(&text, &vec![("read", arguments.as_str()); usize::from(*calls)])
        }
        Kind::ToolResult => tool_result("read", &format!("<{n}>")),
        Kind::Message(custom_type) => custom_message(custom_type, &format!("<{n}>")),
        Kind::Compaction(None) => compaction(&format!("<{n}>"), "{}"),
        Kind::Compaction(Some(name)) => {
            let details = format!(r#"{{"piContext":"reset-v2","windowId":"{}"}}"#, window(name));
            compaction(&format!("<{n}>"), &details)
        }
        Kind::Marker(name) => custom(tags::RESET_MARKER, &format!(r#"{{"version":1,"windowId":"{}"}}"#, window(name))),
        Kind::Note { path, append, stale, text } => {
            let op = if *append { "append" } else { "write" };
            let mut operation =
                serde_json::json!({"op": op, "path": format!("note-{path}"), "createdAt": n, "updatedAt": n});
            if *text {
                operation["text"] = format!("<{n}>").into();
            }
            if let Some(stale) = stale {
                operation["stale"] = (*stale).into();
            }
            custom(tags::NOTE, &operation.to_string())
        }
        Kind::Edit { target, replaced } => {
            let target = format!("e{}", if n == 0 { 0 } else { target.index(n) });
            edit(&target, replaced.then_some(format!("<{n}>")).as_deref())
        }
    }
}

/// Everything that a projection shows.
#[derive(Debug, PartialEq)]
struct Shown {
    windows: Vec<String>,
    items: Vec<String>,
    notes: Vec<String>,
}

fn shown(session: &mut Session, world: &Shared) -> Shown {
    let host = &mut NativeHost(world.clone());
    session.sync(host);
    let windows = session.windows().iter().enumerate();
    let windows =
        windows.map(|(index, window)| format!("{window:?} {}", session.history().of_window(index).len())).collect();
    let notes = session.notes().iter().map(|note| format!("{note:?}")).collect();
    let positions: Vec<usize> = (0..session.history().len()).collect();
    let mut items = Vec::new();
    session.show_items(&positions, host, |view, position, text| {
        let (history, item) = (view.history, view.history.item(position));
        items.push(format!(
            "{} {} {:?} {:?} {text}",
            history.item_id(item),
            history.window(item),
            history.role(item),
            history.tool_name(item)
        ));
        ControlFlow::Continue(())
    });
    Shown { windows, items, notes }
}

/// The numbers of the entries that a text comes from.
fn origins(text: &str) -> Vec<usize> {
    text.split('<').skip(1).filter_map(|rest| rest.split('>').next()?.parse().ok()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_incremental_projection_equals_one_from_nothing_and_shows_no_sibling(steps in prop::collection::vec(step(), 1..60)) {
        let world = World::new();
        let mut session = Session::new(SESSION_ID.into(), 7);
        let mut entries: Vec<String> = Vec::new();
        for step in steps {
            match step {
                Step::Append(kind) => {
                    let entry = entry(&kind, entries.len());
                    entries.push(world.borrow_mut().push([entry]));
                }
                Step::Navigate(None) => world.borrow_mut().branch.navigate(None),
                Step::Navigate(Some(to)) if !entries.is_empty() => {
                    world.borrow_mut().branch.navigate(Some(&entries[to.index(entries.len())]));
                }
                Step::Navigate(Some(_)) => {}
                Step::Sync => session.sync(&mut NativeHost(world.clone())),
                Step::Read => drop(shown(&mut session, &world)),
            }
        }
        let incremental = shown(&mut session, &world);
        let fresh = shown(&mut Session::new(SESSION_ID.into(), 8), &world);
        prop_assert_eq!(&incremental, &fresh);

        let active: Vec<String> = world.borrow().branch.entries().map(|entry| entry.id.clone()).collect();
        for text in incremental.items.iter().chain(&incremental.notes).chain(&incremental.windows) {
            for origin in origins(text) {
                prop_assert!(active.contains(&format!("e{origin}")), "{} is of a sibling", text);
            }
        }
    }
}
