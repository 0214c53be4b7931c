//! Which component to run, and running it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::{Context, anyhow};
use clap::Args;
use pi_capsule_host::{Capsule, CapsuleModule, LoadError, LocalHost};

const FILE: &str = "pi_capsule.wasm";

const HINT: &str = "build one with `cargo xtask component`, or name another with --component";

const VARIABLE: &str = "PI_CAPSULE_COMPONENT";

#[derive(Args)]
pub(crate) struct ComponentArgs {
    /// The component to run
    ///
    /// By default the one that the variable PI_CAPSULE_COMPONENT names, then pi_capsule.wasm beside this program, then
    /// the one that `cargo xtask component` has built. A file that `pi-capsule precompile` has made starts at once; it is
    /// native code, so take none from anybody else.
    #[arg(long, value_name = "FILE")]
    component: Option<PathBuf>,
}

/// A component with the name of its file, which every complaint about it begins with.
pub(crate) struct Component {
    pub(crate) path: PathBuf,
    module: CapsuleModule,
}

impl ComponentArgs {
    pub(crate) fn load(self) -> anyhow::Result<Component> {
        let from_variable = || env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let path = self.component.or_else(from_variable).or_else(find).with_context(|| {
            format!(
                "there is no component: build it with `cargo xtask component`, or name a file with --component or \
                 {VARIABLE}"
            )
        })?;
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!("{}: there is no such file; {HINT}", path.display()),
            io::ErrorKind::IsADirectory => anyhow!("{}: this is a directory, not a component; {HINT}", path.display()),
            _ => anyhow!("{}: it cannot be read: {error}", path.display()),
        })?;
        let module = if CapsuleModule::is_precompiled(&bytes) {
            // SAFETY: the person has named a file that only they should be able to write, and was told what is in it.
            unsafe { CapsuleModule::from_precompiled(&bytes) }
        } else {
            CapsuleModule::compile(&bytes)
        };
        match module {
            Ok(module) => Ok(Component { path, module }),
            // These say themselves what to do.
            Err(error @ (LoadError::CoreModule | LoadError::OtherVersion { .. } | LoadError::OtherEngine { .. })) => {
                Err(anyhow!("{}: {error}", path.display()))
            }
            Err(error) => Err(anyhow!("{}: {error}; {HINT}", path.display())),
        }
    }
}

impl Component {
    pub(crate) fn precompiled(&self) -> anyhow::Result<Vec<u8>> {
        self.checked(self.module.precompiled())
    }

    pub(crate) fn run(&self, host: LocalHost) -> anyhow::Result<Capsule<LocalHost>> {
        self.checked(Capsule::instantiate(&self.module, host))
    }

    /// Names the file in front of what went wrong with it.
    pub(crate) fn checked<T, E>(&self, result: Result<T, E>) -> anyhow::Result<T>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        result.with_context(|| self.path.display().to_string())
    }
}

/// The component beside this program, or where this project builds it: `component` beside the program's folder.
fn find() -> Option<PathBuf> {
    let executable = env::current_exe().ok()?;
    let folder = executable.parent()?;
    let beside = folder.join(FILE);
    let built = folder.parent().map(|target| target.join("component").join(FILE));
    [Some(beside), built].into_iter().flatten().find(|path: &PathBuf| Path::is_file(path))
}
