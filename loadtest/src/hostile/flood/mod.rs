//! Floods of frames.
//!
//! ```text
//! catalogue           the floods by name: a table
//! repeated_frames     the frames that a hostile connection sends repeatedly
//! hostile_connection  one connection, which keeps the protocol's limits
//! hostile_thread      all connections of a flood
//! attack              a flood by a number of connections from an address
//! effect              `disturb --flood`: an honest client before and during a flood
//! flood_results       its rows and their summary
//! alone               the subcommand `flood`: only floods, on a running server
//! ```

mod alone;
mod attack;
mod catalogue;
mod effect;
mod flood_results;
mod hostile_connection;
mod hostile_thread;
mod repeated_frames;

pub use alone::flood_alone;
pub(crate) use catalogue::Flood;
pub(super) use effect::flood;
