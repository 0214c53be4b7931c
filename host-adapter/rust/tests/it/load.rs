//! What is loaded and what is refused, before any of it runs.

use crate::support::{self, Guest};
use pi_capsule_host::session_file::Session;
use pi_capsule_host::{Capsule, CapsuleModule, LoadError, LocalHost};

fn refusal(bytes: &[u8]) -> LoadError {
    match CapsuleModule::compile(bytes) {
        Ok(_) => panic!("it was accepted"),
        Err(error) => error,
    }
}

fn host() -> LocalHost {
    LocalHost::new(Session::empty("s", "/work", None))
}

#[test]
fn a_component_of_the_world_is_loaded() {
    Capsule::load(&Guest::default().build(), host()).unwrap();
}

#[test]
fn a_module_is_compiled_once_for_many_instances() {
    let module = CapsuleModule::compile(&Guest::default().build()).unwrap();
    for _ in 0..2 {
        let mut capsule = Capsule::instantiate(&module, host()).unwrap();
        assert!(capsule.tools().unwrap().is_empty());
    }
}

#[test]
fn a_later_compatible_version_is_loaded() {
    CapsuleModule::compile(&support::of_version("0.1.7")).unwrap();
}

#[test]
fn what_is_not_webassembly_is_refused() {
    for bytes in [&b""[..], b"\0as", b"#!/bin/sh\n"] {
        assert!(matches!(refusal(bytes), LoadError::NotWebAssembly));
    }
}

#[test]
fn a_core_module_gets_a_hint() {
    let error = refusal(&support::core_module());
    assert!(matches!(error, LoadError::CoreModule));
    assert!(error.to_string().contains("wasm-tools component new"));
}

#[test]
fn a_damaged_component_is_refused() {
    let mut bytes = Guest::default().build();
    bytes.truncate(bytes.len() / 2);
    assert!(matches!(refusal(&bytes), LoadError::Invalid(_)));
}

#[test]
fn memory_that_threads_could_share_is_refused() {
    assert!(matches!(refusal(&Guest::default().function("(memory 1 2 shared)").build()), LoadError::Invalid(_)));
}

#[test]
fn another_version_is_refused_with_both_versions() {
    let error = refusal(&support::of_version("0.2.0"));
    assert_eq!(
        error.to_string(),
        "this component was made for pi:extension@0.2.0, but this host implements pi:extension@0.1.0; \
         use versions of both that match"
    );
}

#[test]
fn another_world_is_refused_with_what_does_not_fit() {
    let error = refusal(&support::of_another_world());
    assert_eq!(
        error.to_string(),
        "this component is not for the world pi:extension/extension: it imports acme:clocks/time@2.0.0 and does not \
         export pi:extension/commands, pi:extension/completions, pi:extension/lifecycle, pi:extension/tool-observer, \
         pi:extension/tools"
    );
}

#[test]
fn other_types_under_the_same_names_are_refused() {
    for (from, to) in
        [("bits: func() -> u32", "bits: func() -> u64"), ("timer-fired: func(id: timer-id)", "timer-fired: func()")]
    {
        let module = CapsuleModule::compile(&support::of_changed_world(from, to)).unwrap();
        let error = Capsule::instantiate(&module, host()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("expected"), "{error}");
    }
}

#[test]
fn a_component_that_breaks_at_its_start_is_refused() {
    let error = Capsule::load(&Guest::default().start("unreachable").build(), host()).map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this component cannot be started: wasm trap: wasm `unreachable` instruction executed"
    );
}

#[test]
fn a_precompiled_component_is_the_same_component() {
    let code = CapsuleModule::compile(&Guest::default().build()).unwrap().precompiled().unwrap();
    assert!(CapsuleModule::is_precompiled(&code));
    // SAFETY: made in the line above.
    let module = unsafe { CapsuleModule::from_precompiled(&code) }.unwrap();
    assert!(Capsule::instantiate(&module, host()).unwrap().tools().unwrap().is_empty());
}

#[test]
fn what_was_precompiled_elsewhere_is_refused() {
    let code = CapsuleModule::compile(&Guest::default().build()).unwrap().precompiled().unwrap();
    for damage in [&code[..code.len() / 2], &code[..64], b"\x7fELF", b""] {
        // SAFETY: nothing of it runs, since it is refused.
        let error = unsafe { CapsuleModule::from_precompiled(damage) }.map(|_| ()).unwrap_err();
        assert!(matches!(error, LoadError::OtherEngine(_)), "{error}");
    }
    let engine = wasmtime::Engine::new(wasmtime::Config::new().consume_fuel(true)).unwrap();
    let other = engine.precompile_component(&Guest::default().build()).unwrap();
    // SAFETY: made in the line above, by an engine that counts what a guest does.
    let error = unsafe { CapsuleModule::from_precompiled(&other) }.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("precompile the component again"), "{error}");
}
