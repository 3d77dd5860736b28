//! Finds servers' addresses and connects to them.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint, Error, Uri};

/// How long the peer may leave bytes unacknowledged before the system ends the connection. It finds a
/// server that is gone without closing its connections sooner than a PING does. gRPC's own
/// libraries do the same.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_MS: u32 = 10_000;

/// What follows `embedded:`, if the endpoint is this process.
pub(crate) fn of_this_process(endpoint: &str) -> Option<&str> {
    endpoint.strip_prefix("embedded:")
}

/// Resolves a name and a port to addresses.
#[derive(Clone)]
pub(crate) struct Resolver(pub(crate) Arc<Lookup>);

pub(crate) type Lookup = dyn Fn(String, u16) -> Found + Send + Sync;
pub(crate) type Found = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

impl Default for Resolver {
    /// The system's resolver.
    fn default() -> Self {
        Self(Arc::new(|name, port| {
            Box::pin(async move { Ok(tokio::net::lookup_host((name, port)).await?.collect()) })
        }))
    }
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resolver(..)")
    }
}

/// An endpoint as configured, and what all its connections share.
#[derive(Debug)]
pub(crate) struct Target {
    /// The text to show in errors.
    pub(crate) shown: String,
    pub(crate) endpoint: Endpoint,
}

impl Target {
    /// The endpoint's name and port, to resolve. `None` if the endpoint is an address itself.
    fn name(&self) -> Option<(String, u16)> {
        if self.shown.starts_with("unix:") {
            return None;
        }
        let uri = self.endpoint.uri();
        let host = uri.host()?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if bare.parse::<IpAddr>().is_ok() {
            return None;
        }
        let is_tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        Some((host.to_owned(), port))
    }

    pub(crate) fn is_name(&self) -> bool {
        self.name().is_some()
    }

    /// All addresses, without duplicates. `None` stands for an endpoint that is an address itself.
    pub(crate) async fn addresses(
        &self,
        resolver: &Resolver,
        timeout: Duration,
    ) -> io::Result<Vec<Option<SocketAddr>>> {
        let Some((name, port)) = self.name() else {
            return Ok(vec![None]);
        };
        let found = tokio::time::timeout(timeout, (resolver.0)(name, port)).await;
        let mut found =
            found.map_err(|_| io::Error::other("the name was not resolved in time"))??;
        if found.is_empty() {
            return Err(io::Error::other("the name has no address"));
        }
        // A resolver may return the addresses in a different order each time.
        found.sort_unstable();
        found.dedup();
        Ok(found.into_iter().map(Some).collect())
    }

    /// The endpoint's address and port, if the endpoint is an address itself.
    fn own_address(&self) -> Option<SocketAddr> {
        if self.shown.starts_with("unix:") {
            return None;
        }
        let uri = self.endpoint.uri();
        let bare = uri.host()?.trim_start_matches('[').trim_end_matches(']');
        Some(SocketAddr::new(bare.parse().ok()?, uri.port_u16()?))
    }

    /// A connection that is made at its first call.
    pub(crate) fn connect_lazy(&self, address: Option<SocketAddr>) -> Channel {
        match address.or_else(|| self.own_address()) {
            None => self.endpoint.connect_lazy(),
            Some(address) => self
                .endpoint
                .connect_with_connector_lazy(tower::service_fn(move |_: Uri| connect(address))),
        }
    }

    pub(crate) fn connect(
        &self,
        address: Option<SocketAddr>,
    ) -> impl Future<Output = Result<Channel, Error>> + Send + 'static {
        let endpoint = self.endpoint.clone();
        let address = address.or_else(|| self.own_address());
        async move {
            match address {
                None => endpoint.connect().await,
                Some(address) => {
                    let connector = tower::service_fn(move |_: Uri| connect(address));
                    endpoint.connect_with_connector(connector).await
                }
            }
        }
    }
}

/// Connects to `address`. TLS and headers use the endpoint's name for all its addresses.
async fn connect(address: SocketAddr) -> io::Result<TokioIo<TcpStream>> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    rustix::net::sockopt::set_tcp_user_timeout(&socket, UNACKNOWLEDGED_MS)?;
    Ok(TokioIo::new(socket))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::net::sockopt::tcp_user_timeout;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_connection_does_not_wait_long_for_a_peer_that_is_gone() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = connect(listener.local_addr().unwrap()).await.unwrap();
        assert_eq!(tcp_user_timeout(socket.inner()).unwrap(), UNACKNOWLEDGED_MS);
    }

    #[test]
    fn an_endpoint_that_is_an_address_is_connected_to_as_a_name_is() {
        let address = |url: &'static str, shown: &str| {
            let endpoint = Endpoint::from_static(url);
            let shown = shown.to_owned();
            Target { shown, endpoint }.own_address()
        };
        let of_url = |url| address(url, url);
        let v6 = "[::1]:50051".parse().unwrap();
        assert_eq!(of_url("http://[::1]:50051"), Some(v6));
        let v4 = "10.0.0.7:443".parse().unwrap();
        assert_eq!(of_url("https://10.0.0.7:443"), Some(v4));
        assert_eq!(of_url("http://localhost:50051"), None);
        assert_eq!(address("http://127.0.0.1:1", "unix:/run/socket"), None);
    }
}
