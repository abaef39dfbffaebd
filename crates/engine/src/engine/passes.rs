//! Passes: which key is next, what it saw and decided, and what of that needs to be sent.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use jiff::Timestamp;
use reconcile::step::Verb;
use reconcile::{Action, Plan, Step, Verdict, View};
use serde_json::Value;

use super::{Engine, Violation};
use crate::backoff;
use crate::ids::{ControllerId, KeyId, Reader, SlotId, StoreId};
use crate::keys::{Confirmations, Flight, Phase, Wait};
use crate::metrics::{self, PassOutcome};
use crate::queue::{Popped, Turn};
use crate::recorder::Recorder;
use crate::request::{self, Held};
use crate::store::{Look, StoreState};
use crate::world::{Read, ReadSet, World};

/// Keys of one controller and turn that wait for a first list.
#[derive(Debug)]
pub(super) struct Hold {
    store: StoreId,
    pub(super) until: Duration,
    keys: Vec<KeyId>,
}

impl Hold {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }
}

/// What one pass saw and decided.
pub(super) struct Pass {
    plan: Plan,
    reads: ReadSet,
    pub(super) absences: Vec<StoreId>,
    pub(super) reached: Vec<Timestamp>,
    doubt: Doubt,
}

/// What a pass could not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// It saw everything.
    None,
    /// Planes that nobody has engaged.
    NotEngaged,
    /// Something on an engaged plane, which wakes the key when it can be seen.
    Blind,
}

impl Doubt {
    fn of(recorder: &Recorder<'_>) -> Self {
        match (recorder.blind, recorder.uncertain) {
            (true, _) => Self::Blind,
            (false, true) => Self::NotEngaged,
            (false, false) => Self::None,
        }
    }
}

impl Engine {
    /// Something the key read changed, or it is new: it passes again as soon as it may.
    pub(super) fn wake(&mut self, key: KeyId) {
        let now = self.world.now.monotonic;
        let is_own_object = self.is_written_now(key);
        let Some(state) = self.keys.get_mut(&key) else { return };
        match &mut state.phase {
            Phase::InFlight(flight) if is_own_object => flight.suspects_itself = true,
            Phase::InFlight(_) => state.dirty = true,
            Phase::Fenced => {
                self.leave_fences(key);
                self.enqueue(key);
            }
            Phase::Idle | Phase::Queued => {
                state.phase = Phase::Queued;
                self.queue.push(key, state.turn.clone(), now);
            }
        }
    }

    pub(super) fn enqueue(&mut self, key: KeyId) {
        let now = self.world.now.monotonic;
        if let Some(state) = self.keys.get_mut(&key) {
            state.phase = Phase::Queued;
            state.dirty = false;
            self.queue.push(key, state.turn.clone(), now);
        }
    }

    pub(super) fn enqueue_at(&mut self, key: KeyId, at: Duration) {
        if let Some(state) = self.keys.get_mut(&key) {
            state.phase = Phase::Idle;
            self.queue.push_at(key, state.turn.clone(), at);
        }
    }

    pub(super) fn run_passes(&mut self) {
        for _ in 0..self.settings.passes_per_call {
            let Some(Popped { key, waited, by_timer }) = self.queue.pop(self.world.now.monotonic) else {
                break;
            };
            let name = self.controller_name(key.controller);
            *self.metrics.timer_passes.entry(name).or_default() += u64::from(by_timer);
            metrics::observe(&mut self.metrics.queue_waits, metrics::QUEUE_BOUNDS, name, waited);
            if !self.is_parked(key) {
                self.timed_pass(key, name);
            }
            self.route_woken();
        }
    }

    fn timed_pass(&mut self, key: KeyId, name: &'static str) {
        let started = self.stopwatch.as_ref().map(|stopwatch| stopwatch());
        self.pass(key);
        if let Some((started, stopwatch)) = started.zip(self.stopwatch.as_ref()) {
            let took = stopwatch().saturating_sub(started);
            metrics::observe(&mut self.metrics.pass_times, metrics::PASS_BOUNDS, name, took);
        }
    }

    fn is_parked(&mut self, key: KeyId) -> bool {
        let Some(turn) = self.keys.get(&key).map(|state| state.turn.clone()) else { return true };
        match self.holds.get_mut(&(key.controller, turn)) {
            Some(hold) => {
                hold.keys.push(key);
                true
            }
            None => false,
        }
    }

