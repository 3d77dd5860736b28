//! `soak`: a server under clients that work, cancel, corrupt and vanish at random, and a check for
//! leaks.
//!
//! ```text
//! soak_run          the server, its clients, and what is left at the end
//! world             what the clients share
//! honest_sessions   calls whose answers are checked
//! hostile_sessions  connections that break the protocol, stall or vanish
//! random_parts      parts, and the messages of calls with several parts
//! random_numbers    numbers and pauses
//! resident_memory   the server's memory over time, and its growth
//! ```

mod honest_sessions;
mod hostile_sessions;
mod random_numbers;
mod random_parts;
mod resident_memory;
mod soak_run;
mod world;

pub use soak_run::soak;
