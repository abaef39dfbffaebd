//! The bounds the server holds, each with the error kube-apiserver gives.

use jiff::SignedDuration;

/// Longest request body; longer ones are refused with 413.
pub const BODY_BYTES_MAX: usize = 3 * 1024 * 1024;
/// Longest encoded object; longer ones are refused with 500 as etcd refuses them.
pub const OBJECT_BYTES_MAX: usize = 1_572_864;
/// Frames that may wait for a slow reader of a watch before its stream is ended.
pub const WATCH_QUEUE_MAX: usize = 1000;
/// Pause between bookmarks of a quiet watch.
pub const BOOKMARK_EVERY: SignedDuration = SignedDuration::from_secs(60);
/// How long before its end a watch gets a last bookmark.
pub const BOOKMARK_BEFORE_END: SignedDuration = SignedDuration::from_secs(2);
/// How long a read waits for a revision that has not happened yet (kube-apiserver's time).
pub const REVISION_WAIT: SignedDuration = SignedDuration::from_secs(3);
/// Requests that may be under way at once, watches that have begun not counted; further ones are refused with 429.
pub const REQUESTS_IN_FLIGHT_MAX: usize = 1000;
/// Applies known to change nothing that are remembered; about 100 bytes each.
pub const STEADY_APPLIES_MAX: usize = 100_000;
/// Operations of one JSON patch.
pub const JSON_PATCH_OPERATIONS_MAX: usize = 10_000;
/// Parsed forms of the newest commits that are kept; some ten kilobytes each.
pub const RECENT_PARSED_MAX: usize = 512;
/// Encoded versions in the history. A burst of changes beyond it shortens the five minutes.
pub const HISTORY_BYTES_MAX: usize = 64 * 1024 * 1024;
