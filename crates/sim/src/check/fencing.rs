//! S9: a process writes only while it holds both leases, and early enough that the write is over before they are. The
//! leases are read where they are kept, not asked of the process.

use std::collections::BTreeMap;

use api::ClusterName;
use api::labels::lease;
use jiff::{SignedDuration, Timestamp};

use super::{Check, Finding};
use crate::network::{ManagerId, Sent};
use crate::truth::{Truth, text};
use crate::world::{Author, Commit, Observation};

/// How long a write may take until it counts as lost, and what servers may be late by: `ManagerOptions::default`.
const WRITE_MAX: SignedDuration = SignedDuration::from_secs(7);

/// What the leases say of each process.
#[derive(Default)]
pub(super) struct Fencing {
    /// By which holder name it writes them.
    holders: BTreeMap<ManagerId, String>,
    /// When each of them runs out that it wrote.
    ends: BTreeMap<(ManagerId, String), Timestamp>,
}

impl Check for Fencing {
    fn rule(&self) -> &'static str {
        "S9 only a leader writes"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        match observation {
            Observation::Commit(commit) if commit.changed.object.plural() == "leases" => {
                self.written(commit);
                None
            }
            Observation::Sent(at, sent) if !sent.request.path.contains("/leases") => {
                let text = self.complaint(truth, *at, sent)?;
                Some(Finding { cluster: Some(sent.cluster.clone()), object: None, text })
            }
            _ => None,
        }
    }
}

impl Fencing {
    fn written(&mut self, commit: &Commit) {
        let Author::Manager(id) = commit.author else { return };
        let Some(lease) = commit.changed.after.as_deref() else { return };
        let holder = text(lease, "/spec/holderIdentity");
        if holder.is_empty() {
            return;
        }
        self.holders.insert(id, holder.to_owned());
        let seconds = lease.pointer("/spec/leaseDurationSeconds").and_then(serde_json::Value::as_i64);
        let lasts = SignedDuration::from_secs(seconds.unwrap_or_default());
        let end = commit.at.checked_add(lasts).unwrap_or(Timestamp::MAX);
        self.ends.insert((id, commit.changed.object.name.clone()), end);
    }

    fn complaint(&self, truth: &Truth, at: Timestamp, sent: &Sent) -> Option<String> {
        let own = sent.manager.and_then(|id| self.holders.get(&id));
        for name in [lease::MANAGER, lease::MANAGER_SINGLETON] {
            let lease = truth.get(&ClusterName::Core, "leases", "kube-system", name);
            let is_own = lease
                .is_some_and(|lease| Some(text(lease, "/spec/holderIdentity")) == own.map(String::as_str));
            if !is_own {
                let path = &sent.request.path;
                return Some(format!("{own:?} writes {path} while Lease {name} is not its own"));
            }
            let end = sent.manager.and_then(|id| self.ends.get(&(id, name.to_owned())));
            if let Some(end) = end.filter(|end| at + WRITE_MAX > **end) {
                let path = &sent.request.path;
                return Some(format!("{own:?} writes {path} too late: Lease {name} ends at {end}"));
            }
        }
        None
    }
}
