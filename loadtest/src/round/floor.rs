//! A round of the mode `floor`, without a server, and its threads: the lowest CPU cost of a load's
//! bytes.
//!
//! ```text
//! receive  one thread: poll, recv into one buffer, nothing else    the same frames from the same client
//! engine   one thread: full lanes over chunks that stay in L2      as many bytes as were received
//! ```
//!
//! A server must do both, and HTTP/2 in between.

use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;

use anyhow::{Context as _, Result, anyhow};
use bytes::Bytes;
use hashlane_engine::{Algorithm, Backend, Crossover, Engine};
use hashlane_http2_frames::PAYLOAD_BYTES_DEFAULT;
use rand::rngs::SmallRng;
use rand::{RngCore as _, SeedableRng as _};
use rustix::thread::gettid;
use serde_json::json;

use super::window::measure;
use super::{Stand, Window};
use crate::args::{ClientName, LoadArgs};
use crate::driver::{Driver, Plan, Target};
use crate::load::algorithms;
use crate::results::GB;
use crate::results::window_figures::ratio;
use crate::servers::compared_modes::FLOOR;
use crate::system::cpu_time::thread_cpu_seconds;
use crate::system::cpus::Cpus;
use crate::system::helper_thread::{Helper, Stop};
use crate::system::{files, sockets};

/// Bytes of one recv: as much as a busy socket has, and a quarter of an L2 cache.
const RECEIVE_BYTES: usize = 256 << 10;

/// Parts hashed at once: as many as any kernel has lanes.
const PARTS: usize = 64;

/// Bytes of a chunk: the chunks of all parts fill half of an L2 cache.
const CHUNK_BYTES: usize = 8 << 10;

/// A thread that receives and discards. Ends on drop: the client sees the lost connection.
#[derive(Debug)]
pub(crate) struct Receiver {
    address: SocketAddr,
    thread: Helper,
}

impl Receiver {
    /// Listens on a free port of the loopback, with its thread on `cpus`.
    ///
    /// # Errors
    /// There is no free port, or these CPUs are not available.
    pub(crate) fn start(cpus: Option<&Cpus>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let thread = Helper::start("receive", cpus, move |stop| receive(&listener, stop))?;
        Ok(Self { address, thread })
    }

    /// The URL that it listens on.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// CPU seconds of its thread so far.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        self.thread.cpu_seconds()
    }
}

fn receive(listener: &TcpListener, mut stop: Stop) -> Result<()> {
    let mut buffer = vec![0; RECEIVE_BYTES];
    let mut clients: Vec<TcpStream> = Vec::new();
    while !stop.is_over() {
        let waiting = clients.iter().map(AsFd::as_fd).chain([listener.as_fd()]);
        let mut ready = sockets::wait(waiting.map(|socket| (socket, false)))?.into_iter();
        let mut outcome = Ok(());
        clients.retain_mut(|socket| {
            if ready.next() != Some(true) {
                return true;
            }
            match socket.read(&mut buffer) {
                Ok(bytes) => bytes > 0,
                Err(error) if error.kind() == ErrorKind::WouldBlock => true,
                Err(error) => {
                    if error.kind() != ErrorKind::ConnectionReset {
                        outcome = Err(error);
                    }
                    false
                }
            }
        });
        outcome.context("cannot receive")?;
        if ready.next() == Some(true)
            && let Ok((socket, _)) = listener.accept()
        {
            socket.set_nonblocking(true)?;
            clients.push(socket);
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

impl Stand {
    /// Receives `load` and hashes the same number of bytes, on the server's CPUs.
    pub(super) async fn floor(&mut self, load: &LoadArgs) -> Result<Window> {
        let cpus = self.args.pin_server.clone();
        files::allow(load.connections)?;
        let receiver = Receiver::start(cpus.as_ref())?;
        let frame_bytes = self.frame_bytes().map(usize::try_from).transpose()?;
        let target = Target::one(receiver.url(), None);
        let driver = Driver::start(Plan {
            client: ClientName::Prepared,
            receiver_frame_bytes: Some(frame_bytes.unwrap_or(PAYLOAD_BYTES_DEFAULT)),
            check: false,
            ..Plan::new(target, load.clone(), self.payload(load)?)
        })?;
        let read = || receiver.cpu_seconds();
        let window = measure(driver, &self.args, load.streams, None, true, read);
        let (window, read) = window.await?;
        drop(receiver);

        let gb = window.gb;
        let receive = ratio(Some(read[1] - read[0]), Some(gb));
        let algorithms = algorithms::wanted(&load.algorithms)?;
        let (engine_seconds, hashed_bytes) = hash(window.sent_bytes, &algorithms, cpus.as_ref())?;
        let hashed_gb = (gb > 0.0).then_some(hashed_bytes as f64 / GB);
        let engine = ratio(Some(engine_seconds), hashed_gb);
        let sum = receive
            .zip(engine)
            .map(|(receive, engine)| receive + engine);
        // The receiver is a thread of this process.
        let client = window.figures.get("client_cpu_seconds_per_gb").zip(receive);
        let client = client.map(|(both, receive)| both - receive);
        Ok(Window {
            heading: self.heading(load),
            context: self.context(load, FLOOR),
            figures: window.figures.with([
                ("cpu_seconds_per_gb", sum),
                ("client_cpu_seconds_per_gb", client),
                ("receive_cpu_seconds_per_gb", receive),
                ("engine_cpu_seconds_per_gb", engine),
            ]),
            more: window.more.and(json!({"parts_checked": 0})),
            ..window
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

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
