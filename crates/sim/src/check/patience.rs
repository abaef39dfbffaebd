//! L4: what fails is tried again after a while. No process sends one write over and over within a second without success.

use std::collections::{BTreeMap, VecDeque};

use api::ClusterName;
use apiserver::request::RequestId;
use jiff::{SignedDuration, Timestamp};

use super::{Check, Finding};
use crate::network::{ManagerId, Sent};
use crate::truth::Truth;
use crate::world::Observation;

/// A write by sender, plane, method, path and the object's name.
type Place = (ManagerId, ClusterName, String, String, String);

/// How long sends are counted together.
const SPAN: SignedDuration = SignedDuration::from_secs(1);
/// How many of them there may be: waits double from 5 ms, so eight fit, and as many for a change or two meanwhile.
const SENDS_MAX: usize = 16;

/// When each write was sent lately without success, and those on their way.
#[derive(Default)]
pub(super) struct Patience {
    lately: BTreeMap<Place, VecDeque<Timestamp>>,
    sent: BTreeMap<RequestId, Place>,
}

impl Check for Patience {
    fn rule(&self) -> &'static str {
        "L4 what fails waits"
    }

    fn look(&mut self, _: &Truth, observation: &Observation) -> Option<Finding> {
        match observation {
            Observation::Sent(at, sent) => {
                let place = place(sent)?;
                self.sent.insert(sent.request.id, place.clone());
                let lately = self.lately.entry(place).or_default();
                lately.push_back(*at);
                while lately.front().is_some_and(|first| at.duration_since(*first) > SPAN) {
                    lately.pop_front();
                }
                let text = format!("{}: the {}th time within a second", sent.text(), lately.len());
                let cluster = Some(sent.cluster.clone());
                (lately.len() > SENDS_MAX).then_some(Finding { cluster, object: None, text })
            }
            Observation::Answered(_, answered) => {
                let place = self.sent.remove(&answered.request)?;
                if (200..300).contains(&answered.code) {
                    self.lately.remove(&place);
                }
                None
            }
            _ => None,
        }
    }
}

/// Of a write to an object that is there for its own sake.
fn place(sent: &Sent) -> Option<Place> {
    let (_, plural, name) = sent.object()?;
    let is_counted = plural != "leases" && plural != "events";
    let (method, path) = (sent.request.method.clone(), sent.request.path.clone());
    Some((sent.manager?, sent.cluster.clone(), method, path, name)).filter(|_| is_counted)
}
