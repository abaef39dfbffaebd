//! One control plane of a world: the real server core, what it looks like from outside, and its states of the past.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::ClusterName;
use api::cluster::ClusterRole;
use apiserver::plane::PlaneSpec;
use apiserver::store::{Batch, Key, Store};
use apiserver::{Config, Server};
use jiff::Timestamp;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

/// Name of the one plane that a server of a world has.
const PLANE: &str = "plane";

/// A plane that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PlaneError {
    /// A kind's definition is broken.
    #[error(transparent)]
    Definition(#[from] api::crd::DefinitionError),
    /// The server does not start with it.
    #[error(transparent)]
    Start(#[from] apiserver::StartError),
}

/// Servers as they are before anything happened, one for each role: made once, copied for each world.
#[derive(Clone)]
pub struct Templates(BTreeMap<ClusterRole, Server>);

impl Templates {
    /// Compiles every kind of every role, as of the time at which worlds begin.
    ///
    /// # Errors
    /// If a definition is broken.
    pub fn new() -> Result<Self, PlaneError> {
        let now = crate::world::beginning();
        let roles = [ClusterRole::Core, ClusterRole::Hub, ClusterRole::Project, ClusterRole::Cell];
        let made = roles.into_iter().map(|role| Ok((role, empty(role, now)?)));
        made.collect::<Result<_, PlaneError>>().map(Self)
    }
}

/// A server with the kinds of a role and nothing else.
fn empty(role: ClusterRole, now: Timestamp) -> Result<Server, PlaneError> {
    let crds = api::crd::for_plane(role).map(api::crd::Entry::definition).collect::<Result<_, _>>()?;
    let plane = PlaneSpec { name: PLANE.to_owned(), crds, ..PlaneSpec::default() };
    let config = Config { planes: vec![plane], durable: true, ..Config::default() };
    let generator = ChaCha12Rng::seed_from_u64(0);
    let (mut server, _) = Server::start(config, Store::default(), generator, now)?;
    // What a start writes, and what the server and its collectors write because of it, is durable before the first world
    // sees it: an answer that waits for it would never come.
    loop {
        let up_to = server.committed_revision();
        let mut outputs = server.handle(now, apiserver::Input::Persisted { up_to });
        outputs.extend(server.handle(now, apiserver::Input::Tick));
        if !outputs.iter().any(is_work) {
            return Ok(server);
        }
    }
}

fn is_work(output: &apiserver::Output) -> bool {
    matches!(output, apiserver::Output::Persist(_))
}

/// What a world sees of an object: plural, namespace, name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectRef {
    /// Group and plural as storage names them, such as `networking.datumapis.com/networks`.
    pub storage: String,
    /// Namespace; empty where there is none.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl ObjectRef {
    fn of(key: &Key) -> Self {
        Self {
            storage: key.storage().to_owned(),
            namespace: key.namespace().unwrap_or_default().to_owned(),
            name: key.name().to_owned(),
        }
    }

    /// The plural alone.
    #[must_use]
    pub fn plural(&self) -> &str {
        self.storage.rsplit('/').next().unwrap_or_default()
    }
}

impl std::fmt::Display for ObjectRef {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.namespace.is_empty() {
            write!(formatter, "{}/{}", self.plural(), self.name)
        } else {
            write!(formatter, "{}/{}/{}", self.plural(), self.namespace, self.name)
        }
    }
}

/// One object's change.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The plane.
    pub cluster: ClusterName,
    /// Which object.
    pub object: ObjectRef,
    /// Before; none for a creation.
    pub before: Option<Arc<Value>>,
    /// After; none for a removal.
    pub after: Option<Arc<Value>>,
}

