//! Hostile connections, all on one thread, because a client that shares its CPU loses as much to
//! many connections as to one. They are bounded in time, reconnect when the server closes them, and
//! send only to the server that was started for them.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use hashlane_http2_frames::error;
use rustix::net::sockopt::{Timeout, set_socket_linger, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};

use super::hostile_connection::{Counts, Hostile};
use crate::system::cpus::Cpus;
use crate::system::helper_thread::{Helper, Stop, lock};
use crate::system::sockets;

/// Time to connect. A full backlog drops the SYN, and the kernel would retry only after a second; a
/// hostile client retries earlier.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(20);

/// Pause after a failed connection.
const PAUSE: Duration = Duration::from_millis(5);

/// Arithmetic steps of a spinning thread between two checks: some 0.1 ms.
const SPIN_STEPS: u64 = 100_000;

/// The hostile thread. Ends on drop.
#[derive(Debug)]
pub(crate) struct Hostiles {
    counts: Arc<Mutex<Counts>>,
    pub(crate) thread: Helper,
}

impl Hostiles {
    /// Starts the connections of `attack` against `server`, on `cpus`. They end at `deadline` at
    /// the latest.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(
        attack: super::attack::Attack,
        server: SocketAddr,
        cpus: Option<&Cpus>,
        deadline: Instant,
    ) -> Result<Self> {
        let counts = Arc::<Mutex<Counts>>::default();
        let shared = Arc::clone(&counts);
        let thread = Helper::start("hostile", cpus, move |mut stop: Stop| {
            let is_over = || stop.is_over() || Instant::now() >= deadline;
            if attack.flood.connects() {
                return flood(&attack, server, &shared, is_over);
            }
            spin(is_over);
            Ok(())
        })?;
        Ok(Self { counts, thread })
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> Counts {
        lock(&self.counts).clone()
    }
}

fn spin(mut is_over: impl FnMut() -> bool) {
    while !is_over() {
        let work = (0..SPIN_STEPS).fold(1_u64, |value, step| {
            std::hint::black_box(value.wrapping_mul(3) ^ step)
        });
        std::hint::black_box(work);
    }
}

fn flood(
    attack: &super::attack::Attack,
    server: SocketAddr,
    counts: &Mutex<Counts>,
    mut is_over: impl FnMut() -> bool,
) -> Result<()> {
    let mut slots: Vec<Option<Hostile<'_>>> = (0..attack.hostile).map(|_| None).collect();
    while !is_over() {
        let mut is_busy = false;
        for slot in &mut slots {
            if slot.is_none() {
                let Ok(socket) = connect_from(attack.from, server) else {
                    std::thread::sleep(PAUSE);
                    continue;
                };
                lock(counts).connections += 1;
                // Reset on close, because TIME_WAIT would use up the client's ports.
                set_socket_linger(&socket, Some(Duration::ZERO))?;
                socket.set_nodelay(true)?;
                socket.set_nonblocking(true)?;
                *slot = Some(Hostile::new(counts, socket, attack.flood.batch()));
            }
            let Some(hostile) = slot else { continue };
            match hostile.step() {
                Ok(did_something) => is_busy |= did_something,
                // Any error means that the server ended the connection.
                Err(_) => {
                    let code = hostile.goaway.map_or("no GOAWAY", error::name);
                    *lock(counts).closes.entry(code).or_default() += 1;
                    *slot = None;
                }
            }
            // It leaves in its next turn.
            slot.take_if(|hostile| hostile.leaves());
        }
        if !is_busy {
            let hostiles = slots.iter().flatten();
            sockets::wait(
                hostiles.map(|hostile| (hostile.socket().as_fd(), hostile.is_held_by_socket())),
            )?;
        }
    }
    Ok(())
}

/// Connects from the address `from`.
fn connect_from(from: Ipv4Addr, to: SocketAddr) -> rustix::io::Result<TcpStream> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    bind(&socket, &SocketAddr::from((from, 0)))?;
    // On Linux this also limits the time to connect.
    set_socket_timeout(&socket, Timeout::Send, Some(CONNECT_TIMEOUT))?;
    connect(&socket, &to)?;
    Ok(socket.into())
}
