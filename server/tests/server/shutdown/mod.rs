//! Shutdown: open work ends, and the rest goes to another server.
//!
//! | file | |
//! |---|---|
//! | drain.rs | the phases of the drain, seen by connections and calls |
//! | failover.rs | SIGTERM under load: clients retry on a second server |

mod drain;
mod failover;
