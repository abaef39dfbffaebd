//! Requests and answers on their way, and what can befall them there.

use std::sync::Arc;
use std::time::Duration;

use api::ClusterName;
use apiserver::identity::{MASTERS, User};
use apiserver::request::{Headers, Request, RequestId};
use bytes::Bytes;
use engine::{Answer, Failure, FenceAnswer, Input, LeaseAnswer, wire};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::planes::Direction;
use super::{Answered, Observation, Reply, World};
use crate::fault::Fault;
use crate::network::{Event, ManagerId, Pending, Purpose, Sent};

/// The longest a slow request takes, in milliseconds.
const SLOW_MAX: u64 = 60_000;
/// How long a list takes of a kind whose lists take long, in milliseconds.
const SLOW_LIST: (u64, u64) = (3_000, 28_000);

/// How long a user waits for an answer that does not come.
const PATIENCE: Duration = Duration::from_mins(10);

/// A request of a manager, before it has an id.
pub(super) struct Draft<'a> {
    pub(super) cluster: ClusterName,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) content_type: &'a str,
    pub(super) body: Vec<u8>,
    pub(super) timeout: SignedDuration,
}

impl World {
    /// Sends a user's request with every right, past the wire and all its faults, and waits for the answer: code 0 if the
    /// plane is down, and with an empty body if none came in a long time.
    pub fn call(&mut self, cluster: &ClusterName, method: &str, path: &str, content: (&str, &str)) -> Reply {
        let sent = self.user_request(cluster, method, path, content);
        let id = sent.request.id;
        self.pending.insert(id, Pending { purpose: Purpose::User, cluster: cluster.clone() });
        self.arrive(&sent);
        let end = self.after(PATIENCE);
        while !self.replies.contains_key(&id)
            && self.pending.contains_key(&id)
            && self.now < end
            && self.step()
        {}
        self.replies.remove(&id).unwrap_or(Reply { code: 0, body: Value::Null })
    }

    /// Sends one whose answer nobody waits for.
    pub(super) fn send_as_user(
        &mut self,
        cluster: &ClusterName,
        method: &str,
        path: &str,
        content: (&str, &str),
    ) {
        let sent = self.user_request(cluster, method, path, content);
        self.schedule(self.now, Event::Arrive(sent));
    }

    pub(super) fn user_request(
        &mut self,
        cluster: &ClusterName,
        method: &str,
        path: &str,
        content: (&str, &str),
    ) -> Arc<Sent> {
        let id = self.request_id();
        let body = content.1.as_bytes().to_vec();
        let request = with_every_right(id, (method, path), (content.0, body), "admin");
        Arc::new(Sent { manager: None, cluster: cluster.clone(), request })
    }

    fn request_id(&mut self) -> RequestId {
        self.next_request += 1;
        RequestId(self.next_request)
    }

    /// Sends a manager's request.
    pub(super) fn send(&mut self, manager: ManagerId, purpose: Purpose, draft: Draft<'_>) -> RequestId {
        let id = self.request_id();
        let is_step = matches!(purpose, Purpose::Step(..));
        self.count_request(manager, &purpose, &draft.cluster);
        self.pending.insert(id, Pending { purpose, cluster: draft.cluster.clone() });
        self.schedule_in(draft.timeout, Event::Deadline(id));
        let content = (draft.content_type, draft.body);
        let request = with_every_right(id, (draft.method, draft.path), content, "manager");
        let sent = Arc::new(Sent { manager: Some(manager), cluster: draft.cluster, request });
        if is_step && !self.outlives_sending(manager, id) {
            return id;
        }
        if sent.is_write() {
            self.observe(Observation::Sent(self.now, Arc::clone(&sent)));
        }
        if self.managers.get(&manager).is_some_and(|manager| manager.is_held) {
            self.held.entry(manager).or_default().push(sent);
        } else {
            self.launch(sent);
        }
        id
    }

    /// Puts a request on the wire.
    pub(super) fn launch(&mut self, sent: Arc<Sent>) {
        let is_cut = |manager| self.cut.contains(&(manager, sent.cluster.clone(), Direction::Out));
        let is_cut = sent.manager.is_some_and(is_cut);
        let is_lost = self.strikes_if(Fault::RequestLost, !is_cut).is_some() || is_cut;
        let slow = self.strikes_if(Fault::RequestSlow, !is_lost);
        let doubled = if sent.is_write() { self.strikes_if(Fault::RequestDoubled, !is_lost) } else { None };
        if is_lost {
            self.note(format!("lost: {}", sent.text()));
            return;
        }
        let mut wait = self.latency() + self.list_delay(&sent);
        if let Some(mut dice) = slow {
            self.note(format!("slow: {}", sent.text()));
            wait += dice.millis(0, SLOW_MAX);
        }
        if let Some(mut dice) = doubled {
            self.note(format!("doubled: {}", sent.text()));
            let later = wait + dice.millis(0, SLOW_MAX);
            self.schedule_in(later, Event::Arrive(Arc::clone(&sent)));
        }
        self.schedule_in(wait, Event::Arrive(sent));
    }

