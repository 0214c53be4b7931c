//! `docs/wit.md`, the reference of the world, made of the documentation in `wit/`.

use std::path::{Path, PathBuf};
use std::{fs, str};

use anyhow::{Context, Result};
use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::Resolve;

const WORLD: &str = "extension";

/// Writes the reference and returns where it is.
pub(crate) fn write(root: &Path) -> Result<PathBuf> {
    let path = path(root);
    fs::write(&path, text(root)?).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

fn path(root: &Path) -> PathBuf {
    root.join("docs/wit.md")
}

fn text(root: &Path) -> Result<String> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(root.join("wit")).context("cannot read wit/")?;
    let world = resolve.select_world(&[package], Some(WORLD))?;
    let mut files = Files::default();
    wit_bindgen_markdown::Opts::default().build().generate(&mut resolve, world, &mut files)?;
    let (_, markdown) =
        files.iter().find(|(name, _)| name.ends_with(".md")).context("the generator has made no file")?;
    Ok(format!("<!-- Made from wit/ by `./just reference`. -->\n\n{}", str::from_utf8(markdown)?))
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn the_reference_is_that_of_the_world() {
        // Not the folder that this was compiled in: clones may share what is compiled.
        let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
        let root = here.parent().unwrap();
        let written = fs::read_to_string(path(root)).unwrap();
        assert!(written == text(root).unwrap(), "docs/wit.md is out of date: run `./just reference`");
    }
}
