//! The engine's side of a view: answers reads from the world and records each one for its reader.

use std::any::Any;
use std::sync::Arc;

use api::cluster::ClusterRole;
use api::{ClusterName, NamespaceName, ObjectKey};
use jiff::Timestamp;
use reconcile::{
    Attempts, ClusterSight, FacetEntry, IndexEntry, IndexValue, KindEntry, Sight, Source, Unknown,
};
use serde_json::Value;

use crate::explain::{Trace, shown};
use crate::ids::{Reader, StoreId};
use crate::store::{Look, Membership, Store};
use crate::world::{Read, World};

/// A certain absence that a pass saw; what a fence confirms.
pub type AbsenceRead = StoreId;

/// Room for the reads of most passes.
const USUAL_READS: usize = 24;

/// Records the reads of one pass or derivation.
pub struct Recorder<'a> {
    world: &'a mut World,
    reader: Option<Reader>,
    attempts: Attempts,
    /// What was read, as it was; a [`crate::world::ReadSet`] puts it in order.
    pub reads: Vec<Read>,
    /// Stores in which something was seen to be absent or an index value to be empty.
    pub absences: Vec<AbsenceRead>,
    /// Whether something could not be told.
    pub uncertain: bool,
    /// What could not be told will tell itself: its plane is engaged.
    pub blind: bool,
    /// Stores whose first list has not finished.
    pub cold: Vec<StoreId>,
    /// Deadlines that were seen to have come.
    pub reached: Vec<Timestamp>,
    /// Explanations, if somebody wants them.
    pub trace: Option<Vec<Trace>>,
}

impl<'a> Recorder<'a> {
    /// Records for a reader; without one nothing is subscribed (explanations).
    pub fn new(world: &'a mut World, reader: Option<Reader>, attempts: Attempts) -> Self {
        Self {
            world,
            reader,
            attempts,
            reads: Vec::with_capacity(USUAL_READS),
            absences: Vec::new(),
            uncertain: false,
            blind: false,
            cold: Vec::new(),
            reached: Vec::new(),
            trace: None,
        }
    }

    /// Notes a read that is not about a store's content; most are made many times in a pass.
    fn note(&mut self, read: Read) {
        if self.reads.contains(&read) {
            return;
        }
        if let Some(reader) = self.reader {
            self.world.remember(reader, read);
        }
        self.reads.push(read);
    }

    fn explain(
        &mut self,
        cluster: &ClusterName,
        what: impl FnOnce() -> String,
        said: impl FnOnce() -> Value,
    ) {
        if let Some(trace) = &mut self.trace {
            trace.push(Trace { cluster: cluster.clone(), read: what(), said: said() });
        }
    }

    /// The store, recorded; or what a cluster without it says.
    fn store<T>(&mut self, cluster: &ClusterName, kind: &'static KindEntry) -> Result<StoreId, Sight<T>> {
        let id = self.world.cluster_id(cluster);
        if let Some(store) = self.world.store_for(id, kind) {
            self.note(Read::State(store));
            return Ok(store);
        }
        self.note(Read::Cluster(id));
        Err(Sight::Unknown(Unknown::NotEngaged))
    }

    /// Notes what kind of answer was given.
    fn judge<T>(&mut self, store: Option<StoreId>, sight: &Sight<T>, is_empty: impl FnOnce(&T) -> bool) {
        match sight {
            Sight::Present(value) if !is_empty(value) => {}
            Sight::Present(_) | Sight::Absent => self.absences.extend(store),
            Sight::Unknown(Unknown::Starting) => {
                self.doubt(true);
                self.cold.extend(store);
            }
            Sight::Unknown(Unknown::NotEngaged) => self.doubt(false),
            // A kind that is not served is not one without objects: they are all there when it is served again.
            Sight::Invalid(_) | Sight::Unknown(_) | Sight::NotServed => self.doubt(true),
        }
    }

    fn doubt(&mut self, is_engaged: bool) {
        self.uncertain = true;
        self.blind |= is_engaged;
    }
}

