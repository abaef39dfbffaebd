//! The lines of a watch stream.

use std::collections::BTreeMap;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Watch;
use crate::media::Form;
use crate::shape::{opened, shaped};
use crate::status::Failure;
use crate::store::{Change, Opened, Stored};
use crate::table::{partial, table};

/// What happened to the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventType {
    Added,
    Modified,
    Deleted,
}

impl EventType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// The two states of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Before,
    After,
}

/// The encodings of one change, made at most once each.
pub(super) struct Frames<'a> {
    change: &'a Change,
    now: Timestamp,
    /// Before and after as selectors see them, by the stamp of the resource's version; read at most once each.
    seen: BTreeMap<(Side, u64), Opened>,
    /// By event, form and the stamp of the resource's version.
    made: BTreeMap<(EventType, Form, u64), Bytes>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(change: &'a Change, now: Timestamp) -> Self {
        Self { change, now, seen: BTreeMap::new(), made: BTreeMap::new() }
    }

    /// The line for a watch, or `None` when its selection is not touched.
    pub(super) fn for_watch(&mut self, watch: &Watch) -> Option<Bytes> {
        let (event, left) = self.transition(watch)?;
        // An object that left the selection but lives is shown as it was, so it is encoded for this watch alone.
        if left {
            let last = self.last_selected(watch)?;
            return Some(self::event(event, watch, &last.stored, self.now));
        }
        let key = (event, watch.form, watch.resource.stamp);
        if let Some(bytes) = self.made.get(&key) {
            return Some(bytes.clone());
        }
        let stored = shaped(&watch.resource, &self.change.current);
        let bytes = self::event(event, watch, &stored, self.now);
        self.made.insert(key, bytes.clone());
        Some(bytes)
    }

    fn transition(&mut self, watch: &Watch) -> Option<(EventType, bool)> {
        let before = self.selects(watch, Side::Before);
        let after = self.selects(watch, Side::After);
        match (before, after) {
            (false, true) => Some((EventType::Added, false)),
            (true, true) => Some((EventType::Modified, false)),
            (true, false) => Some((EventType::Deleted, !self.change.deleted)),
            (false, false) => None,
        }
    }

    fn selects(&mut self, watch: &Watch, side: Side) -> bool {
        let stored = match side {
            Side::Before => self.change.previous.as_ref(),
            Side::After => Some(&self.change.current).filter(|_| !self.change.deleted),
        };
        let Some(stored) = stored else { return false };
        watch.selector.is_empty() || {
            let seen = self.seen.entry((side, watch.resource.stamp));
            watch.selector.matches(&seen.or_insert_with(|| opened(&watch.resource, stored)).value)
        }
    }

    fn last_selected(&self, watch: &Watch) -> Option<Opened> {
        let previous = opened(&watch.resource, self.change.previous.as_ref()?);
        Some(Opened::new(Value::clone(&previous.value), self.change.revision, watch.resource.stamp))
    }
}

/// One event's line.
pub(super) fn event(event: EventType, watch: &Watch, stored: &Stored, now: Timestamp) -> Bytes {
    match watch.form {
        Form::Table => {
            let metadata = json!({"resourceVersion": stored.revision.to_string()});
            let shown = table(&watch.resource, &[&stored.value()], &metadata, watch.include, now);
            line(event.as_str(), &shown.to_string())
        }
        Form::Metadata => line(event.as_str(), &partial(&stored.value()).to_string()),
        _ => line_of_bytes(event.as_str(), &stored.bytes),
    }
}

/// A bookmark: nothing but the revision, and the mark that ends the initial events.
pub(super) fn bookmark(watch: &Watch, revision: u64, initial_end: bool) -> Bytes {
    let mut metadata = json!({"resourceVersion": revision.to_string()});
    if initial_end && let Some(fields) = metadata.as_object_mut() {
        fields.insert("annotations".to_owned(), json!({"k8s.io/initial-events-end": "true"}));
    }
    let object = match watch.form {
        Form::Table => {
            let row = json!({"cells": [], "object": {"kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1", "metadata": metadata}});
            json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": revision.to_string()}, "columnDefinitions": null, "rows": [row]})
        }
        Form::Metadata => {
            json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
        }
        _ => {
            let resource = &watch.resource;
            json!({"kind": resource.kind, "apiVersion": resource.api_version(), "metadata": metadata})
        }
    };
    line("BOOKMARK", &object.to_string())
}

/// A refusal inside the stream.
pub(super) fn error(failure: &Failure) -> Bytes {
    let status: Value = failure.to_value();
    line("ERROR", &status.to_string())
}

fn line(event: &str, object: &str) -> Bytes {
    line_of_bytes(event, object.as_bytes())
}

fn line_of_bytes(event: &str, object: &[u8]) -> Bytes {
    let mut line = Vec::with_capacity(object.len() + 40);
    line.extend_from_slice(b"{\"type\":\"");
    line.extend_from_slice(event.as_bytes());
    line.extend_from_slice(b"\",\"object\":");
    line.extend_from_slice(object);
    line.extend_from_slice(b"}\n");
    Bytes::from(line)
}
