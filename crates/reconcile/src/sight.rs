//! What a read can say. Absence is only one of the answers, and the only one that may ever lead to destruction.

use std::fmt;

use serde::Serialize;

/// The answer to one read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Sight<T> {
    /// The object (or the members of an index value) as the cluster last showed it.
    Present(T),
    /// A synced cache holds no such object.
    Absent,
    /// The object is there and does not decode; the text says where it fails.
    Invalid(String),
    /// The cluster is engaged and does not serve this kind.
    NotServed,
    /// Nothing can be said.
    Unknown(Unknown),
}

/// Why a read says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Unknown {
    /// The first list has not finished.
    Starting,
    /// No provider has engaged the cluster.
    NotEngaged,
    /// The cluster was engaged and does not answer.
    Unreachable,
    /// The cluster answers and refuses to show this kind.
    Forbidden,
    /// An object that does not decode may or may not belong to what was asked; its key.
    InvalidMember(String),
}

impl<T> Sight<T> {
    /// The value, if there is one.
    #[must_use]
    pub fn present(&self) -> Option<&T> {
        match self {
            Self::Present(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the read says for certain that there is nothing.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether the read is neither a value nor a certain absence.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::Unknown(_))
    }

    /// The same sight of another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Sight<U> {
        self.and_then(|value| Sight::Present(change(value)))
    }

    /// Another sight where there is a value; whatever else was seen stays.
    pub fn and_then<U>(self, change: impl FnOnce(T) -> Sight<U>) -> Sight<U> {
        match self {
            Self::Present(value) => change(value),
            Self::Absent => Sight::Absent,
            Self::Invalid(text) => Sight::Invalid(text),
            Self::NotServed => Sight::NotServed,
            Self::Unknown(why) => Sight::Unknown(why),
        }
    }

    /// The same sight, borrowed.
    pub fn as_ref(&self) -> Sight<&T> {
        match self {
            Self::Present(value) => Sight::Present(value),
            Self::Absent => Sight::Absent,
            Self::Invalid(text) => Sight::Invalid(text.clone()),
            Self::NotServed => Sight::NotServed,
            Self::Unknown(why) => Sight::Unknown(why.clone()),
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => formatter.write_str("its first list has not finished"),
            Self::NotEngaged => formatter.write_str("the plane is not engaged"),
            Self::Unreachable => formatter.write_str("the plane does not answer"),
            Self::Forbidden => formatter.write_str("the plane refuses to show this kind"),
            Self::InvalidMember(key) => write!(formatter, "{key} does not decode and may belong here"),
        }
    }
}
