//! Real kube-apiserver, etcd and kube-controller-manager for tests, built from Go modules pinned in
//! `xtask/kube-assets/`. Nothing is downloaded but Go modules. The folder is keyed by version: when it is complete,
//! nothing is done.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const KUBERNETES: &str = "1.36.3";
const ETCD: &str = "3.6.14";

/// Why there are no servers.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AssetsError {
    /// No Go compiler.
    #[error("no Go compiler in PATH, so no real API server can be built here; install Go 1.26 or later")]
    NoGo,
    /// No place to keep them.
    #[error("neither XDG_CACHE_HOME nor HOME is set, so there is no place to keep the servers; set one")]
    NoCache,
    /// Modules could not be downloaded.
    #[error(
        "modules of {name} could not be downloaded, so it cannot be built; check the network and GOPROXY"
    )]
    Offline {
        /// The binary.
        name: &'static str,
    },
    /// The compiler failed.
    #[error("{name} could not be built; the compiler's own message is above")]
    Build {
        /// The binary.
        name: &'static str,
    },
    /// The file system said no.
    #[error("{path}: {source}; check the permissions of the cache folder")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl AssetsError {
    /// 3 where servers cannot be had here, which tests may skip over; 1 where something is broken.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::NoGo | Self::NoCache | Self::Offline { .. } => 3,
            Self::Build { .. } | Self::Io { .. } => 1,
        }
    }
}

/// One binary, whose module is in the folder of its name, and what the linker is told.
struct Asset {
    name: &'static str,
    linker_flags: String,
}

/// Builds what is missing and returns the folder that holds the binaries.
pub(crate) fn build(root: &Path) -> Result<PathBuf, AssetsError> {
    let folder = cache()?.join(format!("kubernetes-{KUBERNETES}-etcd-{ETCD}"));
    fs::create_dir_all(&folder).map_err(|source| AssetsError::Io { path: folder.clone(), source })?;
    for asset in assets() {
        let binary = folder.join(asset.name);
        if !binary.is_file() {
            asset.build(&root.join("xtask/kube-assets").join(asset.name), &binary)?;
        }
    }
    Ok(folder)
}

fn cache() -> Result<PathBuf, AssetsError> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    Ok(base.ok_or(AssetsError::NoCache)?.join("network-services/kube-assets"))
}

fn assets() -> [Asset; 3] {
    let version = "k8s.io/component-base/version";
    let kubernetes = format!(
        "-s -w -X {version}.gitVersion=v{KUBERNETES} -X {version}.gitMajor=1 -X {version}.gitMinor=36"
    );
    [
        Asset { name: "etcd", linker_flags: "-s -w".to_owned() },
        Asset { name: "kube-apiserver", linker_flags: kubernetes.clone() },
        Asset { name: "kube-controller-manager", linker_flags: kubernetes },
    ]
}

impl Asset {
    /// Builds into a neighbour first, so that an interrupted build leaves nothing that looks complete.
    fn build(&self, module: &Path, binary: &Path) -> Result<(), AssetsError> {
        eprintln!("building {} (minutes, once per version)", self.name);
        if !self.go(module, &["mod", "download"])? {
            return Err(AssetsError::Offline { name: self.name });
        }
        let unfinished = binary.with_extension(format!("unfinished-{}", std::process::id()));
        let output = unfinished.display().to_string();
        let flags = ["build", "-trimpath", "-ldflags", &self.linker_flags, "-o", &output, "."];
        if !self.go(module, &flags)? {
            return Err(AssetsError::Build { name: self.name });
        }
        fs::rename(&unfinished, binary).map_err(|source| AssetsError::Io { path: binary.to_owned(), source })
    }

    fn go(&self, module: &Path, arguments: &[&str]) -> Result<bool, AssetsError> {
        let status = Command::new("go")
            .args(arguments)
            .current_dir(module)
            .env("CGO_ENABLED", "0")
            .env("GOFLAGS", "-mod=readonly")
            .status();
        match status {
            Ok(status) => Ok(status.success()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(AssetsError::NoGo),
            Err(source) => Err(AssetsError::Io { path: self.name.into(), source }),
        }
    }
}
