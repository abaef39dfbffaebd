//! The contract: every kind, typed name, label, finalizer, condition type and reason the product speaks.
//!
//! Nothing here runs. Schemas, commands, documentation and the embedded server are generated from this crate, so
//! a wire name exists exactly once. Wire names follow the reference operator (`docs/compatibility.md`).

#![allow(
    clippy::duplicated_attributes,
    reason = "the lint takes the same key in two printer columns of one kind for a repetition"
)]

pub mod builtin;
pub mod carried;
pub mod cloud;
pub mod cluster;
pub mod condition;
pub mod crd;
pub mod data_plane;
pub mod ipam;
pub mod karmada;
pub mod kind;
pub mod labels;
pub mod locations;
pub mod names;
pub mod networking;
pub mod resourcemanager;
mod schema_parts;
mod text_enum;

pub use cluster::ClusterName;
pub use condition::{Condition, ConditionStatus, ConditionType, Finding};
pub use kind::{Kind, ResourceKind, Scope};
pub use names::{LocationName, NamespaceName, NetworkName, ObjectKey, ObjectName, ProjectName, Uid};
