//! One file per verb.

pub(crate) mod completion;
pub(crate) mod crds;
pub(crate) mod explain;
pub(crate) mod manager;
pub(crate) mod standalone;
