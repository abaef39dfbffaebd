//! The contract: every kind, typed name, label, finalizer, condition type and reason the product speaks.
//!
//! Nothing here runs. Schemas, commands, documentation and the embedded server are generated from this crate, so
//! a wire name exists exactly once. Wire names follow the reference operator (`docs/compatibility.md`).

pub mod cluster;
pub mod kind;
pub mod names;

pub use cluster::ClusterName;
pub use kind::{Kind, ResourceKind, Scope};
pub use names::{LocationName, NamespaceName, NetworkName, ObjectKey, ObjectName, ProjectName, Uid};
