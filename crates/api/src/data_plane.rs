//! Kinds of the data plane and of workloads in a cell, with the fields that we read or write. Everything else in
//! them is preserved unread.

mod attachment_definition;
mod bgp;
mod instance;

pub use attachment_definition::*;
pub use bgp::*;
pub use instance::*;
