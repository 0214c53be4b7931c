//! Tasks of this workspace that need Rust. Everything a person runs is a recipe in `justfile`; this is what they call.
//!
//! `cargo xtask component` compiles the guest for `wasm32-unknown-unknown`, turns the core module into a component and
//! prints the path of the file on the last line of standard output. `cargo xtask clippy` checks the guest for that target.
//! `cargo xtask reference` writes the reference of the world. `cargo xtask dependencies` checks what is written of them.
//! `cargo xtask world FILE` prints the world that a component was made for.

mod dependencies;
mod reference;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use wit_component::{ComponentEncoder, WitPrinter};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "guest";
const USAGE: &str = "usage: cargo xtask component | clippy | dependencies | reference | world FILE";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["component"] => component().map(|path| println!("{}", path.display())),
        ["world", file] => world(Path::new(file)).map(|text| print!("{text}")),
        ["clippy"] => Workspace::find().and_then(|workspace| workspace.check_guest()),
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

/// Builds the component and returns where it is.
fn component() -> Result<PathBuf> {
    let workspace = Workspace::find()?;
    let module_path = workspace.compile_guest()?;
    let module =
        fs::read(&module_path).with_context(|| format!("cannot read the compiled guest {}", module_path.display()))?;
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|encoder| encoder.encode())
        .context("cannot make a component of the compiled guest")?;

    let directory = workspace.target.join("component");
    fs::create_dir_all(&directory)?;
    let path = directory.join("pi_capsule.wasm");
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

/// Where the project is, and where cargo builds it.
struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    fn find() -> Result<Self> {
        // Not the folder that this was compiled in: clones may share what is compiled.
        let here = env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
            .current_dir(here)
            .output()
            .context("cannot run cargo metadata")?;
        ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let path = |key: &str| {
            metadata[key].as_str().map(PathBuf::from).with_context(|| format!("cargo metadata has no {key}"))
        };
        Ok(Self { root: path("workspace_root")?, target: path("target_directory")? })
    }

    /// Compiles the guest and returns the path of the core module.
    fn compile_guest(&self) -> Result<PathBuf> {
        self.run_on_guest("build", &[])?;
        Ok(self.target.join(TARGET).join(PROFILE).join("pi_capsule.wasm"))
    }

    /// Checks the guest, including what exists only on its own target.
    fn check_guest(&self) -> Result<()> {
        self.run_on_guest("clippy", &["--", "-D", "warnings"])
    }

    fn run_on_guest(&self, command: &str, more: &[&str]) -> Result<()> {
        let status = Toolchain::chosen(&self.root)?
            .cargo()
            .args([command, "--package=pi-capsule", "--lib"])
            .args([format!("--target={TARGET}"), format!("--profile={PROFILE}")])
            .args(more)
            .current_dir(&self.root)
            .status()
            .with_context(|| format!("cannot run cargo {command}"))?;
        if !status.success() {
            bail!(
                "cargo {command} failed for the guest; when the target {TARGET} is missing, `./just setup` brings it"
            );
        }
        Ok(())
    }
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
