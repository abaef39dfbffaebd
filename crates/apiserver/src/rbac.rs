//! Authorisation by RBAC: the roles and bindings of a plane, read once and again whenever one changes.

pub(crate) mod bootstrap;
mod escalate;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::identity::{MASTERS, User, project_user};
use crate::plane::PROJECTS;
use crate::request::Place;
use crate::server::Server;
use crate::status::qualify;
use crate::store::{Change, Key};

const GROUP: &str = "rbac.authorization.k8s.io";

/// What somebody wants to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// `get`, `list`, `create`, ...
    pub verb: String,
    /// API group.
    pub group: String,
    /// API version; not judged, only shown.
    pub version: String,
    /// Plural; empty for a path that is no resource.
    pub resource: String,
    /// Such as `status`.
    pub subresource: String,
    /// Namespace, empty for cluster-wide requests.
    pub namespace: String,
    /// Object name, empty for collections.
    pub name: String,
    /// The path, where it is no resource.
    pub path: String,
}

impl Attributes {
    /// A verb on a place.
    #[must_use]
    pub fn of(verb: &str, place: &Place) -> Self {
        let namespace = if place.plural == "namespaces" && place.group.is_empty() {
            place.name.clone()
        } else {
            place.namespace.clone()
        };
        Self {
            verb: verb.to_owned(),
            group: place.group.clone(),
            version: place.version.clone(),
            resource: place.plural.clone(),
            subresource: place.subresource.clone().unwrap_or_default(),
            namespace: namespace.unwrap_or_default(),
            name: place.name.clone().unwrap_or_default(),
            path: String::new(),
        }
    }

    /// A verb on a path that is no resource.
    #[must_use]
    pub fn non_resource(verb: &str, path: &str) -> Self {
        Self { verb: verb.to_owned(), path: path.to_owned(), ..Self::default() }
    }

    /// Acting as a user or as a member of a group.
    #[must_use]
    pub fn impersonate(plural: &str, name: &str) -> Self {
        Self {
            verb: "impersonate".to_owned(),
            resource: plural.to_owned(),
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Whether a project's user looks at the Project that is its own. No role says so, as none says that a node reads
    /// itself: it would have to be made and removed with every project.
    #[must_use]
    pub(crate) fn reads_own_project(&self, user: &User) -> bool {
        let (group, _, plural) = PROJECTS;
        self.group == group
            && self.resource == plural
            && !self.name.is_empty()
            && matches!(self.verb.as_str(), "get" | "watch" | "list")
            && user.name == project_user(&self.name)
    }

    /// The words of a refusal: message, and name, group and kind of its details.
    #[must_use]
    pub fn denial(&self, user: &str) -> (String, &str, &str, &str) {
        if self.resource.is_empty() {
            let message = format!("forbidden: User \"{user}\" cannot {} path \"{}\"", self.verb, self.path);
            return (message, "", "", "");
        }
        let resource = if self.subresource.is_empty() {
            self.resource.clone()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        };
        let object = if self.name.is_empty() { String::new() } else { format!(" \"{}\"", self.name) };
        let scope = if self.namespace.is_empty() {
            "at the cluster scope".to_owned()
        } else {
            format!("in the namespace \"{}\"", self.namespace)
        };
        let message = format!(
            "{}{object} is forbidden: User \"{user}\" cannot {} resource \"{resource}\" in API group \"{}\" {scope}",
            qualify(&self.resource, &self.group),
            self.verb,
            self.group
        );
        (message, &self.name, &self.group, &self.resource)
    }
}

/// Who wants it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The user.
    pub user: &'a User,
}

/// One rule of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    verbs: Vec<String>,
    groups: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    paths: Vec<String>,
}

impl Rule {
    fn read(value: &Value) -> Self {
        let texts = |field: &str| -> Vec<String> {
            let list = value.get(field).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            verbs: texts("verbs"),
            groups: texts("apiGroups"),
            resources: texts("resources"),
            names: texts("resourceNames"),
            paths: texts("nonResourceURLs"),
        }
    }

    /// The rule as a rules review shows it, and whether it is about paths.
    pub(crate) fn shown(&self) -> (Value, bool) {
        if !self.paths.is_empty() {
            return (json!({"verbs": self.verbs, "nonResourceURLs": self.paths}), true);
        }
        let mut shown = json!({"verbs": self.verbs, "apiGroups": self.groups, "resources": self.resources});
        if !self.names.is_empty()
            && let Some(fields) = shown.as_object_mut()
        {
            fields.insert("resourceNames".to_owned(), json!(self.names));
        }
        (shown, false)
    }

    fn allows(&self, wanted: &Attributes) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|one| one == "*" || one == text);
        if !has(&self.verbs, &wanted.verb) {
            return false;
        }
        if wanted.resource.is_empty() {
            return self.paths.iter().any(|path| match path.strip_suffix('*') {
                Some(prefix) => wanted.path.starts_with(prefix),
                None => *path == wanted.path,
            });
        }
        has(&self.groups, &wanted.group)
            && self.names_resource(wanted)
            && (self.names.is_empty() || self.names.contains(&wanted.name))
    }

    fn names_resource(&self, wanted: &Attributes) -> bool {
        self.resources.iter().any(|resource| match (resource.split_once('/'), wanted.subresource.as_str()) {
            _ if resource == "*" => true,
            (None, subresource) => subresource.is_empty() && *resource == wanted.resource,
            (Some(("*", any)), subresource) => any == subresource,
            (Some((resource, any)), subresource) => resource == wanted.resource && any == subresource,
        })
    }
}

