//! HTTP/2 with h2, for requests that no gRPC client would send.

use bytes::{BufMut as _, Bytes, BytesMut};
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Request, StatusCode};
use prost::Message;
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::Status;

/// One HTTP/2 connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Raw(SendRequest<Bytes>);

/// The response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) http: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// From the trailers, or from the headers of a trailers-only response.
    pub(crate) status: Option<Status>,
}

impl Raw {
    pub(crate) async fn tcp(address: std::net::SocketAddr) -> Self {
        Self::over(tokio::net::TcpStream::connect(address).await.unwrap()).await
    }

    pub(crate) async fn over<S>(socket: S) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (requests, connection) = h2::client::handshake(socket).await.unwrap();
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Self(requests)
    }

    /// A connection with a window of `window_bytes` for each answer.
    pub(crate) async fn reluctant(address: std::net::SocketAddr, window_bytes: u32) -> Self {
        let socket = tokio::net::TcpStream::connect(address).await.unwrap();
        let (requests, connection) = h2::client::Builder::new()
            .initial_window_size(window_bytes)
            .handshake(socket)
            .await
            .unwrap();
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Self(requests)
    }

    /// Begins a call. `headers` override the usual ones.
    pub(crate) async fn begin(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
    ) -> (ResponseFuture, SendStream<Bytes>) {
        let mut request = Request::post(format!("http://test{path}"))
            .header("te", "trailers")
            .header("content-type", "application/grpc")
            .body(())
            .unwrap();
        for (name, value) in headers {
            if *name == ":method" {
                *request.method_mut() = value.parse().unwrap();
                continue;
            }
            let name: http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let mut ready = self.0.clone().ready().await.unwrap();
        ready.send_request(request, false).unwrap()
    }

    /// A complete call: each of `frames` is one DATA frame.
    pub(crate) async fn call(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        frames: &[Bytes],
    ) -> Answer {
        let (response, mut sending) = self.begin(path, headers).await;
        for frame in frames {
            // Sending fails if the server has refused the stream.
            let _ = sending.send_data(frame.clone(), false);
        }
        let _ = sending.send_data(Bytes::new(), true);
        read(response).await
    }
}

/// Reads a response to its end.
pub(crate) async fn read(response: ResponseFuture) -> Answer {
    let (parts, mut stream): (_, RecvStream) = response.await.unwrap().into_parts();
    let mut body = Vec::new();
    while let Some(data) = stream.data().await {
        let data = data.unwrap();
        let _ = stream.flow_control().release_capacity(data.len());
        body.extend_from_slice(&data);
    }
    let trailers = stream.trailers().await.unwrap();
    let status = trailers
        .as_ref()
        .and_then(Status::from_header_map)
        .or_else(|| Status::from_header_map(&parts.headers));
    Answer {
        http: parts.status,
        headers: parts.headers,
        body,
        status,
    }
}

/// A gRPC message: the flag, the length, the bytes.
pub(crate) fn message(flag: u8, bytes: &[u8]) -> Bytes {
    let mut out = BytesMut::new();
    out.put_u8(flag);
    out.put_u32(u32::try_from(bytes.len()).unwrap());
    out.put_slice(bytes);
    out.freeze()
}

/// The messages of a response body.
pub(crate) fn messages<M: Message + Default>(mut body: &[u8]) -> Vec<M> {
    let mut out = Vec::new();
    while let Some((prefix, rest)) = body.split_at_checked(5) {
        let len = u32::from_be_bytes(prefix[1..].try_into().unwrap()) as usize;
        out.push(M::decode(&rest[..len]).unwrap());
        body = &rest[len..];
    }
    out
}
