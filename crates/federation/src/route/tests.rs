//! SH1 as a table.

use super::*;

#[test]
fn a_label_decodes_to_its_project() {
    for (label, project) in [
        ("cluster-p", Some("p")),
        ("cluster-_p", Some("p")),
        ("cluster-org_p", Some("org/p")),
        ("", None),
        ("cluster-", None),
        ("cluster-_", None),
    ] {
        assert_eq!(project_of_label(label), project.map(ProjectName::from), "{label:?}");
    }
}

#[test]
fn a_projects_label_is_read_back() {
    for project in ["p", "org/p"] {
        assert_eq!(project_of_label(&label_of_project(&project.into())), Some(project.into()));
    }
}

#[test]
fn either_label_makes_a_hub_namespace_and_only_both_lead_somewhere() {
    let namespace = |labels: &[(&str, &str)]| {
        let mut namespace = Namespace::default();
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        namespace.metadata.labels = Some(labels.collect());
        HubRoute::of(&namespace)
    };
    assert!(!namespace(&[]).is_hub);
    assert!(!namespace(&[(labels::UPSTREAM_NAMESPACE, "")]).is_hub);
    let half = namespace(&[(labels::UPSTREAM_NAMESPACE, "default")]);
    assert!(half.is_hub && half.resolved().is_none());
    assert_eq!(half.missing_label(), Some(labels::UPSTREAM_CLUSTER_NAME));
    let whole =
        namespace(&[(labels::UPSTREAM_NAMESPACE, "default"), (labels::UPSTREAM_CLUSTER_NAME, "cluster-p")]);
    assert_eq!(whole.resolved(), Some((&"p".into(), &"default".into())));
}
