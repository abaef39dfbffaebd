//! Engaged clusters: a client each, and the number of the engagement it belongs to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use api::ClusterName;
use kube_client::Client;

/// One engagement of a cluster.
#[derive(Clone)]
pub struct Engagement {
    /// Client of the plane.
    pub client: Client,
    /// Counts engagements in this process.
    pub number: u64,
}

impl std::fmt::Debug for Engagement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Engagement({})", self.number)
    }
}

/// The clients of all engaged clusters.
#[derive(Clone, Debug, Default)]
pub struct Clusters(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    engaged: BTreeMap<ClusterName, Engagement>,
    next: u64,
}

impl Clusters {
    /// Keeps a client under a name and gives the engagement its number.
    pub fn engage(&self, name: &ClusterName, client: Client) -> u64 {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.next += 1;
        let number = inner.next;
        inner.engaged.insert(name.clone(), Engagement { client, number });
        number
    }

    /// Drops an engagement; one that was replaced is dropped already.
    pub fn disengage(&self, name: &ClusterName, number: u64) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.engaged.get(name).is_some_and(|engaged| engaged.number == number) {
            inner.engaged.remove(name);
        }
    }

    /// The client of a cluster, if it is engaged.
    #[must_use]
    pub fn client(&self, name: &ClusterName) -> Option<Client> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.engaged.get(name).map(|engaged| engaged.client.clone())
    }
}
