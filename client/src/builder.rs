//! Makes a client from its servers and settings.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Uri};

use crate::backend::Backend;
use crate::bearer::{Bearer, Identity, Token, is_private};
use crate::client::Client;
use crate::endpoint::{self, Found, Resolver, Target};
use crate::error::{Error, Result};
use crate::pool::{Plan, Pool, SERVERS_MAX};
use crate::settings::{Retries, Settings};

/// Default data bytes per message. A server's HTTP/2 frame holds the whole message.
pub const MESSAGE_BYTES: usize = 64 << 10;
/// The maximum data bytes per message. With its other fields such a message stays below 4 MiB, the
/// usual limit of gRPC servers.
pub const MESSAGE_BYTES_MAX: usize = (4 << 20) - (1 << 10);
/// The maximum number of connections to a server.
pub const CONNECTIONS_MAX: usize = 256;

/// The longest time for retries and for a unary call.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes that the server may send before the client reads them. Responses are small.
const WINDOW_BYTES: u32 = 1 << 20;
/// How often a connection with open calls is pinged, and how long a ping's answer may take.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Sets up a [`Client`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Builder {
    connections: usize,
    shared_memory_bytes: usize,
    connect_timeout: Duration,
    lookup_interval: Duration,
    resolver: Resolver,
    settings: Settings,
    ca: Option<Vec<u8>>,
    identity: Option<Identity>,
    token: Option<Token>,
    token_in_clear: bool,
}

/// The first line of a PEM certificate.
const CERTIFICATE: &[u8] = b"-----BEGIN CERTIFICATE-----";

impl Default for Builder {
    fn default() -> Self {
        Self {
            connections: 4,
            shared_memory_bytes: 16 << 20,
            connect_timeout: Duration::from_secs(5),
            settings: Settings {
                message_bytes: MESSAGE_BYTES,
                buffer_bytes: 512 << 10,
                parts_max: 1024,
                stall_timeout: Duration::from_secs(60),
                call_timeout: Duration::from_secs(30),
                retries: Retries {
                    tries_max: 16,
                    time: Duration::from_secs(30),
                },
            },
            lookup_interval: Duration::from_secs(30),
            resolver: Resolver::default(),
            ca: None,
            identity: None,
            token: None,
            token_in_clear: false,
        }
    }
}

impl Client {
    /// Connects with the default settings to `https://host:port`,
    /// `http://host:port`, `host:port` without TLS, or `unix:/path`: to all addresses of a name.
    /// With `embedded:` no server is needed: see [`Builder::connect`].
    ///
    /// # Errors
    /// As [`Builder::connect`].
    pub async fn connect(endpoint: impl AsRef<str>) -> Result<Self> {
        Self::builder().connect(endpoint).await
    }

    /// Makes a client with other settings than the default.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// The maximum number of HTTP/2 connections to each server, 1 to [`CONNECTIONS_MAX`]. Default
    /// 4. The first is made at once, the others when there are calls for them.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Memory that is shared with the server of a `unix:` endpoint, if the server does that: bytes
    /// then need no socket. At most 64 MiB. Default 16 MiB; 0: none.
    pub fn shared_memory_bytes(mut self, bytes: usize) -> Self {
        self.shared_memory_bytes = bytes;
        self
    }

