//! What was acknowledged survives, however the program ends.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{
    Program, Scratch, binding, bindings, client, create, eventually, get, reason, run, standalone, text,
};

const NETWORKS: &str = "/apis/networking.datumapis.com/v1alpha/namespaces/default/networks";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const HUB_NAMESPACE: &str = "ns-acme-default";

fn network(name: &str) -> Value {
    json!({"apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network", "metadata": {"name": name},
        "spec": {"ipam": {"mode": "Auto"}}})
}

/// Declares networks and uses of them until the server is gone; gives what it acknowledged: name and uid.
async fn declare(kubeconfig: &Path, kill_after: usize, kill: impl Fn()) -> Vec<(String, Value)> {
    let (project, hub) = (client(kubeconfig, "project-acme").await, client(kubeconfig, "hub").await);
    let mut acknowledged = Vec::new();
    for number in 0..kill_after {
        let name = format!("n{number}");
        create(&project, NETWORKS, &network(&name)).await;
        let made = create(&hub, &bindings(HUB_NAMESPACE), &binding(&name, &name, "dfw")).await;
        acknowledged.push((name, made["metadata"]["uid"].clone()));
    }
    kill();
    acknowledged
}

#[tokio::test]
async fn a_killed_program_keeps_what_it_acknowledged_and_settles_again() {
    let scratch = Scratch::new();
    let data = scratch.path().join("data");
    let data = data.to_str().unwrap();
    // The second round kills a program that was itself started after a kill.
    for round in [25, 60] {
        let (mut program, kubeconfig) = standalone(&scratch, &["--data-dir", data]);
        let (project, hub) = (client(&kubeconfig, "project-acme").await, client(&kubeconfig, "hub").await);
        remove_all(&hub, &bindings(HUB_NAMESPACE)).await;
        remove_all(&project, NETWORKS).await;
        let acknowledged = declare(&kubeconfig, round, || program.signal("-KILL")).await;
        assert_eq!(program.end(), None);

        let mut program =
            Program::start(&["standalone", "--data-dir", data, "--kubeconfig", kubeconfig.to_str().unwrap()]);
        program.line("kubeconfig");
        let hub = client(&kubeconfig, "hub").await;
        for (name, uid) in &acknowledged {
            let path = format!("{}/{name}", bindings(HUB_NAMESPACE));
            let kept = eventually(&hub, &path, |object| reason(object) == "NetworkContextReady").await;
            assert_eq!(kept["metadata"]["uid"], *uid);
        }
        program.signal("-KILL");
        program.end();
    }
    let settled = run(&["standalone", "--data-dir", data, "--until-settled"]);
    assert_eq!(settled.status.code(), Some(0), "{}", text(&settled));
    assert!(text(&settled).contains(" n59 "), "{}", text(&settled));
}

async fn remove_all(client: &kube_client::Client, path: &str) {
    let items = get(client, path).await["items"].as_array().cloned().unwrap_or_default();
    for item in &items {
        let name = item["metadata"]["name"].as_str().unwrap();
        crate::support::send(client, "DELETE", &format!("{path}/{name}"), &Value::Null).await;
    }
    eventually(client, path, |list| list["items"].as_array().is_some_and(Vec::is_empty)).await;
}

#[tokio::test]
async fn a_kind_whose_definition_goes_ends_no_plane() {
    const DEFINITION: &str =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/networkbindings.networking.datumapis.com";
    let scratch = Scratch::new();
    let (mut program, kubeconfig) = standalone(&scratch, &[]);
    let hub = client(&kubeconfig, "hub").await;
    crate::support::send(&hub, "DELETE", DEFINITION, &Value::Null).await;
    program.line("networkbindings.networking.datumapis.com on hub: it is not served");
    get(&hub, "/api/v1/namespaces/default").await;
    get(&client(&kubeconfig, "project-acme").await, NETWORKS).await;
}

#[tokio::test]
async fn a_terminated_program_gives_its_leases_back() {
    let scratch = Scratch::new();
    let data = scratch.path().join("data");
    let data = data.to_str().unwrap();
    let (mut program, kubeconfig) = standalone(&scratch, &["--data-dir", data]);
    program.line("PROJECT");
    let core = client(&kubeconfig, "core").await;
    for lease in get(&core, LEASES).await["items"].as_array().unwrap() {
        assert!(lease["spec"]["holderIdentity"].as_str().unwrap().starts_with("standalone_"), "{lease}");
    }
    program.signal("-TERM");
    assert_eq!(program.end(), Some(0));

    let (_program, kubeconfig) = standalone(&scratch, &["--data-dir", data, "--planes-only"]);
    let core = client(&kubeconfig, "core").await;
    let leases = get(&core, LEASES).await["items"].as_array().cloned().unwrap();
    assert_eq!(leases.len(), 2);
    for lease in leases {
        assert_eq!(lease["spec"]["holderIdentity"], "", "{lease}");
    }
}
