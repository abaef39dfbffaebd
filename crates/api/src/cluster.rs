//! The planes by name: which API server a read or a write is for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::names::{CellName, ProjectName};

/// One API server, in domain terms. Written `core`, `hub`, `project/<name>`, `cell/<name>`, `ipam/<project>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ClusterName {
    /// The platform plane: Projects and Locations.
    Core,
    /// The federation hub: declarations and copies.
    Hub,
    /// One project's control plane.
    Project(ProjectName),
    /// One edge cell.
    Cell(CellName),
    /// The address service as one project sees it.
    Ipam(ProjectName),
}

/// The kind of plane, without saying which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterRole {
    /// See [`ClusterName::Core`].
    Core,
    /// See [`ClusterName::Hub`].
    Hub,
    /// See [`ClusterName::Project`].
    Project,
    /// See [`ClusterName::Cell`].
    Cell,
    /// See [`ClusterName::Ipam`].
    Ipam,
}

impl ClusterName {
    /// The plane's role.
    #[must_use]
    pub fn role(&self) -> ClusterRole {
        match self {
            Self::Core => ClusterRole::Core,
            Self::Hub => ClusterRole::Hub,
            Self::Project(_) => ClusterRole::Project,
            Self::Cell(_) => ClusterRole::Cell,
            Self::Ipam(_) => ClusterRole::Ipam,
        }
    }

    /// The project whose plane or address service this is.
    #[must_use]
    pub fn project(&self) -> Option<&ProjectName> {
        match self {
            Self::Project(project) | Self::Ipam(project) => Some(project),
            _ => None,
        }
    }
}

impl ClusterRole {
    /// The first part of the cluster's written name; also the metric label.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Hub => "hub",
            Self::Project => "project",
            Self::Cell => "cell",
            Self::Ipam => "ipam",
        }
    }
}

impl fmt::Display for ClusterRole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Display for ClusterName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core | Self::Hub => formatter.write_str(self.role().as_str()),
            Self::Project(name) | Self::Ipam(name) => write!(formatter, "{}/{name}", self.role()),
            Self::Cell(name) => write!(formatter, "cell/{name}"),
        }
    }
}

/// A text that names no plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCluster(pub String);

impl fmt::Display for UnknownCluster {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "\"{}\" names no plane; write core, hub, project/<name>, cell/<name> or ipam/<project>",
            self.0
        )
    }
}

impl std::error::Error for UnknownCluster {}

impl FromStr for ClusterName {
    type Err = UnknownCluster;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('/') {
            None if text == "core" => Ok(Self::Core),
            None if text == "hub" => Ok(Self::Hub),
            Some(("project", name)) if !name.is_empty() => Ok(Self::Project(name.into())),
            Some(("cell", name)) if !name.is_empty() => Ok(Self::Cell(name.into())),
            Some(("ipam", name)) if !name.is_empty() => Ok(Self::Ipam(name.into())),
            _ => Err(UnknownCluster(text.to_owned())),
        }
    }
}

impl From<ClusterName> for String {
    fn from(name: ClusterName) -> Self {
        name.to_string()
    }
}

impl TryFrom<String> for ClusterName {
    type Error = UnknownCluster;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_names_are_read_back() {
        for text in ["core", "hub", "project/org/p", "cell/dfw-1", "ipam/p"] {
            assert_eq!(text.parse::<ClusterName>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_refused_by_name() {
        for text in ["", "cell", "cell/", "core/x", "edge/x"] {
            assert!(text.parse::<ClusterName>().unwrap_err().to_string().contains(&format!("\"{text}\"")));
        }
    }
}
