//! `manager` on planes of another process, and planes that are unreachable, forbidden or expired.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};

use crate::support::{
    Program, Scratch, binding, bindings, client, create, eventually, get, reason, send, standalone,
};

const HEAD: &str = "apiVersion: apiserver.config.datumapis.com/v1alpha1\nkind: NetworkServicesOperator\n";

/// The kubeconfig with another current context.
fn current(scratch: &Scratch, kubeconfig: &Path, context: &str) -> PathBuf {
    let text = std::fs::read_to_string(kubeconfig).unwrap();
    scratch.write(
        &format!("{context}.kubeconfig"),
        &text.replace("current-context: core", &format!("current-context: {context}")),
    )
}

/// A manager's configuration for provider milo.
fn milo(scratch: &Scratch, core: &Path, hub: &Path) -> PathBuf {
    let text = format!(
        "{HEAD}discovery:\n  mode: milo\n  discoveryKubeconfigPath: {}\ndownstreamResourceManagement:\n  kubeconfigPath: {}\ncontrolPlaneClient:\n  qps: 500\n  burst: 100\nmetricsServer:\n  bindAddress: 127.0.0.1:0\n",
        core.display(),
        hub.display()
    );
    scratch.write("manager.yaml", &text)
}

fn manage(configuration: &Path) -> Program {
    let path = configuration.to_str().unwrap();
    Program::start(&["manager", "--config", path, "--leader-elect-namespace", "kube-system"])
}

#[tokio::test]
async fn a_manager_makes_networks_present_on_planes_of_others() {
    let scratch = Scratch::new();
    let (_planes, kubeconfig) = standalone(&scratch, &["--planes-only"]);
    let hub_file = current(&scratch, &kubeconfig, "hub");
    let mut manager = manage(&milo(&scratch, &kubeconfig, &hub_file));
    let hub = client(&kubeconfig, "hub").await;
    let path = format!("{}/storefront", bindings("ns-globex-default"));
    eventually(&hub, &path, |object| reason(object) == "NetworkContextReady").await;
    let core = client(&kubeconfig, "core").await;
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    let names: Vec<Value> = get(&core, leases).await["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lease| lease["metadata"]["name"].clone())
        .collect();
    assert_eq!(names, ["6a7d51cc.datumapis.com", "6a7d51cc.datumapis.com-singleton"]);
    manager.signal("-TERM");
    assert_eq!(manager.end(), Some(0));
    for lease in get(&core, leases).await["items"].as_array().unwrap() {
        assert_eq!(lease["spec"]["holderIdentity"], "", "{lease}");
    }
}

/// The planes as one file with a context per plane, and one project that is nowhere.
fn contexts(scratch: &Scratch, kubeconfig: &Path) -> PathBuf {
    let text = std::fs::read_to_string(kubeconfig).unwrap();
    let mut file: Value = serde_saphyr::from_str(&text).unwrap();
    for context in file["contexts"].as_array_mut().unwrap() {
        let name = context["name"].as_str().unwrap().replacen("project-", "project/", 1);
        context["name"] = name.into();
    }
    let dead = json!({"name": "dead", "cluster": {"server": "https://127.0.0.1:1"}});
    file["clusters"].as_array_mut().unwrap().push(dead);
    let context = json!({"name": "project/dead", "context": {"cluster": "dead", "user": "core"}});
    file["contexts"].as_array_mut().unwrap().push(context);
    scratch.write("contexts.kubeconfig", &file.to_string())
}

#[tokio::test]
async fn an_unreachable_project_harms_only_itself() {
    let scratch = Scratch::new();
    let (_planes, kubeconfig) = standalone(&scratch, &["--planes-only"]);
    let file = contexts(&scratch, &kubeconfig);
    let text =
        format!("{HEAD}discovery:\n  mode: kubeconfig\n  discoveryKubeconfigPath: {}\n", file.display());
    let _manager = manage(&scratch.write("manager.yaml", &text));
    let hub = client(&kubeconfig, "hub").await;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "dead", "labels": {
        "meta.datumapis.com/upstream-cluster-name": "cluster-dead", "meta.datumapis.com/upstream-namespace": "default"}}});
    create(&hub, "/api/v1/namespaces", &namespace).await;
    create(&hub, &bindings("dead"), &binding("b", "n", "dfw")).await;
    let path = format!("{}/b", bindings("dead"));
    let told = eventually(&hub, &path, |object| reason(object) == "ProjectUnresolved").await;
    let message = told["status"]["conditions"][0]["message"].as_str().unwrap();
    assert!(message.contains("plane project/dead"), "{message}");
    let healthy = format!("{}/storefront", bindings("ns-globex-default"));
    eventually(&hub, &healthy, |object| reason(object) == "NetworkContextReady").await;
}

