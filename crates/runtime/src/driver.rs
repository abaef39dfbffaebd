//! The task that owns the engine: inputs in, outputs to tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{ClusterName, ObjectKey, ResourceKind};
use engine::engine::{Gauges, KeyVerdict, Status, Violation};
use engine::metrics::Metrics;
use engine::{
    BarrierId, Engine, Explanation, Input, LeasePlace, LeaseSettings, Mark, Output, Registration, Settings,
    StoreId,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;

use crate::clock::Clock;
use crate::cluster::Clusters;
use crate::informer::Source;
use crate::{executor, informer};

/// Inputs that may wait for the engine; a watch that is faster waits itself.
const INPUTS_MAX: usize = 8192;
/// Inputs taken in before passes run.
const BATCH_MAX: usize = 1024;

/// What the driver is asked.
#[derive(Debug)]
pub enum Command {
    /// Something for the engine.
    Input(Input),
    /// Explain an object.
    Explain(ClusterName, ResourceKind, ObjectKey, oneshot::Sender<Vec<Explanation>>),
    /// The engine at a glance.
    Status(oneshot::Sender<Status>),
    /// What every key waits for.
    Verdicts(oneshot::Sender<Vec<KeyVerdict>>),
    /// The counters.
    Metrics(oneshot::Sender<(Metrics, Status)>),
    /// The counters and sums of a scrape.
    Scrape(oneshot::Sender<(Metrics, Gauges)>),
    /// Programming errors seen so far.
    Violations(oneshot::Sender<Vec<Violation>>),
    /// Answer when every cache has caught up with its server as it is now.
    CatchUp(oneshot::Sender<()>),
    /// Answer when the caches have seen all of this and there is nothing to do.
    Settle(Vec<Mark>, oneshot::Sender<bool>),
    /// End at once: nothing is drained, nothing is given back.
    Abort,
}

/// Makes controllers.
pub type Controllers = Box<dyn FnOnce() -> Vec<Box<dyn Registration>> + Send>;

/// What an engine is made of.
pub struct Setup {
    /// Numbers.
    pub settings: Settings,
    /// Decides jitter.
    pub seed: u64,
    /// Makes the controllers of the role, on the engine's own thread.
    pub controllers: Controllers,
    /// The controllers' configuration.
    pub configuration: Arc<dyn std::any::Any + Send + Sync>,
    /// Leases that must all be held, with their places. Empty: this process always leads.
    pub leases: Vec<(LeasePlace, LeaseSettings)>,
    /// Never send anything: for explanations.
    pub is_read_only: bool,
}

/// Talks to a running driver.
#[derive(Clone, Debug)]
pub struct Handle {
    commands: mpsc::Sender<Command>,
    idle: watch::Receiver<bool>,
    drained: watch::Receiver<bool>,
}

/// The driver is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the controllers have stopped")]
pub struct Stopped;

impl Handle {
    /// Hands an input over.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn input(&self, input: Input) -> Result<(), Stopped> {
        self.commands.send(Command::Input(input)).await.map_err(|_| Stopped)
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Result<T, Stopped> {
        let (sender, receiver) = oneshot::channel();
        self.commands.send(command(sender)).await.map_err(|_| Stopped)?;
        receiver.await.map_err(|_| Stopped)
    }

    /// Explains every key that an object makes exist.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn explain(
        &self,
        cluster: ClusterName,
        resource: ResourceKind,
        key: ObjectKey,
    ) -> Result<Vec<Explanation>, Stopped> {
        self.ask(|reply| Command::Explain(cluster, resource, key, reply)).await
    }

    /// The engine at a glance.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn status(&self) -> Result<Status, Stopped> {
        self.ask(Command::Status).await
    }

    /// What every key waits for.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn verdicts(&self) -> Result<Vec<KeyVerdict>, Stopped> {
        self.ask(Command::Verdicts).await
    }

    /// The counters.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn metrics(&self) -> Result<(Metrics, Status), Stopped> {
        self.ask(Command::Metrics).await
    }

    /// The counters and sums of a scrape.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn scrape(&self) -> Result<(Metrics, Gauges), Stopped> {
        self.ask(Command::Scrape).await
    }

    /// Programming errors seen so far.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn violations(&self) -> Result<Vec<Violation>, Stopped> {
        self.ask(Command::Violations).await
    }

    /// Returns when every cache has caught up with its server as it was when this was called.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn catch_up(&self) -> Result<(), Stopped> {
        self.ask(Command::CatchUp).await
    }

    /// Returns when the watches have told all of this and every own write, and there is nothing to do; says whether this
    /// process may act then. Sooner than [`Self::catch_up`] where it is known what was written: no watch has to be asked where it
    /// is.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn settled(&self, marks: Vec<Mark>) -> Result<bool, Stopped> {
        self.ask(|reply| Command::Settle(marks, reply)).await
    }

    /// Ends the driver as a crash would: nothing is drained, nothing is given back.
    pub async fn abort(&self) {
        // An error means that it has ended already.
        let _ = self.commands.send(Command::Abort).await;
    }

    /// Tells when the engine is idle: nothing to do until something outside changes.
    #[must_use]
    pub fn idle(&self) -> watch::Receiver<bool> {
        self.idle.clone()
    }

    /// Stops sending, lets answers drain and gives leases back; returns when that is done.
    pub async fn shutdown(&self) {
        if self.input(Input::Shutdown).await.is_err() {
            return;
        }
        let mut drained = self.drained.clone();
        // An error means that the driver is gone, which is drained as well.
        let _ = drained.wait_for(|is_drained| *is_drained).await;
    }
}

