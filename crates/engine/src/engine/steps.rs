//! The stepper: sends one step at a time per key, stops at the first failure, and before each step if anything the pass
//! read was changed by somebody else.

use std::collections::VecDeque;
use std::time::Duration;

use api::Uid;
use reconcile::facet::stable_hash;
use reconcile::step::Verb;
use reconcile::{Action, Attempt, Expect, KindEntry, Step, Target};

use super::{Engine, Output};
use crate::answer::{Answer, Body, Meaning, meaning};
use crate::backoff;
use crate::ids::{ClusterId, KeyId, Reader, StepId};
use crate::informer::Informer;
use crate::keys::{Phase, Refusal};
use crate::request::{Held, Request, of_step};
use crate::store::{Overlay, version_number};

/// A step on the wire.
pub(super) struct Sent {
    key: KeyId,
    cluster: ClusterId,
    /// The object it writes; events write none that anybody else does.
    target: Option<Target>,
    /// The life and version of the object that it was sent for.
    held: Option<(Uid, String)>,
}

impl Sent {
    pub(super) fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// The version that an answer is about, empty if the object was not there: what is held by the time of the answer may be
    /// another life of it.
    fn version(&self) -> String {
        self.held.as_ref().map(|(_, version)| version.clone()).unwrap_or_default()
    }
}

/// Failures in a row before the plan is told of them; fewer are nobody's business but the log's.
const FAILURES_UNTIL_VISIBLE: u32 = 3;

impl Engine {
    /// Whether a refusal, a recent failure or an answer that the server did not keep stands against sending a step.
    pub(super) fn is_held_back(&mut self, key: KeyId, step: &Step, now: Duration) -> bool {
        let version = self.held_version(step);
        let Some(state) = self.keys.get_mut(&key) else { return true };
        let place = (step.target.clone(), step.action.verb());
        if state.refusals.get(&place).is_some_and(|refusal| refusal.due > now) {
            return true;
        }
        if state.answered.is_empty() {
            return false;
        }
        let fingerprint = fingerprint(step);
        if state.answered.get(&fingerprint).is_none_or(|answered| *answered != version) {
            return false;
        }
        state.answered.remove(&fingerprint);
        if step.action.verb() == Verb::Record {
            state.answered.insert(fingerprint, version);
            return true;
        }
        self.metrics.not_kept += 1;
        let message =
            "the server accepted this write and does not show it; something else may hold these fields";
        let words = (200, message.to_owned(), Vec::new());
        self.refuse(key, step, version, (words, self.settings.refusal_retry));
        true
    }

    /// Forgets refusals about versions that are no longer current: the object is another question now.
    pub(super) fn drop_outdated_refusals(&mut self, key: KeyId) {
        let Some(state) = self.keys.get_mut(&key) else { return };
        let mut refusals = std::mem::take(&mut state.refusals);
        refusals.retain(|(target, _), refusal| self.version_of(target) == refusal.version);
        if let Some(state) = self.keys.get_mut(&key) {
            state.refusals = refusals;
        }
    }

    fn held_version(&self, step: &Step) -> String {
        self.version_of(&step.target)
    }

    fn held_life(&self, target: &Target) -> Option<(Uid, String)> {
        let (_, held) = self.world.store_named(&target.cluster, target.resource)?;
        let meta = &held.find(&target.key)?.object()?.meta;
        Some((meta.uid.clone(), meta.version.as_str().to_owned()))
    }

    /// The version at which the cache holds an object, empty if it holds none.
    fn version_of(&self, target: &Target) -> String {
        let held = self.world.store_named(&target.cluster, target.resource);
        let object = held.and_then(|(_, store)| store.find(&target.key)?.object());
        object.map(|object| object.meta.version.as_str().to_owned()).unwrap_or_default()
    }

    /// Sends the next step of a plan, or ends it.
    pub(super) fn send_next(&mut self, key: KeyId) {
        loop {
            let Some(state) = self.keys.get_mut(&key) else { return };
            let is_dirty = state.dirty;
            let Phase::InFlight(flight) = &mut state.phase else { return };
            let next = if is_dirty { None } else { flight.steps.pop_front() };
            let Some(step) = next else { return self.enqueue(key) };
            if step.expect == Expect::Version && flight.wrote.contains(&step.target) {
                return self.enqueue(key);
            }
            if !self.try_send(key, step) {
                return;
            }
        }
    }

