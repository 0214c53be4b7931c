//! What cargo knows of the crates of a folder.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The answer of `cargo metadata` in a folder, with further options.
pub(crate) fn cargo_metadata(folder: &Path, options: &[&str]) -> Result<Value> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version=1"])
        .args(options)
        .current_dir(folder)
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(serde_json::from_slice(&output.stdout)?)
}
