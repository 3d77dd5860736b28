//! TLS below HTTP/2, by the rustls crate.
//!
//! ```text
//! settings ──> files: PEM to a ServerConfig ──> Tls ── SIGHUP puts another in its place
//!                                                 │ what is in force now
//! acceptor ── socket, permit ──> Handshakes (of a worker) ──> Secured: a stream of plaintext
//!                                   │                            └─ Wire: large reads of the socket
//!                                   └─ no h2, no certificate, too late ──> counted, closed
//! ```
//!
//! | file | |
//! |---|---|
//! | files.rs | certificates, keys and roots, checked |
//! | certificate.rs | what a certificate says: whose it is, until when |
//! | handshake.rs | handshakes of a worker, bounded in number, time and computing |
//! | wire.rs | the socket as rustls reads it |
//!
//! A handshake holds a permit of `tls.handshakes_max` from when a worker gets it to its end.
//! Sessions are resumed by tickets, so the server keeps none; clients with certificates are never
//! resumed, because a ticket would outlive a certificate that is no longer accepted.

mod certificate;
mod files;
mod handshake;
mod wire;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rustls::ServerConfig;

pub use self::files::TlsError;
pub(crate) use self::handshake::{Handshakes, Secured};
use crate::config::Settings;

/// The protocol that a client must name, by ALPN (RFC 7301).
const H2: &[u8] = b"h2";

/// What the TLS port works with.
#[derive(Debug)]
pub struct Tls(Mutex<Current>);

#[derive(Debug)]
struct Current {
    config: Arc<ServerConfig>,
    expires: SystemTime,
}

impl Tls {
    /// Reads the files that the settings name.
    pub(crate) fn new(settings: &Settings) -> Result<Arc<Self>, TlsError> {
        let (config, expires) = files::read(&settings.tls)?;
        Ok(Arc::new(Self(Mutex::new(Current { config, expires }))))
    }

    /// Reads the files anew. From now on connections begin with them; those that are open stay.
    ///
    /// # Errors
    /// A file that cannot be used. What was in force stays.
    pub fn reload(&self, settings: &Settings) -> Result<(), TlsError> {
        let (config, expires) = files::read(&settings.tls)?;
        *self.current() = Current { config, expires };
        Ok(())
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
