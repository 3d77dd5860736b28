//! HTTP/2 frame by frame (RFC 9113), for frames that no HTTP/2 library would send.

use std::net::{IpAddr, SocketAddr};

use hashlane_http2_frames::{HEAD_BYTES, Head, call, number_at, setting, settings, settings_of};
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::h2_client::{message, messages};
use super::{PATIENCE, digest, sha256};

pub(crate) use hashlane_http2_frames::error::{
    COMPRESSION_ERROR, ENHANCE_YOUR_CALM, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, NO_ERROR,
    PROTOCOL_ERROR, REFUSED_STREAM, STREAM_CLOSED,
};
pub(crate) use hashlane_http2_frames::flag::{ACK, END_HEADERS, END_STREAM, PADDED};
pub(crate) use hashlane_http2_frames::kind::{
    CONTINUATION, DATA, GOAWAY, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE,
};
pub(crate) use hashlane_http2_frames::{
    PREFACE, Received, WINDOW_BYTES_MAX as WINDOW_MAX, frame, opening, priority, reset,
    window_update,
};

/// A received frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    /// The error code of RST_STREAM or GOAWAY, or the increment of WINDOW_UPDATE.
    #[track_caller]
    pub(crate) fn number(&self) -> u32 {
        let at = if self.kind == GOAWAY { 4 } else { 0 };
        number_at(&self.payload, at).unwrap()
    }
}

/// HEADERS of a Digest call, with `more` headers after the usual ones.
pub(crate) fn headers(stream: u32, flags: u8, more: &[(&str, &str)]) -> Vec<u8> {
    headers_of("/hashlane.v1.HashService/Digest", stream, flags, more)
}

/// The same for a call to `path`.
pub(crate) fn headers_of(path: &str, stream: u32, flags: u8, more: &[(&str, &str)]) -> Vec<u8> {
    call(path, stream, flags, more)
}

/// HEADERS with this block of fields (RFC 7541) after the usual ones of a Digest call.
pub(crate) fn headers_and(stream: u32, flags: u8, block: &[u8]) -> Vec<u8> {
    let usual = headers(stream, 0, &[]);
    frame(
        HEADERS,
        flags,
        stream,
        &[&usual[HEAD_BYTES..], block].concat(),
    )
}

/// SETTINGS with one initial window for all streams.
pub(crate) fn initial_window(bytes: u32) -> Vec<u8> {
    settings(&[(setting::INITIAL_WINDOW_SIZE, bytes)])
}

/// Stream numbers of a client.
pub(crate) fn streams() -> impl Iterator<Item = u32> {
    (1..).step_by(2)
}

/// A socket of the client at this address.
pub(crate) async fn socket_from(client: IpAddr, address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((client, 0).into()).unwrap();
    socket.connect(address).await.unwrap()
}

/// A socket of a client that receives little, with small kernel buffers on both sides.
pub(crate) async fn small_socket(server: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket2::SockRef::from(&socket).set_tcp_mss(536).unwrap();
    let socket = socket.connect(server).await.unwrap();
    // What is sent last does not wait until what came before is acknowledged.
    socket.set_nodelay(true).unwrap();
    socket
}

/// A connection after its preface.
pub(crate) struct Wire {
    socket: TcpStream,
    /// The server's settings, by their numbers (section 6.5.2).
    pub(crate) settings: Vec<(u16, u32)>,
}