    /// How much longer a list takes of a kind whose lists take long: less than anybody waits for it.
    fn list_delay(&mut self, sent: &Sent) -> SignedDuration {
        let is_list = sent.manager.is_some() && !sent.is_write() && sent.request.query.contains("limit=");
        let slow = self.planes.get(&sent.cluster).map(|plane| &plane.slow);
        let is_slow = slow.is_some_and(|slow| slow.iter().any(|plural| names(sent, plural)));
        if is_list && is_slow { self.dice.millis(SLOW_LIST.0, SLOW_LIST.1) } else { SignedDuration::ZERO }
    }

    /// A request reaches its plane.
    pub(super) fn arrive(&mut self, sent: &Arc<Sent>) {
        let id = sent.request.id;
        self.trace.number(id.0);
        let Some(plane) = self.planes.get(&sent.cluster) else {
            return self.responded(id, 404, b"404 page not found");
        };
        if !plane.is_up {
            return self.fail(id, "connection refused");
        }
        if sent.manager.is_some()
            && let Some((code, body)) = self.refusal(sent)
        {
            self.note(format!("{code} without the server: {}", sent.text()));
            return self.responded(id, code, &body);
        }
        if sent.manager.is_some() {
            self.forestall(sent);
        }
        let input = apiserver::Input::Request(Box::new(sent.request.clone()));
        let cluster = sent.cluster.clone();
        self.drive(&cluster, input, Some(sent));
    }

    /// An answer that the plane's server never sees the request of.
    fn refusal(&mut self, sent: &Sent) -> Option<(u16, Vec<u8>)> {
        let plane = self.planes.get(&sent.cluster)?;
        if plane.refuses_credentials {
            return Some((401, status(401, "Unauthorized", "Unauthorized", &json!({}))));
        }
        if plane.unserved.iter().any(|plural| names(sent, plural)) {
            return Some((404, b"404 page not found\n".to_vec()));
        }
        if plane.forbidden.iter().any(|plural| names(sent, plural)) {
            return Some((403, status(403, "Forbidden", "the manager may not do this", &json!({}))));
        }
        if sent.is_write() && plane.denied.iter().any(|(plural, name)| writes(sent, plural, name)) {
            return Some(denied());
        }
        Some(match self.struck_refusal(sent)? {
            Fault::TooManyRequests => {
                let details = json!({"retryAfterSeconds": 1});
                (429, status(429, "TooManyRequests", "too many requests", &details))
            }
            Fault::InternalError => {
                (500, status(500, "InternalError", "etcdserver: request timed out", &json!({})))
            }
            Fault::Denied => denied(),
            Fault::Expired => (410, status(410, "Expired", "too old resource version", &json!({}))),
            Fault::Conflict => {
                let text = "the object has been modified; please apply your changes to the latest version";
                let path = sent.request.path.trim_end_matches("/status");
                let name = path.rsplit('/').next().unwrap_or_default();
                (409, status(409, "Conflict", text, &json!({"name": name})))
            }
            _ => (503, status(503, "ServiceUnavailable", "the server is overloaded", &json!({}))),
        })
    }

    /// The fault that answers in the server's place: the first that strikes. All have their occasion, so that none moves
    /// the occasions of another.
    fn struck_refusal(&mut self, sent: &Sent) -> Option<Fault> {
        let query = &sent.request.query;
        let is_read = sent.request.method == "GET";
        let can_expire = is_read && (query.contains("watch=true") || query.contains("continue="));
        let carries_version = sent.request.body.windows(17).any(|part| part == b"\"resourceVersion\"");
        let possible = [
            (Fault::TooManyRequests, true),
            (Fault::InternalError, true),
            (Fault::Unavailable, true),
            (Fault::Denied, sent.is_write()),
            (Fault::Expired, can_expire),
            (Fault::Conflict, sent.is_write() && carries_version),
        ];
        let mut struck = None;
        for (fault, _) in possible.into_iter().filter(|(_, is_possible)| *is_possible) {
            if self.strikes_if(fault, struck.is_none()).is_some() {
                struck = Some(fault);
            }
        }
        struck
    }

    /// A plane answered.
    pub(super) fn responded(&mut self, id: RequestId, code: u16, body: &[u8]) {
        if !self.outlives_answer(id) {
            return;
        }
        let Some(pending) = self.pending.get(&id).cloned() else { return };
        self.trace.number(u64::from(code));
        if matches!(pending.purpose, Purpose::User) {
            let text = || Value::String(String::from_utf8_lossy(body).into_owned());
            let body = serde_json::from_slice(body).unwrap_or_else(|_| text());
            self.pending.remove(&id);
            self.replies.insert(id, Reply { code, body });
            return;
        }
        let Some(manager) = pending.purpose.manager() else { return };
        let is_cut = self.cut.contains(&(manager, pending.cluster.clone(), Direction::Back));
        if self.strikes_if(Fault::AnswerLost, !is_cut).is_some() || is_cut {
            self.note(format!("answer {code} to request {} of {manager} lost", id.0));
            return;
        }
        self.pending.remove(&id);
        self.streams.remove(&id);
        self.note_answer(id, manager, code, &pending);
        let Some(input) = self.input_of(&pending, code, body) else { return };
        let wait = self.latency();
        self.schedule_in(wait, Event::Inform(manager, Box::new(input)));
    }

