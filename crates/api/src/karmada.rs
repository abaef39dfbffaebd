//! Karmada's kinds on the hub, with the fields that propagation of our objects needs. Everything else in them is
//! preserved unread.

mod binding;
mod cluster;
mod policy;
mod selector;
mod work;

pub use binding::*;
pub use cluster::*;
pub use policy::*;
pub use selector::*;
pub use work::*;
