//! One call of Digest or Verify, with any number of parts.
//!
//! ```text
//! Part::write ──bytes──> budget ──frame──> queue ──Outgoing──> tonic ──> server
//!                          ^                  │                            │
//!                          └──── returned when the transport takes it      │
//! Answer <──oneshot── state.waiting <── drive (one task a call) <──────────┘
//! ```
//!
//! The queue itself is unbounded, but its contents are bounded: every byte holds a permit of the
//! budget, and every part holds one of a fixed number of slots. So ending a part never waits, and
//! the drop of a handle can end its part.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::task::JoinHandle;
use tonic::CancellationHandle;

use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::part::Part;
use crate::rpc::{PartOptions, Rpc};
use crate::server::Lease;
use crate::settings::Settings;
use crate::shared::{Outgoing, Refused, Shared};

/// A call in progress. Dropping it before [`finish`](Self::finish) cancels it.
pub(crate) struct Call<R: Rpc> {
    shared: Arc<Shared<R>>,
    driver: JoinHandle<Result<()>>,
    cancellation: Option<CancellationHandle>,
    /// Owned by the driver while it runs.
    lease: Weak<Lease>,
    deadline: Deadline,
}

impl<R: Rpc> Call<R> {
    /// Opens a call. The server is told the time until the deadline; the caller enforces the
    /// deadline.
    pub(crate) fn open(lease: Lease, settings: Settings, deadline: Deadline) -> Self {
        let lease = Arc::new(lease);
        let (shared, outgoing) = Shared::new(settings);
        let mut request = tonic::Request::new(outgoing);
        if let Some(left) = deadline.left() {
            request.set_timeout(left);
        }
        let cancellation = request.cancellation_handle();
        let held = Arc::downgrade(&lease);
        let driver = tokio::spawn(drive(Arc::clone(&shared), lease, request));
        Self {
            shared,
            driver,
            cancellation: Some(cancellation),
            lease: held,
            deadline,
        }
    }

    /// Begins a part, which holds the slot until it is answered.
    pub(crate) fn part(
        &self,
        options: &PartOptions,
        slot: OwnedSemaphorePermit,
    ) -> Result<Part<R>, Refused> {
        let (sender, receiver) = oneshot::channel();
        let number = self.shared.begin(options, slot, sender)?;
        let shared = Arc::clone(&self.shared);
        Ok(Part::new(shared, number, options.clone(), receiver))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.shared.reason().is_some()
    }

    /// Half-closes, unless a part has not ended: a half-close would end it as if it were complete.
    pub(crate) fn half_close(&self) -> Result<()> {
        match self.shared.counts().0 {
            0 => {}
            open => return Err(Error::Argument(format!("{open} parts have not ended"))),
        }
        self.shared.close();
        Ok(())
    }

    /// Waits for the status of a half-closed call.
    pub(crate) async fn finish(mut self) -> Result<()> {
        match (&mut self.driver).await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.shared.over()),
        }
    }
}

impl<R: Rpc> Drop for Call<R> {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.upgrade()
            && let Some(late) = self.deadline.passed()
            && self.shared.waits_for_server()
        {
            lease.learned(Some(&late));
        }
        // None of this affects a finished call. Before the end, the request body fails, so the
        // server sees a reset and never an end of stream, which would mean "complete".
        if let Some(cancellation) = self.cancellation.take() {
            cancellation.cancel();
        }
        self.driver.abort();
        self.shared.end(Error::Cancelled);
    }
}

impl<R: Rpc> std::fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (_, unanswered) = self.shared.counts();
        f.debug_struct("Call")
            .field("unanswered", &unanswered)
            .field("over", &self.shared.reason())
            .finish_non_exhaustive()
    }
}

/// Runs the call of one stream to its end.
async fn drive<R: Rpc>(
    shared: Arc<Shared<R>>,
    lease: Arc<Lease>,
    request: tonic::Request<Outgoing<R>>,
) -> Result<()> {
    let outcome = tokio::select! {
        outcome = exchange(&shared, &lease, request) => outcome,
        error = stalled(&shared) => Err(error),
    };
    let (in_progress, unanswered) = shared.counts();
    let (is_idle, is_answered) = (in_progress == 0, unanswered == 0);
    let outcome = match outcome {
        Ok(()) if !is_answered => Err(Error::Protocol("the stream ended with parts unanswered")),
        outcome => outcome,
    };
    let outcome = outcome.map_err(|error| lease.judged(error));
    // A retry that chooses a server must already know this.
    lease.learned(outcome.as_ref().err());
    let over = Error::Protocol("the server ended the stream");
    shared.end(outcome.clone().err().unwrap_or(over));
    match outcome {
        // The server is gone, but all parts have ended and are answered, so nothing is lost.
        Err(error) if error.is_retryable() && is_idle && is_answered => Ok(()),
        outcome => outcome,
    }
}

async fn exchange<R: Rpc>(
    shared: &Shared<R>,
    lease: &Lease,
    request: tonic::Request<Outgoing<R>>,
) -> Result<()> {
    let responses = R::call(lease.service(), request).await;
    let mut responses = responses
        .map_err(|status| Error::of_status(&status))?
        .into_inner();
    let _ = shared.accepted.set(());
    lease.heard();
    loop {
        let response = responses.message().await;
        match response.map_err(|status| Error::of_status(&status))? {
            Some(response) => {
                let (number, answer) = R::answer(response)?;
                if let Err(error) = &answer
                    && error.is_of_server()
                {
                    lease.learned(Some(error));
                    shared.close();
                }
                shared.answer(number, answer)?;
            }
            None => return Ok(()),
        }
    }
}

/// Returns once the server has had work for the stall timeout, but has neither taken a byte nor
/// answered.
async fn stalled<R: Rpc>(shared: &Shared<R>) -> Error {
    let timeout = shared.settings.stall_timeout;
    // Four checks per timeout: it is accurate to a quarter.
    let mut tick = tokio::time::interval((timeout / 4).max(Duration::from_millis(1)));
    let mut seen = shared.progress();
    let mut since = tokio::time::Instant::now();
    loop {
        let now = tick.tick().await;
        let progress = shared.progress();
        if progress != seen || !shared.is_owed() {
            seen = progress;
            since = now;
        } else if now - since >= timeout {
            return Error::Stalled(timeout);
        }
    }
}
