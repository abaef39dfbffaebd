//! The state machine: one input in, what is to be done out.
//!
//! Answers to writes are held until the store's sink has made them durable, so nobody ever sees a revision that a
//! crash can take back. Reads, watches and the inside controllers work on what is published.

mod dispatch;
#[cfg(test)]
mod tests;
mod waiting;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use rand_chacha::ChaCha12Rng;
use serde_json::Value;

use crate::builtin::Builtins;
use crate::collect::Collector;
use crate::crd::SchemaCache;
use crate::identity::Tokens;
use crate::namespace::Terminations;
use crate::plane::{PlaneSpec, Planes};
use crate::registry::{Registration, Registry};
use crate::request::{Request, RequestId};
use crate::status::Failure;
use crate::store::{Batch, Change, Store, WriteSet};
use crate::watch::Watches;
use crate::write::SteadyApplies;

pub(crate) use dispatch::Call;
use waiting::WaitingReads;

/// What happens to the server.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input {
    /// A request arrived.
    Request(Box<Request>),
    /// The client of a request or a watch has gone.
    Cancel(RequestId),
    /// The sink has made everything up to this revision durable.
    Persisted {
        /// The revision.
        up_to: u64,
    },
    /// Time has passed.
    Tick,
}

/// What the shell has to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Send a whole answer.
    Respond {
        /// Which request.
        id: RequestId,
        /// The answer.
        response: Response,
    },
    /// Begin a streamed answer with code 200.
    Open {
        /// Which request.
        id: RequestId,
        /// `Content-Type` of the stream.
        content_type: &'static str,
    },
    /// Send a piece of a stream.
    Frame {
        /// Which request.
        id: RequestId,
        /// One line.
        bytes: Bytes,
    },
    /// End a stream.
    End {
        /// Which request.
        id: RequestId,
    },
    /// Make this durable, in order, then say [`Input::Persisted`].
    Persist(Batch),
    /// Send [`Input::Tick`] at this time at the latest; replaces any earlier wish.
    WakeAt(Timestamp),
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// HTTP code.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: &'static str,
    /// Further headers: `Warning`, `Retry-After`, ...
    pub headers: Vec<(&'static str, String)>,
    /// Body.
    pub body: Bytes,
}

impl Response {
    /// JSON with a code.
    #[must_use]
    pub fn json(status: u16, body: impl Into<Bytes>) -> Self {
        Self { status, content_type: "application/json", headers: Vec::new(), body: body.into() }
    }

    /// A value as JSON.
    #[must_use]
    pub fn value(status: u16, value: &Value) -> Self {
        Self::json(status, value.to_string())
    }

    /// Plain text with a code.
    #[must_use]
    pub fn text(status: u16, text: &str) -> Self {
        let content_type = "text/plain; charset=utf-8";
        Self { status, content_type, headers: Vec::new(), body: Bytes::from(text.to_owned()) }
    }

    /// The same answer with its warnings.
    #[must_use]
    pub fn with_warnings(mut self, warnings: &[String]) -> Self {
        for text in warnings {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
            self.headers.push(("Warning", format!("299 - \"{escaped}\"")));
        }
        self
    }
}

impl From<Failure> for Response {
    fn from(failure: Failure) -> Self {
        // What kube-apiserver answers before it knows a resource is plain text.
        let is_text = failure.reason.is_empty() && matches!(failure.code, 404 | 429);
        let mut response = if is_text {
            Self::text(failure.code, &failure.message)
        } else {
            Self::value(failure.code, &failure.to_value())
        };
        if let Some(seconds) = failure.details.get("retryAfterSeconds") {
            response.headers.push(("Retry-After", seconds.to_string()));
        }
        response
    }
}

/// What a server is built from.
#[derive(Debug, Default)]
pub struct Config {
    /// The planes that exist from the start.
    pub planes: Vec<PlaneSpec>,
    /// CRDs that every project's plane gets when it is mounted.
    pub project_crds: Vec<Value>,
    /// Resources that code from outside decides about.
    pub registrations: Vec<Registration>,
    /// Who the bearer tokens speak for.
    pub tokens: Tokens,
    /// Whether a sink answers [`Output::Persist`]; without one, commits are published at once.
    pub durable: bool,
    /// Whether garbage collection and the ends of namespaces are left to clients from outside, as kube-apiserver leaves
    /// them to its controller manager.
    pub external_controllers: bool,
}

/// See the module. A copy shares what both leave unchanged, so copying a server is cheap.
#[derive(Clone)]
pub struct Server {
    pub(crate) now: Timestamp,
    pub(crate) store: Store,
    pub(crate) planes: Planes,
    pub(crate) watches: Watches,
    pub(crate) collector: Collector,
    pub(crate) terminations: Terminations,
    pub(crate) generator: ChaCha12Rng,
    pub(crate) tokens: Tokens,
    pub(crate) builtins: Builtins,
    pub(crate) registry: Registry,
    pub(crate) schemas: SchemaCache,
    pub(crate) project_crds: Vec<Value>,
    pub(crate) steady: SteadyApplies,
    waiting: WaitingReads,
    /// Whether the request at hand may still wait for its revision.
    pub(crate) may_wait: bool,
    durable: bool,
    outputs: Vec<Output>,
    held: VecDeque<(u64, Output)>,
}

/// A server that cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A built-in or configured kind is broken.
    #[error("kind {kind} cannot be served: {error}; correct its definition")]
    Kind {
        /// Which kind.
        kind: String,
        /// Why.
        error: String,
    },
}