#[tokio::test]
async fn a_forbidden_plane_is_named_with_the_servers_words() {
    let scratch = Scratch::new();
    let (_planes, kubeconfig) = standalone(&scratch, &["--planes-only"]);
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    let mut file: Value = serde_saphyr::from_str(&text).unwrap();
    let users = file["users"].as_array().unwrap().clone();
    let token = |name: &str| users.iter().find(|user| user["name"] == name).unwrap()["user"].clone();
    for user in file["users"].as_array_mut().unwrap() {
        if user["name"] == "hub" {
            user["user"] = token("project-acme");
        }
    }
    file["current-context"] = "hub".into();
    let hub_file = scratch.write("hub.kubeconfig", &file.to_string());
    let mut manager = manage(&milo(&scratch, &kubeconfig, &hub_file));
    let line = manager.line("forbidden");
    assert!(line.contains("hub") && line.contains("project:acme"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate_is_named() {
    let scratch = Scratch::new();
    let (address, authority) = expired_server().await;
    let certificate = scratch.write("authority.pem", &authority);
    let cluster = json!({"server": format!("https://{address}"), "certificate-authority": certificate});
    let file = json!({"apiVersion": "v1", "kind": "Config", "current-context": "core",
        "clusters": [{"name": "c", "cluster": cluster}], "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "core", "context": {"cluster": "c", "user": "u"}}]});
    let file = scratch.write("expired.kubeconfig", &file.to_string());
    let mut manager = manage(&milo(&scratch, &file, &file));
    let line = manager.line("does not say who it is");
    assert!(line.contains("plane=core") || line.contains("plane=hub"), "{line}");
    assert!(line.to_lowercase().contains("expired"), "{line}");
}

/// A TLS server whose certificate ended in 2001, and that certificate.
async fn expired_server() -> (SocketAddr, String) {
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2001, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let chain = vec![CertificateDer::from(certificate.der().to_vec())];
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // The client breaks off as soon as it has seen the certificate.
            drop(acceptor.accept(stream).await);
        }
    });
    (address, certificate.pem())
}

#[tokio::test]
async fn a_definition_that_is_gone_is_told_and_comes_back() {
    let scratch = Scratch::new();
    let (mut program, kubeconfig) = standalone(&scratch, &["--planes-only"]);
    let acme = client(&kubeconfig, "project-acme").await;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/networks.networking.datumapis.com";
    let definition = get(&acme, path).await;
    assert_eq!(send(&acme, "DELETE", path, &Value::Null).await.0, 200);
    eventually(&acme, path, |object| object["code"] == 404).await;
    let hub_file = current(&scratch, &kubeconfig, "hub");
    let _manager = manage(&milo(&scratch, &kubeconfig, &hub_file));
    let hub = client(&kubeconfig, "hub").await;
    // The other project is served meanwhile.
    let globex = format!("{}/storefront", bindings("ns-globex-default"));
    eventually(&hub, &globex, |object| reason(object) == "NetworkContextReady").await;
    let explained = crate::support::run(&[
        "explain",
        "networkbinding",
        "ledger",
        "-n",
        "ns-acme-default",
        "--kubeconfig",
        kubeconfig.to_str().unwrap(),
    ]);
    let told = crate::support::text(&explained);
    crate::support::refused(
        &[
            "explain",
            "network",
            "backoffice",
            "--plane",
            "project/acme",
            "--kubeconfig",
            kubeconfig.to_str().unwrap(),
        ],
        4,
        &["project/acme: networks.networking.datumapis.com: the kind is not served"],
    );
    assert!(told.contains("the plane does not serve Networks; install the CRDs"), "{told}");

    let bare = json!({"apiVersion": definition["apiVersion"], "kind": definition["kind"],
        "metadata": {"name": definition["metadata"]["name"]}, "spec": definition["spec"]});
    create(&acme, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &bare).await;
    let network = json!({"apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network",
        "metadata": {"name": "backoffice"}, "spec": {"ipam": {"mode": "Auto"}}});
    let networks = "/apis/networking.datumapis.com/v1alpha/namespaces/default/networks";
    eventually(&acme, networks, |list| list["kind"] == "NetworkList").await;
    create(&acme, networks, &network).await;
    let ledger = format!("{}/ledger", bindings("ns-acme-default"));
    eventually(&hub, &ledger, |object| reason(object) == "NetworkContextReady").await;
    program.signal("-TERM");
    assert_eq!(program.end(), Some(0));
}
