//! Controllers without their key types: what the engine runs.

use std::collections::BTreeMap;
use std::fmt;

use api::cluster::ClusterRole;
use api::{ClusterName, ObjectKey, ProjectName};
use reconcile::{Controller, FacetEntry, Plan, Roots, View};

/// One root kind of a controller, without its key type.
#[derive(Clone, Copy)]
pub struct RootKind {
    /// On which planes.
    pub role: ClusterRole,
    /// What the derivation looks at; also says the kind.
    pub facet: FacetEntry,
}

/// A controller whose keys are numbers.
pub trait Registration {
    /// The controller's name.
    fn name(&self) -> &'static str;
    /// Its root kinds, in order.
    fn root_kinds(&self) -> Vec<RootKind>;
    /// The keys of one object by the root of this number; `None` while that cannot be told.
    fn derive(
        &mut self,
        root: usize,
        view: &View<'_>,
        cluster: &ClusterName,
        object: &ObjectKey,
    ) -> Option<Vec<u32>>;
    /// Observes and plans.
    fn pass(&self, key: u32, view: &View<'_>) -> Option<Plan>;
    /// The key as text.
    fn text(&self, key: u32) -> String;
    /// The project of a key.
    fn project(&self, key: u32) -> Option<ProjectName>;
    /// Gives the number back; it may be used for another key.
    fn forget(&mut self, key: u32);
    /// How many keys have a number.
    fn keys_len(&self) -> usize;
}

impl fmt::Debug for dyn Registration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Registration({})", self.name())
    }
}

/// Registers a controller.
#[must_use]
pub fn register<C: Controller>() -> Box<dyn Registration> {
    Box::new(Registered::<C> {
        roots: C::roots(),
        numbers: BTreeMap::new(),
        keys: BTreeMap::new(),
        free: Vec::new(),
        next: 0,
    })
}

struct Registered<C: Controller> {
    roots: Roots<C::Key>,
    numbers: BTreeMap<C::Key, u32>,
    keys: BTreeMap<u32, C::Key>,
    free: Vec<u32>,
    next: u32,
}

impl<C: Controller> Registered<C> {
    fn number(&mut self, key: C::Key) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        self.keys.insert(number, key.clone());
        self.numbers.insert(key, number);
        number
    }
}

impl<C: Controller> Registration for Registered<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn root_kinds(&self) -> Vec<RootKind> {
        self.roots.roots.iter().map(|root| RootKind { role: root.role, facet: root.facet }).collect()
    }

    fn derive(
        &mut self,
        root: usize,
        view: &View<'_>,
        cluster: &ClusterName,
        object: &ObjectKey,
    ) -> Option<Vec<u32>> {
        let derive = &self.roots.roots.get(root)?.derive;
        let keys = derive(view, cluster, object)?;
        Some(keys.into_iter().map(|key| self.number(key)).collect())
    }

    fn pass(&self, key: u32, view: &View<'_>) -> Option<Plan> {
        let key = self.keys.get(&key)?;
        Some(C::plan(&C::observe(view, key)))
    }

    fn text(&self, key: u32) -> String {
        self.keys.get(&key).map_or_else(|| format!("forgotten key {key}"), ToString::to_string)
    }

    fn project(&self, key: u32) -> Option<ProjectName> {
        self.keys.get(&key).and_then(C::project)
    }

    fn forget(&mut self, key: u32) {
        if let Some(text) = self.keys.remove(&key) {
            self.numbers.remove(&text);
            self.free.push(key);
        }
    }

    fn keys_len(&self) -> usize {
        self.keys.len()
    }
}