    /// Tries to put one step on the wire. True if there was nothing to send and the next one may be looked at.
    fn try_send(&mut self, key: KeyId, step: Step) -> bool {
        let now = self.world.now.monotonic;
        let cluster = self.world.cluster_id(&step.target.cluster);
        if self.in_flight.get(&cluster).copied().unwrap_or(0) >= self.settings.steps_in_flight_per_cluster {
            self.waiting_for_room.entry(cluster).or_default().push_back(key);
            self.put_back(key, step);
            return false;
        }
        let is_event = step.action.verb() == Verb::Record;
        // Two writes of one process to one object would race for its version; the second waits for the answer to the first.
        if let Some(waiting) = self.on_object.get_mut(&step.target)
            && !is_event
        {
            waiting.push_back(key);
            self.put_back(key, step);
            return false;
        }
        let Some(request) = self.request(key, &step) else { return true };
        if self.is_stopping || !self.may_send() {
            if let Some(state) = self.keys.get_mut(&key) {
                state.phase = Phase::Idle;
            }
            self.withheld.insert(key);
            return false;
        }
        let limit = self.settings.write_budget_per_minute;
        let renewed = self
            .keys
            .get_mut(&key)
            .and_then(|state| (!state.spend(now, limit)).then(|| state.budget_renewed()));
        if let Some(at) = renewed {
            self.enqueue_at(key, at);
            return false;
        }
        self.send(key, cluster, (step, request));
        false
    }

    fn put_back(&mut self, key: KeyId, step: Step) {
        if let Some(Phase::InFlight(flight)) = self.keys.get_mut(&key).map(|state| &mut state.phase) {
            flight.steps.push_front(step);
        }
    }

    fn send(&mut self, key: KeyId, cluster: ClusterId, what: (Step, Request)) {
        let (step, request) = what;
        self.expect_ready(key, &step);
        let id = StepId(self.next_step);
        self.next_step += 1;
        let name = self.controller_name(key.controller);
        *self.metrics.reasons.entry((name, step.why)).or_default() += 1;
        let target = (step.action.verb() != Verb::Record).then(|| step.target.clone());
        if let Some(target) = &target {
            self.on_object.insert(target.clone(), VecDeque::new());
        }
        let held = self.held_life(&step.target);
        self.on_wire.insert(id, Sent { key, cluster, target, held });
        *self.in_flight.entry(cluster).or_default() += 1;
        if let Some(Phase::InFlight(flight)) = self.keys.get_mut(&key).map(|state| &mut state.phase) {
            flight.current = Some((id, step));
        }
        self.outputs.push(Output::Execute(id, request));
    }

