//! What controllers may read of the configuration. The binary turns its configuration kinds into this.

use std::time::Duration;

/// Where projects are known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProjectSource {
    /// Project objects of the platform plane (provider `milo`).
    ProjectObjects,
    /// The provider alone: a project exists while its plane is engaged (providers `single` and `kubeconfig`).
    Provider,
}

/// The controllers' configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Where projects are known from.
    pub project_source: ProjectSource,
    /// How long a presence that nothing keeps stays (`networkPresence.unclaimedGracePeriod`); zero ends it at once.
    pub unclaimed_grace_period: Duration,
}

/// Default of [`Configuration::unclaimed_grace_period`].
pub const UNCLAIMED_GRACE_PERIOD: Duration = Duration::from_hours(24);

impl Default for Configuration {
    fn default() -> Self {
        Self { project_source: ProjectSource::ProjectObjects, unclaimed_grace_period: UNCLAIMED_GRACE_PERIOD }
    }
}
