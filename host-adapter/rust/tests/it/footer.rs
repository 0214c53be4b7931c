//! The footer over real repositories, with the real git, and a `gh` that each test writes.

mod github;
mod hostile;
mod repositories;
mod trouble;
mod world;