/// Owns the engine.
pub struct Driver {
    engine: Engine,
    clock: Clock,
    clusters: Clusters,
    leases: Vec<LeasePlace>,
    commands: mpsc::Sender<Command>,
    running: BTreeMap<StoreId, AbortHandle>,
    barriers: BTreeMap<BarrierId, oneshot::Sender<()>>,
    next_barrier: u64,
    settling: Vec<(Vec<Mark>, oneshot::Sender<bool>)>,
    idle: watch::Sender<bool>,
    drained: watch::Sender<bool>,
    wake_after: std::time::Duration,
}

impl Driver {
    /// Starts a driver on the current runtime.
    #[must_use]
    pub fn start(setup: Setup, clusters: Clusters) -> Handle {
        let (commands, receiver) = mpsc::channel(INPUTS_MAX);
        let (idle, idle_receiver) = watch::channel(false);
        let (drained, drained_receiver) = watch::channel(false);
        let handle = Handle { commands: commands.clone(), idle: idle_receiver, drained: drained_receiver };
        // The engine is made on its own thread: it is single-threaded data, and its passes never run on a thread that
        // sockets wait for.
        let runtime = tokio::runtime::Handle::current();
        std::thread::spawn(move || {
            let clock = Clock::start();
            let (places, leases) = setup.leases.into_iter().unzip();
            let engine = Engine::new(
                setup.settings,
                setup.seed,
                clock.now(),
                (setup.controllers)(),
                setup.configuration,
            )
            .with_leases(leases)
            .timed_by(Box::new(move || clock.elapsed()));
            let engine = if setup.is_read_only { engine.observing() } else { engine };
            let driver = Self {
                engine,
                clock,
                clusters,
                leases: places,
                commands,
                running: BTreeMap::new(),
                barriers: BTreeMap::new(),
                next_barrier: 0,
                settling: Vec::new(),
                idle,
                drained,
                wake_after: std::time::Duration::ZERO,
            };
            runtime.block_on(driver.run(receiver));
        });
        handle
    }

