//! The world: one embedded server with all planes, any number of managers, one clock and one queue of events.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use api::cluster::ClusterRole;
use api::condition::{ConditionType, is_true};
use api::resourcemanager::Project;
use api::{ClusterName, Kind};
use apiserver::identity::{MASTERS, User};
use apiserver::plane::PlaneSpec;
use apiserver::request::{Headers, Request, RequestId};
use apiserver::store::Store;
use apiserver::{Config, Server};
use bytes::Bytes;
use engine::{Answer, Engine, Failure, Identity, Input, LeaseAnswer, Output, wire};
use jiff::{SignedDuration, Timestamp};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

use crate::manager::{Manager, ManagerOptions};
use crate::network::{ManagerId, Purpose, prefix};

/// How long a request or an answer is on the wire.
const LATENCY: SignedDuration = SignedDuration::from_millis(1);
/// When the world begins.
const BEGINNING: i64 = 1_800_000_000;

/// Something on the wire.
enum Flight {
    ToServer(Box<Request>),
    ToManager(ManagerId, Box<Input>),
}

/// An answer to a user.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// HTTP code.
    pub code: u16,
    /// Body; a text that is no JSON is a string.
    pub body: Value,
}

/// See the module.
pub struct World {
    now: Timestamp,
    server: Server,
    server_wake: Timestamp,
    managers: BTreeMap<ManagerId, Manager>,
    next_manager: u32,
    next_request: u64,
    purposes: BTreeMap<RequestId, Purpose>,
    replies: BTreeMap<RequestId, Reply>,
    flights: BTreeMap<(Timestamp, u64), Flight>,
    next_flight: u64,
    writes: VecDeque<String>,
    mounted: usize,
    seed: u64,
}

impl World {
    /// Core, hub and two cells, with the product's kinds, and nobody running.
    ///
    /// # Errors
    /// If a kind's definition is broken.
    pub fn new(seed: u64) -> Result<Self, Box<dyn std::error::Error>> {
        let now = Timestamp::from_second(BEGINNING)?;
        let plane = |cluster: ClusterName| -> Result<PlaneSpec, Box<dyn std::error::Error>> {
            Ok(PlaneSpec {
                name: cluster.to_string(),
                prefix: prefix(&cluster),
                crds: definitions(cluster.role())?,
                mounts_projects: cluster == ClusterName::Core,
            })
        };
        let cells = ["one", "two"].map(|name| ClusterName::Cell(name.into()));
        let planes = [ClusterName::Core, ClusterName::Hub].into_iter().chain(cells);
        let config = Config {
            planes: planes.map(plane).collect::<Result<_, _>>()?,
            project_crds: definitions(ClusterRole::Project)?,
            ..Config::default()
        };
        let (server, outputs) =
            Server::start(config, Store::default(), ChaCha12Rng::seed_from_u64(seed), now)?;
        let mut world = Self {
            now,
            server,
            server_wake: now,
            managers: BTreeMap::new(),
            next_manager: 0,
            next_request: 0,
            purposes: BTreeMap::new(),
            replies: BTreeMap::new(),
            flights: BTreeMap::new(),
            next_flight: 0,
            writes: VecDeque::new(),
            mounted: 0,
            seed,
        };
        world.serve(outputs);
        Ok(world)
    }

    /// Virtual time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Starts a manager.
    pub fn start_manager(&mut self, options: &ManagerOptions) -> ManagerId {
        let id = ManagerId(self.next_manager);
        self.next_manager += 1;
        let seed = self.seed.wrapping_add(u64::from(id.0));
        self.managers.insert(id, Manager::start(options, seed, self.now));
        self.engage(id);
        id
    }

    /// Kills a manager: nothing of it is left but what is on the wire.
    pub fn kill_manager(&mut self, id: ManagerId) {
        self.managers.remove(&id);
        self.flights.retain(|_, flight| !matches!(flight, Flight::ToManager(to, _) if *to == id));
    }

    /// Asks a manager to stop: it drains and gives its leases back. It is gone when it has.
    pub fn stop_manager(&mut self, id: ManagerId) {
        self.to_manager(id, Input::Shutdown);
        while self.managers.get(&id).is_some_and(|manager| !manager.is_drained) && self.step() {}
        self.kill_manager(id);
    }

    /// A paused manager neither gets inputs nor ticks until it is resumed.
    pub fn pause_manager(&mut self, id: ManagerId, is_paused: bool) {
        if let Some(manager) = self.managers.get_mut(&id) {
            manager.is_paused = is_paused;
        }
    }

    /// The engine of a manager.
    #[must_use]
    pub fn engine(&self, id: ManagerId) -> Option<&Engine> {
        self.managers.get(&id).map(|manager| &manager.engine)
    }

