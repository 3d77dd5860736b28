//! What systemd is told and asks for: readiness, reloads, the end, a watchdog. Without
//! `NOTIFY_SOCKET` nothing is sent.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval};

/// What the service does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It serves.
    Ready,
    /// It reads its settings anew. [`Doing::Ready`] follows.
    Reloading,
    /// It ends.
    Stopping,
}

/// Says what the service does.
pub fn notify(doing: Doing) {
    let said = match doing {
        Doing::Ready => sd_notify::notify(&[NotifyState::Ready]),
        // The time tells this reload from others.
        Doing::Reloading => NotifyState::monotonic_usec_now()
            .and_then(|now| sd_notify::notify(&[NotifyState::Reloading, now])),
        Doing::Stopping => sd_notify::notify(&[NotifyState::Stopping]),
    };
    if let Err(error) = said {
        tracing::warn!(%error, ?doing, "could not tell systemd");
    }
}

/// Tells the watchdog, if there is one, that the server runs, twice in the time it allows.
pub(crate) async fn watchdog() {
    let Some(timeout) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut beats = interval((timeout / 2).max(Duration::from_millis(1)));
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        // What a full socket misses, the next one makes up for.
        let _ = sd_notify::notify(&[NotifyState::Watchdog]);
    }
}
