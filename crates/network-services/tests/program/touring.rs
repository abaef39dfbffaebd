//! The tour of the README with kubectl, where kubectl is installed.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Scratch, standalone};

fn kubectl(kubeconfig: &Path, arguments: &[&str]) -> Output {
    Command::new("kubectl").arg("--kubeconfig").arg(kubeconfig).args(arguments).output().unwrap()
}

fn shown(kubeconfig: &Path, arguments: &[&str]) -> String {
    let output = kubectl(kubeconfig, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "kubectl {arguments:?}: {told}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn kubectl_works_on_every_context() {
    if Command::new("kubectl").arg("version").arg("--client").output().is_err() {
        eprintln!("SKIPPED kubectl_works_on_every_context: kubectl is not installed");
        return;
    }
    let scratch = Scratch::new();
    let (mut program, path) = standalone(&scratch, &["--cell", "lab"]);
    program.line("PROJECT");
    assert!(shown(&path, &["get", "projects"]).contains("acme"));
    let contexts = shown(&path, &["config", "get-contexts", "-o", "name"]);
    let contexts: Vec<&str> = contexts.split_whitespace().collect();
    assert_eq!(
        contexts,
        ["cell-ams", "cell-dfw", "cell-lab", "core", "hub", "project-acme", "project-globex"]
    );
    let wait = ["wait", "networkbinding/web-cache", "-n", "ns-acme-default", "--for=condition=Ready"];
    shown(&path, &[&["--context", "hub"], wait.as_slice()].concat());
    let contexts = shown(&path, &["--context", "project-acme", "get", "networkcontexts", "-o", "name"]);
    assert!(contexts.contains("networkcontext.networking.datumapis.com/shop-dfw"), "{contexts}");
    assert!(shown(&path, &["--context", "cell-lab", "api-resources"]).contains("networkinterfaceclaims"));
    assert!(shown(&path, &["--context", "project-acme", "explain", "network.spec"]).contains("ipFamilies"));

    // A project's user is nobody elsewhere.
    let server =
        shown(&path, &["config", "view", "-o", "jsonpath={.clusters[?(@.name=='hub')].cluster.server}"]);
    let user = ["--context", "project-acme", "--server", &server, "get", "networkbindings", "-A"];
    let refused = kubectl(&path, &user);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && told.contains("forbidden"), "{told}");

    // A project that comes later gets a plane, a context and controllers.
    let manifest = scratch.write(
        "late.yaml",
        "apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Project\nmetadata: {name: late}\nspec: {ownerRef: {kind: Organization, name: example}}\n",
    );
    shown(&path, &["apply", "-f", manifest.to_str().unwrap()]);
    shown(&path, &["wait", "project/late", "--for=condition=Ready"]);
    let network = scratch.write(
        "network.yaml",
        "apiVersion: networking.datumapis.com/v1alpha\nkind: Network\nmetadata: {name: net}\nspec: {ipam: {mode: Auto}}\n",
    );
    let end = std::time::Instant::now() + crate::support::PATIENCE;
    let apply = ["--context", "project-late", "apply", "-f", network.to_str().unwrap()];
    // The kubeconfig is looked at once a second.
    loop {
        let output = kubectl(&path, &apply);
        let told = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            break;
        }
        assert!(told.contains("context") && std::time::Instant::now() < end, "{told}");
    }
    shown(&path, &["--context", "project-late", "wait", "network/net", "--for=condition=Ready"]);
}
