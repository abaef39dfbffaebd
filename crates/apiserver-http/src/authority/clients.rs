//! Client certificates: taken from everybody who offers one, believed where they are valid.
//!
//! As with kube-apiserver, a certificate that is not valid does not end the connection: requests speak for nobody then,
//! which is 401, and a token may still say who asks.

use std::sync::Arc;

use apiserver::identity::{User, certificate_end};
use jiff::Timestamp;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

/// Whom clients are by their certificates.
#[derive(Clone, Debug)]
pub(crate) struct Clients {
    verifier: Arc<dyn ClientCertVerifier>,
}

impl Clients {
    /// Believes what this verifier accepts.
    pub(super) fn new(verifier: Arc<dyn ClientCertVerifier>) -> Self {
        Self { verifier }
    }

    /// For the handshake, which refuses nobody whose key is that of the certificate offered.
    pub(super) fn taking_any(&self) -> Arc<dyn ClientCertVerifier> {
        Arc::new(TakingAny(self.verifier.clone()))
    }

    /// The user a chain speaks for and until when; `None` for no chain and one that is not valid now.
    pub(crate) fn user(&self, chain: &[CertificateDer<'_>]) -> Option<(User, Timestamp)> {
        let (own, others) = chain.split_first()?;
        let checked = self.verifier.verify_client_cert(own, others, UnixTime::now());
        let user = checked.map_err(|error| error.to_string()).and_then(|_| User::from_certificate(own));
        let ends = chain.iter().map(|one| certificate_end(one)).collect::<Result<Vec<_>, _>>();
        match (user, ends) {
            (Ok(user), Ok(ends)) => Some((user, ends.into_iter().min()?)),
            (Err(why), _) | (_, Err(why)) => {
                tracing::debug!(why, "a client certificate is not believed");
                None
            }
        }
    }
}

#[derive(Debug)]
struct TakingAny(Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for TakingAny {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
