//! Whether a project is there and its plane can be reached (decisions 4).

use api::resourcemanager::Project;
use api::{ClusterName, Kind, ObjectKey, ProjectName};
use reconcile::{ClusterSight, Facet, Sight, Unknown, View};
use serde::Serialize;

use crate::configuration::{Configuration, ProjectSource};

/// A Project as presences see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ProjectFacts {
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

impl Facet for ProjectFacts {
    type Kind = Project;

    fn of(project: &Project) -> Self {
        Self { is_deleting: project.is_deleting() }
    }
}

/// Whether a project is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectSight {
    /// Its plane answers.
    Resolved,
    /// There is no such project.
    Absent,
    /// The platform plane has not been listed yet.
    Starting,
    /// It may be there, and this plane does not answer or is not engaged.
    Unreachable(ClusterName),
}

/// Reads the Project where projects are objects, and the state of its plane.
#[must_use]
pub fn observe(view: &View<'_>, project: &ProjectName) -> ProjectSight {
    let source = view.configuration(|configuration: &Configuration| configuration.project_source);
    if source == Some(ProjectSource::ProjectObjects) {
        let key = ObjectKey::cluster_scoped(project.as_str());
        match view.object::<ProjectFacts>(&ClusterName::Core, &key) {
            Sight::Present(_) => {}
            Sight::Absent => return ProjectSight::Absent,
            Sight::Unknown(Unknown::Starting) => return ProjectSight::Starting,
            _ => return ProjectSight::Unreachable(ClusterName::Core),
        }
    }
    let plane = ClusterName::Project(project.clone());
    match view.cluster(&plane) {
        ClusterSight::Ready => ProjectSight::Resolved,
        ClusterSight::Starting => ProjectSight::Starting,
        _ => ProjectSight::Unreachable(plane),
    }
}
