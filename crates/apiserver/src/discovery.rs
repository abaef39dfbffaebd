//! Discovery: which groups, versions and resources a plane serves, aggregated and plain; version and OpenAPI paths.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::media::{Accepted, Form};
use crate::openapi;
use crate::read::encoded;
use crate::request::{Query, Target};
use crate::resource::{Catalog, Resource};
use crate::server::Response;
use crate::status::api_version;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The document a path names, if there is one.
pub(crate) fn document(
    catalog: &Catalog,
    target: &Target,
    accepted: Accepted,
    query: &Query,
) -> Option<Response> {
    let is_aggregated = accepted.form == Form::Discovery;
    let value = match target {
        Target::CoreVersions | Target::Groups if is_aggregated => {
            let list = aggregated(catalog, *target == Target::CoreVersions);
            return Some(Response { content_type: AGGREGATED, ..Response::value(200, &list) });
        }
        Target::CoreVersions => core_versions(),
        Target::Groups => groups(catalog),
        Target::Group(group) => group_document(catalog, group)?,
        Target::GroupVersion(group, version) => resource_list(catalog, group, version)?,
        Target::Plain(path) => return plain(catalog, path, query),
        Target::Resource(_) => return None,
    };
    Some(encoded(accepted, 200, &value))
}

fn plain(catalog: &Catalog, path: &str, _query: &Query) -> Option<Response> {
    match path {
        "/version" | "/version/" => Some(Response::value(200, &version())),
        "/" => Some(Response::value(200, &json!({"paths": paths(catalog)}))),
        "/openapi/v3" | "/openapi/v3/" => Some(Response::value(200, &openapi::index(catalog))),
        _ => {
            let (group, version) = openapi::group_version(path.strip_prefix("/openapi/v3/")?)?;
            openapi::document(catalog, &group, &version).map(|document| Response::value(200, &document))
        }
    }
}

/// The API this server speaks; the build itself carries the product's version.
fn version() -> Value {
    json!({
        "major": "1", "minor": "36", "gitVersion": concat!("v1.36.0+network-services.", env!("CARGO_PKG_VERSION")),
        "gitCommit": "", "gitTreeState": "", "buildDate": "1970-01-01T00:00:00Z", "goVersion": "none",
        "compiler": "rustc", "platform": "linux/amd64"
    })
}

fn paths(catalog: &Catalog) -> Vec<String> {
    let mut paths: Vec<String> =
        ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v3", "/readyz", "/version"]
            .map(str::to_owned)
            .to_vec();
    for (group, versions) in by_group(catalog) {
        if !group.is_empty() {
            paths.push(format!("/apis/{group}"));
            paths.extend(versions.keys().map(|version| format!("/apis/{group}/{version}")));
        }
    }
    paths.sort();
    paths
}

fn core_versions() -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
}

type Versions<'a> = BTreeMap<&'a str, Vec<&'a Arc<Resource>>>;

/// Resources by group and version, versions in the order kubectl prefers.
fn by_group(catalog: &Catalog) -> BTreeMap<&str, Versions<'_>> {
    let mut groups: BTreeMap<&str, Versions<'_>> = BTreeMap::new();
    for resource in catalog.iter() {
        groups.entry(&resource.group).or_default().entry(&resource.version).or_default().push(resource);
    }
    groups
}

/// Versions, most stable and newest first (`v2`, `v1`, `v1beta2`, `v1alpha1`, others).
fn ordered<'a>(versions: &'a Versions<'a>) -> Vec<(&'a str, &'a Vec<&'a Arc<Resource>>)> {
    let mut list: Vec<_> = versions.iter().map(|(version, resources)| (*version, resources)).collect();
    list.sort_by_key(|(version, _)| std::cmp::Reverse(priority(version)));
    list
}

fn priority(version: &str) -> (u8, u64, u64) {
    let Some(rest) = version.strip_prefix('v') else { return (0, 0, 0) };
    let digits = |text: &str| text.parse::<u64>().unwrap_or_default();
    if let Some((major, minor)) = rest.split_once("alpha") {
        (1, digits(major), digits(minor))
    } else if let Some((major, minor)) = rest.split_once("beta") {
        (2, digits(major), digits(minor))
    } else {
        rest.parse().map_or((0, 0, 0), |major| (3, major, 0))
    }
}

fn groups(catalog: &Catalog) -> Value {
    let all = by_group(catalog);
    let list: Vec<Value> = all
        .iter()
        .filter(|(group, _)| !group.is_empty())
        .map(|(group, versions)| group_value(group, versions))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": list})
}

