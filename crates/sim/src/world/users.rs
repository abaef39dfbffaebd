//! What users do at the very moment at which a manager does something; and what managers are told of objects that do not
//! decode.

use api::ClusterName;
use bytes::Bytes;
use serde_json::{Value, json};

use super::World;
use crate::dice::Dice;
use crate::fault::Fault;
use crate::network::Sent;
use crate::plane::path_of;
use crate::truth::is_going;

/// The annotation that users edit.
pub const EDITED: &str = "example.com/edited";
/// Kinds whose objects users take back.
const TAKEN_BACK: &[&str] = &["networks", "networkbindings", "networkinterfaces", "locations"];

impl World {
    /// A user may be faster than a manager's request that is about to be served.
    pub(super) fn forestall(&mut self, sent: &Sent) {
        let request = &sent.request;
        let is_change =
            matches!(request.method.as_str(), "PATCH" | "DELETE") && !request.path.contains("/leases/");
        if is_change && self.strikes(Fault::EditedMeanwhile).is_some() {
            self.edit_at_once(&sent.cluster, request.path.trim_end_matches("/status"));
        }
        if request.query.contains("watch=true") {
            self.delete_in_gap(sent);
        }
    }

    /// A list has been answered and the watch that follows is about to begin.
    fn delete_in_gap(&mut self, sent: &Sent) {
        let plural = request_plural(sent);
        let plane = self.planes.get(&sent.cluster).filter(|_| TAKEN_BACK.contains(&plural));
        let objects = plane.map(|plane| {
            let living = plane.of_plural(plural).filter(|(_, value)| !is_going(value));
            living.map(|(object, value)| path_of(object, value)).collect::<Vec<_>>()
        });
        let objects = objects.unwrap_or_default();
        let Some(mut dice) = self.strikes_if(Fault::DeletedInGap, !objects.is_empty()) else { return };
        if let Some(path) = Dice::pick(&mut dice, &objects) {
            self.note(format!("{path} on {} is deleted between list and watch", sent.cluster));
            self.do_at_once(&sent.cluster, "DELETE", path, "");
        }
    }

    /// A user edits an object, if it is there.
    pub(super) fn edit_at_once(&mut self, cluster: &ClusterName, path: &str) {
        let edit = json!({"metadata": {"annotations": {EDITED: self.events.to_string()}}});
        self.do_at_once(cluster, "PATCH", path, &edit.to_string());
    }

    /// A user's request that is served now, even if the plane can be reached by nobody else. Nobody waits for its answer.
    fn do_at_once(&mut self, cluster: &ClusterName, method: &str, path: &str, body: &str) {
        let sent = self.user_request(cluster, method, path, ("application/merge-patch+json", body));
        let input = apiserver::Input::Request(Box::new(sent.request.clone()));
        self.drive(cluster, input, Some(&sent));
    }

    /// What a manager is told: the same, but for objects that do not decode.
    pub(super) fn as_told(&self, cluster: &ClusterName, bytes: Bytes) -> Bytes {
        let malformed =
            self.planes.get(cluster).map(|plane| &plane.malformed).filter(|uids| !uids.is_empty());
        let Some(malformed) = malformed else { return bytes };
        let Ok(mut told) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
        let mut is_changed = false;
        let spoil = |object: &mut Value, is_changed: &mut bool| {
            let uid = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
            if malformed.contains(uid) {
                object["spec"] = Value::from("as an older version of the kind had it");
                *is_changed = true;
            }
        };
        spoil(&mut told, &mut is_changed);
        if let Some(object) = told.get_mut("object") {
            spoil(object, &mut is_changed);
        }
        for item in told.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten() {
            spoil(item, &mut is_changed);
        }
        if is_changed { Bytes::from(format!("{told}\n")) } else { bytes }
    }
}

/// The plural of the collection that a request names.
fn request_plural(sent: &Sent) -> &str {
    sent.request.path.rsplit('/').next().unwrap_or_default()
}
