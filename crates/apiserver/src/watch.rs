//! Watches: who wants to see which changes, in which form, and until when.
//!
//! An event is encoded once for all watches that want it in the same form. Selections are transitions: an object that
//! enters a selection is ADDED, one that leaves it is DELETED, with the revision that made it so.

mod frames;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use crate::limits::{BOOKMARK_BEFORE_END, BOOKMARK_EVERY};
use crate::media::Form;
use crate::metadata::validate::forbidden;
use crate::request::{RequestId, invalid_options};
use crate::resource::Resource;
use crate::selector::Selector;
use crate::server::{Call, Output, Server};
use crate::shape::shaped;
use crate::status::Failure;
use crate::store::{Change, Key};
use crate::table::Include;
use frames::{EventType, Frames};

/// One open watch.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    id: RequestId,
    resource: Arc<Resource>,
    prefix: String,
    selector: Selector,
    form: Form,
    include: Include,
    /// Only later revisions are sent.
    after: u64,
    bookmarks: bool,
    next_bookmark: Timestamp,
    ends_at: Timestamp,
}

/// All open watches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watches {
    open: BTreeMap<RequestId, Watch>,
    /// By the key prefix of plane and resource.
    resources: BTreeMap<String, BTreeSet<RequestId>>,
    /// When each has to be looked at, so that a request costs nothing for the watches that are quiet.
    due: BTreeSet<(Timestamp, RequestId)>,
}

impl Watches {
    fn insert(&mut self, watch: Watch) {
        self.resources.entry(resource_prefix(&watch.prefix)).or_default().insert(watch.id);
        self.due.insert((watch.due(), watch.id));
        self.open.insert(watch.id, watch);
    }

    pub(crate) fn remove(&mut self, id: RequestId) {
        let Some(watch) = self.open.remove(&id) else { return };
        self.due.remove(&(watch.due(), id));
        let prefix = resource_prefix(&watch.prefix);
        if let Some(ids) = self.resources.get_mut(&prefix) {
            ids.remove(&id);
            if ids.is_empty() {
                self.resources.remove(&prefix);
            }
        }
    }

    fn of_resource(&self, key: &Key) -> impl Iterator<Item = &Watch> {
        let ids = self.resources.get(&resource_prefix(key.as_str()));
        ids.into_iter().flatten().filter_map(|id| self.open.get(id))
    }

    /// When something has to be done for some watch.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Takes one watch that is due; the caller puts it back or lets it go.
    fn take_due(&mut self, now: Timestamp) -> Option<Watch> {
        let (due, id) = *self.due.first()?;
        if due > now {
            return None;
        }
        self.due.remove(&(due, id));
        self.open.remove(&id)
    }

    /// The number of open watches.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
}

