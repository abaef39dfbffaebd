//! Plan tables.
