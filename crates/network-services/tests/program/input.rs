//! Bad input is refused with what is wrong, where, and what to do.

use std::net::TcpListener;

use crate::support::{Program, Scratch, quickstart, refused, run, standalone, text};

const HEAD: &str = "apiVersion: apiserver.config.datumapis.com/v1alpha1\nkind: NetworkServicesOperator\n";

#[test]
fn the_quickstart_ends_with_every_presence_ready() {
    let output = run(&["standalone", "--apply", quickstart().to_str().unwrap(), "--until-settled"]);
    let told = text(&output);
    assert_eq!(output.status.code(), Some(0), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<Vec<&str>> = told
        .lines()
        .skip_while(|line| !line.contains("PROJECT"))
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows,
        [
            ["acme", "default", "backoffice", "ams", "backoffice-ams", "1", "True", "Ready"],
            ["acme", "default", "shop", "dfw", "shop-dfw", "2", "True", "Ready"],
            ["globex", "default", "shop", "ams", "shop-ams", "1", "True", "Ready"],
            ["globex", "default", "shop", "dfw", "shop-dfw", "1", "True", "Ready"],
        ]
    );
}

#[test]
fn what_does_not_settle_fails_with_its_reason() {
    let scratch = Scratch::new();
    scratch.write("core/p.yaml", "apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Project\nmetadata: {name: p}\nspec: {ownerRef: {kind: Organization, name: o}}\n");
    scratch.write("project-p/n.yaml", "apiVersion: networking.datumapis.com/v1alpha\nkind: Network\nmetadata: {name: n}\nspec: {ipam: {mode: Auto}}\n");
    scratch.write("project-p/z.yaml", "apiVersion: networking.datumapis.com/v1alpha\nkind: NetworkBinding\nmetadata: {name: b}\nspec: {network: {name: n}, location: {name: y}}\n");
    let output = run(&[
        "standalone",
        "--apply",
        scratch.path().to_str().unwrap(),
        "--until-settled",
        "--timeout",
        "2",
    ]);
    assert_eq!(output.status.code(), Some(3));
    let told = text(&output);
    let wanted = "NetworkBinding default/b on project/p: LocationNotAvailable: project p holds no Location y";
    assert!(told.contains(wanted), "{told}");
}

#[test]
fn manifests_that_cannot_be_applied_name_file_document_and_field() {
    let space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n";
    let binding = "apiVersion: networking.datumapis.com/v1alpha\nkind: NetworkBinding\nmetadata: {name: b}\n";
    let cases: &[(&str, &str, &[&str])] = &[
        ("hub/a.yaml", "a: [\n", &["hub/a.yaml, document 1:", "line"]),
        ("hub/a.yaml", "kind: Namespace\n", &["hub/a.yaml, document 1:", "field apiVersion is missing"]),
        (
            "hub/a.yaml",
            "spec: {network: {name: n}, location: {name: l}, color: red}\n",
            &["hub/a.yaml, document 2:", "plane hub refuses NetworkBinding b", "color"],
        ),
        (
            "hub/a.yaml",
            "spec: {network: {name: 5}, location: {name: l}}\n",
            &["hub/a.yaml, document 2:", "spec.network.name"],
        ),
        ("hub/a.yaml", "spec: {location: {name: l}}\n", &["hub/a.yaml, document 2:", "spec.network"]),
        (
            "core/a.yaml",
            "spec: {network: {name: n}, location: {name: l}}\n",
            &["document 2:", "plane core does not serve kind NetworkBinding"],
        ),
        (
            "project-no/a.yaml",
            "spec: {}\n",
            &["project-no/a.yaml is for plane project/no", "put a Project of that name into core/"],
        ),
        ("hubs/a.yaml", "", &["hubs names no plane", "project-<name>"]),
        ("a.yaml", "", &["outside of every plane's folder"]),
    ];
    for (file, body, wanted) in cases {
        let scratch = Scratch::new();
        let text =
            if body.starts_with("spec") { format!("{space}{binding}{body}") } else { (*body).to_owned() };
        scratch.write(file, &text);
        refused(&["standalone", "--apply", scratch.path().to_str().unwrap(), "--until-settled"], 2, wanted);
    }
    refused(&["standalone", "--apply", "/nowhere/manifests"], 2, &["/nowhere/manifests cannot be read"]);
    let file = quickstart().join("core/projects.yaml");
    refused(&["standalone", "--apply", file.to_str().unwrap()], 2, &["--plane"]);
}

