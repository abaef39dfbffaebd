//! What a request is for, and so whom it may keep waiting.

use http::{Method, Request};

/// Requests of one purpose share connections, and wait only for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Stays open until somebody ends it.
    Watch,
    /// Reads that may come in thousands: after a cut, every kind of every plane is listed at once.
    Read,
    /// A write, or the fence in front of one. Its deadline is short, and a controller waits for it.
    Write,
    /// Whoever cannot renew its lease in time stops working.
    Lease,
}

impl Purpose {
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        let query = request.uri().query().unwrap_or_default();
        if query.split('&').any(|part| matches!(part, "watch=true" | "watch=1")) {
            Self::Watch
        } else if request.uri().path().contains("/apis/coordination.k8s.io/") {
            Self::Lease
        } else if request.method() != Method::GET || query == FENCE {
            Self::Write
        } else {
            Self::Read
        }
    }
}

/// The query of [`engine::wire::fence_path`]: pages ask for more.
const FENCE: &str = "limit=1";
