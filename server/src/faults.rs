//! Faults of workers on demand, and how long their polls take, for tests; no part of the product
//! (feature `faults`).

use std::cell::OnceCell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hashlane_engine::{Kernel, faults};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::broadcast;

/// Faults that wait for their worker.
const FAULTS_MAX: usize = 16;

/// How a worker fails.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It panics outside of any task.
    Panic,
    /// What steps its engine panics.
    PanicEngine,
    /// It waits, for another thread say, until the other end is dropped.
    Block(Arc<Mutex<Receiver<()>>>),
    /// It runs on and on in one turn, until the other end is dropped.
    Spin(Arc<Mutex<Receiver<()>>>),
    /// Its core computes a lane of a kernel wrongly.
    Kernel(Kernel, usize),
}

impl Fault {
    /// A worker blocks until what comes with the fault is dropped.
    #[must_use]
    pub fn block() -> (Self, Sender<()>) {
        let (hung, until) = channel();
        (Self::Block(Arc::new(Mutex::new(until))), hung)
    }

    /// A worker spins until what comes with the fault is dropped.
    #[must_use]
    pub fn spin() -> (Self, Sender<()>) {
        let (hung, until) = channel();
        (Self::Spin(Arc::new(Mutex::new(until))), hung)
    }
}

/// A worker as a whole, or what steps its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Worker,
    Engine,
}

/// Has the workers of one server fail.
#[derive(Clone, Debug)]
pub struct Faults {
    sender: broadcast::Sender<(usize, Fault)>,
    longest_poll: Arc<LongestPoll>,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(FAULTS_MAX),
            longest_poll: Arc::default(),
        }
    }
}

/// The longest poll of a server's workers, in nanoseconds of CPU time.
#[derive(Debug, Default)]
struct LongestPoll(AtomicU64);

thread_local! {
    /// Of the server whose worker this thread is.
    static LONGEST_POLL: OnceCell<Arc<LongestPoll>> = const { OnceCell::new() };
}

/// Notes how much of this thread's CPU time each poll of `work` takes.
pub(crate) async fn timed<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    poll_fn(|cx| {
        let began = thread_time();
        let polled = work.as_mut().poll(cx);
        let took = thread_time().saturating_sub(began);
        LONGEST_POLL.with(|longest| {
            if let Some(longest) = longest.get() {
                let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
                longest.0.fetch_max(nanos, Relaxed);
            }
        });
        polled
    })
    .await
}

/// CPU time of this thread.
fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

impl Faults {
    /// The longest poll of a connection in all workers since the last call, in CPU time of the
    /// worker's thread: other threads do not count.
    #[must_use]
    pub fn take_longest_poll(&self) -> Duration {
        Duration::from_nanos(self.longest_poll.0.swap(0, Relaxed))
    }

    /// Has the worker in this seat fail.
    pub fn inject(&self, seat: usize, fault: Fault) {
        // Without a worker there is nobody to fail.
        let _ = self.sender.send((seat, fault));
    }

    /// Does `work` until a fault comes.
    #[allow(clippy::panic, reason = "asked for")]
    pub(crate) async fn beside<T>(
        self,
        seat: usize,
        place: Place,
        work: impl Future<Output = T>,
    ) -> T {
        LONGEST_POLL.with(|longest| {
            // The worker's or the engine's, which are of one server.
            let _ = longest.set(Arc::clone(&self.longest_poll));
        });
        let mut faults = self.sender.subscribe();
        let mut work = pin!(work);
        loop {
            let fault = tokio::select! {
                done = &mut work => return done,
                Ok((of, fault)) = faults.recv() => (of == seat).then_some(fault),
            };
            match (fault, place) {
                (Some(Fault::Panic), Place::Worker) => panic!("asked to"),
                (Some(Fault::PanicEngine), Place::Engine) => panic!("asked to"),
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
