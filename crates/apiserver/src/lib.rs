//! The embedded API server as one synchronous state machine: `(state, now, input) -> outputs`.
//!
//! No sockets, threads, clocks or randomness: time and a seeded generator are passed in, durability is a sink that the
//! shell drains, and the shell (`apiserver-http` or the simulator) moves requests in and answers out.

pub mod apply;
mod builtin;
mod cel;
mod collect;
mod crd;
mod decode;
mod discovery;
pub mod field_error;
pub mod field_set;
pub mod identity;
mod json_path;
pub mod limits;
pub mod managed_fields;
pub mod media;
pub mod metadata;
mod mount;
mod namespace;
mod openapi;
mod ownership;
pub mod patch;
pub mod plane;
pub mod rbac;
mod read;
pub mod registry;
pub mod request;
pub mod resource;
mod review;
pub mod schema;
mod selector;
pub mod server;
mod shape;
pub mod status;
pub mod store;
mod strategy;
mod table;
#[cfg(test)]
mod testing;
mod watch;
mod write;

pub use server::{Config, Input, Output, Response, Server, StartError};
