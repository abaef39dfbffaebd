//! Keeps one cluster engaged: asks who it is, engages it, looks now and then whether it still is the same.

use std::time::Duration;

use api::ClusterName;
use kube_client::Client;
use serde_json::Value;
use tokio::sync::watch;
use tracing::{info, warn};

use super::Engagements;
use crate::transport;

/// How long the question may take.
const ASK_DEADLINE: Duration = Duration::from_secs(5);
/// First and longest wait between questions while there is no answer.
const RETRY: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(15));
/// How often an engaged cluster is asked again: a plane restored from a backup is another one.
const ASK_AGAIN: Duration = Duration::from_mins(1);

/// Engages the cluster while `stop` is false and its sender lives.
pub async fn keep_engaged(
    engagements: Engagements,
    name: ClusterName,
    client: Client,
    mut stop: watch::Receiver<bool>,
) {
    let mut engaged: Option<(u64, String)> = None;
    let mut wait = RETRY.0;
    loop {
        let asked = tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            asked = identity(&client) => asked,
        };
        match (asked, &engaged) {
            (Ok(server), Some((_, known))) if server == *known => wait = ASK_AGAIN,
            (Ok(server), _) => {
                let Ok(number) = engagements.engage(&name, client.clone(), server.clone()).await else {
                    return;
                };
                info!(plane = %name, "engaged");
                engaged = Some((number, server));
                wait = ASK_AGAIN;
            }
            (Err(_), Some(_)) => wait = ASK_AGAIN,
            (Err(error), None) => {
                warn!(plane = %name, %error, "the plane does not say who it is");
                wait = (wait * 2).min(RETRY.1);
            }
        }
        tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            () = tokio::time::sleep(wait) => {}
        }
    }
    if let Some((number, _)) = engaged {
        info!(plane = %name, "disengaged");
        // If the driver is gone, so is everything that was engaged.
        let _ = engagements.disengage(&name, number).await;
    }
}

/// Returns when the cluster shall be dropped.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which means stop.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// The server's own identity: uid of namespace `kube-system`.
async fn identity(client: &Client) -> Result<String, String> {
    let path = "/api/v1/namespaces/kube-system";
    let answered = transport::get(client, path, ASK_DEADLINE).await.map_err(|error| error.to_string())?;
    if answered.code != 200 {
        return Err(format!("{}: {}", answered.code, engine::wire::status_text(&answered.body)));
    }
    let namespace: Value = serde_json::from_slice(&answered.body).map_err(|error| error.to_string())?;
    let uid = namespace.pointer("/metadata/uid").and_then(Value::as_str);
    uid.map(str::to_owned).ok_or_else(|| "namespace kube-system has no uid".to_owned())
}
