//! The context budget of a session: how much may still be used before its window is wiped.
//!
//! Knows nothing of the footer, and nothing of how a session is stored.

pub mod thresholds;