    /// Lets keys go whose first list has finished, or has not in time.
    pub(super) fn release_holds(&mut self) {
        let now = self.world.now.monotonic;
        let world = &self.world;
        let over = |hold: &Hold| {
            hold.until <= now
                || world.store(hold.store).is_none_or(|store| store.state() != StoreState::Starting)
        };
        let released: Vec<(ControllerId, Turn)> =
            self.holds.iter().filter(|(_, hold)| over(hold)).map(|(turn, _)| turn.clone()).collect();
        for turn in released {
            for key in self.holds.remove(&turn).map(|hold| hold.keys).unwrap_or_default() {
                self.enqueue(key);
            }
        }
    }

    /// One pass of one key.
    fn pass(&mut self, key: KeyId) {
        if self.keys.get(&key).is_some_and(|state| state.is_dropped) {
            return self.forget_key(key);
        }
        self.drop_outdated_refusals(key);
        self.withheld.remove(&key);
        let Some(state) = self.keys.get_mut(&key) else { return };
        state.phase = Phase::Idle;
        state.dirty = false;
        let attempts = state.attempts(self.world.now.monotonic);
        let Some(controller) = self.controllers.get(usize::from(key.controller.0)) else { return };
        let mut recorder = Recorder::new(&mut self.world, Some(Reader::Key(key)), attempts);
        let planned =
            catch_unwind(AssertUnwindSafe(|| controller.pass(key.number, &View::new(&mut recorder))));
        let cold = recorder.cold.first().copied();
        let doubt = Doubt::of(&recorder);
        let (reads, absences, reached) = (ReadSet::of(recorder.reads), recorder.absences, recorder.reached);
        match planned {
            Ok(Some(plan)) => match cold.and_then(|store| Some((store, self.cold_until(store)?))) {
                Some((store, until)) => self.hold(key, store, until, &reads),
                None => self.decide(key, Pass { plan, reads, absences, reached, doubt }),
            },
            Ok(None) => self.forget_key(key),
            Err(_) => self.panicked(key, &reads),
        }
    }

    /// Until when a pass waits for the first list of this store; `None` if it has waited long enough.
    fn cold_until(&self, store: StoreId) -> Option<Duration> {
        let started =
            self.informers.get(&store).map_or(self.world.now.monotonic, |informer| informer.started);
        let until = started + self.settings.cold_limit;
        (until > self.world.now.monotonic).then_some(until)
    }

    /// The pass met an unfinished first list: it is dropped, and keys like it wait.
    fn hold(&mut self, key: KeyId, store: StoreId, until: Duration, reads: &ReadSet) {
        self.keep_union(key, reads);
        self.count_pass(key, PassOutcome::Cold);
        let Some(state) = self.keys.get_mut(&key) else { return };
        state.phase = Phase::Queued;
        let turn = (key.controller, state.turn.clone());
        let hold = self.holds.entry(turn).or_insert_with(|| Hold { store, until, keys: Vec::new() });
        hold.keys.push(key);
    }

    fn panicked(&mut self, key: KeyId, reads: &ReadSet) {
        self.keep_union(key, reads);
        let controller = self.controller_name(key.controller);
        let text = self.key_text(key);
        self.violations.push(Violation::Panicked { controller, key: text });
        self.back_off(key);
    }

    /// Waits after a failure that belongs to no step.
    pub(super) fn back_off(&mut self, key: KeyId) {
        let now = self.world.now.monotonic;
        let Some(state) = self.keys.get_mut(&key) else { return };
        let wait = backoff::wait(self.settings.error_backoff, state.failures, &mut self.random);
        state.failures = state.failures.saturating_add(1);
        self.enqueue_at(key, now + wait);
    }

    /// Old and new reads both wake the key until a pass succeeds.
    fn keep_union(&mut self, key: KeyId, reads: &ReadSet) {
        if let Some(state) = self.keys.get_mut(&key) {
            state.reads = std::mem::take(&mut state.reads).and(reads.iter());
        }
    }

    fn decide(&mut self, key: KeyId, pass: Pass) {
        let Pass { plan, reads, absences, reached, doubt } = pass;
        let steps = self.read_targets(key, plan.steps, &reads);
        let reads = reads.and(self.subscribe_intents(key, &steps));
        let (steps, held_back) = self.needed(key, steps);
        if let Verdict::Waiting { reason, .. } = plan.verdict {
            *self.metrics.waits.entry((self.controller_name(key.controller), reason)).or_default() += 1;
        }
        let Some(state) = self.keys.get_mut(&key) else { return };
        let old = std::mem::take(&mut state.reads);
        state.waiting = Some(match plan.verdict {
            Verdict::Settled => held_back,
            Verdict::Waiting { reason, message } => Some((reason, message)),
        });
        self.world.replace_reads(Reader::Key(key), &old, &reads);
        if let Some(state) = self.keys.get_mut(&key) {
            state.reads = reads;
        }
        let (plan, reads) = (Plan::settled(), ReadSet::default());
        self.act(key, steps, &Pass { plan, reads, absences, reached, doubt });
    }

