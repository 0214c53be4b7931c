//! The rules of `docs/architecture.md` that can be checked by reading the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Which modules of the guest a module may name. What is not listed may name nothing.
const MAY_USE: [(&str, &[&str]); 8] = [
    ("component", &["extension", "host", "reset", "tools"]),
    ("extension", &["footer", "host", "reset", "session", "tools"]),
    ("tools", &["host", "reset", "session", "text"]),
    ("footer", &["host", "session"]),
    ("reset", &["host", "session", "text"]),
    ("session", &["host"]),
    ("host", &[]),
    ("text", &[]),
];

/// What only reads must not be able to do.
const EFFECTS: [&str; 9] = [
    "append(",
    "start_process(",
    "cancel_process(",
    "set_status(",
    "notify(",
    "send_message(",
    "compact(",
    "start_timer(",
    "cancel_timer(",
];

/// The folder of the project. Not the one that this was compiled in: clones may share what is compiled.
pub(crate) fn root() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the project is").into()
}

/// Every Rust file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The top-level module that a file belongs to.
fn module_of(file: &Path) -> String {
    let relative = file.strip_prefix(root().join("src")).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// The top-level modules that a source text names with `crate::`.
fn named_modules(source: &str) -> BTreeSet<&str> {
    source
        .split("crate::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap())
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn dependencies_of_the_guest_point_one_way() {
    let mut seen = BTreeSet::new();
    for file in sources(&root().join("src")) {
        let module = module_of(&file);
        if module == "lib" {
            continue;
        }
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{module} is a new module: say in MAY_USE what it may use"));
        let source = fs::read_to_string(&file).unwrap();
        for named in named_modules(&source) {
            assert!(named == module || allowed.contains(&named), "{} uses crate::{named}", file.display());
        }
        seen.insert(module);
    }
    assert_eq!(seen.len(), MAY_USE.len(), "MAY_USE lists a module that is gone: {seen:?}");
}

#[test]
fn only_the_component_knows_the_bindings() {
    for file in sources(&root().join("src")) {
        let source = fs::read_to_string(&file).unwrap();
        assert_eq!(source.contains("wit_bindgen::"), module_of(&file) == "component", "{}", file.display());
    }
}

#[test]
fn projections_have_no_effects() {
    for file in sources(&root().join("src/session")) {
        let source = fs::read_to_string(&file).unwrap();
        for effect in EFFECTS {
            assert!(!source.contains(&format!("host.{effect}")), "{} calls {effect}", file.display());
        }
    }
}

#[test]
fn the_guest_reaches_nothing_but_its_host() {
    for file in sources(&root().join("src")) {
        let source = fs::read_to_string(&file).unwrap();
        for outside in ["std::fs", "std::env", "std::net", "std::process", "std::thread", "std::time"] {
            assert!(!source.contains(outside), "{} names {outside}", file.display());
        }
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for folder in ["src", "xtask/src", "host-adapter/rust/src", "tests"] {
        for file in sources(&root().join(folder)) {
            let source = fs::read_to_string(&file).unwrap();
            assert!(source.starts_with("//! "), "{} does not begin with `//!` docs", file.display());
        }
    }
}

/// A claim without a test is a hope.
#[test]
fn every_test_that_the_security_page_names_is_there() {
    let page = fs::read_to_string(root().join("SECURITY.md")).unwrap().replace('\n', " ");
    let named: Vec<(&str, &str)> =
        page.split("[`").skip(1).filter_map(|rest| rest.split_once("`]")?.0.split_once("`: `")).collect();
    assert!(named.len() > 25, "only {} are named", named.len());
    for (file, name) in named {
        let text = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(text.contains(name.trim()), "{file} has no test {name:?}");
    }
}
