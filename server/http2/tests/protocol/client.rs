//! The h2 crate as the client, and the server, in turns on one thread: what stalls fails at once.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::FutureExt as _;
use futures_util::future::join;
use h2::client::{Builder, SendRequest};
use hashlane_http2::Config;
use http::{HeaderMap, Request, StatusCode};
use tokio::io::{AsyncRead as _, AsyncWrite as _, DuplexStream, ReadBuf};

use crate::echo::Echo;

/// When so many turns have moved nothing, nothing will move.
const IDLE_TURNS_MAX: u32 = 100;

/// Bytes on their way, in each direction.
const PIPE_BYTES: usize = 5000;

/// Where calls begin.
pub(crate) type Requests = SendRequest<Bytes>;

/// Both ends of a connection.
pub(crate) struct Setup {
    pub(crate) client: Builder,
    server: Config,
    /// The windows of streams that the client announces one after another.
    pub(crate) changes: Vec<u32>,
}

impl Setup {
    /// With these windows of streams and of the connection.
    pub(crate) fn new(client_windows: [u32; 2], server_windows: [u32; 2]) -> Self {
        let mut client = Builder::new();
        client
            .initial_window_size(client_windows[0])
            .initial_connection_window_size(client_windows[1])
            // No request leaves before the server's windows are known.
            .initial_max_send_streams(0)
            // However slow the machine is.
            .reset_stream_duration(Duration::from_secs(86_400));
        let server = Config {
            streams_max: 20,
            stream_window_bytes: server_windows[0],
            connection_window_bytes: server_windows[1],
            frame_bytes_max: 16_384,
            header_list_bytes_max: 100_000,
        };
        Self {
            client,
            server,
            changes: Vec::new(),
        }
    }

    /// Makes `calls` and closes the connection. Returns what they return, how the client's end of
    /// the connection ended, and the server.
    pub(crate) fn run<T>(
        self,
        calls: impl AsyncFnOnce(Requests) -> T,
    ) -> (T, Result<(), h2::Error>, Echo) {
        let (near, mut far) = tokio::io::duplex(PIPE_BYTES);
        let mut changes = self.changes.into_iter().peekable();
        let client = async {
            let (requests, mut connection) = self.client.handshake(near).await.unwrap();
            let connection = poll_fn(|cx| {
                // It is refused while the last one is not acknowledged.
                changes.next_if(|bytes| connection.set_initial_window_size(*bytes).is_ok());
                connection.poll_unpin(cx)
            });
            let (result, ended) = join(calls(requests), connection).await;
            assert_eq!(changes.len(), 0, "the calls ended before the last change");
            (result, ended)
        };
        let mut client = pin!(client);
        let mut echo = Echo::new(self.server);
        let turns = &mut Context::from_waker(Waker::noop());
        let mut idle_turns = 0;
        loop {
            if let Poll::Ready((result, ended)) = client.as_mut().poll(turns) {
                while turn(&mut echo, &mut far, turns) {}
                return (result, ended, echo);
            }
            let has_moved = turn(&mut echo, &mut far, turns);
            idle_turns = if has_moved { 0 } else { idle_turns + 1 };
            assert!(idle_turns < IDLE_TURNS_MAX, "nothing moves");
        }
    }
}

/// Reads, answers and writes. Returns whether there was anything to read or to write.
fn turn(echo: &mut Echo, socket: &mut DuplexStream, cx: &mut Context<'_>) -> bool {
    let mut room = [0; PIPE_BYTES];
    let mut read = ReadBuf::new(&mut room);
    let _ = Pin::new(&mut *socket).poll_read(cx, &mut read);
    let mut has_moved = !read.filled().is_empty();
    let input = Bytes::copy_from_slice(read.filled());
    echo.receive(input).expect("h2 breaks no rule");
    echo.answer();
    let output = echo.connection.output();
    while !output.is_empty()
        && let Poll::Ready(Ok(bytes)) = Pin::new(&mut *socket).poll_write(cx, output)
    {
        output.advance(bytes);
        has_moved = true;
    }
    if echo.has_failed && output.is_empty() {
        let _ = Pin::new(socket).poll_shutdown(cx);
    }
    has_moved
}

/// Calls `path` with `fields`, which are the trailers too.
///
/// # Panics
/// If it is answered, but not by its echo.
pub(crate) async fn call(
    client: &Requests,
    path: &str,
    fields: &HeaderMap,
    body: Bytes,
) -> Result<(), h2::Error> {
    let mut client = client.clone().ready().await?;
    let mut request = Request::new(());
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = format!("http://server{path}").parse().unwrap();
    *request.headers_mut() = fields.clone();
    let (response, mut sending) = client.send_request(request, false)?;
    sending.send_data(body.clone(), false)?;
    sending.send_trailers(fields.clone())?;
    let (head, mut receiving) = response.await?.into_parts();
    assert_eq!((head.status, &head.headers), (StatusCode::OK, fields));
    let mut received = BytesMut::new();
    while let Some(piece) = receiving.data().await.transpose()? {
        receiving.flow_control().release_capacity(piece.len())?;
        received.extend_from_slice(&piece);
    }
    let is_echo = received == if path == "/early" { Bytes::new() } else { body };
    assert!(is_echo, "{} other bytes came back", received.len());
    assert_eq!(receiving.trailers().await?.as_ref(), Some(fields));
    Ok(())
}
