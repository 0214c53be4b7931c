//! Whether `docs/dependencies.md` says what the manifests and lock files say.
//!
//! The page is the list of what is allowed: in the tables and lists below its headings, the words in backticks of the first
//! column. Nothing is looked up anywhere; what has been found wrong with a version is for others to tell.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use spdx::{Expression, ParseMode};

use crate::metadata::cargo_metadata;

/// How Cargo writes that a crate is from crates.io, wherever it was downloaded.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

const WORKSPACES: [&str; 3] = [".", "examples/template", "fuzz"];
const NPM_PACKAGES: [&str; 3] = ["host-adapter/pi", "host-adapter/pi/harness/oldest-node", "host-adapter/web"];

/// Compares all of it.
///
/// # Errors
///
/// Says everything that does not fit, each on a line.
pub(crate) fn check(root: &Path) -> Result<()> {
    let page = Page::read(root)?;
    let mut faults = Vec::new();
    let mut crates = BTreeSet::new();
    for folder in WORKSPACES {
        let metadata = cargo_metadata(&root.join(folder), &["--locked"])?;
        crates.append(&mut direct_crates(&metadata));
        faults.append(&mut crate_faults(&page, &metadata));
    }
    faults.append(&mut differences("Rust", &page.section("Rust"), &crates));
    let mut packages = BTreeSet::new();
    for folder in NPM_PACKAGES {
        let NpmPackage { manifest, lock } = NpmPackage::read(&root.join(folder))?;
        packages.append(&mut direct_packages(&manifest));
        faults.append(&mut npm_faults(&page, &lock));
    }
    faults.append(&mut differences("npm", &page.section("npm"), &packages));
    ensure!(faults.is_empty(), "docs/dependencies.md does not fit:\n{}", faults.join("\n"));
    Ok(())
}

/// The words in backticks, by heading.
struct Page(BTreeMap<String, BTreeSet<String>>);

impl Page {
    fn read(root: &Path) -> Result<Self> {
        let path = root.join("docs/dependencies.md");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut heading = String::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                heading = title.to_owned();
            }
            let first = line.strip_prefix("| ").and_then(|row| row.split('|').next()).or(line.strip_prefix("- "));
            let words = first.unwrap_or_default().split('`').skip(1).step_by(2).map(str::to_owned);
            sections.entry(heading.clone()).or_default().extend(words);
        }
        Self(sections)
    }

    fn section(&self, heading: &str) -> BTreeSet<String> {
        self.0.get(heading).cloned().unwrap_or_default()
    }

    /// Whether a licence can be met with those of the page. Reads what is not quite SPDX, too.
    fn allows(&self, licence: &str) -> bool {
        let allowed = self.section("Licences");
        let licence = licence.replace(" / ", "/");
        Expression::parse_mode(&licence, ParseMode::LAX)
            .is_ok_and(|expression| expression.evaluate(|requirement| allowed.contains(&requirement.to_string())))
    }
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// What the members of a workspace depend on, except for each other.
fn direct_crates(metadata: &Value) -> BTreeSet<String> {
    // Only crates of the project have no source.
    let members = packages(metadata).filter(|package| package["source"].is_null());
    let dependencies = members.flat_map(|member| member["dependencies"].as_array().into_iter().flatten());
    dependencies
        .filter(|dependency| dependency["path"].is_null())
        .map(|dependency| text(dependency, "name").to_owned())
        .collect()
}

/// What is wrong with licences, sources and versions of all crates of a workspace.
fn crate_faults(page: &Page, metadata: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages(metadata).filter(|package| !package["source"].is_null()) {
        let (name, version, licence) = (text(package, "name"), text(package, "version"), text(package, "license"));
        versions.entry(name).or_default().push(version);
        if text(package, "source") != CRATES_IO {
            faults.push(format!("{name} {version} is not from crates.io"));
        }
        if !page.allows(licence) {
            faults.push(format!("{name} {version} has the licence {licence:?}, which is not listed"));
        }
    }
    let explained = page.section("More than one version");
    for (name, versions) in versions.iter().filter(|(name, versions)| versions.len() > 1 && !explained.contains(**name))
    {
        faults.push(format!("{name} is there more than once, without a reason: {}", versions.join(", ")));
    }
    faults
}

