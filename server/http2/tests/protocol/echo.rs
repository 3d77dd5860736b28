//! A server that echoes, and the h2 crate as its client, in turns on one thread: what stalls fails
//! at once.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::FutureExt as _;
use futures_util::future::join;
use h2::client::{Builder, SendRequest};
use hashlane_http2::{Code, Config, Connection, Event, Step};
use http::{HeaderMap, Request, StatusCode};
use tokio::io::{AsyncRead as _, AsyncWrite as _, DuplexStream, ReadBuf};

/// The largest read of the server.
const READ_BYTES: usize = 20_000;

/// When so many turns have moved nothing, nothing will move.
const IDLE_TURNS_MAX: u32 = 100;

/// Windows of streams after a call of `/grow`.
const GROWN_BYTES: u32 = 1 << 20;

/// Both ends of a connection.
pub(crate) struct Setup {
    pub(crate) client: Builder,
    pub(crate) server: Config,
    /// Bytes on their way, in each direction.
    pub(crate) pipe_bytes: usize,
    /// The windows of streams that the client announces one after another.
    pub(crate) changes: Vec<u32>,
}

impl Setup {
    /// With these windows of streams and of the connection.
    pub(crate) fn new(client_windows: [u32; 2], server_windows: [u32; 2]) -> Self {
        let server = Config {
            streams_max: 20,
            stream_window_bytes: server_windows[0],
            connection_window_bytes: server_windows[1],
            frame_bytes_max: 16_384,
            header_list_bytes_max: 100_000,
        };
        let mut client = Builder::new();
        client
            .initial_window_size(client_windows[0])
            .initial_connection_window_size(client_windows[1])
            .initial_max_send_streams(20)
            // However slow the machine is.
            .reset_stream_duration(Duration::from_secs(86_400));
        Self {
            client,
            server,
            pipe_bytes: 30_000,
            changes: Vec::new(),
        }
    }

    /// Makes `calls` and closes the connection. Returns what they return, how the client's end of
    /// the connection ended, and the server.
    pub(crate) fn run<T>(
        self,
        calls: impl AsyncFnOnce(SendRequest<Bytes>) -> T,
    ) -> (T, Result<(), h2::Error>, Server) {
        let (near, far) = tokio::io::duplex(self.pipe_bytes);
        let mut server = Server::new(self.server, far);
        let mut changes = self.changes.into_iter().peekable();
        let turns = &mut Context::from_waker(Waker::noop());
        let (result, ended) = {
            let mut client = pin!(async {
                let (requests, mut connection) = self.client.handshake(near).await.unwrap();
                let connection = poll_fn(|cx| {
                    // It is refused while the last one is not acknowledged.
                    changes.next_if(|bytes| connection.set_initial_window_size(*bytes).is_ok());
                    connection.poll_unpin(cx)
                });
                join(calls(requests), connection).await
            });
            let mut idle_turns = 0;
            loop {
                if let Poll::Ready(both) = client.as_mut().poll(turns) {
                    break both;
                }
                idle_turns = if server.turn(turns) { 0 } else { idle_turns + 1 };
                assert!(idle_turns < IDLE_TURNS_MAX, "nothing moves");
            }
        };
        assert_eq!(changes.len(), 0, "the calls ended before the last change");
        while server.turn(turns) {}
        assert!(server.connection.is_between_frames());
        (result, ended, server)
    }
}

/// Calls `path` with `fields`, which are the trailers too.
///
/// # Panics
/// If it is answered, but not by its echo.
pub(crate) async fn call(
    client: &SendRequest<Bytes>,
    path: &str,
    fields: &HeaderMap,
    body: Bytes,
) -> Result<(), h2::Error> {
    let mut client = client.clone().ready().await?;
    let mut request = Request::post(format!("http://server{path}")).body(()).unwrap();
    *request.headers_mut() = fields.clone();
    let (response, mut sending) = client.send_request(request, false)?;
    sending.send_data(body.clone(), false)?;
    sending.send_trailers(fields.clone())?;
    let (head, mut receiving) = response.await?.into_parts();
    assert_eq!((head.status, &head.headers), (StatusCode::OK, fields));
    let mut received = BytesMut::new();
    while let Some(piece) = receiving.data().await {
        let piece = piece?;
        receiving.flow_control().release_capacity(piece.len())?;
        received.extend_from_slice(&piece);
    }
    let echo = if path == "/early" { Bytes::new() } else { body };
    assert!(received == echo, "{} of {} bytes", received.len(), echo.len());
    assert_eq!(receiving.trailers().await?.as_ref(), Some(fields));
    Ok(())
}

/// A call that the server has not answered completely.
struct Call {
    fields: HeaderMap,
    /// Received and not sent back.
    held: BytesMut,
    has_ended: bool,
    /// By the server, as soon as data comes.
    is_reset: bool,
}

