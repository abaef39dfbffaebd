//! Paths, queries and default managers.

use super::options::RevisionMatch;
use super::*;

fn place(path: &str) -> Place {
    match Target::parse(path) {
        Target::Resource(place) => place,
        other => panic!("{path} gave {other:?}"),
    }
}

#[test]
fn a_namespaces_own_subresource_is_not_a_resource_in_it() {
    let status = place("/api/v1/namespaces/n/status");
    assert_eq!((status.plural.as_str(), status.name.as_deref()), ("namespaces", Some("n")));
    assert_eq!(status.subresource.as_deref(), Some("status"));
    let pods = place("/api/v1/namespaces/n/pods");
    assert_eq!((pods.plural.as_str(), pods.namespace.as_deref()), ("pods", Some("n")));
}

#[test]
fn names_in_paths_are_decoded() {
    let role = place("/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Abasic-user");
    assert_eq!(role.name.as_deref(), Some("system:basic-user"));
}

#[test]
fn unlike_paths_are_plain() {
    assert_eq!(Target::parse("/version"), Target::Plain("/version".to_owned()));
    assert_eq!(Target::parse("/apis"), Target::Groups);
    assert_eq!(Target::parse("/api/v1"), Target::GroupVersion(String::new(), "v1".to_owned()));
}

#[test]
fn a_limit_turns_a_revision_into_an_exact_one() {
    let revision = |text: &str| Query::parse(text).revision_match().unwrap();
    assert_eq!(revision(""), RevisionMatch::MostRecent);
    assert_eq!(revision("resourceVersion=0&limit=5"), RevisionMatch::Any);
    assert_eq!(revision("resourceVersion=7"), RevisionMatch::NotOlderThan(7));
    assert_eq!(revision("resourceVersion=7&limit=5"), RevisionMatch::Exact(7));
    assert!(Query::parse("resourceVersionMatch=Exact").revision_match().is_err());
}

#[test]
fn the_default_manager_is_the_agents_first_word() {
    assert_eq!(default_manager("kubectl/v1.32 (linux)"), "kubectl");
    assert_eq!(default_manager(""), "unknown");
}
