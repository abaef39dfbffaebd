//! The thread that owns the server and its clock.
//!
//! One loop: take a message or the time to wake, step the server, carry its outputs out. The sink has a thread of its
//! own and commits in groups: while it writes, the next batches gather.

mod streams;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use apiserver::request::{Request, RequestId};
use apiserver::server::{Input, Output, Response};
use apiserver::store::Batch;
use apiserver::{Config, Server, StartError};
use jiff::Timestamp;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use tokio::sync::oneshot;

use crate::handle::Handle;
use crate::sink::{Sink, SinkError};
use streams::Streams;

pub(crate) use streams::Answer;

/// Longest sleep of the thread; a server that asked for nothing is looked at this often.
const IDLE: Duration = Duration::from_mins(1);

/// What reaches the thread.
pub(crate) enum Message {
    /// A request and where its answer goes.
    Request(Box<Request>, oneshot::Sender<Answer>),
    /// The client of a request has gone.
    Cancel(RequestId),
    /// The sink has committed up to a revision.
    Persisted(u64),
    /// The sink cannot go on.
    SinkFailed(SinkError),
    /// A question about the server itself.
    Ask(Box<dyn FnOnce(&Server) + Send>),
    /// Stop.
    Stop,
}

/// A running server. Dropping it stops the threads.
#[derive(Debug)]
pub struct Shell {
    sender: Sender<Message>,
    in_flight: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Shell {
    /// Starts a server whose state lives in memory alone.
    ///
    /// # Errors
    /// [`StartError`] when a kind cannot be served.
    pub fn start_in_memory(config: Config, seed: [u8; 32]) -> Result<Self, StartError> {
        Self::start(config, seed, None, apiserver::store::Store::default())
    }

    /// Starts a server over what a sink kept, and keeps feeding that sink.
    ///
    /// # Errors
    /// [`StartError`] when a kind cannot be served.
    pub fn start_durable(
        config: Config,
        seed: [u8; 32],
        sink: Box<dyn Sink>,
        store: apiserver::store::Store,
    ) -> Result<Self, StartError> {
        Self::start(config, seed, Some(sink), store)
    }

    fn start(
        mut config: Config,
        seed: [u8; 32],
        sink: Option<Box<dyn Sink>>,
        store: apiserver::store::Store,
    ) -> Result<Self, StartError> {
        config.durable = sink.is_some();
        let generator = ChaCha12Rng::from_seed(seed);
        let (server, outputs) = Server::start(config, store, generator, Timestamp::now())?;
        let (sender, receiver) = mpsc::channel();
        let failure = Arc::new(Mutex::new(None));
        let sink = sink.map(|sink| start_sink(sink, sender.clone()));
        let core = Core { server, streams: Streams::default(), sink, failure: failure.clone(), wake: None };
        let thread = std::thread::spawn(move || core.run(&receiver, outputs));
        Ok(Self { sender, in_flight: Arc::default(), thread: Some(thread), failure })
    }

    /// A handle whose requests speak for nobody unless they carry a token.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle::new(self.sender.clone(), self.in_flight.clone())
    }

    /// Why the server can no longer serve, if so: the sink failed. The caller should end the process.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the server; everything that was answered is durable already.
    pub fn stop(mut self) {
        self.join();
    }

    fn join(&mut self) {
        // The thread may have ended already; then nobody is left to be told.
        let _ = self.sender.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.join();
    }
}

/// What the thread owns.
struct Core {
    server: Server,
    streams: Streams,
    sink: Option<SinkThread>,
    failure: Arc<Mutex<Option<String>>>,
    wake: Option<Timestamp>,
}

