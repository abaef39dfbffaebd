//! Control planes: which are mounted where, and what each serves.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::rbac::Rules;
use crate::resource::Catalog;

/// The kind whose objects mount planes: group, version, plural.
pub const PROJECTS: (&str, &str, &str) = ("resourcemanager.miloapis.com", "v1alpha1", "projects");

/// A plane that exists from the start.
#[derive(Clone, Debug, Default)]
pub struct PlaneSpec {
    /// Its name: `core`, `hub`, `cell/<name>`.
    pub name: String,
    /// The path prefix without a trailing slash; empty for the root.
    pub prefix: String,
    /// CRDs it serves from the start.
    pub crds: Vec<Value>,
    /// Whether it serves Project objects, each of which mounts a plane below this one's prefix.
    pub mounts_projects: bool,
    /// The project whose plane this is; its user administers it.
    pub project: Option<String>,
}

/// A mounted plane.
#[derive(Clone, Debug)]
pub struct Plane {
    /// Its name, the first part of its keys.
    pub name: Arc<str>,
    /// The path prefix.
    pub prefix: String,
    /// What it serves.
    pub catalog: Arc<Catalog>,
    /// Who may do what.
    pub rules: Rules,
    /// Whether Project objects here mount planes.
    pub mounts_projects: bool,
}

/// All mounted planes.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    by_name: BTreeMap<Arc<str>, Plane>,
    by_prefix: BTreeMap<String, Arc<str>>,
}

impl Planes {
    /// Mounts a plane.
    pub fn insert(&mut self, plane: Plane) {
        self.by_prefix.insert(plane.prefix.clone(), plane.name.clone());
        self.by_name.insert(plane.name.clone(), plane);
    }

    /// Unmounts a plane.
    pub fn remove(&mut self, name: &str) {
        if let Some(plane) = self.by_name.remove(name) {
            self.by_prefix.remove(&plane.prefix);
        }
    }

    /// A plane by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Plane> {
        self.by_name.get(name)
    }

    /// A plane by name, for changing.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Plane> {
        self.by_name.get_mut(name)
    }

    /// All planes in order of name.
    pub fn iter(&self) -> impl Iterator<Item = &Plane> {
        self.by_name.values()
    }

    /// The plane with the longest prefix of a path, and the rest of the path.
    #[must_use]
    pub fn route<'a>(&self, path: &'a str) -> Option<(&Plane, &'a str)> {
        let mut end = path.len();
        loop {
            let (prefix, rest) = path.split_at_checked(end)?;
            if let Some(name) = self.by_prefix.get(prefix) {
                return self.get(name).map(|plane| (plane, if rest.is_empty() { "/" } else { rest }));
            }
            if prefix.is_empty() {
                return None;
            }
            end = prefix.rfind('/').unwrap_or_default();
        }
    }
}

/// The name of a project's plane.
#[must_use]
pub fn project_plane(project: &str) -> String {
    format!("project/{project}")
}

/// The prefix of a project's plane below the plane that holds its Project object.
#[must_use]
pub fn project_prefix(holder: &str, project: &str) -> String {
    let (group, version, plural) = PROJECTS;
    format!("{holder}/apis/{group}/{version}/{plural}/{project}/control-plane")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes() -> Planes {
        let mut planes = Planes::default();
        for (name, prefix) in [
            ("core", String::new()),
            ("hub", "/clusters/hub".to_owned()),
            ("project/p", project_prefix("", "p")),
        ] {
            planes.insert(Plane {
                name: name.into(),
                prefix,
                catalog: Arc::default(),
                rules: Rules::default(),
                mounts_projects: false,
            });
        }
        planes
    }

    #[test]
    fn the_longest_prefix_wins() {
        let planes = planes();
        let route = |path: &'static str| {
            planes.route(path).map(|(plane, rest)| (plane.name.to_string(), rest)).unwrap()
        };
        assert_eq!(route("/api/v1/pods"), ("core".to_owned(), "/api/v1/pods"));
        assert_eq!(route("/clusters/hub/api"), ("hub".to_owned(), "/api"));
        assert_eq!(route("/clusters/hub"), ("hub".to_owned(), "/"));
        assert_eq!(route("/clusters/hubble/api"), ("core".to_owned(), "/clusters/hubble/api"));
        let milo = "/apis/resourcemanager.miloapis.com/v1alpha1/projects/p/control-plane/api/v1/namespaces";
        assert_eq!(route(milo), ("project/p".to_owned(), "/api/v1/namespaces"));
        let object = "/apis/resourcemanager.miloapis.com/v1alpha1/projects/p";
        assert_eq!(route(object), ("core".to_owned(), object));
    }
}
