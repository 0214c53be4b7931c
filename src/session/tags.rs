//! The names under which the reset protocol stores what it stores.
//!
//! They are shared with sessions that other implementations of the protocol have written, so they never change. Which
//! entry means what is decided where it is read.

/// A custom entry: one operation on a note.
pub const NOTE: &str = "pi-context/note";
/// A hidden message: the boot block of a root window.
pub const BOOT: &str = "pi-context/boot";
/// A hidden message: the early reminder.
pub const GUIDANCE: &str = "pi-context/guidance";
/// A hidden message: the last warning before a reset.
pub const WARNING: &str = "pi-context/warning";
/// A custom entry: a reset is about to follow.
pub const RESET_MARKER: &str = "pi-context/reset-marker";
/// A hidden message: restarts the model after a reset that it asked for.
pub const CONTINUATION: &str = "pi-context/continuation";
/// A custom entry: the latest reset that is known to have happened.
pub const STATE: &str = "pi-context/state";

/// What the type of each of the protocol's messages begins with.
pub(super) const FAMILY: &str = "pi-context/";
/// What `details.piContext` of a compaction says when it is a reset.
pub const RESET_DETAILS: &str = "reset-v2";
/// The tool that asks for a reset.
pub const NEW_CONTEXT: &str = "new_context";
