//! `precompile`: the work of starting a component, done once.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use pi_capsule_host::text::plain_line;

use crate::component::ComponentArgs;
use crate::output;

/// Compile the component for this machine, so that it starts at once
///
/// The other commands take the file with --component. It holds native code, and only the same version of this program on a
/// machine of the same kind loads it.
#[derive(Args)]
pub(crate) struct Precompile {
    #[command(flatten)]
    component: ComponentArgs,

    /// Where to write it; by default beside the component, with the ending .cwasm
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Precompile {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let component = self.component.load()?;
        let output = self.output.unwrap_or_else(|| component.path.with_extension("cwasm"));
        ensure!(output != component.path, "{}: this would overwrite the component", output.display());
        let code = component.precompiled()?;
        // Under another name first: whoever reads it meanwhile gets the old file or the new one.
        let draft = output.with_extension("cwasm.part");
        fs::write(&draft, &code)
            .and_then(|()| fs::rename(&draft, &output))
            .with_context(|| format!("{}: it cannot be written", output.display()))?;
        output::styled(&format!("{}\n", plain_line(&output.display().to_string())))?;
        Ok(())
    }
}
