//! Which version of HTTP a host speaks, as far as is known.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a host counts as one that does not offer HTTP/2. A balancer may have said so only while its servers were being
/// replaced, and every watch takes a connection of its own for as long as this is believed.
pub(super) const BELIEVED: Duration = Duration::from_mins(5);

/// What a host was last heard to speak. Times are monotonic, from one start.
pub(super) enum Spoken {
    /// Without TLS nothing tells, so it is HTTP/1.1.
    Untold,
    /// By what TLS last settled on: when that was HTTP/1.1, or nothing if it was HTTP/2 or has not been heard.
    Told(Mutex<Option<Duration>>),
}

impl Spoken {
    pub(super) fn of(scheme: Option<&str>) -> Self {
        if scheme == Some("https") { Self::Told(Mutex::default()) } else { Self::Untold }
    }

    /// Whether HTTP/1.1 is to be spoken without asking.
    pub(super) fn is_http1(&self, now: Duration) -> bool {
        match self {
            Self::Untold => true,
            Self::Told(since) => since
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_some_and(|since| now.saturating_sub(since) < BELIEVED),
        }
    }

    /// Takes in what TLS settled on; true if it is HTTP/1.1 and was not when last heard.
    pub(super) fn hear(&self, is_http2: bool, now: Duration) -> bool {
        let Self::Told(since) = self else { return false };
        let since = &mut *since.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(since, (!is_http2).then_some(now));
        before.is_none() && !is_http2
    }
}
