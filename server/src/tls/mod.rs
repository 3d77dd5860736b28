//! TLS below HTTP/2, and below the admin port, by the rustls crate.
//!
//! ```text
//! settings ──> files: PEM to a ServerConfig ──> Tls ── SIGHUP, or files that change, replace it
//!                                                 │ what is in force now
//! acceptor ── socket, permit ──> Handshakes (of a worker) ──> Secured: a stream of plaintext
//!                                   │                            └─ Wire: large reads of the socket
//!                                   └─ no h2, no certificate, too late ──> counted, closed
//! admin port ─────────> Tls::accept ──> a stream of plaintext, and who is let in
//! ```
//!
//! | file | |
//! |---|---|
//! | files.rs | certificates, keys and roots, checked |
//! | certificate.rs | what a certificate says: whose it is, until when |
//! | handshake.rs | handshakes of a worker, bounded in number and time |
//! | watch.rs | whether files of certificates have changed |
//! | wire.rs | the socket as rustls reads it |
//!
//! A handshake holds a permit of `tls.handshakes_max` from when a worker gets it to its end.
//! Sessions are resumed by tickets, so the server keeps none; clients with certificates are never
//! resumed, because a ticket would outlive a certificate that is no longer accepted.
//!
//! Why TLS is in the server: behind a proxy all clients are one address, and shares of clients mean
//! nothing. rustls is memory-safe and needs no library of the system; of its providers ring builds
//! with the linker's C compiler alone, aws-lc needs cmake.

mod certificate;
mod files;
mod handshake;
mod watch;
mod wire;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

pub use self::files::TlsError;
pub(crate) use self::handshake::{Handshakes, Secured};
pub use self::watch::CertificateWatch;
use crate::config::Settings;

/// The protocol that a client must name, by ALPN (RFC 7301).
const H2: &[u8] = b"h2";

/// That of the admin port, which a client may leave out.
const HTTP1: &[u8] = b"http/1.1";

/// A port that can speak TLS.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Port {
    Grpc,
    Admin,
}

impl Port {
    fn name(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Admin => "admin",
        }
    }
}

/// What a port with TLS works with.
#[derive(Debug)]
pub struct Tls {
    port: Port,
    current: Mutex<Current>,
}

/// What its files gave.
#[derive(Debug)]
pub(crate) struct Current {
    config: Arc<ServerConfig>,
    expires: SystemTime,
    /// Clients are asked for certificates.
    asks_clients: bool,
}

impl Tls {
    /// Reads the files that the settings name for `port`.
    pub(crate) fn new(port: Port, settings: &Settings) -> Result<Arc<Self>, TlsError> {
        let current = Mutex::new(files::read(port, settings)?);
        Ok(Arc::new(Self { port, current }))
    }

    /// Reads the files again. New connections begin with them; open ones stay.
    ///
    /// # Errors
    /// A file that cannot be used. What was in force stays.
    pub fn reload(&self, settings: &Settings) -> Result<(), TlsError> {
        self.replace(self.read(settings)?);
        Ok(())
    }

    /// What the files give as they are now.
    pub(crate) fn read(&self, settings: &Settings) -> Result<Current, TlsError> {
        files::read(self.port, settings)
    }

    pub(crate) fn replace(&self, new: Current) {
        *self.current() = new;
    }

    /// Shakes hands with a client of the admin port; false if it shows no certificate although one
    /// is asked for.
    pub(crate) async fn accept(
        &self,
        socket: TcpStream,
    ) -> io::Result<(TlsStream<TcpStream>, bool)> {
        let (config, asks_clients) = {
            let current = self.current();
            (Arc::clone(&current.config), current.asks_clients)
        };
        let stream = TlsAcceptor::from(config).accept(socket).await?;
        let shown = stream.get_ref().1.peer_certificates().is_some();
        Ok((stream, shown || !asks_clients))
    }

    fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current().config)
    }

    /// When the server's certificate ends.
    pub(crate) fn expires(&self) -> SystemTime {
        self.current().expires
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Current> {
        // Nothing panics while it is locked.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
