//! Tests of the crate from outside, in one program.
//!
//! What can be tested beside the code is tested there. Here, `load` and `capsule` run guests made for each test,
//! `shipped`, `fixtures` and `footer` run the component of this project, and `cli` the command.

mod capsule;
#[cfg(all(unix, feature = "cli"))]
mod cli;
mod fixtures;
#[cfg(unix)]
mod footer;
mod load;
mod shipped;
mod support;
