//! What a Network's pass looks at.

use api::Kind;
use api::condition::ConditionType;
use api::networking::{Network, NetworkContext};
use federation::ConditionFacts;
use federation::context::{ContextFacts, ContextsByNetwork};
use reconcile::{Facet, IndexValue, Sight, Stamp, Target, View};
use serde::Serialize;

use super::NetworkKey;

/// The Network as its own controller sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct OwnNetwork {
    /// This life of the Network.
    pub uid: api::Uid,
    /// `metadata.generation`.
    pub generation: Option<i64>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// Its finalizers.
    pub finalizers: Vec<String>,
    /// Condition `Ready`.
    pub ready: Option<ConditionFacts>,
}

impl Facet for OwnNetwork {
    type Kind = Network;

    fn of(network: &Network) -> Self {
        let conditions =
            network.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
        Self {
            uid: network.uid(),
            generation: network.metadata.generation,
            is_deleting: network.is_deleting(),
            finalizers: network.metadata.finalizers.clone().unwrap_or_default(),
            ready: ConditionFacts::find(conditions, ConditionType::Ready),
        }
    }
}

/// A context as far as it keeps its Network from going.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct ContextOwner {
    /// Controller owner: kind and uid.
    pub controller: Option<(String, api::Uid)>,
}

impl Facet for ContextOwner {
    type Kind = NetworkContext;

    fn of(context: &NetworkContext) -> Self {
        Self { controller: ContextFacts::of(context).controller }
    }
}

impl ContextOwner {
    /// N13: the controller decides; without one the name does.
    fn belongs_to(&self, network: &api::Uid) -> bool {
        self.controller.as_ref().is_none_or(|(_, uid)| uid == network)
    }
}

/// Facts of one pass.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The object.
    pub target: Target,
    /// The Network.
    pub network: Sight<OwnNetwork>,
    /// Names of the contexts that belong to it.
    pub contexts: Sight<Vec<String>>,
    /// Time to write.
    pub stamp: Stamp,
}

/// Reads.
pub(super) fn observe(view: &View<'_>, key: &NetworkKey) -> Observed {
    let network = view.object::<OwnNetwork>(&key.cluster, &key.object());
    let contexts = match &network {
        Sight::Present(network) if network.is_deleting => contexts(view, key, network),
        _ => Sight::Present(Vec::new()),
    };
    Observed {
        target: Target::of::<Network>(key.cluster.clone(), key.object()),
        network,
        contexts,
        stamp: view.stamp(),
    }
}

fn contexts(view: &View<'_>, key: &NetworkKey, network: &OwnNetwork) -> Sight<Vec<String>> {
    let value = IndexValue::of([key.name.as_str()]);
    let members = view.members::<ContextOwner, ContextsByNetwork>(&key.cluster, Some(&key.namespace), &value);
    members.map(|members| {
        let own = members.into_iter().filter(|(_, context)| context.belongs_to(&network.uid));
        own.map(|(key, _)| key.name.to_string()).collect()
    })
}
