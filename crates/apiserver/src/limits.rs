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
/// Length of what one JSON patch may copy within the object; each copy may double it (kube-apiserver's bound).
pub const JSON_PATCH_COPY_BYTES_MAX: usize = 3 * 1024 * 1024;
/// Parsed forms of the newest commits that are kept.
pub const RECENT_PARSED_MAX: usize = 512;
/// Length of the objects whose parsed forms are kept, as encoded; parsed they take some ten times as much.
pub const RECENT_PARSED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How deep an object may be nested. A JSON patch can make a deeper one of two that are not, and the parser, which refuses
/// deeper bodies, could not read it back.
pub const NESTING_MAX: usize = 120;
/// Encoded versions in the history. A burst of changes beyond it shortens the five minutes.
pub const HISTORY_BYTES_MAX: usize = 64 * 1024 * 1024;
