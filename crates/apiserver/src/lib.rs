//! The embedded API server as one synchronous state machine: `(state, now, input) -> outputs`.
//!
//! No sockets, threads, clocks or randomness: time and a seeded generator are passed in, durability is a sink that the
//! shell drains, and the shell (`apiserver-http` or the simulator) moves requests in and answers out.

pub mod apply;
mod cel;
pub mod field_error;
pub mod field_set;
pub mod managed_fields;
pub mod patch;
pub mod schema;
