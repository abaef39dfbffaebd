//! Which pairs of network and location somebody declares, and by which objects (decisions 2).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use api::{ClusterName, labels};
use serde_json::Value;

use super::{Truth, is_going, label, text};
use crate::plane::ObjectRef;

/// A network in a location, by the network's place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The project.
    pub project: String,
    /// The network's namespace in the project.
    pub namespace: String,
    /// The network.
    pub network: String,
    /// The location.
    pub location: String,
}

impl Pair {
    /// The project's plane.
    #[must_use]
    pub fn cluster(&self) -> ClusterName {
        ClusterName::Project(self.project.as_str().into())
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { project, namespace, network, location } = self;
        write!(formatter, "{network} ({namespace} of project {project}) in {location}")
    }
}

/// Where a namespace of the hub leads: the labels of both kinds, as texts.
struct Route<'a> {
    project: &'a str,
    namespace: &'a str,
}

impl<'a> Route<'a> {
    fn of(namespace: &'a Value) -> Self {
        let cluster = label(namespace, labels::UPSTREAM_CLUSTER_NAME);
        let project = cluster.strip_prefix("cluster-").unwrap_or(cluster);
        Self { project, namespace: label(namespace, labels::UPSTREAM_NAMESPACE) }
    }

    fn is_hub(&self) -> bool {
        !self.project.is_empty() || !self.namespace.is_empty()
    }
}

/// What a binding declares.
pub enum Declared {
    /// A pair.
    Pair(Pair),
    /// Its namespace leads nowhere, for want of a label.
    Nowhere,
    /// It is no declaration where it is.
    Nothing,
}

impl Truth {
    /// What a binding declares.
    #[must_use]
    pub fn declared(&self, cluster: &ClusterName, object: &ObjectRef, binding: &Value) -> Declared {
        let namespace = self.get(cluster, "namespaces", "", &object.namespace);
        let route = namespace.map(Route::of);
        let named = text(binding, "/spec/network/namespace");
        let (project, own) = match (cluster, route) {
            (ClusterName::Hub, Some(route)) if route.is_hub() => {
                if route.project.is_empty() || (route.namespace.is_empty() && named.is_empty()) {
                    return Declared::Nowhere;
                }
                if route.namespace.is_empty() {
                    return Declared::Nowhere;
                }
                (route.project.to_owned(), route.namespace.to_owned())
            }
            (ClusterName::Project(project), route) if route.as_ref().is_none_or(|route| !route.is_hub()) => {
                (project.to_string(), object.namespace.clone())
            }
            _ => return Declared::Nothing,
        };
        Declared::Pair(Pair {
            project,
            namespace: if named.is_empty() { own } else { named.to_owned() },
            network: text(binding, "/spec/network/name").to_owned(),
            location: text(binding, "/spec/location/name").to_owned(),
        })
    }

    /// Every pair that somebody declares, with the number of its holders.
    #[must_use]
    pub(super) fn holders(&self) -> BTreeMap<Pair, usize> {
        let mut holders: BTreeMap<Pair, usize> = BTreeMap::new();
        for cluster in self.objects.keys() {
            for (object, binding) in self.of(cluster, "networkbindings") {
                if is_going(binding) {
                    continue;
                }
                if let Declared::Pair(pair) = self.declared(cluster, object, binding) {
                    *holders.entry(pair).or_default() += 1;
                }
            }
        }
        for (object, interface) in self.of(&ClusterName::Hub, "networkinterfaces") {
            if let Some(pair) = self.kept_by_interface(object, interface) {
                *holders.entry(pair).or_default() += 1;
            }
        }
        holders
    }

    /// Pairs that objects of one kind on one plane hold.
    #[must_use]
    pub fn held_by(&self, cluster: &ClusterName, plural: &'static str) -> BTreeSet<Pair> {
        let held = |(object, value): (&ObjectRef, &Value)| match plural {
            "networkbindings" if !is_going(value) => match self.declared(cluster, object, value) {
                Declared::Pair(pair) => Some(pair),
                Declared::Nowhere | Declared::Nothing => None,
            },
            "networkinterfaces" => self.kept_by_interface(object, value),
            _ => None,
        };
        self.of(cluster, plural).filter_map(held).collect()
    }

    /// The pair that an interface copy on the hub keeps.
    #[must_use]
    pub fn kept_by_interface(&self, object: &ObjectRef, interface: &Value) -> Option<Pair> {
        let route = Route::of(self.get(&ClusterName::Hub, "namespaces", "", &object.namespace)?);
        let location = label(interface, labels::LOCATION);
        let is_published = label(interface, labels::NETWORK_INTERFACE_PROJECTION) == labels::TRUE;
        let is_kept =
            is_published && !location.is_empty() && !route.project.is_empty() && !route.namespace.is_empty();
        is_kept.then(|| Pair {
            project: route.project.to_owned(),
            namespace: route.namespace.to_owned(),
            network: text(interface, "/spec/network/name").to_owned(),
            location: location.to_owned(),
        })
    }
}
