//! Parts that several kinds of the address service share.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::ObjectName;
use crate::text_enum::text_enum;

/// Scope: which object plays which role, such as `network`.
pub type Scope = BTreeMap<String, ScopeReference>;

/// An object that plays a role; compared, never looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopeReference {
    /// API group, empty for the core group.
    #[serde(default)]
    pub api_group: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

/// An object of the address service by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct IpamReference {
    /// Name of the object.
    pub name: ObjectName,
}

/// The tenant an address object belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnerReference {
    /// API group, empty for the core group.
    #[serde(default)]
    pub api_group: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// Namespace, absent for cluster-scoped owners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// Blocks at the edges of a pool that nobody gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reservations {
    /// Units at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub leading: Option<i32>,
    /// Units at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub trailing: Option<i32>,
    /// Length in bits of a unit's prefix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 128))]
    pub unit_prefix_length: Option<i32>,
}

text_enum! {
    /// What a claim takes.
    ClaimTarget {
        /// One block out of a pool.
        Block,
        /// The whole pool of the claim's scope.
        ScopeRange,
    }
}

text_enum! {
    /// What a row of a pool is there for.
    AllocationPurpose {
        /// An address claim.
        Claim,
        /// A block that nobody gets.
        Reservation,
        /// A smaller pool.
        PoolCarve,
    }
}

text_enum! {
    /// How a pool chooses blocks.
    AllocationStrategy {
        /// Lowest free block.
        FirstFit,
        /// Smallest gap that fits.
        BestFit,
        /// The region with most free space.
        LeastUtilized,
    }
}

text_enum! {
    /// How a class chooses among pools.
    ClassStrategy {
        /// The first by name.
        FirstFit,
        /// The emptiest.
        LeastUtilized,
    }
}
