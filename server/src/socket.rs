//! A client's socket: TCP, TLS or Unix, handed from the acceptor to a worker.

use std::cell::Cell;
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;

use crate::drain::Phase;
use crate::limits::Permit;
use crate::metrics::counters::WorkerCounters;
use crate::metrics::ends::{ConnectionEnd, Ending};
use crate::tls::{Handshakes, Identity, Secured};

/// An accepted socket that belongs to no runtime yet.
#[derive(Debug)]
pub(crate) enum Accepted {
    Tcp(std::net::TcpStream),
    /// With a permit for its handshake.
    Tls(std::net::TcpStream, Permit),
    Unix(std::os::unix::net::UnixStream),
}

impl Accepted {
    /// A second descriptor of the same socket.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Tcp(stream) | Self::Tls(stream, _) => stream.try_clone().map(Self::Tcp),
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
        }
    }

    /// Ends it in both directions, for all of its descriptors.
    pub(crate) fn shut(&self) {
        // It fails if the client has gone already.
        let _ = match self {
            Self::Tcp(stream) | Self::Tls(stream, _) => stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    /// Its other end, if that has an address.
    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(stream) | Self::Tls(stream, _) => stream.peer_addr().ok(),
            Self::Unix(_) => None,
        }
    }
}

/// The socket in its worker's runtime.
enum Stream {
    Tcp(TcpStream),
    Tls(Box<Secured>),
    Unix(UnixStream),
}

/// A socket that counts what it reads; over TLS that is the plaintext.
pub(crate) struct Socket {
    stream: Stream,
    /// Bytes read so far, for whoever waits for the first.
    read_bytes: Rc<Cell<u64>>,
    counters: Arc<WorkerCounters>,
    /// The name in the client's certificate, verified, if it showed one.
    identity: Option<Identity>,
}

impl Accepted {
    /// Registers the socket with the current runtime, and shakes hands if it is to speak TLS.
    pub(crate) async fn open(
        self,
        handshakes: Option<&Handshakes>,
        phase: watch::Receiver<Phase>,
        counters: &Arc<WorkerCounters>,
    ) -> Option<Socket> {
        // Of what comes to nothing here; HTTP/2 tells of the others.
        let ended = |end| Ending::new(counters).is(end);
        let mut identity = None;
        let registered = match self {
            Self::Tcp(stream) => TcpStream::from_std(stream).map(Stream::Tcp),
            Self::Unix(stream) => UnixStream::from_std(stream).map(Stream::Unix),
            Self::Tls(stream, _permit) => match TcpStream::from_std(stream) {
                Ok(stream) => {
                    let shaken = match handshakes {
                        Some(handshakes) => handshakes.shake(stream, phase).await,
                        None => None,
                    };
                    let Some((secured, client)) = shaken else {
                        ended(ConnectionEnd::Handshake);
                        return None;
                    };
                    identity = client;
                    Ok(Stream::Tls(Box::new(secured)))
                }
                Err(error) => Err(error),
            },
        };
        match registered {
            Ok(stream) => Some(Socket {
                stream,
                read_bytes: Rc::default(),
                counters: Arc::clone(counters),
                identity,
            }),
            Err(error) => {
                ended(ConnectionEnd::Error);
                tracing::debug!(%error, "could not register a connection");
                None
            }
        }
    }
}

impl Socket {
    pub(crate) fn read_bytes(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.read_bytes)
    }

    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Tls(stream) => {
                stream.get_mut().0.begin_turn();
                Pin::new(stream).poll_read(cx, buf)
            }
            Stream::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
        };
        let bytes = (buf.filled().len() - before) as u64;
        self.read_bytes.set(self.read_bytes.get() + bytes);
        self.counters.received_bytes.add(bytes);
        polled
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Stream::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Stream::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Tcp(stream) => stream.is_write_vectored(),
            Stream::Tls(stream) => stream.is_write_vectored(),
            Stream::Unix(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Unix(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
