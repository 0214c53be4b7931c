//! `pi-capsule`: runs the component outside of Pi, on real repositories and session files.
//!
//! One file for each subcommand; its doc comments are its help. What those that ask tools about a session share is in
//! `session` (opening it, one call), `pages` (many calls) and `output` (what may reach a terminal).
//!
//! Results go to standard output and everything else to standard error. The exit code is 0, 1 for input that cannot be
//! used, or not all of it, and 2 for wrong usage.

mod completions;
mod component;
mod footer;
mod history;
mod items;
mod line;
mod matches;
mod notes;
mod output;
mod pages;
mod precompile;
mod progress;
mod session;
mod watch;
mod windows;

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{Parser, Subcommand};
use pi_capsule_host::text::plain_line;

/// Run the pi-capsule component outside of Pi
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Footer(footer::Footer),
    Windows(windows::Windows),
    History(history::History),
    Notes(notes::Notes),
    Precompile(precompile::Precompile),
    Completions(completions::Completions),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Footer(footer) => footer.run(),
        Command::Windows(windows) => windows.run(),
        Command::History(history) => history.run(),
        Command::Notes(notes) => notes.run(),
        Command::Precompile(precompile) => precompile.run(),
        Command::Completions(completions) => completions.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tell(AnsiColor::Red, "error", &format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Something that did not stop the command.
fn warn(message: &str) {
    tell(AnsiColor::Yellow, "warning", message);
}

/// Something worth knowing that is no part of the result.
fn note(message: &str) {
    tell(AnsiColor::Cyan, "note", message);
}

/// One line, whatever is quoted in it.
fn tell(color: AnsiColor, kind: &str, message: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    // When nobody reads this either, there is nobody to tell.
    let _ = writeln!(anstream::stderr(), "{style}{kind}:{style:#} {}", plain_line(message));
}
