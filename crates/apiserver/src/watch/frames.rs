//! The lines of a watch stream.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Watch;
use crate::media::Form;
use crate::shape::shaped;
use crate::status::Failure;
use crate::store::{Change, Stored};
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

/// The encodings of one change, made at most once each.
pub(super) struct Frames<'a> {
    change: &'a Change,
    now: Timestamp,
    /// By event, form and the stamp of the resource's version.
    made: BTreeMap<(EventType, Form, u64), Bytes>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(change: &'a Change, now: Timestamp) -> Self {
        Self { change, now, made: BTreeMap::new() }
    }

    /// The line for a watch, or `None` when its selection is not touched.
    pub(super) fn for_watch(&mut self, watch: &Watch) -> Option<Bytes> {
        let (event, left) = self.transition(watch)?;
        // An object that left the selection but lives is shown as it was, so it is encoded for this watch alone.
        if left {
            let last = self.last_selected(watch)?;
            return Some(self::event(event, watch, &last, self.now));
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

    fn transition(&self, watch: &Watch) -> Option<(EventType, bool)> {
        let selects = |stored: &Arc<Stored>| {
            watch.selector.is_empty() || watch.selector.matches(&shaped(&watch.resource, stored).value)
        };
        let before = self.change.previous.as_ref().is_some_and(selects);
        let after = !self.change.deleted && selects(&self.change.current);
        match (before, after) {
            (false, true) => Some((EventType::Added, false)),
            (true, true) => Some((EventType::Modified, false)),
            (true, false) => Some((EventType::Deleted, !self.change.deleted)),
            (false, false) => None,
        }
    }

    fn last_selected(&self, watch: &Watch) -> Option<Arc<Stored>> {
        let previous = shaped(&watch.resource, self.change.previous.as_ref()?);
        Some(Arc::new(Stored::new(previous.value.clone(), self.change.revision, previous.stamp)))
    }
}

/// One event's line.
pub(super) fn event(event: EventType, watch: &Watch, stored: &Stored, now: Timestamp) -> Bytes {
    match watch.form {
        Form::Table => {
            let metadata = json!({"resourceVersion": stored.revision.to_string()});
            let shown = table(&watch.resource, &[&stored.value], &metadata, watch.include, now);
            line(event.as_str(), &shown.to_string())
        }
        Form::Metadata => line(event.as_str(), &partial(&stored.value).to_string()),
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
