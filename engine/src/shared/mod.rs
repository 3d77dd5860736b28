//! An engine on threads of its own, which the threads and tasks of a program share.
//!
//! ```text
//! SharedPart::update  ──chunk──> inbox of a worker ──> Engine
//!      waits while its part has BUFFER_BYTES           │ step, or a wait for more jobs (wait.rs)
//! SharedPart::finish  <──digests── state of the part <─┘
//! ```
//!
//! | | |
//! |---|---|
//! | mod.rs | `Shared`, the handle |
//! | part.rs | `SharedPart`, one message |
//! | state.rs | what a part and its worker share; how a part waits |
//! | inbox.rs | messages to a worker |
//! | worker.rs | the thread of an engine |
//! | workers.rs | all workers; which one a part gets |
//!
//! A part is hashed by one worker, that with the fewest open parts at its start. Waiting is written
//! once, as polls with a waker: a blocking call parks its thread until the waker fires.
//!
//! Workers hash samples of their work again, as servers do ([`SelfCheck`](crate::SelfCheck)). If a
//! kernel gave a wrong answer, it is taken out of use, and the worker's begun parts fail. Digests
//! are handed out after the check of their step.
//!
//! Intel's AVX-512 server in minio/sha256-simd has the same purpose. It copies every block, takes
//! 16 blocks per round from a channel for each stream, and flushes by a timer.

mod inbox;
mod part;
mod state;
mod worker;
mod workers;

use std::io;
use std::sync::Arc;
use std::time::Duration;

pub use self::part::SharedPart;
pub use self::state::Stopped;
use self::workers::Workers;
use crate::algorithm::Algorithm;
use crate::available_kernels::Backend;
use crate::kernel::Kernel;
use crate::schedule::Crossover;
use crate::stream::check_algorithms;

/// The longest wait of a chunk for chunks of other parts.
const LINGER: Duration = Duration::from_micros(200);

/// Hashes the messages of many threads and tasks at once, on worker threads of its own.
///
/// A thousandth of a worker's time goes to hashing samples again with another kernel. A kernel that
/// gives wrong answers on this CPU is thus found and taken out of use; begun parts then fail.
///
/// Clones share the workers, which end with the last clone and the last part. A worker hashes many
/// parts at a time for less CPU time than as many threads with a hasher each. One part alone is
/// hashed in one lane: then [`Hasher`](crate::Hasher) is the better choice.
///
/// Memory is bounded by the open parts: each holds up to 1 MiB of unhashed bytes, one chunk, and
/// 64 KiB of short ones.
///
/// ```
/// use hashlane_engine::{Algorithm, Shared};
/// use std::io::Write as _;
///
/// let shared = Shared::new(1)?;
/// let digests: Vec<_> = std::thread::scope(|scope| {
///     let hash = |n: u8| {
///         let shared = shared.clone();
///         scope.spawn(move || {
///             let mut part = shared.open(&[Algorithm::Sha256]);
///             part.write_all(&vec![n; 100_000])?;
///             Ok::<_, std::io::Error>(part.finish()?)
///         })
///     };
///     let threads: Vec<_> = (0..8).map(hash).collect();
///     threads.into_iter().map(|thread| thread.join().unwrap()).collect()
/// });
/// assert_eq!(digests.len(), 8);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shared {
    workers: Arc<Workers>,
}

impl Shared {
    /// Starts `workers` threads. The first one measures its kernels, which takes 5 to 10 ms, when
    /// its first part opens.
    ///
    /// # Errors
    /// A thread cannot be started.
    ///
    /// # Panics
    /// If `workers` is 0.
    pub fn new(workers: usize) -> io::Result<Self> {
        Self::with_crossover(workers, &Crossover::new(Backend::detect()))
    }

    /// Starts `workers` threads, which choose their kernels by `crossover`.
    ///
    /// # Errors
    /// A thread cannot be started.
    ///
    /// # Panics
    /// If `workers` is 0.
    pub fn with_crossover(workers: usize, crossover: &Crossover) -> io::Result<Self> {
        assert!(workers > 0, "no worker");
        let workers = Arc::new(Workers::start(workers, crossover, LINGER)?);
        Ok(Self { workers })
    }

    /// Starts a message, of which each of `algorithms` gives a digest.
    ///
    /// # Panics
    /// If there is no algorithm, or one is named twice.
    #[must_use]
    pub fn open(&self, algorithms: &[Algorithm]) -> SharedPart {
        check_algorithms(algorithms);
        SharedPart::new(&self.workers, algorithms)
    }

    /// Kernels that gave a wrong answer for a sample and are no longer used.
    #[must_use]
    pub fn faulty_kernels(&self) -> Vec<Kernel> {
        self.workers.kernels().now().retired().to_vec()
    }
}

#[cfg(test)]
mod tests;