/// See the module.
pub struct Plane {
    /// Which one it is.
    pub cluster: ClusterName,
    /// The server.
    pub server: Server,
    /// What exists, decoded.
    pub objects: BTreeMap<ObjectRef, Arc<Value>>,
    /// When the server wants to be woken.
    pub wake: Timestamp,
    /// Whether it answers at all.
    pub is_up: bool,
    /// Whether it is away until it comes back with an older state.
    pub is_restoring: bool,
    /// Changes whenever the plane is another one than before: what a provider would notice.
    pub identity: String,
    /// Plurals that managers are not allowed to touch.
    pub forbidden: BTreeSet<String>,
    /// Plurals that are not served.
    pub unserved: BTreeSet<String>,
    /// Plurals whose lists take long.
    pub slow: BTreeSet<String>,
    /// Objects, by plural and name, of which a webhook denies every write of a manager.
    pub denied: BTreeSet<(String, String)>,
    /// Uids of objects that managers are told in a form that does not decode.
    pub malformed: BTreeSet<String>,
    /// Whether managers' credentials are refused.
    pub refuses_credentials: bool,
    saved: Option<(Server, BTreeMap<ObjectRef, Arc<Value>>)>,
}

impl Plane {
    /// A fresh plane. The seed decides its uids.
    #[must_use]
    pub fn new(templates: &Templates, cluster: ClusterName, identity: String, seed: u64) -> Option<Self> {
        let mut server = templates.0.get(&cluster.role())?.clone();
        server.reseed(ChaCha12Rng::seed_from_u64(seed));
        let mut objects = BTreeMap::new();
        for (key, stored) in server.objects() {
            objects.insert(ObjectRef::of(key), stored);
        }
        let (forbidden, unserved) = (BTreeSet::new(), BTreeSet::new());
        let wake = Timestamp::MAX;
        Some(Self {
            cluster,
            server,
            objects,
            wake,
            is_up: true,
            is_restoring: false,
            identity,
            forbidden,
            unserved,
            slow: BTreeSet::new(),
            denied: BTreeSet::new(),
            malformed: BTreeSet::new(),
            refuses_credentials: false,
            saved: None,
        })
    }

    /// Takes a batch in that the server wants to be durable, and says what it changed.
    pub fn persisted(&mut self, batch: &Batch) -> Vec<Changed> {
        let mut changes = Vec::with_capacity(batch.entries.len());
        for (key, bytes) in &batch.entries {
            let object = ObjectRef::of(key);
            let after = bytes.as_ref().and_then(|bytes| serde_json::from_slice(bytes).ok()).map(Arc::new);
            let before = match &after {
                Some(after) => self.objects.insert(object.clone(), Arc::clone(after)),
                None => self.objects.remove(&object),
            };
            changes.push(Changed { cluster: self.cluster.clone(), object, before, after });
        }
        changes
    }

    /// Remembers the present state, to come back to it.
    pub fn save(&mut self) {
        self.saved = Some((self.server.clone(), self.objects.clone()));
    }

    /// Whether there is a state to come back to.
    #[must_use]
    pub fn has_saved(&self) -> bool {
        self.saved.is_some()
    }

    /// Comes back with the state that was saved; false if there is none.
    pub fn restore(&mut self) -> bool {
        let Some((server, objects)) = self.saved.take() else { return false };
        self.server = server;
        self.objects = objects;
        true
    }

    /// Objects of one plural.
    pub fn of_plural<'a>(
        &'a self,
        plural: &'a str,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Arc<Value>)> + 'a {
        self.objects.iter().filter(move |(object, _)| object.plural() == plural)
    }
}

/// Path of the collection that an object is in.
#[must_use]
pub fn collection_of(object: &ObjectRef, value: &Value) -> String {
    let version = value["apiVersion"].as_str().unwrap_or_default();
    let root = if version.contains('/') { "/apis" } else { "/api" };
    let namespace = match object.namespace.as_str() {
        "" => String::new(),
        namespace => format!("/namespaces/{namespace}"),
    };
    format!("{root}/{version}{namespace}/{}", object.plural())
}

/// Path of an object.
#[must_use]
pub fn path_of(object: &ObjectRef, value: &Value) -> String {
    format!("{}/{}", collection_of(object, value), object.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_fresh_plane_waits_to_be_durable() {
        for (role, server) in &Templates::new().unwrap().0 {
            assert_eq!(server.committed_revision(), server.revision(), "{role}");
        }
    }
}
