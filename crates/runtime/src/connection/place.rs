//! What must be equal for two clients to share connections.

use std::io;
use std::path::PathBuf;

use kube_client::Config;
use kube_client::config::AuthInfo;
use secrecy::ExposeSecret;

/// Where a connection leads, whom it trusts, and as whom TLS introduces us. Tokens and impersonation are headers of each
/// request and not part of it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    scheme: String,
    authority: String,
    server_name: Option<String>,
    roots: Option<Vec<Vec<u8>>>,
    roots_file: Option<PathBuf>,
    accepts_any_certificate: bool,
    certificate: Option<Material>,
    key: Option<Material>,
}

/// A certificate or key by what it is, not by where it lies: the file may be replaced.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Material {
    Inline(String),
    File(Vec<u8>),
}

impl Place {
    /// The place of a configuration; `None` if nobody may share it: its identity comes from a program that is run for it,
    /// or cannot be read.
    pub(super) fn of(config: &Config) -> Option<Self> {
        let AuthInfo {
            client_certificate, client_certificate_data, client_key, client_key_data, exec, ..
        } = &config.auth_info;
        if exec.is_some() {
            return None;
        }
        let key_data = client_key_data.as_ref().map(|secret| secret.expose_secret().to_owned());
        Some(Self {
            scheme: config.cluster_url.scheme_str().unwrap_or_default().to_owned(),
            authority: config.cluster_url.authority()?.as_str().to_owned(),
            server_name: config.tls_server_name.clone(),
            roots: config.root_cert.clone(),
            roots_file: config.root_cert_file.clone(),
            accepts_any_certificate: config.accept_invalid_certs,
            certificate: material(client_certificate_data.clone(), client_certificate.as_deref()).ok()?,
            key: material(key_data, client_key.as_deref()).ok()?,
        })
    }
}

fn material(inline: Option<String>, path: Option<&str>) -> io::Result<Option<Material>> {
    match (inline, path) {
        (Some(inline), _) => Ok(Some(Material::Inline(inline))),
        (None, Some(path)) => Ok(Some(Material::File(std::fs::read(path)?))),
        (None, None) => Ok(None),
    }
}
