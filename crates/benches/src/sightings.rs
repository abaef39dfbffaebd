//! What a watch of one collection has shown: the newest of each object, and a way to wait for what it should show.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use api::ResourceKind;
use kube_client::Client;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::load::{self, LoadError};

/// How long an object may take to show what is waited for.
const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Default)]
struct Seen {
    newest: Mutex<BTreeMap<String, (Value, Instant)>>,
    changed: Notify,
}

/// A watch that runs until this is dropped. Names are taken for unique in the collection.
pub(crate) struct Sightings {
    seen: Arc<Seen>,
    kind: ResourceKind,
    watch: AbortHandle,
}

impl Sightings {
    /// Starts the watch of a kind, in all namespaces.
    pub(crate) fn start(client: Client, kind: ResourceKind) -> Self {
        let seen = Arc::<Seen>::default();
        let watch = tokio::spawn(watch(client, kind, Arc::clone(&seen))).abort_handle();
        Self { seen, kind, watch }
    }

    /// When the newest state of an object that satisfies the condition arrived; waits for it.
    pub(crate) async fn until(
        &self,
        name: &str,
        is_it: impl Fn(&Value) -> bool,
    ) -> Result<Instant, LoadError> {
        let shown = tokio::time::timeout(PATIENCE, async {
            loop {
                let changed = self.seen.changed.notified();
                if let Some(at) = self.seen.find(name, &is_it) {
                    return at;
                }
                changed.await;
            }
        });
        shown.await.map_err(|_| {
            let what = format!("wait for {} {name}", self.kind.kind);
            LoadError::new(what, format!("it does not show what it should after {PATIENCE:?}"))
        })
    }
}

impl Drop for Sightings {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl Seen {
    fn find(&self, name: &str, is_it: impl Fn(&Value) -> bool) -> Option<Instant> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.get(name).filter(|(object, _)| is_it(object)).map(|(_, at)| *at)
    }

    /// A deleted object is kept as null, so a wait never takes it for a live one.
    fn see(&self, line: &[u8]) {
        let at = Instant::now();
        let Ok(mut event) = serde_json::from_slice::<Value>(line) else { return };
        let mut object = event["object"].take();
        let Some(name) = object.pointer("/metadata/name").and_then(Value::as_str).map(str::to_owned) else {
            return;
        };
        if event["type"] == "DELETED" {
            object = Value::Null;
        }
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).insert(name, (object, at));
        self.changed.notify_waiters();
    }
}

async fn watch(client: Client, kind: ResourceKind, seen: Arc<Seen>) {
    loop {
        if let Err(error) = load::watch_lines(&client, kind, |line| seen.see(line)).await {
            eprintln!("{error}; it begins anew");
        }
    }
}
