//! `NetworkFabricIdentity`: the number that makes a network one network in all cells. Never reissued.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::kind;
use crate::networking::LocalNetworkReference;

/// Which number belongs to which network.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "cloud.datumapis.com",
    version = "v1alpha1",
    kind = "NetworkFabricIdentity",
    plural = "networkfabricidentities",
    namespaced,
    derive = "PartialEq",
    doc = "The identity of a network on the fabric.",
    printcolumn(name = "Network", type_ = "string", json_path = ".spec.networkRef.name"),
    printcolumn(name = "Identity", type_ = "integer", json_path = ".spec.identity"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct NetworkFabricIdentitySpec {
    /// The number. Immutable.
    #[schemars(range(min = 1, max = 4_294_967_295_i64))]
    pub identity: i64,
    /// The network.
    pub network_ref: LocalNetworkReference,
}

kind!(NetworkFabricIdentity, "cloud.datumapis.com", "v1alpha1", "networkfabricidentities", Namespaced);
