//! A line with delay: a proxy on the loopback that holds the bytes of each direction.
//!
//! ```text
//! client ──> [piece, due][piece, due] .. ──> server
//!        <── .. [due, piece][due, piece] <──
//! ```
//!
//! It has a thread of its own, whose CPU time counts as the load generator's. A direction holds
//! [`HELD_BYTES_MAX`] at most; then it does not read, as a full router would not either.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::set_tcp_congestion;

use crate::args::LoadArgs;
use crate::cpus::Cpus;

/// Bytes of one read.
const PIECE_BYTES: usize = 256 << 10;

/// Bytes on their way in one direction of a connection: 5 GB/s with a delay of 10 ms.
const HELD_BYTES_MAX: usize = 64 << 20;

/// Buffers kept for later pieces.
const SPARE_MAX: usize = 64;

/// The longest sleep: whether it is time to end is looked at so often.
const SLEEP: Duration = Duration::from_millis(10);

/// The proxy. Ends when dropped.
#[derive(Debug)]
pub(crate) struct Delay {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<()>>>,
}

/// What stands between a load and its server.
#[derive(Debug)]
pub(crate) enum Line {
    /// Nothing.
    Direct(String),
    /// A delay, for addresses of this scheme.
    Delayed(String, Delay),
}

impl Line {
    /// To `server`, as `load` wants it.
    ///
    /// # Errors
    /// If there is to be a delay and `server` is not one of TCP, or its thread cannot be started.
    pub(crate) fn to(server: &str, load: &LoadArgs) -> Result<Self> {
        let Some(delay) = load.delay else {
            return Ok(Self::Direct(server.to_owned()));
        };
        let Some((scheme @ ("http" | "https"), authority)) = server.split_once("://") else {
            bail!("--delay wants a server at http://HOST:PORT, not `{server}`");
        };
        let cpus = load.pin_client.clone();
        let congestion = load.tcp_congestion.clone();
        let delay = Delay::start(authority.to_owned(), delay, cpus, congestion)?;
        Ok(Self::Delayed(scheme.to_owned(), delay))
    }

    /// Where the load finds the server.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Direct(url) => url.clone(),
            Self::Delayed(scheme, delay) => format!("{scheme}://{}", delay.address),
        }
    }
}

impl Delay {
    fn start(
        server: String,
        delay: Duration,
        cpus: Option<Cpus>,
        congestion: Option<String>,
    ) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::Builder::new().name("delay".to_owned());
        let thread = thread.spawn({
            let stop = Arc::clone(&stop);
            move || {
                cpus.map_or(Ok(()), |cpus| cpus.pin_thread())?;
                let mut proxy = Proxy {
                    server,
                    delay,
                    congestion,
                    listener,
                    connections: Vec::new(),
                    spare: Vec::new(),
                };
                while !stop.load(Ordering::Relaxed) {
                    proxy.turn()?;
                }
                Ok(())
            }
        });
        Ok(Self {
            address,
            stop,
            thread: Some(thread.context("cannot start a thread")?),
        })
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Whose connections it cut off has said so.
            let _ = thread.join();
        }
    }
}

struct Proxy {
    server: String,
    delay: Duration,
    congestion: Option<String>,
    listener: TcpListener,
    connections: Vec<Connection>,
    /// Buffers of [`PIECE_BYTES`].
    spare: Vec<Vec<u8>>,
}

/// A client's socket, and the one to the server for it.
struct Connection {
    sockets: [TcpStream; 2],
    /// From the first to the second, and back.
    ways: [Way; 2],
}

/// One direction.
#[derive(Default)]
struct Way {
    pieces: VecDeque<Piece>,
    held_bytes: usize,
    /// Its source has said all.
    is_at_end: bool,
    has_ended: bool,
    /// Its sink took less than there was.
    is_held_by_sink: bool,
}

/// Bytes `start..end` of a buffer; none at the end of the stream.
struct Piece {
    due: Instant,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Proxy {
    /// Sleeps until there is something to do, and does it.
    fn turn(&mut self) -> Result<()> {
        let readable = self.wait()?;
        let now = Instant::now();
        let mut readable = readable.into_iter();
        let mut next = || readable.next().unwrap_or(false);
        if next() {
            let connection = self.connect();
            // Who cannot be connected is cut off.
            self.connections.extend(connection);
        }
        let (delay, spare) = (self.delay, &mut self.spare);
        self.connections.retain_mut(|connection| {
            let readable = [next(), next()];
            let outcome = connection.turn(readable, now, delay, spare);
            outcome.unwrap_or(false)
        });
        Ok(())
    }

    /// Which sockets may be read: the listener, and those of each connection.
    fn wait(&self) -> Result<Vec<bool>> {
        let mut polled = vec![PollFd::new(&self.listener, PollFlags::IN)];
        let mut due: Option<Instant> = None;
        for connection in &self.connections {
            let [forth, back] = &connection.ways;
            for (socket, from, to) in [
                (&connection.sockets[0], forth, back),
                (&connection.sockets[1], back, forth),
            ] {
                let mut events = PollFlags::empty();
                events.set(PollFlags::IN, from.may_read());
                events.set(PollFlags::OUT, to.is_held_by_sink);
                polled.push(PollFd::new(socket, events));
                let first = from.pieces.front().filter(|_| !from.is_held_by_sink);
                due = first.map(|piece| piece.due).into_iter().chain(due).min();
            }
        }
        let sleep = due.map_or(SLEEP, |due| due.saturating_duration_since(Instant::now()));
        let sleep = Timespec::try_from(sleep.min(SLEEP)).context("a time that fits")?;
        match poll(&mut polled, Some(&sleep)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).context("cannot wait for sockets"),
        }
        let readable = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        Ok(polled
            .iter()
            .map(|socket| socket.revents().intersects(readable))
            .collect())
    }

