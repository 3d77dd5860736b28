//! The counters of one worker.
//!
//! Only the worker writes its counters. So an addition is a plain load and store (`Relaxed`), not a
//! locked instruction, and no other thread writes to the same cache line. The admin port reads the
//! counters one after the other: two of them may be some nanoseconds apart, which no rate can show.
//!
//! The exception is `connections_given`: the acceptor writes it, the worker reads it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hashlane_engine::{Algorithm, Crossover, Family, Kernel};
use hashlane_http2::FrameKind;
use tokio::runtime::RuntimeMetrics;

use super::connection_ends::ConnectionEnd;
use super::grpc::{CODES, Method};
use super::heartbeat::Heartbeat;
use super::instruments::{Counter, Histogram, as_f64, nanos};
use crate::shared_memory::Refusal;
use crate::status::Reason;
use crate::words::{Words as _, words};

words! {
    /// Why a step was taken.
    pub(crate) enum StepReason {
        /// The engine was full: enough jobs for the best kernels were ready, with enough bytes.
        Full = "full",
        /// No more jobs were likely, or waiting for them did not pay.
        Idle = "idle",
        /// The worker drains, and waits for no more jobs.
        Drain = "drain",
    }
}

words! {
    /// How a part ended.
    pub(crate) enum Outcome {
        /// Answered with digests.
        Digest = "digest",
        /// Answered with a match.
        Match = "match",
        /// Answered with a mismatch.
        Mismatch = "mismatch",
        /// Answered with an error.
        Error = "error",
        /// Ended unanswered with its stream.
        Cancelled = "cancelled",
    }
}

words! {
    /// The RPCs that have parts. The blobs of a batch count as parts.
    pub(crate) enum PartRpc {
        /// `Digest`.
        Digest = "Digest",
        /// `Verify`.
        Verify = "Verify",
        /// `DigestBatch`.
        DigestBatch = "DigestBatch",
    }
}

words! {
    /// How a TLS handshake ended.
    pub(crate) enum Handshake {
        Done = "done",
        /// Not done in time.
        Timeout = "timeout",
        /// The client asked for protocols other than h2 and http/1.1.
        Alpn = "alpn",
        /// The client's certificate is missing or not accepted.
        Certificate = "certificate",
        /// The client sent an alert, for example because it rejected the server's certificate.
        Alert = "alert",
        /// Client and server share no version or no cipher suite.
        Incompatible = "incompatible",
        /// The client's bytes are not TLS.
        Malformed = "malformed",
        /// The client closed the connection.
        Closed = "closed",
    }
}

/// The counters of one RPC method, named as in go-grpc-prometheus.
#[derive(Debug)]
pub(crate) struct MethodCounters {
    pub(crate) started: Counter,
    pub(crate) received: Counter,
    pub(crate) sent: Counter,
    pub(crate) handled: [Counter; CODES.len()],
    /// Time from the headers to the status.
    pub(crate) seconds: Histogram,
}

impl Default for MethodCounters {
    fn default() -> Self {
        Self {
            started: Counter::default(),
            received: Counter::default(),
            sent: Counter::default(),
            handled: Default::default(),
            seconds: Histogram::new(CALL_SECONDS_BOUNDS),
        }
    }
}

/// The counters of one kernel.
#[derive(Debug, Default)]
pub(crate) struct KernelCounters {
    pub(crate) active_lane_blocks: Counter,
    pub(crate) idle_lane_blocks: Counter,
    pub(crate) steps: [Counter; StepReason::VALUES.len()],
    /// Samples hashed again, and samples whose two digests differed.
    pub(crate) checks: Counter,
    pub(crate) failed_checks: Counter,
}

/// The counters of the acceptor.
#[derive(Debug, Default)]
pub(crate) struct AcceptorCounters {
    /// Closed at once: `connections_max`, the client's share of it or `receive_windows_bytes_max`
    /// was reached.
    pub(crate) refused_limit: AtomicU64,
    /// Closed at once: `tls.handshakes_max` or the client's share of it was reached.
    pub(crate) refused_handshakes: AtomicU64,
    /// Closed at once: the client opened connections too fast.
    pub(crate) refused_rate: AtomicU64,
    /// Times the acceptor began to drop the connection attempts of an address.
    pub(crate) dropped: AtomicU64,
    /// Closed at once: every worker's queue was full.
    pub(crate) refused_busy: AtomicU64,
    /// Delayed: the client opened connections too fast, or some of its connections were closed for
    /// floods.
    pub(crate) delayed: AtomicU64,
    /// Failed accepts, for example without free file descriptors.
    pub(crate) errors: AtomicU64,
    /// Requests for shared memory that were refused, by its place.
    pub(crate) memory_refused: [AtomicU64; Refusal::VALUES.len()],
}

