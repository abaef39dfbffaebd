//! What the manager may do on each plane, as data: the least that its controllers and its provider need.
//!
//! `standalone` grants exactly this to the user its controllers run as, so a right that is missing here shows in every
//! run of the quickstart.

use api::cluster::ClusterRole;
use api::networking::{LocationBinding, Network, NetworkBinding, NetworkContext, NetworkInterface};
use api::resourcemanager::Project;
use api::{Kind, locations};
use roles::MANAGER_LEASES;
use serde_json::{Value, json};

/// The user that the embedded controllers run as.
pub(crate) const MANAGER_USER: &str = "network-services:manager";
/// Name of the roles and bindings.
const ROLE: &str = "network-services-manager";
/// Namespace of the leases on the embedded platform plane, and of the identity of every plane.
pub(crate) const SYSTEM_NAMESPACE: &str = "kube-system";

const READ: &[&str] = &["get", "list", "watch"];
const APPLY: &[&str] = &["patch"];
const RBAC: &str = "rbac.authorization.k8s.io";

/// Verbs on one resource of a plane.
struct Grant {
    plane: ClusterRole,
    group: &'static str,
    resource: String,
    verbs: &'static [&'static str],
}

fn grant<K: Kind>(plane: ClusterRole, subresource: &str, verbs: &'static [&'static str]) -> Grant {
    Grant { plane, group: K::RESOURCE.group, resource: format!("{}{subresource}", K::RESOURCE.plural), verbs }
}

fn grants() -> Vec<Grant> {
    use ClusterRole::{Core, Hub, Project as InProject};
    use api::builtin::{Event, Namespace};
    vec![
        grant::<Project>(Core, "", READ),
        // Where a hub namespace leads; its own controllers never write one.
        grant::<Namespace>(Hub, "", READ),
        grant::<NetworkBinding>(Hub, "", &["get", "list", "watch", "patch"]),
        grant::<NetworkBinding>(Hub, "/status", APPLY),
        grant::<NetworkInterface>(Hub, "", READ),
        grant::<Namespace>(InProject, "", READ),
        grant::<locations::Location>(InProject, "", READ),
        grant::<LocationBinding>(InProject, "", READ),
        grant::<Network>(InProject, "", &["get", "list", "watch", "patch"]),
        grant::<Network>(InProject, "/status", APPLY),
        // A context is owned by its Network and holds up the Network's deletion.
        grant::<Network>(InProject, "/finalizers", &["update"]),
        grant::<NetworkContext>(InProject, "", &["get", "list", "watch", "create", "patch", "delete"]),
        grant::<NetworkContext>(InProject, "/status", APPLY),
        grant::<NetworkBinding>(InProject, "", &["get", "list", "watch", "patch"]),
        grant::<NetworkBinding>(InProject, "/status", APPLY),
        grant::<Event>(InProject, "", &["create"]),
    ]
}

/// The roles and bindings of a plane for a user, as `(collection path, object)`.
pub(crate) fn objects(plane: ClusterRole, user: &str) -> Vec<(String, Value)> {
    let rules: Vec<Value> = grants()
        .iter()
        .filter(|grant| grant.plane == plane)
        .map(|grant| json!({"apiGroups": [grant.group], "resources": [grant.resource], "verbs": grant.verbs}))
        .chain([identity_rule()])
        .collect();
    let mut objects = vec![
        object("ClusterRole", None, json!({ "rules": rules })),
        object("ClusterRoleBinding", None, binding("ClusterRole", user)),
    ];
    if plane == ClusterRole::Core {
        objects.push(object("Role", Some(SYSTEM_NAMESPACE), json!({ "rules": lease_rules() })));
        objects.push(object("RoleBinding", Some(SYSTEM_NAMESPACE), binding("Role", user)));
    }
    objects
}

/// A plane is told by the uid of one namespace.
fn identity_rule() -> Value {
    json!({"apiGroups": [""], "resources": ["namespaces"], "resourceNames": [SYSTEM_NAMESPACE], "verbs": ["get"]})
}

fn lease_rules() -> Value {
    let (groups, resources) = (["coordination.k8s.io"], ["leases"]);
    json!([
        {"apiGroups": groups, "resources": resources, "resourceNames": MANAGER_LEASES, "verbs": ["get", "update"]},
        {"apiGroups": groups, "resources": resources, "verbs": ["create"]},
    ])
}

fn binding(kind: &str, user: &str) -> Value {
    json!({
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": ROLE},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": user}],
    })
}

fn object(kind: &str, namespace: Option<&str>, mut body: Value) -> (String, Value) {
    let collection = format!("{}s", kind.to_lowercase());
    let mut metadata = json!({ "name": ROLE });
    let path = match namespace {
        Some(namespace) => {
            metadata["namespace"] = namespace.into();
            format!("/apis/{RBAC}/v1/namespaces/{namespace}/{collection}")
        }
        None => format!("/apis/{RBAC}/v1/{collection}"),
    };
    body["apiVersion"] = format!("{RBAC}/v1").into();
    body["kind"] = kind.into();
    body["metadata"] = metadata;
    (path, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_granted_by_wildcard_or_on_a_plane_without_the_kind() {
        for grant in grants() {
            let plural = grant.resource.split('/').next().unwrap();
            let is_served = api::crd::for_plane(grant.plane)
                .any(|entry| entry.resource.group == grant.group && entry.resource.plural == plural);
            let is_built_in = matches!(plural, "namespaces" | "events");
            assert!(is_served || is_built_in, "{} on {}", grant.resource, grant.plane);
            assert!(!grant.verbs.contains(&"*") && !grant.resource.contains('*'));
        }
    }

    #[test]
    fn leases_may_be_written_only_in_their_namespace() {
        let paths: Vec<String> = objects(ClusterRole::Core, "u").into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths.len(), 4);
        assert!(paths[2].ends_with("/namespaces/kube-system/roles"), "{paths:?}");
        assert_eq!(objects(ClusterRole::Hub, "u").len(), 2);
    }
}
