//! One request as the shell hands it in, and what its path and query ask for.

mod options;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use percent_encoding::percent_decode_str;

use crate::identity::User;

pub use options::{FieldValidation, Query, RevisionMatch, invalid_options};

/// Chosen by the shell; unique among the requests in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// The request headers the server looks at; absent ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// `Accept`.
    pub accept: String,
    /// `Content-Type`.
    pub content_type: String,
    /// `Authorization`.
    pub authorization: String,
    /// `User-Agent`: its first part is the default field manager.
    pub user_agent: String,
    /// `Impersonate-User`.
    pub impersonate_user: String,
    /// `Impersonate-Group`, each.
    pub impersonate_groups: Vec<String>,
}

/// A request, without its connection.
#[derive(Clone, Debug)]
pub struct Request {
    /// Answers carry it back.
    pub id: RequestId,
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE`.
    pub method: String,
    /// The path as sent, still percent-encoded.
    pub path: String,
    /// The query as sent, without `?`.
    pub query: String,
    /// See [`Headers`].
    pub headers: Headers,
    /// The whole body; the shell refuses longer ones than [`crate::limits::BODY_BYTES_MAX`] by passing one byte more.
    pub body: Bytes,
    /// Who it is, where the connection already says so (client certificate, in-process handle).
    pub identity: Option<User>,
}

/// What a path below a plane's prefix names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `/api`.
    CoreVersions,
    /// `/apis`.
    Groups,
    /// `/apis/<group>`.
    Group(String),
    /// `/api/v1`, `/apis/<group>/<version>`.
    GroupVersion(String, String),
    /// A resource or an object.
    Resource(Place),
    /// Everything else, such as `/version`.
    Plain(String),
}

/// The place a resource path names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// API group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Namespace, when the path has one.
    pub namespace: Option<String>,
    /// Plural.
    pub plural: String,
    /// Object name.
    pub name: Option<String>,
    /// Such as `status`.
    pub subresource: Option<String>,
}

impl Target {
    /// Reads a path (below the plane's prefix, with its leading slash).
    #[must_use]
    pub fn parse(path: &str) -> Self {
        let segments: Vec<String> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned())
            .collect();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["api"] => Self::CoreVersions,
            ["apis"] => Self::Groups,
            ["apis", group] => Self::Group((*group).to_owned()),
            ["api", version] => Self::GroupVersion(String::new(), (*version).to_owned()),
            ["apis", group, version] => Self::GroupVersion((*group).to_owned(), (*version).to_owned()),
            ["api", version, rest @ ..] => Self::resource("", version, rest, path),
            ["apis", group, version, rest @ ..] => Self::resource(group, version, rest, path),
            _ => Self::Plain(path.to_owned()),
        }
    }

    fn resource(group: &str, version: &str, rest: &[&str], path: &str) -> Self {
        let owned = |text: &&str| Some((*text).to_owned());
        let (namespace, plural, name, subresource) = match rest {
            // A namespace's own subresources look like resources in it.
            ["namespaces", name, sub @ ("status" | "finalize")] => {
                (None, "namespaces", owned(name), owned(sub))
            }
            ["namespaces", namespace, plural] => (owned(namespace), *plural, None, None),
            ["namespaces", namespace, plural, name] => (owned(namespace), *plural, owned(name), None),
            ["namespaces", namespace, plural, name, sub] => {
                (owned(namespace), *plural, owned(name), owned(sub))
            }
            [plural] => (None, *plural, None, None),
            [plural, name] => (None, *plural, owned(name), None),
            [plural, name, sub] => (None, *plural, owned(name), owned(sub)),
            _ => return Self::Plain(path.to_owned()),
        };
        let place = Place {
            group: group.to_owned(),
            version: version.to_owned(),
            namespace,
            plural: plural.to_owned(),
            name,
            subresource,
        };
        Self::Resource(place)
    }
}

/// The field manager of a request that names none: the user agent up to the first slash, bounded like kube-apiserver's.
#[must_use]
pub fn default_manager(user_agent: &str) -> String {
    let first = user_agent.split('/').next().unwrap_or_default();
    let name = if first.is_empty() { "unknown" } else { first };
    name.chars().filter(|c| !c.is_control()).take(128).collect()
}