impl AcceptorCounters {
    /// Connections closed at once, by the name of the reason.
    pub(crate) fn refused(&self) -> [(&'static str, u64); 4] {
        [
            ("limit", &self.refused_limit),
            ("rate", &self.refused_rate),
            ("handshakes", &self.refused_handshakes),
            ("busy", &self.refused_busy),
        ]
        .map(|(reason, count)| (reason, count.load(Relaxed)))
    }
}

/// The counters of one worker.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct WorkerCounters {
    /// Connections that the acceptor, the only writer, has given to the worker.
    pub(crate) connections_given: Counter,
    started: Instant,
    pub(crate) heartbeat: Arc<Heartbeat>,
    /// Set once the worker's runtime runs; holds the time that it was busy.
    pub(crate) runtime: OnceLock<RuntimeMetrics>,
    /// The largest phase values shown so far. They keep the counters from falling, although a
    /// scrape reads their parts one after the other.
    shown_ns: [AtomicU64; 3],

    /// Restarts after a failure.
    pub(crate) restarts: Counter,
    pub(crate) streams: Counter,
    /// Digests in progress.
    pub(crate) open_jobs: Counter,
    pub(crate) ready_jobs: Counter,
    pub(crate) waiting_bytes: Counter,
    pub(crate) received_bytes: Counter,
    /// Those that were copied from shared memory.
    pub(crate) memory_bytes: Counter,
    pub(crate) hash_ns: Counter,
    pub(crate) linger_ns: Counter,
    pub(crate) selfcheck_ns: Counter,
    /// Waits for lanes: without success, and with success.
    pub(crate) lingers: [Counter; 2],
    /// Time in steps, by [`Family::index`], and the time that the hashed bytes would have taken at
    /// the best rate of full lanes.
    pub(crate) lane_ns: [Counter; Family::ALL.len()],
    pub(crate) best_lane_ns: [Counter; Family::ALL.len()],
    /// By [`Algorithm::index`]. A part's bytes count once for each of its digests.
    pub(crate) hashed_bytes: Box<[Counter]>,
    /// By [`Kernel::index`].
    pub(crate) kernels: Box<[KernelCounters]>,
    pub(crate) occupancy: Histogram,
    /// Time in steps by the number of lanes that hashed; the first entry is for one lane.
    pub(crate) step_ns_by_active_lanes: Box<[Counter]>,
    /// The same by the number of lanes of the kernels that a step used.
    pub(crate) step_ns_by_lanes: Box<[Counter]>,
    /// From the arrival of a chunk, if no other chunk of its part waits, until the engine reports
    /// that it consumed bytes of the chunk. That is at once for bytes kept as a tail; after the
    /// step that takes them for staged bytes and a run's head; otherwise when the chunk is hashed
    /// or its job leaves the lane. So the time includes hashing.
    pub(crate) queue_wait: Histogram,
    pub(crate) parts: [[Counter; Outcome::VALUES.len()]; PartRpc::VALUES.len()],
    pub(crate) part_bytes: Histogram,
    pub(crate) part_seconds: Histogram,
    pub(crate) grpc: [MethodCounters; Method::VALUES.len()],
    /// Connections closed for a flood of useless frames, by the most frequent kind.
    pub(crate) floods: [Counter; FrameKind::ALL.len()],
    /// Times a connection was not read for a moment because it had no credit for small frames.
    pub(crate) pauses: Counter,
    pub(crate) connection_ends: [Counter; ConnectionEnd::VALUES.len()],
    /// Calls that ended with an error from the server, by its place.
    pub(crate) refusals: [Counter; Reason::VALUES.len()],
    /// Parts answered with an error, by its place.
    pub(crate) part_errors: [Counter; Reason::VALUES.len()],
    /// Calls cut at the end of the drain.
    pub(crate) calls_cut: Counter,
    pub(crate) handshakes: [Counter; Handshake::VALUES.len()],
}

/// One lane of 32 and one lane of 16 distinguish a lone stream from two. After them come eighths,
/// so that every kernel's lane count (4, 8, 16, 32) falls on a bound.
const OCCUPANCY_BOUNDS: &[f64] = &[
    1.0 / 32.0,
    1.0 / 16.0,
    0.125,
    0.25,
    0.375,
    0.5,
    0.625,
    0.75,
    0.875,
    1.0,
];

/// Powers of eight, from a small object to 5 GiB, the largest part of S3.
const PART_BYTES_BOUNDS: &[f64] = &[
    1024.0,
    8.0 * 1024.0,
    64.0 * 1024.0,
    512.0 * 1024.0,
    4.0 * 1024.0 * 1024.0,
    32.0 * 1024.0 * 1024.0,
    256.0 * 1024.0 * 1024.0,
    2.0 * 1024.0 * 1024.0 * 1024.0,
    5.0 * 1024.0 * 1024.0 * 1024.0,
];

/// A 4 KiB part takes tens of microseconds; gigabytes over a slow line take minutes. In between
/// there are about three bounds per decade.
const PART_SECONDS_BOUNDS: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
];

/// A probe or a batch of a few blobs takes 100 us, a batch of the largest message size some 10 ms.
/// A stream lasts as long as its client likes; above one minute, minutes and hours are enough.
const CALL_SECONDS_BOUNDS: &[f64] = &[
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 60.0, 600.0, 3600.0,
];

/// A step lasts at most about 100 us, and a long chunk stays in its lane for a few steps. A chunk
/// that waited milliseconds waited behind others.
const QUEUE_WAIT_BOUNDS: &[f64] = &[
    0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01,
    0.1,
];

