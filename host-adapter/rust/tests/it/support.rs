//! What the tests share: components that are made on the spot (guests of our world whose exports are written in
//! WebAssembly text, and components that this host must refuse), the one that this project ships, and stored sessions.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::LazyLock;

use pi_capsule_host::CapsuleModule;
use tempfile::NamedTempFile;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::abi::{AbiVariant, WasmType};
use wit_parser::{Function, LiftLowerAbi, ManglingAndAbi, PackageId, Resolve, WorldId, WorldItem};

/// A guest of our world. Its exports do nothing and answer with nothing, except for those that a test gives a body.
///
/// Bodies may call every import as `$interface.function` with its flat parameters; they know their own parameters by
/// number. What the guest has to say can be put into memory with [`data`](Guest::data), at addresses from 4096 on;
/// 1024 to 4095 is scratch space, and 0 to 1023 stays zero.
#[derive(Default)]
pub(crate) struct Guest {
    bodies: BTreeMap<String, String>,
    fields: String,
}

impl Guest {
    /// Gives an export a body, by a name such as `lifecycle.session-started`.
    pub(crate) fn export(mut self, name: &str, body: &str) -> Guest {
        self.bodies.insert(name.into(), body.into());
        self
    }

    /// Puts bytes into memory.
    pub(crate) fn data(mut self, address: u32, bytes: &[u8]) -> Guest {
        let escaped: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
        writeln!(self.fields, "(data (i32.const {address}) \"{escaped}\")").unwrap();
        self
    }

    /// Adds something to the module: a function, a table.
    pub(crate) fn function(mut self, text: &str) -> Guest {
        writeln!(self.fields, "{text}").unwrap();
        self
    }

    /// Has the module do something before any of its exports is called.
    pub(crate) fn start(mut self, body: &str) -> Guest {
        writeln!(self.fields, "(func $start {body}) (start $start)").unwrap();
        self
    }

    /// The component.
    pub(crate) fn build(mut self) -> Vec<u8> {
        let (resolve, world) = our_world();
        let mut imports = String::new();
        let mut exports = String::new();
        for (interface, function) in functions(&resolve, &resolve.worlds[world].imports) {
            let ty = core_type(&resolve, AbiVariant::GuestImport, function);
            let (module, short) = (&interface, short_name(&interface));
            writeln!(imports, "(import {module:?} {:?} (func ${short}.{} {ty}))", function.name, function.name)
                .unwrap();
        }
        for (interface, function) in functions(&resolve, &resolve.worlds[world].exports) {
            let ty = core_type(&resolve, AbiVariant::GuestExport, function);
            let nothing = if ty.contains("result") { "i32.const 0" } else { "" };
            let body = self.bodies.remove(&format!("{}.{}", short_name(&interface), function.name));
            let body = body.as_deref().unwrap_or(nothing);
            writeln!(exports, "(func (export \"{interface}#{}\") {ty} {body})", function.name).unwrap();
        }
        assert!(self.bodies.is_empty(), "the world has no {:?}", self.bodies.keys());
        let text = format!(
            r#"(module
                {imports}
                (memory (export "memory") 16)
                (global $free (mut i32) (i32.const 65536))
                (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                    (global.set $free (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
                    (global.get $free)
                    (global.set $free (i32.add (global.get $free) (local.get 3))))
                {exports}
                {})"#,
            self.fields
        );
        encode(wat::parse_str(&text).expect("the bodies are valid"), &resolve, world)
    }
}

/// Makes the person be told the text of an error, if `$interface.function` has left one in scratch space: a
/// `result<_, variant>` whose cases carry a string.
pub(crate) const TELL_ERROR: &str = "
    (if (i32.load8_u (i32.const 1024)) (then
        (call $status.notify (i32.const 0) (i32.load (i32.const 1032)) (i32.load (i32.const 1036)) (i32.const 2048))))";

/// A component of another world.
pub(crate) fn of_another_world() -> Vec<u8> {
    let wit = "package acme:clocks@2.0.0; interface time { now: func() -> u64; } world w { import time; export time; }";
    let mut resolve = Resolve::default();
    let package = resolve.push_str("other.wit", wit).unwrap();
    dummy(&resolve, resolve.select_world(&[package], None).unwrap())
}

/// A component of our world, in another version.
pub(crate) fn of_version(version: &str) -> Vec<u8> {
    of_changed_world("pi:extension@0.1.0", &format!("pi:extension@{version}"))
}

/// A component of what our world would be if its WIT files said something else in one place.
pub(crate) fn of_changed_world(from: &str, to: &str) -> Vec<u8> {
    let mut files: Vec<_> = fs::read_dir(wit_folder()).unwrap().map(|file| file.unwrap().path()).collect();
    // In one text, the file that names the package has to come first.
    files.sort_by_key(|file| !file.ends_with("world.wit"));
    let texts: Vec<_> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let text = texts.join("\n");
    assert!(text.contains(from));
    let mut resolve = Resolve::default();
    let package = resolve.push_str("all.wit", &text.replacen(from, to, 1)).unwrap();
    dummy(&resolve, select(&resolve, package))
}

/// The core module that a component is made of.
pub(crate) fn core_module() -> Vec<u8> {
    wat::parse_str("(module)").unwrap()
}

/// This project's component, precompiled: each run of the command would compile it again.
pub(crate) fn precompiled_component() -> PathBuf {
    static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
        let code = shipped_module().precompiled().expect("native code");
        // Named by what is in it, so that each run finds the file of the one before, and none takes that of another build.
        let mut hasher = DefaultHasher::new();
        code.hash(&mut hasher);
        let name = format!("pi_capsule-{:016x}.cwasm", hasher.finish());
        let draft = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a place for temporary files");
        fs::write(&draft, code).expect("room for it");
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        draft.persist(&file).expect("a file in the same folder");
        file
    });
    FILE.clone()
}

