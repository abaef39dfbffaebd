//! Connections to API servers. They grow with hosts, not with planes times kinds.
//!
//! Many planes sit behind one host. Where it speaks HTTP/2, all planes that are reached in the same way (same address,
//! same trust, same client certificate) share a few connections; who a request comes from stays with each plane, in its
//! headers. Watches have connections of their own, as many as the streams that the host allows make necessary. Reads, writes
//! and leases have their own too, so no number of watches or lists keeps a write waiting, and no number of writes a lease.
//! A host that offers only HTTP/1.1 gets a connection for each request under way, and is asked again after a while.

mod host;
mod lane;
mod place;
mod purpose;
mod spoken;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use api::ClusterName;
use kube_client::client::ConfigExt;
use kube_client::{Client, Config};
use tower::{BoxError, ServiceBuilder};

use self::host::{CONNECT_TIMEOUT, Host, HostService};
use self::place::Place;
use crate::provider::ProviderError;

/// What keeps a request from reaching its host.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConnectionError {
    /// No connection.
    #[error("cannot connect to {host}: {source}")]
    Dial {
        /// Address of the host.
        host: String,
        /// Why.
        source: Arc<BoxError>,
    },
    /// The connection broke while the request was on it.
    #[error("the connection to {host} broke: {source}")]
    Broken {
        /// Address of the host.
        host: String,
        /// Why.
        source: Arc<BoxError>,
    },
}

/// Hands out clients that share connections. Clones share too.
#[derive(Clone, Default)]
pub struct Connections(Arc<Mutex<BTreeMap<Place, Weak<Host>>>>);

impl std::fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        write!(formatter, "Connections({hosts} hosts)")
    }
}

impl Connections {
    /// A client without retries and without a read timeout: every request has its own deadline. `cluster` is named in
    /// errors only.
    ///
    /// # Errors
    /// If the configuration cannot be used.
    pub fn client(&self, cluster: &ClusterName, mut config: Config) -> Result<Client, ProviderError> {
        let wrong = |source| ProviderError::Client { cluster: cluster.clone(), source: Box::new(source) };
        if config.proxy_url.is_some() {
            // The client library knows which proxies this build can use, and refuses the others by name.
            config.default_retry = false;
            config.read_timeout = None;
            config.connect_timeout = Some(CONNECT_TIMEOUT);
            return Client::try_from(config).map_err(wrong);
        }
        let host = self.host(cluster, &config)?;
        let service = ServiceBuilder::new()
            .layer(config.base_uri_layer())
            .option_layer(config.auth_layer().map_err(wrong)?)
            .layer(config.extra_headers_layer().map_err(wrong)?)
            .map_err(BoxError::from)
            .service(HostService(host));
        Ok(Client::new(service, config.default_namespace))
    }

    fn host(&self, cluster: &ClusterName, config: &Config) -> Result<Arc<Host>, ProviderError> {
        let Some(place) = Place::of(config) else { return Ok(Arc::new(Host::new(cluster, config)?)) };
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get(&place).and_then(Weak::upgrade) {
            return Ok(host);
        }
        hosts.retain(|_, host| host.strong_count() > 0);
        let host = Arc::new(Host::new(cluster, config)?);
        hosts.insert(place, Arc::downgrade(&host));
        Ok(host)
    }
}
