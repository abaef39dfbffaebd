//! References between objects of the group.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::{LocationName, NamespaceName, NetworkName, ObjectName, ProjectName};

/// A Network, in the object's own namespace unless another is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct NetworkReference {
    /// Name of the Network.
    pub name: NetworkName,
    /// Namespace of the Network; the declaring object's project namespace when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<NamespaceName>,
}

/// A Network in the object's own namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct LocalNetworkReference {
    /// Name of the Network.
    pub name: NetworkName,
}

/// A location by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct LocationReference {
    /// Name of the location.
    pub name: LocationName,
}

/// An object in the object's own namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct LocalReference {
    /// Name of the object.
    pub name: ObjectName,
}

/// The address claim that holds a range, with where it was made: a later relabelling does not move it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RangeClaimReference {
    /// Project whose address service holds the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
    /// Namespace of the claim in that project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<NamespaceName>,
    /// Name of the pool that the claim's range became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool_name: Option<ObjectName>,
    /// Name of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_name: Option<ObjectName>,
}
