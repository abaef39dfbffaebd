//! The installation's own certificate authority: it signs the server's certificate and those of clients.

mod clients;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

pub(crate) use clients::Clients;

/// An authority that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// Making or signing a certificate failed.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// TLS refuses what was made.
    #[error("cannot set up TLS: {0}")]
    Tls(String),
    /// The stored authority is not readable.
    #[error("the stored authority is damaged ({0}); remove authority.pem to have a new one made")]
    Damaged(String),
}

/// A certificate and its key, as PEM.
#[derive(Clone, Debug)]
pub struct Issued {
    /// The certificate.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

/// See the module.
#[derive(Debug)]
pub struct Authority {
    certificate: String,
    key: String,
}

impl Authority {
    /// A new authority.
    ///
    /// # Errors
    /// [`AuthorityError::Certificate`] when no key can be made.
    pub fn generate() -> Result<Self, AuthorityError> {
        let key = KeyPair::generate()?;
        let mut params = named("network-services authority", Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages =
            vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
        let certificate = params.self_signed(&key)?;
        Ok(Self { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// The authority as [`Self::to_pem`] wrote it.
    ///
    /// # Errors
    /// [`AuthorityError::Damaged`] when it is something else.
    pub fn from_pem(pem: &str) -> Result<Self, AuthorityError> {
        const KEY: &str = "-----BEGIN PRIVATE KEY-----";
        let at = pem.find(KEY).ok_or_else(|| AuthorityError::Damaged("it has no private key".to_owned()))?;
        let (certificate, key) = pem.split_at(at);
        let authority = Self { certificate: certificate.to_owned(), key: key.to_owned() };
        authority.issuer().map_err(|error| AuthorityError::Damaged(error.to_string()))?;
        Ok(authority)
    }

    /// Certificate and key, for keeping.
    #[must_use]
    pub fn to_pem(&self) -> String {
        format!("{}{}", self.certificate, self.key)
    }

    /// The certificate that clients trust.
    #[must_use]
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    fn issuer(&self) -> Result<Issuer<'static, KeyPair>, rcgen::Error> {
        Issuer::from_ca_cert_pem(&self.certificate, KeyPair::from_pem(&self.key)?)
    }

    /// A client certificate for a user in groups.
    ///
    /// # Errors
    /// [`AuthorityError::Certificate`].
    pub fn issue_client(&self, user: &str, groups: &[&str]) -> Result<Issued, AuthorityError> {
        self.issue(&client(user, groups)?)
    }

    /// A server certificate for the local names and these.
    ///
    /// # Errors
    /// [`AuthorityError::Certificate`], for a name that is none too.
    pub fn issue_server(&self, names: &[String]) -> Result<Issued, AuthorityError> {
        let mut all: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        all.extend(
            names
                .iter()
                .filter(|name| {
                    name.parse::<IpAddr>().is_ok_and(|ip| !ip.is_unspecified())
                        || name.parse::<IpAddr>().is_err()
                })
                .cloned(),
        );
        all.sort();
        all.dedup();
        let mut params = named("network-services", all)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.issue(&params)
    }

    fn issue(&self, params: &CertificateParams) -> Result<Issued, AuthorityError> {
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer()?)?;
        Ok(Issued { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// Who clients with certificates of this authority are.
    ///
    /// # Errors
    /// [`AuthorityError`] when TLS refuses the authority.
    pub(crate) fn clients(&self) -> Result<Clients, AuthorityError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(certificate(&self.certificate)?).map_err(|error| refused(&error))?;
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        Ok(Clients::new(verifier.map_err(|error| refused(&error))?))
    }

    /// The TLS side of a listener: a fresh server certificate, HTTP/2 and HTTP/1.1, client certificates taken where
    /// offered.
    ///
    /// # Errors
    /// [`AuthorityError`] when a certificate cannot be made or TLS refuses it.
    pub(crate) fn server_config(
        &self,
        names: &[String],
        clients: &Clients,
    ) -> Result<ServerConfig, AuthorityError> {
        let issued = self.issue_server(names)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key =
            PrivatePkcs8KeyDer::from_pem_slice(issued.key.as_bytes()).map_err(|error| refused(&error))?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| refused(&error))?
            .with_client_cert_verifier(clients.taking_any())
            .with_single_cert(vec![certificate(&issued.certificate)?], PrivateKeyDer::Pkcs8(key))
            .map_err(|error| refused(&error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

fn refused(error: &dyn std::fmt::Display) -> AuthorityError {
    AuthorityError::Tls(error.to_string())
}

fn client(user: &str, groups: &[&str]) -> Result<CertificateParams, rcgen::Error> {
    let mut params = named(user, Vec::new())?;
    for group in groups {
        params.distinguished_name.push(DnType::OrganizationName, *group);
    }
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    Ok(params)
}

fn named(common_name: &str, names: Vec<String>) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, common_name);
    Ok(params)
}

fn certificate(pem: &str) -> Result<CertificateDer<'static>, AuthorityError> {
    CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|error| AuthorityError::Damaged(error.to_string()))
}
