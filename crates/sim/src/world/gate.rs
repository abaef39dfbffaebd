//! A gate before every process: while it is closed, watch events wait outside, and whoever asks lets them in one by one, in an
//! order of their own. On one watch they keep their order, as on any connection.

use api::ClusterName;
use apiserver::request::RequestId;

use super::World;
use crate::network::{Event, ManagerId, Purpose};

/// A watch with events before the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    request: RequestId,
    /// Whose it is.
    pub manager: ManagerId,
    /// The plane.
    pub cluster: ClusterName,
    /// Plural of what is watched.
    pub plural: &'static str,
}

impl World {
    /// Closes the gate, or opens it: then everything outside comes in.
    pub fn close_gate(&mut self, is_closed: bool) {
        self.is_gated = is_closed;
        if !is_closed {
            let outside: Vec<(RequestId, usize)> =
                self.streams.iter().map(|(id, stream)| (*id, stream.waiting())).collect();
            for (id, count) in outside {
                (0..count).for_each(|_| self.schedule(self.now, Event::Deliver(id)));
            }
        }
    }

    /// Watches with events before the gate, in the order in which they were opened.
    #[must_use]
    pub fn waiting_at_gate(&self) -> Vec<Waiting> {
        let waiting = self.streams.iter().filter(|(_, stream)| stream.waiting() > 0);
        let told = waiting.filter_map(|(id, _)| {
            let pending = self.pending.get(id)?;
            let Purpose::Watch(manager, _, _, kind) = pending.purpose else { return None };
            let (cluster, plural) = (pending.cluster.clone(), kind.resource.plural);
            Some(Waiting { request: *id, manager, cluster, plural })
        });
        told.collect()
    }

    /// Lets the next event of a watch in.
    pub fn let_in(&mut self, waiting: &Waiting) {
        self.deliver_now(waiting.request);
    }
}
