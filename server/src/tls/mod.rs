//! TLS below HTTP/2 and below the admin port, with rustls.
//!
//! ```text
//! settings ──> files: PEM to a ServerConfig ──> Tls ── replaced on SIGHUP, or when files change
//!                                                 │ current config
//! acceptor ── socket, permit ──> Handshakes (of a worker) ──> TlsStream: plaintext
//!                                   │                            └─ Wire: large reads of the socket
//!                                   └─ no h2, no certificate, too late ──> counted, closed
//! admin port ─────────> Tls::accept ──> a stream of plaintext, and whether the client is admitted
//! ```
//!
//! | file | |
//! |---|---|
//! | config.rs | the TLS configuration of a port |
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
mod config;
mod files;
mod handshake;
mod watch;
mod wire;

pub(crate) use self::config::Tls;
pub(crate) use self::files::Port;
pub(crate) use self::handshake::Handshakes;
pub use self::watch::CertificateWatch;
pub(crate) use self::wire::Wire;
