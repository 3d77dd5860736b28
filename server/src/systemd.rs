//! Notifies systemd of readiness, reloads and the end, and feeds its watchdog. Without
//! `NOTIFY_SOCKET` nothing is sent.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval};

/// The service's state for systemd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It serves.
    Ready,
    /// It reads its settings again. [`Doing::Ready`] follows.
    Reloading,
    /// It ends.
    Stopping,
}

/// Sends the service's state.
pub fn notify(doing: Doing) {
    let said = match doing {
        Doing::Ready => sd_notify::notify(&[NotifyState::Ready]),
        // The time identifies this reload.
        Doing::Reloading => NotifyState::monotonic_usec_now()
            .and_then(|now| sd_notify::notify(&[NotifyState::Reloading, now])),
        Doing::Stopping => sd_notify::notify(&[NotifyState::Stopping]),
    };
    if let Err(error) = said {
        tracing::warn!(%error, ?doing, "could not tell systemd");
    }
}

/// Feeds the watchdog, if there is one, twice per timeout.
pub(crate) async fn watchdog() {
    let Some(timeout) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut beats = interval((timeout / 2).max(Duration::from_millis(1)));
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        // If the socket is full, the next notification makes up for it.
        let _ = sd_notify::notify(&[NotifyState::Watchdog]);
    }
}