impl WorkerCounters {
    pub(crate) fn new() -> Self {
        Self {
            connections_given: Counter::default(),
            started: Instant::now(),
            heartbeat: Arc::default(),
            runtime: OnceLock::new(),
            shown_ns: Default::default(),
            restarts: Counter::default(),
            streams: Counter::default(),
            open_jobs: Counter::default(),
            ready_jobs: Counter::default(),
            waiting_bytes: Counter::default(),
            received_bytes: Counter::default(),
            memory_bytes: Counter::default(),
            hash_ns: Counter::default(),
            linger_ns: Counter::default(),
            selfcheck_ns: Counter::default(),
            lingers: Default::default(),
            lane_ns: Default::default(),
            best_lane_ns: Default::default(),
            hashed_bytes: Algorithm::all().map(|_| Counter::default()).collect(),
            kernels: Kernel::all().map(|_| KernelCounters::default()).collect(),
            occupancy: Histogram::new(OCCUPANCY_BOUNDS),
            step_ns_by_active_lanes: (0..Crossover::LANES).map(|_| Counter::default()).collect(),
            step_ns_by_lanes: (0..Crossover::LANES).map(|_| Counter::default()).collect(),
            queue_wait: Histogram::new(QUEUE_WAIT_BOUNDS),
            parts: Default::default(),
            part_bytes: Histogram::new(PART_BYTES_BOUNDS),
            part_seconds: Histogram::new(PART_SECONDS_BOUNDS),
            grpc: Default::default(),
            floods: Default::default(),
            pauses: Counter::default(),
            connection_ends: Default::default(),
            refusals: std::array::from_fn(|_| Counter::default()),
            part_errors: std::array::from_fn(|_| Counter::default()),
            calls_cut: Counter::default(),
            handshakes: Default::default(),
        }
    }

    /// Connections handed over and not yet closed.
    pub(crate) fn connections(&self) -> u64 {
        // Closed first: an event between the two reads can only add one connection, never make the
        // number negative.
        let closed: u64 = self.connection_ends.iter().map(Counter::get).sum();
        self.connections_given.get().saturating_sub(closed)
    }

    /// The engine and all its jobs are gone; a new engine starts.
    pub(crate) fn nothing_is_open(&self) {
        for gauge in [&self.open_jobs, &self.ready_jobs, &self.waiting_bytes] {
            gauge.set(0);
        }
    }

    /// The acceptor compares workers by this number.
    pub(crate) fn open_work(&self) -> u64 {
        self.connections() + self.streams.get()
    }

    /// The counters of one RPC method.
    pub(crate) fn method(&self, method: Method) -> &MethodCounters {
        &self.grpc[method as usize]
    }

    /// Counts one ended part.
    pub(crate) fn part(&self, rpc: PartRpc, outcome: Outcome, bytes: u64, took: Duration) {
        self.parts[rpc as usize][outcome as usize].add(1);
        self.part_bytes.observe(as_f64(bytes));
        self.part_seconds.observe(took.as_secs_f64());
    }

    /// Time in steps, other busy time, and time asleep, which includes waits for lanes. `now` is
    /// the time of the scrape.
    pub(crate) fn phases(&self, now: Instant) -> [(&'static str, f64); 3] {
        let wall = nanos(now.saturating_duration_since(self.started));
        let hash = self.hash_ns.get();
        let busy = self
            .runtime
            .get()
            .map_or(0, |runtime| nanos(runtime.worker_total_busy_duration(0)));
        // The runtime counts waits for lanes as busy time.
        let busy = busy.saturating_sub(self.linger_ns.get());
        let values = [hash, busy.saturating_sub(hash), wall.saturating_sub(busy)];
        let mut shown = [0.0; 3];
        for ((slot, value), out) in self.shown_ns.iter().zip(values).zip(&mut shown) {
            *out = as_f64(slot.fetch_max(value, Relaxed).max(value)) / 1e9;
        }
        let [hash, io, idle] = shown;
        [("hash", hash), ("io", io), ("idle", idle)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_puts_a_value_on_a_bound_below_it() {
        let histogram = Histogram::new(OCCUPANCY_BOUNDS);
        histogram.observe(0.75);
        histogram.observe(1.0);
        histogram.observe(2.0);
        let (_, counts, sum) = Histogram::total([&histogram].into_iter());
        assert_eq!(counts, [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1]);
        assert!((sum - 3.75).abs() < 1e-12);
    }

    #[test]
    fn phases_never_fall() {
        let counters = WorkerCounters::new();
        let later = Instant::now() + Duration::from_secs(5);
        let first = counters.phases(later);
        let second = counters.phases(Instant::now());
        assert!(second[2].1 >= first[2].1);
    }

    #[test]
    fn bounds_rise() {
        for bounds in [
            OCCUPANCY_BOUNDS,
            PART_BYTES_BOUNDS,
            PART_SECONDS_BOUNDS,
            CALL_SECONDS_BOUNDS,
            QUEUE_WAIT_BOUNDS,
        ] {
            assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
