//! The name a new context gets: the plain one, or the hashed one if somebody else has that (decisions 9).

use api::networking::NetworkContext;
use api::{ObjectKey, ObjectName};
use federation::{ContextFacts, PresenceKey};
use reconcile::{Sight, Target, View};

/// Where a new context would be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Here: the name is free.
    Free(Target),
    /// Nowhere: both names are held by others; these.
    Taken(String),
    /// It cannot be told.
    Unknown,
}

/// Reads the plain name, and the hashed one only if the plain one cannot be used.
pub(super) fn observe(view: &View<'_>, key: &PresenceKey) -> Place {
    let names = [key.plain_name(), Some(key.hashed_name())];
    let mut taken = Vec::new();
    for name in names.into_iter().flatten() {
        let object = ObjectKey::namespaced(key.namespace.clone(), name);
        match view.object::<ContextFacts>(&key.cluster(), &object) {
            Sight::Absent => return Place::Free(Target::of::<NetworkContext>(key.cluster(), object)),
            Sight::Present(_) | Sight::Invalid(_) => taken.push(object.name),
            Sight::NotServed | Sight::Unknown(_) => return Place::Unknown,
        }
    }
    Place::Taken(taken.iter().map(ObjectName::as_str).collect::<Vec<_>>().join(" and "))
}
