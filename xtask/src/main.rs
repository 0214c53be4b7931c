//! Tasks of this workspace that need Rust. Everything a person runs is a recipe in `justfile`; this is what they call.
//!
//! `cargo xtask component` compiles the guest for `wasm32-unknown-unknown`, turns the core module into a component and
//! prints the path of the file on the last line of standard output; with a folder it does so for the crate there.
//! `cargo xtask clippy` checks the guest and the examples for that target.
//! `cargo xtask reference` writes the reference of the world. `cargo xtask dependencies` checks what is written of them.
//! `cargo xtask world FILE` prints the world that a component was made for.

mod dependencies;
mod metadata;
mod reference;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use wit_component::{ComponentEncoder, WitPrinter};

use crate::metadata::cargo_metadata;

const TARGET: &str = "wasm32-unknown-unknown";
/// The profile for guests of this workspace. A project of its own has its say in `release`.
const PROFILE: &str = "guest";
const USAGE: &str = "usage: cargo xtask component [FOLDER] | clippy | dependencies | reference | world FILE";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["component", ref folder @ ..] if folder.len() <= 1 => Workspace::find()
            .and_then(|workspace| component(&workspace, folder.first().map_or(&workspace.root, Path::new)))
            .map(|path| println!("{}", path.display())),
        ["world", file] => world(Path::new(file)).map(|text| print!("{text}")),
        ["clippy"] => Workspace::find().and_then(|workspace| workspace.check_guests()),
        ["dependencies"] => Workspace::find().and_then(|workspace| dependencies::check(&workspace.root)),
        ["reference"] => Workspace::find()
            .and_then(|workspace| reference::write(&workspace.root))
            .map(|path| println!("{}", path.display())),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Makes a component of the crate in a folder and returns where it is.
fn component(workspace: &Workspace, folder: &Path) -> Result<PathBuf> {
    let guest = Guest::find(workspace, folder)?;
    let module_path = guest.compile(workspace)?;
    let module = fs::read(&module_path).with_context(|| format!("cannot read {}", module_path.display()))?;
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|encoder| encoder.encode())
        .context("cannot make a component of the compiled guest")?;

    let directory = guest.target.join("component");
    fs::create_dir_all(&directory)?;
    let path = directory.join(module_path.file_name().context("a module has a name")?);
    // Rewritten only when it differs, so that what is built from it is not built again for nothing.
    if fs::read(&path).is_ok_and(|old| old == component) {
        return Ok(path);
    }
    fs::write(&path, &component).with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!("component: {} bytes (core module: {} bytes)", component.len(), module.len());
    Ok(path)
}

/// The world of a component, as WIT.
fn world(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let decoded = wit_component::decode(&bytes).with_context(|| format!("{} is no component", file.display()))?;
    let mut printer = WitPrinter::default();
    printer.print(decoded.resolve(), decoded.package(), &[])?;
    Ok(printer.output.to_string())
}

/// The crates of this project that are made for a host's sandbox, by their folders.
const GUESTS: [&str; 4] = [".", "examples/todo", "examples/template", "tests/conformance/probe"];

/// Where the project is.
struct Workspace {
    root: PathBuf,
}

impl Workspace {
    fn find() -> Result<Self> {
        // Not the folder that this was compiled in: clones may share what is compiled.
        let here = env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
        let metadata = metadata(Path::new(&here))?;
        Ok(Self { root: path_in(&metadata, "workspace_root")? })
    }

    /// Checks the guests, including what exists only on their own target.
    fn check_guests(&self) -> Result<()> {
        for folder in GUESTS {
            Guest::find(self, &self.root.join(folder))?.run(self, "clippy", &["--", "-D", "warnings"])?;
        }
        Ok(())
    }
}

/// A crate that becomes a component.
struct Guest {
    package: String,
    /// What its module is called.
    library: String,
    profile: &'static str,
    /// Where its manifest is.
    folder: PathBuf,
    /// Where cargo builds it.
    target: PathBuf,
}

