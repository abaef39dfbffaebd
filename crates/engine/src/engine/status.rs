//! What the engine can tell about itself: readiness, gauges, and explanations.

use std::panic::{AssertUnwindSafe, catch_unwind};

use api::{ClusterName, ObjectKey, ResourceKind};
use jiff::Timestamp;
use reconcile::{Attempts, Content, Plan, View};
use serde::Serialize;
use serde_json::Value;

use super::Engine;
use super::passes::encode;
use crate::explain::Explanation;
use crate::ids::{KeyId, StoreId};
use crate::recorder::Recorder;
use crate::request::{Held, of_step};
use crate::store::{Store, StoreState};
use crate::world::Read;

/// One kind on one cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindStatus {
    /// The resource, such as `networks.networking.datumapis.com`.
    pub resource: String,
    /// `Synced`, or why not.
    pub state: String,
    /// Objects held.
    pub objects: usize,
    /// Since when lists or watches fail, and the words of the last failure.
    pub failing: Option<(Timestamp, String)>,
}

/// One engaged cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterStatus {
    /// The plane.
    pub cluster: ClusterName,
    /// Since when it does not answer.
    pub unreachable_since: Option<Timestamp>,
    /// Its kinds.
    pub kinds: Vec<KindStatus>,
}

/// What one key waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyVerdict {
    /// The controller.
    pub controller: &'static str,
    /// The key as text.
    pub key: String,
    /// Reason and message; `None` if it is settled.
    pub waiting: Option<(&'static str, String)>,
}

/// The engine at a glance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Whether this process may act.
    pub is_leading: bool,
    /// Holder of each lease as far as it was seen.
    pub lease_holders: Vec<Option<String>>,
    /// Engaged clusters.
    pub clusters: Vec<ClusterStatus>,
    /// Keys known.
    pub keys: usize,
    /// Reads that a key keeps, on average.
    pub reads_per_key: usize,
    /// Keys that wait for their turn.
    pub queued: usize,
    /// Keys that wait for a time.
    pub later: usize,
    /// Steps on the wire.
    pub in_flight: usize,
    /// Fences that have not passed.
    pub fences: usize,
    /// Groups of keys that wait for a first list.
    pub holds: usize,
    /// Keys that wait for something outside, by reason.
    pub waiting: std::collections::BTreeMap<String, usize>,
}

