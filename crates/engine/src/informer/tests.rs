//! Informer tests.
