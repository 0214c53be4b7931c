//! From bytes to a component that fits: [`CapsuleModule`], and what can be wrong with one, [`LoadError`].
//!
//! Whether a file holds a component of this world is decided before any of it runs.

use semver::Version;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Engine, Store};

use crate::bindings::{Extension, ExtensionPre};
use crate::engine;
use crate::host::Host;
use crate::policy::Policy;
use crate::state::State;

/// The WIT package, as it stands in the names of imports and exports.
const PACKAGE: &str = "pi:extension";

/// The version of the package that this host implements.
pub const WORLD_VERSION: &str = "0.1.0";

/// The interfaces that this host offers.
const IMPORTS: [&str; 8] =
    ["agent", "clock", "random", "session-reader", "session-writer", "settings", "status", "subprocess"];

/// The interfaces that a guest must have.
const EXPORTS: [&str; 5] = ["commands", "completions", "lifecycle", "tool-observer", "tools"];

/// Why a component cannot be used. None of these names the file it came from: whoever read it knows.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No component can be run by this process.
    #[error("this machine runs no components now: {0}")]
    NoEngine(String),

    /// The bytes are something else, or nothing.
    #[error("this is not WebAssembly")]
    NotWebAssembly,

    /// A module without the types of a component. Compilers make those; one more step is missing.
    #[error(
        "this is a core WebAssembly module, not a component; make one of it, for example with `wasm-tools component new`"
    )]
    CoreModule,

    /// It begins as a component does, but is damaged or needs what this host does not support.
    #[error("this is not a valid component: {0}")]
    Invalid(String),

    /// It was precompiled for another machine, by another version of this crate, or is damaged.
    #[error("this was not precompiled by this program on such a machine; precompile the component again: {0}")]
    OtherEngine(String),

    /// It was built for an incompatible version of the world.
    #[error(
        "this component was made for {PACKAGE}@{theirs}, but this host implements {PACKAGE}@{ours}; use versions of both that match"
    )]
    OtherVersion {
        /// The version in the names of the component's imports and exports.
        theirs: String,
        /// [`WORLD_VERSION`].
        ours: String,
    },

    /// It targets another world.
    #[error("this component is not for the world {PACKAGE}/extension: it {}", describe(.unknown, .missing))]
    OtherWorld {
        /// What it imports and this host does not offer.
        unknown: Vec<String>,
        /// What it would have to export.
        missing: Vec<String>,
    },

    /// The names fit, the types do not.
    #[error("this component does not fit {PACKAGE}@{WORLD_VERSION}: {0}")]
    OtherTypes(String),

    /// It fits, but broke before it could be asked anything, or needs too much memory to begin with.
    #[error("this component cannot be started: {0}")]
    CannotStart(String),
}

/// A component that is checked and compiled, ready to be instantiated any number of times.
#[derive(Clone)]
pub struct CapsuleModule {
    component: Component,
}

impl CapsuleModule {
    /// Checks and compiles the bytes of a `.wasm` file. Takes far longer than to instantiate the result.
    pub fn compile(bytes: &[u8]) -> Result<CapsuleModule, LoadError> {
        check_kind(bytes)?;
        let component = Component::from_binary(engine()?, bytes).map_err(|error| LoadError::Invalid(reason(&error)))?;
        check_world(&component)?;
        Ok(CapsuleModule { component })
    }

    /// The compiled component as bytes, by convention those of a `.cwasm` file: native code of this machine, which this version
    /// of the crate loads in a fraction of the time that it takes to compile.
    pub fn precompiled(&self) -> Result<Vec<u8>, LoadError> {
        self.component.serialize().map_err(|error| LoadError::OtherEngine(reason(&error)))
    }

    /// Whether bytes look like what [`CapsuleModule::precompiled`] makes, whole or not: an object file.
    pub fn is_precompiled(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\x7fELF")
    }

    /// Loads what [`CapsuleModule::precompiled`] has made, and checks that it is of this machine, this version of the crate and
    /// this world.
    ///
    /// # Safety
    ///
    /// The bytes are native code, which runs outside of every sandbox. They have to come from
    /// [`CapsuleModule::precompiled`] and to have been kept where nobody could change them: what is checked finds accidents,
    /// and no malice.
    pub unsafe fn from_precompiled(bytes: &[u8]) -> Result<CapsuleModule, LoadError> {
        // SAFETY: as promised by the caller.
        let component = unsafe { Component::deserialize(engine()?, bytes) }
            .map_err(|error| LoadError::OtherEngine(reason(&error)))?;
        check_world(&component)?;
        Ok(CapsuleModule { component })
    }

    /// A new instance in a store of its own. Code of the component may run here for the first time.
    pub(crate) fn instantiate<H: Host>(&self, state: State<H>) -> Result<(Store<State<H>>, Extension), LoadError> {
        let extension = self.link().map_err(|error| LoadError::OtherTypes(reason(&error)))?;
        let mut store = Store::new(self.component.engine(), state);
        store.limiter(|state| &mut state.limits);
        store.set_epoch_deadline(engine::ticks(Policy::shared().guest_limits().call));
        let extension = extension.instantiate(&mut store).map_err(|error| LoadError::CannotStart(reason(&error)))?;
        Ok((store, extension))
    }

    fn link<H: Host>(&self) -> wasmtime::Result<ExtensionPre<State<H>>> {
        let mut linker = Linker::new(self.component.engine());
        Extension::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state)?;
        ExtensionPre::new(linker.instantiate_pre(&self.component)?)
    }
}