impl Guest {
    fn find(workspace: &Workspace, folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| format!("there is no folder {}", folder.display()))?;
        let metadata = metadata(&folder)?;
        let manifest = folder.join("Cargo.toml");
        let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
        let package = packages
            .iter()
            .find(|package| package["manifest_path"].as_str().is_some_and(|path| Path::new(path) == manifest))
            .with_context(|| format!("{} is no crate", folder.display()))?;
        let library = package["targets"]
            .as_array()
            .and_then(|targets| targets.iter().find(|target| has_kind(target, "cdylib")))
            .with_context(|| format!("{} has no library of the kind cdylib", manifest.display()))?;
        let name = |value: &serde_json::Value| value["name"].as_str().map(str::to_owned).context("a nameless target");
        let is_ours = path_in(&metadata, "workspace_root")? == workspace.root;
        Ok(Self {
            package: name(package)?,
            library: name(library)?,
            profile: if is_ours { PROFILE } else { "release" },
            target: path_in(&metadata, "target_directory")?,
            folder,
        })
    }

    /// Compiles it and returns the path of the core module.
    fn compile(&self, workspace: &Workspace) -> Result<PathBuf> {
        self.run(workspace, "build", &[])?;
        let module = format!("{}.wasm", self.library.replace('-', "_"));
        Ok(self.target.join(TARGET).join(self.profile).join(module))
    }

    fn run(&self, workspace: &Workspace, command: &str, more: &[&str]) -> Result<()> {
        let status = Toolchain::chosen(&workspace.root)?
            .cargo()
            .args(without_own_paths(&workspace.root)?)
            .args([command, &format!("--package={}", self.package), "--lib"])
            .args([format!("--target={TARGET}"), format!("--profile={}", self.profile)])
            .args(more)
            .current_dir(&self.folder)
            .status()
            .with_context(|| format!("cannot run cargo {command}"))?;
        if !status.success() {
            bail!(
                "cargo {command} failed for {}; when the target {TARGET} is missing, `./just setup` brings it",
                self.package
            );
        }
        Ok(())
    }
}

/// Options of cargo by which a panic names a source file of a dependency without saying where this machine keeps it: the same
/// sources become the same component everywhere, and nobody is told whose machine it was.
fn without_own_paths(root: &Path) -> Result<Vec<String>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let registries = home.context("there is no home directory")?.join("registry/src");
    let mut places: Vec<PathBuf> =
        fs::read_dir(&registries).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    places.push(root.to_owned());
    let flags: Vec<String> = places
        .iter()
        .map(|place| serde_json::to_string(&format!("--remap-path-prefix={}=", place.display())))
        .collect::<Result<_, _>>()?;
    // Cargo puts these to those of .cargo/config.toml.
    Ok(vec!["--config".into(), format!("target.{TARGET}.rustflags=[{}]", flags.join(","))])
}

fn has_kind(target: &serde_json::Value, kind: &str) -> bool {
    target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

fn path_in(metadata: &serde_json::Value, key: &str) -> Result<PathBuf> {
    metadata[key].as_str().map(PathBuf::from).with_context(|| format!("cargo metadata has no {key}"))
}

/// The crates around a folder, without what they depend on.
fn metadata(folder: &Path) -> Result<serde_json::Value> {
    cargo_metadata(folder, &["--no-deps", "--offline"])
}

/// What compiles the guest. `./just setup` finds out and writes it down.
enum Toolchain {
    /// The cargo that runs this, with the target in its sysroot.
    Ambient,
    /// Debian's compiler, which has no such target, but builds the standard library from its own source.
    DebianBuildStd,
}

impl Toolchain {
    fn chosen(root: &Path) -> Result<Self> {
        let path = root.join(".tools/wasm-toolchain");
        match fs::read_to_string(&path).as_deref().map(str::trim) {
            Err(_) | Ok("system") => Ok(Self::Ambient),
            Ok("debian-build-std") => Ok(Self::DebianBuildStd),
            Ok(other) => bail!("{} says {other:?}, which means nothing; run `./just setup`", path.display()),
        }
    }

    fn cargo(&self) -> Command {
        match self {
            Self::Ambient => Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into())),
            Self::DebianBuildStd => {
                let mut cargo = Command::new("/usr/bin/cargo");
                // First in PATH, because a cargo finds its clippy there.
                let path = env::var_os("PATH").unwrap_or_default();
                let path = env::join_paths([PathBuf::from("/usr/bin")].into_iter().chain(env::split_paths(&path)));
                cargo
                    .env("PATH", path.unwrap_or_default())
                    .env("RUSTC", "/usr/bin/rustc")
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort");
                // Set by the cargo that runs this, and wrong for another one.
                for inherited in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER"] {
                    cargo.env_remove(inherited);
                }
                cargo
            }
        }
    }
}