    /// What is to be done with the steps that are needed.
    fn act(&mut self, key: KeyId, mut steps: VecDeque<Step>, pass: &Pass) {
        let confirmed = self.keys.get_mut(&key).and_then(|state| state.confirmed.take());
        if steps.is_empty() {
            return self.rest(key, pass.doubt);
        }
        if !self.is_leading() {
            self.withheld.insert(key);
            return self.count_pass(key, PassOutcome::Withheld);
        }
        if let Some(first) = steps.iter().position(|step| step.destroys)
            && !self.is_confirmed(confirmed.as_ref(), pass)
        {
            if first == 0 {
                return match server_is_behind(confirmed.as_ref(), pass) {
                    Some(wait) => self.wait_for_server(key, wait),
                    None => self.fence(key, pass, &steps),
                };
            }
            steps.truncate(first);
        }
        self.count_pass(key, PassOutcome::Steps);
        if let Some(state) = self.keys.get_mut(&key) {
            state.phase = Phase::InFlight(Box::new(Flight {
                steps,
                current: None,
                wrote: BTreeSet::new(),
                suspects_itself: false,
            }));
        }
        self.send_next(key);
    }

    fn wait_for_server(&mut self, key: KeyId, wait: Duration) {
        self.count_pass(key, PassOutcome::Fenced);
        self.enqueue_at(key, self.world.now.monotonic + wait);
    }

    /// Nothing needs to be sent.
    fn rest(&mut self, key: KeyId, doubt: Doubt) {
        let now = self.world.now.monotonic;
        let Some(state) = self.keys.get_mut(&key) else { return };
        // A step that failed and waits to be tried again is not at rest: whatever loses its race next has lost before.
        if state.refusals.is_empty() {
            state.races = 0;
        }
        state.answered.clear();
        let (is_settled, is_rootless) = (state.waiting == Some(None), state.roots.is_empty());
        if let Some(due) = state.next_due(now) {
            self.enqueue_at(key, due);
        }
        self.count_pass(key, if is_settled { PassOutcome::Settled } else { PassOutcome::Waiting });
        match doubt {
            _ if !is_rootless => {}
            _ if is_settled => self.forget_key(key),
            // What it cannot see may concern it, and wakes it: it is settled or has a root again then.
            Doubt::Blind => {}
            // Its plane was dropped, and what the key left there with it; a plane that comes back is one of its roots.
            Doubt::NotEngaged => self.forget_key(key),
            Doubt::None => self.note_rootless(key),
        }
    }

    fn note_rootless(&mut self, key: KeyId) {
        self.metrics.rootless_unsettled += 1;
        let (controller, key) = (self.controller_name(key.controller), self.key_text(key));
        self.violations.push(Violation::RootlessUnsettled { controller, key });
    }

    pub(super) fn count_pass(&mut self, key: KeyId, outcome: PassOutcome) {
        let name = self.controller_name(key.controller);
        *self.metrics.passes.entry((name, outcome)).or_default() += 1;
    }

    pub(super) fn key_text(&self, key: KeyId) -> String {
        let controller = self.controllers.get(usize::from(key.controller.0));
        controller.map_or_else(String::new, |controller| controller.text(key.number))
    }

    /// A step may only target an object that the pass has read; the plan ends before one that does not.
    fn read_targets(&mut self, key: KeyId, steps: Vec<Step>, reads: &ReadSet) -> Vec<Step> {
        let unread = steps.iter().position(|step| {
            let is_event = matches!(step.action, Action::Record(_));
            let place = self.place(step);
            !is_event && place.is_none_or(|(store, slot)| !reads.has_object(store, slot))
        });
        let Some(unread) = unread else { return steps };
        self.metrics.unread_targets += 1;
        let controller = self.controller_name(key.controller);
        let target = steps.get(unread).map(|step| step.target.to_string()).unwrap_or_default();
        self.violations.push(Violation::UnreadTarget { controller, target });
        steps.into_iter().take(unread).collect()
    }