fn group_document(catalog: &Catalog, group: &str) -> Option<Value> {
    let all = by_group(catalog);
    let mut value = group_value(group, all.get(group)?);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("kind".to_owned(), json!("APIGroup"));
        fields.insert("apiVersion".to_owned(), json!("v1"));
    }
    Some(value)
}

fn group_value(group: &str, versions: &Versions<'_>) -> Value {
    let list: Vec<Value> = ordered(versions)
        .into_iter()
        .map(|(version, _)| json!({"groupVersion": api_version(group, version), "version": version}))
        .collect();
    json!({"name": group, "versions": list, "preferredVersion": list.first()})
}

fn resource_list(catalog: &Catalog, group: &str, version: &str) -> Option<Value> {
    let all = by_group(catalog);
    let resources = all.get(group)?.get(version)?;
    let list: Vec<Value> = resources.iter().flat_map(|resource| plain_entries(resource)).collect();
    Some(json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version(group, version),
        "resources": list}))
}

/// A resource and its subresources in the plain form.
fn plain_entries(resource: &Resource) -> Vec<Value> {
    let mut main = Map::new();
    main.insert("name".to_owned(), json!(resource.plural));
    main.insert("singularName".to_owned(), json!(resource.singular));
    main.insert("namespaced".to_owned(), json!(resource.namespaced));
    main.insert("kind".to_owned(), json!(resource.kind));
    main.insert("verbs".to_owned(), json!(resource.verbs()));
    for (field, list) in [("shortNames", &resource.short_names), ("categories", &resource.categories)] {
        if !list.is_empty() {
            main.insert(field.to_owned(), json!(list));
        }
    }
    let mut entries = vec![Value::Object(main)];
    for (subresource, (group, version, kind), verbs) in subresources(resource) {
        let name = format!("{}/{subresource}", resource.plural);
        let mut entry = json!({"name": name, "singularName": "", "namespaced": resource.namespaced, "kind": kind,
            "verbs": verbs});
        if kind != resource.kind
            && let Some(fields) = entry.as_object_mut()
        {
            fields.insert("group".to_owned(), json!(group));
            fields.insert("version".to_owned(), json!(version));
        }
        entries.push(entry);
    }
    entries
}

type Subresource<'a> = (&'static str, (&'a str, &'a str, &'a str), Vec<&'static str>);

fn subresources(resource: &Resource) -> Vec<Subresource<'_>> {
    let own = (resource.group.as_str(), resource.version.as_str(), resource.kind.as_str());
    let all = || vec!["get", "patch", "update"];
    let mut list = Vec::new();
    if resource.has_status {
        list.push(("status", own, all()));
    }
    if resource.scale.is_some() {
        list.push(("scale", ("autoscaling", "v1", "Scale"), all()));
    }
    if resource.built_in == crate::resource::BuiltIn::Namespace {
        list.push(("finalize", own, vec!["update"]));
    }
    list
}

fn aggregated(catalog: &Catalog, core: bool) -> Value {
    let all = by_group(catalog);
    let items: Vec<Value> = all
        .iter()
        .filter(|(group, _)| group.is_empty() == core)
        .map(|(group, versions)| {
            let versions: Vec<Value> = ordered(versions)
                .into_iter()
                .map(|(version, resources)| {
                    let resources: Vec<Value> = resources.iter().map(|one| aggregated_entry(one)).collect();
                    json!({"version": version, "resources": resources, "freshness": "Current"})
                })
                .collect();
            let metadata = if group.is_empty() { json!({}) } else { json!({"name": group}) };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn aggregated_entry(resource: &Resource) -> Value {
    let kind = |(group, version, kind): (&str, &str, &str)| json!({"group": group, "version": version, "kind": kind});
    let own = (resource.group.as_str(), resource.version.as_str(), resource.kind.as_str());
    let scope = if resource.namespaced { "Namespaced" } else { "Cluster" };
    let mut entry = json!({"resource": resource.plural, "responseKind": kind(own), "scope": scope,
        "singularResource": resource.singular, "verbs": resource.verbs()});
    let below: Vec<Value> = subresources(resource)
        .into_iter()
        .map(|(name, of, verbs)| json!({"subresource": name, "responseKind": kind(of), "verbs": verbs}))
        .collect();
    if let Some(fields) = entry.as_object_mut() {
        for (field, list) in [("shortNames", &resource.short_names), ("categories", &resource.categories)] {
            if !list.is_empty() {
                fields.insert(field.to_owned(), json!(list));
            }
        }
        if !below.is_empty() {
            fields.insert("subresources".to_owned(), Value::Array(below));
        }
    }
    entry
}