    async fn run(mut self, mut receiver: mpsc::Receiver<Command>) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let taken_in =
                tokio::time::timeout(self.wake_after, receiver.recv_many(&mut batch, BATCH_MAX)).await;
            if taken_in == Ok(0) {
                break;
            }
            self.engine.take(self.clock.now(), Input::Tick);
            if batch.iter().any(|command| matches!(command, Command::Abort)) {
                return;
            }
            for command in batch.drain(..) {
                self.command(command);
            }
            for output in self.engine.finish() {
                if self.output(output) {
                    return;
                }
            }
            let is_idle = self.engine.is_idle();
            if is_idle {
                self.answer_settled();
            }
            self.idle.send_if_modified(|idle| std::mem::replace(idle, is_idle) != is_idle);
        }
    }

    /// Answers whoever waits for what is now seen; those who went away wait for nothing.
    fn answer_settled(&mut self) {
        let waiting = std::mem::take(&mut self.settling);
        let (seen, waiting): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(marks, _)| self.engine.has_seen(marks));
        self.settling = waiting;
        self.settling.retain(|(_, reply)| !reply.is_closed());
        for (_, reply) in seen {
            // Whoever went away needs no answer.
            let _ = reply.send(self.engine.may_act());
        }
    }

    fn command(&mut self, command: Command) {
        // Whoever asked and went away needs no answer.
        match command {
            Command::Input(input) => self.engine.take(self.clock.now(), input),
            Command::Explain(cluster, resource, key, reply) => {
                let _ = reply.send(self.engine.explain(&cluster, resource, &key));
            }
            Command::Status(reply) => {
                let _ = reply.send(self.engine.status());
            }
            Command::Verdicts(reply) => {
                let _ = reply.send(self.engine.verdicts());
            }
            Command::Metrics(reply) => {
                let _ = reply.send((self.engine.metrics.clone(), self.engine.status()));
            }
            Command::Scrape(reply) => {
                let _ = reply.send((self.engine.metrics.clone(), self.engine.gauges()));
            }
            Command::Violations(reply) => {
                let _ = reply.send(self.engine.violations.clone());
            }
            Command::CatchUp(reply) => {
                let barrier = BarrierId(self.next_barrier);
                self.next_barrier += 1;
                self.barriers.insert(barrier, reply);
                self.engine.take(self.clock.now(), Input::CatchUp(barrier));
            }
            Command::Settle(marks, reply) => self.settling.push((marks, reply)),
            Command::Abort => {}
        }
    }

    /// Does what the engine wants. True when it has drained and the driver ends.
    fn output(&mut self, output: Output) -> bool {
        match output {
            Output::List { store, epoch, cluster, kind, limit, continue_token } => {
                self.list(Source { store, epoch, cluster, kind }, limit, continue_token);
            }
            Output::Watch { store, epoch, cluster, kind, from, timeout_seconds } => {
                self.watch(Source { store, epoch, cluster, kind }, from, timeout_seconds);
            }
            Output::Stop(store) => {
                if let Some(task) = self.running.remove(&store) {
                    task.abort();
                }
            }
            Output::Execute(step, request) => {
                let (clusters, commands) = (self.clusters.clone(), self.commands.clone());
                tokio::spawn(async move {
                    let answer = executor::execute(&clusters, request).await;
                    let _ = commands.send(Command::Input(Input::Answered(step, answer))).await;
                });
            }
            Output::Fence { store, cluster, kind } => {
                let (clusters, commands) = (self.clusters.clone(), self.commands.clone());
                tokio::spawn(async move {
                    let answer = executor::fence(&clusters, &cluster, kind).await;
                    let _ = commands.send(Command::Input(Input::Fenced(store, answer))).await;
                });
            }
            Output::Lease(index, want) => self.lease(index, want),
            Output::WakeAfter(wait) => self.wake_after = wait,
            Output::CaughtUp(barrier) => {
                if let Some(reply) = self.barriers.remove(&barrier) {
                    let _ = reply.send(());
                }
            }
            Output::Drained => {
                self.drained.send_replace(true);
                return true;
            }
        }
        false
    }

    fn list(&mut self, source: Source, limit: u32, token: Option<String>) {
        let (client, commands) = (self.clusters.client(&source.cluster), self.commands.clone());
        let store = source.store;
        let task = tokio::spawn(async move {
            let page = informer::page(client, &source, limit, token.as_deref()).await;
            let _ = commands.send(Command::Input(Input::Listed(source.store, source.epoch, page))).await;
        });
        self.replace(store, task.abort_handle());
    }

    fn watch(&mut self, source: Source, from: String, timeout_seconds: u64) {
        let (client, commands) = (self.clusters.client(&source.cluster), self.commands.clone());
        let store = source.store;
        let task = tokio::spawn(async move {
            let failure = informer::watch(client, &source, &from, timeout_seconds, &commands).await;
            let _ =
                commands.send(Command::Input(Input::WatchEnded(source.store, source.epoch, failure))).await;
        });
        self.replace(store, task.abort_handle());
    }

    fn replace(&mut self, store: StoreId, task: AbortHandle) {
        if let Some(before) = self.running.insert(store, task) {
            before.abort();
        }
    }

    fn lease(&mut self, index: usize, want: engine::LeaseWant) {
        let Some(place) = self.leases.get(index).cloned() else { return };
        let (clusters, commands) = (self.clusters.clone(), self.commands.clone());
        tokio::spawn(async move {
            let answer = executor::lease(&clusters, &place, &want).await;
            let _ = commands.send(Command::Input(Input::Lease(index, answer))).await;
        });
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        for task in self.running.values() {
            task.abort();
        }
    }
}
