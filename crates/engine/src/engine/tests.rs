//! The engine driven by hand: two controllers, a server of a few maps, and a clock that moves when it is told.

mod clusters;
mod counting;
mod destroying;
mod leadership;
mod mirror;
mod queueing;
mod reading;
mod server;
mod writing;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use api::ClusterName;
use api::builtin::ConfigMap;
use jiff::Timestamp;
use reconcile::KindEntry;
use serde_json::{Value, json};

use self::mirror::{FollowController, MirrorController, Mode};
use self::server::Server;
use super::*;
use crate::lease::LeaseRecord;
use crate::metrics::PassOutcome;
use crate::register;
use crate::request::Method;

/// A step on its way, as the server will get it.
struct Sent {
    id: StepId,
    request: Request,
}

/// A watch that runs.
struct Watch {
    epoch: Epoch,
    cluster: ClusterName,
    kind: &'static KindEntry,
    /// The version up to which it has told.
    told: u64,
    /// It ends soon, and with a bookmark.
    is_hurried: bool,
}

/// What the rig can keep from the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Answers,
    Events,
    Lists,
    Fences,
    Leases,
}

/// A list that was asked for.
struct Listing {
    store: StoreId,
    epoch: Epoch,
    cluster: ClusterName,
    kind: &'static KindEntry,
    limit: u32,
    token: Option<String>,
}

/// An engine with everything around it.
struct Rig {
    engine: Engine,
    now: Now,
    server: Server,
    watches: BTreeMap<StoreId, Watch>,
    /// Requests that were answered at once, or wait because answers are withheld.
    on_wire: VecDeque<Sent>,
    /// Every request sent, as `METHOD path`.
    requests: Vec<String>,
    lists: Vec<(ClusterName, Option<String>)>,
    fences: usize,
    leases: Vec<(usize, LeaseWant)>,
    lease: LeaseRecord,
    is_drained: bool,
    wake_after: Duration,
    withheld: BTreeSet<What>,
    withholds_events_of: Option<ClusterName>,
    has_no_bookmarks: bool,
    fenced: VecDeque<(StoreId, ClusterName, &'static KindEntry)>,
    listed: VecDeque<Listing>,
}

const START: &str = "2026-03-01T12:00:00Z";

fn project() -> ClusterName {
    ClusterName::Project("p".into())
}

fn identity(engagement: u64) -> Identity {
    Identity { engagement, server: "server".to_owned() }
}

impl Rig {
    /// Nothing engaged.
    fn with(settings: Settings, leases: Vec<LeaseSettings>) -> Self {
        let now = Now { wall: START.parse().unwrap(), monotonic: Duration::from_secs(100) };
        let controllers = vec![register::<MirrorController>(), register::<FollowController>()];
        let engine =
            Engine::new(settings, 1, now, controllers, Arc::new(Mode::default())).with_leases(leases);
        Self {
            engine,
            now,
            server: Server::default(),
            watches: BTreeMap::new(),
            on_wire: VecDeque::new(),
            requests: Vec::new(),
            lists: Vec::new(),
            fences: 0,
            leases: Vec::new(),
            lease: LeaseRecord::default(),
            is_drained: false,
            wake_after: Duration::ZERO,
            withheld: BTreeSet::new(),
            withholds_events_of: None,
            has_no_bookmarks: false,
            fenced: VecDeque::new(),
            listed: VecDeque::new(),
        }
    }

    /// Hub and project engaged and synced.
    fn started() -> Self {
        Self::started_with(Settings::default())
    }

    fn started_with(settings: Settings) -> Self {
        let mut rig = Self::with(settings, Vec::new());
        rig.engage();
        rig
    }

    fn engage(&mut self) {
        self.engine.take(self.now, Input::Engaged(ClusterName::Hub, identity(1)));
        self.input(Input::Engaged(project(), identity(1)));
    }

    /// Hands one input over and does what is wanted until nothing is.
    fn input(&mut self, input: Input) {
        let outputs = self.engine.handle(self.now, input);
        self.perform(outputs);
        self.run();
    }

    fn run(&mut self) {
        for _ in 0..10_000 {
            let input = self.next_input();
            let is_due = self.wake_after.is_zero();
            let Some(input) = input.or_else(|| is_due.then_some(Input::Tick)) else { return };
            let outputs = self.engine.handle(self.now, input);
            self.perform(outputs);
        }
        panic!("the engine does not come to rest");
    }

    fn next_input(&mut self) -> Option<Input> {
        if !self.withheld.contains(&What::Answers)
            && let Some(sent) = self.on_wire.pop_front()
        {
            return Some(self.answer(&sent));
        }
        if !self.withheld.contains(&What::Lists)
            && let Some(listing) = self.listed.pop_front()
        {
            let page = self.server.page(&listing);
            return Some(Input::Listed(listing.store, listing.epoch, page));
        }
        if !self.withheld.contains(&What::Fences)
            && let Some((store, cluster, kind)) = self.fenced.pop_front()
        {
            return Some(Input::Fenced(store, self.server.fence(&cluster, kind, self.now.wall)));
        }
        if !self.withheld.contains(&What::Leases)
            && let Some((index, want)) = self.leases.pop()
        {
            return Some(Input::Lease(index, self.answer_lease(want)));
        }
        if self.withheld.contains(&What::Events) { None } else { self.next_event() }
    }

