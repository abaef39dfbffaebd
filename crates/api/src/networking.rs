//! Group `networking.datumapis.com/v1alpha`: what users, consumers and cells declare.

mod location;
mod location_binding;
mod network;
mod network_binding;
mod network_context;
mod network_interface;
mod network_interface_claim;
mod network_policy;
mod references;
mod serving_location;
mod subnet;
mod subnet_claim;

pub use location::*;
pub use location_binding::*;
pub use network::*;
pub use network_binding::*;
pub use network_context::*;
pub use network_interface::*;
pub use network_interface_claim::*;
pub use network_policy::*;
pub use references::*;
pub use serving_location::*;
pub use subnet::*;
pub use subnet_claim::*;

use crate::text_enum::text_enum;

/// The API group.
pub const GROUP: &str = "networking.datumapis.com";

text_enum! {
    /// An address family.
    IpFamily {
        /// 32-bit addresses.
        IPv4,
        /// 128-bit addresses.
        IPv6,
    }
}

text_enum! {
    /// What becomes of addresses and interface when their claim goes.
    ReclaimPolicy {
        /// They are returned.
        Delete,
        /// They stay for the next claim of the name.
        Retain,
    }
}

text_enum! {
    /// How a workload meets its interface.
    AttachmentMode {
        /// A device in the workload's network namespace.
        Netns,
        /// A tap device for a hypervisor.
        Hypervisor,
        /// A tap device that the hypervisor declares itself.
        HypervisorDeclared,
    }
}
