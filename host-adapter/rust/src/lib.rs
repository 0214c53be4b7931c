//! Runs components of the world `pi:extension/extension` under [wasmtime](https://docs.rs/wasmtime): the reference host,
//! and the harness that the component of this project is tested with.
//!
//! A program that wants to embed such a component implements [`Host`] and loads a [`Capsule`]. To look at a session, or
//! at a directory, [`LocalHost`] is ready to use:
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
//! use pi_capsule_host::{Capsule, LocalHost};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let component = std::fs::read("pi_capsule.wasm")?;
//!     let host = LocalHost::in_directory(".")?;
//!
//!     let mut capsule = Capsule::load(&component, host)?;
//!     capsule.session_started(StartReason::Startup)?;
//!     // The guest has asked git what it wants to know. Tell it the answers, until it shows its status line.
//!     let shown = |capsule: &Capsule<LocalHost>| capsule.host().status("pr-footer").is_some();
//!     capsule.run_until(shown, Duration::from_secs(30))?;
//!     println!("{}", capsule.host().status("pr-footer").unwrap_or("no status line"));
//!     capsule.session_shut_down(ShutdownReason::Quit)?;
//!     Ok(())
//! }
//! ```
//!
//! `examples/embed.rs` calls a tool about a session file. [`CapsuleModule::precompiled`] lets a component start at once.
//!
//! # Map
//!
//! - [`Capsule`] is one running guest, with a method for each export. It owns the wasmtime store, so that no export can
//!   be called while another one runs.
//! - [`CapsuleModule`] is a component that is checked and compiled; [`LoadError`] says what is wrong with other files.
//! - [`Host`] is what an embedder provides. Between it and the guest, in `imports`, stand the rules of the contract.
//! - [`policy`] decides what a guest may ask for: pure functions over `policy.json`, which all hosts share.
//! - [`process`] runs one allowed program within its limits. [`session_file`] reads Pi's sessions, and never writes.
//! - [`LocalHost`] joins these for a program without an agent; the command `pi-capsule` is such a program.
//! - [`wit`] names the types of the world.
//!
//! # What it does not do
//!
//! It runs no agent, asks no model, writes no session file and gives a guest neither files nor network. An embedder that
//! has an agent says so in its [`Host`].

// What a guest, a file or the system does is an error that the embedder hears of.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bindings;
mod capsule;
mod engine;
mod host;
mod imports;
mod ledger;
mod local;
mod module;
mod observer;
pub mod policy;
pub mod process;
pub mod session_file;
mod state;
mod stored;
pub mod text;
pub mod wit;

pub use capsule::{CallError, Capsule};
pub use host::Host;
pub use local::{LocalHost, Notice};
pub use module::{CapsuleModule, LoadError, WORLD_VERSION};