impl Engine {
    /// The engine at a glance.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut waiting = std::collections::BTreeMap::new();
        for (_, state) in self.keys.iter() {
            if let Some(Some((reason, _))) = &state.waiting {
                *waiting.entry((*reason).to_owned()).or_default() += 1;
            }
        }
        Status {
            is_leading: self.is_leading(),
            lease_holders: self.leases.iter().map(|lease| lease.holder().map(str::to_owned)).collect(),
            clusters: self
                .world
                .engaged()
                .map(|(id, _)| id)
                .filter_map(|id| self.cluster_status(id))
                .collect(),
            keys: self.keys.len(),
            reads_per_key: self.reads_per_key(),
            queued: self.queue.ready_len(),
            later: self.queue.later_len(),
            in_flight: self.on_wire.len(),
            fences: self.fences.len(),
            holds: self.holds.len(),
            waiting,
        }
    }

    fn cluster_status(&self, id: crate::ids::ClusterId) -> Option<ClusterStatus> {
        let cluster = self.world.cluster(id)?;
        let stores = self.world.stores().filter(|(_, store)| store.cluster == id);
        let kinds = stores.map(|(store, held)| KindStatus {
            resource: held.kind.resource.to_string(),
            state: format!("{:?}", held.state()),
            objects: held.len(),
            failing: self.informers.get(&store).and_then(|informer| informer.failing_since.clone()),
        });
        Some(ClusterStatus {
            cluster: cluster.name.clone(),
            unreachable_since: cluster.unreachable_since(),
            kinds: kinds.collect(),
        })
    }

    /// Whether there is nothing to do until something outside changes: no key wants a pass, nothing is on the wire, no
    /// list runs, and every known kind has synced or said why not.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let is_quiet = self.queue.ready_len() == 0 && self.queue.later_len() == 0 && self.on_wire.is_empty();
        let is_synced = self.world.stores().all(|(_, store)| store.state() != StoreState::Starting);
        is_quiet
            && is_synced
            && self.fences.is_empty()
            && self.holds.is_empty()
            && self.world.woken.is_empty()
            && (self.withheld.is_empty() || !self.may_act())
    }

    /// Keys by controller, with what each waits for (`None`: settled).
    #[must_use]
    pub fn verdicts(&self) -> Vec<KeyVerdict> {
        let known = self.keys.iter().filter_map(|(key, state)| Some((key, state.waiting.clone()?)));
        known
            .map(|(key, waiting)| KeyVerdict {
                controller: self.controller_name(key.controller),
                key: self.key_text(key),
                waiting,
            })
            .collect()
    }

    /// How many reads each key keeps on average, for benches.
    #[must_use]
    pub fn reads_per_key(&self) -> usize {
        let reads: usize = self.keys.iter().map(|(_, state)| state.reads.len()).sum();
        reads.checked_div(self.keys.len()).unwrap_or(0)
    }

    /// Explains every key that an object makes exist. Nothing is subscribed and nothing is sent.
    pub fn explain(
        &mut self,
        cluster: &ClusterName,
        resource: ResourceKind,
        object: &ObjectKey,
    ) -> Vec<Explanation> {
        let place = self.world.store_named(cluster, resource).map(|(store, _)| store);
        let Some(store) = place else { return Vec::new() };
        let slot = self.world.store(store).and_then(|held| held.find_id(object));
        let keys = slot.map(|slot| self.keys_of(store, slot)).unwrap_or_default();
        let shown = self.world.with_store(store, |held, _| shown(held, object)).flatten();
        let shown = shown.unwrap_or(Value::Null);
        keys.into_iter().filter_map(|key| self.explain_key(key, &shown)).collect()
    }

    fn explain_key(&mut self, key: KeyId, object: &Value) -> Option<Explanation> {
        let now = self.world.now.monotonic;
        let attempts = self.keys.get(&key).map(|state| state.attempts(now)).unwrap_or_default();
        let controller = self.controllers.get(usize::from(key.controller.0))?;
        let mut recorder = Recorder::new(&mut self.world, None, attempts.clone());
        recorder.trace = Some(Vec::new());
        let planned =
            catch_unwind(AssertUnwindSafe(|| controller.pass(key.number, &View::new(&mut recorder))));
        let plan = planned.unwrap_or_else(|_| Some(panicked()))?;
        let (reads, trace) = (recorder.reads, recorder.trace.unwrap_or_default());
        let deadlines = reads.iter().filter_map(|read| match read {
            Read::Deadline(at) => Some(*at),
            _ => None,
        });
        let steps = plan.steps.into_iter().filter(|step| self.would_send(step)).collect();
        Some(Explanation {
            controller: self.controller_name(key.controller),
            key: self.key_text(key),
            object: object.clone(),
            reads: trace,
            verdict: plan.verdict,
            steps,
            attempts: Attempts(attempts.0),
            deadlines: deadlines.collect(),
        })
    }

    fn would_send(&self, step: &reconcile::Step) -> bool {
        let encoded = encode(&self.world, step);
        let store = self.world.store_named(&step.target.cluster, step.target.resource);
        let object = store.and_then(|(_, store)| store.find(&step.target.key)?.object());
        let held = object.zip(encoded.as_ref()).map(|(object, encoded)| Held { meta: &object.meta, encoded });
        of_step(step, held, "", self.settings.step_timeout).is_some()
    }

    /// Since when lists or watches of a store fail.
    #[must_use]
    pub fn failing_since(&self, store: StoreId) -> Option<(Timestamp, String)> {
        self.informers.get(&store)?.failing_since.clone()
    }
}

/// What is told of a key whose pass panics.
fn panicked() -> Plan {
    let text = "the pass of this object panics, which is a defect of this program; please report it with this \
        explanation and the log. It is tried again when something it read changes";
    Plan::waiting("Panicked", text)
}

/// An object as JSON, if it is there and decodes.
fn shown(store: &Store, object: &ObjectKey) -> Option<Value> {
    match &store.find(object)?.object()?.content {
        Content::Typed(typed) => Some((store.kind.encode)(&**typed)),
        Content::Invalid(_) => None,
    }
}
