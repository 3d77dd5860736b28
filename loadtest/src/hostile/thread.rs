//! Hostile connections, all on one thread, because a client that shares its CPU loses as much to
//! many connections as to one. They are bounded in time, reconnect when the server closes them, and
//! send only to the server that was started for them.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::{Timeout, set_socket_linger, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};

use super::batch::{Batch, Calls, frames_in, set_stream};
use super::flood::Method;
use crate::cpus::Cpus;
use hashlane_http2_frames::{
    Head, Received, STREAM_MAX, WINDOW_BYTES_DEFAULT, error, flag, frame, kind, number_at, opening,
    setting, settings_of,
};

/// Time to connect. A full backlog drops the SYN, and the kernel would retry only after a second; a
/// hostile client retries earlier.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(20);

/// Pause after a failed connection.
const PAUSE: Duration = Duration::from_millis(5);

/// The longest sleep, and so the time between two checks of the stop flag.
const SLEEP: Duration = Duration::from_millis(10);

/// Stream numbers left when a connection is abandoned: more than a batch needs.
const CALLS_SPARE: u32 = 1 << 16;

/// Arithmetic steps of a spinning thread between two checks: some 0.1 ms.
const SPIN_STEPS: u64 = 100_000;

/// The hostile thread. Ends on drop.
#[derive(Debug)]
pub(crate) struct Hostiles {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<()>>>,
}

#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    from: Ipv4Addr,
    deadline: Instant,
    stop: AtomicBool,
    connections: AtomicU64,
    frames: AtomicU64,
    bytes: AtomicU64,
    calls_ended: AtomicU64,
    closes: Mutex<BTreeMap<&'static str, u64>>,
}

/// Actions of hostile connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) connections: u64,
    pub(crate) frames: u64,
    pub(crate) bytes: u64,
    /// Calls that the server ended, if frames belong to calls.
    pub(crate) calls_ended: u64,
    /// Connections that the server closed, by the code of its GOAWAY.
    pub(crate) closes: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// The counts since `before`.
    pub(crate) fn since(mut self, before: &Self) -> Self {
        for (code, count) in &mut self.closes {
            *count -= before.closes.get(code).copied().unwrap_or(0);
        }
        self.closes.retain(|_, count| *count > 0);
        Self {
            connections: self.connections - before.connections,
            frames: self.frames - before.frames,
            bytes: self.bytes - before.bytes,
            calls_ended: self.calls_ended - before.calls_ended,
            closes: self.closes,
        }
    }
}

