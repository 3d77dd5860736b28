//! One HTTP/2 connection to the server, and the calls on it.
//!
//! Uses hyper's connection directly: the client shares its cores with the measured server, and a
//! channel with a queue and layers costs more than a short part.

use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, TE};
use http::uri::{self, Authority, PathAndQuery, Scheme};
use http::{Method, Uri};
use http_body::Body;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use rustix::net::sockopt::set_tcp_congestion;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Mutex;
use tonic::codec::{BufferSettings, Streaming};
use tonic::{Code, Status};
use tonic_prost::ProstDecoder;

use crate::protocol::tls::Tls;

/// Time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Answers are small; these windows never hold them back.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;

/// A connection whose calls send bodies of type `B`.
#[derive(Debug)]
pub(crate) struct Connection<B> {
    address: Address,
    /// Headers of every call, besides those of gRPC.
    headers: HeaderMap,
    sender: Mutex<SendRequest<B>>,
}

impl<B> Connection<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    /// Connects to `server`, an address such as `http://127.0.0.1:50051` or `unix:/path`; with
    /// `tls` also `https://127.0.0.1:50051`.
    ///
    /// # Errors
    /// The address is malformed, no server answers there in time, the server is not trusted, or the
    /// system does not have the algorithm `congestion`.
    pub(crate) async fn open(
        server: &str,
        congestion: Option<&str>,
        tls: Option<&Tls>,
    ) -> Result<Self> {
        Self::open_with(server, congestion, tls, STREAM_WINDOW_BYTES).await
    }

    /// The same without TLS, with windows of zero for answers.
    pub(crate) async fn open_unread(server: &str, congestion: Option<&str>) -> Result<Self> {
        Self::open_with(server, congestion, None, 0).await
    }

    async fn open_with(
        server: &str,
        congestion: Option<&str>,
        tls: Option<&Tls>,
        stream_window_bytes: u32,
    ) -> Result<Self> {
        let mut address = Address::parse(server)?;
        address.congestion = congestion.map(str::to_owned);
        address.tls = tls.cloned();
        address.stream_window_bytes = stream_window_bytes;
        let has_roots = address.tls.is_some() || address.scheme == Scheme::HTTP;
        ensure!(has_roots, "`{server}` wants --ca, to know whom to trust");
        let sender = Self::connect(&address).await;
        let sender = sender.with_context(|| format!("cannot connect to {server}"))?;
        Ok(Self {
            address,
            headers: HeaderMap::new(),
            sender: Mutex::new(sender),
        })
    }

    async fn connect(address: &Address) -> Result<SendRequest<B>> {
        let sender = tokio::time::timeout(CONNECT_TIMEOUT, Self::connect_without_limit(address));
        sender.await.context("no connection in time")?
    }

    async fn connect_without_limit(address: &Address) -> Result<SendRequest<B>> {
        match &address.socket {
            Socket::Tcp(host) => {
                let stream = TcpStream::connect(host).await?;
                stream.set_nodelay(true)?;
                if let Some(name) = &address.congestion {
                    set_tcp_congestion(&stream, name).with_context(|| {
                        format!("this system has no `{name}` for --tcp-congestion")
                    })?;
                }
                let is_tls = address.scheme == Scheme::HTTPS;
                match address.tls.as_ref().filter(|_| is_tls) {
                    None => Self::handshake(address, stream).await,
                    Some(tls) => {
                        let stream = tls.connect(address.authority.host(), stream).await?;
                        Self::handshake(address, stream).await
                    }
                }
            }
            Socket::Unix(path) => Self::handshake(address, UnixStream::connect(path).await?).await,
        }
    }

    async fn handshake<S>(address: &Address, stream: S) -> Result<SendRequest<B>>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .initial_stream_window_size(address.stream_window_bytes)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .handshake(TokioIo::new(stream))
            .await?;
        // The calls see how the connection ends; it ends with its last sender.
        tokio::spawn(connection);
        Ok(sender)
    }

    /// The same with these headers in every call.
    pub(crate) fn with(self, headers: HeaderMap) -> Self {
        Self { headers, ..self }
    }

    /// Opens the call of `path` with `body` and returns the stream of its answers. Reconnects if
    /// the server closed the connection.
    pub(crate) async fn call<A: Message + Default + Send + 'static>(
        &self,
        path: &'static str,
        body: B,
    ) -> Result<Streaming<A>, Status> {
        let mut request = http::Request::new(body);
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.address.uri(path);
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        headers.insert(TE, HeaderValue::from_static("trailers"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        let response = {
            let mut sender = self.sender.lock().await;
            if sender.is_closed() {
                *sender = Self::connect(&self.address)
                    .await
                    .map_err(|error| Status::unavailable(format!("{error:#}")))?;
            }
            sender.send_request(request)
        };
        let response = response
            .await
            .map_err(|error| Status::from_error(Box::new(error)))?;
        // A call that ends at once has its status in the headers.
        if let Some(status) = Status::from_header_map(response.headers())
            && status.code() != Code::Ok
        {
            return Err(status);
        }
        let (head, body) = response.into_parts();
        let decoder = ProstDecoder::new(BufferSettings::default());
        Ok(Streaming::new_response(
            decoder,
            body,
            head.status,
            None,
            None,
        ))
    }
}

/// A status, for people.
pub(crate) fn status_text(status: &Status) -> String {
    format!("{:?}: {}", status.code(), status.message())
}

/// The address of a server.
#[derive(Clone, Debug)]
struct Address {
    socket: Socket,
    scheme: Scheme,
    tls: Option<Tls>,
    /// The `:authority` of requests.
    authority: Authority,
    /// Congestion control of the socket, if not the system's default.
    congestion: Option<String>,
    /// The window of each answer.
    stream_window_bytes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Socket {
    /// `host:port`.
    Tcp(String),
    Unix(PathBuf),
}

/// The path of an address such as `unix:/path`.
pub(in crate::driver) fn unix_path(server: &str) -> Option<&Path> {
    let path = server.strip_prefix("unix:")?;
    Some(Path::new(path.strip_prefix("//").unwrap_or(path)))
}

impl Address {
    fn parse(server: &str) -> Result<Self> {
        let (socket, scheme, authority) = if let Some(path) = unix_path(server) {
            ensure!(!path.as_os_str().is_empty(), "`{server}` names no socket");
            let authority = Authority::from_static("localhost");
            (Socket::Unix(path.into()), Scheme::HTTP, authority)
        } else {
            let uri: Option<Uri> = server.parse().ok();
            let parts = uri.map(Uri::into_parts).unwrap_or_default();
            let port = match parts.scheme.as_ref().map(Scheme::as_str) {
                Some("http") => 80,
                Some("https") => 443,
                _ => 0,
            };
            let (Some(scheme), Some(authority), 1..) = (parts.scheme, parts.authority, port) else {
                bail!("`{server}` is not an address such as http://127.0.0.1:50051");
            };
            let port = authority.port_u16().unwrap_or(port);
            let socket = Socket::Tcp(format!("{}:{port}", authority.host()));
            (socket, scheme, authority)
        };
        Ok(Self {
            socket,
            scheme,
            tls: None,
            authority,
            congestion: None,
            stream_window_bytes: STREAM_WINDOW_BYTES,
        })
    }

    fn uri(&self, path: &'static str) -> Uri {
        let mut parts = uri::Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(PathAndQuery::from_static(path));
        Uri::from_parts(parts).expect("a scheme, an authority and a path are a URI")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::Arc;

    use hashlane_proto::v1::DigestResponse;
    use http_body_util::Empty;
    use hyper::body::Incoming;
    use hyper::service::service_fn;
    use tokio::net::TcpListener;
    use tokio::sync::Notify;

    /// Refuses one call on each of two connections, then closes it.
    async fn serve_twice(listener: TcpListener) {
        for _ in 0..2 {
            let (stream, _) = listener.accept().await.unwrap();
            let served = Arc::new(Notify::new());
            let noted = Arc::clone(&served);
            let service = service_fn(move |_: http::Request<Incoming>| {
                noted.notify_one();
                async {
                    let mut response = http::Response::new(Empty::<Bytes>::new());
                    let code = HeaderValue::from_static("5");
                    response.headers_mut().insert("grpc-status", code);
                    Ok::<_, Infallible>(response)
                }
            });
            let connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service);
            let mut connection = std::pin::pin!(connection);
            tokio::select! {
                _ = connection.as_mut() => {}
                () = served.notified() => connection.as_mut().graceful_shutdown(),
            }
            connection.await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_closed_connection_is_made_anew() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap());
        let calls = async {
            let connection = Connection::<Empty<Bytes>>::open(&server, None, None)
                .await
                .unwrap();
            for _ in 0..2 {
                let answer = connection
                    .call::<DigestResponse>("/a/b", Empty::new())
                    .await;
                assert_eq!(answer.unwrap_err().code(), Code::NotFound);
                while !connection.sender.lock().await.is_closed() {
                    tokio::task::yield_now().await;
                }
            }
        };
        let both = async { tokio::join!(calls, serve_twice(listener)) };
        let both = tokio::time::timeout(Duration::from_secs(60), both).await;
        assert!(both.is_ok(), "the second call found no connection");
    }

    #[test]
    fn addresses_are_of_tcp_or_unix_sockets() {
        for (text, address) in [
            ("http://127.0.0.1:50051", "127.0.0.1:50051"),
            ("http://[::1]:1/", "[::1]:1"),
            ("http://hashes", "hashes:80"),
            ("https://hashes", "hashes:443"),
        ] {
            let parsed = Address::parse(text).unwrap();
            assert_eq!(parsed.socket, Socket::Tcp(address.into()), "{text}");
        }
        for text in ["unix:/run/h.sock", "unix:///run/h.sock"] {
            let parsed = Address::parse(text).unwrap();
            assert_eq!(parsed.socket, Socket::Unix("/run/h.sock".into()), "{text}");
            assert_eq!(parsed.uri("/a/b").to_string(), "http://localhost/a/b");
        }
        for text in ["", "nowhere", "unix:", "ftp://h:1", "127.0.0.1:1"] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }
}
