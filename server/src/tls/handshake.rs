//! TLS handshakes: bounded in time, counted by result.
//!
//! A handshake uses up to a millisecond of CPU time. It is part of its connection's future, so the
//! worker's loop charges the time to the client (worker/schedule.rs).
//!
//! Why no handshake thread: it would take the same time on another core, from another worker's
//! connections. `tls.handshakes_max` bounds the open handshakes of the process, with a share for
//! each client (server/tests/server/bounds/shares.rs).

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Tls;
use super::certificate::Certificate;
use super::wire::Wire;
use crate::client::Name;
use crate::drain::Phase;
use crate::metrics::counters::{Handshake, WorkerCounters};
use crate::read_buffers::ReadBuffers;
use crate::words::Words as _;

/// Bytes that rustls buffers while the socket accepts none; HTTP/2 holds the rest.
const UNSENT_BYTES_MAX: usize = 16 << 10;

/// Time for a handshake once the drain has begun.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Time and number of reads from a refused client before close. TCP resets a connection closed with
/// unread bytes, and the alert would be lost.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_READS: usize = 64;

/// Shared by the handshakes of one worker.
#[derive(Debug)]
pub(crate) struct Handshakes {
    tls: Arc<Tls>,
    timeout: Duration,
    buffers: Rc<ReadBuffers>,
    counters: Arc<WorkerCounters>,
}

impl Handshakes {
    pub(crate) fn new(
        tls: &Arc<Tls>,
        timeout: Duration,
        buffers: &Rc<ReadBuffers>,
        counters: &Arc<WorkerCounters>,
    ) -> Self {
        Self {
            tls: Arc::clone(tls),
            timeout,
            buffers: Rc::clone(buffers),
            counters: Arc::clone(counters),
        }
    }

    /// Performs the handshake on `socket` and counts the result. Returns the stream, and the name
    /// in the client's certificate, if there is one.
    pub(crate) async fn shake(
        &self,
        socket: TcpStream,
        phase: watch::Receiver<Phase>,
    ) -> Option<(TlsStream<Wire>, Option<Name>)> {
        let acceptor = TlsAcceptor::from(self.tls.config());
        let bounded = |session: &mut rustls::ServerConnection| {
            session.set_buffer_limit(Some(UNSENT_BYTES_MAX));
        };
        let accepting = acceptor.accept_with(Wire::new(socket, &self.buffers), bounded);
        // `None` if it was not done in time.
        let shaken = tokio::select! {
            biased;
            shaken = accepting.into_fallible() => Some(shaken),
            () = sleep(self.timeout) => None,
            () = late_in_drain(phase) => None,
        };
        let outcome = match &shaken {
            Some(Ok(_)) => Handshake::Done,
            Some(Err((error, _))) => reason(error),
            None => Handshake::Timeout,
        };
        self.counters.handshakes[outcome as usize].add(1);
        match shaken {
            Some(Ok(stream)) => {
                let (_, session) = stream.get_ref();
                let certificates = session.peer_certificates().unwrap_or_default();
                let client = certificates.first().and_then(Certificate::parse);
                let client = client.and_then(|client| client.name);
                tracing::debug!(version = ?session.protocol_version(), "tls handshake");
                return Some((stream, client));
            }
            Some(Err((error, wire))) => {
                tracing::debug!(reason = outcome.word(), %error, "tls handshake failed");
                linger(wire).await;
            }
            None => tracing::debug!("tls handshake was not done in time"),
        }
        None
    }
}

/// Ready a short time after the drain has begun.
async fn late_in_drain(mut phase: watch::Receiver<Phase>) {
    // Without a sender the server has ended.
    let _ = phase.wait_for(|phase| *phase >= Phase::Draining).await;
    sleep(DRAIN_TIMEOUT).await;
}

/// Shuts down writing, and discards what arrives.
async fn linger(mut stream: Wire) {
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
    // Errors of the socket no longer matter.
    let _ = timeout(LINGER, lingering).await;
}

/// The metric label of a failed handshake.
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
