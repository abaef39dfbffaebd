//! What keeps a presence: bindings on the hub, bindings in the project, and interface copies that cells published
//! (decisions 2).

use api::networking::{NetworkBinding, NetworkInterface};
use api::{ClusterName, Kind, LocationName, NamespaceName, NetworkName, ObjectKey, labels};
use reconcile::{Facet, Index, IndexValue, Sight, View};
use serde::Serialize;

use crate::presence::{PresenceKey, pair};
use crate::route::{HubNamespaces, HubRoute, ProjectNamespaces};

/// A binding as a holder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct DeclarationFacts {
    /// The network.
    pub network: NetworkName,
    /// Its namespace, where the binding names one.
    pub network_namespace: Option<NamespaceName>,
    /// The location.
    pub location: LocationName,
    /// A binding that is being deleted holds nothing.
    pub is_deleting: bool,
}

impl Facet for DeclarationFacts {
    type Kind = NetworkBinding;

    fn of(binding: &NetworkBinding) -> Self {
        let spec = &binding.spec;
        Self {
            network: spec.network.name.clone(),
            network_namespace: spec.network.namespace.clone().filter(|namespace| !namespace.is_empty()),
            location: spec.location.name.clone(),
            is_deleting: binding.is_deleting(),
        }
    }
}

/// An interface copy on the hub as a holder. Retained ones count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct InterfaceFacts {
    /// The network.
    pub network: NetworkName,
    /// The location a cell published it from; without the projection or location label it holds nothing.
    pub location: Option<LocationName>,
}

impl Facet for InterfaceFacts {
    type Kind = NetworkInterface;

    fn of(interface: &NetworkInterface) -> Self {
        let label =
            |key: &str| interface.metadata().labels.as_ref()?.get(key).filter(|text| !text.is_empty());
        let is_copy = label(labels::NETWORK_INTERFACE_PROJECTION).is_some_and(|text| text == labels::TRUE);
        let location = label(labels::LOCATION).filter(|_| is_copy);
        Self {
            network: interface.spec.network.name.clone(),
            location: location.map(|text| LocationName::new(text.as_str())),
        }
    }
}

/// Bindings by the pair they declare, with the namespace they name for the network (`""` where they name none).
pub struct Declarations;

impl Index for Declarations {
    type Kind = NetworkBinding;
    const NAME: &'static str = "named namespace, network and location";

    fn values(binding: &NetworkBinding) -> Vec<IndexValue> {
        let facts = DeclarationFacts::of(binding);
        if facts.is_deleting {
            return Vec::new();
        }
        let namespace = facts.network_namespace.as_ref().map_or("", NamespaceName::as_str);
        vec![IndexValue::of([namespace, facts.network.as_str(), facts.location.as_str()])]
    }
}

impl Declarations {
    fn value(namespace: &str, key: &PresenceKey) -> IndexValue {
        IndexValue::of([namespace, key.network.as_str(), key.location.as_str()])
    }
}

/// Interface copies by the pair they were published for.
pub struct InterfaceCopies;

impl Index for InterfaceCopies {
    type Kind = NetworkInterface;
    const NAME: &'static str = "network and location";

    fn values(interface: &NetworkInterface) -> Vec<IndexValue> {
        let facts = InterfaceFacts::of(interface);
        facts.location.map(|location| pair(&facts.network, &location)).into_iter().collect()
    }
}

/// How many holders a presence has. Counted, never stored.
#[must_use]
pub fn observe(view: &View<'_>, key: &PresenceKey) -> Sight<usize> {
    let mut sights = hub_holders(view, key);
    sights.push(project_holders(view, key));
    total(sights)
}

/// All of these together. One that is certain is enough to know that there is a holder, whatever else cannot be seen.
fn total(sights: Vec<Sight<usize>>) -> Sight<usize> {
    let mut holders = 0;
    let mut uncertain = None;
    for sight in sights {
        match sight {
            Sight::Present(count) => holders += count,
            Sight::Absent => {}
            // Bindings that are not served now are all there when they are served again.
            other => uncertain = Some(other),
        }
    }
    match uncertain {
        Some(other) if holders == 0 => other,
        _ => Sight::Present(holders),
    }
}

/// Bindings and interface copies in the hub namespaces that lead to the presence's namespace, and bindings in all hub
/// namespaces of its project that name that namespace themselves. No other namespace is looked at: an object there that
/// does not decode is of another project and keeps nobody here waiting.
fn hub_holders(view: &View<'_>, key: &PresenceKey) -> Vec<Sight<usize>> {
    let hub = ClusterName::Hub;
    let mut sights = Vec::new();
    let mut each = |namespaces: Sight<Vec<ObjectKey>>,
                    count: &dyn Fn(&NamespaceName) -> Vec<Sight<usize>>| {
        match namespaces {
            Sight::Present(namespaces) => {
                let names = namespaces.iter().map(|namespace| NamespaceName::new(namespace.name.as_str()));
                sights.extend(names.flat_map(|namespace| count(&namespace)));
            }
            other => sights.push(other.map(|_| 0)),
        }
    };
    let here = HubNamespaces::value(&key.project, &key.namespace);
    each(view.names::<HubNamespaces>(&hub, None, &here), &|namespace| {
        vec![
            view.count::<Declarations>(&hub, Some(namespace), &Declarations::value("", key)),
            interface_copies(view, namespace, key),
        ]
    });
    let of_project = ProjectNamespaces::value(&key.project);
    let named = Declarations::value(key.namespace.as_str(), key);
    each(view.names::<ProjectNamespaces>(&hub, None, &of_project), &|namespace| {
        vec![view.count::<Declarations>(&hub, Some(namespace), &named)]
    });
    sights
}

/// Interface copies in a hub namespace; a hub without this kind has none.
fn interface_copies(view: &View<'_>, namespace: &NamespaceName, key: &PresenceKey) -> Sight<usize> {
    match view.count::<InterfaceCopies>(&ClusterName::Hub, Some(namespace), &key.pair()) {
        Sight::NotServed => Sight::Present(0),
        other => other,
    }
}

/// Bindings in the project, in namespaces that are no hub namespaces.
fn project_holders(view: &View<'_>, key: &PresenceKey) -> Sight<usize> {
    let cluster = key.cluster();
    let own = view.names::<Declarations>(&cluster, Some(&key.namespace), &Declarations::value("", key));
    let named = view.names::<Declarations>(&cluster, None, &Declarations::value(key.namespace.as_str(), key));
    own.and_then(|mut bindings| {
        named.and_then(|named| {
            bindings.extend(named);
            let mut total = 0;
            for namespace in bindings.into_iter().filter_map(|binding| binding.namespace) {
                match is_hub_namespace(view, &cluster, &namespace) {
                    Sight::Present(is_hub) => total += usize::from(!is_hub),
                    other => return other.map(|_| 0),
                }
            }
            Sight::Present(total)
        })
    })
}

/// Whether a namespace is a hub namespace; an absent one is not (SH8).
pub fn is_hub_namespace(view: &View<'_>, cluster: &ClusterName, namespace: &NamespaceName) -> Sight<bool> {
    match view.object::<HubRoute>(cluster, &ObjectKey::cluster_scoped(namespace.as_str())) {
        Sight::Absent => Sight::Present(false),
        sight => sight.map(|route| route.is_hub),
    }
}