    /// The oldest event that a watch has not told.
    fn next_event(&mut self) -> Option<Input> {
        let told = self.watches.iter().filter_map(|(store, watch)| Some((self.event_of(watch)?, *store)));
        let ((version, event), store) = told.min_by_key(|((version, _), _)| *version)?;
        let watch = self.watches.get_mut(&store)?;
        watch.told = version;
        watch.is_hurried &= !matches!(event, Watched::Bookmark(_));
        Some(Input::Watched(store, watch.epoch, event))
    }

    fn event_of(&self, watch: &Watch) -> Option<(u64, Watched)> {
        if self.withholds_events_of.as_ref() == Some(&watch.cluster) {
            return None;
        }
        let bookmark =
            || self.server.bookmark(&watch.cluster).filter(|_| watch.is_hurried && !self.has_no_bookmarks);
        self.server.event_after(&watch.cluster, watch.kind, watch.told).or_else(bookmark)
    }

    fn answer(&mut self, sent: &Sent) -> Input {
        Input::Answered(sent.id, self.server.answer(&sent.request))
    }

    fn withhold(&mut self, what: What) {
        self.withheld.insert(what);
    }

    fn release(&mut self, what: What) {
        self.withheld.remove(&what);
    }

    /// Applies the oldest request on the wire and keeps its answer.
    fn apply_and_lose(&mut self) {
        let sent = self.on_wire.pop_front().unwrap();
        let _ = self.server.answer(&sent.request);
        self.input(Input::Answered(sent.id, Answer::Lost { message: "timed out".to_owned() }));
    }

    fn answer_lease(&mut self, want: LeaseWant) -> LeaseAnswer {
        match want {
            LeaseWant::Read if self.lease.version.is_empty() => LeaseAnswer::Missing,
            LeaseWant::Read => LeaseAnswer::Record(self.lease.clone()),
            LeaseWant::Write(record) if record.version != self.lease.version => LeaseAnswer::Conflict,
            LeaseWant::Write(record) => {
                let version = self.lease.version.parse().unwrap_or(0) + 1;
                self.lease = LeaseRecord { version: format!("{version}"), ..record };
                LeaseAnswer::Record(self.lease.clone())
            }
        }
    }

    fn perform(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::List { store, epoch, cluster, kind, limit, continue_token } => {
                    self.watches.remove(&store);
                    self.lists.push((cluster.clone(), continue_token.clone()));
                    let token = continue_token;
                    self.listed.push_back(Listing { store, epoch, cluster, kind, limit, token });
                }
                Output::Watch { store, epoch, cluster, kind, from, timeout_seconds } => {
                    let (told, is_hurried) = (from.parse().unwrap(), timeout_seconds <= 3);
                    self.watches.insert(store, Watch { epoch, cluster, kind, told, is_hurried });
                }
                Output::Stop(store) => {
                    self.watches.remove(&store);
                }
                Output::Execute(id, request) => {
                    self.requests.push(format!("{} {}", request.method.as_str(), path_of(&request)));
                    self.on_wire.push_back(Sent { id, request });
                }
                Output::Fence { store, cluster, kind } => {
                    self.fences += 1;
                    self.fenced.push_back((store, cluster, kind));
                }
                Output::Lease(index, want) => self.leases.push((index, want)),
                Output::WakeAfter(wait) => self.wake_after = wait,
                Output::CaughtUp(_) => {}
                Output::Drained => self.is_drained = true,
            }
        }
    }

    /// Lets time pass, waking the engine whenever it asked for it.
    fn advance(&mut self, by: Duration) {
        let end = self.now.monotonic + by;
        for _ in 0..10_000 {
            let left = end.saturating_sub(self.now.monotonic);
            let step = self.wake_after.min(left);
            self.pass_time(step);
            self.input(Input::Tick);
            if left <= step {
                return;
            }
        }
        panic!("the engine wants to be woken without end");
    }

    fn pass_time(&mut self, by: Duration) {
        self.now.monotonic += by;
        self.now.wall = self.now.wall.checked_add(jiff::SignedDuration::try_from(by).unwrap()).unwrap();
    }

    fn store(&self, cluster: &ClusterName) -> StoreId {
        let kind = KindEntry::of::<ConfigMap>().resource;
        self.engine.world.store_named(cluster, kind).unwrap().0
    }

    /// A user writes a source on the hub.
    fn source(&mut self, name: &str, data: &Value) {
        self.server.put(&ClusterName::Hub, "sources", name, json!({ "data": data }));
        self.run();
    }

    fn delete_source(&mut self, name: &str) {
        self.server.delete(&ClusterName::Hub, "sources", name);
        self.run();
    }

    fn copy(&self, name: &str) -> Option<&Value> {
        self.server.get(&project(), "copies", name)
    }

    fn is_copied(&self, name: &str) -> bool {
        self.copy(name).is_some()
    }

    fn passes(&self) -> u64 {
        self.engine.metrics.passes.values().sum()
    }

    fn sent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.requests)
    }

    fn verdict(&self, key: &str) -> Option<(&'static str, String)> {
        let known =
            self.engine.verdicts().into_iter().find(|one| one.key == key && one.controller == "mirror");
        known.unwrap_or_else(|| panic!("no key {key}")).waiting
    }
}

fn path_of(request: &Request) -> String {
    request.path.split('?').next().unwrap().trim_start_matches("/api/v1/namespaces/").to_owned()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
