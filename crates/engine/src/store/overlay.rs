//! Own writes: what a server answered is known before the watch tells it.

use api::Uid;
use reconcile::Object;

/// An own write that the watch has not passed yet. It survives a re-list that is older than it.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The object as the server answered it.
    Object(Object),
    /// The deletion of this life of the object was answered; its revision is not known, so only the watch ends it.
    Tombstone(Uid),
}
