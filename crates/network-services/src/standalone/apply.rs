//! Applies manifests to embedded planes, server-side and strictly: a field that the plane does not know is an error.

use std::path::PathBuf;
use std::time::Duration;

use api::ClusterName;
use http::{Request, header};
use kube_client::Client;
use kube_client::client::Body;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use runtime::transport::{self, Answered};
use serde_json::Value;

use super::manifest::{Manifest, PlaneManifests};
use super::platform::{Platform, prefix};

const FIELD_MANAGER: &str = "network-services-apply";
/// How long a plane in this process may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// An object that a plane does not take.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    /// No such plane.
    #[error("{path} is for plane {plane}, which is not there; {remedy}")]
    NoPlane {
        /// The first file for it.
        path: PathBuf,
        /// The plane.
        plane: ClusterName,
        /// What to do.
        remedy: &'static str,
    },
    /// The plane has no such kind.
    #[error(
        "{path}, document {document}: plane {plane} does not serve kind {kind} of {api_version}; correct the manifest, move it to another plane, or install the kind's definition first"
    )]
    NotServed {
        /// The file.
        path: PathBuf,
        /// The document, from 1.
        document: usize,
        /// The plane.
        plane: ClusterName,
        /// Its kind.
        kind: String,
        /// Its group and version.
        api_version: String,
    },
    /// The plane refuses it.
    #[error("{path}, document {document}: plane {plane} refuses {object} ({code}): {message}")]
    Refused {
        /// The file.
        path: PathBuf,
        /// The document, from 1.
        document: usize,
        /// The plane.
        plane: ClusterName,
        /// Kind and name.
        object: String,
        /// HTTP code, 0 where nothing answered.
        code: u16,
        /// The server's own words, which name the field.
        message: String,
    },
}

/// Applies everything, plane by plane, and says how many objects.
pub(crate) async fn apply(platform: &Platform, planes: &[PlaneManifests]) -> Result<usize, ApplyError> {
    let mut count = 0;
    for of in planes {
        check_mounted(platform, of).await?;
        let client = platform.client(&prefix(&of.plane));
        for manifest in &of.manifests {
            put(&client, &of.plane, manifest).await?;
            count += 1;
        }
    }
    Ok(count)
}

async fn check_mounted(platform: &Platform, of: &PlaneManifests) -> Result<(), ApplyError> {
    let name = of.plane.to_string();
    if platform.planes().await.iter().any(|(plane, _)| *plane == name) {
        return Ok(());
    }
    let remedy = match of.plane {
        ClusterName::Project(_) => "put a Project of that name into core/",
        ClusterName::Cell(_) => "mount it with --cell",
        _ => "apply to core, hub, project/<name> or cell/<name>",
    };
    let path = of.manifests.first().map(|manifest| manifest.path.clone()).unwrap_or_default();
    Err(ApplyError::NoPlane { path, plane: of.plane.clone(), remedy })
}

async fn put(client: &Client, plane: &ClusterName, manifest: &Manifest) -> Result<(), ApplyError> {
    let collection = collection(client, plane, manifest).await?;
    let path = format!(
        "{collection}/{}?fieldManager={FIELD_MANAGER}&force=true&fieldValidation=Strict",
        utf8_percent_encode(text(manifest, "/metadata/name"), NON_ALPHANUMERIC)
    );
    let request = Request::patch(path)
        .header(header::CONTENT_TYPE, "application/apply-patch+yaml")
        .header(header::ACCEPT, "application/json")
        .body(Body::from(manifest.object.to_string().into_bytes()))
        .map_err(|error| refused(plane, manifest, 0, error.to_string()))?;
    let answered = transport::send(client, request, DEADLINE)
        .await
        .map_err(|error| refused(plane, manifest, 0, error.to_string()))?;
    match answered.code {
        200 | 201 => Ok(()),
        code => Err(refused(plane, manifest, code, engine::wire::status_text(&answered.body))),
    }
}

/// The path of the object's collection, from the plane's own discovery.
async fn collection(client: &Client, plane: &ClusterName, manifest: &Manifest) -> Result<String, ApplyError> {
    let (api_version, kind) = (text(manifest, "/apiVersion"), text(manifest, "/kind"));
    let root = if api_version.contains('/') {
        format!("/apis/{api_version}")
    } else {
        format!("/api/{api_version}")
    };
    let answered = transport::get(client, &root, DEADLINE)
        .await
        .map_err(|error| refused(plane, manifest, 0, error.to_string()))?;
    let Some((plural, is_namespaced)) = resource(&answered, kind) else {
        return Err(ApplyError::NotServed {
            path: manifest.path.clone(),
            document: manifest.document,
            plane: plane.clone(),
            kind: kind.to_owned(),
            api_version: api_version.to_owned(),
        });
    };
    if !is_namespaced {
        return Ok(format!("{root}/{plural}"));
    }
    let namespace = manifest.object.pointer("/metadata/namespace").and_then(Value::as_str);
    let namespace = utf8_percent_encode(namespace.unwrap_or("default"), NON_ALPHANUMERIC);
    Ok(format!("{root}/namespaces/{namespace}/{plural}"))
}

fn resource(answered: &Answered, kind: &str) -> Option<(String, bool)> {
    let list: Value = serde_json::from_slice(&answered.body).ok()?;
    let is_it = |resource: &&Value| {
        resource["kind"] == kind && resource["name"].as_str().is_some_and(|name| !name.contains('/'))
    };
    let found = list.get("resources")?.as_array()?.iter().find(is_it)?;
    Some((found["name"].as_str()?.to_owned(), found["namespaced"].as_bool()?))
}

fn text<'a>(manifest: &'a Manifest, pointer: &str) -> &'a str {
    manifest.object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn refused(plane: &ClusterName, manifest: &Manifest, code: u16, message: String) -> ApplyError {
    let (code, message) = unknown_field(&message).unwrap_or((code, message));
    ApplyError::Refused {
        path: manifest.path.clone(),
        document: manifest.document,
        plane: plane.clone(),
        object: format!("{} {}", text(manifest, "/kind"), text(manifest, "/metadata/name")),
        code,
        message,
    }
}

/// API servers answer a server-side apply of a field that the kind lacks with 500 and words for themselves; it is the
/// manifest's mistake, and this says so.
fn unknown_field(message: &str) -> Option<(u16, String)> {
    let (before, _) = message.split_once(": field not declared in schema")?;
    let field = before.rsplit(' ').next()?.trim_start_matches('.');
    Some((400, format!("unknown field {field}; correct its name or take it out")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_the_kind_lacks_is_the_manifests_mistake() {
        let answer = "failed to create typed patch object (ns/t; networking.datumapis.com/v1alpha, \
                      Kind=NetworkBinding): .spec.netwrk: field not declared in schema";
        let (code, message) = unknown_field(answer).unwrap();
        assert_eq!(
            (code, message.as_str()),
            (400, "unknown field spec.netwrk; correct its name or take it out")
        );
        assert_eq!(unknown_field("etcdserver: request timed out"), None);
    }
}