    /// How long making a connection may take. Default 5 seconds.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long `digest_batch`, `compose` and `server_info` may take for each
    /// request, up to a day. Default 30 seconds.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.settings.call_timeout = timeout;
        self
    }

    /// How long a stream may make no progress while the server has work, that is, while the server
    /// takes no queued bytes and answers no part that has ended. Waiting for a slow source does not
    /// count. Bytes that can be read again are then sent to another server, if there is one. Default
    /// 60 seconds.
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.settings.stall_timeout = timeout;
        self
    }

    /// Data bytes per message, 1 to [`MESSAGE_BYTES_MAX`]. Default [`MESSAGE_BYTES`].
    pub fn message_bytes(mut self, bytes: usize) -> Self {
        self.settings.message_bytes = bytes;
        self
    }

    /// Bytes of one stream that may be queued before writes wait, at least one message. Default 512
    /// KiB.
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.settings.buffer_bytes = bytes;
        self
    }

    /// Unanswered parts of one stream before the next part waits, at least 1. Default 1024. The
    /// server's own bound is in its [`crate::ServerInfo`].
    pub fn parts_max(mut self, parts: usize) -> Self {
        self.settings.parts_max = parts;
        self
    }

    /// Root certificates in PEM to verify the server's certificate. Default: the system's roots.
    /// For `https` endpoints.
    pub fn ca(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca = Some(pem.into());
        self
    }

    /// The client's certificate with its chain, and its private key, both in PEM. For `https`
    /// endpoints. Debug does not show them.
    pub fn certificate(mut self, certificate: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Self {
        self.identity = Some(Identity::new(certificate, key));
        self
    }

    /// The bearer token of every call. Debug does not show it. If an endpoint on another machine has
    /// no TLS, `connect` fails, unless [`token_in_clear`](Self::token_in_clear) allows it.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(Token(token.into()));
        self
    }

    /// Whether the token may be sent without TLS to another machine. Anyone who reads the traffic
    /// can then use it. Default no.
    pub fn token_in_clear(mut self, allowed: bool) -> Self {
        self.token_in_clear = allowed;
        self
    }

    /// How often one operation is tried for each server, 1 to 1,000, including the first try. With
    /// three servers and the default of 16 it is tried at most 48 times; with 1 and one server
    /// nothing is retried. Unary calls are retried, and whole parts whose bytes can be read again.
    pub fn tries_max(mut self, tries: u32) -> Self {
        self.settings.retries.tries_max = tries;
        self
    }

    /// How long after its first failure an operation is retried, up to a day. Default 30 seconds.
    pub fn retry_time(mut self, time: Duration) -> Self {
        self.settings.retries.time = time;
        self
    }

    /// How often the names of endpoints are looked up again. Default 30 seconds. They are also
    /// looked up after a failure.
    pub fn lookup_interval(mut self, interval: Duration) -> Self {
        self.lookup_interval = interval;
        self
    }

    /// Resolves names in place of the system: a function from a name and a port to addresses.
    pub fn resolver<F>(
        mut self,
        resolver: impl Fn(String, u16) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'static,
    {
        let lookup = move |name, port| Box::pin(resolver(name, port)) as Found;
        self.resolver = Resolver(Arc::new(lookup));
        self
    }

    /// Makes the client and its first connection, in the current tokio runtime: the client works as
    /// long as this runtime does. The endpoint is
    /// `https://host:port`, `http://host:port`, `host:port` without TLS, or
    /// `unix:/path`. A name stands for all its addresses: calls spread over them.
    ///
    /// With `embedded:` (feature `embedded`) the client has no server: threads of this process
    /// compute its digests, `embedded:N` with N threads, by default with a quarter of the CPUs, at
    /// least one. Answers and errors are the same. Settings of connections, messages, tokens and
    /// certificates have no effect then, nor do [`call_timeout`](Self::call_timeout) and
    /// [`stall_timeout`](Self::stall_timeout). Each open part holds up to 1 MiB of unhashed bytes.
    ///
    /// # Errors
    /// [`Error::Config`] if the endpoint or a setting is out of bounds, [`Error::Connect`] if no
    /// server answers there: the first connection is not retried, so that a wrong endpoint is told
    /// at once.
    pub async fn connect(self, endpoint: impl AsRef<str>) -> Result<Client> {
        self.connect_all([endpoint]).await
    }

    /// Connects to several endpoints and spreads calls over them. A call goes to a server whose
    /// health service reports that it serves, and among these to the one with the fewest calls.
    /// `embedded:` is an endpoint alone, without others.
    ///
    /// # Errors
    /// As [`connect`](Self::connect); [`Error::Connect`] if no server answers at any endpoint.
    pub async fn connect_all(
        self,
        endpoints: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Client> {
        self.check()?;
        let endpoints: Vec<_> = endpoints.into_iter().collect();
        if let Some(backend) = of_this_process(&endpoints)? {
            return Ok(Client::new(backend, self.settings));
        }
        let mut targets = Vec::new();
        let mut bearer = Bearer::default();
        for name in endpoints {
            let endpoint = self.endpoint(name.as_ref())?;
            bearer = self.bearer(name.as_ref(), &endpoint)?;
            targets.push(Target {
                shown: name.as_ref().to_owned(),
                endpoint,
            });
        }
        within("the number of endpoints", targets.len(), 1, SERVERS_MAX)?;
        let plan = Plan {
            targets,
            connections: self.connections,
            memory_bytes: self.shared_memory_bytes,
            bearer,
            resolver: self.resolver,
            lookup_interval: self.lookup_interval,
            lookup_timeout: self.connect_timeout,
        };
        let backend = Backend::Servers(Pool::connect(plan).await?);
        Ok(Client::new(backend, self.settings))
    }

    fn check(&self) -> Result<()> {
        let settings = &self.settings;
        within("connections", self.connections, 1, CONNECTIONS_MAX)?;
        let shared_memory_bytes = self.shared_memory_bytes;
        within("shared_memory_bytes", shared_memory_bytes, 0, 64 << 20)?;
        let message_bytes = settings.message_bytes;
        within("message_bytes", message_bytes, 1, MESSAGE_BYTES_MAX)?;
        let bytes_max = tokio::sync::Semaphore::MAX_PERMITS;
        within(
            "buffer_bytes",
            settings.buffer_bytes,
            message_bytes,
            bytes_max,
        )?;
        within("parts_max", settings.parts_max, 1, 1 << 20)?;
        let retries = &settings.retries;
        within("tries_max", retries.tries_max as usize, 1, 1000)?;
        for (name, time) in [
            ("retry_time", retries.time),
            ("call_timeout", settings.call_timeout),
        ] {
            if time > DAY {
                return Err(Error::Config(format!("{name} is more than a day")));
            }
        }
        for (name, timeout) in [
            ("connect_timeout", self.connect_timeout),
            ("stall_timeout", settings.stall_timeout),
            ("call_timeout", settings.call_timeout),
            ("lookup_interval", self.lookup_interval),
        ] {
            if timeout.is_zero() {
                return Err(Error::Config(format!("{name} is zero")));
            }
        }
        Ok(())
    }

    fn endpoint(&self, name: &str) -> Result<Endpoint> {
        let invalid = |why: &str| Error::Config(format!("invalid server address {name:?}: {why}"));
        let uri = match name.split_once("://") {
            _ if name.starts_with("unix:") => name.to_owned(),
            Some(("http" | "https", host)) if !host.is_empty() => name.to_owned(),
            Some(_) => {
                return Err(invalid(
                    "expected https://host:port, http://host:port, host:port, unix:/path or \
                     embedded:",
                ));
            }
            None => format!("http://{name}"),
        };
        let endpoint = Endpoint::from_shared(uri).map_err(|error| {
            let source = std::error::Error::source(&error);
            invalid(&source.map_or_else(|| error.to_string(), ToString::to_string))
        })?;
        if !name.starts_with("unix:") {
            is_host_and_port(endpoint.uri(), name.contains("://")).map_err(invalid)?;
        }
        let endpoint = endpoint
            .user_agent(concat!("hashlane-client/", env!("CARGO_PKG_VERSION")))
            .map_err(|error| invalid(&error.to_string()))?;
        let endpoint = self.secure(endpoint, name)?;
        Ok(endpoint
            .connect_timeout(self.connect_timeout)
            .tcp_nodelay(true)
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT))
    }

    /// The token for calls to the endpoint.
    fn bearer(&self, name: &str, endpoint: &Endpoint) -> Result<Bearer> {
        let Some(token) = &self.token else {
            return Ok(Bearer::default());
        };
        // tonic sets its own URI for a Unix socket, so check the name.
        let is_private = name.starts_with("unix:") || is_private(endpoint.uri());
        if !is_private && !self.token_in_clear {
            let why = "a token is sent to another machine by https alone, unless \
                       token_in_clear allows it";
            return Err(Error::Config(why.to_owned()));
        }
        token.bearer().map_err(Error::Config)
    }

    /// Adds TLS, if the endpoint's scheme asks for it.
    fn secure(&self, endpoint: Endpoint, name: &str) -> Result<Endpoint> {
        let refused = |why: String| Error::Config(format!("{name:?}: {why}"));
        if endpoint.uri().scheme_str() != Some("https") {
            if self.ca.is_some() || self.identity.is_some() {
                let why = "certificates go with https://host:port alone";
                return Err(refused(why.to_owned()));
            }
            return Ok(endpoint);
        }
        let mut tls = ClientTlsConfig::new().timeout(self.connect_timeout);
        tls = match &self.ca {
            None => tls.with_native_roots(),
            Some(pem)
                if pem
                    .windows(CERTIFICATE.len())
                    .any(|part| part == CERTIFICATE) =>
            {
                tls.ca_certificate(Certificate::from_pem(pem))
            }
            Some(_) => return Err(refused("the ca has no certificate in PEM".to_owned())),
        };
        let with = |tls| {
            endpoint.clone().tls_config(tls).map_err(|error| {
                let source = std::error::Error::source(&error);
                source.map_or_else(|| error.to_string(), ToString::to_string)
            })
        };
        let Some(identity) = &self.identity else {
            return with(tls).map_err(refused);
        };
        with(tls.clone().identity(identity.0.clone())).map_err(|why| match with(tls) {
            Ok(_) => refused(format!("the client's certificate and key: {why}")),
            Err(why) => refused(why),
        })
    }
}

