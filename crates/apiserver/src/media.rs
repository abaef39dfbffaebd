//! Content negotiation: which form of an answer a client takes, and how a body is written.

#[cfg(test)]
mod tests;

use crate::status::Failure;

/// What the answer is shaped as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Whole objects.
    Object,
    /// `meta.k8s.io/v1 Table`.
    Table,
    /// `PartialObjectMetadata`.
    Metadata,
    /// Aggregated discovery.
    Discovery,
}

/// What the answer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// One accepted form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Shape.
    pub form: Form,
    /// Text form.
    pub encoding: Encoding,
}

const AVAILABLE: &str = "application/json, application/yaml, application/json;stream=watch";

/// The first accepted form that is possible here.
///
/// # Errors
/// 406 when none is.
pub fn negotiate(accept: &str, possible: &[Form]) -> Result<Accepted, Failure> {
    if accept.trim().is_empty() {
        return Ok(Accepted { form: Form::Object, encoding: Encoding::Json });
    }
    by_quality(accept)
        .into_iter()
        .filter_map(clause)
        .find(|accepted| accepted.form == Form::Object || possible.contains(&accepted.form))
        .ok_or_else(|| Failure::not_acceptable(AVAILABLE))
}

/// The clauses of an `Accept` header, most wanted first.
fn by_quality(accept: &str) -> Vec<&str> {
    let mut clauses: Vec<(u16, &str)> =
        accept.split(',').map(str::trim).map(|clause| (quality(clause), clause)).collect();
    clauses.sort_by_key(|(quality, _)| std::cmp::Reverse(*quality));
    clauses.into_iter().filter(|(quality, _)| *quality > 0).map(|(_, clause)| clause).collect()
}

/// The `q` of a clause in thousandths.
fn quality(clause: &str) -> u16 {
    let text = clause.split(';').map(str::trim).find_map(|part| part.strip_prefix("q="));
    let Some(text) = text else { return 1000 };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let thousandths: u16 = format!("{fraction:0<3}").chars().take(3).collect::<String>().parse().unwrap_or(0);
    if whole == "1" { 1000 } else { thousandths }
}

/// A clause as a form, or `None` for one that is never served (protobuf, CBOR, unknown shapes).
fn clause(text: &str) -> Option<Accepted> {
    let mut parts = text.split(';').map(str::trim);
    let encoding = match parts.next()? {
        "application/json" | "*/*" | "application/*" => Encoding::Json,
        "application/yaml" => Encoding::Yaml,
        _ => return None,
    };
    let parameter = |name: &str| {
        text.split(';')
            .map(str::trim)
            .find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
            .unwrap_or_default()
    };
    let form = match (parameter("as"), parameter("g"), parameter("v")) {
        ("", _, _) => Form::Object,
        ("Table", "meta.k8s.io", "v1") => Form::Table,
        ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1") => Form::Metadata,
        ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => Form::Discovery,
        _ => return None,
    };
    Some(Accepted { form, encoding })
}

/// The media type before any parameter.
#[must_use]
pub fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}