/// `plane|group/plural|` of a key or prefix.
fn resource_prefix(text: &str) -> String {
    let mut parts = text.splitn(3, '|');
    format!("{}|{}|", parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// When the next bookmark is due: about every minute, and two seconds before the end, as kube-apiserver does it, so that a
/// short watch tells where the server is.
fn next_bookmark(now: Timestamp, ends_at: Timestamp) -> Timestamp {
    let regular = now.saturating_add(BOOKMARK_EVERY).unwrap_or(Timestamp::MAX);
    let before_end = ends_at.saturating_sub(BOOKMARK_BEFORE_END).unwrap_or(ends_at);
    if before_end > now { regular.min(before_end) } else { regular }
}

impl Watch {
    fn due(&self) -> Timestamp {
        if self.bookmarks { self.next_bookmark.min(self.ends_at) } else { self.ends_at }
    }
}

/// How a watch begins.
enum Beginning {
    /// With the present state as ADDED events; then a marked bookmark, if asked for.
    State { mark: bool },
    /// With the changes after a revision.
    After(u64),
}

impl Server {
    pub(crate) fn watch(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        let selector = call.selector()?;
        let beginning = match beginning(call, self.store.published_revision()) {
            Err(failure) if failure.is_revision_too_large() && !self.may_wait => {
                self.refuse_stream(call, &failure);
                return Ok(());
            }
            beginning => beginning?,
        };
        let watch = self.new_watch(call, selector)?;
        self.open(call);
        match beginning {
            Beginning::State { mark } => self.send_state(&watch, mark),
            Beginning::After(revision) => {
                if let Err(expired) = self.send_changes(&watch, revision) {
                    let id = watch.id;
                    self.emit(Output::Frame { id, bytes: frames::error(&expired) });
                    self.emit(Output::End { id });
                    return Ok(());
                }
            }
        }
        self.watches.insert(watch);
        Ok(())
    }

    /// A watch is refused inside its stream once its client has waited for it.
    fn refuse_stream(&mut self, call: &Call<'_>, failure: &Failure) {
        self.open(call);
        let id = call.request.id;
        self.emit(Output::Frame { id, bytes: frames::error(failure) });
        self.emit(Output::End { id });
    }

    fn new_watch(&mut self, call: &Call<'_>, selector: Selector) -> Result<Watch, Failure> {
        use rand::Rng;
        let seconds = match call.query.number("timeoutSeconds")? {
            Some(seconds) if seconds > 0 => seconds,
            _ => 1800 + i64::try_from(self.generator.next_u64() % 1800).unwrap_or_default(),
        };
        let lasts = SignedDuration::from_secs(seconds.min(86_400));
        let after = match call.query.revision()? {
            0 => self.store.published_revision(),
            revision => revision.max(self.store.published_revision()),
        };
        let ends_at = self.later(lasts);
        Ok(Watch {
            id: call.request.id,
            resource: call.resource.clone(),
            prefix: call.prefix(),
            selector,
            form: call.accepted.form,
            include: Include::parse(call.query.get("includeObject")),
            after,
            bookmarks: call.query.flag("allowWatchBookmarks"),
            next_bookmark: next_bookmark(self.now, ends_at),
            ends_at,
        })
    }

    fn later(&self, duration: SignedDuration) -> Timestamp {
        self.now.saturating_add(duration).unwrap_or(Timestamp::MAX)
    }

    fn send_state(&mut self, watch: &Watch, mark: bool) {
        let mut events: Vec<Bytes> = Vec::new();
        for (_, stored) in self.store.under(&watch.prefix) {
            let stored = shaped(&watch.resource, stored);
            if watch.selector.is_empty() || watch.selector.matches(&stored.value()) {
                events.push(frames::event(EventType::Added, watch, &stored, self.now));
            }
        }
        for bytes in events {
            self.emit(Output::Frame { id: watch.id, bytes });
        }
        if mark {
            let bytes = frames::bookmark(watch, self.store.published_revision(), true);
            self.emit(Output::Frame { id: watch.id, bytes });
        }
    }

    fn send_changes(&mut self, watch: &Watch, revision: u64) -> Result<(), Failure> {
        let changes = self.store.changes_after(&watch.prefix, revision).map_err(|too_old| {
            Failure::expired(format!("too old resource version: {revision} ({})", too_old.oldest))
        })?;
        for change in &changes {
            if let Some(bytes) = Frames::new(change, self.now).for_watch(watch) {
                self.emit(Output::Frame { id: watch.id, bytes });
            }
        }
        Ok(())
    }

    /// Sends a published change to the watches that want it.
    pub(crate) fn spread(&mut self, change: &Change) {
        let mut frames = Frames::new(change, self.now);
        let mut outputs = Vec::new();
        for watch in self.watches.of_resource(&change.key) {
            if change.revision > watch.after
                && change.key.as_str().starts_with(&watch.prefix)
                && let Some(bytes) = frames.for_watch(watch)
            {
                outputs.push(Output::Frame { id: watch.id, bytes });
            }
        }
        for output in outputs {
            self.emit(output);
        }
    }

    /// Bookmarks that are due, and watches whose time is over. A watch from a revision that has not happened yet gets none,
    /// as from kube-apiserver: it would say that the revision has been.
    pub(crate) fn expire_watches(&mut self) {
        let (now, revision) = (self.now, self.store.published_revision());
        while let Some(mut watch) = self.watches.take_due(now) {
            let id = watch.id;
            if watch.bookmarks && watch.next_bookmark <= now {
                if revision >= watch.after {
                    let bytes = frames::bookmark(&watch, revision, false);
                    self.emit(Output::Frame { id, bytes });
                }
                watch.next_bookmark = next_bookmark(now, watch.ends_at);
            }
            let ended = watch.ends_at <= now;
            self.watches.insert(watch);
            if ended {
                self.watches.remove(id);
                self.emit(Output::End { id });
            }
        }
    }

    /// Ends every watch under a prefix: the resource changed or the plane went.
    pub(crate) fn end_watches(&mut self, prefix: &str) {
        let watches = self.watches.open.values();
        let ended: Vec<RequestId> =
            watches.filter(|watch| watch.prefix.starts_with(prefix)).map(|watch| watch.id).collect();
        for id in ended {
            self.watches.remove(id);
            self.emit(Output::End { id });
        }
    }

    /// The number of open watches, for metrics.
    #[must_use]
    pub fn open_watches(&self) -> usize {
        self.watches.len()
    }
}

fn beginning(call: &Call<'_>, present: u64) -> Result<Beginning, Failure> {
    const FIELD: &str = "sendInitialEvents";
    let revision = call.query.revision()?;
    let initial = call.query.has(FIELD).then(|| call.query.flag(FIELD));
    let mode = call.query.get("resourceVersionMatch");
    call.query.revision_match()?;
    if initial.is_some() && mode != "NotOlderThan" {
        let error = forbidden(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        );
        return Err(invalid_options("ListOptions", &[error]));
    }
    if initial == Some(true) && !call.query.flag("allowWatchBookmarks") {
        let error = forbidden(FIELD, "sendInitialEvents requires allowWatchBookmarks");
        return Err(invalid_options("ListOptions", &[error]));
    }
    if initial == Some(true) && revision > present {
        return Err(Failure::too_large_revision(revision, present));
    }
    Ok(match (initial, revision) {
        (Some(true), _) => Beginning::State { mark: true },
        (Some(false), 0) => Beginning::After(present),
        (None, 0) => Beginning::State { mark: false },
        (_, revision) => Beginning::After(revision),
    })
}
