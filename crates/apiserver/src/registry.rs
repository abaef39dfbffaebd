//! Resources that code outside this crate decides about: their registration, and the hooks of their strategy.
//!
//! A registered resource is data like any other (names, schema, columns, selectable fields; no definition object is
//! stored for it), and a [`Strategy`] that takes part in every write of it. The strategy sees and changes further
//! objects through a [`Transaction`], which commits together with the object or not at all. It is called inside the
//! state machine, one write at a time, so what it reads cannot change under it.

#[cfg(test)]
mod tests;
mod transaction;

use std::fmt::Debug;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::field_error::FieldError;
use crate::identity::User;
use crate::resource::{Catalog, Resource};
use crate::server::{Server, StartError};
use crate::status::Failure;
use crate::store::{Key, WriteSet};

pub use transaction::Transaction;

/// A resource and the code that decides about its objects.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Names, scope, versions with schema, columns, selectable fields and subresources, in the form of a
    /// `CustomResourceDefinition`. It is compiled at the start and never stored.
    pub definition: Value,
    /// Where it is served.
    pub planes: Vec<ServedOn>,
    /// Who decides.
    pub strategy: Arc<dyn Strategy>,
}

/// Planes that serve a registered resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServedOn {
    /// The plane of this name.
    Plane(String),
    /// Every project's plane.
    Projects,
}

impl ServedOn {
    fn covers(&self, plane: &str, is_project: bool) -> bool {
        match self {
            Self::Plane(name) => name == plane,
            Self::Projects => is_project,
        }
    }
}

/// The write a strategy is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Writing<'a> {
    /// The plane of the object.
    pub plane: &'a str,
    /// Its resource, for the constructors of [`Failure`].
    pub resource: &'a Resource,
    /// Empty for the resource itself, or `status`.
    pub subresource: &'a str,
    /// Who writes; `None` for the server itself (garbage collection, namespaces that go).
    pub user: Option<&'a User>,
    /// Whether nothing of this will be kept. The answer must be the same as without.
    pub dry_run: bool,
    /// The time of the write.
    pub now: Timestamp,
}

impl<'a> Writing<'a> {
    /// What the server does by itself.
    pub(crate) fn inside(resource: &'a Resource, key: &'a Key, now: Timestamp) -> Self {
        Self { plane: key.plane(), resource, subresource: "", user: None, dry_run: false, now }
    }
}

/// What code decides about the objects of one resource. Every hook has a default that does nothing.
///
/// Order of a write: `fill`, ownership, admission, system fields, schema and `validate`, then `create` or `update`,
/// then the commit. A [`Failure`] of any hook is the answer, and nothing is kept.
pub trait Strategy: Debug + Send + Sync {
    /// Sets fields that follow from others, as if the client had sent them so (the writer owns them).
    fn fill(&self, new: &mut Value) {
        let _ = new;
    }

    /// Findings beyond the schema, answered together with the schema's as 422.
    fn validate(&self, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
        let _ = (new, old);
        Vec::new()
    }

    /// A valid new object (with uid; without status, where that is written apart) is about to be stored. What the hook
    /// sets in `new`, the status included, is stored and answered.
    ///
    /// # Errors
    /// Why the object cannot be.
    fn create(
        &self,
        writing: &Writing<'_>,
        new: &mut Value,
        objects: &mut Transaction<'_>,
    ) -> Result<(), Failure> {
        let _ = (writing, new, objects);
        Ok(())
    }

    /// A valid change of an object, or of its status, is about to be stored. Not asked about writes that change nothing.
    ///
    /// # Errors
    /// Why the object cannot be changed so.
    fn update(
        &self,
        writing: &Writing<'_>,
        (old, new): (&Value, &mut Value),
        objects: &mut Transaction<'_>,
    ) -> Result<(), Failure> {
        let _ = (writing, old, new, objects);
        Ok(())
    }

    /// A deletion is asked for; finalizers may still hold the object. Asked only when the deletion begins.
    ///
    /// # Errors
    /// Why the object has to stay.
    fn delete(
        &self,
        writing: &Writing<'_>,
        old: &Value,
        objects: &mut Transaction<'_>,
    ) -> Result<(), Failure> {
        let _ = (writing, old, objects);
        Ok(())
    }

    /// The object goes now, in the same commit: its last finalizer is gone, or it had none.
    ///
    /// # Errors
    /// Why it has to stay after all.
    fn remove(
        &self,
        writing: &Writing<'_>,
        old: &Value,
        objects: &mut Transaction<'_>,
    ) -> Result<(), Failure> {
        let _ = (writing, old, objects);
        Ok(())
    }
}

/// Compiled registered resources and where they are served.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry {
    entries: Vec<(Vec<ServedOn>, Vec<Arc<Resource>>)>,
}

impl Registry {
    /// Compiles what was registered.
    ///
    /// # Errors
    /// [`StartError::Kind`] for a definition that is broken.
    pub(crate) fn compile(registrations: Vec<Registration>) -> Result<Self, StartError> {
        let compiled = registrations.into_iter().map(|registration| {
            let resources = crate::crd::compile_registered(&registration.definition, &registration.strategy)?;
            Ok((registration.planes, resources))
        });
        Ok(Self { entries: compiled.collect::<Result<_, _>>()? })
    }

    /// Adds what a plane serves.
    pub(crate) fn serve(&self, catalog: &mut Catalog, plane: &str, is_project: bool) {
        for (planes, resources) in &self.entries {
            if planes.iter().any(|served| served.covers(plane, is_project)) {
                for resource in resources {
                    catalog.insert(resource.clone());
                }
            }
        }
    }
}

impl Server {
    /// Asks the strategy of a registered resource. Answers what it writes beside the object itself; nothing where no
    /// strategy is registered.
    pub(crate) fn consult(
        &mut self,
        resource: &Resource,
        ask: impl FnOnce(&dyn Strategy, &mut Transaction<'_>) -> Result<(), Failure>,
    ) -> Result<WriteSet, Failure> {
        let Some(strategy) = resource.registered.as_deref() else { return Ok(WriteSet::default()) };
        let mut objects = Transaction::begin(&self.store, &self.planes, &mut self.generator, self.now);
        ask(strategy, &mut objects)?;
        Ok(objects.into_writes())
    }
}
