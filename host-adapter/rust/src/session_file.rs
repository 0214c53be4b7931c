//! Pi's session files: an append-only tree of entries, read from JSON lines and never written.
//!
//! [`Session::open`] reads a file once, from front to back, and keeps the header of each entry. Texts stay in the file
//! until [`Session::read_bodies`] asks for them, so that a file of 100 MB takes a few megabytes of memory. What cannot
//! be read is skipped and counted in [`Skipped`]; the rest of the session is there all the same. Entries can be
//! [appended](Session::append) and the leaf [moved](Session::move_to), in memory only. A [`Follower`] reads on while Pi
//! writes.
//!
//! The format is Pi's version 3. Older files are understood by the rules that Pi migrates them with: version 1 has no
//! tree, so each entry follows the one before; up to version 2, the role `custom` was called `hookMessage`.

mod activity;
mod entry;
mod follow;
mod json;
mod read;
mod skipped;
mod tree;

pub use activity::Activity;
pub use follow::{Follower, Growth};
pub use read::SessionError;
pub use skipped::Skipped;
pub use tree::Session;

/// The version of the format that is known here.
const FORMAT_VERSION: u64 = 3;
