//! Create.

use serde_json::Value;

use super::{Draft, Options, body, prepare};
use crate::metadata;
use crate::metadata::normalize::normalize;
use crate::server::{Call, Response, Server};
use crate::status::Failure;
use crate::strategy;

impl Server {
    pub(crate) fn create(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let options = Options::parse(call, "CreateOptions")?;
        let (decoded, wrong_kind) = body::read(call)?;
        let mut new = if wrong_kind {
            let mut value = decoded.value;
            normalize(&mut value).map_err(|wrong| body::cannot_be_handled(&call.resource, &wrong.0))?;
            value
        } else {
            body::conform(call, decoded, &options)?
        };
        body::settle_namespace(call, &mut new)?;
        self.own(call, None, &mut new, &options);
        self.create_object(call, Draft { old: None, new, wrong_kind }, &options)
    }

    /// The part of a creation that an apply shares.
    pub(super) fn create_object(
        &mut self,
        call: &Call<'_>,
        mut draft: Draft,
        options: &Options,
    ) -> Result<Response, Failure> {
        self.admit_namespace(call, metadata::name(&draft.new))?;
        self.admit_definition(call)?;
        self.admit_write(call, &draft.new)?;
        self.begin(call, &mut draft.new);
        strategy::prepare(&call.resource, &mut draft.new, None);
        self.finish_write(call, draft, options)
    }

    /// Sets what the server alone decides about a new object.
    fn begin(&mut self, call: &Call<'_>, new: &mut Value) {
        prepare::begin(&call.resource, new);
        let uid = self.new_uid();
        metadata::set(new, "uid", uid);
        metadata::set(new, "creationTimestamp", super::time(self.now));
        if metadata::name(new).is_empty() && !metadata::text(new, "generateName").is_empty() {
            let base: String = metadata::text(new, "generateName").chars().take(58).collect();
            let name = format!("{base}{}", self.new_suffix());
            metadata::set(new, "name", name);
        }
    }

    /// A custom resource whose definition is going away takes nothing new.
    fn admit_definition(&self, call: &Call<'_>) -> Result<(), Failure> {
        if !call.resource.custom {
            return Ok(());
        }
        let name = call.resource.qualified();
        let key = crate::store::Key::new(&call.plane, crate::crd::STORAGE, None, &name);
        match self.store.head(&key) {
            Some(stored) if stored.is_deleting() => {
                let why = "create not allowed while custom resource definition is terminating";
                Err(Failure::new(405, "MethodNotAllowed", why).with_details(serde_json::json!({})))
            }
            _ => Ok(()),
        }
    }

    /// A namespaced object needs its namespace, and one that is not going away.
    fn admit_namespace(&self, call: &Call<'_>, name: &str) -> Result<(), Failure> {
        let Some(namespace) = &call.place.namespace else { return Ok(()) };
        let key = crate::store::Key::new(&call.plane, "/namespaces", None, namespace);
        let Some(stored) = self.store.head(&key) else {
            return Err(Failure::no_such_namespace(namespace));
        };
        if stored.is_deleting() {
            return Err(Failure::namespace_terminating(&call.resource, name, namespace));
        }
        Ok(())
    }
}
