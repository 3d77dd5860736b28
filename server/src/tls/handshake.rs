//! Handshakes of a worker: bounded in time and in what they compute.
//!
//! A handshake costs up to a millisecond of computing, a turn of a connection a fifth of that. So
//! handshakes compute one after the other, and after each step the worker's other tasks have as
//! much time, or as many turns as would take it. Clients take turns (gate.rs).
//!
//! ```text
//! bytes come ──> gate ──> a step ──> rest ──> next client
//! ```

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::certificate::Certificate;
use super::gate::Gate;
use super::wire::Wire;
use super::{H2, Tls};
use crate::client_id::Name;
use crate::drain::Phase;
use crate::metrics::counters::{Handshake, WorkerCounters};
use crate::scratch::Scratch;

/// Bytes that rustls holds while the socket takes none; h2 holds the others.
const UNSENT_BYTES_MAX: usize = 16 << 10;

/// Time of a turn of a connection, as other tasks have it while handshakes rest.
const TURN: Duration = Duration::from_micros(200);

/// A step that took less has only looked whether bytes have come.
const STEP_MIN: Duration = Duration::from_micros(20);

/// Time for a handshake once the drain has begun.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long and how often a refused client is still read. Closed with bytes that nobody read, TCP
/// would reset the connection, and the alert would be lost.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_READS: usize = 64;

/// A stream of plaintext.
pub(crate) type Secured = TlsStream<Wire>;

/// What a worker's handshakes share.
#[derive(Debug)]
pub(crate) struct Handshakes {
    tls: Arc<Tls>,
    timeout: Duration,
    scratch: Rc<Scratch>,
    counters: Arc<WorkerCounters>,
    /// Held by the one that computes or rests.
    gate: Rc<Gate>,
}

/// Why there is no stream.
#[derive(Debug)]
enum HandshakeError {
    Late,
    Refused(io::Error, Box<Wire>),
    NoAlpn(Box<Secured>),
}

impl Handshakes {
    pub(crate) fn new(
        tls: &Arc<Tls>,
        timeout: Duration,
        scratch: &Rc<Scratch>,
        counters: &Arc<WorkerCounters>,
    ) -> Self {
        Self {
            tls: Arc::clone(tls),
            timeout,
            scratch: Rc::clone(scratch),
            counters: Arc::clone(counters),
            gate: Rc::default(),
        }
    }

    /// Shakes hands on `socket` of the client with this number, and says who it is if it showed a
    /// certificate. Whatever comes of it is counted.
    pub(crate) async fn shake(
        &self,
        socket: TcpStream,
        client: u64,
        phase: watch::Receiver<Phase>,
    ) -> Option<(Secured, Option<Name>)> {
        let shaken = tokio::select! {
            biased;
            shaken = self.compute(Wire::new(socket, &self.scratch), client) => shaken,
            () = sleep(self.timeout) => Err(HandshakeError::Late),
            () = late_in_drain(phase) => Err(HandshakeError::Late),
        };
        let outcome = match &shaken {
            Ok(_) => Handshake::Done,
            Err(HandshakeError::Late) => Handshake::Timeout,
            Err(HandshakeError::NoAlpn(_)) => Handshake::Alpn,
            Err(HandshakeError::Refused(error, _)) => reason(error),
        };
        self.counters.handshakes[outcome as usize].add(1);
        match shaken {
            Ok(stream) => {
                let (_, session) = stream.get_ref();
                let certificates = session.peer_certificates().unwrap_or_default();
                let client = certificates.first().and_then(Certificate::parse);
                let client = client.and_then(|client| client.name);
                tracing::debug!(version = ?session.protocol_version(), "tls handshake");
                return Some((stream, client));
            }
            Err(HandshakeError::Late) => tracing::debug!("tls handshake was not done in time"),
            Err(HandshakeError::NoAlpn(stream)) => {
                tracing::debug!("tls client did not ask for h2");
                linger(*stream).await;
            }
            Err(HandshakeError::Refused(error, wire)) => {
                tracing::debug!(reason = outcome.name(), %error, "tls handshake failed");
                linger(*wire).await;
            }
        }
        None
    }