    fn request(&mut self, key: KeyId, step: &Step) -> Option<Request> {
        let encoded = self.world.encoded(&step.target);
        let store = self.world.store_named(&step.target.cluster, step.target.resource);
        let object = store.and_then(|(_, store)| store.find(&step.target.key)?.object());
        let held =
            object.zip(encoded.as_deref()).map(|(object, encoded)| Held { meta: &object.meta, encoded });
        let name = self.controller_name(key.controller);
        let manager = match step.group {
            Some(group) => format!("network-services/{name}.{group}"),
            None => format!("network-services/{name}"),
        };
        let kind: Option<&'static KindEntry> = match step.action {
            Action::Record(_) => None,
            _ => store.map(|(_, store)| store.kind),
        };
        of_step(step, held, &manager, self.settings.step_timeout).map(|request| Request { kind, ..request })
    }

    /// An answer came, or the step was lost.
    pub(super) fn answered(&mut self, id: StepId, answer: &Answer) {
        let Some(sent) = self.on_wire.remove(&id) else { return };
        self.free_room(sent.cluster);
        let target = sent.target.as_ref();
        let waiting = target.and_then(|target| self.on_object.remove(target)).unwrap_or_default();
        self.take_answer(&sent, answer);
        self.fill_room(sent.cluster);
        for key in waiting {
            self.send_next(key);
        }
    }

    fn take_answer(&mut self, sent: &Sent, answer: &Answer) {
        let (key, cluster) = (sent.key, sent.cluster);
        let taken = self.keys.get_mut(&key).and_then(|state| match &mut state.phase {
            Phase::InFlight(flight) => flight.current.take(),
            _ => None,
        });
        let Some((_, step)) = taken else { return };
        let (meaning, row) = meaning(step.action.verb(), answer);
        self.count_step(key, &step, (meaning, row));
        match answer {
            Answer::Lost { .. } => self.world.note_failure(cluster),
            Answer::Replied { .. } => self.world.note_answer(cluster),
        }
        match meaning {
            Meaning::Applied => self.applied(sent, &step, answer),
            Meaning::Race | Meaning::Replan => self.raced(key, &step),
            Meaning::Gone => self.gone(sent, &step),
            Meaning::Busy | Meaning::Failed => self.failed(sent, &step, answer),
            Meaning::Namespace | Meaning::NotServed | Meaning::SchemaTooOld | Meaning::Refused => {
                let words = words(answer);
                self.refuse(key, &step, sent.version(), (words, self.settings.refusal_retry));
                self.enqueue(key);
            }
        }
    }

    fn count_step(&mut self, key: KeyId, step: &Step, told: (Meaning, &'static str)) {
        let name = self.controller_name(key.controller);
        let verb = step.action.verb().as_str();
        *self.metrics.steps.entry((name, verb, told.0.as_str())).or_default() += 1;
        if told.0 == Meaning::Race {
            *self.metrics.races.entry((name, step.target.resource.kind, told.1)).or_default() += 1;
        }
    }

    fn free_room(&mut self, cluster: ClusterId) {
        if let Some(in_flight) = self.in_flight.get_mut(&cluster) {
            *in_flight = in_flight.saturating_sub(1);
        }
    }

    /// Lets plans that wait for room on the cluster go on, as many as there is room for.
    fn fill_room(&mut self, cluster: ClusterId) {
        let limit = self.settings.steps_in_flight_per_cluster;
        while self.in_flight.get(&cluster).copied().unwrap_or(0) < limit {
            let waiting = self.waiting_for_room.get_mut(&cluster);
            let Some(key) = waiting.and_then(VecDeque::pop_front) else { break };
            self.send_next(key);
        }
    }

    /// Whether the change that is being told is one of the object that the key's step on the wire writes.
    pub(super) fn is_written_now(&self, key: KeyId) -> bool {
        let Some((store, slot)) = self.cause else { return false };
        let Some(Phase::InFlight(flight)) = self.keys.get(&key).map(|state| &state.phase) else {
            return false;
        };
        let Some((_, step)) = &flight.current else { return false };
        let named = self.world.store_named(&step.target.cluster, step.target.resource);
        named.is_some_and(|(id, held)| id == store && held.key_of(slot) == Some(&step.target.key))
    }

    /// The object changed while the step was on the wire. If what the watch told is what the answer says, it was the step itself.
    fn judge_suspicion(&mut self, key: KeyId, step: &Step, answer: &Answer) {
        let named = self.world.store_named(&step.target.cluster, step.target.resource);
        let base = named.and_then(|(_, held)| held.find(&step.target.key)?.base());
        let is_ours = match (answer, base) {
            (Answer::Replied { body: Body::Object(object), .. }, Some(base)) => {
                base.meta.uid == object.meta.uid && base.meta.version == object.meta.version
            }
            (Answer::Replied { .. }, None) => matches!(step.action.verb(), Verb::Delete | Verb::Remove),
            _ => false,
        };
        if let Some(state) = self.keys.get_mut(&key)
            && let Phase::InFlight(flight) = &mut state.phase
            && std::mem::take(&mut flight.suspects_itself)
        {
            state.dirty |= !is_ours;
        }
    }

    /// The write is done: what was answered is known now, and the plan goes on.
    fn applied(&mut self, sent: &Sent, step: &Step, answer: &Answer) {
        let key = sent.key;
        let version = match (answer, &sent.held) {
            (Answer::Replied { body: Body::Object(object), .. }, _) => {
                object.meta.version.as_str().to_owned()
            }
            // What is there by now may be another life, which this deletion has not touched.
            (_, Some((_, version))) if step.action.verb() == Verb::Delete => version.clone(),
            _ => self.held_version(step),
        };
        self.judge_suspicion(key, step, answer);
        self.note_ready(key);
        self.overlay(sent, step, answer);
        if let Some(state) = self.keys.get_mut(&key) {
            state.refusals.remove(&(step.target.clone(), step.action.verb()));
            state.failures = 0;
            state.races = 0;
            state.answered.insert(fingerprint(step), version);
            if let Phase::InFlight(flight) = &mut state.phase {
                flight.wrote.insert(step.target.clone());
            }
        }
        self.send_next(key);
    }

    /// Lays the answer over the cache. The key itself is not woken by its own write: it passes again anyway.
    fn overlay(&mut self, sent: &Sent, step: &Step, answer: &Answer) {
        let key = sent.key;
        let named = self.world.store_named(&step.target.cluster, step.target.resource);
        let Some((store, _)) = named else { return };
        let overlay = match (answer, step.action.verb()) {
            (_, Verb::Record) => None,
            (Answer::Replied { body: Body::Object(object), .. }, _)
                if object.meta.deleting && object.meta.finalizers.is_empty() =>
            {
                Some(Overlay::Tombstone(object.meta.uid.clone()))
            }
            (Answer::Replied { body: Body::Object(object), .. }, _) => {
                // The watch was faster: it has told this version, and perhaps what came after it.
                let position = self.informers.get(&store).map_or(0, Informer::position);
                if version_number(&object.meta.version) <= position {
                    return self.note_lags(store, &[self.world.now.monotonic]);
                }
                Some(Overlay::Object((**object).clone()))
            }
            (Answer::Replied { .. }, Verb::Delete) => {
                sent.held.clone().map(|(uid, _)| Overlay::Tombstone(uid))
            }
            _ => None,
        };
        let Some(overlay) = overlay else { return };
        // What others did is told first; what follows is our own doing and does not make the plan again.
        self.route_woken();
        let was_dirty = self.keys.get(&key).is_some_and(|state| state.dirty);
        let now = self.world.now.monotonic;
        self.world.with_store(store, |held, woken| held.set_overlay(&step.target.key, overlay, now, woken));
        self.world.woken.retain(|reader| *reader != Reader::Key(key));
        if let Some(slot) = self.world.store(store).and_then(|held| held.find_id(&step.target.key)) {
            self.root_object(store, slot);
        }
        self.route_woken();
        if let Some(state) = self.keys.get_mut(&key) {
            state.dirty = was_dirty;
        }
    }

    /// Somebody else was faster: the next pass sees what they did.
    fn raced(&mut self, key: KeyId, step: &Step) {
        let now = self.world.now.monotonic;
        let Some(state) = self.keys.get_mut(&key) else { return };
        let wait = backoff::wait(self.settings.race_backoff, state.races, &mut self.random);
        state.races = state.races.saturating_add(1);
        state.answered.remove(&fingerprint(step));
        self.enqueue_at(key, now + wait);
    }

    /// Nothing is left to do; until the cache shows it too, the same step is not sent again.
    fn gone(&mut self, sent: &Sent, step: &Step) {
        let (key, version) = (sent.key, sent.version());
        let now = self.world.now.monotonic;
        if let Some(state) = self.keys.get_mut(&key) {
            state.phase = Phase::Idle;
            if !version.is_empty() {
                state.answered.insert(fingerprint(step), version);
            }
            let wait = backoff::wait(self.settings.race_backoff, state.races, &mut self.random);
            state.races = state.races.saturating_add(1);
            self.enqueue_at(key, now + wait);
        }
    }

    fn failed(&mut self, sent: &Sent, step: &Step, answer: &Answer) {
        let key = sent.key;
        let Some(state) = self.keys.get_mut(&key) else { return };
        let mut wait = backoff::wait(self.settings.error_backoff, state.failures, &mut self.random);
        state.failures = state.failures.saturating_add(1);
        if let Answer::Replied { body: Body::Status(status), .. } = answer
            && let Some(seconds) = status.details.as_ref().and_then(|details| details.retry_after_seconds)
        {
            wait = wait.max(Duration::from_secs(u64::from(seconds)));
        }
        self.refuse(key, step, sent.version(), (words(answer), wait));
        self.enqueue(key);
    }

    /// Remembers an answer that was not success, about the object at this version, and when the step may be tried again.
    fn refuse(&mut self, key: KeyId, step: &Step, version: String, (words, wait): (Words, Duration)) {
        let now = self.world.now;
        let Some(state) = self.keys.get_mut(&key) else { return };
        let place = (step.target.clone(), step.action.verb());
        let count = state.refusals.get(&place).map_or(0, |refusal| refusal.attempt.count).saturating_add(1);
        let (code, message, causes) = words;
        let is_visible = (200..500).contains(&code) || count >= FAILURES_UNTIL_VISIBLE;
        let attempt = Attempt {
            target: step.target.clone(),
            verb: step.action.verb(),
            code,
            message,
            causes,
            count,
            due: now.after(wait),
            is_due: false,
        };
        state.refusals.insert(place, Refusal { attempt, due: now.monotonic + wait, version, is_visible });
        state.answered.remove(&fingerprint(step));
    }
}

/// Code, message and causes.
type Words = (u16, String, Vec<String>);

/// What was answered, in the server's words.
fn words(answer: &Answer) -> Words {
    match answer {
        Answer::Lost { message } => (0, message.clone(), Vec::new()),
        Answer::Replied { code, body: Body::Status(status), .. } => {
            let causes = status.details.iter().flat_map(|details| details.causes.iter().flatten());
            (*code, status.message.clone(), causes.map(|cause| cause.reason.clone()).collect())
        }
        Answer::Replied { code, body: Body::Plain(text), .. } => (*code, text.clone(), Vec::new()),
        Answer::Replied { code, body: Body::Object(_), .. } => (*code, String::new(), Vec::new()),
    }
}

/// Tells steps apart by everything they say.
fn fingerprint(step: &Step) -> u64 {
    let action = match &step.action {
        Action::Create(value) | Action::Apply(value) | Action::ApplyStatus(value) => value.to_string(),
        Action::Remove(absent) => format!("{absent:?}"),
        Action::Delete(propagation) => format!("{propagation:?}"),
        Action::Record(event) => format!("{} {}", event.reason, event.occurrence),
    };
    stable_hash(&(&step.target, step.action.verb(), step.group, action))
}
