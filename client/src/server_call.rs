//! A call on a server: its transport, and the task that drives it.
//!
//! ```text
//! Part::write ──bytes──> budget ──frame──> queue ──Outgoing──> tonic ──> server
//!                          ^                  │                            │
//!                          └──── returned when the transport takes it      │
//! Answer <──oneshot── ledger.waiting <── drive (one task a call) <─────────┘
//! ```
//!
//! The queue itself is unbounded, but its contents are bounded: every byte holds a permit of the
//! budget, and every part holds one of a fixed number of slots. So ending a part never waits, and
//! the drop of a handle can end its part.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::JoinHandle;
use tonic::CancellationHandle;

use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::outgoing::{Line, Messages, Outgoing};
use crate::server::Lease;
use crate::settings::Settings;
use crate::waiting_parts::Ledger;
use crate::wire_messages::{PartOptions, Rpc};

/// A call in progress.
pub(crate) struct Exchange {
    line: Arc<Line>,
    driver: JoinHandle<Result<()>>,
    cancellation: Option<CancellationHandle>,
    /// Owned by the driver while it runs.
    lease: Weak<Lease>,
    deadline: Deadline,
}

impl Exchange {
    /// Opens a call. The server is told the time until the deadline; the caller enforces the
    /// deadline.
    pub(crate) fn open<R: Rpc>(
        ledger: &Arc<Ledger<R>>,
        lease: Lease,
        settings: Settings,
        deadline: Deadline,
    ) -> Self {
        let lease = Arc::new(lease);
        let (line, outgoing) = Line::new(ledger, settings);
        let mut request = tonic::Request::new(outgoing);
        if let Some(left) = deadline.left() {
            request.set_timeout(left);
        }
        let cancellation = request.cancellation_handle();
        let held = Arc::downgrade(&lease);
        if !lease.may_share_memory() {
            let _ = line.memory.set(None);
        }
        let ends = Ends {
            ledger: Arc::clone(ledger),
            line: Arc::clone(&line),
        };
        let driver = drive(ends, lease, request);
        Self {
            line,
            driver: tokio::spawn(driver),
            cancellation: Some(cancellation),
            lease: held,
            deadline,
        }
    }

    pub(crate) fn messages(&self, number: u64, options: &PartOptions) -> Messages {
        Messages::new(&self.line, number, options)
    }

    pub(crate) fn half_close<R: Rpc>(&self, ledger: &Ledger<R>) {
        if ledger.close() {
            self.line.half_close();
        }
    }

    /// Waits for the status of a half-closed call.
    pub(crate) async fn finish<R: Rpc>(&mut self, ledger: &Ledger<R>) -> Result<()> {
        match (&mut self.driver).await {
            Ok(outcome) => outcome,
            Err(_) => Err(ledger.over()),
        }
    }

    /// Does not affect a finished call. Before the end, the request body fails, so the server sees
    /// a reset and never an end of stream, which would mean "complete".
    pub(crate) fn cancel<R: Rpc>(&mut self, ledger: &Ledger<R>) {
        if let Some(lease) = self.lease.upgrade()
            && let Some(late) = self.deadline.passed()
            && self.waits_for_server(ledger)
        {
            lease.learned(Some(&late));
        }
        if let Some(cancellation) = self.cancellation.take() {
            cancellation.cancel();
        }
        // End the call first: the drop of the driver would report another reason.
        end(ledger, &self.line, Error::Cancelled);
        self.driver.abort();
    }

    /// Whether only the server can make progress: it has not accepted the call yet, or all parts
    /// have ended.
    fn waits_for_server<R: Rpc>(&self, ledger: &Ledger<R>) -> bool {
        self.line.accepted.get().is_none() || ledger.counts().0 == 0
    }
}

fn end<R: Rpc>(ledger: &Ledger<R>, line: &Line, error: Error) {
    ledger.end(error);
    line.end();
}

