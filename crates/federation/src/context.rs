//! What is used of a `NetworkContext`. Copies of contexts are skipped by every index: decisions read the project's own.

use api::condition::ConditionType;
use api::networking::{IpFamily, NetworkContext};
use api::{Kind, LocationName, NetworkName, Uid, labels};
use jiff::Timestamp;
use reconcile::{Facet, Index, IndexValue};
use serde::Serialize;

use crate::condition_facts::ConditionFacts;
use crate::presence::pair;

/// A context as the presence's keeper sees it: everything but its readiness.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ContextFacts {
    /// This life of the context.
    pub uid: Uid,
    /// When it was created; the oldest of several serves.
    pub created: Option<Timestamp>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// Whether it is a copy of a context elsewhere (label `upstream-name`).
    pub is_copy: bool,
    /// Its network.
    pub network: NetworkName,
    /// Its location.
    pub location: LocationName,
    /// Families it carries.
    pub ip_families: Option<Vec<IpFamily>>,
    /// Controller owner: kind and uid.
    pub controller: Option<(String, Uid)>,
    /// Label `network-uid`, where not empty.
    pub network_uid: Option<Uid>,
    /// Label `upstream-cluster-name`.
    pub upstream_cluster: Option<String>,
    /// Annotation `unclaimed-since`, as written.
    pub unclaimed_since: Option<String>,
}

impl Facet for ContextFacts {
    type Kind = NetworkContext;

    fn of(context: &NetworkContext) -> Self {
        let metadata = &context.metadata;
        let label = |key: &str| metadata.labels.as_ref()?.get(key).filter(|text| !text.is_empty()).cloned();
        let owners = metadata.owner_references.iter().flatten();
        let mut controllers = owners.filter(|owner| owner.controller == Some(true));
        Self {
            uid: context.uid(),
            created: metadata.creation_timestamp.as_ref().map(|time| time.0),
            is_deleting: context.is_deleting(),
            is_copy: label(labels::UPSTREAM_NAME).is_some(),
            network: context.spec.network.name.clone(),
            location: context.spec.location.name.clone(),
            ip_families: context.spec.ip_families.clone(),
            controller: controllers.next().map(|owner| (owner.kind.clone(), owner.uid.as_str().into())),
            network_uid: label(labels::NETWORK_UID).map(Uid::from),
            upstream_cluster: label(labels::UPSTREAM_CLUSTER_NAME),
            unclaimed_since: metadata
                .annotations
                .as_ref()
                .and_then(|annotations| annotations.get(labels::annotation::UNCLAIMED_SINCE).cloned()),
        }
    }
}

impl ContextFacts {
    /// Whether it was made for a Network by the platform: it says so by label or by owner. Only these end with an absent Network.
    #[must_use]
    pub fn is_made_for_a_network(&self) -> bool {
        self.network_uid.is_some() || self.controller.as_ref().is_some_and(|(kind, _)| kind == "Network")
    }

    /// Whether it belongs to this life of a Network (N13): its controller is that Network, or it has no controller and names it
    /// without naming another life.
    #[must_use]
    pub fn belongs_to(&self, network: &Uid) -> bool {
        match &self.controller {
            Some((_, uid)) => uid == network,
            None => true,
        }
    }

    /// Whether it carries the uid of another life of its Network.
    #[must_use]
    pub fn is_of_another_life(&self, network: &Uid) -> bool {
        self.network_uid.as_ref().is_some_and(|uid| uid != network)
    }
}

/// A context as bindings see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ContextReadiness {
    /// What decides which of several serves.
    pub created: Option<Timestamp>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// Label `network-uid`, where not empty.
    pub network_uid: Option<Uid>,
    /// Controller owner: kind and uid.
    pub controller: Option<(String, Uid)>,
    /// Condition `Ready`.
    pub ready: Option<ConditionFacts>,
}

impl Facet for ContextReadiness {
    type Kind = NetworkContext;

    fn of(context: &NetworkContext) -> Self {
        let facts = ContextFacts::of(context);
        let conditions =
            context.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
        Self {
            created: facts.created,
            is_deleting: facts.is_deleting,
            network_uid: facts.network_uid,
            controller: facts.controller,
            ready: ConditionFacts::find(conditions, ConditionType::Ready),
        }
    }
}

/// Contexts by network and location. Found by what they say, never by a composed name.
pub struct ContextsByPair;

impl Index for ContextsByPair {
    type Kind = NetworkContext;
    const NAME: &'static str = "network and location";

    fn values(context: &NetworkContext) -> Vec<IndexValue> {
        let spec = &context.spec;
        if ContextFacts::of(context).is_copy {
            return Vec::new();
        }
        vec![pair(&spec.network.name, &spec.location.name)]
    }
}

/// Contexts by network.
pub struct ContextsByNetwork;

impl Index for ContextsByNetwork {
    type Kind = NetworkContext;
    const NAME: &'static str = "network";

    fn values(context: &NetworkContext) -> Vec<IndexValue> {
        if ContextFacts::of(context).is_copy {
            return Vec::new();
        }
        vec![IndexValue::of([context.spec.network.name.as_str()])]
    }
}
