//! `soak`: a server under clients that work, cancel, corrupt and vanish at random, and a check for
//! leaks.
//!
//! ```text
//! soak_run          the server and its memory, its clients, and what is left at the end
//! world             what the clients share; their random numbers and pauses
//! honest_sessions   calls whose answers are checked
//! hostile_sessions  connections that break the protocol, stall or vanish
//! random_parts      parts, and the messages of calls with several parts
//! ```

mod honest_sessions;
mod hostile_sessions;
mod random_parts;
mod soak_run;
mod world;

pub use soak_run::soak;