    /// A process is going to learn what became of a step or a fence of its own.
    fn note_answer(&mut self, request: RequestId, manager: ManagerId, code: u16, pending: &Pending) {
        let asked = match pending.purpose {
            Purpose::Fence(_, _, kind) => Some(kind.resource.plural),
            Purpose::Step(..) => None,
            _ => return,
        };
        let cluster = pending.cluster.clone();
        self.observe(Observation::Answered(self.now, Answered { request, manager, cluster, code, asked }));
    }

    fn input_of(&self, pending: &Pending, code: u16, body: &[u8]) -> Option<Input> {
        let body = &self.as_told(&pending.cluster, Bytes::copy_from_slice(body));
        let date = Timestamp::from_second(self.now.as_second()).ok();
        Some(match pending.purpose {
            Purpose::User => return None,
            Purpose::Page(_, store, epoch, kind) => {
                Input::Listed(store, epoch, wire::read_page(code, body, kind))
            }
            Purpose::Watch(_, store, epoch, _) => Input::WatchEnded(store, epoch, wire::refused(code, body)),
            Purpose::Step(_, step, kind) => Input::Answered(step, Answer::read(code, body, kind, date)),
            Purpose::Fence(_, store, _) => Input::Fenced(store, wire::read_fence(code, body, date)),
            Purpose::Lease(manager, lease) => {
                let place = self.managers.get(&manager).and_then(|manager| manager.places.get(lease));
                let answer = place.map_or(LeaseAnswer::Missing, |place| place.read(code, body));
                Input::Lease(lease, answer)
            }
        })
    }

    /// Nobody waits for this answer any more.
    pub(super) fn give_up(&mut self, id: RequestId) {
        if let Some(until) = self.streams.get(&id).and_then(|stream| stream.until) {
            if until > self.now {
                self.schedule(until, Event::Deadline(id));
                return;
            }
            let cluster = self.pending.get(&id).map(|pending| pending.cluster.clone());
            if let Some(cluster) = cluster {
                self.drive(&cluster, apiserver::Input::Cancel(id), None);
            }
        }
        self.fail(id, "no answer in time");
    }

    /// A request gets no answer. Whether it was applied is not known.
    pub(super) fn fail(&mut self, id: RequestId, text: &str) {
        let Some(pending) = self.pending.remove(&id) else { return };
        self.streams.remove(&id);
        let message = text.to_owned();
        let (manager, input) = match pending.purpose {
            Purpose::User => {
                self.replies.insert(id, Reply { code: 0, body: Value::String(message) });
                return;
            }
            Purpose::Page(manager, store, epoch, _) => {
                (manager, Input::Listed(store, epoch, Err(Failure::Unreachable(message))))
            }
            Purpose::Watch(manager, store, epoch, _) => {
                (manager, Input::WatchEnded(store, epoch, Failure::Unreachable(message)))
            }
            Purpose::Step(manager, step, _) => (manager, Input::Answered(step, Answer::Lost { message })),
            Purpose::Fence(manager, store, _) => {
                (manager, Input::Fenced(store, FenceAnswer::Failed(message)))
            }
            Purpose::Lease(manager, lease) => (manager, Input::Lease(lease, LeaseAnswer::Failed(message))),
        };
        let wait = self.latency();
        self.schedule_in(wait, Event::Inform(manager, Box::new(input)));
    }
}

/// Whether a request is about a kind.
fn names(sent: &Sent, plural: &str) -> bool {
    sent.request.path.split('/').any(|part| part == plural)
}

/// Whether a request writes this object.
fn writes(sent: &Sent, plural: &str, name: &str) -> bool {
    let path = sent.request.path.trim_end_matches("/status");
    if sent.request.method != "POST" {
        return path.ends_with(&format!("/{plural}/{name}"));
    }
    let body = serde_json::from_slice::<Value>(&sent.request.body).unwrap_or_default();
    path.ends_with(&format!("/{plural}")) && body["metadata"]["name"] == name
}

/// What a server answers whose webhook says no.
fn denied() -> (u16, Vec<u8>) {
    let text = "admission webhook \"policy.example.com\" denied the request: not now";
    (403, status(403, "Forbidden", text, &json!({})))
}

fn status(code: u16, reason: &str, message: &str, details: &Value) -> Vec<u8> {
    let body = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": message,
        "reason": reason, "details": details, "code": code});
    body.to_string().into_bytes()
}

/// A request with every right.
fn with_every_right(
    id: RequestId,
    what: (&str, &str),
    (content_type, body): (&str, Vec<u8>),
    user: &str,
) -> Request {
    let (path, query) = what.1.split_once('?').unwrap_or((what.1, ""));
    Request {
        id,
        method: what.0.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: Headers {
            accept: "application/json".to_owned(),
            content_type: content_type.to_owned(),
            user_agent: user.to_owned(),
            ..Headers::default()
        },
        body: Bytes::from(body),
        identity: Some(User::new(user, &[MASTERS])),
    }
}