/// A folder with packages from npm.
struct NpmPackage {
    manifest: Value,
    lock: Value,
}

impl NpmPackage {
    fn read(folder: &Path) -> Result<Self> {
        let read = |name: &str| -> Result<Value> {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            serde_json::from_str(&text).with_context(|| path.display().to_string())
        };
        Ok(Self { manifest: read("package.json")?, lock: read("package-lock.json")? })
    }
}

/// The packages that a manifest names.
fn direct_packages(manifest: &Value) -> BTreeSet<String> {
    ["dependencies", "devDependencies", "peerDependencies"]
        .iter()
        .flat_map(|kind| manifest[kind].as_object().into_iter().flatten().map(|(name, _)| name.clone()))
        .collect()
}

fn npm_faults(page: &Page, lock: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let explained = page.section("Install scripts");
    for (path, package) in lock["packages"].as_object().into_iter().flatten().filter(|(path, _)| !path.is_empty()) {
        let name = path.rsplit_once("node_modules/").map_or(path.as_str(), |(_, name)| name);
        if !page.allows(text(package, "license")) {
            faults.push(format!("{name} has the licence {:?}, which is not listed", text(package, "license")));
        }
        if !package["resolved"].is_null() {
            faults.push(format!("{name} names a place to download from: {}", package["resolved"]));
        }
        if package["hasInstallScript"] == true && !explained.contains(name) {
            faults.push(format!("{name} has an install script, without a word about it"));
        }
    }
    faults
}

fn differences(heading: &str, listed: &BTreeSet<String>, used: &BTreeSet<String>) -> Vec<String> {
    let missing = used.difference(listed).map(|name| format!("{name} is used and not listed under {heading}"));
    let idle = listed.difference(used).map(|name| format!("{name} is listed under {heading} and not used"));
    missing.chain(idle).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page() -> Page {
        Page::parse(
            "## Rust\n| crate | why |\n| --- | --- |\n| `a`, `b` | because of `c` |\n## Licences\n- `MIT`\n\
             - `Apache-2.0 WITH LLVM-exception`\n## More than one version\n| `twice` | why |\n",
        )
    }

    #[test]
    fn a_page_lists_what_is_in_the_first_column() {
        assert_eq!(page().section("Rust"), BTreeSet::from(["a".into(), "b".into()]));
        assert_eq!(page().section("npm"), BTreeSet::new());
    }

    #[test]
    fn a_licence_has_to_be_one_of_the_page() {
        for licence in
            ["MIT", "MIT OR GPL-3.0-only", "MIT/Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Apache-2.0 / MIT"]
        {
            assert!(page().allows(licence), "{licence}");
        }
        for licence in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0", "nonsense"] {
            assert!(!page().allows(licence), "{licence}");
        }
    }

    #[test]
    fn what_is_wrong_with_crates_is_said() {
        let package = |name: &str, version: &str, licence: &str, source: &str| json!({"name": name, "version": version, "license": licence, "source": source});
        let metadata = json!({"packages": [
            package("twice", "1.0.0", "MIT", CRATES_IO),
            package("twice", "2.0.0", "MIT", CRATES_IO),
            package("also", "1.0.0", "MIT", CRATES_IO),
            package("also", "2.0.0", "GPL-3.0-only", "git+https://example.org/also"),
        ]});
        assert_eq!(
            crate_faults(&page(), &metadata),
            [
                "also 2.0.0 is not from crates.io",
                "also 2.0.0 has the licence \"GPL-3.0-only\", which is not listed",
                "also is there more than once, without a reason: 1.0.0, 2.0.0",
            ]
        );
    }

    #[test]
    fn what_is_used_and_what_is_listed_are_the_same() {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(
            differences("npm", &set(&["a", "b"]), &set(&["b", "c"])),
            ["c is used and not listed under npm", "a is listed under npm and not used"]
        );
    }
}
