//! Server-side applies that are known to change nothing: the steady state of every controller that applies.
//!
//! What an apply comes to depends on the stored object, the resource's schema, and the request (path, options, media
//! type, body), and on nothing else: times in managedFields do not count as a change. So the same request on the same
//! revision under the same schema changes nothing again. Kinds whose admission looks at the user or at other objects
//! are left out, and so are applies that were answered with warnings.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::limits::STEADY_APPLIES_MAX;
use crate::request::Request;
use crate::resource::{BuiltIn, Resource};
use crate::store::Stored;

/// A request without who sent it and how the answer is to look.
pub(super) type Fingerprint = [u8; 32];

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct SteadyApplies {
    /// Revision and schema stamp of the object that the request left as it was.
    known: BTreeMap<Fingerprint, (u64, u64)>,
}

impl SteadyApplies {
    pub(super) fn holds(&self, fingerprint: &Fingerprint, old: &Stored) -> bool {
        self.known.get(fingerprint) == Some(&(old.revision, old.stamp))
    }

    pub(super) fn learn(&mut self, fingerprint: Fingerprint, old: &Stored) {
        if self.known.len() >= STEADY_APPLIES_MAX {
            self.known.clear();
        }
        self.known.insert(fingerprint, (old.revision, old.stamp));
    }
}

/// What tells one apply from another; `None` for kinds whose admission looks further than request and object.
pub(super) fn fingerprint(resource: &Resource, request: &Request) -> Option<Fingerprint> {
    if matches!(resource.built_in, BuiltIn::Rbac | BuiltIn::CustomResourceDefinition) {
        return None;
    }
    let mut digest = Sha256::new();
    for part in [&request.path, &request.query, &request.headers.content_type] {
        digest.update(part.len().to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest.update(&request.body);
    Some(digest.finalize().into())
}
