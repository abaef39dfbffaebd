//! The world: one embedded server with all planes, any number of managers, one clock and one queue of events.

mod provider;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use api::ClusterName;
use api::cluster::ClusterRole;
use apiserver::identity::{MASTERS, User};
use apiserver::plane::PlaneSpec;
use apiserver::request::{Headers, Request, RequestId};
use apiserver::store::Store;
use apiserver::{Config, Server};
use bytes::Bytes;
use engine::{Answer, Engine, Failure, Input, LeaseAnswer, Output, wire};
use jiff::{SignedDuration, Timestamp};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

use self::provider::PROJECTS;
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
    Deadline(RequestId),
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
    held: BTreeMap<ManagerId, Vec<Request>>,
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
                ..PlaneSpec::default()
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
            held: BTreeMap::new(),
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
        self.held.remove(&id);
    }

    /// Asks a manager to stop: it drains and gives its leases back. It is gone when it has.
    pub fn stop_manager(&mut self, id: ManagerId) {
        self.feed_manager(id, Input::Shutdown);
        while self.managers.get(&id).is_some_and(|manager| !manager.is_drained) && self.step() {}
        self.kill_manager(id);
    }

    /// While held, requests of a manager stay on the wire; released, they arrive.
    pub fn hold_requests(&mut self, id: ManagerId, is_held: bool) {
        if let Some(manager) = self.managers.get_mut(&id) {
            manager.is_held = is_held;
        }
        if !is_held {
            for request in self.held.remove(&id).unwrap_or_default() {
                self.fly(request);
            }
        }
    }

    /// The number the next manager gets.
    #[must_use]
    pub fn next_manager_number(&self) -> u32 {
        self.next_manager
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
        let request = with_every_right(id, (method, &format!("{}{path}", prefix(cluster))), content, "admin");
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
        let is_held = |purpose: &Purpose| {
            let manager = purpose.manager().and_then(|id| self.managers.get(&id));
            manager.is_none_or(|manager| manager.is_held)
        };
        let is_quiet = |purpose: &Purpose| {
            matches!(purpose, Purpose::Watch(..) | Purpose::Lease(..)) || is_held(purpose)
        };
        let is_wire_quiet = self.purposes.values().all(is_quiet);
        let is_lease = |flight: &Flight| match flight {
            Flight::Deadline(_) => true,
            Flight::ToManager(_, input) => matches!(**input, Input::Lease(..)),
            Flight::ToServer(request) => request.path.contains("/leases"),
        };
        let mut running = self.managers.values().filter(|manager| !manager.is_held);
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
        let manager = self.managers.values().map(|manager| manager.wake_at).min();
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
                Flight::ToManager(manager, input) => self.feed_manager(manager, *input),
                Flight::Deadline(request) => self.lost(request),
            }
            return true;
        }
        if self.server_wake <= self.now {
            self.server_wake = Timestamp::MAX;
            let outputs = self.server.handle(self.now, apiserver::Input::Tick);
            self.serve(outputs);
            return true;
        }
        let due = self.managers.iter().find(|(_, manager)| manager.wake_at <= self.now);
        if let Some(id) = due.map(|(id, _)| *id) {
            self.feed_manager(id, Input::Tick);
        }
        true
    }

    fn request_id(&mut self, purpose: Purpose) -> RequestId {
        let id = RequestId(self.next_request);
        self.next_request += 1;
        self.purposes.insert(id, purpose);
        id
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
                    self.answered(id, response.status, &response.body);
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
    fn feed_manager(&mut self, id: ManagerId, input: Input) {
        let now = self.now;
        let Some(manager) = self.managers.get_mut(&id) else { return };
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
            Output::CaughtUp(_) => {}
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
        let request =
            with_every_right(id, ("GET", &format!("{}{path}", prefix(cluster))), ("", ""), "manager");
        self.fly(request);
    }

    /// A request that was not answered in time counts as lost; whether it was applied is not known.
    fn lost(&mut self, id: RequestId) {
        let message = "no answer in time".to_owned();
        let (manager, input) = match self.purposes.remove(&id) {
            Some(Purpose::Step(manager, step, _)) => {
                (manager, Input::Answered(step, Answer::Lost { message }))
            }
            Some(Purpose::Lease(manager, lease)) => {
                (manager, Input::Lease(lease, LeaseAnswer::Failed(message)))
            }
            Some(other) => {
                self.purposes.insert(id, other);
                return;
            }
            None => return,
        };
        self.send_to_manager(manager, input);
    }

    fn send(&mut self, purpose: Purpose, request: &engine::Request) {
        let id = self.request_id(purpose);
        let wait = SignedDuration::try_from(request.timeout).unwrap_or(SignedDuration::MAX);
        self.flights.insert((self.now + wait, self.next_flight), Flight::Deadline(id));
        self.next_flight += 1;
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let path = format!("{}{}", prefix(&request.cluster), request.path);
        let request =
            with_every_right(id, (request.method.as_str(), &path), (request.content_type, &body), "manager");
        self.fly(request);
    }

    fn fly(&mut self, request: Request) {
        let sender = self.purposes.get(&request.id).and_then(Purpose::manager);
        if let Some(id) = sender.filter(|id| self.managers.get(id).is_some_and(|manager| manager.is_held)) {
            self.held.entry(id).or_default().push(request);
            return;
        }
        let at = (self.now + LATENCY, self.next_flight);
        self.next_flight += 1;
        self.flights.insert(at, Flight::ToServer(Box::new(request)));
    }
}

/// A request with every right.
fn with_every_right(id: RequestId, what: (&str, &str), content: (&str, &str), user: &str) -> Request {
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

/// CRDs of the kinds installed on planes of a role.
fn definitions(role: ClusterRole) -> Result<Vec<Value>, api::crd::DefinitionError> {
    api::crd::for_plane(role).map(api::crd::Entry::definition).collect()
}