    pub(super) fn place(&mut self, step: &Step) -> Option<(StoreId, SlotId)> {
        let (store, _) = self.world.store_named(&step.target.cluster, step.target.resource)?;
        let slot = self.world.store(store)?.find_id(&step.target.key)?;
        Some((store, slot))
    }

    /// The fields of an intent are reads too: drift wakes the key.
    fn subscribe_intents(&mut self, key: KeyId, steps: &[Step]) -> Vec<Read> {
        let mut pointers: BTreeMap<(StoreId, SlotId), Vec<String>> = BTreeMap::new();
        for step in steps {
            let Some(fields) = intent_pointers(&step.action) else { continue };
            if let Some(place) = self.place(step) {
                pointers.entry(place).or_default().extend(fields);
            }
        }
        let mut reads = Vec::with_capacity(pointers.len());
        for ((store, slot), mut fields) in pointers {
            fields.sort_unstable();
            fields.dedup();
            let look = Look::Fields(fields);
            let look = self.world.with_store(store, |held, _| held.subscribe(slot, Reader::Key(key), &look));
            reads.extend(look.map(|look| Read::Object(store, slot, look)));
        }
        reads
    }

    /// Steps whose object is not yet as they want it and that nothing holds back, and what holds the next one back: a key
    /// with a step that could not be done is not settled. An event that was recorded or refused keeps nothing else back.
    fn needed(&mut self, key: KeyId, steps: Vec<Step>) -> (VecDeque<Step>, Option<Wait>) {
        let now = self.world.now.monotonic;
        let mut needed = VecDeque::new();
        for step in steps {
            let encoded = self.world.encoded(&step.target);
            if !is_needed(&self.world, &step, encoded.as_deref()) {
                continue;
            }
            if !self.is_held_back(key, &step, now) {
                needed.push_back(step);
            } else if step.action.verb() != Verb::Record {
                let wait = self.keys.get(&key).and_then(|state| state.held_back_by(&step));
                return (needed, wait);
            }
        }
        (needed, None)
    }
}

/// How long the server's clock still has to go to a deadline that the pass saw come, if that is all that is missing: asking
/// again before would be answered the same.
fn server_is_behind(confirmed: Option<&Confirmations>, pass: &Pass) -> Option<Duration> {
    let confirmed = confirmed?;
    let has_absences = pass.absences.iter().all(|store| confirmed.contains_key(store));
    let server_time = confirmed.values().flatten().min()?;
    let deadline = pass.reached.iter().max().filter(|deadline| has_absences && *deadline > server_time)?;
    Duration::try_from(deadline.duration_since(*server_time)).ok()
}

/// The held object as JSON.
pub(super) fn encode(world: &World, step: &Step) -> Option<Value> {
    let (_, store) = world.store_named(&step.target.cluster, step.target.resource)?;
    match &store.find(&step.target.key)?.object()?.content {
        reconcile::Content::Typed(typed) => Some((store.kind.encode)(&**typed)),
        reconcile::Content::Invalid(_) => None,
    }
}

/// Whether the object is not yet as the step wants it.
fn is_needed(world: &World, step: &Step, encoded: Option<&Value>) -> bool {
    let object = world
        .store_named(&step.target.cluster, step.target.resource)
        .and_then(|(_, store)| store.find(&step.target.key)?.object());
    request::is_needed(
        step,
        object.zip(encoded).map(|(object, encoded)| Held { meta: &object.meta, encoded }),
    )
}

/// Leaf fields that an intent holds or keeps away, as pointers; lists count as one field.
fn intent_pointers(action: &Action) -> Option<Vec<String>> {
    let mut pointers = Vec::new();
    match action {
        Action::Apply(fields) => leaves(fields, "", &mut pointers),
        Action::ApplyStatus(status) => leaves(status, "/status", &mut pointers),
        Action::Remove(absent) => {
            for absent in absent {
                pointers.push(match absent {
                    reconcile::Absent::Finalizer(_) => "/metadata/finalizers".to_owned(),
                    reconcile::Absent::Field(pointer) => pointer.clone(),
                });
            }
        }
        Action::Create(_) | Action::Delete(_) | Action::Record(_) => return None,
    }
    Some(pointers)
}

fn leaves(value: &Value, at: &str, pointers: &mut Vec<String>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                leaves(value, &format!("{at}/{name}"), pointers);
            }
        }
        _ => pointers.push(at.to_owned()),
    }
}