/// This project's component, compiled once for all tests.
pub(crate) fn shipped_module() -> &'static CapsuleModule {
    static MODULE: LazyLock<CapsuleModule> = LazyLock::new(|| {
        CapsuleModule::compile(&fs::read(shipped_component()).unwrap()).expect("this project's component")
    });
    &MODULE
}

/// The component that this project ships. Built by `cargo xtask component`.
pub(crate) fn shipped_component() -> PathBuf {
    // Test programs are in the target folder, at a depth that depends on how they are built.
    let executable = std::env::current_exe().unwrap();
    let files = executable.ancestors().map(|folder| folder.join("component/pi_capsule.wasm"));
    files
        .into_iter()
        .find(|file| file.is_file())
        .expect("target/component/pi_capsule.wasm is missing: run `cargo xtask component`")
}

/// One of the stored sessions that both hosts are tested with.
pub(crate) fn session(name: &str) -> PathBuf {
    fixture("sessions").join(name).with_extension("jsonl")
}

/// Something that both hosts are tested with.
pub(crate) fn fixture(name: &str) -> PathBuf {
    crate_folder().join("../../tests/fixtures").join(name)
}

fn wit_folder() -> PathBuf {
    crate_folder().join("../../wit")
}

/// The folder of this crate. Not the one that this was compiled in: clones may share what is compiled.
fn crate_folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is").into()
}

fn our_world() -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(wit_folder()).unwrap();
    let world = select(&resolve, package);
    (resolve, world)
}

fn select(resolve: &Resolve, package: PackageId) -> WorldId {
    resolve.select_world(&[package], Some("extension")).unwrap()
}

fn dummy(resolve: &Resolve, world: WorldId) -> Vec<u8> {
    encode(dummy_module(resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync)), resolve, world)
}

fn encode(mut module: Vec<u8>, resolve: &Resolve, world: WorldId) -> Vec<u8> {
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8, false).unwrap();
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}

/// The functions of all interfaces on one side of the world, with the full names of their interfaces.
fn functions<'a>(
    resolve: &'a Resolve,
    items: impl IntoIterator<Item = (&'a wit_parser::WorldKey, &'a WorldItem)>,
) -> Vec<(String, &'a Function)> {
    let mut functions = Vec::new();
    for (key, item) in items {
        if let WorldItem::Interface { id, .. } = item {
            let name = resolve.name_world_key(key);
            functions.extend(resolve.interfaces[*id].functions.values().map(|function| (name.clone(), function)));
        }
    }
    functions
}

fn short_name(interface: &str) -> &str {
    interface.split(['/', '@']).nth(1).unwrap()
}

fn core_type(resolve: &Resolve, side: AbiVariant, function: &Function) -> String {
    let signature = resolve.wasm_signature(side, function);
    let list = |what: &str, types: &[WasmType]| match types {
        [] => String::new(),
        types => format!("({what} {})", types.iter().map(core_name).collect::<Vec<_>>().join(" ")),
    };
    format!("{} {}", list("param", &signature.params), list("result", &signature.results))
}

fn core_name(ty: &WasmType) -> &'static str {
    match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => "i32",
        WasmType::I64 | WasmType::PointerOrI64 => "i64",
        WasmType::F32 => "f32",
        WasmType::F64 => "f64",
    }
}
