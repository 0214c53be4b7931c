//! The tests of the guest from outside: what it does in a simulated world, what its contract says, how it is built.
//!
//! One program, so that wasmtime is linked and the component compiled once.

mod architecture;
mod conformance;
mod contract;
mod corpus;
mod evidence;
mod footer;
mod footer_follows;
mod footer_model;
mod interleavings;
mod projections;
mod reset;
mod tools;
mod wire;
mod world;