    /// The engine of a manager, to ask for explanations.
    pub fn engine_mut(&mut self, id: ManagerId) -> Option<&mut Engine> {
        self.managers.get_mut(&id).map(|manager| &mut manager.engine)
    }

    /// Running managers.
    #[must_use]
    pub fn managers(&self) -> Vec<ManagerId> {
        self.managers.keys().copied().collect()
    }

    /// Writes that reached the server from managers, as `METHOD path`, in order.
    #[must_use]
    pub fn writes(&self) -> Vec<String> {
        self.writes.iter().cloned().collect()
    }

    /// Sends a user's request with every right, and waits for the answer.
    pub fn call(&mut self, cluster: &ClusterName, method: &str, path: &str, content: (&str, &str)) -> Reply {
        let id = self.request_id(Purpose::User);
        let request = self.request(id, (method, &format!("{}{path}", prefix(cluster))), content, "admin");
        self.at_server(request);
        while !self.replies.contains_key(&id) && self.step() {}
        self.replies.remove(&id).unwrap_or(Reply { code: 0, body: Value::Null })
    }

    /// Runs until every manager is idle and nothing is on the wire; false if that does not happen within `limit`.
    pub fn run_until_idle(&mut self, limit: Duration) -> bool {
        let end = self.now + SignedDuration::try_from(limit).unwrap_or(SignedDuration::MAX);
        while self.now <= end {
            if self.is_idle() {
                return true;
            }
            if !self.step() {
                return self.is_idle();
            }
        }
        false
    }

    fn is_idle(&self) -> bool {
        let is_wire_quiet =
            self.purposes.values().all(|purpose| matches!(purpose, Purpose::Watch(..) | Purpose::Lease(..)));
        let is_lease = |flight: &Flight| matches!(flight, Flight::ToManager(_, input) if matches!(**input, Input::Lease(..)));
        let mut running = self.managers.values().filter(|manager| !manager.is_paused);
        is_wire_quiet
            && self.flights.values().all(is_lease)
            && self.server_wake > self.now
            && running.all(|manager| manager.engine.is_idle())
    }

    /// Lets this much time pass.
    pub fn advance(&mut self, by: Duration) {
        let end = self.now + SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
        while self.next_event().is_some_and(|at| at <= end) {
            self.step();
        }
        self.now = self.now.max(end);
    }

    fn next_event(&self) -> Option<Timestamp> {
        let flight = self.flights.keys().next().map(|(at, _)| *at);
        let running = self.managers.values().filter(|manager| !manager.is_paused);
        let manager = running.map(|manager| manager.wake_at).min();
        [flight, manager, Some(self.server_wake)].into_iter().flatten().min()
    }

    /// Takes the next event. False if there is none.
    fn step(&mut self) -> bool {
        let Some(at) = self.next_event() else { return false };
        self.now = self.now.max(at);
        if let Some(entry) = self.flights.first_entry()
            && entry.key().0 <= self.now
        {
            match entry.remove() {
                Flight::ToServer(request) => self.at_server(*request),
                Flight::ToManager(manager, input) => self.to_manager(manager, *input),
            }
            return true;
        }
        if self.server_wake <= self.now {
            self.server_wake = Timestamp::MAX;
            let outputs = self.server.handle(self.now, apiserver::Input::Tick);
            self.serve(outputs);
            return true;
        }
        let due = self.managers.iter().find(|(_, manager)| !manager.is_paused && manager.wake_at <= self.now);
        if let Some(id) = due.map(|(id, _)| *id) {
            self.to_manager(id, Input::Tick);
        }
        true
    }

    fn request_id(&mut self, purpose: Purpose) -> RequestId {
        let id = RequestId(self.next_request);
        self.next_request += 1;
        self.purposes.insert(id, purpose);
        id
    }

    fn request(&self, id: RequestId, what: (&str, &str), content: (&str, &str), user: &str) -> Request {
        let (path, query) = what.1.split_once('?').unwrap_or((what.1, ""));
        Request {
            id,
            method: what.0.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: Headers {
                accept: "application/json".to_owned(),
                content_type: content.0.to_owned(),
                user_agent: user.to_owned(),
                ..Headers::default()
            },
            body: Bytes::from(content.1.to_owned()),
            identity: Some(User::new(user, &[MASTERS])),
        }
    }

    fn at_server(&mut self, request: Request) {
        let touches_projects =
            request.path.starts_with(PROJECTS) && !request.path.contains("/control-plane/");
        let outputs = self.server.handle(self.now, apiserver::Input::Request(Box::new(request)));
        self.take(outputs);
        if touches_projects {
            self.follow_projects();
        }
    }

    /// Takes the server's outputs; planes may have come or gone.
    fn serve(&mut self, outputs: Vec<apiserver::Output>) {
        let mounted = self.server.mounted().count();
        self.take(outputs);
        if std::mem::replace(&mut self.mounted, mounted) != mounted {
            self.follow_projects();
        }
    }

