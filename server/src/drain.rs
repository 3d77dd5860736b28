//! The way down: an ordered shutdown in three phases.
//!
//! ```text
//! Serving ──signal──> Draining ──all gone──────────────> exit
//!                        │ readyz 503, health NOT_SERVING
//!                        │ no new connections, GOAWAY, new calls UNAVAILABLE
//!                        └──drain_timeout──> Cut ──> exit
//!                                             calls end with UNAVAILABLE
//! ```

use tokio::sync::watch;

/// How far the shutdown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Serving,
    /// Running calls may end; new ones are refused.
    Draining,
    /// Running calls are ended.
    Cut,
}

/// Tells everybody the phase.
#[derive(Debug)]
pub(crate) struct Drain(watch::Sender<Phase>);

impl Drain {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Phase::Serving))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Phase> {
        self.0.subscribe()
    }

    /// Goes on to `phase`; never back.
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