impl Source for Recorder<'_> {
    fn object(
        &mut self,
        cluster: &ClusterName,
        facet: FacetEntry,
        key: &ObjectKey,
    ) -> Sight<Arc<dyn Any + Send + Sync>> {
        let what = || format!("{} {key}", facet.kind.resource.kind);
        let store = match self.store(cluster, facet.kind) {
            Ok(store) => store,
            Err(sight) => {
                self.judge(None, &sight, |_| false);
                self.explain(cluster, what, || shown(&sight, |_| Value::Null));
                return sight;
            }
        };
        let reader = self.reader;
        let read = self.world.with_store(store, |held, _| match reader {
            Some(reader) => {
                let (sight, slot, look) = held.read_as(key, &Look::of(facet), reader);
                (sight, Some(Read::Object(store, slot, look)))
            }
            None => (held.read(key), None),
        });
        let Some((sight, read)) = read else { return Sight::Unknown(Unknown::NotEngaged) };
        self.reads.extend(read);
        self.judge(Some(store), &sight, |_| false);
        self.explain(cluster, what, || shown(&sight, |object| (facet.show)(&**object)));
        sight
    }

    fn names(
        &mut self,
        cluster: &ClusterName,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<Vec<ObjectKey>> {
        let read = |store: &mut Store| store.read_names(index, namespace, value);
        let sight =
            self.index(cluster, index, (namespace, value), (read, |_| Membership::Names, Vec::is_empty));
        let what = || index_text(index, namespace, value);
        self.explain(cluster, what, || shown(&sight, |keys| keys.iter().map(ToString::to_string).collect()));
        sight
    }

    fn count(
        &mut self,
        cluster: &ClusterName,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<usize> {
        let read = |store: &mut Store| store.read_count(index, namespace, value);
        let seen = |count: Option<&usize>| Membership::Count(count.copied().unwrap_or(0));
        let sight = self.index(cluster, index, (namespace, value), (read, seen, |count: &usize| *count == 0));
        let what = || format!("number of {}", index_text(index, namespace, value));
        self.explain(cluster, what, || shown(&sight, |count| (*count).into()));
        sight
    }

    fn clusters(&mut self, role: ClusterRole) -> Vec<ClusterName> {
        self.note(Read::Role(role));
        self.world.clusters_of(role)
    }

    fn cluster(&mut self, cluster: &ClusterName) -> ClusterSight {
        let id = self.world.cluster_id(cluster);
        self.note(Read::Cluster(id));
        let sight = self.world.cluster_sight(id);
        let since = self.world.cluster(id).and_then(crate::world::Cluster::unreachable_since);
        self.explain(
            cluster,
            || "the plane".to_owned(),
            || match since {
                Some(since) => format!("{sight:?} since {since}").into(),
                None => format!("{sight:?}").into(),
            },
        );
        match sight {
            ClusterSight::Ready | ClusterSight::NotServed => {}
            ClusterSight::NotEngaged => self.doubt(false),
            ClusterSight::Starting | ClusterSight::Unreachable | ClusterSight::Forbidden => self.doubt(true),
        }
        sight
    }

    fn kind(&mut self, cluster: &ClusterName, kind: &'static KindEntry) -> ClusterSight {
        let sight = match self.store::<()>(cluster, kind) {
            Ok(store) => self.world.kind_sight(store),
            Err(_) => ClusterSight::NotEngaged,
        };
        self.explain(cluster, || format!("kind {}", kind.resource), || format!("{sight:?}").into());
        sight
    }

    fn configuration(&mut self) -> Arc<dyn Any + Send + Sync> {
        self.note(Read::Configuration);
        self.world.configuration()
    }

    fn reached(&mut self, at: Timestamp) -> bool {
        let reached = at <= self.world.now.wall;
        if reached {
            self.reached.push(at);
        } else {
            self.note(Read::Deadline(at));
        }
        reached
    }

    fn now(&self) -> Timestamp {
        self.world.now.wall
    }

    fn attempts(&self) -> Attempts {
        self.attempts.clone()
    }
}

impl Recorder<'_> {
    /// Reads an index value and subscribes to what was seen of it.
    fn index<T>(
        &mut self,
        cluster: &ClusterName,
        index: IndexEntry,
        (namespace, value): (Option<&NamespaceName>, &IndexValue),
        (read, seen, is_empty): (
            impl FnOnce(&mut Store) -> Sight<T>,
            impl FnOnce(Option<&T>) -> Membership,
            impl FnOnce(&T) -> bool,
        ),
    ) -> Sight<T> {
        let store = match self.store(cluster, index.kind) {
            Ok(store) => store,
            Err(sight) => {
                self.judge(None, &sight, |_| false);
                return sight;
            }
        };
        let reader = self.reader;
        let read = self.world.with_store(store, |held, _| {
            let sight = read(held);
            let read = reader.map(|reader| {
                let asked = (reader, seen(sight.present()));
                let (index, value) = held.subscribe_index(index, namespace, value, asked);
                Read::Index(store, index, value)
            });
            (sight, read)
        });
        let Some((sight, read)) = read else { return Sight::Unknown(Unknown::NotEngaged) };
        self.reads.extend(read);
        self.judge(Some(store), &sight, is_empty);
        sight
    }
}

fn index_text(index: IndexEntry, namespace: Option<&NamespaceName>, value: &IndexValue) -> String {
    let place = namespace.map(|namespace| format!(" in {namespace}")).unwrap_or_default();
    format!("{} by {} ({value}){place}", index.kind.resource.plural, index.name)
}
