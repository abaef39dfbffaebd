//! What is really so: every object of every plane as it was committed, and since when what it declares holds. Derived
//! here from the objects alone, by other code than the controllers', so that both must agree.

pub mod contexts;
mod objects;
pub mod pairs;

use std::collections::BTreeMap;

use api::{ClusterName, labels};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::check::OVERTAKEN;
use crate::check::holders::GRACE;
use crate::plane::ObjectRef;
use crate::world::{Commit, Observation};

use objects::Objects;
pub use pairs::Pair;

/// How long it takes in a world that a seed makes to put up what stands before managers run, at most: their planes count
/// in whole seconds.
const FIRST: SignedDuration = SignedDuration::from_secs(1);

/// A Network on a plane: cluster, namespace, name.
pub type NetworkPlace = (ClusterName, String, String);

/// See the module.
pub struct Truth {
    /// Now, as of the last observation.
    pub now: Timestamp,
    /// Unclaimed grace of every manager of the world.
    pub grace: SignedDuration,
    /// How long what a manager knew may have been overtaken when its write lands; a fact that has held for longer must have
    /// been respected.
    pub overtaken: SignedDuration,
    objects: BTreeMap<ClusterName, Objects>,
    /// Since when each pair has had a holder, without a gap.
    held_since: BTreeMap<Pair, Timestamp>,
    /// The uid of each Network that lives and is not being deleted, and since when.
    networks: BTreeMap<NetworkPlace, (String, Timestamp)>,
    /// Planes whose past was rewritten, and when.
    rewritten: BTreeMap<ClusterName, Timestamp>,
    /// What was made by then was there before any manager ran; none where that is not known.
    first: Option<Timestamp>,
}

impl Default for Truth {
    fn default() -> Self {
        let first = crate::world::beginning().checked_add(FIRST).ok();
        Self { first, ..Self::with_times(GRACE, OVERTAKEN) }
    }
}

impl Truth {
    /// Nothing is known of a world with these times.
    #[must_use]
    pub fn with_times(grace: SignedDuration, overtaken: SignedDuration) -> Self {
        Self {
            now: Timestamp::default(),
            grace,
            overtaken,
            objects: BTreeMap::new(),
            held_since: BTreeMap::new(),
            networks: BTreeMap::new(),
            rewritten: BTreeMap::new(),
            first: None,
        }
    }

    /// Takes an observation in.
    pub fn take(&mut self, observation: &Observation) {
        match observation {
            Observation::Sent(at, _) | Observation::Answered(at, _) | Observation::Note(at, _) => {
                self.now = *at;
            }
            Observation::Commit(commit) => {
                self.now = commit.at;
                let held = self.objects.entry(commit.changed.cluster.clone()).or_default();
                match &commit.changed.after {
                    Some(after) => held.put(&commit.changed.object, after),
                    None => held.remove(&commit.changed.object),
                }
                if declares_anew(commit) {
                    self.follow(commit.changed.object.plural());
                }
            }
            Observation::Reset(at, cluster, objects) => {
                self.now = *at;
                // A plane that was not there before has no past.
                if self.objects.insert(cluster.clone(), Objects::of(objects)).is_some() {
                    self.rewritten.insert(cluster.clone(), *at);
                }
                self.follow("networkbindings");
                self.follow("networks");
            }
        }
    }

    fn follow(&mut self, plural: &str) {
        match plural {
            "namespaces" | "networkbindings" | "networkinterfaces" => {
                let held = self.holders();
                self.held_since.retain(|pair, _| held.contains_key(pair));
                for pair in held.into_keys() {
                    self.held_since.entry(pair).or_insert(self.now);
                }
            }
            "networks" => {
                let living = self.living_networks();
                let known = &mut self.networks;
                known.retain(|place, (uid, _)| living.get(place) == Some(uid));
                for (place, uid) in living {
                    known.entry(place).or_insert((uid, self.now));
                }
            }
            _ => {}
        }
    }

