//! S9: a process writes only while it holds both leases. The leases are read where they are kept, not asked of the process.

use std::collections::BTreeMap;

use api::ClusterName;
use api::labels::lease;

use super::{Check, Finding};
use crate::network::ManagerId;
use crate::truth::{Truth, text};
use crate::world::{Author, Observation};

/// Remembers by which holder name each process writes leases.
#[derive(Default)]
pub(super) struct Fencing {
    holders: BTreeMap<ManagerId, String>,
}

impl Check for Fencing {
    fn rule(&self) -> &'static str {
        "S9 only a leader writes"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        match observation {
            Observation::Commit(commit) if commit.changed.object.plural() == "leases" => {
                let holder = commit.changed.after.as_deref().map(|lease| text(lease, "/spec/holderIdentity"));
                if let (Author::Manager(id), Some(holder)) = (&commit.author, holder)
                    && !holder.is_empty()
                {
                    self.holders.insert(*id, holder.to_owned());
                }
                None
            }
            Observation::Sent(_, sent) if !sent.request.path.contains("/leases") => {
                let own = sent.manager.and_then(|id| self.holders.get(&id));
                let foreign = [lease::MANAGER, lease::MANAGER_SINGLETON].into_iter().find(|name| {
                    let lease = truth.get(&ClusterName::Core, "leases", "kube-system", name);
                    lease.is_none_or(|lease| {
                        Some(text(lease, "/spec/holderIdentity")) != own.map(String::as_str)
                    })
                });
                foreign.map(|name| {
                    let path = &sent.request.path;
                    let text = format!("{own:?} writes {path} while Lease {name} is not its own");
                    Finding { cluster: Some(sent.cluster.clone()), object: None, text }
                })
            }
            _ => None,
        }
    }
}
