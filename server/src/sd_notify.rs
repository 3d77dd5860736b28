//! Notifies systemd of readiness, reloads and the end, and feeds its watchdog. Without
//! `NOTIFY_SOCKET` nothing is sent.

use std::time::Duration;

pub use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval};

/// Tells systemd the service's state.
pub fn notify(state: NotifyState<'_>) {
    let told = match state {
        // The time identifies this reload.
        NotifyState::Reloading => NotifyState::monotonic_usec_now()
            .and_then(|now| sd_notify::notify(&[NotifyState::Reloading, now])),
        other => sd_notify::notify(&[other]),
    };
    if let Err(error) = told {
        tracing::warn!(%error, "could not tell systemd");
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
