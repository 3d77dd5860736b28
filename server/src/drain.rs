//! Ordered shutdown in phases.
//!
//! ```text
//! Serving ──signal──> LameDuck ──lame_duck──> Draining ──all gone──────────> exit
//!                        │ readyz 503            │ no new connections, GOAWAY
//!                        │ health NOT_SERVING    │ new calls and parts refused
//!                        │ serves as before      └──drain_timeout──> Cut ──> exit
//!                                                                    calls end with UNAVAILABLE
//! ```

use std::time::Duration;

use tokio::sync::watch;

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

/// Broadcasts the phase.
#[derive(Debug)]
pub(crate) struct Drain(watch::Sender<Phase>);

impl Drain {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Phase::Serving))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Phase> {
        self.0.subscribe()
    }

    /// Advances to `phase`; never goes back.
    pub(crate) fn enter(&self, phase: Phase) {
        self.0.send_if_modified(|now| {
            let later = phase > *now;
            if later {
                *now = phase;
            }
            later
        });
    }
}