/// Lanes of this process, if the endpoint is `embedded:` or `embedded:N`.
///
/// Why it stands alone: if it took over from servers that are gone, a program would hash with its
/// own CPUs without being told.
fn of_this_process(endpoints: &[impl AsRef<str>]) -> Result<Option<Backend>> {
    let names = endpoints.iter().map(AsRef::as_ref);
    let mut found = names.filter_map(|name| Some((name, endpoint::of_this_process(name)?)));
    match found.next() {
        None => Ok(None),
        Some((name, _)) if endpoints.len() > 1 => Err(Error::Config(format!(
            "{name} is an endpoint alone, without others"
        ))),
        Some((name, workers)) => embedded(name, workers).map(Some),
    }
}

#[cfg(feature = "embedded")]
fn embedded(endpoint: &str, workers: &str) -> Result<Backend> {
    let embedded = crate::embedded::Embedded::start(endpoint, workers)?;
    Ok(Backend::Embedded(embedded))
}

#[cfg(not(feature = "embedded"))]
fn embedded(endpoint: &str, _: &str) -> Result<Backend> {
    Err(Error::Config(format!(
        "invalid endpoint {endpoint:?}: this program has no lanes of its own (hashlane-client's \
         feature embedded)"
    )))
}

/// Refuses URI components that would be ignored, and an invalid port, in place of which the
/// scheme's default would be used.
fn is_host_and_port(uri: &Uri, has_scheme: bool) -> std::result::Result<(), &'static str> {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    if authority.contains('@') || uri.path() != "/" || uri.query().is_some() {
        return Err("nothing but host and port is expected");
    }
    match uri.port_u16() {
        Some(0) => Err("port 0 is none"),
        Some(_) => Ok(()),
        None if uri.host() != Some(authority) => Err("the port is not a number from 1 to 65535"),
        None if has_scheme => Ok(()),
        None => Err("the port is missing"),
    }
}

fn within(name: &str, value: usize, min: usize, max: usize) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::Config(format!(
        "{name} is {value}, allowed are {min} to {max}"
    )))
}
