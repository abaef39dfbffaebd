//! Group `cloud.datumapis.com/v1alpha1`: networks and interfaces as the data plane realises them.

mod network_fabric_identity;
mod vpc;
mod vpc_attachment;

pub use network_fabric_identity::*;
pub use vpc::*;
pub use vpc_attachment::*;

/// The API group.
pub const GROUP: &str = "cloud.datumapis.com";
