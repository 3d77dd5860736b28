//! The admin port: HTTP/1.1 for operators, probes and scrapers.
//!
//! ```text
//! listener.rs ── TLS, if set ── one request each, bounded in time ──> routes.rs ──> probes
//!                                             scrape.rs, state.rs (JSON), page/ (for people) <──┘
//! ```
//!
//! healthcheck.rs is the client: it sends the request of `--healthcheck`.
//!
//! Why no worker is asked: a hung worker could not answer, just when the answer matters. Workers
//! write counters, which the admin thread reads.
//!
//! Why probes need no certificate: Kubernetes' probes and a container's health check have none, and
//! probes reveal nothing that clients do not know. With `admin.client_ca` all other paths need one.

mod healthcheck;
mod listener;
mod routes;
mod scrape;
mod state;

pub use self::healthcheck::healthcheck;
pub(crate) use self::state::Admin;
