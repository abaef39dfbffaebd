//! Sockets: TLS with HTTP/2 and HTTP/1.1, one handle per connection, graceful shutdown.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::authority::{Authority, AuthorityError, Clients};
use crate::handle::Handle;

/// How long a client may take for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long open connections are waited for at the end.
const DRAIN: Duration = Duration::from_secs(5);
/// Pause after an accept that failed for want of file descriptors.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// A socket that cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {error}; free the port or name another one")]
    Bind {
        /// Which address.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] AuthorityError),
}

/// A listening socket. Dropping it stops accepting.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Listener {
    /// Listens with TLS; port 0 takes a free one.
    ///
    /// # Errors
    /// [`ListenError`] naming the address and what to do.
    pub async fn bind(
        address: SocketAddr,
        authority: &Authority,
        names: &[String],
        handle: Handle,
    ) -> Result<Self, ListenError> {
        let failed = |error| ListenError::Bind { address, error };
        let socket = TcpListener::bind(address).await.map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let mut all = names.to_vec();
        all.push(address.ip().to_string());
        let clients = authority.clients()?;
        let acceptor = TlsAcceptor::from(Arc::new(authority.server_config(&all, &clients)?));
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(accept(socket, (acceptor, clients), handle, stopped));
        Ok(Self { address, stop, task })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting, lets requests finish, ends the rest after a few seconds.
    pub async fn shutdown(self) {
        // The task may have ended already.
        let _ = self.stop.send(true);
        let _ = self.task.await;
    }
}

async fn accept(
    socket: TcpListener,
    tls: (TlsAcceptor, Clients),
    handle: Handle,
    mut stopped: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stopped.changed() => break,
            accepted = socket.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let watcher = graceful.watcher();
                let (tls, handle) = (tls.clone(), handle.clone());
                tokio::spawn(async move {
                    if let Err(error) = serve(stream, &tls, handle, watcher).await {
                        tracing::debug!(%peer, %error, "a connection ended");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(EXHAUSTED).await;
            }
        }
    }
    drop(socket);
    // Watches do not end by themselves; after the grace their clients reconnect elsewhere.
    let _ = tokio::time::timeout(DRAIN, graceful.shutdown()).await;
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn serve(
    stream: TcpStream,
    (acceptor, clients): &(TlsAcceptor, Clients),
    handle: Handle,
    watcher: hyper_util::server::graceful::Watcher,
) -> Result<(), Failure> {
    stream.set_nodelay(true)?;
    let stream = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await??;
    let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
    let handle = match clients.user(chain) {
        Some((user, until)) => handle.speaking_until(user, until),
        None => handle,
    };
    let builder = Builder::new(TokioExecutor::new());
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(handle));
    watcher.watch(connection.into_owned()).await
}