    async fn compute(&self, wire: Wire, client: u64) -> Result<Secured, HandshakeError> {
        let acceptor = TlsAcceptor::from(self.tls.config());
        let bounded = |session: &mut rustls::ServerConnection| {
            session.set_buffer_limit(Some(UNSENT_BYTES_MAX));
        };
        let mut accept = acceptor.accept_with(wire, bounded).into_fallible();
        let shaken = loop {
            let turn = self.gate.enter(client).await;
            let ended = loop {
                let began = Instant::now();
                let polled = poll_fn(|cx| Poll::Ready(Pin::new(&mut accept).poll(cx))).await;
                let took = began.elapsed();
                match polled {
                    Poll::Ready(shaken) => {
                        rest(took, Instant::now).await;
                        break Some(shaken);
                    }
                    Poll::Pending if took < STEP_MIN => break None,
                    // Bytes may have come while it rested: then nobody would wake it.
                    Poll::Pending => rest(took, Instant::now).await,
                }
            };
            drop(turn);
            match ended {
                Some(shaken) => break shaken,
                // The last poll has registered the task.
                None => woken().await,
            }
        };
        match shaken {
            Err((error, wire)) => Err(HandshakeError::Refused(error, Box::new(wire))),
            Ok(stream) if stream.get_ref().1.alpn_protocol() != Some(H2) => {
                Err(HandshakeError::NoAlpn(Box::new(stream)))
            }
            Ok(stream) => Ok(stream),
        }
    }
}

/// Lets the worker's other tasks have as much time as a step `took`, or the turns that would take
/// it if only one of them has something to do.
async fn rest(took: Duration, now: impl Fn() -> Instant) {
    let began = now();
    let turns = took.as_micros().div_ceil(TURN.as_micros());
    for _ in 0..turns {
        if now() - began >= took {
            return;
        }
        pass().await;
    }
}

/// Comes back behind all tasks that have something to do now.
async fn pass() {
    let mut passed = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut passed, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Waits until the task is woken by whatever it is registered with.
async fn woken() {
    let mut waited = false;
    poll_fn(|_| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// Ready some time after the drain has begun.
async fn late_in_drain(mut phase: watch::Receiver<Phase>) {
    // Without a sender there is no server any more.
    let _ = phase.wait_for(|phase| *phase >= Phase::Draining).await;
    sleep(DRAIN_TIMEOUT).await;
}

/// Closes the way out, and passes over what still comes.
async fn linger<S>(mut stream: S)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let lingering = async {
        stream.shutdown().await?;
        let mut space = [0; 4096];
        for _ in 0..LINGER_READS {
            if stream.read(&mut space).await? == 0 {
                break;
            }
        }
        io::Result::Ok(())
    };
    // What befell the socket is nobody's concern now.
    let _ = timeout(LINGER, lingering).await;
}

/// What a failed handshake is counted as.
fn reason(error: &io::Error) -> Handshake {
    use rustls::Error;
    let of_tls = error.get_ref().and_then(|e| e.downcast_ref::<Error>());
    match of_tls {
        None => Handshake::Closed,
        Some(Error::NoApplicationProtocol) => Handshake::Alpn,
        Some(Error::InvalidCertificate(_) | Error::NoCertificatesPresented) => {
            Handshake::Certificate
        }
        Some(Error::AlertReceived(_)) => Handshake::Alert,
        Some(Error::PeerIncompatible(_)) => Handshake::Incompatible,
        Some(_) => Handshake::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::runtime::{Builder, LocalOptions};

    use super::*;

    /// Turns that a busy connection has while a handshake rests, with this time for each.
    fn turns_meanwhile(took: Duration, turn: Duration) -> u32 {
        let runtime = Builder::new_current_thread();
        let runtime = { runtime }.build_local(LocalOptions::default()).unwrap();
        let turns = Rc::new(Cell::new(0));
        let busy = Rc::clone(&turns);
        runtime.spawn_local(async move {
            loop {
                busy.set(busy.get() + 1);
                pass().await;
            }
        });
        let resting = runtime.spawn_local(async move {
            let (start, before) = (Instant::now(), turns.get());
            rest(took, || start + turn * turns.get()).await;
            turns.get() - before
        });
        runtime.block_on(resting).unwrap()
    }

    #[test]
    fn a_busy_connection_has_as_much_time_as_a_handshake() {
        let took = Duration::from_millis(1);
        assert_eq!(turns_meanwhile(took, TURN), 5);
        assert_eq!(turns_meanwhile(took, took / 2), 2);
        // One that has little to do is not waited for.
        assert_eq!(turns_meanwhile(took, Duration::ZERO), 5);
    }
}
