//! Listens on the socket for shared memory, and keeps each region while its connection is open.
//!
//! A connection counts as one of its client's, with the same bounds of number and rate (acceptor.rs
//! has those for calls). It takes no worker: its task sleeps until the client closes it.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tokio::io::{AsyncReadExt as _, Interest};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

use super::handshake::{self, REPLY_BYTES, REQUEST_BYTES, Refusal};
use super::region::{Kept, Region};
use crate::client::{Client, ClientId};
use crate::drain::Phase;
use crate::limiter::Permit;
use crate::process::Process;
use crate::unix_socket::SocketPath;
use crate::words::Words as _;

/// The pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(100);

/// The socket for shared memory.
pub(crate) struct Listener {
    pub(crate) socket: UnixListener,
    pub(crate) path: SocketPath,
    pub(crate) process: Arc<Process>,
}

impl Listener {
    /// Accepts until the drain begins, and then keeps the regions until their connections end.
    pub(crate) async fn run(self) {
        let mut phase = self.process.phase.clone();
        let mut connections = JoinSet::new();
        while *phase.borrow_and_update() < Phase::Draining {
            tokio::select! {
                _ = phase.changed() => {}
                Some(ended) = connections.join_next() => pass_on(ended),
                accepted = self.socket.accept() => match accepted {
                    Ok((stream, _)) => {
                        if let Some(connection) = self.admit(stream) {
                            connections.spawn(connection.serve());
                        }
                    }
                    Err(error) => {
                        self.process.acceptor.errors.fetch_add(1, Relaxed);
                        tracing::debug!(%error, "could not accept a connection for shared memory");
                        sleep(PAUSE).await;
                    }
                },
            }
        }
        if let Err(error) = self.path.remove() {
            tracing::debug!(%error, "could not remove the socket for shared memory");
        }
        drop(self);
        while let Some(ended) = connections.join_next().await {
            pass_on(ended);
        }
    }

    /// Counts a connection for its client, or closes it.
    fn admit(&self, stream: UnixStream) -> Option<Connection> {
        // The user at the time it connected (unix(7), SO_PEERCRED).
        let uid = stream.peer_cred().ok()?.uid();
        let now = Instant::now();
        let client = self.process.limits.client(&ClientId::Uid(uid), now);
        let Some(permit) = client.connections.take(1) else {
            self.process.acceptor.refused_limit.fetch_add(1, Relaxed);
            return None;
        };
        let Some(delay) = client.arrivals().arrive(now) else {
            self.process.acceptor.refused_rate.fetch_add(1, Relaxed);
            return None;
        };
        Some(Connection {
            stream,
            client,
            delay,
            process: Arc::clone(&self.process),
            _permit: permit,
        })
    }
}

/// Re-raises a connection's panic in the listener's task, which the server watches.
fn pass_on(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        std::panic::resume_unwind(panic);
    }
}

/// A connection, counted for its client.
struct Connection {
    stream: UnixStream,
    client: Arc<Client>,
    /// Nothing is read before: the client's connections arrive too fast.
    delay: Duration,
    process: Arc<Process>,
    _permit: Permit,
}

impl Connection {
    async fn serve(mut self) {
        sleep(self.delay).await;
        let granted = match self.request().await {
            Ok(wanted) => grant(&self.client, wanted),
            Err(refusal) => Err(refusal),
        };
        let kept = match granted {
            Ok(kept) => kept,
            Err(refusal) => {
                self.refuse(refusal);
                return;
            }
        };
        let reply = handshake::granted(kept.id, kept.region().bytes() as u64);
        if self.send(&reply, Some(kept.region())).is_ok() {
            // The end of the connection, or a byte that no client has a reason to send.
            let _ = self.stream.read(&mut [0]).await;
        }
        let region = kept.end(&self.client.regions).await;
        // To unmap and free it takes milliseconds, and the acceptor runs on this thread.
        let _ = spawn_blocking(move || drop(region)).await;
    }

    /// The bytes that the client wants.
    async fn request(&mut self) -> Result<u64, Refusal> {
        let mut request = [0; REQUEST_BYTES];
        match timeout(
            self.process.settings.handshake_timeout,
            self.stream.read_exact(&mut request),
        )
        .await
        {
            Ok(Ok(_)) => handshake::parse(&request),
            Ok(Err(_)) | Err(_) => Err(Refusal::Incomplete),
        }
    }

    fn refuse(&self, refusal: Refusal) {
        self.process.acceptor.memory_refused[refusal as usize].fetch_add(1, Relaxed);
        tracing::debug!(
            client = %self.client.id.logged(),
            reason = refusal.word(),
            "shared memory refused"
        );
        if refusal != Refusal::Incomplete {
            // A failure means that the client is gone.
            let _ = self.send(&handshake::refused(refusal), None);
        }
    }

    /// Sends a reply, with the descriptor of a region. The socket of a new connection has room.
    fn send(&self, reply: &[u8; REPLY_BYTES], region: Option<&Region>) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let descriptors = region.map(|region| [region.descriptor()]);
        if let Some(descriptors) = &descriptors {
            ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        let sent = self.stream.try_io(Interest::WRITABLE, || {
            let socket = self.stream.as_fd();
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            Ok(sendmsg(
                socket,
                &[IoSlice::new(reply)],
                &mut ancillary,
                flags,
            )?)
        })?;
        if sent == reply.len() {
            Ok(())
        } else {
            Err(io::ErrorKind::WriteZero.into())
        }
    }
}

/// Makes a region of at least `wanted` bytes.
fn grant(client: &Client, wanted: u64) -> Result<Kept, Refusal> {
    let page_bytes = rustix::param::page_size();
    let bytes = usize::try_from(wanted).map_err(|_| Refusal::Size)?;
    let bytes = bytes.next_multiple_of(page_bytes);
    let take = |budget: &Arc<crate::limiter::Budget>, amount| {
        budget.take(amount).ok_or_else(|| {
            if budget.is_own_limit(amount) {
                Refusal::Quota
            } else {
                Refusal::Busy
            }
        })
    };
    let permits = [
        take(&client.memory_regions, 1)?,
        take(&client.memory_bytes, bytes)?,
    ];
    let region = Region::new(bytes, permits).and_then(|region| client.regions.add(region));
    region.map_err(|error| {
        tracing::warn!(%error, bytes, "could not make shared memory");
        Refusal::System
    })
}
