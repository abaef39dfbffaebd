//! Watches: pieces of a stream come in order, and late, or not at all.

use std::collections::VecDeque;

use api::ClusterName;
use apiserver::request::RequestId;
use bytes::Bytes;
use engine::{Failure, Input, wire};
use jiff::{SignedDuration, Timestamp};

use super::World;
use super::planes::Direction;
use crate::dice::Dice;
use crate::fault::Fault;
use crate::network::{Event, ManagerId, Pending, Piece, Purpose};

/// The most versions that a watch lags behind.
const LAG_MAX: u64 = 8;
/// The longest a watch that lags keeps a piece back, in milliseconds.
const HOLD_MAX: u64 = 60_000;
/// How often pieces that cannot get through are tried.
const RETRY: SignedDuration = SignedDuration::from_secs(1);

/// A watch as the network sees it.
#[derive(Debug)]
pub(super) struct Stream {
    pieces: VecDeque<Piece>,
    /// Each piece comes at the earliest with the one before.
    last_at: Timestamp,
    /// Pieces kept back.
    lag: usize,
    /// How long each of them is; none where nothing is kept back.
    behind: Option<Dice>,
    is_hung: bool,
    is_without_bookmarks: bool,
    /// When its reader stops waiting; none until the server has answered.
    pub(super) until: Option<Timestamp>,
    life: SignedDuration,
}

impl Stream {
    /// Pieces that have not reached the process.
    pub(super) fn waiting(&self) -> usize {
        self.pieces.len()
    }
}

impl World {
    /// Remembers a watch that was asked for; `life` is how long its reader reads at most.
    pub(super) fn stream(&mut self, id: RequestId, life: SignedDuration) {
        let mut behind = self.strikes(Fault::WatchBehind);
        let lag = behind.as_mut().map_or(0, |dice| dice.between(1, LAG_MAX));
        let is_without_bookmarks = self.strikes(Fault::BookmarksMissing).is_some();
        let stream = Stream {
            pieces: VecDeque::new(),
            last_at: self.now,
            lag: usize::try_from(lag).unwrap_or_default(),
            behind,
            is_hung: false,
            is_without_bookmarks,
            until: None,
            life,
        };
        self.streams.insert(id, stream);
    }

    /// The server began to answer a watch.
    pub(super) fn opened(&mut self, id: RequestId) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.until = self.now.checked_add(stream.life).ok();
        }
    }

    /// The server sent a piece of a watch.
    pub(super) fn frame(&mut self, id: RequestId, bytes: Bytes) {
        if !self.streams.contains_key(&id) {
            return;
        }
        let is_dropped = self.strikes(Fault::WatchDropped).is_some();
        let is_hung = self.strikes_if(Fault::WatchHung, !is_dropped).is_some();
        if is_dropped {
            return self.ended(id, Failure::Unreachable("the connection broke".to_owned()));
        }
        if is_hung && let Some(stream) = self.streams.get_mut(&id) {
            stream.is_hung = true;
        }
        let is_bookmark = bytes.starts_with(b"{\"type\":\"BOOKMARK\"");
        let Some(stream) = self.streams.get(&id) else { return };
        if stream.is_hung || (is_bookmark && stream.is_without_bookmarks) {
            return;
        }
        let bytes = match self.pending.get(&id) {
            Some(pending) => self.as_told(&pending.cluster, bytes),
            None => bytes,
        };
        if self.strikes_if(Fault::WatchDoubled, !is_bookmark).is_some() {
            self.push(id, Piece::Line(bytes.clone()));
        }
        self.push(id, Piece::Line(bytes));
    }

    /// A watch ends, after the pieces that are on their way.
    pub(super) fn ended(&mut self, id: RequestId, failure: Failure) {
        self.push(id, Piece::End(failure));
    }

    /// Every piece has one delivery; which of them carries it depends on the lag.
    fn push(&mut self, id: RequestId, piece: Piece) {
        let mut wait = self.latency();
        let Some(stream) = self.streams.get_mut(&id) else { return };
        stream.pieces.push_back(piece);
        if stream.pieces.len() <= stream.lag {
            let hold = stream.behind.as_mut().map(|dice| dice.millis(100, HOLD_MAX));
            wait += hold.unwrap_or_default();
            let at = self.now.checked_add(wait).unwrap_or(Timestamp::MAX);
            return self.schedule(at, Event::Deliver(id));
        }
        let at = self.now.checked_add(wait).unwrap_or(Timestamp::MAX).max(stream.last_at);
        stream.last_at = at;
        self.schedule(at, Event::Deliver(id));
    }

    /// The next piece reaches its process, or the gate before it.
    pub(super) fn deliver(&mut self, id: RequestId) {
        if !self.is_gated {
            self.deliver_now(id);
        }
    }

    /// The next piece reaches its process.
    pub(super) fn deliver_now(&mut self, id: RequestId) {
        let Some(pending) = self.pending.get(&id) else { return };
        let Purpose::Watch(manager, store, epoch, kind) = pending.purpose else { return };
        if self.cut.contains(&(manager, pending.cluster.clone(), Direction::Back)) {
            return self.schedule_in(RETRY, Event::Deliver(id));
        }
        let Some(piece) = self.streams.get_mut(&id).and_then(|stream| stream.pieces.pop_front()) else {
            return;
        };
        let failure = match piece {
            Piece::Line(line) => match wire::read_event(&line, kind) {
                Ok(Some(event)) => {
                    let input = Input::Watched(store, epoch, event);
                    if self.gets_through(id, &input, manager) {
                        self.inform(manager, input);
                    }
                    return;
                }
                Ok(None) => return,
                Err(failure) => failure,
            },
            Piece::End(failure) => failure,
        };
        self.close(id);
        self.inform(manager, Input::WatchEnded(store, epoch, failure));
    }

    /// Watches of a process whose pings are not answered by the plane are dead.
    pub(super) fn ping(&mut self, manager: ManagerId, cluster: &ClusterName) {
        if !self.cut.iter().any(|(cut, plane, _)| *cut == manager && plane == cluster) {
            return;
        }
        let of_process = |pending: &Pending| match pending.purpose {
            Purpose::Watch(id, store, epoch, _) if id == manager => Some((store, epoch)),
            _ => None,
        };
        let opened = self
            .pending
            .iter()
            .filter(|(id, pending)| pending.cluster == *cluster && self.streams.contains_key(id));
        let dead: Vec<_> = opened.filter_map(|(id, pending)| Some((*id, of_process(pending)?))).collect();
        for (id, (store, epoch)) in dead {
            self.close(id);
            let failure = Failure::Unreachable("pings are not answered".to_owned());
            self.inform(manager, Input::WatchEnded(store, epoch, failure));
        }
    }

    /// A watch stays open and says nothing more, not even what is on its way.
    pub(super) fn hang(&mut self, id: RequestId) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.is_hung = true;
            stream.pieces.clear();
        }
    }

    /// The reader of a watch has gone.
    pub(super) fn close(&mut self, id: RequestId) {
        self.streams.remove(&id);
        if let Some(pending) = self.pending.remove(&id) {
            self.drive(&pending.cluster, apiserver::Input::Cancel(id), None);
        }
    }

    /// Watches catch up: none lags, and those that hang break.
    pub(super) fn free_streams(&mut self) {
        let mut hung = Vec::new();
        for (id, stream) in &mut self.streams {
            stream.lag = 0;
            stream.is_without_bookmarks = false;
            if stream.is_hung {
                hung.push(*id);
            }
        }
        for id in hung {
            self.ended(id, Failure::Unreachable("the connection broke".to_owned()));
        }
    }
}
