//! Response bodies: whole ones, and the streams of watches.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::handle::CancelOnDrop;

/// A response body.
#[derive(Debug)]
pub struct Body(Kind);

#[derive(Debug)]
enum Kind {
    Whole(Option<Bytes>),
    Stream {
        frames: UnboundedReceiver<Bytes>,
        /// How many frames wait in the channel; the shell ends streams whose reader falls too far behind.
        waiting: Arc<AtomicUsize>,
        /// Tells the server when the reader goes.
        _cancel: CancelOnDrop,
    },
}

impl Body {
    pub(crate) fn whole(bytes: Bytes) -> Self {
        Self(Kind::Whole(Some(bytes).filter(|bytes| !bytes.is_empty())))
    }

    pub(crate) fn stream(
        frames: UnboundedReceiver<Bytes>,
        waiting: Arc<AtomicUsize>,
        cancel: CancelOnDrop,
    ) -> Self {
        Self(Kind::Stream { frames, waiting, _cancel: cancel })
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Stream { frames, waiting, .. } => frames.poll_recv(context).map(|received| {
                received.map(|bytes| {
                    waiting.fetch_sub(1, Ordering::Relaxed);
                    Ok(Frame::data(bytes))
                })
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Kind::Whole(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => {
                http_body::SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64)
            }
            Kind::Stream { .. } => http_body::SizeHint::default(),
        }
    }
}
