//! Rules, bindings and the words of a denial.

use super::*;
use serde_json::json;

fn rules() -> Rules {
    let mut rules = Rules::default();
    let role = json!({"rules": [
        {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "*/status"]},
        {"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"]},
        {"verbs": ["get"], "nonResourceURLs": ["/apis/*"]}]});
    rules.learn(&Key::new("hub", "rbac.authorization.k8s.io/clusterroles", None, "reader"), Some(&role));
    let binding = json!({"subjects": [{"kind": "User", "name": "ada"}, {"kind": "ServiceAccount", "namespace": "n", "name": "bot"}],
        "roleRef": {"kind": "ClusterRole", "name": "reader"}});
    rules.learn(&Key::new("hub", "rbac.authorization.k8s.io/rolebindings", Some("n"), "b"), Some(&binding));
    rules
}

fn wanted(verb: &str, resource: &str, namespace: &str, name: &str) -> Attributes {
    Attributes {
        verb: verb.to_owned(),
        resource: resource.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        ..Attributes::default()
    }
}

#[test]
fn a_role_binding_gives_its_rules_in_its_namespace_only() {
    let rules = rules();
    let ada = User::new("ada", &[]);
    let may = |attributes: &Attributes| rules.allows(&Subject { user: &ada }, attributes);
    assert!(may(&wanted("get", "pods", "n", "p")));
    assert!(!may(&wanted("get", "pods", "other", "p")));
    assert!(!may(&wanted("delete", "pods", "n", "p")));
    assert!(may(&wanted("get", "secrets", "n", "one")));
    assert!(!may(&wanted("get", "secrets", "n", "two")));
    let status = Attributes { subresource: "status".to_owned(), ..wanted("get", "things", "n", "t") };
    assert!(may(&status));
}

#[test]
fn service_accounts_are_bound_by_their_user_name_and_masters_may_do_all() {
    let rules = rules();
    let bot = User::new("system:serviceaccount:n:bot", &[]);
    assert!(rules.allows(&Subject { user: &bot }, &wanted("list", "pods", "n", "")));
    let root = User::new("root", &[MASTERS]);
    assert!(rules.allows(&Subject { user: &root }, &wanted("delete", "pods", "other", "p")));
    let nobody = User::new("eve", &[]);
    assert!(!rules.allows(&Subject { user: &nobody }, &wanted("list", "pods", "n", "")));
}

#[test]
fn a_denial_reads_as_kube_apiservers() {
    let (message, ..) = wanted("get", "pods", "n", "p").denial("eve");
    assert_eq!(
        message,
        "pods \"p\" is forbidden: User \"eve\" cannot get resource \"pods\" in API group \"\" in the namespace \"n\""
    );
}

#[test]
fn a_binding_that_changes_or_goes_takes_back_what_it_gave() {
    let mut rules = rules();
    let key = Key::new("hub", "rbac.authorization.k8s.io/rolebindings", Some("n"), "b");
    let ada = User::new("ada", &[]);
    let carol = User::new("carol", &["team"]);
    let may = |rules: &Rules, user: &User| rules.allows(&Subject { user }, &wanted("get", "pods", "n", "p"));
    let team = json!({"subjects": [{"kind": "Group", "name": "team"}, {"kind": "User", "name": "carol"}],
        "roleRef": {"kind": "ClusterRole", "name": "reader"}});
    rules.learn(&key, Some(&team));
    assert!(!may(&rules, &ada), "the old subjects are no longer bound");
    assert!(may(&rules, &carol));
    assert_eq!(rules.rules_of(&carol, "n").count(), 3, "bound twice by one binding, given once");
    rules.learn(&key, None);
    assert!(!may(&rules, &carol));
    assert!(rules.by_subject.is_empty());
}
