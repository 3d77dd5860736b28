//! The mode `floor`: the lowest CPU cost of a load's bytes.
//!
//! ```text
//! receive  one thread: poll, recv into one buffer, nothing else    the same frames from the same client
//! engine   one thread: full lanes over chunks that stay in L2      as many bytes as were received
//! ```
//!
//! A server must do both, and HTTP/2 in between.

use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use bytes::Bytes;
use hashlane_engine::{Algorithm, Backend, Crossover, Engine};
use rand::rngs::SmallRng;
use rand::{RngCore as _, SeedableRng as _};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::thread::gettid;
use serde::Serialize;

use crate::child::thread_cpu_seconds;
use crate::cpus::Cpus;

/// Bytes of one recv: as much as a busy socket has, and a quarter of an L2 cache.
const RECEIVE_BYTES: usize = 256 << 10;

/// The longest sleep, and so the time between two checks of the stop flag.
const SLEEP: Duration = Duration::from_millis(10);

/// Parts hashed at once: as many as any kernel has lanes.
const PARTS: usize = 64;

/// Bytes of a chunk: the chunks of all parts fill half of an L2 cache.
const CHUNK_BYTES: usize = 8 << 10;

/// The cost of the two parts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct FloorRow {
    pub(crate) receive_cpu_seconds_per_gb: f64,
    pub(crate) engine_cpu_seconds_per_gb: f64,
}

/// A thread that receives and discards. Ends on drop.
#[derive(Debug)]
pub(crate) struct Receiver {
    address: SocketAddr,
    thread_id: i32,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Receiver {
    /// Listens on a free port of the loopback, with its thread on `cpus`.
    ///
    /// # Errors
    /// There is no free port, or these CPUs are not available.
    pub(crate) fn start(cpus: Option<Cpus>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (started_tx, started) = mpsc::channel();
        let thread = std::thread::Builder::new().name("receive".to_owned());
        let thread = thread.spawn({
            let stop = Arc::clone(&stop);
            move || {
                let pinned = cpus.map_or(Ok(()), |cpus| cpus.pin_thread());
                // The starting thread waits for it.
                let _ = started_tx.send(pinned.map(|()| gettid().as_raw_pid()));
                receive(&listener, &stop)
            }
        });
        let thread = Some(thread.context("cannot start a thread")?);
        let thread_id = started.recv().context("the receiving thread ended")??;
        Ok(Self {
            address,
            thread_id,
            stop,
            thread,
        })
    }

    /// The URL that it listens on.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// CPU seconds of its thread so far.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        thread_cpu_seconds(self.thread_id)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // The client sees the lost connection.
            let _ = thread.join();
        }
    }
}

fn receive(listener: &TcpListener, stop: &AtomicBool) -> Result<()> {
    let mut buffer = vec![0; RECEIVE_BYTES];
    let mut sockets: Vec<TcpStream> = Vec::new();
    let timeout = Timespec::try_from(SLEEP).context("a constant that fits")?;
    while !stop.load(Ordering::Relaxed) {
        let mut ready: Vec<_> = sockets
            .iter()
            .map(|socket| PollFd::new(socket, PollFlags::IN))
            .collect();
        ready.push(PollFd::new(listener, PollFlags::IN));
        match poll(&mut ready, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).context("cannot wait for sockets"),
        }
        let mut ready = ready
            .iter()
            .map(|socket| !socket.revents().is_empty())
            .collect::<Vec<_>>()
            .into_iter();
        let mut first_error = None;
        sockets.retain_mut(|socket| {
            if ready.next() != Some(true) {
                return true;
            }
            match socket.read(&mut buffer) {
                Ok(0) => false,
                Ok(_) => true,
                Err(error) if error.kind() == ErrorKind::WouldBlock => true,
                Err(error) => {
                    first_error.get_or_insert(error);
                    false
                }
            }
        });
        if let Some(error) = first_error
            && error.kind() != ErrorKind::ConnectionReset
        {
            return Err(error).context("cannot receive");
        }
        if ready.next() == Some(true)
            && let Ok((socket, _)) = listener.accept()
        {
            socket.set_nonblocking(true)?;
            sockets.push(socket);
        }
    }
    Ok(())
}

/// CPU seconds that the engine takes for about `bytes` by `algorithms` with full lanes, on `cpus`,
/// and the exact number of bytes.
///
/// # Errors
/// These CPUs are not available.
pub(crate) fn hash(
    bytes: u64,
    algorithms: &[Algorithm],
    cpus: Option<&Cpus>,
) -> Result<(f64, u64)> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            cpus.map_or(Ok(()), Cpus::pin_thread)?;
            hash_here(bytes, algorithms)
        });
        let panicked = |_| anyhow!("the hashing thread panicked");
        thread.join().map_err(panicked)?
    })
}

fn hash_here(bytes: u64, algorithms: &[Algorithm]) -> Result<(f64, u64)> {
    let mut rng = SmallRng::seed_from_u64(1);
    let chunk = |_| {
        let mut chunk = vec![0; CHUNK_BYTES];
        rng.fill_bytes(&mut chunk);
        Bytes::from(chunk)
    };
    let chunks: Vec<_> = (0..PARTS).map(chunk).collect();
    let mut engine = Engine::new(Crossover::new(Backend::detect()));
    // The first part of a compression function times its kernels.
    let parts: Vec<_> = (0..PARTS).map(|_| engine.open(algorithms)).collect();
    let before = thread_cpu_seconds(gettid().as_raw_pid())?;
    let mut hashed_bytes = 0;
    while hashed_bytes < bytes {
        for (part, chunk) in parts.iter().zip(&chunks) {
            engine.push(*part, chunk.clone());
            hashed_bytes += chunk.len() as u64;
        }
        while engine.step().is_some() {}
        engine.take_events();
    }
    let after = thread_cpu_seconds(gettid().as_raw_pid())?;
    Ok((after - before, hashed_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_receiver_takes_all_and_counts_its_time() {
        let receiver = Receiver::start(None).unwrap();
        let address = receiver.url().replace("http://", "");
        let mut clients: Vec<_> = (0..3)
            .map(|_| TcpStream::connect(&address).unwrap())
            .collect();
        let bytes = vec![7; 1 << 20];
        let before = receiver.cpu_seconds().unwrap();
        // More than sockets buffer, so it completes only if the receiver reads.
        while receiver.cpu_seconds().unwrap() <= before {
            for client in &mut clients {
                (0..16).for_each(|_| client.write_all(&bytes).unwrap());
            }
        }
    }

    #[test]
    fn as_many_bytes_are_hashed_as_asked_for() {
        let algorithms = [Algorithm::Sha256, Algorithm::Crc32c];
        let round_bytes = (PARTS * CHUNK_BYTES) as u64;
        // The kernel updates a thread's CPU time at its ticks, and a run may end before a tick.
        let takes_time = (0..100).any(|_| {
            let (seconds, bytes) = hash(1_000_000, &algorithms, None).unwrap();
            assert_eq!(bytes, 2 * round_bytes);
            seconds > 0.0
        });
        assert!(takes_time);
    }
}