/// Answers each call by its echo, and opens windows for what it has sent back.
pub(crate) struct Server {
    pub(crate) connection: Connection<u32>,
    socket: DuplexStream,
    calls: BTreeMap<u32, Call>,
    windows: [u32; 2],
    is_closed: bool,
    /// The most bytes that it held for a call.
    pub(crate) held_bytes_max: usize,
    /// Of calls that the client reset.
    pub(crate) resets: Vec<Code>,
    pub(crate) goaway: Option<Code>,
}

impl Server {
    fn new(config: Config, socket: DuplexStream) -> Self {
        Self {
            connection: Connection::new(config),
            socket,
            calls: BTreeMap::new(),
            windows: [config.stream_window_bytes, config.connection_window_bytes],
            is_closed: false,
            held_bytes_max: 0,
            resets: Vec::new(),
            goaway: None,
        }
    }

    /// Reads, answers and writes. Returns whether there was anything to read or to write.
    fn turn(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_moved = false;
        let mut room = [0; READ_BYTES];
        let mut read = ReadBuf::new(&mut room);
        let socket = Pin::new(&mut self.socket);
        if !self.is_closed && socket.poll_read(cx, &mut read).is_ready() {
            self.is_closed = read.filled().is_empty();
            has_moved = !self.is_closed;
            self.receive(Bytes::copy_from_slice(read.filled()));
        }
        self.answer();
        let output = self.connection.output();
        while !output.is_empty()
            && let Poll::Ready(Ok(bytes)) = Pin::new(&mut self.socket).poll_write(cx, output)
        {
            output.advance(bytes);
            has_moved = true;
        }
        has_moved
    }

    fn receive(&mut self, mut input: Bytes) {
        while let step = self.connection.step(&mut input).expect("h2 breaks no rule")
            && !matches!(step, Step::NeedMore)
        {
            if let Step::Event(event) = step {
                self.handle(event);
            }
        }
        assert!(input.is_empty());
    }

    fn handle(&mut self, event: Event<u32>) {
        let connection = &mut self.connection;
        match event {
            Event::Request {
                stream,
                request,
                ends,
            } => {
                connection.accept(stream, stream);
                connection.send_headers(stream, StatusCode::OK, &request.headers, false);
                match request.path.as_str() {
                    "/early" => {
                        connection.send_trailers(stream, &request.headers);
                        return connection.abandon(stream);
                    }
                    "/fail" => connection.fail(Code::ENHANCE_YOUR_CALM),
                    "/grow" => {
                        connection.grow_stream_windows(GROWN_BYTES);
                        self.windows[0] = GROWN_BYTES;
                    }
                    "/shut-down" => connection.shut_down(),
                    _ => {}
                }
                let call = Call {
                    fields: request.headers,
                    held: BytesMut::new(),
                    has_ended: ends,
                    is_reset: request.path == "/reset",
                };
                self.calls.insert(stream, call);
            }
            Event::Data {
                user,
                bytes,
                window_bytes,
                ends,
            } => {
                assert_eq!(bytes.len(), window_bytes as usize, "h2 pads nothing");
                let call = self.calls.get_mut(&user).unwrap();
                call.held.extend_from_slice(&bytes);
                call.has_ended = ends;
                self.held_bytes_max = self.held_bytes_max.max(call.held.len());
                if call.is_reset {
                    connection.reset(user, Code::CANCEL);
                    self.forget(user);
                }
                let held = self.calls.values().map(|call| call.held.len()).sum();
                for (held, window) in [self.held_bytes_max, held].into_iter().zip(self.windows) {
                    assert!(held <= window as usize, "{held} bytes in a window of {window}");
                }
            }
            Event::End { user } => self.calls.get_mut(&user).unwrap().has_ended = true,
            Event::Reset { user, code } => {
                self.resets.push(code);
                self.forget(user);
            }
            Event::Goaway { code } => self.goaway = Some(code),
            Event::WindowOpened { .. } => {}
            Event::Pong => unreachable!("the server sends no ping of its own"),
        }
    }

    fn forget(&mut self, stream: u32) {
        let call = self.calls.remove(&stream).unwrap();
        self.open_window(0, call.held.len());
    }

    fn open_window(&mut self, stream: u32, bytes: usize) {
        self.connection.open_window(stream, bytes.try_into().unwrap());
    }

    /// Sends as much as the client's windows allow.
    fn answer(&mut self) {
        for (stream, mut call) in std::mem::take(&mut self.calls) {
            let Some(room) = self.connection.send_room(stream) else {
                continue;
            };
            let piece = call.held.split_to(room.min(call.held.len()));
            self.connection.send_data(stream, &piece);
            self.open_window(stream, piece.len());
            self.open_window(0, piece.len());
            if call.has_ended && call.held.is_empty() {
                self.connection.send_trailers(stream, &call.fields);
            } else {
                self.calls.insert(stream, call);
            }
        }
        let unclaimed_bytes = self.connection.take_unclaimed();
        self.connection.open_window(0, unclaimed_bytes);
    }
}
