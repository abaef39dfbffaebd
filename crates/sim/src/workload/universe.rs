//! The names that a workload uses: few enough that its acts meet each other.

use crate::dice::Dice;

/// How large a world is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// One project, one network, two locations.
    Small,
    /// Two projects with three networks each and five locations: thirty presences.
    Presence,
    /// Four projects with ten networks each and ten locations.
    Large,
}

impl Size {
    /// Its name on the command line and in a regression file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Presence => "presence",
            Self::Large => "large",
        }
    }
}

impl std::str::FromStr for Size {
    type Err = UnknownSize;

    fn from_str(text: &str) -> Result<Self, UnknownSize> {
        match text {
            "small" => Ok(Self::Small),
            "presence" => Ok(Self::Presence),
            "large" => Ok(Self::Large),
            _ => Err(UnknownSize(text.to_owned())),
        }
    }
}

/// A text that is no size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no world is called {0:?}; there are small, presence and large")]
pub struct UnknownSize(pub String);

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Universe {
    /// Projects.
    pub projects: Vec<String>,
    /// Networks of each project.
    pub networks: Vec<String>,
    /// Locations of each project.
    pub locations: Vec<String>,
    /// Names of bindings, on the hub and in each project.
    pub bindings: Vec<String>,
    /// Manager replicas.
    pub replicas: u32,
    /// Acts of a run.
    pub acts: usize,
}

/// Where networks and project bindings are.
pub(super) const NAMESPACE: &str = "default";

impl Universe {
    /// The names of a size.
    #[must_use]
    pub fn of(size: Size) -> Self {
        let (projects, networks, locations, bindings, replicas, acts) = match size {
            Size::Small => (1, 1, 2, 3, 2, 20),
            Size::Presence => (2, 3, 5, 24, 3, 80),
            Size::Large => (4, 10, 10, 100, 3, 400),
        };
        let names =
            |prefix: &str, count: usize| (0..count).map(|number| format!("{prefix}{number}")).collect();
        Self {
            projects: names("p", projects),
            networks: names("n", networks),
            locations: names("l", locations),
            bindings: names("b", bindings),
            replicas,
            acts,
        }
    }

    /// Hub namespaces of a project: two, so that a presence has several routes.
    #[must_use]
    pub fn routes(project: &str) -> [String; 2] {
        [format!("ns-{project}"), format!("ns-{project}-second")]
    }

    pub(super) fn name(of: &[String], dice: &mut Dice) -> String {
        dice.pick(of).cloned().unwrap_or_default()
    }
}
