//! Event of `events.k8s.io`: something happened that a person may want to know.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube_core::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::kind::kind;
use crate::text_enum::text_enum;

/// One happening, or a series of equal ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Metadata; the namespace is that of `regarding`, or `default` for cluster-scoped objects.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// When it was first seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_time: Option<MicroTime>,
    /// Repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<EventSeries>,
    /// Controller that saw it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reporting_controller: String,
    /// Process that saw it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reporting_instance: String,
    /// What was done or tried.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Machine-readable cause; ours are [`EventReason`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The object it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regarding: Option<ObjectReference>,
    /// A second object that has to do with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related: Option<ObjectReference>,
    /// Text for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Whether somebody should look.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<EventType>,
}

/// Repeats of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventSeries {
    /// How often it was seen.
    pub count: i32,
    /// When it was last seen.
    pub last_observed_time: MicroTime,
}

/// An object an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// Group and version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Namespace, empty for cluster-scoped objects.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Uid.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
}

text_enum! {
    /// Whether somebody should look.
    EventType {
        /// The usual course of things; every waiting state is one.
        Normal,
        /// Somebody should look.
        Warning,
    }
}

text_enum! {
    /// Every event reason the product writes.
    EventReason {
        /// On a context: its last holder went; the note says when it ends.
        UnclaimedGraceStarted,
        /// On a context: a holder came back in time.
        UnclaimedGraceCancelled,
        /// On a context: nobody came back, it was deleted.
        PresenceEnded,
        /// On a context: the recorded time cannot be read, so it is not ended.
        UnclaimedSinceUnreadable,
        /// On a claim: a published address is not held any more.
        AddressAllocationMissing,
        /// On a Location: it has no city, so it is not published.
        MissingCityCode,
        /// On a hub object that the publisher would have to overwrite.
        UnlabelledHubObject,
        /// On a hub object that somebody else edits too.
        ForeignFieldManager,
    }
}

impl EventReason {
    /// Whether somebody should look (decisions, Presence 11).
    #[must_use]
    pub fn event_type(self) -> EventType {
        match self {
            Self::UnclaimedGraceStarted | Self::UnclaimedGraceCancelled | Self::PresenceEnded => {
                EventType::Normal
            }
            Self::UnclaimedSinceUnreadable
            | Self::AddressAllocationMissing
            | Self::MissingCityCode
            | Self::UnlabelledHubObject
            | Self::ForeignFieldManager => EventType::Warning,
        }
    }
}

kind!(Event, "events.k8s.io", "v1", "events", Namespaced);