    fn take(&mut self, outputs: Vec<apiserver::Output>) {
        for output in outputs {
            match output {
                apiserver::Output::Respond { id, response } => {
                    self.answered(id, response.status, &response.body)
                }
                apiserver::Output::Frame { id, bytes } => self.event(id, &bytes),
                apiserver::Output::End { id } => self.ended(id, Failure::Ended),
                apiserver::Output::WakeAt(at) => self.server_wake = at,
                _ => {}
            }
        }
    }

    fn send_to_manager(&mut self, manager: ManagerId, input: Input) {
        let at = (self.now + LATENCY, self.next_flight);
        self.next_flight += 1;
        self.flights.insert(at, Flight::ToManager(manager, Box::new(input)));
    }

    fn answered(&mut self, id: RequestId, code: u16, body: &[u8]) {
        let Some(purpose) = self.purposes.remove(&id) else { return };
        let date = Timestamp::from_second(self.now.as_second()).ok();
        let input = match purpose {
            Purpose::User => {
                let text = || Value::String(String::from_utf8_lossy(body).into_owned());
                let body = serde_json::from_slice(body).unwrap_or_else(|_| text());
                self.replies.insert(id, Reply { code, body });
                return;
            }
            Purpose::Page(_, store, epoch, kind) => {
                Input::Listed(store, epoch, wire::read_page(code, body, kind))
            }
            Purpose::Watch(_, store, epoch, _) => Input::WatchEnded(store, epoch, wire::refused(code, body)),
            Purpose::Step(_, step, kind) => Input::Answered(step, Answer::read(code, body, kind, date)),
            Purpose::Fence(_, store) => Input::Fenced(store, wire::read_fence(code, body, date)),
            Purpose::Lease(manager, lease) => {
                let place = self.managers.get(&manager).and_then(|manager| manager.places.get(lease));
                let answer = place.map_or(LeaseAnswer::Missing, |place| place.read(code, body));
                Input::Lease(lease, answer)
            }
        };
        if let Some(manager) = purpose.manager() {
            self.send_to_manager(manager, input);
        }
    }

    fn event(&mut self, id: RequestId, bytes: &[u8]) {
        let Some(Purpose::Watch(manager, store, epoch, kind)) = self.purposes.get(&id).cloned() else {
            return;
        };
        match wire::read_event(bytes, kind) {
            Ok(Some(event)) => self.send_to_manager(manager, Input::Watched(store, epoch, event)),
            Ok(None) => {}
            Err(failure) => self.ended(id, failure),
        }
    }

    fn ended(&mut self, id: RequestId, failure: Failure) {
        if let Some(Purpose::Watch(manager, store, epoch, _)) = self.purposes.remove(&id) {
            self.send_to_manager(manager, Input::WatchEnded(store, epoch, failure));
        }
    }

    /// Gives a manager an input and does what it wants.
    fn to_manager(&mut self, id: ManagerId, input: Input) {
        let now = self.now;
        let Some(manager) = self.managers.get_mut(&id) else { return };
        if manager.is_paused {
            self.send_to_manager(id, input);
            return;
        }
        let outputs = manager.engine.handle(manager.now(now), input);
        for output in outputs {
            self.wanted(id, output);
        }
    }

    fn wanted(&mut self, id: ManagerId, output: Output) {
        match output {
            Output::List { store, epoch, cluster, kind, limit, continue_token } => {
                let path = wire::page_path(kind, limit, continue_token.as_deref());
                self.get(Purpose::Page(id, store, epoch, kind), &cluster, &path);
            }
            Output::Watch { store, epoch, cluster, kind, from, timeout_seconds } => {
                let path = wire::watch_path(kind, &from, timeout_seconds);
                self.cancel_watch(id, store);
                self.get(Purpose::Watch(id, store, epoch, kind), &cluster, &path);
            }
            Output::Stop(store) => self.cancel_watch(id, store),
            Output::Execute(step, request) => {
                self.writes.push_back(format!("{} {}", request.method.as_str(), request.path));
                let purpose = Purpose::Step(id, step, request.kind);
                self.send(purpose, &request);
            }
            Output::Fence { store, cluster, kind } => {
                self.get(Purpose::Fence(id, store), &cluster, &wire::fence_path(kind));
            }
            Output::Lease(lease, want) => {
                let place = self.managers.get(&id).and_then(|manager| manager.places.get(lease));
                if let Some(request) = place.map(|place| place.request(&want)) {
                    self.send(Purpose::Lease(id, lease), &request);
                }
            }
            Output::WakeAfter(wait) => {
                let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
                let at = self.now.checked_add(wait).unwrap_or(Timestamp::MAX);
                if let Some(manager) = self.managers.get_mut(&id) {
                    manager.wake_at = at.max(self.now + SignedDuration::from_micros(1));
                }
            }
            Output::Drained => {
                if let Some(manager) = self.managers.get_mut(&id) {
                    manager.is_drained = true;
                }
            }
        }
    }

