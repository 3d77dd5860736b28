//! A small HashService with configurable faults, on a runtime of its own, so that it can vanish
//! with all its connections.
//!
//! | file | |
//! |---|---|
//! | behaviour.rs | its faults, and what it saw |
//! | fake.rs | the running service |
//! | service.rs | how it answers |
//! | resets.rs | tells a reset from a half-close |

// Each test binary uses a part of it.
#![allow(dead_code, unused_imports)]

mod behaviour;
mod fake;
mod resets;
mod service;

pub(crate) use behaviour::{Behaviour, RETRY_AFTER, Seen, TOKEN};
pub(crate) use fake::{Ca, Fake};
