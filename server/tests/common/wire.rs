//! HTTP/2 frame by frame (RFC 9113), for frames that no HTTP/2 library would send.

use std::net::{IpAddr, SocketAddr};

use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::raw::{message, messages};
use super::{PATIENCE, digest, sha256};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

/// Flag of SETTINGS and PING.
pub(crate) const ACK: u8 = 1;
/// Flags of DATA and HEADERS.
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;

/// Error codes (section 7).
pub(crate) const PROTOCOL_ERROR: u32 = 1;
pub(crate) const FLOW_CONTROL_ERROR: u32 = 3;
pub(crate) const REFUSED_STREAM: u32 = 7;
pub(crate) const CANCEL: u32 = 8;
pub(crate) const COMPRESSION_ERROR: u32 = 9;
pub(crate) const ENHANCE_YOUR_CALM: u32 = 11;

/// The largest window (section 6.9.1).
pub(crate) const WINDOW_MAX: u32 = (1 << 31) - 1;

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
        u32::from_be_bytes(self.payload[at..at + 4].try_into().unwrap())
    }
}

/// A frame to send.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let stream = stream.to_be_bytes();
    [&len[1..], &[kind, flags], &stream, payload].concat()
}

/// HEADERS of a Digest call, with the headers `more` after the usual ones.
pub(crate) fn headers(stream: u32, flags: u8, more: &[(&str, &str)]) -> Vec<u8> {
    headers_of("/hashlane.v1.HashService/Digest", stream, flags, more)
}

/// The same for a call to `path`.
pub(crate) fn headers_of(path: &str, stream: u32, flags: u8, more: &[(&str, &str)]) -> Vec<u8> {
    // POST and http in HPACK's static table (RFC 7541 appendix A).
    let mut block = vec![0x83, 0x86];
    let usual = [
        (":path", path),
        (":authority", "test"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    ];
    for (name, value) in usual.iter().chain(more) {
        // A literal without indexing, and without Huffman coding; lengths below 127 are one byte
        // (section 6.2.2).
        block.push(0);
        for text in [name, value] {
            assert!(text.len() < 127);
            block.push(u8::try_from(text.len()).unwrap());
            block.extend_from_slice(text.as_bytes());
        }
    }
    frame(HEADERS, END_HEADERS | flags, stream, &block)
}

/// HEADERS with this block of fields (RFC 7541) after the usual ones of a Digest call.
pub(crate) fn headers_and(stream: u32, flags: u8, block: &[u8]) -> Vec<u8> {
    let usual = headers(stream, 0, &[]);
    frame(HEADERS, flags, stream, &[&usual[9..], block].concat())
}

/// SETTINGS with one initial window for all streams.
pub(crate) fn initial_window(bytes: u32) -> Vec<u8> {
    let setting = [&[0, 4][..], &bytes.to_be_bytes()].concat();
    frame(SETTINGS, 0, 0, &setting)
}

pub(crate) fn window_update(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

pub(crate) fn reset(stream: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &CANCEL.to_be_bytes())
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

    async fn over(socket: TcpStream, first: usize) -> Self {
        // The last bytes must not wait for the acknowledgement of earlier ones.
        socket.set_nodelay(true).unwrap();
        let mut wire = Self {
            socket,
            settings: Vec::new(),
        };
        let (begin, rest) = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".split_at(first);
        wire.send(begin).await;
        let first = wire.next().await.unwrap();
        wire.send(rest).await;
        wire.send(&frame(SETTINGS, 0, 0, &[])).await;
        assert_eq!((first.kind, first.flags), (SETTINGS, 0));
        wire.settings = first
            .payload
            .chunks(6)
            .map(|setting| {
                let (number, value) = setting.split_at(2);
                (
                    u16::from_be_bytes(number.try_into().unwrap()),
                    u32::from_be_bytes(value.try_into().unwrap()),
                )
            })
            .collect();
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
    let mut head = [0; 9];
    socket.read_exact(&mut head).await.ok()?;
    let [a, b, c, kind, flags, stream @ ..] = head;
    let len = u32::from_be_bytes([0, a, b, c]);
    let mut payload = vec![0; usize::try_from(len).unwrap()];
    socket.read_exact(&mut payload).await.ok()?;
    Some(Frame {
        kind,
        flags,
        stream: u32::from_be_bytes(stream),
        payload,
    })
}