impl Core {
    fn run(mut self, receiver: &Receiver<Message>, outputs: Vec<Output>) {
        self.carry(outputs);
        loop {
            let input = match receiver.recv_timeout(self.patience()) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(message) => self.input(message),
                Err(RecvTimeoutError::Timeout) => Some(Input::Tick),
            };
            if let Some(input) = input {
                self.step(input);
            }
            // After every message, so that a crowd of requests does not keep the inside clients from working.
            if self.wake.is_some_and(|wake| wake <= Timestamp::now()) {
                self.step(Input::Tick);
            }
        }
        if let Some(sink) = self.sink.take() {
            sink.stop();
        }
    }

    fn step(&mut self, input: Input) {
        self.wake = None;
        let outputs = self.server.handle(Timestamp::now(), input);
        self.carry(outputs);
    }

    fn patience(&self) -> Duration {
        let Some(wake) = self.wake else { return IDLE };
        let wait = wake.duration_since(Timestamp::now());
        Duration::try_from(wait).unwrap_or(Duration::ZERO).min(IDLE)
    }

    fn input(&mut self, message: Message) -> Option<Input> {
        match message {
            Message::Request(request, answer) => {
                if let Some(why) = self.failed() {
                    // The client may have gone; then nobody needs the answer.
                    let _ = answer.send(Answer::Whole(unavailable(&why)));
                    return None;
                }
                self.streams.expect(request.id, answer);
                Some(Input::Request(request))
            }
            Message::Cancel(id) => {
                self.streams.forget(id);
                Some(Input::Cancel(id))
            }
            Message::Persisted(up_to) => Some(Input::Persisted { up_to }),
            Message::SinkFailed(error) => {
                self.fail(&error);
                None
            }
            Message::Ask(question) => {
                question(&self.server);
                None
            }
            Message::Stop => None,
        }
    }

    fn failed(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Nothing that is not durable may be answered any more, so everybody is told and nothing new is taken.
    fn fail(&mut self, error: &SinkError) {
        let why = error.to_string();
        tracing::error!(error = %why, "the data directory can no longer be written");
        self.streams.fail_all(&unavailable(&why));
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }

    fn carry(&mut self, outputs: Vec<Output>) {
        let mut opened = Vec::new();
        for output in outputs {
            match output {
                Output::Respond { id, response } => self.streams.respond(id, response),
                Output::Open { id, content_type } => {
                    self.streams.open(id, content_type);
                    opened.push(id);
                }
                Output::Frame { id, bytes } => {
                    let begins = opened.contains(&id);
                    if !self.streams.send(id, bytes, begins) {
                        self.drop_slow(id);
                    }
                }
                Output::End { id } => self.streams.end(id),
                Output::Persist(batch) => {
                    if let Some(sink) = &self.sink {
                        sink.write(batch);
                    }
                }
                Output::WakeAt(at) => self.wake = Some(at),
                _ => {}
            }
        }
    }

    /// A reader that does not keep up loses its watch and lists again.
    fn drop_slow(&mut self, id: RequestId) {
        self.streams.end(id);
        let wake = self.wake;
        let outputs = self.server.handle(Timestamp::now(), Input::Cancel(id));
        self.carry(outputs);
        self.wake = self.wake.or(wake);
    }
}

fn unavailable(why: &str) -> Response {
    let failure = apiserver::status::Failure::new(503, "ServiceUnavailable", why);
    Response::from(failure)
}

/// The sink's thread.
struct SinkThread {
    batches: Sender<Batch>,
    thread: JoinHandle<()>,
}

impl SinkThread {
    fn write(&self, batch: Batch) {
        // A sink that has failed has said so already.
        let _ = self.batches.send(batch);
    }

    fn stop(self) {
        drop(self.batches);
        let _ = self.thread.join();
    }
}

fn start_sink(mut sink: Box<dyn Sink>, shell: Sender<Message>) -> SinkThread {
    let (batches, receiver) = mpsc::channel::<Batch>();
    let thread = std::thread::spawn(move || {
        while let Ok(first) = receiver.recv() {
            let mut group = vec![first];
            group.extend(receiver.try_iter());
            let up_to = group.last().map_or(0, |batch| batch.revision);
            let message = match sink.write(&group) {
                Ok(()) => Message::Persisted(up_to),
                Err(error) => Message::SinkFailed(error),
            };
            let failed = matches!(message, Message::SinkFailed(_));
            if shell.send(message).is_err() || failed {
                return;
            }
        }
    });
    SinkThread { batches, thread }
}
