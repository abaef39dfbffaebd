//! S10: what was answered is known. A process that was told that a write is done does not send it again while nothing has
//! changed since: its own writes lie over what its watches have not told it yet.

use std::collections::BTreeMap;

use api::ClusterName;
use apiserver::request::RequestId;
use bytes::Bytes;

use super::{Check, Finding};
use crate::network::{ManagerId, Sent};
use crate::truth::{Truth, text};
use crate::world::Observation;

/// Kinds whose objects a manager writes for their own sake; events and leases repeat by design.
const PLURALS: [&str; 3] = ["networks", "networkbindings", "networkcontexts"];

/// Sender, plane, method, path, and the object's namespace, plural and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    manager: ManagerId,
    cluster: ClusterName,
    method: String,
    path: String,
    namespace: String,
    plural: &'static str,
    name: String,
}

impl Place {
    fn of(sent: &Sent) -> Option<Self> {
        let (namespace, plural, name) = sent.object()?;
        let plural = *PLURALS.iter().find(|known| **known == plural)?;
        Some(Self {
            manager: sent.manager?,
            cluster: sent.cluster.clone(),
            method: sent.request.method.clone(),
            path: format!("{}?{}", sent.request.path, sent.request.query),
            namespace: namespace.to_owned(),
            plural,
            name,
        })
    }

    /// Life and version of the object, empty where it is not.
    fn version(&self, truth: &Truth) -> (String, String) {
        let object = truth.get(&self.cluster, self.plural, &self.namespace, &self.name);
        let part = |pointer| object.map(|object| text(object, pointer).to_owned()).unwrap_or_default();
        (part("/metadata/uid"), part("/metadata/resourceVersion"))
    }
}

/// Writes on their way, and the last one of each kind that was answered, with what it left.
#[derive(Default)]
pub(super) struct Repeats {
    sent: BTreeMap<RequestId, (Place, Bytes)>,
    done: BTreeMap<Place, (Bytes, (String, String))>,
}

impl Check for Repeats {
    fn rule(&self) -> &'static str {
        "S10 what was answered is known"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        match observation {
            Observation::Sent(_, sent) => {
                let place = Place::of(sent)?;
                let body = sent.request.body.clone();
                let is_repeated = self
                    .done
                    .get(&place)
                    .is_some_and(|(done, left)| *done == body && *left == place.version(truth));
                let text = format!("{} is sent again by {} and was answered", sent.text(), place.manager);
                // A plane that came back old answers versions that its watches have passed before.
                let is_known = !truth.is_rewritten_within(&sent.cluster, truth.overtaken);
                self.sent.insert(sent.request.id, (place, body));
                (is_repeated && is_known).then(|| Finding {
                    cluster: Some(sent.cluster.clone()),
                    object: None,
                    text,
                })
            }
            Observation::Answered(_, answered) => {
                let (place, body) = self.sent.remove(&answered.request)?;
                if (200..300).contains(&answered.code) {
                    let left = place.version(truth);
                    self.done.insert(place, (body, left));
                }
                None
            }
            Observation::Reset(_, cluster, _) => {
                self.done.retain(|place, _| place.cluster != *cluster);
                None
            }
            Observation::Commit(_) | Observation::Note(..) => None,
        }
    }
}