fn engine() -> Result<&'static Engine, LoadError> {
    engine::shared().map_err(LoadError::NoEngine)
}

/// What WebAssembly files begin with: a magic number, a version, and a layer (0 for modules, 1 for components).
fn check_kind(bytes: &[u8]) -> Result<(), LoadError> {
    match bytes {
        [b'\0', b'a', b's', b'm', _, _, 0, 0, ..] => Err(LoadError::CoreModule),
        [b'\0', b'a', b's', b'm', ..] => Ok(()),
        _ => Err(LoadError::NotWebAssembly),
    }
}

/// Whether the interfaces fit by name: first the version, which explains most of what else would not fit.
fn check_world(component: &Component) -> Result<(), LoadError> {
    let engine = component.engine();
    let ty = component.component_type();
    let imports: Vec<&str> = ty.imports(engine).map(|(name, _)| name).collect();
    let exports: Vec<&str> = ty.exports(engine).map(|(name, _)| name).collect();

    #[expect(clippy::expect_used, reason = "a constant, which a test parses")]
    let ours = Version::parse(WORLD_VERSION).expect("a version");
    let versions = imports.iter().chain(&exports).filter_map(|name| version_of(name));
    if let Some(theirs) = versions.into_iter().find(|theirs| !compatible(theirs, &ours)) {
        return Err(LoadError::OtherVersion { theirs: theirs.to_string(), ours: ours.to_string() });
    }

    let is_offered = |name: &&str| interface_of(name).is_some_and(|interface| IMPORTS.contains(&interface));
    let unknown: Vec<String> = imports.into_iter().filter(|name| !is_offered(name)).map(String::from).collect();
    let has = |interface: &str| exports.iter().any(|name| interface_of(name) == Some(interface));
    let missing: Vec<String> =
        EXPORTS.into_iter().filter(|interface| !has(interface)).map(|name| format!("{PACKAGE}/{name}")).collect();
    if unknown.is_empty() && missing.is_empty() { Ok(()) } else { Err(LoadError::OtherWorld { unknown, missing }) }
}

/// The interface in a name such as `pi:extension/clock@0.1.0`, if it is one of the package.
fn interface_of(name: &str) -> Option<&str> {
    let (package, interface) = name.split_once('/')?;
    (package == PACKAGE).then(|| interface.split('@').next().unwrap_or(interface))
}

/// The version in such a name.
fn version_of(name: &str) -> Option<Version> {
    interface_of(name)?;
    Version::parse(name.split_once('@')?.1).ok()
}

/// Whether two versions promise the same: up to the first number that is not zero, as component tools compare them.
fn compatible(a: &Version, b: &Version) -> bool {
    let promise = |version: &Version| match version {
        Version { major: 0, minor: 0, patch, .. } => (0, 0, *patch),
        Version { major: 0, minor, .. } => (0, *minor, 0),
        Version { major, .. } => (*major, 0, 0),
    };
    promise(a) == promise(b)
}

fn describe(unknown: &[String], missing: &[String]) -> String {
    let part = |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
    let parts = [part("imports", unknown), part("does not export", missing)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// The innermost cause, which is the one that names what is wrong, on one line.
fn reason(error: &wasmtime::Error) -> String {
    crate::text::plain_line(&error.root_cause().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(interface_of("pi:extension/clock@0.1.0"), Some("clock"));
        assert_eq!(interface_of("pi:extension/clock"), Some("clock"));
        assert_eq!(interface_of("wasi:clocks/monotonic-clock@0.2.0"), None);
        assert_eq!(version_of("pi:extension/clock@0.2.3"), Some(Version::new(0, 2, 3)));
        assert_eq!(version_of("wasi:io/poll@9.0.0"), None);
    }

    #[test]
    fn versions_are_compatible_within_a_promise() {
        let compatible = |a, b| super::compatible(&Version::parse(a).unwrap(), &Version::parse(b).unwrap());
        assert!(compatible("0.1.0", "0.1.7"));
        assert!(!compatible("0.1.0", "0.2.0"));
        assert!(!compatible("0.0.1", "0.0.2"));
        assert!(compatible("1.0.0", "1.4.0"));
        assert!(!compatible("1.0.0", "0.1.0"));
    }

    #[test]
    fn the_lists_are_those_of_the_wit_files() {
        use wit_parser::{Resolve, WorldItem, WorldKey};

        let mut resolve = Resolve::default();
        let (package, _) = resolve
            .push_path(std::path::Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../wit"))
            .unwrap();
        assert_eq!(resolve.packages[package].name.to_string(), format!("{PACKAGE}@{WORLD_VERSION}"));
        let world = &resolve.worlds[resolve.select_world(&[package], Some("extension")).unwrap()];
        let names = |items: &mut dyn Iterator<Item = (&WorldKey, &WorldItem)>| {
            let mut names: Vec<_> = items.map(|(key, _)| resolve.name_world_key(key)).collect();
            names.sort();
            names
        };
        let full = |interface: &&str| format!("{PACKAGE}/{interface}@{WORLD_VERSION}");
        assert_eq!(names(&mut world.imports.iter()), IMPORTS.iter().map(full).collect::<Vec<_>>());
        assert_eq!(names(&mut world.exports.iter()), EXPORTS.iter().map(full).collect::<Vec<_>>());
    }
}
