//! Every setting there is, declared once. Structs, defaults, the configuration file, variables,
//! flags, docs/settings.md and errors follow from it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use hashlane_engine::Kernel;

use super::choices::{ClientCertificates, Hashing, LogFormat, Pin};
use super::declare::settings;
use super::value_kinds::{GIB, KIB, Kind, MIB, TIB};
use super::value_kinds::{
    address, auto, bytes, choice, count, filter, kernels, mode, optional, path, proxies, ratio,
    time, url,
};
use crate::client::TrustedProxy;

/// HTTP/2 windows and stream counts end at 2^31 - 1 (RFC 9113 section 6.9.1).
const WINDOW_MAX: u64 = (1 << 31) - 1;

/// One part with all algorithms fits (limits/memory.rs).
const PARTS_MIN: u64 = 100;

const MILLISECOND: Duration = Duration::from_millis(1);
/// The maximum of `linger`.
pub(crate) const LINGER_MAX: Duration = MILLISECOND;
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

settings! {
    /// gRPC over TCP in the clear, on a loopback address unless `insecure` is set; empty for none.
    listen: Option<SocketAddr> = Some(loopback(50051)), optional(address()), Start;
    /// Allow `listen` to be an address that other machines reach.
    insecure: bool = false, choice(), Start;
    /// gRPC over a Unix socket; empty for none.
    listen_unix: Option<PathBuf> = None, optional(path()), Start;
    /// Permissions of that socket, in octal; write permission is permission to connect.
    unix_socket_mode: u32 = 0o660, mode(), Start;
    /// Share memory with clients of that socket, so that bytes need no socket: the server also
    /// listens on listen_unix with .memory appended.
    shared_memory: bool = true, choice(), Start;
    /// A page for people, /metrics, /healthz and /readyz; for operators alone.
    admin_listen: SocketAddr = loopback(9464), address(), Start;
    /// Threads, each with connections and an engine of its own; auto: one per usable core.
    workers: Option<usize> = None, auto(count(1, 1024)), Start;
    /// Pin workers to cores; auto: unless a CPU quota allows fewer cores than the affinity mask.
    pin: Pin = Pin::Auto, choice(), Start;
    #[cfg(feature = "measure")]
    /// What hashes: the engine (lanes); for comparison, sha2, sha1 and md-5 in the handler
    /// (inline), or nothing (sink).
    hashing: Hashing = Hashing::Lanes, choice(), Start;
    /// Kernels to use, each with its algorithm; other algorithms, and auto, use those measured
    /// fastest at start-up.
    kernel: Vec<Kernel> = Vec::new(), kernels(), Start;
    /// Share of each worker's time, in millionths, for hashing samples of its work again with another
    /// kernel; a kernel with a wrong answer is taken out of use; 0: no checks.
    selfcheck_ppm: u32 = 1000, count(0, 100_000), Start;
    /// Memory of the process, which bounds that are not set are made to fit; auto: that of its
    /// cgroup or of the machine, whichever is less.
    memory_max: Option<u64> = None, auto(bytes(64 * MIB, 1 << 60)), Start;
    /// Open connections; more are closed at once.
    connections_max: usize = 4096, count(1, 1_000_000), Start;
    /// Open calls of the process; more are refused.
    streams_max: usize = 100_000, count(1, 100_000_000), Start;
    /// Bytes of one request message.
    message_bytes_max: usize = 4 << 20, bytes(KIB, GIB), Start;
    /// Bytes of one part.
    part_bytes_max: u64 = 5 * TIB, bytes(1, 1 << 60), Start;
    /// Open parts of one stream.
    parts_per_stream_max: usize = 10_000, count(1, 1_000_000), Start;
    /// Open parts of the process; each of a part's digests counts as the KiB that its state takes: 1,
    /// of CRC and xxHash 2, of BLAKE3 3, of tree modes 4 to 8.
    parts_max: usize = 1_000_000, count(PARTS_MIN, 100_000_000), Start;
    /// Blobs of one DigestBatch.
    batch_blobs_max: usize = 10_000, count(1, 1_000_000), Start;
    /// Percent of each bound of the process but unread_bytes_max that one client may take.
    client_share_percent: usize = 50, count(1, 100), Start;
    /// New connections per second of one client (an address), and twice as many at once; others
    /// wait for up to 5s, and beyond that are closed at once.
    client_connections_per_second: u32 = 1000, count(1, 1_000_000), Start;
    /// Whole messages of unary calls that the process holds, what they decode to (64 bytes for each
    /// repeated field), and their answers; one of each always fits.
    unary_bytes_max: usize = 256 << 20, bytes(MIB, TIB), Start;
    /// HTTP/2 receive windows of all connections, which bound the bytes received and not hashed;
    /// once half is given, new connections get 64 KiB each; once all is, they are refused.
    receive_windows_bytes_max: usize = 2 << 30, bytes(64 * KIB, TIB), Start;
    /// Answers of the process that clients have not taken; beyond it connections of the client that
    /// holds most are closed.
    unread_bytes_max: usize = 64 << 20, bytes(MIB, TIB), Start;
    /// Data that the process holds because other fields follow it in its message; one message
    /// always fits.
    held_bytes_max: usize = 64 << 20, bytes(KIB, TIB), Start;
    /// Memory that the process shares with clients of listen_unix; more is refused.
    shared_memory_bytes_max: usize = 256 << 20, bytes(64 * KIB, TIB), Start;
    /// Longest time for which ready bytes wait for those of other parts, if hashing them together
    /// is expected to cost less; 0s: none.
    linger: Duration = LINGER_MAX, time(Duration::ZERO, LINGER_MAX), Start;
    /// Time after which a Digest or Verify stream ends if its client sends nothing or takes no
    /// answer.
    part_idle_timeout: Duration = 60 * SECOND, time(MILLISECOND, HOUR), Start;
    /// Least rate over part_rate_window of a stream with an open part; a slower one ends; 0: none.
    part_rate_bytes_per_second_min: u64 = 0, bytes(0, GIB), Start;
    /// Time over which part_rate_bytes_per_second_min is measured.
    part_rate_window: Duration = 30 * SECOND, time(MILLISECOND, HOUR), Start;
    /// Time for each handshake of a new connection, TLS's and HTTP/2's preface, and for the head of each
    /// request of HTTP/1.1.
    handshake_timeout: Duration = 10 * SECOND, time(MILLISECOND, HOUR), Start;
    /// Age, give or take a tenth, at which a connection gets GOAWAY, so that its client connects
    /// again; 0s: none.
    connection_age_max: Duration = Duration::ZERO, time(Duration::ZERO, 168 * HOUR), Start;
    /// Time without a call after which a connection gets GOAWAY; 0s: none.
    connection_idle_timeout: Duration = Duration::ZERO, time(Duration::ZERO, 168 * HOUR), Start;
    /// Time after SIGTERM in which the server reports that it is not ready and still serves
    /// everything, so that load balancers turn away first.
    lame_duck: Duration = Duration::ZERO, time(Duration::ZERO, HOUR), Start;
    /// Time for open calls after SIGTERM and lame_duck, and for those of a connection that is old
    /// or idle; then they end with UNAVAILABLE.
    drain_timeout: Duration = 30 * SECOND, time(Duration::ZERO, HOUR), Start;
    /// Answer gRPC reflection, which tells the methods and messages to any client.
    reflection: bool = true, choice(), Start;
    /// Filter of log lines.
    log: String = "info".to_owned(), filter(), Live;
    /// Format of log lines: text for people, or a JSON object each.
    log_format: LogFormat = LogFormat::Text, choice(), Start;

    table admin: AdminSettings {
        /// PEM file of the admin port's certificate and of those that lead to its root; SIGHUP
        /// reads it again; empty: the port speaks no TLS.
        certificate: Option<PathBuf> = None, optional(path()), Live;
        /// PEM file of that certificate's private key; SIGHUP reads it again.
        key: Option<PathBuf> = None, optional(path()), Live;
        /// PEM file of the root certificates for operators' certificates; if set, a request without
        /// such a certificate gets only /healthz and /readyz; SIGHUP reads the file again; empty: the
        /// port asks for no certificate.
        client_ca: Option<PathBuf> = None, optional(path()), Live;
    }
    table http2: Http2Settings {
        /// Initial flow-control window of a stream.
        stream_window_bytes: u32 = 1 << 20, bytes(65_535, WINDOW_MAX), Start;
        /// Initial flow-control window of a connection.
        connection_window_bytes: u32 = 768 << 10, bytes(65_535, WINDOW_MAX), Start;
        /// Largest size of both windows, which grow with bandwidth and round trip.
        connection_window_bytes_max: u32 = 4 << 20, bytes(65_535, WINDOW_MAX), Start;
        /// Largest frame accepted; 64 KiB of data in one message should fit one frame.
        frame_bytes_max: u32 = 128 << 10, bytes(16 * KIB, 16 * MIB - 1), Start;
        /// Concurrent streams of a connection.
        streams_max: u32 = 1024, count(1, WINDOW_MAX), Start;
        /// Bytes of one request's headers, with 32 more for each field; a request that has this many or
        /// more is refused with HTTP status 431.
        header_list_bytes_max: u32 = 16 << 10, bytes(KIB, MIB), Start;
        /// Credit that a connection gets a second for frames that carry little or nothing.
        credit_per_second: u32 = 8192, count(1, 1_000_000), Start;
        /// Silence after which a connection gets a PING.
        keep_alive_interval: Duration = 30 * SECOND, time(SECOND, HOUR), Start;
        /// Time for the answer to that PING.
        keep_alive_timeout: Duration = 10 * SECOND, time(Duration::from_millis(100), HOUR), Start;
    }
    table tls: TlsSettings {
        /// gRPC over TLS 1.3 and 1.2; empty for none.
        listen: Option<SocketAddr> = None, optional(address()), Start;
        /// PEM file of the server's certificate and of those that lead to its root; SIGHUP reads it
        /// again.
        certificate: Option<PathBuf> = None, optional(path()), Live;
        /// PEM file of the certificate's private key; SIGHUP reads it again.
        key: Option<PathBuf> = None, optional(path()), Live;
        /// Whether clients are asked for certificates, and refused without one.
        client_certificates: ClientCertificates = ClientCertificates::Off, choice(), Live;
        /// PEM file of the roots that clients' certificates lead to; SIGHUP reads it again.
        client_ca: Option<PathBuf> = None, optional(path()), Live;
        /// PEM file of certificate revocation lists for clients' certificates, one of each of their
        /// issuers; empty: none are revoked; SIGHUP reads it again.
        client_crl: Option<PathBuf> = None, optional(path()), Live;
        /// TLS handshakes at once; more connections are closed at once.
        handshakes_max: usize = 1024, count(1, 1_000_000), Start;
    }
    table clients: ClientsSettings {
        /// File of bearer tokens, each a line of a client's name and the token's SHA-256 in
        /// hexadecimal; SIGHUP reads it again; empty for none.
        tokens_file: Option<PathBuf> = None, optional(path()), Live;
        /// Refuse calls of clients that are known by their address alone; health and reflection
        /// need no identity.
        identity_required: bool = false, choice(), Live;
        /// Peers whose header x-forwarded-client names the client of a call; empty for none.
        trusted_proxies: Vec<TrustedProxy> = Vec::new(), proxies(), Live;
        /// TOML file of what single clients may have instead of client_share_percent and
        /// clients.bytes_per_second; SIGHUP reads it again; empty for none.
        quotas_file: Option<PathBuf> = None, optional(path()), Live;
        /// Bytes a second of one client's calls; more wait; empty for no bound.
        bytes_per_second: Option<u64> = None, optional(bytes(64 * KIB, TIB)), Live;
    }
    table traces: TracesSettings {
        /// OpenTelemetry collector that takes spans, by OTLP over HTTP without TLS; empty for none.
        endpoint: Option<String> = None, optional(url()), Start;
        /// Share of the calls without a traceparent that are traced; with one, its sampled flag
        /// decides.
        sample_ratio: f64 = 0.01, ratio(), Start;
    }
}

