//! One served resource: its names, its schema, and what of it is data rather than code.
//!
//! Built-in kinds and custom ones are the same thing here; what data cannot say is a [`BuiltIn`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::schema::CompiledSchema;
use crate::status::qualify;

/// A printer column of the Table form.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Header.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub column_type: String,
    /// `name` or empty.
    pub format: String,
    /// Help text.
    pub description: String,
    /// 0 for columns that are always shown, higher for wide output.
    pub priority: i64,
    /// Where the value is (Kubernetes' `JSONPath`, such as `.spec.color`).
    pub path: String,
}

/// What data cannot say about a built-in kind. Everything else follows the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum BuiltIn {
    /// Nothing special.
    #[default]
    Plain,
    /// `spec.finalizers`, phase, and deletion in two steps.
    Namespace,
    /// Compiled into served resources.
    CustomResourceDefinition,
    /// `stringData` folded into `data`, the type immutable.
    Secret,
    /// `immutable` data.
    ConfigMap,
    /// Two groups over one stored object, each with its own names for the same facts.
    Event,
    /// Rules that may not exceed those of the writer.
    Rbac,
    /// `SubjectAccessReview` and its relatives: answered, never stored.
    AccessReview,
    /// `TokenReview`: answered, never stored.
    TokenReview,
    /// `SelfSubjectReview`: answered, never stored.
    SelfReview,
    /// `SelfSubjectRulesReview`: answered, never stored.
    RulesReview,
}

/// The path of the `scale` subresource's fields.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalePaths {
    /// `.spec.replicas` or wherever the count is kept.
    pub spec_replicas: String,
    /// Where the observed count is.
    pub status_replicas: String,
    /// Where the selector text is, if anywhere.
    pub label_selector: Option<String>,
}

/// One version of one served resource.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a definition, named as it names them"
)]
pub struct Resource {
    /// API group, empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Path segment.
    pub plural: String,
    /// Singular, for discovery and kubectl.
    pub singular: String,
    /// Kind of one object.
    pub kind: String,
    /// Kind of a list.
    pub list_kind: String,
    /// kubectl's short names.
    pub short_names: Vec<String>,
    /// Such as `all`.
    pub categories: Vec<String>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// What stored keys call this resource: `group/plural`, shared by all versions and by both Event groups.
    pub storage: Arc<str>,
    /// Schema, defaults, list types and rules.
    pub schema: CompiledSchema,
    /// Whether status is written through its own path and `metadata.generation` counts changes of the rest.
    pub has_status: bool,
    /// Scale subresource, where there is one.
    pub scale: Option<ScalePaths>,
    /// Table columns beside the name.
    pub columns: Vec<Column>,
    /// Field selectors beyond `metadata.name` and `metadata.namespace`, as dotted paths.
    pub selectable_fields: Vec<String>,
    /// What data cannot say.
    pub built_in: BuiltIn,
    /// What code from outside decides about its objects; `None` where data and `built_in` say all.
    pub registered: Option<Arc<dyn crate::registry::Strategy>>,
    /// Whether the resource comes from a CRD.
    pub custom: bool,
    /// Whether this version is the one that is stored and listed first.
    pub preferred: bool,
    /// Whether `metadata.generation` is kept.
    pub generation: bool,
    /// Text of the `Warning` header for deprecated versions.
    pub deprecation: Option<String>,
    /// Changes whenever schema or version change; stored bytes with another stamp are defaulted and pruned again.
    pub stamp: u64,
}

impl Resource {
    /// `group/version`, or the version alone in the core group.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// `plural.group` for messages.
    #[must_use]
    pub fn qualified(&self) -> String {
        self.qualify(&self.plural)
    }

    /// `name.group` for messages.
    #[must_use]
    pub fn qualify(&self, name: &str) -> String {
        qualify(name, &self.group)
    }

    /// What precondition failures call the object: custom resources by kind, built-in ones by resource (measured).
    #[must_use]
    pub fn kind_or_resource(&self) -> &str {
        if self.custom { &self.kind } else { &self.plural }
    }

    /// Whether objects of this resource are answered and never stored.
    #[must_use]
    pub fn is_review(&self) -> bool {
        matches!(
            self.built_in,
            BuiltIn::AccessReview | BuiltIn::TokenReview | BuiltIn::SelfReview | BuiltIn::RulesReview
        )
    }

    /// The verbs of discovery for the main resource.
    #[must_use]
    pub fn verbs(&self) -> Vec<&'static str> {
        if self.is_review() {
            return vec!["create"];
        }
        let mut verbs =
            vec!["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
        if self.built_in == BuiltIn::Namespace {
            verbs.retain(|verb| *verb != "deletecollection");
        }
        verbs
    }
}

/// What one control plane serves, by (group, version, plural).
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    resources: BTreeMap<(String, String, String), Arc<Resource>>,
    /// Root paths of group documents change with this number.
    pub generation: u64,
}

impl Catalog {
    /// Adds or replaces a resource.
    pub fn insert(&mut self, resource: Arc<Resource>) {
        let key = (resource.group.clone(), resource.version.clone(), resource.plural.clone());
        self.resources.insert(key, resource);
        self.generation += 1;
    }

    /// Removes every version of a resource.
    pub fn remove(&mut self, group: &str, plural: &str) {
        self.resources.retain(|(g, _, p), _| g != group || p != plural);
        self.generation += 1;
    }

    /// The resource of a path.
    #[must_use]
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.resources.get(&(group.to_owned(), version.to_owned(), plural.to_owned()))
    }

    /// The resource of an `apiVersion` and `kind`.
    #[must_use]
    pub fn find_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Resource>> {
        self.iter().find(|resource| resource.kind == kind && resource.api_version() == api_version)
    }

    /// Any version of the resource whose objects are stored under `storage`; the preferred one first.
    #[must_use]
    pub fn find_storage(&self, storage: &str) -> Option<&Arc<Resource>> {
        let all = || self.iter().filter(|resource| &*resource.storage == storage);
        all().find(|resource| resource.preferred).or_else(|| all().next())
    }

    /// All resources in order of group, version and plural.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.values()
    }

    /// Whether any resource of the group version is served.
    #[must_use]
    pub fn serves(&self, group: &str, version: Option<&str>) -> bool {
        self.iter().any(|resource| resource.group == group && version.is_none_or(|v| v == resource.version))
    }
}

/// The value at a dotted path (`spec.color`), if it is there.
#[must_use]
pub fn value_at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.trim_start_matches('.').split('.').try_fold(value, |inner, segment| inner.get(segment))
}