impl Wire {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::connect_in_pieces(address, 24).await
    }

    /// The rest of the preface follows after the server's settings have arrived.
    pub(crate) async fn connect_in_pieces(address: SocketAddr, first: usize) -> Self {
        let mut wire = Self::connect_without_ack(address, first).await;
        wire.send(&frame(SETTINGS, ACK, 0, &[])).await;
        wire
    }

    /// Does not acknowledge the server's settings.
    pub(crate) async fn connect_without_ack(address: SocketAddr, first: usize) -> Self {
        let socket = TcpStream::connect(address).await.unwrap();
        Self::over(socket, first).await
    }

    /// From the address `client`: every loopback address exists.
    pub(crate) async fn connect_from(client: IpAddr, address: SocketAddr) -> Self {
        let mut wire = Self::over(socket_from(client, address).await, 24).await;
        wire.send(&frame(SETTINGS, ACK, 0, &[])).await;
        wire
    }

    /// Over a [`small_socket`].
    pub(crate) async fn connect_small(address: SocketAddr) -> Self {
        let mut wire = Self::over(small_socket(address).await, 24).await;
        wire.send(&frame(SETTINGS, ACK, 0, &[])).await;
        wire
    }

    async fn over(socket: TcpStream, first: usize) -> Self {
        // The last bytes must not wait for the acknowledgement of earlier ones.
        socket.set_nodelay(true).unwrap();
        let mut wire = Self {
            socket,
            settings: Vec::new(),
        };
        let (begin, rest) = PREFACE.split_at(first);
        wire.send(begin).await;
        let first = wire.next().await.unwrap();
        wire.send(rest).await;
        wire.send(&frame(SETTINGS, 0, 0, &[])).await;
        assert_eq!((first.kind, first.flags), (SETTINGS, 0));
        wire.settings = settings_of(&first.payload).collect();
        wire
    }

    /// Sends with one write, so that the server gets all bytes with one read.
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).await.unwrap();
    }

    /// The next frame, or `None` when the server has closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        let next = timeout(PATIENCE, self.read()).await;
        next.expect("neither a frame nor the end in time")
    }

    async fn read(&mut self) -> Option<Frame> {
        read(&mut self.socket).await
    }

    /// Sends the bytes of `next` repeatedly, and reads meanwhile, until the server sends GOAWAY
    /// (returns its error code) or closes without it.
    pub(crate) async fn flood(mut self, mut next: impl FnMut() -> Vec<u8>) -> Option<u32> {
        let (reading, mut writing) = self.socket.split();
        // The server closes connections that do not read its answers.
        let mut reading = BufReader::with_capacity(64 << 10, reading);
        let said = async {
            loop {
                match read(&mut reading).await {
                    None => break None,
                    Some(frame) if frame.kind == GOAWAY => break Some(frame.number()),
                    Some(_) => {}
                }
            }
        };
        let sending = async {
            while writing.write_all(&next()).await.is_ok() {}
            // Closed; the server's last frames can still be read.
            std::future::pending::<()>().await;
        };
        let ended = timeout(PATIENCE, async {
            tokio::select! {
                said = said => said,
                () = sending => unreachable!(),
            }
        });
        ended.await.expect("the flood goes on")
    }

    /// Half-closes, and waits for the server to close.
    pub(crate) async fn close(mut self) {
        self.socket.shutdown().await.unwrap();
        while self.next().await.is_some() {}
    }

    /// Sends the bytes of `next` repeatedly without reading, until the server closes.
    pub(crate) async fn flood_unread(mut self, mut next: impl FnMut() -> Vec<u8>) {
        let ended = timeout(PATIENCE, async {
            while self.socket.write_all(&next()).await.is_ok() {}
        });
        ended.await.expect("the flood goes on");
    }

    /// Waits until the server has read all bytes sent.
    pub(crate) async fn all_is_read(&mut self) {
        self.send(&frame(PING, 0, 0, b"all read")).await;
        // The server sends PINGs too.
        while self.until(PING).await.flags != ACK {}
    }

    /// The next frame of this type; other frames are skipped.
    pub(crate) async fn until(&mut self, kind: u8) -> Frame {
        loop {
            let frame = self.next().await;
            let frame = frame.unwrap_or_else(|| panic!("closed before a frame of kind {kind}"));
            if frame.kind == kind {
                return frame;
            }
            assert_ne!(frame.kind, GOAWAY, "{frame:?}");
        }
    }

    /// Expects GOAWAY and the end of the connection. Returns the error code.
    pub(crate) async fn goodbye(mut self) -> u32 {
        loop {
            let frame = self.next().await.expect("closed without GOAWAY");
            if frame.kind == GOAWAY {
                assert!(self.next().await.is_none());
                return frame.number();
            }
        }
    }

    /// Requests a digest on this stream, whose HEADERS were sent.
    pub(crate) async fn digest(&mut self, stream: u32) {
        let request = message(0, &digest(7, b"abc", true).encode_to_vec());
        self.send(&frame(DATA, END_STREAM, stream, &request)).await;
        let mut body = Vec::new();
        loop {
            let frame = self.next().await.expect("closed before the answer's end");
            assert!(!matches!(frame.kind, RST_STREAM | GOAWAY), "{frame:?}");
            if frame.kind == DATA {
                assert_eq!(frame.stream, stream);
                body.extend_from_slice(&frame.payload);
            }
            if frame.kind == HEADERS && frame.flags & END_STREAM != 0 {
                break;
            }
        }
        let answers: Vec<DigestResponse> = messages(&body);
        assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
    }
}

async fn read(socket: &mut (impl AsyncRead + Unpin)) -> Option<Frame> {
    let mut head = [0; HEAD_BYTES];
    socket.read_exact(&mut head).await.ok()?;
    let head = Head::decode(&head);
    let mut payload = vec![0; head.bytes];
    socket.read_exact(&mut payload).await.ok()?;
    Some(Frame {
        kind: head.kind,
        flags: head.flags,
        stream: head.stream,
        payload,
    })
}