/// Ends the call when its driver is dropped, even before its first poll: the runtime drops its tasks
/// when it ends. Parts may be in use in another runtime, and would wait forever.
struct Ends<R: Rpc> {
    ledger: Arc<Ledger<R>>,
    line: Arc<Line>,
}

impl<R: Rpc> Drop for Ends<R> {
    fn drop(&mut self) {
        // The first error counts.
        let error = match std::thread::panicking() {
            true => Error::Protocol("the task of the call panicked"),
            false => Error::RuntimeEnded,
        };
        end(&self.ledger, &self.line, error);
    }
}

/// Runs the call of one stream to its end.
async fn drive<R: Rpc>(
    ends: Ends<R>,
    lease: Arc<Lease>,
    request: tonic::Request<Outgoing<R>>,
) -> Result<()> {
    let Ends { ledger, line } = &ends;
    let outcome = tokio::select! {
        outcome = exchange(ledger, line, &lease, request) => outcome,
        error = stalled(ledger, line) => Err(error),
    };
    let (in_progress, unanswered) = ledger.counts();
    let (is_idle, is_answered) = (in_progress == 0, unanswered == 0);
    let outcome = match outcome {
        Ok(()) if !is_answered => Err(Error::Protocol("the stream ended with parts unanswered")),
        outcome => outcome,
    };
    let outcome = outcome.map_err(|error| lease.judged(error));
    if matches!(&outcome, Err(error) if error.is_of_memory())
        && let Some(Some(region)) = line.memory.get()
    {
        lease.forget_memory(region).await;
    }
    // A retry that chooses a server must already know this.
    lease.learned(outcome.as_ref().err());
    let over = Error::Protocol("the server ended the stream");
    end(ledger, line, outcome.clone().err().unwrap_or(over));
    match outcome {
        // The server is gone, but all parts have ended and are answered, so nothing is lost.
        Err(error) if error.is_retryable() && is_idle && is_answered => Ok(()),
        outcome => outcome,
    }
}

async fn exchange<R: Rpc>(
    ledger: &Ledger<R>,
    line: &Line,
    lease: &Lease,
    mut request: tonic::Request<Outgoing<R>>,
) -> Result<()> {
    let memory = lease.memory().await;
    if let Some(memory) = &memory
        && let Ok(id) = memory.id.parse()
    {
        request.metadata_mut().insert("hashlane-memory", id);
    }
    let _ = line.memory.set(memory);
    let responses = R::call(lease.service(), request).await;
    let mut responses = responses
        .map_err(|status| Error::of_status(&status))?
        .into_inner();
    let _ = line.accepted.set(());
    lease.heard();
    loop {
        let response = responses.message().await;
        match response.map_err(|status| Error::of_status(&status))? {
            Some(response) => {
                let (slots_read, says_more) = R::memory_read(&response);
                if slots_read > 0 {
                    ledger.progressed();
                    line.read(slots_read)?;
                    if !says_more {
                        continue;
                    }
                }
                let (number, answer) = R::answer(response)?;
                if let Err(error) = &answer
                    && error.is_of_server()
                {
                    lease.learned(Some(error));
                    if ledger.close() {
                        line.half_close();
                    }
                }
                ledger.answer(number, answer)?;
            }
            None => return Ok(()),
        }
    }
}

/// Returns once the server has had work for the stall timeout, but has neither taken a byte nor
/// answered.
async fn stalled<R: Rpc>(ledger: &Ledger<R>, line: &Line) -> Error {
    let timeout = line.settings.stall_timeout;
    // Four checks per timeout: it is accurate to a quarter.
    let mut tick = tokio::time::interval((timeout / 4).max(Duration::from_millis(1)));
    let mut seen = ledger.progress();
    let mut since = tokio::time::Instant::now();
    loop {
        let now = tick.tick().await;
        let progress = ledger.progress();
        if progress != seen || !(line.has_bytes() || ledger.is_owed()) {
            seen = progress;
            since = now;
        } else if now - since >= timeout {
            return Error::Stalled(timeout);
        }
    }
}
