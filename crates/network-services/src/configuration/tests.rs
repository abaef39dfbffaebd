//! Decoding by cases.

use std::time::Duration;

use super::*;

const HEAD: &str = "apiVersion: apiserver.config.datumapis.com/v1alpha1\nkind: NetworkServicesOperator\n";
const CELL: &str = "apiVersion: apiserver.config.datumapis.com/v1alpha1\nkind: CellControllerManager\n";

fn decode(rest: &str) -> Result<NetworkServicesOperator, ConfigurationError> {
    let path = Path::new("manager.yaml");
    let value: NetworkServicesOperator =
        decode::strictly(path, &format!("{HEAD}{rest}"), "NetworkServicesOperator")?;
    value.check(path).map(|()| value)
}

fn decode_cell(text: &str) -> Result<CellControllerManager, ConfigurationError> {
    let path = Path::new("cell.yaml");
    let value: CellControllerManager = decode::strictly(path, text, "CellControllerManager")?;
    value.check(path).map(|()| value)
}

#[test]
fn what_is_absent_has_the_value_of_the_reference() {
    let value = decode("").unwrap();
    assert_eq!(value.discovery.mode, DiscoveryMode::Single);
    let seconds = |seconds| Duration::from_secs(seconds);
    assert_eq!(value.leader_election.numbers(), (seconds(15), seconds(10), seconds(2)));
    assert_eq!(value.network_presence.unclaimed_grace_period, None);
}

#[test]
fn what_is_present_is_read() {
    let value = decode(
        "discovery:\n  mode: milo\n  discoveryKubeconfigPath: /etc/core\ndownstreamResourceManagement:\n  kubeconfigPath: /etc/hub\nnetworkPresence:\n  unclaimedGracePeriod: 0s\nprojectClient:\n  qps: 50\n  burst: 100\n",
    )
    .unwrap();
    assert_eq!(value.discovery.mode, DiscoveryMode::Milo);
    assert_eq!(value.network_presence.unclaimed_grace_period, Some(Duration::ZERO));
    assert_eq!(value.project_client, ClientLimits { qps: Some(50.0), burst: Some(100) });
}

#[test]
fn what_cannot_be_used_is_refused_with_place_and_remedy() {
    let cases: &[(&str, &[&str])] = &[
        (
            "networkPresense:\n  unclaimedGracePeriod: 1h\n",
            &["line 3", "\"networkPresense\"", "\"networkPresence\""],
        ),
        (
            "networkPresence:\n  unclaimedGracePeriode: 1h\n",
            &["line 4", "\"unclaimedGracePeriode\"", "did you mean \"unclaimedGracePeriod\"?"],
        ),
        (
            "leaderElection:\n  zzz: 1s\n",
            &["\"zzz\"", "known here: leaseDuration, renewDeadline, retryPeriod"],
        ),
        ("leaderElection: [1]\n", &["line 3", "correct the value"]),
        ("networkPresence:\n  unclaimedGracePeriod: 24\n", &["line 4", "24h"]),
        ("networkPresence:\n  unclaimedGracePeriod: -1h\n", &["negative"]),
        ("projectClient:\n  qps: many\n", &["line 4"]),
        ("projectClient:\n  burst: 5\n", &["projectClient", "add qps"]),
        ("projectClient:\n  qps: -1\n", &["projectClient", "above 0"]),
        ("leaderElection:\n  leaseDuration: 5s\n", &["leaderElection", "leaseDuration > renewDeadline"]),
        ("discovery:\n  mode: magic\n", &["line 4", "single", "milo", "kubeconfig"]),
        ("discovery:\n  mode: milo\n", &["downstreamResourceManagement.kubeconfigPath", "is missing"]),
        ("discovery:\n  mode: kubeconfig\n", &["discovery.discoveryKubeconfigPath", "is missing"]),
        ("ipam:\n  inCluster: true\n", &["ipam", "this build has no address service yet"]),
        ("locationPublisher: {}\n", &["locationPublisher", "no location publisher yet"]),
        ("gateway:\n  resourceReplicator: {}\n", &["gateway.resourceReplicator", "copies nothing"]),
        ("metricsServer:\n  secureServing: true\n", &["metricsServer.secureServing", "without TLS"]),
        ("discovery: {mode: milo\n", &["manager.yaml", "line"]),
    ];
    for (text, wanted) in cases {
        let message = decode(text).unwrap_err().to_string();
        for part in *wanted {
            assert!(message.contains(part), "{text:?} gives {message:?}, which lacks {part:?}");
        }
    }
}

#[test]
fn another_kind_is_named() {
    let message = decode_cell(HEAD).unwrap_err().to_string();
    assert!(message.contains("NetworkServicesOperator of apiserver.config"), "{message}");
    let path = Path::new("x.yaml");
    let nothing = decode::strictly::<CellControllerManager>(path, "a: b\n", "CellControllerManager");
    assert!(nothing.unwrap_err().to_string().contains("(nothing) of (nothing)"));
}

#[test]
fn each_known_key_without_effect_is_told_once() {
    let value = decode("redis: {}\nhttpProxy:\n  a: 1\ngateway:\n  targetDomain: example.com\n").unwrap();
    let warnings = value.warnings();
    let keys = ["httpProxy", "redis", "gateway.targetDomain"];
    assert_eq!(warnings.len(), keys.len());
    for key in keys {
        assert!(warnings.iter().any(|warning| warning.contains(&format!("key {key} has"))), "{warnings:?}");
    }
}

#[test]
fn a_cell_needs_its_hub_and_knows_no_gateway() {
    assert!(decode_cell(CELL).unwrap_err().to_string().contains("federation.kubeconfigPath is missing"));
    let value = decode_cell(&format!("{CELL}federation:\n  kubeconfigPath: /hub\n")).unwrap();
    assert_eq!(value.location.name, None);
    let gateway = decode_cell(&format!("{CELL}gateway: {{}}\n")).unwrap_err().to_string();
    assert!(gateway.contains("unknown key \"gateway\""), "{gateway}");
}

#[test]
fn a_missing_file_is_named() {
    let message = read_operator(Path::new("/nowhere/manager.yaml")).unwrap_err().to_string();
    assert!(message.contains("/nowhere/manager.yaml") && message.contains("--config"), "{message}");
}