    fn living_networks(&self) -> BTreeMap<NetworkPlace, String> {
        let mut living = BTreeMap::new();
        for cluster in self.objects.keys() {
            for (object, network) in self.of(cluster, "networks") {
                if network.pointer("/metadata/deletionTimestamp").is_none() {
                    let place = (cluster.clone(), object.namespace.clone(), object.name.clone());
                    living.insert(place, text(network, "/metadata/uid").to_owned());
                }
            }
        }
        living
    }

    /// Objects of a plural on a plane.
    pub fn of<'a>(
        &'a self,
        cluster: &ClusterName,
        plural: &'static str,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Value)> + use<'a> {
        self.objects.get(cluster).into_iter().flat_map(move |held| held.all(plural))
    }

    /// One object.
    #[must_use]
    pub fn get(
        &self,
        cluster: &ClusterName,
        plural: &'static str,
        namespace: &str,
        name: &str,
    ) -> Option<&Value> {
        self.objects.get(cluster)?.get(plural, namespace, name)
    }

    /// Planes that exist.
    pub fn clusters(&self) -> impl Iterator<Item = &ClusterName> {
        self.objects.iter().filter(|(_, objects)| !objects.is_empty()).map(|(cluster, _)| cluster)
    }

    /// Whether a pair has a holder.
    #[must_use]
    pub fn is_held(&self, pair: &Pair) -> bool {
        self.held_since.contains_key(pair)
    }

    /// Whether a pair has had a holder all the time since `before` ago.
    #[must_use]
    pub fn is_held_for(&self, pair: &Pair, before: SignedDuration) -> bool {
        self.held_since.get(pair).is_some_and(|since| self.now.duration_since(*since) > before)
    }

    /// The living Network of a place with this uid has been there all the time since `before` ago.
    #[must_use]
    pub fn lives_for(&self, place: &NetworkPlace, uid: &str, before: SignedDuration) -> bool {
        let living = self.networks.get(place);
        living.is_some_and(|(of, since)| of == uid && self.now.duration_since(*since) > before)
    }

    /// Whether an object was there before any manager ran, on a plane that was never anything else.
    #[must_use]
    pub fn stood_first(&self, cluster: &ClusterName, object: &Value) -> bool {
        let made = text(object, "/metadata/creationTimestamp").parse::<Timestamp>();
        !self.rewritten.contains_key(cluster)
            && self.first.zip(made.ok()).is_some_and(|(first, made)| made <= first)
    }

    /// Whether a plane's past was rewritten less than this ago.
    #[must_use]
    pub fn is_rewritten_within(&self, cluster: &ClusterName, span: SignedDuration) -> bool {
        self.rewritten.get(cluster).is_some_and(|at| self.now.duration_since(*at) <= span)
    }
}

/// Whether a change may declare something else than before: most change no more than what controllers say.
fn declares_anew(commit: &Commit) -> bool {
    let (Some(before), Some(after)) = (&commit.changed.before, &commit.changed.after) else { return true };
    let said = ["/spec", "/metadata/labels", "/metadata/uid", "/metadata/deletionTimestamp"];
    said.into_iter().any(|pointer| before.pointer(pointer) != after.pointer(pointer))
}

/// A text in an object; empty where there is none.
#[must_use]
pub fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A label; empty where there is none.
#[must_use]
pub fn label<'a>(object: &'a Value, key: &str) -> &'a str {
    let labels = object.pointer("/metadata/labels");
    labels.and_then(|labels| labels.get(key)).and_then(Value::as_str).unwrap_or_default()
}

/// Status and reason of a condition.
#[must_use]
pub fn condition<'a>(object: &'a Value, type_: &str) -> Option<(&'a str, &'a str)> {
    let conditions = object.pointer("/status/conditions")?.as_array()?;
    let found = conditions.iter().find(|condition| condition["type"] == type_)?;
    Some((text(found, "/status"), text(found, "/reason")))
}

/// Whether an object is being deleted.
#[must_use]
pub fn is_going(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

/// Whether an object is a copy of one elsewhere.
#[must_use]
pub fn is_copy(object: &Value) -> bool {
    !label(object, labels::UPSTREAM_NAME).is_empty()
}
