//! Whose a binding is: the hub's in a hub namespace, its project's anywhere else, nobody's while that cannot be told.

use super::*;

fn derived(tables: &mut Tables, cluster: &ClusterName, namespace: &str) -> Option<Vec<BindingKey>> {
    let roots = NetworkBindingController::roots();
    let root = roots.roots.iter().find(|root| root.role == cluster.role()).unwrap();
    (root.derive)(&View::new(tables), cluster, &ObjectKey::namespaced(namespace, "b"))
}

#[test]
fn each_binding_belongs_to_one_plane() {
    assert_eq!(derived(&mut declared(), &ClusterName::Hub, "ns-p"), Some(vec![on_the_hub()]));
    assert_eq!(derived(&mut declared(), &plane(), "default"), Some(vec![in_the_project()]));

    let mut shared = declared();
    shared.put(&ClusterName::Hub, decoded::<NetworkBinding>(binding("default")));
    shared.put(&ClusterName::Hub, decoded::<Namespace>(json!({"metadata": {"name": "default"}})));
    assert_eq!(derived(&mut shared, &ClusterName::Hub, "default"), Some(vec![]));
    let labels = json!({"meta.datumapis.com/upstream-cluster-name": "cluster-p"});
    shared.put(&plane(), hub_namespace(&labels));
    shared.put(&plane(), decoded::<NetworkBinding>(binding("ns-p")));
    assert_eq!(derived(&mut shared, &plane(), "ns-p"), Some(vec![]));
}

#[test]
fn a_binding_whose_namespace_leads_nowhere_has_a_key_without_project() {
    let mut tables = declared();
    tables
        .put(&ClusterName::Hub, hub_namespace(&json!({"meta.datumapis.com/upstream-namespace": "default"})));
    let expected = BindingKey { project: None, ..on_the_hub() };
    assert_eq!(derived(&mut tables, &ClusterName::Hub, "ns-p"), Some(vec![expected.clone()]));
    assert_eq!(NetworkBindingController::project(&expected), None);
}

#[test]
fn while_its_namespace_cannot_be_told_a_binding_is_nobodys() {
    for sight in [ClusterSight::Starting, ClusterSight::Unreachable, ClusterSight::Forbidden] {
        let mut tables = declared();
        tables.set_kind::<Namespace>(&plane(), sight);
        assert_eq!(derived(&mut tables, &plane(), "default"), Some(vec![]), "{sight:?}");
    }
}
