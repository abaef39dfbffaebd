//! Group `ipam.miloapis.com/v1alpha1`: the address service. Its server checks and fills these kinds itself
//! (`ipam-server`), so their schemas say the shape only.

mod empty_text;
mod ip_allocation;
mod ip_claim;
mod ip_class;
mod ip_pool;
mod parts;

pub use ip_allocation::*;
pub use ip_claim::*;
pub use ip_class::*;
pub use ip_pool::*;
pub use parts::*;

use crate::text_enum::text_enum;

/// The API group.
pub const GROUP: &str = "ipam.miloapis.com";

/// Annotation that makes a class the default of its family when it says `true`.
pub const DEFAULT_CLASS_ANNOTATION: &str = "ipam.miloapis.com/is-default-class";
/// Label of a provisioned pool: name of the class it was made for.
pub const PROVISIONED_BY: &str = "ipam.miloapis.com/provisioned-by";
/// Label of a provisioned pool: project it was made for, where pools are per project.
pub const PROVISIONED_FOR: &str = "ipam.miloapis.com/provisioned-for";
/// Label of a provisioned pool: digest of its key, 64 hexadecimal digits.
pub const SCOPE_DIGEST: &str = "ipam.miloapis.com/scope-digest";
/// Scope role of a Network.
pub const NETWORK_ROLE: &str = "network";
/// Scope role of a location.
pub const LOCATION_ROLE: &str = "location";
/// Reserved role: the consuming project.
pub const PROJECT_ROLE: &str = "project";
/// Reserved role: all projects together.
pub const ALL_PROJECTS_ROLE: &str = "allProjects";

text_enum! {
    /// `reason` of a cause in a refusal of the address service; the set is open, unknown ones count as none.
    IpamCause {
        /// No block of the size is free.
        Exhausted,
        /// The predecessor's allocation is retained.
        AllocationRetained,
        /// A claim of the name is alive.
        ClaimExists,
        /// There is no such class.
        ClassNotFound,
        /// The family has no default class.
        NoDefaultClass,
        /// No root pool offers the class.
        NoOfferingPool,
        /// The class does not hand out this size.
        PrefixLengthRejected,
        /// The claim lacks a scope role.
        ScopeRolesMissing,
        /// The request names no project.
        NoProjectScope,
    }
}

text_enum! {
    /// Why an address object is in the state that its conditions show.
    IpamReason {
        /// The block is taken.
        AllocationSucceeded,
    }
}