/// A subject of a binding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bound {
    User(String),
    Group(String),
}

/// A binding: who gets which role.
#[derive(Clone, Debug)]
struct Binding {
    subjects: Vec<Bound>,
    /// Kind and name of the role.
    role: (String, String),
}

/// Namespace (empty for cluster-wide ones) and name.
type Id = (String, String);

/// The roles and bindings of one plane. Bindings are found by who they name, so that a thousand of other people cost a
/// request nothing.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    roles: BTreeMap<Id, Vec<Rule>>,
    bindings: BTreeMap<Id, Binding>,
    by_subject: BTreeMap<Bound, BTreeSet<Id>>,
}

impl Rules {
    /// Whether somebody may do something.
    #[must_use]
    pub fn allows(&self, subject: &Subject<'_>, wanted: &Attributes) -> bool {
        subject.user.is_in(MASTERS)
            || self.rules_of(subject.user, &wanted.namespace).any(|rule| rule.allows(wanted))
    }

    /// The rules that hold for a user cluster-wide and in a namespace.
    pub(crate) fn rules_of<'a>(
        &'a self,
        user: &'a User,
        namespace: &'a str,
    ) -> impl Iterator<Item = &'a Rule> {
        let mut ids: BTreeSet<&Id> = BTreeSet::new();
        let groups = user.groups.iter().map(|group| Bound::Group(group.clone()));
        for bound in groups.chain([Bound::User(user.name.clone())]) {
            ids.extend(self.by_subject.get(&bound).into_iter().flatten());
        }
        let here = ids.into_iter().filter(move |(place, _)| place.is_empty() || place == namespace);
        here.filter_map(|id| self.bindings.get(id).map(|binding| (id, binding)))
            .flat_map(move |((place, _), binding)| self.role(&binding.role, place))
    }

    fn role(&self, (kind, name): &(String, String), namespace: &str) -> &[Rule] {
        let place = if kind == "Role" { namespace } else { "" };
        self.roles.get(&(place.to_owned(), name.clone())).map_or(&[], Vec::as_slice)
    }

    fn learn(&mut self, key: &Key, value: Option<&Value>) {
        let id = (key.namespace().unwrap_or_default().to_owned(), key.name().to_owned());
        let plural = key.storage().rsplit('/').next().unwrap_or_default();
        match (plural, value) {
            ("roles" | "clusterroles", Some(value)) => {
                let rules = value.get("rules").and_then(Value::as_array);
                self.roles.insert(id, rules.into_iter().flatten().map(Rule::read).collect());
            }
            ("roles" | "clusterroles", None) => drop(self.roles.remove(&id)),
            (_, value) => self.bind(id, value.map(Binding::read)),
        }
    }

    /// Puts a binding in the place of what had its name.
    fn bind(&mut self, id: Id, binding: Option<Binding>) {
        for subject in self.bindings.remove(&id).into_iter().flat_map(|old| old.subjects) {
            if let Some(ids) = self.by_subject.get_mut(&subject) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.by_subject.remove(&subject);
                }
            }
        }
        let Some(binding) = binding else { return };
        for subject in &binding.subjects {
            self.by_subject.entry(subject.clone()).or_default().insert(id.clone());
        }
        self.bindings.insert(id, binding);
    }
}

impl Binding {
    fn read(value: &Value) -> Self {
        let text = |value: &Value, field: &str| {
            value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let subjects = value.get("subjects").and_then(Value::as_array).into_iter().flatten();
        let bound = |subject: &Value| match text(subject, "kind").as_str() {
            "Group" => Bound::Group(text(subject, "name")),
            "ServiceAccount" => Bound::User(format!(
                "system:serviceaccount:{}:{}",
                text(subject, "namespace"),
                text(subject, "name")
            )),
            _ => Bound::User(text(subject, "name")),
        };
        let reference = value.get("roleRef").cloned().unwrap_or_default();
        Self {
            subjects: subjects.map(bound).collect(),
            role: (text(&reference, "kind"), text(&reference, "name")),
        }
    }
}

impl Server {
    pub(crate) fn react_to_rbac(&mut self, change: &Change) {
        if !change.key.storage().starts_with(GROUP) {
            return;
        }
        if let Some(plane) = self.planes.get_mut(change.key.plane()) {
            let value = (!change.deleted).then(|| change.current.value());
            plane.rules.learn(&change.key, value.as_deref());
        }
    }

    /// Reads all roles and bindings of a plane.
    pub(crate) fn reload_rules(&mut self, plane: &str) {
        let mut rules = Rules::default();
        for plural in ["roles", "clusterroles", "rolebindings", "clusterrolebindings"] {
            let prefix = Key::prefix(plane, &format!("{GROUP}/{plural}"), None);
            for (key, stored) in self.store.head_under(&prefix) {
                rules.learn(key, Some(&stored.value()));
            }
        }
        if let Some(plane) = self.planes.get_mut(plane) {
            plane.rules = rules;
        }
    }
}