impl Server {
    /// A server over a store (empty, or as a sink kept it). The first outputs make the planes durable.
    ///
    /// # Errors
    /// [`StartError`] when a kind cannot be compiled.
    pub fn start(
        config: Config,
        store: Store,
        generator: ChaCha12Rng,
        now: Timestamp,
    ) -> Result<(Self, Vec<Output>), StartError> {
        let builtins = Builtins::compile()?;
        let mut server = Self {
            now,
            store,
            planes: Planes::default(),
            watches: Watches::default(),
            collector: Collector::new(!config.external_controllers),
            terminations: Terminations::new(!config.external_controllers),
            generator,
            tokens: config.tokens,
            builtins,
            registry: Registry::compile(config.registrations)?,
            schemas: SchemaCache::default(),
            project_crds: config.project_crds,
            steady: SteadyApplies::default(),
            waiting: WaitingReads::default(),
            may_wait: true,
            durable: config.durable,
            outputs: Vec::new(),
            held: VecDeque::new(),
        };
        for spec in config.planes {
            server.mount(&spec)?;
        }
        server.mount_projects()?;
        server.reshape_loaded();
        server.finish(false);
        let outputs = std::mem::take(&mut server.outputs);
        Ok((server, outputs))
    }

    /// Takes one input and says what to do about it. The inside clients work when time passes, a bounded portion each,
    /// and ask to be woken at once while they have work: between a request and what they do about it, others may look.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> Vec<Output> {
        self.now = self.now.max(now);
        let is_tick = matches!(input, Input::Tick);
        match input {
            Input::Request(request) => self.serve(request, true),
            Input::Cancel(id) => {
                self.waiting.forget(id);
                self.watches.remove(id);
            }
            Input::Persisted { up_to } => self.publish(up_to),
            Input::Tick => {}
        }
        self.finish(is_tick);
        std::mem::take(&mut self.outputs)
    }

    /// The newest revision that reads may see.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.store.published_revision()
    }

    /// The newest revision that was committed, durable or not.
    #[must_use]
    pub fn committed_revision(&self) -> u64 {
        self.store.revision()
    }

    /// Every published object, on all planes.
    pub fn objects(&self) -> impl Iterator<Item = (&crate::store::Key, Arc<Value>)> {
        self.store.under("").map(|(key, stored)| (key, stored.value()))
    }

    /// Draws uids and suffixes from another generator from now on: what a copy needs to be a server of its own.
    pub fn reseed(&mut self, generator: ChaCha12Rng) {
        self.generator = generator;
    }

    /// The plane's identity: uid of its `kube-system` namespace.
    #[must_use]
    pub fn plane_identity(&self, plane: &str) -> Option<String> {
        let key = crate::store::Key::new(plane, "/namespaces", None, "kube-system");
        self.store.head(&key).map(|stored| stored.uid().to_owned())
    }

    /// Names and path prefixes of the mounted planes.
    pub fn mounted(&self) -> impl Iterator<Item = (&str, &str)> {
        self.planes.iter().map(|plane| (&*plane.name, plane.prefix.as_str()))
    }

    fn finish(&mut self, may_work: bool) {
        self.serve_waiting();
        if may_work {
            self.collect_some();
            self.terminate_some();
        }
        let more = self.collector.has_work() || self.terminations.has_work();
        self.store.compact(self.now);
        self.expire_watches();
        let due = self.watches.next_due().into_iter().chain(self.waiting.next_due()).min();
        let next = if more { Some(self.now) } else { due };
        if let Some(at) = next {
            self.outputs.push(Output::WakeAt(at));
        }
    }

    /// Commits, lets the inside clients see it (what they do comes later in the order), hands the batch to the sink,
    /// and publishes at once when there is none.
    pub(crate) fn commit(&mut self, writes: WriteSet) {
        if writes.is_empty() {
            return;
        }
        let (batch, changes) = self.store.commit(writes);
        for change in &changes {
            self.terminations.observe(change);
            self.collector.observe(change);
        }
        let revision = batch.revision;
        if self.durable {
            self.outputs.push(Output::Persist(batch));
        } else {
            self.publish(revision);
        }
    }

    fn publish(&mut self, up_to: u64) {
        let changes = self.store.publish(up_to, self.now);
        for change in &changes {
            self.spread(change);
        }
        for change in &changes {
            self.react(change);
        }
        while self.held.front().is_some_and(|(revision, _)| *revision <= up_to) {
            if let Some((_, output)) = self.held.pop_front() {
                self.outputs.push(output);
            }
        }
    }

    /// What the server itself learns from a change.
    fn react(&mut self, change: &Change) {
        self.react_to_rbac(change);
        self.react_to_crd(change);
        self.react_to_project(change);
    }

    /// Answers now, or once everything committed so far is durable.
    pub(crate) fn respond(&mut self, id: RequestId, response: Response, is_write: bool) {
        let output = Output::Respond { id, response };
        if is_write && self.store.revision() > self.store.published_revision() {
            self.held.push_back((self.store.revision(), output));
        } else {
            self.outputs.push(output);
        }
    }

    pub(crate) fn emit(&mut self, output: Output) {
        self.outputs.push(output);
    }

    /// A uid from the server's generator.
    pub(crate) fn new_uid(&mut self) -> String {
        crate::identity::new_uid(&mut self.generator)
    }

    /// Five characters that cannot spell a word, for `generateName`.
    pub(crate) fn new_suffix(&mut self) -> String {
        use rand::Rng;
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let count = ALPHABET.len() as u64;
        let mut pick = || {
            let index = usize::try_from(self.generator.next_u64() % count).unwrap_or_default();
            char::from(ALPHABET.get(index).copied().unwrap_or(b'x'))
        };
        (0..5).map(|_| pick()).collect()
    }
}
