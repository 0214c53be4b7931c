//! `pi-capsule completions`

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;

/// Print a completion script for a shell
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell that will read it
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // By way of a buffer: the generator panics when it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "pi-capsule", &mut script);
        io::stdout().write_all(&script)?;
        Ok(())
    }
}
