//! Who waits for which answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use apiserver::limits::WATCH_QUEUE_MAX;
use apiserver::request::RequestId;
use apiserver::server::Response;
use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

/// What a request is answered with.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Everything at once.
    Whole(Response),
    /// A stream.
    Stream { content_type: &'static str, frames: mpsc::UnboundedReceiver<Bytes>, waiting: Arc<AtomicUsize> },
}

/// An open stream.
struct Stream {
    frames: mpsc::UnboundedSender<Bytes>,
    waiting: Arc<AtomicUsize>,
    /// How many frames may wait: the state a watch begins with does not count against its reader.
    allowed: usize,
}

/// See the module.
#[derive(Default)]
pub(super) struct Streams {
    expected: BTreeMap<RequestId, oneshot::Sender<Answer>>,
    open: BTreeMap<RequestId, Stream>,
}

impl Streams {
    pub(super) fn expect(&mut self, id: RequestId, answer: oneshot::Sender<Answer>) {
        self.expected.insert(id, answer);
    }

    pub(super) fn forget(&mut self, id: RequestId) {
        self.expected.remove(&id);
        self.open.remove(&id);
    }

    pub(super) fn respond(&mut self, id: RequestId, response: Response) {
        if let Some(answer) = self.expected.remove(&id) {
            // The client may have gone meanwhile.
            let _ = answer.send(Answer::Whole(response));
        }
    }

    pub(super) fn open(&mut self, id: RequestId, content_type: &'static str) {
        let Some(answer) = self.expected.remove(&id) else { return };
        let (frames, receiver) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let stream = Answer::Stream { content_type, frames: receiver, waiting: waiting.clone() };
        if answer.send(stream).is_ok() {
            self.open.insert(id, Stream { frames, waiting, allowed: WATCH_QUEUE_MAX });
        }
    }

    /// Sends a frame. Answers `false` when the reader is too far behind.
    pub(super) fn send(&mut self, id: RequestId, bytes: Bytes, begins: bool) -> bool {
        let Some(stream) = self.open.get_mut(&id) else { return true };
        stream.allowed += usize::from(begins);
        if stream.waiting.fetch_add(1, Ordering::Relaxed) >= stream.allowed {
            return false;
        }
        // A reader that has gone says so by a cancel.
        let _ = stream.frames.send(bytes);
        true
    }

    pub(super) fn end(&mut self, id: RequestId) {
        self.open.remove(&id);
    }

    pub(super) fn fail_all(&mut self, response: &Response) {
        for (_, answer) in std::mem::take(&mut self.expected) {
            let _ = answer.send(Answer::Whole(response.clone()));
        }
        self.open.clear();
    }
}
