//! pi-capsule's guest: the part that runs inside the sandbox.
//!
//! A Pi session gets two things from it: a context that is cleared instead of summarised, while notes and the whole
//! history stay readable ([`reset`], [`tools`]), and a line in the footer that says where it is really working
//! ([`footer`]).
//!
//! The guest is a state machine without input or output of its own. A host calls it with an event; it answers at once
//! with effects, made as calls to [`host::Host`]. What takes time is requested with an id and completed by a
//! later event. Time, randomness and everything outside come in through that one trait, so every behaviour here is
//! tested by calling functions in the order under test.
//!
//! ```text
//! component          generated bindings <-> host::Host (wasm32 only)
//!   extension        owns the features and routes events, tools and commands to them
//!     footer         the status line: what is persisted, git, GitHub remotes, the controller, the text
//!     tools          what the model can call: schemas, arguments, results
//!       reset        the reset protocol: budget, prompts, and where a reset stands
//!         session    the active branch as windows, items and notes; reads, never acts
//!           host     what may be asked for, in plain types
//!           text     quoting, times, positions in code points
//! ```
//!
//! Dependencies point downwards only; `footer` and `reset` do not know each other. `tests/suite/architecture.rs` holds this.

#[cfg(target_arch = "wasm32")]
mod component;
pub mod extension;
pub mod footer;
pub mod host;
pub mod reset;
pub mod session;
pub mod text;
pub mod tools;
