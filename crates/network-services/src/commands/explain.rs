//! `explain KIND NAME`: a pass without executing it. What was read on which plane and what it said, the verdict, since
//! when, what ends the wait, and what would be written now.
//!
//! A running manager is asked through its admin endpoint: it also knows since when a plane is away. Without one, the
//! planes are read here, by an engine that never writes.

mod planes;
mod text;

use std::path::PathBuf;
use std::time::Duration;

use api::{ClusterName, NamespaceName, ObjectKey, ResourceKind, Scope};
use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::failure::Failure;

/// An explanation that cannot be given.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExplainError {
    /// No controller keeps this kind.
    #[error("no controller keeps objects of kind {kind:?}; explain one of: {known}")]
    Kind {
        /// What was given.
        kind: String,
        /// What could be.
        known: String,
    },
    /// `--plane` is none.
    #[error(transparent)]
    Plane(#[from] api::cluster::UnknownCluster),
    /// Nobody to ask.
    #[error(
        "nobody to ask: give --admin with a manager's address, or --config or --kubeconfig to read the planes here"
    )]
    NoSource,
    /// The address is none.
    #[error("--admin {address:?} is no address: {problem}; write one such as http://127.0.0.1:8080")]
    Address {
        /// What was given.
        address: String,
        /// Why not.
        problem: String,
    },
    /// The manager does not answer.
    #[error(
        "the admin endpoint does not answer {path}: {problem}; is the manager running, and is this its metricsServer.bindAddress?"
    )]
    Admin {
        /// What was asked.
        path: String,
        /// What happened.
        problem: String,
    },
    /// The controllers ended.
    #[error(transparent)]
    Stopped(#[from] runtime::driver::Stopped),
    /// No plane shows such an object.
    #[error(
        "{object} is on none of the planes asked ({planes}), or belongs to no controller there; check name, namespace and --plane"
    )]
    Missing {
        /// The object.
        object: String,
        /// The planes, with what keeps each from answering.
        planes: String,
    },
}

impl ExplainError {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Kind { .. } | Self::Plane(_) | Self::NoSource | Self::Address { .. } => 2,
            Self::Admin { .. } | Self::Stopped(_) => 1,
            Self::Missing { .. } => 4,
        }
    }
}

/// What to explain, and whom to ask.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Kind of the object, such as `networkbinding`.
    kind: String,
    /// Its name.
    name: String,
    /// Its namespace.
    #[arg(short, long, default_value = "default")]
    namespace: String,
    /// Its plane: core, hub, project/<name>, cell/<name>. Every plane that has the kind is asked where absent.
    #[arg(long, value_name = "PLANE")]
    plane: Option<String>,
    /// Ask a running manager at the address of its admin endpoint.
    #[arg(long, value_name = "URL", env = "NETWORK_SERVICES_ADMIN", conflicts_with_all = ["config", "kubeconfig"])]
    admin: Option<String>,
    /// Read the planes of a manager's configuration.
    #[arg(long, value_name = "FILE", conflicts_with = "kubeconfig")]
    config: Option<PathBuf>,
    /// Read the planes of a kubeconfig: one context per plane, as `standalone` writes it.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// How long planes may take to answer, in seconds, before what they do not say is reported as unknown.
    #[arg(long, default_value_t = 5, value_name = "SECONDS")]
    patience: u64,
    /// How to print it.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    kind: ResourceKind,
    object: ObjectKey,
    plane: Option<ClusterName>,
    patience: Duration,
}

/// One plane's explanations of the object, as JSON.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Explained {
    plane: ClusterName,
    explanations: Vec<Value>,
}

/// Asks and prints.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let question = question(&arguments)?;
    let explained = if let Some(address) = &arguments.admin {
        planes::ask_manager(&question, address).await?
    } else {
        planes::ask_planes(&question, connection(&arguments).await?).await?
    };
    match arguments.output {
        Output::Json => println!("{}", serde_json::to_string_pretty(&explained).unwrap_or_default()),
        Output::Text => print!("{}", text::render(&question, &explained)),
    }
    Ok(())
}

async fn connection(arguments: &Arguments) -> Result<crate::planes::Connection, Failure> {
    if let Some(path) = &arguments.config {
        let loaded = crate::configuration::read_operator(path)?;
        return Ok(crate::planes::of_configuration(&loaded.value).await?);
    }
    let path = arguments.kubeconfig.as_ref().ok_or(ExplainError::NoSource)?;
    Ok(crate::planes::of_kubeconfig(path).await?)
}

fn question(arguments: &Arguments) -> Result<Question, ExplainError> {
    let Some(kind) = kind_by_name(&arguments.kind) else {
        let known: Vec<&str> = kinds().iter().map(|kind| kind.kind).collect();
        return Err(ExplainError::Kind { kind: arguments.kind.clone(), known: known.join(", ") });
    };
    let object = match kind.scope {
        Scope::Cluster => ObjectKey::cluster_scoped(arguments.name.as_str()),
        Scope::Namespaced => {
            ObjectKey::namespaced(NamespaceName::new(arguments.namespace.as_str()), arguments.name.as_str())
        }
    };
    let plane = arguments.plane.as_deref().map(str::parse).transpose()?;
    Ok(Question { kind, object, plane, patience: Duration::from_secs(arguments.patience) })
}

/// Kinds from whose objects controllers derive what they keep, each once.
fn kinds() -> Vec<ResourceKind> {
    let controllers = roles::manager();
    let mut kinds: Vec<ResourceKind> = controllers
        .iter()
        .flat_map(|controller| controller.root_kinds())
        .map(|root| root.facet.kind.resource)
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// A kind that can be explained, by kind, plural or full name, in any case.
pub(crate) fn kind_by_name(name: &str) -> Option<ResourceKind> {
    let name = name.to_lowercase();
    let is_it = |kind: &ResourceKind| {
        kind.kind.to_lowercase() == name || kind.plural == name || kind.to_string() == name
    };
    kinds().into_iter().find(is_it)
}

impl Question {
    /// The object in words, without its plane.
    fn object_text(&self) -> String {
        format!("{} {}", self.kind.kind, self.object)
    }

    fn missing(&self, planes: &[String]) -> ExplainError {
        let planes = if planes.is_empty() { "none answers".to_owned() } else { planes.join(", ") };
        ExplainError::Missing { object: self.object_text(), planes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_each_of_their_names() {
        for name in [
            "NetworkBinding",
            "networkbinding",
            "networkbindings",
            "networkbindings.networking.datumapis.com",
        ] {
            assert_eq!(kind_by_name(name).map(|kind| kind.kind), Some("NetworkBinding"), "{name}");
        }
        assert_eq!(kind_by_name("Pod"), None);
    }
}
