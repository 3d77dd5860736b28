//! The servers under load.
//!
//! ```text
//! compared_modes  hashing modes of hashlane, and other servers, as `compare` names them
//! process         a server as a child process
//! server_memory   the memory that the server's settings allow
//! limits          the server's limits, and whether a load keeps them
//! counters        the server's counters, read from its admin port
//! lane_occupancy  how full the server's lanes were, by its counters
//! plain_server    the subcommand `plain-server`, to which `matrix` compares hashlane
//! ```

pub(crate) mod compared_modes;
pub(crate) mod counters;
pub(crate) mod lane_occupancy;
pub(crate) mod limits;
pub mod plain_server;
pub(crate) mod process;
pub(crate) mod server_memory;
