//! Which crate may depend on which, and what crates that hold decisions may not bring along.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

use super::TidyError;

/// Crates of ours that a crate may name; a crate that is not in the table may not exist.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("api", &[]),
    ("reconcile", &["api"]),
    ("engine", &["api", "reconcile"]),
    ("ipam", &["api"]),
    ("ipam-server", &["api", "apiserver", "ipam"]),
    ("federation", &["api", "reconcile"]),
    ("project", &["api", "federation", "ipam", "reconcile"]),
    ("hub", &["api", "federation", "ipam", "reconcile"]),
    ("cell", &["api", "federation", "ipam", "reconcile"]),
    ("roles", &["api", "cell", "engine", "hub", "project"]),
    ("apiserver", &["api"]),
    ("apiserver-http", &["api", "apiserver"]),
    ("runtime", &["api", "engine", "reconcile"]),
    (
        "sim",
        &[
            "api",
            "apiserver",
            "cell",
            "engine",
            "federation",
            "hub",
            "ipam",
            "ipam-server",
            "project",
            "reconcile",
            "roles",
        ],
    ),
    ("simulator", &["scenarios", "sim"]),
    ("console", &["api", "runtime"]),
    ("network-services", ALL),
    ("scenarios", ALL),
    ("benches", ALL),
    ("xtask", &["api"]),
];

const ALL: &[&str] = &["*"];

/// Crates whose decisions must be repeatable: time, chance and the outside world are passed in.
pub(super) const PURE: &[&str] = &[
    "api",
    "apiserver",
    "cell",
    "engine",
    "federation",
    "hub",
    "ipam",
    "ipam-server",
    "project",
    "reconcile",
    "roles",
    "sim",
];

/// Crates that may use threads and a clock, and are built without sockets all the same: a crate of ours below them has its
/// shell behind a feature that they leave off.
const WITHOUT_SHELL: &[&str] = &["simulator"];

/// What a pure crate may not have anywhere below it.
const SHELL_CRATES: &[&str] = &[
    "async-std",
    "axum",
    "hyper",
    "hyper-util",
    "kube",
    "kube-client",
    "kube-runtime",
    "mio",
    "redb",
    "reqwest",
    "rustls",
    "tokio",
    "tokio-rustls",
];

/// Crates of ours with what they name, and everything below them.
pub(super) type Workspace = BTreeMap<String, Dependencies>;

/// What a crate depends on, without what only its tests need.
#[derive(Default)]
pub(super) struct Dependencies {
    /// Ours, named in its manifest (tests too).
    pub(super) ours: BTreeSet<String>,
    /// Everything below it.
    pub(super) below: BTreeSet<String>,
}

/// Reads the workspace.
pub(super) fn workspace(root: &Path) -> Result<Workspace, TidyError> {
    let metadata = MetadataCommand::new().manifest_path(root.join("Cargo.toml")).exec()?;
    let members: BTreeMap<&PackageId, String> = metadata
        .workspace_packages()
        .iter()
        .map(|package| (&package.id, short_name(package.name.as_str()).to_owned()))
        .collect();
    let mut workspace: Workspace =
        members.iter().map(|(id, name)| (name.clone(), dependencies(&metadata, id, &members))).collect();
    for (id, name) in members.iter().filter(|(_, name)| WITHOUT_SHELL.contains(&name.as_str())) {
        if let Some(dependencies) = workspace.get_mut(name) {
            dependencies.below = below_as_built(root, metadata[*id].name.as_str())?;
        }
    }
    Ok(workspace)
}

/// What is below a crate when it is built alone. Metadata has every crate with the features that anybody selects.
fn below_as_built(root: &Path, package: &str) -> Result<BTreeSet<String>, TidyError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    let told = tree.args(["--package", package]).current_dir(root).output();
    let told =
        told.map_err(|source| TidyError::Tree { package: package.to_owned(), text: source.to_string() })?;
    if !told.status.success() {
        let text = String::from_utf8_lossy(&told.stderr).into_owned();
        return Err(TidyError::Tree { package: package.to_owned(), text });
    }
    let lines = String::from_utf8_lossy(&told.stdout).into_owned();
    Ok(lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}

fn short_name(package: &str) -> &str {
    package.strip_prefix("network-services-").unwrap_or(package)
}

fn dependencies(
    metadata: &Metadata,
    package: &PackageId,
    members: &BTreeMap<&PackageId, String>,
) -> Dependencies {
    let mut found = Dependencies::default();
    let mut waiting: Vec<&PackageId> = Vec::new();
    for edge in edges(metadata, package) {
        if let Some(name) = members.get(&edge.pkg) {
            found.ours.insert(name.clone());
        }
        if is_for_product(edge) {
            waiting.push(&edge.pkg);
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if seen.insert(id) {
            found.below.insert(metadata[id].name.to_string());
            waiting.extend(edges(metadata, id).filter(|edge| is_for_product(edge)).map(|edge| &edge.pkg));
        }
    }
    found
}

fn edges<'a>(
    metadata: &'a Metadata,
    package: &'a PackageId,
) -> impl Iterator<Item = &'a cargo_metadata::NodeDep> {
    metadata
        .resolve
        .iter()
        .flat_map(|resolve| &resolve.nodes)
        .filter(move |node| node.id == *package)
        .flat_map(|node| &node.deps)
}

fn is_for_product(edge: &cargo_metadata::NodeDep) -> bool {
    edge.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
}

/// Findings about dependencies.
pub(super) fn check(workspace: &Workspace) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, dependencies) in workspace {
        let Some((_, allowed)) = MAY_DEPEND_ON.iter().find(|(known, _)| known == name) else {
            findings
                .push(format!("crate {name}: not in the table of walls; add it to xtask/src/tidy/walls.rs"));
            continue;
        };
        let forbidden = |other: &&String| *allowed != ALL && !allowed.contains(&other.as_str());
        for other in dependencies.ours.iter().filter(forbidden) {
            findings.push(format!("crate {name}: depends on {other}; pass what it needs as data instead"));
        }
        if PURE.contains(&name.as_str()) || WITHOUT_SHELL.contains(&name.as_str()) {
            for other in SHELL_CRATES.iter().filter(|other| dependencies.below.contains(**other)) {
                findings.push(format!("crate {name}: {other} is below it; only shells may do I/O"));
            }
        }
    }
    findings
}
