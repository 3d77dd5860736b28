//! Hashing on a server: small files as parts of a few streams, each other source in its own call, a
//! bounded number at a time.
//!
//! ```text
//! tasks ──> queue ──> small: read whole, in groups ──> a part of a stream
//!       │               └── long files ───┐
//!       └── pipes, standard input ────────┴── stream: its own call
//! results (in any order) ──> InOrder ──> sink
//! ```
//!
//! server.rs shares tasks out; small.rs has the small files, run.rs what the tasks of a run share,
//! and calls of one source; credentials.rs makes the client.

mod credentials;
mod run;
mod server;
mod small;

pub(crate) use self::credentials::builder;
pub(crate) use self::server::{Remote, runtime};