#[test]
fn configurations_that_cannot_be_used_name_file_line_and_key() {
    let scratch = Scratch::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let busy = format!("metricsServer:\n  bindAddress: {taken}\n");
    let cases: &[(&str, &[&str])] = &[
        ("networkPresnce: {}\n", &["line 3", "unknown key \"networkPresnce\"", "\"networkPresence\""]),
        ("leaderElection:\n  leaseDuration: [1]\n", &["line 4", "correct the value"]),
        ("ipam:\n  inCluster: true\n", &["ipam", "no address service yet"]),
        (
            "discovery:\n  discoveryKubeconfigPath: /nowhere/kc\n",
            &["/nowhere/kc", "give a readable kubeconfig"],
        ),
        ("", &["no kubeconfig is configured", "discovery.discoveryKubeconfigPath"]),
    ];
    for (body, wanted) in cases {
        let file = scratch.write("manager.yaml", &format!("{HEAD}{body}"));
        let mut wanted = wanted.to_vec();
        if body.contains("networkPresnce") {
            wanted.push(file.to_str().unwrap());
        }
        refused(&["manager", "--config", file.to_str().unwrap(), "--leader-elect=false"], 2, &wanted);
    }
    let file = scratch.write("busy.yaml", &format!("{HEAD}{busy}"));
    let wanted = ["metricsServer.bindAddress", "free the port or name another"];
    refused(&["manager", "--config", file.to_str().unwrap(), "--leader-elect=false"], 2, &wanted);
    let file = scratch.write("manager.yaml", HEAD);
    refused(&["manager", "--config", file.to_str().unwrap()], 2, &["--leader-elect-namespace"]);
}

#[test]
fn ports_and_directories_that_cannot_be_used_are_named() {
    let scratch = Scratch::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    refused(&["standalone", "--listen", &address], 2, &[&address, "free the port or name another one"]);
    refused(&["standalone", "--admin-listen", &address], 2, &[&address, "admin endpoint"]);

    scratch.write("foreign/letter.txt", "dear");
    let foreign = scratch.path().join("foreign");
    refused(&["standalone", "--data-dir", foreign.to_str().unwrap()], 2, &["letter.txt", "name an empty"]);
    let file = scratch.write("file", "");
    refused(&["standalone", "--data-dir", file.to_str().unwrap()], 2, &[file.to_str().unwrap()]);
    scratch.write("broken/store.redb", "this is no store");
    let broken = scratch.path().join("broken");
    refused(&["standalone", "--data-dir", broken.to_str().unwrap()], 2, &["store.redb"]);
    refused(&["standalone", "--cell", "hub"], 2, &["hub's own path"]);
}

#[test]
fn two_processes_never_share_a_data_directory() {
    let scratch = Scratch::new();
    let data = scratch.path().join("data");
    let data = data.to_str().unwrap();
    let _first = standalone(&scratch, &["--data-dir", data]);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(data).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700, "objects may hold secrets");
    refused(&["standalone", "--data-dir", data], 2, &[data, "in use by another process"]);
}

#[test]
fn what_asks_for_the_impossible_is_told_before_anything_runs() {
    refused(&["explain", "Pod", "x", "--kubeconfig", "x"], 2, &["\"Pod\"", "NetworkBinding"]);
    refused(
        &["explain", "network", "x", "--plane", "moon", "--kubeconfig", "x"],
        2,
        &["\"moon\" names no plane"],
    );
    refused(&["explain", "network", "x"], 2, &["--admin", "--config", "--kubeconfig"]);
    refused(&["explain", "network", "x", "--admin", "http://127.0.0.1:1"], 1, &["is the manager running"]);
    for address in ["127.0.0.1:8080", "manager", "/status"] {
        refused(&["explain", "network", "x", "--admin", address], 2, &["--admin", address, "scheme or host"]);
    }
    refused(&["standalone", "--log", "a=b=c"], 2, &["--log"]);
}

#[test]
fn definitions_and_completions_are_data_on_standard_output() {
    let ours = text(&run(&["crds", "--plane", "hub"]));
    assert!(ours.contains("name: networkbindings.networking.datumapis.com"));
    assert!(!ours.contains("karmada"));
    assert!(text(&run(&["crds", "--plane", "hub", "--foreign"])).contains("karmada"));
    assert!(text(&run(&["completion", "bash"])).contains("network-services"));
}

#[test]
fn definitions_are_printed_whatever_cluster_is_the_usual_one() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_network-services"));
    let told = command.arg("crds").env("KUBECONFIG", "a-file-that-is-not-there").output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
}

#[test]
fn a_plane_has_the_definitions_that_are_printed() {
    let scratch = Scratch::new();
    let (_program, kubeconfig): (Program, _) = standalone(&scratch, &["--planes-only"]);
    let check = |plane: &str, context: &str| {
        run(&[
            "crds",
            "--check",
            "--plane",
            plane,
            "--context",
            context,
            "--kubeconfig",
            kubeconfig.to_str().unwrap(),
        ])
    };
    let same = check("hub", "hub");
    assert_eq!(same.status.code(), Some(0), "{}", text(&same));
    let other = check("project", "hub");
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other).contains("networks.networking.datumapis.com: is not installed"));
}
