//! A client's socket: TCP, TLS or Unix, handed from the acceptor to a worker.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;

use crate::client::Name;
use crate::drain::Phase;
use crate::limits::Permit;
use crate::metrics::counters::WorkerCounters;
use crate::metrics::ends::{ConnectionEnd, Ending};
use crate::tls::{Handshakes, Secured};

/// Maximum of bytes to peek.
const PEEKED_MAX: usize = 8;

#[derive(Default)]
struct Peeked {
    bytes: [u8; PEEKED_MAX],
    len: usize,
    read: usize,
}

impl Peeked {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Copies peeked bytes into `buf`; returns whether there were any.
    fn read(&mut self, buf: &mut ReadBuf<'_>) -> bool {
        let left = &self.bytes[self.read..self.len];
        let count = left.len().min(buf.remaining());
        buf.put_slice(&left[..count]);
        self.read += count;
        count > 0
    }
}

/// An accepted socket without a runtime.
#[derive(Debug)]
pub(crate) enum Accepted {
    Tcp(std::net::TcpStream),
    /// With the permit of its handshake.
    Tls(std::net::TcpStream, Permit),
    Unix(std::os::unix::net::UnixStream),
}

impl Accepted {
    /// The peer's address, if it has one.
    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(stream) | Self::Tls(stream, _) => stream.peer_addr().ok(),
            Self::Unix(_) => None,
        }
    }
}

/// A socket registered with its worker's runtime.
pub(crate) enum Transport {
    Tcp(TcpStream),
    Tls(Box<Secured>),
    Unix(UnixStream),
}

/// A socket that counts the bytes read; over TLS the plaintext.
pub(crate) struct Socket<S = Transport> {
    stream: S,
    /// Bytes read so far, to detect a connection's first byte.
    read_bytes: Rc<Cell<u64>>,
    /// Peeked bytes, which are read next.
    peeked: Peeked,
    counters: Arc<WorkerCounters>,
    /// The verified name in the client's certificate, if there is one.
    certificate: Option<Name>,
}

impl Accepted {
    /// Registers the socket with the current runtime. Performs the handshake if it uses TLS.
    pub(crate) async fn open(
        self,
        handshakes: Option<&Handshakes>,
        phase: watch::Receiver<Phase>,
        counters: &Arc<WorkerCounters>,
    ) -> Option<Socket> {
        // Counts connections that end here, also by being dropped; HTTP/2 counts the rest.
        let ending = Ending::new(&counters.connection_ends);
        let mut certificate = None;
        let registered = match self {
            Self::Tcp(stream) => TcpStream::from_std(stream).map(Transport::Tcp),
            Self::Unix(stream) => UnixStream::from_std(stream).map(Transport::Unix),
            Self::Tls(stream, _permit) => match TcpStream::from_std(stream) {
                Ok(stream) => {
                    let shaken = match handshakes {
                        Some(handshakes) => handshakes.shake(stream, phase).await,
                        None => None,
                    };
                    let Some((secured, client)) = shaken else {
                        ending.is(ConnectionEnd::Handshake);
                        return None;
                    };
                    certificate = client;
                    Ok(Transport::Tls(Box::new(secured)))
                }
                Err(error) => Err(error),
            },
        };
        match registered {
            Ok(stream) => {
                ending.goes_on();
                Some(Socket {
                    certificate,
                    ..Socket::new(stream, counters)
                })
            }
            Err(error) => {
                ending.is(ConnectionEnd::Error);
                tracing::debug!(%error, "could not register a connection");
                None
            }
        }
    }
}

impl<S> Socket<S> {
    pub(crate) fn new(stream: S, counters: &Arc<WorkerCounters>) -> Self {
        Self {
            stream,
            read_bytes: Rc::default(),
            peeked: Peeked::default(),
            counters: Arc::clone(counters),
            certificate: None,
        }
    }

    pub(crate) fn read_bytes(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.read_bytes)
    }

    pub(crate) fn certificate(&self) -> Option<&Name> {
        self.certificate.as_ref()
    }
}

impl<S: AsyncRead + Unpin> Socket<S> {
    /// Peeks at the first bytes: at most eight, fewer at the end of the stream or once they are
    /// `enough`.
    pub(crate) async fn peek(&mut self, enough: impl Fn(&[u8]) -> bool) -> io::Result<&[u8]> {
        let Self { stream, peeked, .. } = self;
        while peeked.bytes().len() < PEEKED_MAX && !enough(peeked.bytes()) {
            let space = &mut peeked.bytes[peeked.len..];
            let read = stream.read(space).await?;
            if read == 0 {
                break;
            }
            peeked.len += read;
            self.read_bytes.set(self.read_bytes.get() + read as u64);
            self.counters.received_bytes.add(read as u64);
        }
        Ok(self.peeked.bytes())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let has_peeked = self.peeked.read(buf);
        let before = buf.filled().len();
        // Also read further bytes now: closing after a wrong preface with unread bytes would reset
        // the connection.
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        let bytes = (buf.filled().len() - before) as u64;
        self.read_bytes.set(self.read_bytes.get() + bytes);
        self.counters.received_bytes.add(bytes);
        if has_peeked {
            return Poll::Ready(Ok(()));
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
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

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Tcp(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
            Self::Unix(stream) => stream.is_write_vectored(),
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
