//! A client's socket: TCP, TLS or Unix, handed from the acceptor to a worker.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;

use crate::client::{ClientId, Name};
use crate::drain::Phase;
use crate::metrics::connection_ends::ConnectionEnd;
use crate::tls::{Handshakes, Wire};

/// An accepted socket without a runtime, with its peer.
#[derive(Debug)]
pub(crate) enum Incoming {
    Tcp(std::net::TcpStream, SocketAddr),
    Tls(std::net::TcpStream, SocketAddr),
    /// With the user at the other end.
    Unix(std::os::unix::net::UnixStream, u32),
}

/// A socket registered with its worker's runtime.
pub(crate) enum Transport {
    Tcp(TcpStream),
    Tls(Box<TlsStream<Wire>>),
    Unix(UnixStream),
}

impl Incoming {
    /// The client, as known before the first byte.
    pub(crate) fn client(&self) -> ClientId {
        match self {
            Self::Tcp(_, address) | Self::Tls(_, address) => ClientId::of(address.ip()),
            Self::Unix(_, uid) => ClientId::Uid(*uid),
        }
    }

    /// The network address that identifies its client, if one does.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self.client() {
            ClientId::Address(address) => Some(address),
            _ => None,
        }
    }

    /// The peer's address, if it has one.
    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(_, address) | Self::Tls(_, address) => Some(*address),
            Self::Unix(..) => None,
        }
    }

    /// Registers the socket with the current runtime. Performs the handshake if it uses TLS.
    /// Returns the name in the client's certificate too, if there is one.
    pub(crate) async fn open(
        self,
        handshakes: Option<&Handshakes>,
        phase: watch::Receiver<Phase>,
    ) -> Result<(Transport, Option<Name>), ConnectionEnd> {
        let unregistered = |error: io::Error| {
            tracing::debug!(%error, "could not register a connection");
            ConnectionEnd::Error
        };
        let transport = match self {
            Self::Tcp(stream, _) => TcpStream::from_std(stream).map(Transport::Tcp),
            Self::Unix(stream, _) => UnixStream::from_std(stream).map(Transport::Unix),
            Self::Tls(stream, _) => {
                let stream = TcpStream::from_std(stream).map_err(unregistered)?;
                let shaken = match handshakes {
                    Some(handshakes) => handshakes.shake(stream, phase).await,
                    None => None,
                };
                let (secured, certificate) = shaken.ok_or(ConnectionEnd::Handshake)?;
                return Ok((Transport::Tls(Box::new(secured)), certificate));
            }
        };
        Ok((transport.map_err(unregistered)?, None))
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => {
                stream.get_mut().0.begin_turn();
                Pin::new(stream).poll_read(cx, buf)
            }
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
            Self::Unix(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
