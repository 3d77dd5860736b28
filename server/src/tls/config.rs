//! TLS below HTTP/2 and below the admin port, with rustls.
//!
//! ```text
//! settings ──> files: PEM to a ServerConfig ──> Tls ── replaced on SIGHUP, or when files change
//!                                                 │ current config
//! acceptor ── socket, permit ──> Handshakes (of a worker) ──> Secured: a stream of plaintext
//!                                   │                            └─ Wire: large reads of the socket
//!                                   └─ no h2, no certificate, too late ──> counted, closed
//! admin port ─────────> Tls::accept ──> a stream of plaintext, and whether the client is admitted
//! ```
//!
//! | file | |
//! |---|---|
//! | files.rs | certificates, keys and roots, checked |
//! | certificate.rs | a certificate's name and expiry |
//! | handshake.rs | handshakes of a worker, bounded in number and time |
//! | watch.rs | whether certificate files have changed |
//! | wire.rs | the socket, read ahead for rustls |
//!
//! A handshake holds a permit of `tls.handshakes_max` from its arrival at a worker to its end.
//! Sessions are resumed by tickets, so the server stores none. Clients with certificates are never
//! resumed, because a ticket would outlive a certificate that is no longer accepted.
//!
//! Why TLS is in the server: behind a proxy all clients have one address, and shares of clients
//! mean nothing. rustls is memory-safe and needs no system library. Of its providers, ring builds
//! with the linker's C compiler alone; aws-lc needs cmake.

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

pub(crate) use self::files::{Current, Port};
pub(crate) use self::handshake::{Handshakes, Secured};
pub use self::watch::CertificateWatch;
use crate::config::Settings;

/// The TLS configuration of a port.
#[derive(Debug)]
pub(crate) struct Tls {
    port: Port,
    current: Mutex<Current>,
}

impl Tls {
    /// Reads the files that the settings name for `port`.
    pub(crate) fn new(port: Port, settings: &Settings) -> anyhow::Result<Arc<Self>> {
        let current = Mutex::new(files::read(port, settings)?);
        Ok(Arc::new(Self { port, current }))
    }

    /// Reads the current files.
    pub(crate) fn read(&self, settings: &Settings) -> anyhow::Result<Current> {
        files::read(self.port, settings)
    }

    /// Puts what was read in force for new connections; open ones continue.
    pub(crate) fn replace(&self, new: Current) {
        *self.current() = new;
    }

    /// Performs the handshake with a client of the admin port. Returns false if a certificate is
    /// required and the client showed none.
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

    /// When the server's certificate expires.
    pub(crate) fn expires(&self) -> SystemTime {
        self.current().expires
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Current> {
        // No code panics under the lock.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
