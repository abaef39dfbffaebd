//! The objects every plane has from the start: its namespaces, the default roles and their bindings.

use serde_json::{Value, json};

use crate::identity::project_user;

const ROLES: &str = "rbac.authorization.k8s.io/clusterroles";
const BINDINGS: &str = "rbac.authorization.k8s.io/clusterrolebindings";

/// A namespace as the server makes it.
pub(crate) fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}})
}

/// Default roles and bindings, each with where it is stored.
pub(crate) fn roles() -> Vec<(&'static str, Value)> {
    let read = ["get", "list", "watch"];
    let write = ["create", "delete", "deletecollection", "patch", "update"];
    let all = [read.as_slice(), write.as_slice()].concat();
    let everything = json!([
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]}
    ]);
    let plain = ["configmaps", "events", "pods", "pods/status", "serviceaccounts", "namespaces"];
    let namespaced = ["configmaps", "events", "pods", "serviceaccounts", "secrets"];
    let view = json!([{"apiGroups": [""], "resources": plain, "verbs": read}]);
    let edit = json!([
        {"apiGroups": [""], "resources": plain, "verbs": read},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": read},
        {"apiGroups": [""], "resources": namespaced, "verbs": write},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": all}
    ]);
    let mut admin = edit.as_array().cloned().unwrap_or_default();
    admin.push(json!({"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"],
        "verbs": all}));
    admin.push(json!({"apiGroups": ["authorization.k8s.io"], "resources": ["localsubjectaccessreviews"],
        "verbs": ["create"]}));
    let paths = [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ];
    let discovery = json!([{"nonResourceURLs": paths, "verbs": ["get"]}]);
    let basic = json!([
        {"apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"], "verbs": ["create"]},
        {"apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"], "verbs": ["create"]}
    ]);
    let info = json!([{"nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"], "verbs": ["get"]}]);
    let masters = "system:masters";
    let known = "system:authenticated";
    vec![
        (ROLES, role("cluster-admin", &everything)),
        (ROLES, role("admin", &Value::Array(admin))),
        (ROLES, role("edit", &edit)),
        (ROLES, role("view", &view)),
        (ROLES, role("system:discovery", &discovery)),
        (ROLES, role("system:basic-user", &basic)),
        (ROLES, role("system:public-info-viewer", &info)),
        (BINDINGS, binding("cluster-admin", masters)),
        (BINDINGS, binding("system:discovery", known)),
        (BINDINGS, binding("system:basic-user", known)),
        (BINDINGS, binding("system:public-info-viewer", known)),
    ]
}

/// Makes a project's user the administrator of its plane.
pub(crate) fn project_owner(project: &str) -> (&'static str, Value) {
    let mut owner = binding("cluster-admin", "");
    if let Some(fields) = owner.as_object_mut() {
        fields.insert("metadata".to_owned(), json!({"name": "project-owner"}));
        let subject =
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": project_user(project)});
        fields.insert("subjects".to_owned(), json!([subject]));
    }
    (BINDINGS, owner)
}

fn role(name: &str, rules: &Value) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}}, "rules": rules})
}

fn binding(name: &str, group: &str) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}]})
}
