//! `explain` names object, plane, reason, since when, and what ends the wait.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{
    Program, Scratch, binding, bindings, client, create, eventually, reason, refused, run, send, standalone,
    text,
};

fn explain(arguments: &[&str], source: &[&str]) -> String {
    let output = run(&[&["explain"], arguments, source].concat());
    let told = text(&output);
    assert_eq!(output.status.code(), Some(0), "{told}{}", String::from_utf8_lossy(&output.stderr));
    told
}

fn holds(told: &str, wanted: &[&str]) {
    for part in wanted {
        assert!(told.contains(part), "{told}\nlacks {part:?}");
    }
}

/// Planes with controllers and an admin endpoint; gives its address.
fn explained(scratch: &Scratch) -> (Program, std::path::PathBuf, String) {
    let kubeconfig = scratch.path().join("kubeconfig");
    let quickstart = crate::support::quickstart();
    let mut program = Program::start(&[
        "standalone",
        "--apply",
        quickstart.to_str().unwrap(),
        "--kubeconfig",
        kubeconfig.to_str().unwrap(),
        "--admin-listen",
        "127.0.0.1:0",
    ]);
    let line = program.line("admin endpoint");
    let address = line.split_whitespace().last().unwrap().to_owned();
    program.line("PROJECT");
    (program, kubeconfig, address)
}

#[tokio::test]
async fn a_binding_that_waits_for_a_location() {
    let scratch = Scratch::new();
    let (_program, kubeconfig, address) = explained(&scratch);
    let hub = client(&kubeconfig, "hub").await;
    create(&hub, &bindings("ns-acme-default"), &binding("late", "shop", "fra")).await;
    let path = format!("{}/late", bindings("ns-acme-default"));
    let object = eventually(&hub, &path, |object| reason(object) == "LocationNotAvailable").await;
    let since = object["status"]["conditions"][0]["lastTransitionTime"].as_str().unwrap();
    let wanted = [
        "NetworkBinding ns-acme-default/late on hub",
        &format!("waiting (LocationNotAvailable, since {since})"),
        "project acme holds no Location fra; it becomes available when one is projected",
        "project/acme   Location fra: absent",
        "would write: nothing",
    ];
    let arguments = ["NetworkBinding", "late", "-n", "ns-acme-default"];
    holds(&explain(&arguments, &["--admin", &address]), &wanted);
    holds(&explain(&arguments, &["--kubeconfig", kubeconfig.to_str().unwrap()]), &wanted);
    let source = ["--admin", &address, "-o", "json"];
    let told: Value = serde_json::from_str(&explain(&arguments, &source)).unwrap();
    assert_eq!(told[0]["plane"], "hub");
    assert_eq!(told[0]["explanations"][0]["verdict"]["Waiting"]["reason"], "LocationNotAvailable");
    refused(&["explain", "network", "nothing", "--admin", &address], 4, &["Network default/nothing", "hub"]);
}

