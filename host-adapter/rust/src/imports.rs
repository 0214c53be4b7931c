//! The imports of the world, one file for each interface.
//!
//! Each checks what the contract and the [policy](crate::policy) ask for, and then hands the request to the embedder's
//! [`Host`](crate::Host). No decision about a request is made elsewhere.

mod agent;
mod clock;
mod random;
mod session_reader;
mod session_writer;
mod settings;
mod status;
mod subprocess;
