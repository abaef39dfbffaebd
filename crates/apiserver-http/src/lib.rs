//! apiserver-http