impl Hostiles {
    /// Starts the connections of `attack` against `server`, on `cpus`. They end at `deadline` at
    /// the latest.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(
        attack: super::Attack,
        server: SocketAddr,
        cpus: Option<&Cpus>,
        deadline: Instant,
    ) -> Result<Self> {
        let shared = Arc::new(Shared {
            server,
            from: attack.from,
            deadline,
            stop: AtomicBool::new(false),
            connections: AtomicU64::new(0),
            frames: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            calls_ended: AtomicU64::new(0),
            closes: Mutex::default(),
        });
        let thread = std::thread::Builder::new().name("hostile".to_owned());
        let thread = thread.spawn({
            let (shared, cpus) = (Arc::clone(&shared), cpus.cloned());
            move || {
                cpus.map_or(Ok(()), |cpus| cpus.pin_thread())?;
                shared.run(attack.flood.method, attack.hostile)
            }
        });
        Ok(Self {
            shared,
            thread: Some(thread.context("cannot start a thread")?),
        })
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> Counts {
        let shared = &self.shared;
        let closes = shared.closes.lock();
        Counts {
            connections: shared.connections.load(Ordering::Relaxed),
            frames: shared.frames.load(Ordering::Relaxed),
            bytes: shared.bytes.load(Ordering::Relaxed),
            calls_ended: shared.calls_ended.load(Ordering::Relaxed),
            closes: closes.unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// Whether the thread has ended, perhaps early.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the connections.
    ///
    /// # Errors
    /// An error of the thread.
    pub(crate) fn end(mut self) -> Result<()> {
        self.shared.stop.store(true, Ordering::Relaxed);
        let outcome = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        outcome.map_err(|_| anyhow!("the hostile thread panicked"))?
    }
}

impl Drop for Hostiles {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // On an error path; report the original error.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }

    fn run(&self, method: Method, connections: usize) -> Result<()> {
        match method {
            Method::Spin => self.spin(),
            Method::Churn => self.churn(connections)?,
            Method::Frames(batch) => self.flood(connections, batch)?,
        }
        Ok(())
    }

    fn spin(&self) {
        while !self.is_over() {
            let work = (0..SPIN_STEPS).fold(1_u64, |value, step| {
                std::hint::black_box(value.wrapping_mul(3) ^ step)
            });
            std::hint::black_box(work);
        }
    }

    /// Replaces each connection with a new one.
    fn churn(&self, connections: usize) -> Result<()> {
        let mut slots: Vec<Option<TcpStream>> = (0..connections).map(|_| None).collect();
        let opening = opening();
        while !self.is_over() {
            for slot in &mut slots {
                *slot = None;
                if let Some(socket) = self.connect()?
                    && (&socket).write_all(&opening).is_ok()
                {
                    self.count(opening.len(), 0);
                    *slot = Some(socket);
                }
            }
        }
        Ok(())
    }

    fn flood(&self, connections: usize, batch: fn() -> Batch) -> Result<()> {
        let mut slots: Vec<Option<Hostile<'_>>> = (0..connections).map(|_| None).collect();
        while !self.is_over() {
            let mut is_busy = false;
            for slot in &mut slots {
                if slot.is_none() {
                    *slot = self
                        .connect()?
                        .map(|socket| Hostile::new(self, socket, batch()));
                }
                let Some(hostile) = slot else { continue };
                match hostile.step() {
                    Ok(did_something) => is_busy |= did_something,
                    // Any error means that the server ended the connection.
                    Err(_) => {
                        self.note_close(hostile.goaway);
                        *slot = None;
                    }
                }
            }
            if !is_busy {
                wait(slots.iter().flatten())?;
            }
        }
        Ok(())
    }

    /// Opens a connection. `None`, after a pause, if it fails.
    fn connect(&self) -> Result<Option<TcpStream>> {
        let Ok(socket) = connect_from(self.from, self.server) else {
            std::thread::sleep(PAUSE);
            return Ok(None);
        };
        self.connections.fetch_add(1, Ordering::Relaxed);
        // Reset on close, because TIME_WAIT would use up the client's ports.
        set_socket_linger(&socket, Some(Duration::ZERO))?;
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        Ok(Some(socket))
    }

    fn count(&self, bytes: usize, frames: u64) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.frames.fetch_add(frames, Ordering::Relaxed);
    }

    fn note_close(&self, goaway: Option<u32>) {
        let code = goaway.map_or("no GOAWAY", error::name);
        let mut closes = self.closes.lock().unwrap_or_else(PoisonError::into_inner);
        *closes.entry(code).or_default() += 1;
    }
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

/// One hostile connection.
struct Hostile<'a> {
    shared: &'a Shared,
    socket: TcpStream,
    received: Received,
    batch: Batch,
    /// Bytes being written, and the number already written.
    out: Vec<u8>,
    gone: usize,
    /// Frames of the batch in `out`.
    out_frames: u64,
    /// Bytes before the next batch: the preface, acknowledgements, the start of a call.
    first: Vec<u8>,
    window: i64,
    window_of_new: i64,
    next_call: u32,
    /// The call of the frames, and its window.
    call: Option<(u32, i64)>,
    /// True once the server's settings have arrived.
    is_told: bool,
    goaway: Option<u32>,
}

impl<'a> Hostile<'a> {
    fn new(shared: &'a Shared, socket: TcpStream, batch: Batch) -> Self {
        Self {
            shared,
            socket,
            received: Received::new(),
            first: batch.opening.clone(),
            batch,
            out: Vec::new(),
            gone: 0,
            out_frames: 0,
            window: WINDOW_BYTES_DEFAULT.into(),
            window_of_new: WINDOW_BYTES_DEFAULT.into(),
            next_call: 1,
            call: None,
            is_told: false,
            goaway: None,
        }
    }

    /// Reads once and writes once. Returns false if neither was possible.
    ///
    /// # Errors
    /// The server ended the connection.
    fn step(&mut self) -> io::Result<bool> {
        // Read first, because a server that cannot send its answers may stop reading.
        let has_read = self.read()?;
        if self.gone == self.out.len() {
            self.shared.count(self.out.len(), self.out_frames);
            self.fill_out()?;
        }
        match (&self.socket).write(&self.out[self.gone..]) {
            Ok(written) => {
                self.gone += written;
                Ok(has_read || written > 0)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(has_read),
            Err(error) => {
                // The server's last frames may still be readable.
                while self.goaway.is_none() && self.read().is_ok_and(|read| read) {}
                Err(error)
            }
        }
    }

    fn fill_out(&mut self) -> io::Result<()> {
        (self.gone, self.out_frames) = (0, 0);
        self.out.clear();
        // A hostile client keeps the protocol's limits, or the server would close it for an error.
        let is_ready = self.is_told && self.batch.times > 0 && self.prepare();
        if self.next_call > STREAM_MAX - CALLS_SPARE {
            return Err(io::Error::other("no stream numbers are left"));
        }
        self.out.append(&mut self.first);
        if is_ready {
            self.out.extend_from_slice(&self.batch.bytes);
            self.out_frames = self.batch.frames;
            self.batch.times -= 1;
        }
        Ok(())
    }

    /// Prepares the batch. Returns false if the windows do not allow it now.
    fn prepare(&mut self) -> bool {
        match &self.batch.calls {
            Calls::None => true,
            Calls::New { per_call } => {
                let per_call = *per_call;
                if self.batch.window_bytes > self.window {
                    return false;
                }
                self.window -= self.batch.window_bytes;
                let starts: Vec<_> = frames_in(&self.batch.bytes).collect();
                for (index, at) in starts.into_iter().enumerate() {
                    set_stream(&mut self.batch.bytes, at, self.next_call);
                    if index % per_call == per_call - 1 {
                        self.next_call += 2;
                    }
                }
                true
            }
            Calls::Open { opener } => {
                if self.call.is_none() {
                    let call = self.next_call;
                    let at = self.first.len();
                    self.first.extend_from_slice(opener);
                    set_stream(&mut self.first, at, call);
                    let starts: Vec<_> = frames_in(&self.batch.bytes).collect();
                    for at in starts {
                        set_stream(&mut self.batch.bytes, at, call);
                    }
                    self.next_call += 2;
                    self.call = Some((call, self.window_of_new));
                }
                let call_window = self.call.as_mut().map(|(_, window)| window);
                let needed = self.batch.window_bytes;
                match call_window {
                    Some(window) if needed <= *window && needed <= self.window => {
                        *window -= needed;
                        self.window -= needed;
                        true
                    }
                    _ => false,
                }
            }
        }
    }

    /// Reads once, if bytes have arrived.
    fn read(&mut self) -> io::Result<bool> {
        match self.received.read(&mut &self.socket) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        let mut received = std::mem::take(&mut self.received);
        let outcome = loop {
            match received.next_frame() {
                Ok(Some((head, payload))) => self.take(head, payload),
                Ok(None) => break Ok(true),
                Err(error) => break Err(error),
            }
        };
        self.received = received;
        outcome
    }

    fn take(&mut self, head: Head, payload: &[u8]) {
        let is_of_call = self.call.is_some_and(|(call, _)| call == head.stream);
        match head.kind {
            kind::WINDOW_UPDATE => {
                let bytes = i64::from(number_at(payload, 0).unwrap_or(0));
                if head.stream == 0 {
                    self.window += bytes;
                } else if let Some((_, window)) = self.call.as_mut().filter(|_| is_of_call) {
                    *window += bytes;
                }
            }
            kind::SETTINGS if !head.has(flag::ACK) => {
                self.is_told = true;
                for (name, value) in settings_of(payload) {
                    if name == setting::INITIAL_WINDOW_SIZE {
                        let change = i64::from(value) - self.window_of_new;
                        self.window_of_new += change;
                        self.call
                            .iter_mut()
                            .for_each(|(_, window)| *window += change);
                    }
                }
                self.reply(&frame(kind::SETTINGS, flag::ACK, 0, &[]));
            }
            kind::PING if !head.has(flag::ACK) => {
                self.reply(&frame(kind::PING, flag::ACK, 0, payload));
            }
            kind::GOAWAY => self.goaway = number_at(payload, 4),
            kind::RST_STREAM if is_of_call => self.end_call(),
            kind::DATA | kind::HEADERS if is_of_call && head.has(flag::END_STREAM) => {
                self.end_call();
            }
            _ => {}
        }
    }

    /// A silent connection sends no reply, because it may have stopped inside a frame.
    fn reply(&mut self, frame: &[u8]) {
        if !self.batch.bytes.is_empty() {
            self.first.extend_from_slice(frame);
        }
    }

    fn end_call(&mut self) {
        self.call = None;
        self.shared.calls_ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// Sleeps until one of them can read or write.
fn wait<'a>(hostiles: impl Iterator<Item = &'a Hostile<'a>>) -> Result<()> {
    let mut sockets: Vec<_> = hostiles
        .map(|hostile| {
            let mut events = PollFlags::IN;
            events.set(PollFlags::OUT, hostile.gone < hostile.out.len());
            PollFd::new(&hostile.socket, events)
        })
        .collect();
    let timeout = Timespec::try_from(SLEEP).context("a constant that fits")?;
    match poll(&mut sockets, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error).context("cannot wait for sockets"),
    }
}
