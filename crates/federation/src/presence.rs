//! "This network is present in this location": the key, and the name of the object that says so.

#[cfg(test)]
mod tests;

use std::fmt;

use api::{ClusterName, LocationName, NamespaceName, NetworkName, ObjectName, ProjectName};
use reconcile::IndexValue;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Longest name that can be a label value.
pub const LABEL_VALUE_MAX: usize = 63;
/// Longest object name.
const OBJECT_NAME_MAX: usize = 253;
/// Where a name is cut before its hash is added.
const CUT: usize = 240;

/// One presence. Hub namespaces are only routes to it: several may lead here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PresenceKey {
    /// The project.
    pub project: ProjectName,
    /// Namespace of the Network in the project.
    pub namespace: NamespaceName,
    /// The Network.
    pub network: NetworkName,
    /// The location.
    pub location: LocationName,
}

impl PresenceKey {
    /// The project's plane.
    #[must_use]
    pub fn cluster(&self) -> ClusterName {
        ClusterName::Project(self.project.clone())
    }

    /// The pair as an index value.
    #[must_use]
    pub fn pair(&self) -> IndexValue {
        pair(&self.network, &self.location)
    }

    /// The name that cannot be a label value, if one is too long.
    #[must_use]
    pub fn unusable_name(&self) -> Option<&str> {
        let names = [self.network.as_str(), self.location.as_str()];
        names.into_iter().find(|name| name.len() > LABEL_VALUE_MAX)
    }

    /// The name a context gets if nobody else has it; `None` if it is too long for an object.
    #[must_use]
    pub fn plain_name(&self) -> Option<ObjectName> {
        let name = format!("{}-{}", self.network, self.location);
        (name.len() <= OBJECT_NAME_MAX).then(|| name.into())
    }

    /// The name a context gets otherwise: distinct for every pair, because the hash separates its parts.
    #[must_use]
    pub fn hashed_name(&self) -> ObjectName {
        let mut plain = format!("{}-{}", self.network, self.location);
        plain.truncate(CUT);
        let digest = Sha256::new()
            .chain_update(self.network.as_str())
            .chain_update([0])
            .chain_update(self.location.as_str())
            .finalize();
        let hash = digest.iter().take(6).fold(0_u64, |hash, byte| hash << 8 | u64::from(*byte));
        format!("{}-{hash:012x}", plain.trim_end_matches(['-', '.'])).into()
    }
}

impl fmt::Display for PresenceKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "network {}/{} at {} for project {}",
            self.namespace, self.network, self.location, self.project
        )
    }
}

/// A network and a location as an index value.
#[must_use]
pub fn pair(network: &NetworkName, location: &LocationName) -> IndexValue {
    IndexValue::of([network.as_str(), location.as_str()])
}
