//! Who is asking: tokens, client certificates, impersonation.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use rand_chacha::ChaCha12Rng;
use sha2::{Digest, Sha256};
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::request::Headers;
use crate::status::Failure;

/// The group that may do everything.
pub const MASTERS: &str = "system:masters";
/// Everyone whom the server knows.
pub const AUTHENTICATED: &str = "system:authenticated";

/// An authenticated user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// User name.
    pub name: String,
    /// Groups, `system:authenticated` included.
    pub groups: Vec<String>,
    /// Stable identifier, may be empty.
    pub uid: String,
}

impl User {
    /// A user with these groups, and `system:authenticated`.
    #[must_use]
    pub fn new(name: &str, groups: &[&str]) -> Self {
        let mut groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        if !groups.iter().any(|group| group == AUTHENTICATED) {
            groups.push(AUTHENTICATED.to_owned());
        }
        Self { name: name.to_owned(), groups, uid: String::new() }
    }

    /// Whether the user is in a group.
    #[must_use]
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|one| one == group)
    }

    /// The user a client certificate (DER) speaks for: common name and organisations. The caller has verified the chain.
    ///
    /// # Errors
    /// A text when the certificate cannot be read or names nobody.
    pub fn from_certificate(der: &[u8]) -> Result<Self, String> {
        let (_, certificate) = X509Certificate::from_der(der).map_err(|error| error.to_string())?;
        let subject = certificate.subject();
        let name = subject.iter_common_name().find_map(|name| name.as_str().ok()).unwrap_or_default();
        if name.is_empty() {
            return Err("the client certificate has no common name; issue one that names its user".to_owned());
        }
        let groups: Vec<&str> = subject.iter_organization().filter_map(|group| group.as_str().ok()).collect();
        Ok(Self::new(name, &groups))
    }
}

/// When a certificate (DER) stops being valid.
///
/// # Errors
/// A text when the certificate cannot be read.
pub fn certificate_end(der: &[u8]) -> Result<Timestamp, String> {
    let (_, certificate) = X509Certificate::from_der(der).map_err(|error| error.to_string())?;
    Timestamp::from_second(certificate.validity().not_after.timestamp()).map_err(|error| error.to_string())
}

/// Bearer tokens and whom they speak for. Only hashes are kept, so a dump shows no token.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    users: BTreeMap<[u8; 32], User>,
    /// What the tokens of projects are derived from, so that a project made later has one too.
    project_secret: String,
}

impl Tokens {
    /// Lets a token speak for a user.
    pub fn insert(&mut self, token: &str, user: User) {
        self.users.insert(hash(token), user);
    }

    /// Accepts the tokens that [`project_token`] derives from this secret.
    pub fn accept_projects(&mut self, secret: &str) {
        secret.clone_into(&mut self.project_secret);
    }

    /// Whom a token speaks for.
    #[must_use]
    pub fn find(&self, token: &str) -> Option<User> {
        self.users.get(&hash(token)).cloned().or_else(|| self.find_project(token))
    }

    fn find_project(&self, token: &str) -> Option<User> {
        let (project, _) = token.strip_prefix("project:")?.rsplit_once(':')?;
        let known = !self.project_secret.is_empty()
            && hash(&project_token(&self.project_secret, project)) == hash(token);
        known.then(|| User::new(&project_user(project), &[]))
    }

    /// Whom a request speaks for: its connection's user, else its bearer token's (kube-apiserver's order, measured).
    ///
    /// # Errors
    /// 401 when neither is known.
    pub fn authenticate(&self, identity: Option<&User>, headers: &Headers) -> Result<User, Failure> {
        if let Some(user) = identity {
            return Ok(user.clone());
        }
        let (scheme, token) = headers.authorization.split_once(' ').unwrap_or_default();
        let found = scheme.eq_ignore_ascii_case("bearer").then(|| self.find(token.trim())).flatten();
        found.ok_or_else(Failure::unauthorized)
    }
}

/// The user of a project: administrator of its plane, and reader of its own Project object.
#[must_use]
pub fn project_user(project: &str) -> String {
    format!("project:{project}")
}

/// The bearer token of a project's user.
#[must_use]
pub fn project_token(secret: &str, project: &str) -> String {
    let digest = Sha256::digest(format!("{secret}\n{project}"));
    format!("project:{project}:{}", URL_SAFE_NO_PAD.encode(digest))
}

/// A uid in the usual form (RFC 9562, version 4) from a generator.
pub(crate) fn new_uid(generator: &mut ChaCha12Rng) -> String {
    use rand::Rng;
    let high = (generator.next_u64() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000;
    let low = (generator.next_u64() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000;
    let text = format!("{high:016x}{low:016x}");
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The user a request impersonates, if it does.
#[must_use]
pub fn impersonated(headers: &Headers) -> Option<User> {
    if headers.impersonate_user.is_empty() {
        return None;
    }
    let groups: Vec<&str> = headers.impersonate_groups.iter().map(String::as_str).collect();
    Some(User::new(&headers.impersonate_user, &groups))
}
