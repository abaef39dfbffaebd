//! `standalone`: every plane and every controller in this process, kubectl from outside.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use api::{ClusterName, NamespaceName};
use apiserver_http::kubeconfig;
use clap::Args;
use federation::configuration::UNCLAIMED_GRACE_PERIOD;
use runtime::admin;
use tokio::net::TcpListener;

use crate::access::SYSTEM_NAMESPACE;
use crate::commands::manager::{Controllers, lease_settings, serve_admin};
use crate::configuration::LeaderElection;
use crate::failure::Failure;
use crate::signals;
use crate::standalone::{
    KubeconfigFile, Options, PlaneManifests, Platform, Settling, StandaloneError, apply, connect, read, table,
};

/// How often new projects are looked for, and whether the store still can be written.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How to run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Keep everything in this directory; in memory alone where absent.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Apply manifests at the start: a folder with one folder per plane (core, hub, project-<name>, cell-<name>).
    #[arg(long, value_name = "DIR")]
    apply: Option<PathBuf>,
    /// Take --apply as a file or folder for this plane: core, hub, project/<name>, cell/<name>.
    #[arg(long, value_name = "PLANE", requires = "apply")]
    plane: Option<ClusterName>,
    /// End as soon as everything is ready; fail with the reasons if that takes longer than --timeout.
    #[arg(long)]
    until_settled: bool,
    /// How many seconds --until-settled waits.
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    timeout: u64,
    /// Where the planes listen; port 0 takes a free one.
    #[arg(long, default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0), value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Further names of this machine for the server's certificate.
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Mount a cell, besides those that manifests and the data directory name.
    #[arg(long, value_name = "NAME")]
    cell: Vec<String>,
    /// Write the kubeconfig here; into the data directory or a temporary one where absent.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Serve health, metrics and explanations here, without authentication.
    #[arg(long, value_name = "ADDRESS")]
    admin_listen: Option<SocketAddr>,
    /// End a presence that nothing declares after this many seconds.
    #[arg(long, default_value_t = UNCLAIMED_GRACE_PERIOD.as_secs(), value_name = "SECONDS")]
    unclaimed_grace_seconds: u64,
    /// Serve the planes alone, for controllers in another process.
    #[arg(long, conflicts_with_all = ["until_settled", "admin_listen"])]
    planes_only: bool,
}

/// Runs until everything is ready, or until a signal comes.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let manifests = match &arguments.apply {
        Some(path) => read(path, arguments.plane.as_ref()).map_err(StandaloneError::from)?,
        None => Vec::new(),
    };
    let admin = match arguments.admin_listen {
        Some(address) => Some(listen(address).await?),
        None => None,
    };
    let platform = Platform::start(options(&arguments, &manifests)).await?;
    let outcome = serve(&arguments, &manifests, &platform, admin).await;
    platform.stop().await;
    Ok(outcome?)
}

fn options(arguments: &Arguments, manifests: &[PlaneManifests]) -> Options {
    let named = manifests.iter().filter_map(|of| match &of.plane {
        ClusterName::Cell(name) => Some(name.as_str().to_owned()),
        _ => None,
    });
    Options {
        data: arguments.data_dir.clone(),
        listen: arguments.listen,
        names: arguments.name.clone(),
        cells: arguments.cell.iter().cloned().chain(named).collect(),
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StandaloneError> {
    TcpListener::bind(address).await.map_err(|error| StandaloneError::Admin { address, error })
}

/// Runs what is asked on planes that are up. The controllers end first: they give their leases back to the planes.
async fn serve(
    arguments: &Arguments,
    manifests: &[PlaneManifests],
    platform: &Platform,
    admin: Option<TcpListener>,
) -> Result<(), StandaloneError> {
    let mut kubeconfig =
        KubeconfigFile::choose(arguments.kubeconfig.as_deref(), arguments.data_dir.as_deref())?;
    kubeconfig.write(platform).await?;
    if arguments.planes_only {
        fill(manifests, platform, &mut kubeconfig).await?;
        return tokio::select! {
            outcome = keep(platform, &mut kubeconfig) => outcome,
            () = signals::asked_to_end() => Ok(()),
        };
    }
    let controllers = start(arguments, platform).await?;
    let admin = admin.map(|listener| {
        if let Ok(address) = admin::address(&listener) {
            println!("admin endpoint  http://{address}");
        }
        serve_admin(listener, controllers.handle.clone())
    });
    let outcome = tokio::select! {
        outcome = work(arguments, manifests, (platform, &mut kubeconfig), &controllers) => outcome,
        () = signals::asked_to_end() => Ok(()),
    };
    controllers.stop().await;
    if let Some(admin) = admin {
        admin.abort();
    }
    outcome
}

async fn start(arguments: &Arguments, platform: &Platform) -> Result<Controllers, StandaloneError> {
    let connection = connect(platform).await?;
    let namespace = NamespaceName::new(SYSTEM_NAMESPACE);
    let leases =
        lease_settings((&ClusterName::Core, &namespace), &platform.identity(), &LeaderElection::default());
    Ok(Controllers::start(connection, leases, Duration::from_secs(arguments.unclaimed_grace_seconds)))
}

async fn work(
    arguments: &Arguments,
    manifests: &[PlaneManifests],
    (platform, kubeconfig): (&Platform, &mut KubeconfigFile),
    controllers: &Controllers,
) -> Result<(), StandaloneError> {
    fill(manifests, platform, kubeconfig).await?;
    let mut settling = Settling::new(platform, &controllers.handle);
    if arguments.until_settled {
        let timeout = Duration::from_secs(arguments.timeout);
        let standing = settling.wait(Some(timeout), |line| println!("  waiting: {line}")).await?;
        println!("\n{}", table(&standing));
        return Ok(());
    }
    tokio::select! {
        outcome = follow(&mut settling) => outcome,
        outcome = keep(platform, kubeconfig) => outcome,
    }
}

/// Prints the table whenever everything has come to rest in another way than before.
async fn follow(settling: &mut Settling<'_>) -> Result<(), StandaloneError> {
    let mut shown = None;
    loop {
        let standing = settling.wait(None, |line| println!("  waiting: {line}")).await?;
        if shown.as_ref() != Some(&standing) {
            println!("\n{}", table(&standing));
            shown = Some(standing);
        }
        tokio::time::sleep(LOOK_EVERY).await;
        settling.disturbed().await;
    }
}

/// Applies the manifests and says where everything is.
async fn fill(
    manifests: &[PlaneManifests],
    platform: &Platform,
    kubeconfig: &mut KubeconfigFile,
) -> Result<(), StandaloneError> {
    let count = apply(platform, manifests).await?;
    kubeconfig.write(platform).await?;
    let url = platform.url();
    println!("planes");
    for (plane, prefix) in platform.planes().await {
        println!("  {plane:<16} {url}{prefix}");
    }
    let planes = platform.planes().await;
    let contexts: Vec<String> = planes.iter().map(|(plane, _)| kubeconfig::name(plane)).collect();
    println!("kubeconfig      {} (contexts {})", kubeconfig.path().display(), contexts.join(", "));
    if count > 0 {
        println!("applied         {count} objects");
    }
    Ok(())
}

/// Keeps the kubeconfig up to date while the planes can be written.
async fn keep(platform: &Platform, kubeconfig: &mut KubeconfigFile) -> Result<(), StandaloneError> {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if let Some(failure) = platform.failure() {
            return Err(StandaloneError::Store(failure));
        }
        kubeconfig.write(platform).await?;
    }
}
