//! Standard output: colours for a terminal only, and nothing of a session that a terminal could take for an order.

use std::io::{self, IsTerminal, Write};

use pi_capsule_host::text::{is_control, plain_text};

/// Prints text that may have colours. What it quotes of a session has to be plain already.
pub(crate) fn styled(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints a line of JSON. Control characters, which JSON holds in strings only, are written as escapes.
pub(crate) fn json(value: &str) -> io::Result<()> {
    let mut line = String::with_capacity(value.len() + 1);
    for char in value.chars() {
        if is_control(char) {
            line += &format!("\\u{:04x}", u32::from(char));
        } else {
            line.push(char);
        }
    }
    line.push('\n');
    exact(&line)
}

/// Prints text of a session: as it is for a program, plain for a terminal.
pub(crate) fn raw(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() { exact(&plain_text(text)) } else { exact(text) }
}

/// Ends the last line of what [`raw`] has printed. A program gets the text and nothing else.
pub(crate) fn end_raw(last: &str) -> io::Result<()> {
    let is_open = !last.is_empty() && !last.ends_with('\n');
    if is_open && io::stdout().is_terminal() { exact("\n") } else { Ok(()) }
}

fn exact(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