#[tokio::test]
async fn a_context_that_ends_and_the_network_that_waits_for_it() {
    let scratch = Scratch::new();
    let (_program, kubeconfig, address) = explained(&scratch);
    let acme = client(&kubeconfig, "project-acme").await;
    let root = "/apis/networking.datumapis.com/v1alpha/namespaces/default";
    let context = format!("{root}/networkcontexts/shop-dfw");
    let hold = json!({"metadata": {"finalizers": ["example.com/hold"]}});
    assert_eq!(send(&acme, "PATCH", &context, &hold).await.0, 200);
    let network = format!("{root}/networks/shop");
    send(&acme, "DELETE", &network, &Value::Null).await;
    let object = eventually(&acme, &context, |object| reason(object) == "Terminating").await;
    let since = object["metadata"]["deletionTimestamp"].as_str().unwrap();
    let source = ["--admin", address.as_str(), "--plane", "project/acme"];
    let told = explain(&["networkcontext", "shop-dfw"], &source);
    holds(
        &told,
        &[
            &format!("waiting (Terminating, since {since})"),
            "NetworkContext default/shop-dfw on project/acme is being deleted and waits for its finalizers: example.com/hold",
            "waiting (NetworkContextTerminating",
            "goes on when it is gone",
        ],
    );
    let told = explain(&["network", "shop"], &source);
    holds(
        &told,
        &[
            "waiting (ContextsRemain, since ",
            "Network default/shop on project/acme is being deleted and waits for 1 network context(s)",
            "shop-dfw",
        ],
    );
    let gone = json!({"metadata": {"finalizers": []}});
    send(&acme, "PATCH", &context, &gone).await;
    eventually(&acme, &network, |object| object["code"] == 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binding_whose_project_is_unreachable() {
    let scratch = Scratch::new();
    let (_planes, kubeconfig) = standalone(&scratch, &["--planes-only"]);
    let (door, address) = Door::open(&kubeconfig).await;
    let file = behind(&scratch, &kubeconfig, &address);
    let text = format!(
        "apiVersion: apiserver.config.datumapis.com/v1alpha1\nkind: NetworkServicesOperator\nmetricsServer:\n  bindAddress: 127.0.0.1:0\ndiscovery:\n  mode: kubeconfig\n  discoveryKubeconfigPath: {}\n",
        file.display()
    );
    let configuration = scratch.write("manager.yaml", &text);
    let path = configuration.to_str().unwrap();
    let mut manager =
        Program::start(&["manager", "--config", path, "--leader-elect-namespace", "kube-system"]);
    let line = manager.line("the admin endpoint answers");
    let admin = line.rsplit("address=").next().unwrap().trim().to_owned();
    let hub = client(&kubeconfig, "hub").await;
    let ready = format!("{}/storefront", bindings("ns-globex-default"));
    eventually(&hub, &ready, |object| reason(object) == "NetworkContextReady").await;

    drop(door);
    let source = ["--admin", &format!("http://{admin}")];
    let arguments = ["networkbinding", "storefront", "-n", "ns-globex-default"];
    let end = std::time::Instant::now() + crate::support::PATIENCE;
    let told = loop {
        let told = explain(&arguments, &source);
        if told.contains("Unreachable since 20") {
            break told;
        }
        assert!(std::time::Instant::now() < end, "{told}");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    holds(
        &told,
        &[
            "NetworkBinding ns-globex-default/storefront on hub",
            "waiting (ProjectUnresolved",
            "plane project/globex is not engaged or does not answer",
            "this is tried again when it does",
            "project/globex the plane: Unreachable since 20",
        ],
    );
    // What was answered while the plane was there stays answered.
    let (_, object) = send(&hub, "GET", &ready, &Value::Null).await;
    assert_eq!(reason(&object), "NetworkContextReady");
}

/// A way to the planes that can be shut: a TCP relay.
struct Door {
    task: tokio::task::JoinHandle<()>,
}

impl Door {
    async fn open(kubeconfig: &Path) -> (Self, String) {
        let text = std::fs::read_to_string(kubeconfig).unwrap();
        let file: Value = serde_saphyr::from_str(&text).unwrap();
        let server = file["clusters"][0]["cluster"]["server"].as_str().unwrap();
        let target = server.trim_start_matches("https://").to_owned();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let task = tokio::spawn(async move {
            let mut relays = tokio::task::JoinSet::new();
            while let Ok((mut inside, _)) = listener.accept().await {
                let target = target.clone();
                relays.spawn(async move {
                    let mut outside = tokio::net::TcpStream::connect(target).await.unwrap();
                    // Either side may end it.
                    let _ = tokio::io::copy_bidirectional(&mut inside, &mut outside).await;
                });
            }
        });
        (Self { task }, address)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The planes with project globex behind the door, one context per plane.
fn behind(scratch: &Scratch, kubeconfig: &Path, address: &str) -> std::path::PathBuf {
    let text = std::fs::read_to_string(kubeconfig).unwrap();
    let mut file: Value = serde_saphyr::from_str(&text).unwrap();
    for cluster in file["clusters"].as_array_mut().unwrap() {
        if cluster["name"] == "project-globex" {
            let server = cluster["cluster"]["server"].as_str().unwrap();
            let (_, path) = server.trim_start_matches("https://").split_once('/').unwrap();
            cluster["cluster"]["server"] = format!("https://{address}/{path}").into();
        }
    }
    for context in file["contexts"].as_array_mut().unwrap() {
        let name = context["name"].as_str().unwrap().replacen("project-", "project/", 1);
        context["name"] = name.into();
    }
    scratch.write("contexts.kubeconfig", &file.to_string())
}