    fn cancel_watch(&mut self, id: ManagerId, store: engine::StoreId) {
        let is_it =
            |purpose: &Purpose| matches!(purpose, Purpose::Watch(of, at, ..) if (*of, *at) == (id, store));
        let running: Vec<RequestId> =
            self.purposes.iter().filter(|(_, purpose)| is_it(purpose)).map(|(id, _)| *id).collect();
        for request in running {
            self.purposes.remove(&request);
            let outputs = self.server.handle(self.now, apiserver::Input::Cancel(request));
            self.serve(outputs);
        }
    }

    fn get(&mut self, purpose: Purpose, cluster: &ClusterName, path: &str) {
        let id = self.request_id(purpose);
        let request = self.request(id, ("GET", &format!("{}{path}", prefix(cluster))), ("", ""), "manager");
        self.fly(request);
    }

    fn send(&mut self, purpose: Purpose, request: &engine::Request) {
        let id = self.request_id(purpose);
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let path = format!("{}{}", prefix(&request.cluster), request.path);
        let request =
            self.request(id, (request.method.as_str(), &path), (request.content_type, &body), "manager");
        self.fly(request);
    }

    fn fly(&mut self, request: Request) {
        let at = (self.now + LATENCY, self.next_flight);
        self.next_flight += 1;
        self.flights.insert(at, Flight::ToServer(Box::new(request)));
    }

    /// Engages the planes that are there.
    fn engage(&mut self, id: ManagerId) {
        for cluster in [ClusterName::Core, ClusterName::Hub] {
            self.engage_one(id, &cluster);
        }
        self.follow_projects();
    }

    fn engage_one(&mut self, id: ManagerId, cluster: &ClusterName) {
        let server = self.server.plane_identity(&cluster.to_string()).unwrap_or_default();
        let Some(manager) = self.managers.get_mut(&id) else { return };
        if manager.engagements.contains_key(cluster) {
            return;
        }
        manager.next_engagement += 1;
        let engagement = manager.next_engagement;
        manager.engagements.insert(cluster.clone(), engagement);
        self.send_to_manager(id, Input::Engaged(cluster.clone(), Identity { engagement, server }));
    }

    /// The provider `milo`, without its latency: projects are engaged while they are Ready and not being deleted.
    fn follow_projects(&mut self) {
        let ready = self.ready_projects();
        for id in self.managers() {
            for cluster in &ready {
                self.engage_one(id, cluster);
            }
            for (cluster, engagement) in self.take_gone(id, &ready) {
                self.send_to_manager(id, Input::Disengaged(cluster, engagement));
            }
        }
    }

    /// Engagements of projects that are not ready any more.
    fn take_gone(&mut self, id: ManagerId, ready: &[ClusterName]) -> Vec<(ClusterName, u64)> {
        let Some(manager) = self.managers.get_mut(&id) else { return Vec::new() };
        let is_gone =
            |cluster: &ClusterName| cluster.role() == ClusterRole::Project && !ready.contains(cluster);
        let engaged = manager.engagements.iter();
        let gone: Vec<(ClusterName, u64)> =
            engaged.filter(|(name, _)| is_gone(name)).map(|(name, of)| (name.clone(), *of)).collect();
        manager.engagements.retain(|name, _| !is_gone(name));
        gone
    }

    fn ready_projects(&mut self) -> Vec<ClusterName> {
        let id = self.request_id(Purpose::User);
        let request = self.request(id, ("GET", PROJECTS), ("", ""), "provider");
        let outputs = self.server.handle(self.now, apiserver::Input::Request(Box::new(request)));
        self.take(outputs);
        let body = self.replies.remove(&id).map(|reply| reply.body).unwrap_or_default();
        let items = body.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        let projects = items.into_iter().filter_map(|item| serde_json::from_value::<Project>(item).ok());
        let ready = projects.filter(is_ready).filter_map(|project| project.metadata.name);
        ready.map(|name| ClusterName::Project(name.into())).collect()
    }
}

/// Where Projects are.
const PROJECTS: &str = "/apis/resourcemanager.miloapis.com/v1alpha1/projects";

fn is_ready(project: &Project) -> bool {
    let conditions = project.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    !project.is_deleting() && is_true(conditions, ConditionType::Ready)
}

/// CRDs of the kinds installed on planes of a role.
fn definitions(role: ClusterRole) -> Result<Vec<Value>, api::crd::DefinitionError> {
    api::crd::for_plane(role).map(api::crd::Entry::definition).collect()
}