impl Settings {
    /// Whether clients of the Unix socket may share memory with the server.
    pub(crate) fn shares_memory(&self) -> bool {
        self.listen_unix.is_some() && self.shared_memory
    }

    /// How bytes are hashed: by the engine, except in builds with the feature `measure`.
    #[must_use]
    pub fn hashing(&self) -> Hashing {
        #[cfg(feature = "measure")]
        return self.hashing;
        #[cfg(not(feature = "measure"))]
        Hashing::Lanes
    }
}

/// When a changed value takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// When the server starts.
    Start,
    /// On SIGHUP too.
    Live,
}

/// One setting by name.
pub(super) struct Setting {
    /// Its name in the configuration file; a dot separates table and key.
    pub(super) name: &'static str,
    /// Its doc comment.
    pub(super) doc: &'static str,
    pub(super) effect: Effect,
    /// Parses a text into the settings; returns false if it is not allowed.
    pub(super) set: fn(&mut Settings, &str) -> bool,
    /// The value as text.
    pub(super) show: fn(&Settings) -> String,
    /// What is allowed on any machine, and an addition for this machine.
    pub(super) allowed: fn() -> [String; 2],
}

impl Setting {
    /// Its purpose, in one sentence without the full stop.
    pub(super) fn about(&self) -> &'static str {
        self.doc.trim().trim_end_matches('.')
    }

    /// Parses a given text into the settings, or returns what was given and what is allowed.
    pub(super) fn take(
        &self,
        settings: &mut Settings,
        given: Result<String, String>,
    ) -> Result<(), (String, String)> {
        match given {
            Ok(text) if (self.set)(settings, &text) => Ok(()),
            Ok(value) | Err(value) => Err((value, (self.allowed)().concat())),
        }
    }
}
