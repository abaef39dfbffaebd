//! Reads manifests: a folder per plane, files in order of name, documents in order.
//!
//! Plain scalars are YAML 1.2: `n`, `yes` and `on` are texts. What cannot be applied is refused with file, document and
//! field before anything is written.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use api::ClusterName;
use serde_json::Value;

/// A manifest that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ManifestError {
    /// A file or folder cannot be read.
    #[error(
        "{path} cannot be read: {error}; name a folder with one folder per plane, or a file with --plane"
    )]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A folder that names no plane.
    #[error("{path} names no plane; call the folders core, hub, project-<name> and cell-<name>")]
    Folder {
        /// Which.
        path: PathBuf,
    },
    /// Something that would be passed over silently.
    #[error("{path} {problem}")]
    Place {
        /// Which.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: &'static str,
    },
    /// A document that is no object.
    #[error("{path}, document {document}: {problem}")]
    Document {
        /// The file.
        path: PathBuf,
        /// Which document, from 1.
        document: usize,
        /// What is wrong, where.
        problem: String,
    },
}

/// One object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Manifest {
    /// Its file.
    pub(crate) path: PathBuf,
    /// Its place in the file, from 1.
    pub(crate) document: usize,
    /// The object.
    pub(crate) object: Value,
}

/// What goes to one plane.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaneManifests {
    /// The plane.
    pub(crate) plane: ClusterName,
    /// In order.
    pub(crate) manifests: Vec<Manifest>,
}

/// Reads a folder of planes, or one file or folder for the plane given.
pub(crate) fn read(path: &Path, plane: Option<&ClusterName>) -> Result<Vec<PlaneManifests>, ManifestError> {
    if let Some(plane) = plane {
        let manifests = if path.is_dir() { folder(path)? } else { file(path)? };
        return Ok(vec![PlaneManifests { plane: plane.clone(), manifests }]);
    }
    if path.is_file() {
        let problem = "is a file; name its plane with --plane";
        return Err(ManifestError::Place { path: path.to_owned(), problem });
    }
    let mut planes = Vec::new();
    for entry in entries(path)? {
        if entry.is_dir() {
            planes.push(PlaneManifests { plane: plane_of(&entry)?, manifests: folder(&entry)? });
        } else if is_manifest(&entry) {
            let problem = "is outside of every plane's folder; move it into one";
            return Err(ManifestError::Place { path: entry, problem });
        }
    }
    if planes.is_empty() {
        let problem = "holds no folder of a plane; make core, hub, project-<name> or cell-<name>";
        return Err(ManifestError::Place { path: path.to_owned(), problem });
    }
    planes.sort_by_key(|of| (of.plane.role() != api::cluster::ClusterRole::Core, of.plane.to_string()));
    Ok(planes)
}

fn plane_of(folder: &Path) -> Result<ClusterName, ManifestError> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let text = match name.split_once('-') {
        Some((role @ ("project" | "cell"), rest)) => format!("{role}/{rest}"),
        _ => name.to_owned(),
    };
    text.parse().map_err(|_| ManifestError::Folder { path: folder.to_owned() })
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ManifestError> {
    let failed = |error| ManifestError::Read { path: folder.to_owned(), error };
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    Ok(entries)
}

fn is_manifest(path: &Path) -> bool {
    matches!(path.extension().and_then(|extension| extension.to_str()), Some("yaml" | "yml" | "json"))
}

fn folder(path: &Path) -> Result<Vec<Manifest>, ManifestError> {
    let mut manifests = Vec::new();
    for entry in entries(path)? {
        if entry.is_dir() {
            let problem = "is a folder inside of a plane's folder; its files would be passed over";
            return Err(ManifestError::Place { path: entry, problem });
        }
        if is_manifest(&entry) {
            manifests.extend(file(&entry)?);
        }
    }
    Ok(manifests)
}

fn file(path: &Path) -> Result<Vec<Manifest>, ManifestError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ManifestError::Read { path: path.to_owned(), error })?;
    parse(path, &text)
}

/// The objects of a text; a `List` is its items.
fn parse(path: &Path, text: &str) -> Result<Vec<Manifest>, ManifestError> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        underscored_numbers_as_strings: true,
        with_snippet: false,
    };
    let mut manifests = Vec::new();
    let mut reader = text.as_bytes();
    let documents = serde_saphyr::read_with_options::<_, Value>(&mut reader, options);
    for (index, document) in documents.enumerate() {
        let wrong =
            |problem: String| ManifestError::Document { path: path.to_owned(), document: index + 1, problem };
        let value = document.map_err(|error| wrong(error.to_string()))?;
        for object in objects(value) {
            check(&object).map_err(wrong)?;
            manifests.push(Manifest { path: path.to_owned(), document: index + 1, object });
        }
    }
    Ok(manifests)
}

fn objects(value: Value) -> Vec<Value> {
    if value["kind"] == "List"
        && value["apiVersion"] == "v1"
        && let Some(items) = value.get("items").and_then(Value::as_array)
    {
        return items.clone();
    }
    vec![value]
}

fn check(object: &Value) -> Result<(), String> {
    if !object.is_object() {
        return Err("is no mapping; write an object with apiVersion, kind and metadata.name".to_owned());
    }
    for pointer in ["/apiVersion", "/kind", "/metadata/name"] {
        let field = pointer.trim_start_matches('/').replace('/', ".");
        match object.pointer(pointer) {
            Some(Value::String(text)) if !text.is_empty() => {}
            Some(Value::String(_)) => return Err(format!("field {field} is empty; write a text")),
            Some(other) => {
                return Err(format!("field {field} is {other}, which is no text; put it in quotes"));
            }
            None => return Err(format!("field {field} is missing; every object has one")),
        }
    }
    Ok(())
}
