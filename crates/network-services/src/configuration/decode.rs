//! Strict decoding, with errors that name the place and the nearest known key.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_saphyr::{Error, Options};

use super::{API_VERSION, ConfigurationError};

/// Below this similarity a key is no guess but noise.
const SIMILAR: f64 = 0.7;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
}

/// Decodes a document of this kind; anything that its type does not name is an error.
pub(super) fn strictly<T: DeserializeOwned>(
    path: &Path,
    text: &str,
    wanted: &'static str,
) -> Result<T, ConfigurationError> {
    let header: Header = decode(path, text)?;
    if header.kind != wanted || header.api_version != API_VERSION {
        let found = format!("{} of {}", or_nothing(&header.kind), or_nothing(&header.api_version));
        return Err(ConfigurationError::Kind { path: path.to_owned(), found, wanted });
    }
    decode(path, text)
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "(nothing)" } else { text }
}

fn decode<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigurationError> {
    serde_saphyr::from_str_with_options(text, options()).map_err(|error| told(path, &error))
}

/// Only `true` and `false` are booleans, as in YAML 1.2.
fn options() -> Options {
    serde_saphyr::options! { strict_booleans: true, with_snippet: false }
}

fn told(path: &Path, error: &Error) -> ConfigurationError {
    let line = error.location().map_or(0, |location| location.line());
    let path = path.to_owned();
    match error.without_snippet() {
        Error::SerdeUnknownField { field, expected, .. } => {
            ConfigurationError::UnknownKey { path, line, key: field.clone(), hint: hint(field, expected) }
        }
        other => ConfigurationError::Value { path, line, problem: other.to_string() },
    }
}

/// The nearest of the known keys; all of them where none is near.
fn hint(key: &str, known: &[&'static str]) -> String {
    let near = known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(key, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    match near {
        Some((_, candidate)) => format!("did you mean {candidate:?}?"),
        None => format!("known here: {}", known.join(", ")),
    }
}
