//! Injects faults into workers and measures their polls, for tests; not part of the product
//! (feature `faults`).

use std::cell::OnceCell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hashlane_engine::{Kernel, faults};
use tokio::sync::broadcast;

use crate::metrics::thread::cpu_time;

/// Maximum of faults queued for a worker.
const FAULTS_MAX: usize = 16;

/// How a worker or the admin port fails.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It panics outside of any task.
    Panic,
    /// The event loop panics.
    PanicLoop,
    /// It blocks until the other end is dropped.
    Block(Arc<Mutex<Receiver<()>>>),
    /// It spins in one turn until the other end is dropped.
    Spin(Arc<Mutex<Receiver<()>>>),
    /// Its core computes one lane of a kernel wrongly.
    Kernel(Kernel, usize),
    /// The task of the admin port panics, whatever the worker.
    PanicAdmin,
}

impl Fault {
    /// A fault that blocks a worker until the returned sender is dropped.
    #[must_use]
    pub fn block() -> (Self, Sender<()>) {
        let (hung, until) = channel();
        (Self::Block(Arc::new(Mutex::new(until))), hung)
    }

    /// A fault that makes a worker spin until the returned sender is dropped.
    #[must_use]
    pub fn spin() -> (Self, Sender<()>) {
        let (hung, until) = channel();
        (Self::Spin(Arc::new(Mutex::new(until))), hung)
    }
}

/// Where a fault occurs: in the worker, in its event loop, or in the admin port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Worker,
    Loop,
    Admin,
}

/// Injects faults into the workers of one server.
#[derive(Clone, Debug)]
pub struct Faults {
    sender: broadcast::Sender<(usize, Fault)>,
    longest_poll: Arc<LongestPoll>,
    longest_admin_poll: Arc<LongestPoll>,
    haste: Arc<AtomicU32>,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(FAULTS_MAX),
            longest_poll: Arc::default(),
            longest_admin_poll: Arc::default(),
            haste: Arc::new(AtomicU32::new(1)),
        }
    }
}

/// The longest poll of some tasks, in nanoseconds of CPU time.
#[derive(Debug, Default)]
struct LongestPoll(AtomicU64);

impl LongestPoll {
    /// Measures the CPU time of each poll of `work`.
    fn of<T>(self: Arc<Self>, work: impl Future<Output = T>) -> impl Future<Output = T> {
        // Boxed, and not in an `async` block: each block would reserve space for it, and tests
        // measure memory.
        let mut work = Box::pin(work);
        poll_fn(move |cx| {
            let began = cpu_time();
            let polled = work.as_mut().poll(cx);
            let took = cpu_time().saturating_sub(began);
            let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
            self.0.fetch_max(nanos, Relaxed);
            polled
        })
    }

    fn take(&self) -> Duration {
        Duration::from_nanos(self.0.swap(0, Relaxed))
    }
}

thread_local! {
    /// Of the server that owns this worker thread.
    static LONGEST_POLL: OnceCell<Arc<LongestPoll>> = const { OnceCell::new() };
}

/// Measures the worker's CPU time for each poll of `work`.
pub(crate) fn timed<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    let longest = LONGEST_POLL.with(|longest| longest.get().cloned());
    longest.unwrap_or_default().of(work)
}

impl Faults {
    /// The longest poll of all workers since the last call, in CPU time of the worker's thread:
    /// other threads do not count.
    #[must_use]
    pub fn take_longest_poll(&self) -> Duration {
        self.longest_poll.take()
    }

    /// The same of the admin port.
    #[must_use]
    pub fn take_longest_admin_poll(&self) -> Duration {
        self.longest_admin_poll.take()
    }

    /// Measures the CPU time of each poll of `work`, a task of the admin port.
    pub(crate) fn timed_admin<T, F: Future<Output = T>>(
        &self,
        work: F,
    ) -> impl Future<Output = T> + use<T, F> {
        Arc::clone(&self.longest_admin_poll).of(work)
    }

    /// Makes workers beat, and the supervisor look, `times` as fast. Set it before the start.
    pub fn hasten(&self, times: u32) {
        self.haste.store(times.max(1), Relaxed);
    }

    pub(crate) fn haste(&self) -> u32 {
        self.haste.load(Relaxed)
    }

    /// Makes the worker in this seat fail.
    pub fn inject(&self, seat: usize, fault: Fault) {
        // Without workers the send fails, and no worker can fail.
        let _ = self.sender.send((seat, fault));
    }

    /// Registers this thread as a worker of the server.
    pub(crate) fn time_worker(&self) {
        LONGEST_POLL.with(|longest| {
            // A restarted worker belongs to the same server.
            let _ = longest.set(Arc::clone(&self.longest_poll));
        });
    }

    /// Runs `work` until a fault arrives.
    #[allow(clippy::panic, reason = "asked for")]
    pub(crate) async fn beside<T>(
        self,
        seat: usize,
        place: Place,
        work: impl Future<Output = T>,
    ) -> T {
        let mut faults = self.sender.subscribe();
        let mut work = pin!(work);
        loop {
            let fault = tokio::select! {
                done = &mut work => return done,
                Ok((of, fault)) = faults.recv() => (of == seat).then_some(fault),
            };
            match (fault, place) {
                (Some(Fault::Panic), Place::Worker)
                | (Some(Fault::PanicLoop), Place::Loop)
                | (Some(Fault::PanicAdmin), Place::Admin) => panic!("asked to"),
                (Some(Fault::Block(until)), Place::Worker) => {
                    let _ = until.lock().map(|until| until.recv());
                }
                (Some(Fault::Spin(until)), Place::Worker) => {
                    let goes_on = || {
                        until
                            .lock()
                            .is_ok_and(|until| until.try_recv().is_err_and(is_empty))
                    };
                    while goes_on() {
                        std::hint::spin_loop();
                    }
                }
                (Some(Fault::Kernel(kernel, lane)), Place::Worker) => faults::inject(kernel, lane),
                _ => {}
            }
        }
    }
}

fn is_empty(error: TryRecvError) -> bool {
    error == TryRecvError::Empty
}
