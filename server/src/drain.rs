//! Ordered shutdown in phases.
//!
//! ```text
//! Serving ──signal──> LameDuck ──lame_duck──> Draining ──all gone──────────> exit
//!                        │ readyz 503            │ no new connections, GOAWAY
//!                        │ health NOT_SERVING    │ new calls and parts refused
//!                        │ serves as before      └──drain_timeout──> Cut ──> exit
//!                                                                    calls end with UNAVAILABLE
//! ```
//!
//! The server tells its threads the phase over a watch channel, and each worker its connections.

use std::time::Duration;

use crate::words::words;

/// Time to send the last statuses after the cut.
pub(crate) const CUT_GRACE: Duration = Duration::from_millis(500);

words! {
    /// The phase of the shutdown.
    #[derive(PartialOrd, Ord)]
    pub(crate) enum Phase {
        Serving = "serving",
        /// Everything is served, but readiness checks fail.
        LameDuck = "lame duck",
        /// Running calls may end; new ones are refused.
        Draining = "draining",
        /// Running calls are ended.
        Cut = "cut",
    }
}
