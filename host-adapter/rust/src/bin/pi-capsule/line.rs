//! The line of the footer as it is printed, and what the component says beside it.

use std::io::{self, Write};

use pi_capsule_host::Notice;
use pi_capsule_host::wit::status::NoticeLevel;
use serde::Serialize;

use crate::{output, warn};

/// The status line that the component shows.
pub(crate) const STATUS_KEY: &str = "pr-footer";

#[derive(Serialize)]
struct Line<'a> {
    text: &'a str,
    cwd: &'a str,
}

/// Passes on what the person should know.
pub(crate) fn tell_notices(notices: &[Notice]) {
    for notice in notices.iter().filter(|notice| notice.level != NoticeLevel::Info) {
        warn(&notice.message);
    }
}

/// Prints a line on its own.
pub(crate) fn write_line(text: &str, cwd: &str, json: bool) -> anyhow::Result<()> {
    if json {
        output::json(&serde_json::to_string(&Line { text, cwd })?)?;
    } else {
        writeln!(io::stdout(), "{text}")?;
    }
    Ok(())
}
