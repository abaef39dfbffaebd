//! `NetworkPolicy`: reserved by the reference; its spec is empty so far.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::kind;

/// Nothing yet.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "NetworkPolicy",
    plural = "networkpolicies",
    namespaced,
    status = "NetworkPolicyStatus",
    derive = "PartialEq",
    doc = "Reserved: rules for traffic on networks.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
pub struct NetworkPolicySpec {}

/// Nothing yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkPolicyStatus {}

kind!(NetworkPolicy, "networking.datumapis.com", "v1alpha", "networkpolicies", Namespaced);
