//! The program `network-services`: one command per role, each a file in `commands/`.
//!
//! Nothing is decided here. Commands read what they are given (arguments, configuration, manifests), strictly, and put
//! the parts together: controllers from the planes' crates, the engine's shell, and the embedded API servers.

mod access;
pub mod cli;
mod commands;
pub mod configuration;
mod failure;
mod planes;
mod rate_limit;
mod signals;
mod standalone;
