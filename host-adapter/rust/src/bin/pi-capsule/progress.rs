//! A line that shows how far a large file has been read.

use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The size of file, in bytes, that takes long enough to be worth a line.
const WORTH_SHOWING: u64 = 20 * 1024 * 1024;

/// A bar on standard error, if that is a terminal and the file is large; otherwise one that is never seen.
pub(crate) fn reading(file: &Path) -> ProgressBar {
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    if size < WORTH_SHOWING {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("reading {msg} {bar:30} {bytes} of {total_bytes}").expect("a constant");
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr())
        .with_style(style)
        .with_message(pi_capsule_host::text::plain_line(&name))
}
