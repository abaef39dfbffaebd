//! `crds`: prints the resource definitions of a plane, or compares them with what a server has installed.

mod compare;

use std::path::PathBuf;

use api::cluster::ClusterRole;
use api::crd::{DefinitionError, Entry, Origin, for_plane};
use clap::{Args, ValueEnum};
use kube_client::Client;
use runtime::ProviderError;
use runtime::provider::{client_of, read_config};
use serde_json::Value;

use crate::failure::Failure;

/// Definitions that cannot be printed, or that a server does not have.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CrdsError {
    /// Types and tables contradict each other.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// It is no YAML.
    #[error("a definition cannot be written as YAML: {0}; this is a defect of the program")]
    Yaml(String),
    /// The server cannot be reached.
    #[error(transparent)]
    Connection(#[from] ProviderError),
    /// The server does not answer as it should.
    #[error("the server cannot be asked for {name}: {problem}; check the kubeconfig and its rights")]
    Server {
        /// The definition.
        name: String,
        /// What happened.
        problem: String,
    },
    /// The comparison found something.
    #[error("{0} of the definitions differ from what the server has installed")]
    Differs(usize),
}

impl CrdsError {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Connection(_) => 2,
            _ => 1,
        }
    }
}

/// Which definitions, and what to do with them.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only those of one plane.
    #[arg(long, value_enum)]
    plane: Option<Plane>,
    /// Also those that others own in production: stand-ins for development.
    #[arg(long)]
    foreign: bool,
    /// Compare with what a server has installed instead of printing.
    #[arg(long, requires = "plane")]
    check: bool,
    /// The server to compare with, else that of $KUBECONFIG; its current context unless --context names another.
    #[arg(long, value_name = "FILE", requires = "check")]
    kubeconfig: Option<PathBuf>,
    /// The context to use.
    #[arg(long, requires = "check")]
    context: Option<String>,
}

/// Planes that are servers of their own.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Plane {
    /// The platform.
    Core,
    /// A project.
    Project,
    /// The federation hub.
    Hub,
    /// An edge cell.
    Cell,
}

impl Plane {
    fn role(self) -> ClusterRole {
        match self {
            Self::Core => ClusterRole::Core,
            Self::Project => ClusterRole::Project,
            Self::Hub => ClusterRole::Hub,
            Self::Cell => ClusterRole::Cell,
        }
    }
}

/// Prints or compares.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let entries = chosen(&arguments);
    if arguments.check {
        check(&arguments, &entries).await?;
    } else {
        print(&entries)?;
    }
    Ok(())
}

/// Each definition once, in the order of the catalogue.
fn chosen(arguments: &Arguments) -> Vec<&'static Entry> {
    let planes = match arguments.plane {
        Some(plane) => vec![plane],
        None => Plane::value_variants().to_vec(),
    };
    let mut entries: Vec<&'static Entry> = Vec::new();
    for entry in planes.into_iter().flat_map(|plane| for_plane(plane.role())) {
        let is_wanted = match entry.origin {
            Origin::Ours => true,
            Origin::Foreign => arguments.foreign,
            Origin::AddressService => false,
        };
        if is_wanted && entries.iter().all(|known| known.resource != entry.resource) {
            entries.push(entry);
        }
    }
    entries
}

fn print(entries: &[&'static Entry]) -> Result<(), CrdsError> {
    for entry in entries {
        let definition = entry.definition()?;
        let text =
            serde_saphyr::to_string(&definition).map_err(|error| CrdsError::Yaml(error.to_string()))?;
        println!("---\n{}", text.trim_end());
    }
    Ok(())
}

async fn check(arguments: &Arguments, entries: &[&'static Entry]) -> Result<(), CrdsError> {
    let usual = || std::env::var_os("KUBECONFIG").map(PathBuf::from);
    let path = arguments.kubeconfig.clone().or_else(usual).unwrap_or_else(|| PathBuf::from("kubeconfig"));
    let config = read_config(&path, arguments.context.as_deref()).await?;
    let client = client_of(&api::ClusterName::Core, config)?;
    let mut differing = 0;
    for entry in entries {
        let name = entry.resource.to_string();
        let findings = match installed(&client, &name).await? {
            None => vec!["is not installed".to_owned()],
            Some(installed) => compare::findings(&entry.definition()?, &installed),
        };
        differing += usize::from(!findings.is_empty());
        for finding in findings {
            println!("{name}: {finding}");
        }
    }
    if differing > 0 { Err(CrdsError::Differs(differing)) } else { Ok(()) }
}

async fn installed(client: &Client, name: &str) -> Result<Option<Value>, CrdsError> {
    let failed = |problem: String| CrdsError::Server { name: name.to_owned(), problem };
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
    let answered = runtime::transport::get(client, &path, std::time::Duration::from_secs(10))
        .await
        .map_err(|error| failed(error.to_string()))?;
    match answered.code {
        200 => serde_json::from_slice(&answered.body).map(Some).map_err(|error| failed(error.to_string())),
        404 => Ok(None),
        code => Err(failed(format!("{code}: {}", engine::wire::status_text(&answered.body)))),
    }
}
