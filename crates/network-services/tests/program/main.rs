//! The program as it is run: arguments in, output, exit code and what kubectl sees out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "every function here is part of a test")]

mod explaining;
mod input;
mod managing;
mod support;
mod surviving;
mod touring;