    fn connect(&self) -> io::Result<Connection> {
        let (client, _) = self.listener.accept()?;
        let server = TcpStream::connect(&self.server)?;
        for socket in [&client, &server] {
            socket.set_nodelay(true)?;
            socket.set_nonblocking(true)?;
        }
        if let Some(name) = &self.congestion {
            set_tcp_congestion(&server, name)?;
        }
        Ok(Connection {
            sockets: [client, server],
            ways: Default::default(),
        })
    }
}

impl Connection {
    /// Reads what there is and writes what is due. False once both directions have ended.
    fn turn(
        &mut self,
        readable: [bool; 2],
        now: Instant,
        delay: Duration,
        spare: &mut Vec<Vec<u8>>,
    ) -> io::Result<bool> {
        let [client, server] = &self.sockets;
        let [forth, back] = &mut self.ways;
        for (way, from, to, readable) in [
            (forth, client, server, readable[0]),
            (back, server, client, readable[1]),
        ] {
            if readable && way.may_read() {
                way.read(from, now + delay, spare)?;
            }
            way.write(to, now, spare)?;
        }
        Ok(!self.ways.iter().all(|way| way.has_ended))
    }
}

impl Way {
    fn may_read(&self) -> bool {
        !self.is_at_end && self.held_bytes < HELD_BYTES_MAX
    }

    fn read(
        &mut self,
        mut from: &TcpStream,
        due: Instant,
        spare: &mut Vec<Vec<u8>>,
    ) -> io::Result<()> {
        let mut buffer = spare.pop().unwrap_or_else(|| vec![0; PIECE_BYTES]);
        let end = match from.read(&mut buffer) {
            Ok(end) => end,
            Err(error) if is_for_later(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        self.is_at_end = end == 0;
        if end < PIECE_BYTES / 2 {
            // Many small pieces would hold much more memory than bytes.
            let small = buffer[..end].to_vec();
            keep(spare, std::mem::replace(&mut buffer, small));
        }
        self.held_bytes += end;
        self.pieces.push_back(Piece {
            due,
            buffer,
            start: 0,
            end,
        });
        Ok(())
    }

    fn write(
        &mut self,
        mut to: &TcpStream,
        now: Instant,
        spare: &mut Vec<Vec<u8>>,
    ) -> io::Result<()> {
        self.is_held_by_sink = false;
        while let Some(piece) = self.pieces.front_mut()
            && piece.due <= now
        {
            if piece.end == 0 {
                self.has_ended = true;
                to.shutdown(Shutdown::Write)?;
            }
            while piece.start < piece.end {
                match to.write(&piece.buffer[piece.start..piece.end]) {
                    Ok(written) => {
                        piece.start += written;
                        self.held_bytes -= written;
                    }
                    Err(error) if is_for_later(&error) => {
                        self.is_held_by_sink = true;
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
            }
            if let Some(piece) = self.pieces.pop_front() {
                keep(spare, piece.buffer);
            }
        }
        Ok(())
    }
}

fn keep(spare: &mut Vec<Vec<u8>>, buffer: Vec<u8>) {
    if spare.len() < SPARE_MAX && buffer.len() == PIECE_BYTES {
        spare.push(buffer);
    }
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than a turn takes, shorter than a test's patience.
    const DELAY: Duration = Duration::from_millis(30);

    fn proxy(delay: Duration) -> (TcpListener, Delay) {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = server.local_addr().unwrap().to_string();
        (server, Delay::start(address, delay, None, None).unwrap())
    }

    #[test]
    fn each_direction_is_held_for_the_delay() {
        let (server, delay) = proxy(DELAY);
        let mut client = TcpStream::connect(delay.address).unwrap();
        let began = Instant::now();
        client.write_all(b"ask").unwrap();
        let (mut served, _) = server.accept().unwrap();
        let mut heard = [0; 3];
        served.read_exact(&mut heard).unwrap();
        assert!(&heard == b"ask" && began.elapsed() >= DELAY);
        served.write_all(b"say").unwrap();
        client.read_exact(&mut heard).unwrap();
        assert!(&heard == b"say" && began.elapsed() >= 2 * DELAY);
    }

    #[test]
    fn all_bytes_come_in_order_and_then_the_end() {
        let (server, delay) = proxy(Duration::from_millis(1));
        // More than the line and both sockets hold.
        let bytes: Vec<u8> = (0..HELD_BYTES_MAX + (32 << 20))
            .map(|at| u8::try_from(at % 251).unwrap())
            .collect();
        let address = delay.address;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut client = TcpStream::connect(address).unwrap();
                client.write_all(&bytes).unwrap();
                client.shutdown(Shutdown::Write).unwrap();
                let mut answer = Vec::new();
                client.read_to_end(&mut answer).unwrap();
                assert_eq!(answer, b"all");
            });
            let (mut served, _) = server.accept().unwrap();
            let mut received = Vec::new();
            served.read_to_end(&mut received).unwrap();
            assert!(received == bytes);
            served.write_all(b"all").unwrap();
        });
    }

    #[test]
    fn who_is_cut_off_cuts_off_the_other() {
        let (server, delay) = proxy(Duration::from_millis(1));
        let mut client = TcpStream::connect(delay.address).unwrap();
        let (served, _) = server.accept().unwrap();
        drop(served);
        assert_eq!(client.read(&mut [0; 1]).unwrap(), 0);
        drop(delay);
        assert!(TcpStream::connect(("127.0.0.1", client.peer_addr().unwrap().port())).is_err());
    }
}
