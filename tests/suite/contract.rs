//! The contract: the component keeps to the world, and the world is written down whole.

use std::collections::BTreeSet;

use pi_capsule_host::policy::Policy;
use wasmparser::{Parser, Payload};
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{Docs, Resolve, TypeDefKind, TypeOwner, WorldId, WorldItem, WorldKey};

use crate::architecture::root;
use crate::world::component_bytes;

/// The names of a world's imports or exports.
fn names<'a>(resolve: &Resolve, items: impl Iterator<Item = (&'a WorldKey, &'a WorldItem)>) -> BTreeSet<String> {
    items.map(|(key, _)| resolve.name_world_key(key)).collect()
}

fn imports_and_exports(resolve: &Resolve, world: WorldId) -> (BTreeSet<String>, BTreeSet<String>) {
    let world = &resolve.worlds[world];
    (names(resolve, world.imports.iter()), names(resolve, world.exports.iter()))
}

/// The world as the files in `wit/` declare it.
pub(crate) fn declared() -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let folder = root().join("wit");
    let (package, _) = resolve.push_dir(&folder).expect("the WIT files parse");
    let world = resolve.select_world(&[package], Some("extension")).expect("the world exists");
    (resolve, world)
}

#[test]
fn its_imports_and_exports_are_exactly_those_of_the_world() {
    let DecodedWasm::Component(resolve, world) = decode(&component_bytes()).expect("a component") else {
        panic!("a WIT package, not a component");
    };
    let built = imports_and_exports(&resolve, world);
    let (resolve, world) = declared();
    assert_eq!(built, imports_and_exports(&resolve, world));
    assert!(built.0.iter().all(|name| name.starts_with("pi:extension/")), "{:?}", built.0);
}

/// A host that cannot bound the memory of a guest, as in JavaScript, has only what the component says of itself.
#[test]
fn its_memory_is_bounded_by_the_component_itself() {
    let bytes = component_bytes();
    let mut memories = Vec::new();
    for payload in Parser::new(0).parse_all(&bytes) {
        if let Payload::MemorySection(section) = payload.expect("a valid component") {
            memories.extend(section.into_iter().map(|memory| memory.expect("a valid memory")));
        }
    }
    let [memory] = &memories[..] else { panic!("one memory, not {}", memories.len()) };
    let most = Policy::shared().guest_limits().memory as u64 / 65_536;
    assert_eq!((memory.maximum, memory.shared), (Some(most), false));
}

/// Authors of other hosts and guests have the contract and nothing else.
#[test]
fn every_item_of_the_contract_is_documented() {
    let (resolve, world) = declared();
    let mut items: Vec<(String, &Docs)> = vec![("world extension".into(), &resolve.worlds[world].docs)];
    for (_, interface) in &resolve.interfaces {
        let interface_name = interface.name.as_deref().expect("every interface has a name");
        items.push((interface_name.into(), &interface.docs));
        for (name, function) in &interface.functions {
            items.push((format!("{interface_name}.{name}"), &function.docs));
        }
    }
    for (_, definition) in &resolve.types {
        let (Some(name), TypeOwner::Interface(owner)) = (&definition.name, definition.owner) else { continue };
        let name = format!("{}.{name}", resolve.interfaces[owner].name.as_deref().unwrap());
        match &definition.kind {
            TypeDefKind::Record(record) => {
                items.extend(record.fields.iter().map(|field| (format!("{name}.{}", field.name), &field.docs)));
            }
            TypeDefKind::Variant(variant) => {
                items.extend(variant.cases.iter().map(|case| (format!("{name}.{}", case.name), &case.docs)));
            }
            TypeDefKind::Enum(cases) => {
                items.extend(cases.cases.iter().map(|case| (format!("{name}.{}", case.name), &case.docs)));
            }
            // A name taken over from another interface is documented there.
            TypeDefKind::Type(wit_parser::Type::Id(_)) => continue,
            _ => {}
        }
        items.push((name, &definition.docs));
    }
    let silent: Vec<&str> =
        items.iter().filter(|(_, docs)| docs.contents.is_none()).map(|(name, _)| name.as_str()).collect();
    assert!(silent.is_empty(), "without `///` docs: {silent:#?}");
    assert!(items.len() > 150, "only {} items were looked at", items.len());
}
