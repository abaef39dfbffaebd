//! What presences use of a Network.

use api::networking::{IpFamily, Network};
use api::{Kind, Uid};
use reconcile::Facet;
use serde::Serialize;

/// A Network as presences see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct NetworkFacts {
    /// This life of the Network.
    pub uid: Uid,
    /// `metadata.generation`.
    pub generation: i64,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// Families, the primary one first.
    pub ip_families: Vec<IpFamily>,
    /// Largest packet in bytes.
    pub mtu: i32,
}

impl Facet for NetworkFacts {
    type Kind = Network;

    fn of(network: &Network) -> Self {
        Self {
            uid: network.uid(),
            generation: network.metadata.generation.unwrap_or_default(),
            is_deleting: network.is_deleting(),
            ip_families: network.spec.ip_families.clone(),
            mtu: network.spec.mtu,
        }
    }
}
