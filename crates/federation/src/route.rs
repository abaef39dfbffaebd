//! From a hub namespace to a project and back (behaviour SH1, SH3, SH6, SH8).

#[cfg(test)]
mod tests;

use api::builtin::Namespace;
use api::{Kind, NamespaceName, ProjectName, labels};
use reconcile::{Facet, Index, IndexValue};
use serde::Serialize;

/// Where a namespace leads, as its labels say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct HubRoute {
    /// Whether it is a hub namespace at all: either label is there and not empty (SH8).
    pub is_hub: bool,
    /// The project, if the label is there and decodes to one.
    pub project: Option<ProjectName>,
    /// The namespace in the project.
    pub project_namespace: Option<NamespaceName>,
}

impl Facet for HubRoute {
    type Kind = Namespace;

    fn of(namespace: &Namespace) -> Self {
        let label = |key: &str| {
            let labels = namespace.metadata().labels.as_ref();
            labels.and_then(|labels| labels.get(key)).filter(|text| !text.is_empty())
        };
        let cluster = label(labels::UPSTREAM_CLUSTER_NAME);
        let upstream = label(labels::UPSTREAM_NAMESPACE);
        Self {
            is_hub: cluster.is_some() || upstream.is_some(),
            project: cluster.and_then(|text| project_of_label(text)),
            project_namespace: upstream.map(|text| NamespaceName::new(text.as_str())),
        }
    }
}

impl HubRoute {
    /// Project and namespace, if the namespace names both.
    #[must_use]
    pub fn resolved(&self) -> Option<(&ProjectName, &NamespaceName)> {
        self.project.as_ref().zip(self.project_namespace.as_ref())
    }

    /// The label that is missing or empty, for messages (SH2).
    #[must_use]
    pub fn missing_label(&self) -> Option<&'static str> {
        match (&self.project, &self.project_namespace) {
            (None, _) => Some(labels::UPSTREAM_CLUSTER_NAME),
            (_, None) => Some(labels::UPSTREAM_NAMESPACE),
            _ => None,
        }
    }
}

/// Hub namespaces by the project and namespace they stand for.
pub struct HubNamespaces;

impl Index for HubNamespaces {
    type Kind = Namespace;
    const NAME: &'static str = "project namespace";

    fn values(namespace: &Namespace) -> Vec<IndexValue> {
        let route = HubRoute::of(namespace);
        let value = route.resolved().map(|(project, namespace)| Self::value(project, namespace));
        value.into_iter().collect()
    }
}

impl HubNamespaces {
    /// The value of a project namespace.
    #[must_use]
    pub fn value(project: &ProjectName, namespace: &NamespaceName) -> IndexValue {
        IndexValue::of([project.as_str(), namespace.as_str()])
    }
}

/// Hub namespaces by their project alone, wherever in it they lead.
pub struct ProjectNamespaces;

impl Index for ProjectNamespaces {
    type Kind = Namespace;
    const NAME: &'static str = "project";

    fn values(namespace: &Namespace) -> Vec<IndexValue> {
        HubRoute::of(namespace).project.iter().map(Self::value).collect()
    }
}

impl ProjectNamespaces {
    /// The value of a project.
    #[must_use]
    pub fn value(project: &ProjectName) -> IndexValue {
        IndexValue::of([project.as_str()])
    }
}

/// The project that an `upstream-cluster-name` label names: `_` is `/`, the prefix `cluster-` and one leading `/` go (SH1).
#[must_use]
pub fn project_of_label(label: &str) -> Option<ProjectName> {
    let decoded = label.replace('_', "/");
    let project = decoded.strip_prefix("cluster-").unwrap_or(&decoded);
    let project = project.strip_prefix('/').unwrap_or(project);
    (!project.is_empty()).then(|| project.into())
}

/// The label of a project: `cluster-<project>`, `/` as `_`.
#[must_use]
pub fn label_of_project(project: &ProjectName) -> String {
    format!("cluster-{}", project.as_str().replace('/', "_"))
}
