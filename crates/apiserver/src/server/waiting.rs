//! Reads at a revision that has not happened yet wait for it a short while, as kube-apiserver's do, before they are
//! answered with 504. With a sink this is common: an answer's revision may reach another client before it is published.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Server;
use crate::limits::REVISION_WAIT;
use crate::request::{Query, Request, RequestId};
use crate::status::Failure;

/// A read that waits.
#[derive(Clone, Debug)]
struct Waiting {
    revision: u64,
    until: Timestamp,
    request: Box<Request>,
}

/// The reads that wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingReads {
    by_id: BTreeMap<RequestId, Waiting>,
}

impl WaitingReads {
    pub(crate) fn forget(&mut self, id: RequestId) {
        self.by_id.remove(&id);
    }

    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.by_id.values().map(|waiting| waiting.until).min()
    }

    fn take(&mut self, published: u64, now: Timestamp) -> Vec<Waiting> {
        let ripe = |waiting: &Waiting| waiting.revision <= published || waiting.until <= now;
        let ids: Vec<RequestId> =
            self.by_id.iter().filter(|(_, waiting)| ripe(waiting)).map(|(id, _)| *id).collect();
        ids.iter().filter_map(|id| self.by_id.remove(id)).collect()
    }
}

impl Server {
    /// Keeps a read for later whose revision has not happened; gives it back when it is no such read.
    pub(super) fn wait_for_revision(
        &mut self,
        request: Box<Request>,
        failure: &Failure,
    ) -> Option<Box<Request>> {
        let revision = Query::parse(&request.query).revision().unwrap_or_default();
        if !failure.is_revision_too_large() || revision <= self.store.published_revision() {
            return Some(request);
        }
        let until = self.now.saturating_add(REVISION_WAIT).unwrap_or(Timestamp::MAX);
        self.waiting.by_id.insert(request.id, Waiting { revision, until, request });
        None
    }

    /// Answers the reads whose revision has come, and those that have waited long enough.
    pub(super) fn serve_waiting(&mut self) {
        for waiting in self.waiting.take(self.store.published_revision(), self.now) {
            self.serve(waiting.request, false);
        }
    }
}
