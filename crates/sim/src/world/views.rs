//! What each process sees of each object, as versions: it must only ever get newer, own writes included, unless the plane
//! itself went back.

use std::collections::{BTreeMap, BTreeSet};

use api::{ClusterName, ObjectKey};
use engine::{Answer, Body, Engine, Input, StoreId, Watched};
use reconcile::Object;

use super::World;
use crate::network::ManagerId;

/// One object in one store of one process. A store lives as long as the engagement of its plane.
type Place = (ManagerId, StoreId, ObjectKey);

/// An older version than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepBack {
    /// Who sees it.
    pub manager: ManagerId,
    /// The plane.
    pub cluster: ClusterName,
    /// The object.
    pub object: ObjectKey,
    /// The version that was seen, or the first that could follow it.
    pub floor: u64,
    /// The version that is seen now.
    pub seen: u64,
}

/// What was seen so far.
#[derive(Debug, Default)]
pub(super) struct Views {
    floors: BTreeMap<Place, u64>,
    known: BTreeSet<ClusterName>,
    /// Planes whose past was rewritten: an older state there is a new one.
    rewritten: BTreeSet<ClusterName>,
    found: Option<StepBack>,
}

/// Objects that an input is about, and whether it may end them.
pub(super) type Touched = Vec<(StoreId, ObjectKey, Touch)>;

/// What an input does to an object, as far as versions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// List or watch tell of it.
    Told,
    /// The watch tells that it ended at this version.
    Ended(u64),
    /// A write of this process was applied, and answered with this version, if with any.
    Written(u64),
}

/// Objects that an input is about.
pub(super) fn touched(engine: &Engine, input: &Input) -> Touched {
    match input {
        Input::Listed(store, _, Ok(page)) => {
            let keys = page.objects.iter().map(|object| object.meta.key.clone());
            keys.map(|key| (*store, key, Touch::Told)).collect()
        }
        Input::Watched(store, _, Watched::Applied(object)) => {
            vec![(*store, object.meta.key.clone(), Touch::Told)]
        }
        Input::Watched(store, _, Watched::Deleted(object)) => {
            vec![(*store, object.meta.key.clone(), Touch::Ended(version_of(object)))]
        }
        Input::Answered(step, Answer::Replied { code: 200..300, body, .. }) => {
            let version = match body {
                Body::Object(object) => version_of(object),
                Body::Status(_) | Body::Plain(_) => 0,
            };
            let written = engine.written_by(*step);
            written.map(|(store, key)| (store, key, Touch::Written(version))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn version_of(object: &Object) -> u64 {
    object.meta.version.as_str().parse().unwrap_or_default()
}

impl World {
    /// A process has taken in what is told of these objects.
    pub(super) fn compare_views(&mut self, id: ManagerId, touched: Touched) {
        let Some(engine) = self.managers.get(&id).map(|manager| &manager.engine) else { return };
        for (store, object, touch) in touched {
            let Some(cluster) = engine.plane_of(store) else { continue };
            let seen = engine.version_seen(store, &object);
            let place = (id, store, object.clone());
            let known = self.views.floors.get(&place).copied().unwrap_or_default();
            let floor = if let Touch::Written(version) = touch { known.max(version) } else { known };
            if let Some(seen) = seen.filter(|seen| *seen < floor)
                && !self.views.rewritten.contains(cluster)
            {
                let (manager, cluster) = (id, cluster.clone());
                self.views.found.get_or_insert(StepBack { manager, cluster, object, floor, seen });
                continue;
            }
            let next = match (seen, touch) {
                (Some(seen), _) => seen,
                (None, Touch::Ended(version)) => version,
                // It is gone by our own hand: what it was before must not be seen again.
                (None, Touch::Written(_)) => floor + 1,
                (None, Touch::Told) => floor,
            };
            self.views.floors.insert(place, next.max(floor));
        }
    }

    /// A plane is there, as it never was or as it was before.
    pub(super) fn view_rewritten(&mut self, cluster: &ClusterName) {
        if !self.views.known.insert(cluster.clone()) {
            self.views.rewritten.insert(cluster.clone());
        }
    }

    /// A process is gone, and what it saw with it.
    pub(super) fn forget_views(&mut self, id: ManagerId) {
        self.views.floors.retain(|(of, ..), _| *of != id);
    }

    /// The first older version that a process saw after a newer one.
    #[must_use]
    pub fn step_back(&self) -> Option<&StepBack> {
        self.views.found.as_ref()
    }
}
