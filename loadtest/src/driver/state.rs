//! The state of a load, shared by its threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::answer::{Answer, Fault};
use super::tally::{Tally, Times};
use super::target::Target;
use crate::args::{ClientName, LoadArgs};
use crate::load::payload::{Payload, PreparedPart};
use crate::load::schedule::Starts;

/// The load to drive.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) target: Target,
    /// The load; its sizes are already in `payload`.
    pub(crate) load: LoadArgs,
    pub(crate) payload: Arc<Payload>,
    pub(crate) client: ClientName,
    /// For the prepared client: the largest payload of a frame for a receiver without HTTP/2. Then
    /// only the socket limits the client, and a part counts as answered when its last byte is in
    /// the outbox.
    pub(crate) receiver_frame_bytes: Option<usize>,
    /// Number of parts to send over all streams; no limit if `None`.
    pub(crate) count: Option<u64>,
    /// Whether to compare answers with the known digests. Not possible with a server that does not
    /// hash.
    pub(crate) check: bool,
    /// Bytes per second of a call; no limit if `None`.
    pub(crate) bandwidth: Option<u64>,
    /// The schedule; a closed loop if `None`. Only for hyper's client.
    pub(crate) open: Option<OpenLoop>,
}

impl Plan {
    /// A closed loop without bounds, whose answers are checked, by hyper's client.
    pub(crate) fn new(target: Target, load: LoadArgs, payload: Arc<Payload>) -> Self {
        Self {
            target,
            load,
            payload,
            client: ClientName::Hyper,
            receiver_frame_bytes: None,
            count: None,
            check: true,
            bandwidth: None,
            open: None,
        }
    }
}

/// Parts start by a schedule, whatever becomes of those before.
#[derive(Debug)]
pub(crate) struct OpenLoop {
    pub(crate) starts: Starts,
    /// Starts before this time of the schedule are not measured.
    pub(crate) warmup: Duration,
    /// The schedule ends here.
    pub(crate) end: Duration,
    /// The most parts without an answer; starts beyond are missed.
    pub(crate) in_flight_max: usize,
}

/// The phase of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Connections are open; nothing is sent yet.
    Connected,
    /// Parts are sent; their latencies are not recorded.
    Warmup,
    /// Latencies are recorded.
    Measure,
    /// No new part starts.
    Finish,
    /// Parts in flight are dropped.
    Abort,
}

/// Shared by the threads and their driver.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) plan: Plan,
    pub(super) phase: watch::Sender<Phase>,
    /// The begin of the schedule: when the first phase after Connected began.
    pub(super) begin: OnceLock<Instant>,
    /// What is known of the parts of each thread, since it was taken last.
    pub(super) tallies: Vec<Mutex<Tally>>,
    /// Bytes of data written to sockets, or read by the server from shared memory: one counter per
    /// thread.
    pub(super) sent_bytes: Vec<AtomicU64>,
    /// Those of `sent_bytes` in shared memory.
    pub(super) memory_bytes: Vec<AtomicU64>,
    /// Streams that have sent data.
    pub(super) sending: AtomicUsize,
    /// Parts answered in the phase Measure.
    pub(super) measured: AtomicU64,
    /// Parts that may still be sent.
    pub(super) tickets: AtomicU64,
    /// Errors over all threads.
    pub(super) errors: AtomicU64,
}

impl Shared {
    pub(super) fn enter(&self, phase: Phase) {
        if phase > Phase::Connected {
            self.begin.get_or_init(Instant::now);
        }
        self.phase.send_if_modified(|now| {
            let forward = *now < phase;
            if forward {
                *now = phase;
            }
            forward
        });
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Takes a ticket for one more part.
    pub(super) fn take_ticket(&self) -> bool {
        let (relaxed, one) = (Ordering::Relaxed, |left: u64| left.checked_sub(1));
        let is_left = || self.tickets.fetch_update(relaxed, relaxed, one).is_ok();
        self.phase() < Phase::Finish && is_left()
    }

    /// Counts bytes of data that `thread` wrote. `is_first` marks a stream's first message.
    pub(super) fn sent(&self, thread: usize, bytes: u64, is_first: bool) {
        self.sent_bytes[thread].fetch_add(bytes, Ordering::Relaxed);
        if is_first {
            self.sending.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts bytes that are already in `sent_bytes`, and that the server read from memory.
    pub(super) fn read_memory(&self, thread: usize, bytes: u64) {
        self.memory_bytes[thread].fetch_add(bytes, Ordering::Relaxed);
    }

    /// Checks `answer` and counts it. It is measured now unless `measured` tells. Times of parts
    /// that only spread the starts of streams are not recorded.
    ///
    /// # Errors
    /// The part was refused: an error of its stream.
    pub(super) fn settle(
        &self,
        tally: &mut Tally,
        answer: &impl Answer,
        part: &PreparedPart,
        measured: Option<bool>,
        times: Option<Times>,
    ) -> Result<(), String> {
        let outcome = if self.plan.check {
            answer.check(&part.right())
        } else {
            answer.refusal()
        };
        if let Err(Fault::Refused(text)) = outcome {
            return Err(text);
        }
        let measured = measured.unwrap_or_else(|| self.phase() == Phase::Measure);
        self.measured
            .fetch_add(u64::from(measured), Ordering::Relaxed);
        tally.answered(part, measured, times);
        if let Err(Fault::Mismatch(text)) = outcome {
            tally.mismatches += 1;
            tally.note(text, 1);
        } else {
            tally.caught += u64::from(part.is_corrupted());
        }
        Ok(())
    }

    /// Counts an error, and ends the load after too many.
    pub(super) fn fail(&self, tally: &mut Tally, text: String) {
        tally.error(text);
        if self.errors.fetch_add(1, Ordering::Relaxed) + 1 >= self.plan.load.errors_max {
            self.enter(Phase::Abort);
        }
    }
}
