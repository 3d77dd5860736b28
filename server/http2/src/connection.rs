//! The state of a connection, and what this side sends.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};

use crate::cursor::Receiving;
use crate::frame::{
    self, Code, PAYLOAD_BYTES_DEFAULT, STREAM_MAX, WINDOW_BYTES_DEFAULT, WINDOW_BYTES_MAX, flag,
    kind, setting,
};
use crate::hpack::{self, Table};
use crate::stream::{Stream, Streams};
use crate::{Request, Seen};

/// Streams that this side ended early and whose late frames are ignored: those of a round trip.
const FORGIVEN_MAX: usize = 256;

/// Places for streams that a connection without streams keeps.
const STREAMS_KEPT: usize = 64;

/// The payloads of the two kinds of PING that this side sends.
const PING_PAYLOAD: [u8; 8] = *b"hashlane";
const SHUTDOWN_PAYLOAD: [u8; 8] = *b"shutdown";

/// What this side announces in its SETTINGS.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Concurrent streams. More are refused.
    pub streams_max: u32,
    /// The initial window of a stream, at least 65,535: a client may send that much before it has
    /// read these SETTINGS.
    pub stream_window_bytes: u32,
    /// The first window of the connection, at least 65,535.
    pub connection_window_bytes: u32,
    /// The largest payload of a frame: 16,384 to 16,777,215.
    pub frame_bytes_max: u32,
    /// Bytes of a request's fields, with 32 more for each. A request that has this many or more is
    /// answered with status 431.
    pub header_list_bytes_max: u32,
}

/// What a step has found.
#[derive(Debug)]
pub enum Step<T> {
    /// The input is used up.
    NeedMore,
    /// A frame, or a part of one, that needs nothing from the caller.
    Frame,
    /// Something for the caller.
    Event(Event<T>),
}

/// What the peer did. `user` is what the caller gave for the stream.
#[derive(Debug)]
pub enum Event<T> {
    /// A request. The caller answers with [`Connection::accept`] before the next step.
    Request {
        /// The stream's number.
        stream: u32,
        /// The request.
        request: Request,
        /// It has no body.
        ends: bool,
    },
    /// A piece of a request's body.
    Data {
        /// The caller's.
        user: T,
        /// A slice of the input.
        bytes: Bytes,
        /// Bytes of the windows that the piece took, its share of padding included. The caller
        /// gives them back by [`Connection::open_window`], for the stream and for the connection.
        window_bytes: u32,
        /// It is the last piece.
        ends: bool,
    },
    /// A request's body has ended after the last piece.
    End {
        /// The caller's.
        user: T,
    },
    /// The stream is gone: the peer has reset it, or this side because of the peer's error.
    Reset {
        /// The caller's.
        user: T,
        /// Why.
        code: Code,
    },
    /// More may be sent on this stream, or on any if it is `None`.
    WindowOpened {
        /// The caller's.
        user: Option<T>,
    },
    /// The answer to the last [`Connection::ping`].
    Pong,
    /// The peer opens no more streams.
    Goaway {
        /// Why.
        code: Code,
    },
}

/// The progress of [`Connection::shut_down`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shutdown {
    No,
    /// GOAWAY was sent without a last stream, and PING. Streams that the peer opens until it has
    /// read them are still served.
    Announced,
    /// GOAWAY was sent with the last stream that is served.
    Done,
}

/// One connection of a client, with a `T` of the caller's for each stream.
#[derive(Debug)]
pub struct Connection<T> {
    pub(crate) config: Config,
    pub(crate) receiving: Receiving,
    /// Of the peer's header blocks.
    pub(crate) table: Table,
    /// A header block was sent.
    has_sent_block: bool,
    pub(crate) streams: Streams<T>,
    /// The highest stream that the peer opened.
    pub(crate) last_stream: u32,
    forgiven: VecDeque<u32>,
    /// Bytes that the peer may still send on all streams.
    pub(crate) receive_window: u32,
    /// Bytes of windows that went to no stream.
    pub(crate) unclaimed_bytes: u32,
    send_window: i64,
    /// The peer's window for new streams.
    peer_stream_window: u32,
    pub(crate) shutdown: Shutdown,
    pub(crate) peer_has_gone: bool,
    is_pinging: bool,
    pub(crate) output: BytesMut,
    pub(crate) seen: Seen,
}

impl<T: Clone> Connection<T> {
    /// A connection that begins. Its output begins with SETTINGS.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let mut output = BytesMut::new();
        frame::settings(
            &mut output,
            &[
                (setting::MAX_CONCURRENT_STREAMS, config.streams_max),
                (setting::INITIAL_WINDOW_SIZE, config.stream_window_bytes),
                (setting::MAX_FRAME_SIZE, config.frame_bytes_max),
                (setting::MAX_HEADER_LIST_SIZE, config.header_list_bytes_max),
            ],
        );
        let mut connection = Self {
            config,
            receiving: Receiving::new(),
            table: Table::new(),
            has_sent_block: false,
            streams: Streams::default(),
            last_stream: 0,
            forgiven: VecDeque::new(),
            receive_window: WINDOW_BYTES_DEFAULT,
            unclaimed_bytes: 0,
            send_window: WINDOW_BYTES_DEFAULT.into(),
            peer_stream_window: WINDOW_BYTES_DEFAULT,
            shutdown: Shutdown::No,
            peer_has_gone: false,
            is_pinging: false,
            output,
            seen: Seen::default(),
        };
        let more = config
            .connection_window_bytes
            .saturating_sub(WINDOW_BYTES_DEFAULT);
        connection.open_window(0, more);
        connection
    }

    /// Whether the client's preface has arrived.
    #[must_use]
    pub fn has_preface(&self) -> bool {
        self.receiving.preface_read().is_none()
    }

    /// The part of the preface that has arrived, while it is not complete.
    #[must_use]
    pub fn preface_read(&self) -> &'static [u8] {
        self.receiving.preface_read().unwrap_or_default()
    }

    /// Whether the peer's last frame has arrived completely.
    #[must_use]
    pub fn is_between_frames(&self) -> bool {
        self.receiving.is_between_frames()
    }

    /// Bytes to send. The caller removes what it has sent.
    pub fn output(&mut self) -> &mut BytesMut {
        &mut self.output
    }

    /// Bytes that are still to be sent.
    #[must_use]
    pub fn output_bytes(&self) -> usize {
        self.output.len()
    }

    /// The frames that began since the last call.
    pub fn take_seen(&mut self) -> Seen {
        std::mem::take(&mut self.seen)
    }

    /// Number of streams that at least one side has not ended.
    #[must_use]
    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    /// Whether no more requests will come: this side or the peer has said so.
    #[must_use]
    pub fn is_shut_down(&self) -> bool {
        self.shutdown == Shutdown::Done || self.peer_has_gone
    }

    /// The caller's for a stream whose request has just arrived.
    pub fn accept(&mut self, stream: u32, user: T) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.user = Some(user);
        }
    }

    /// Removes all streams. Returns what the caller gave for them.
    pub fn take_users(&mut self) -> impl Iterator<Item = T> {
        let streams = std::mem::take(&mut self.streams);
        streams.into_values().filter_map(|stream| stream.user)
    }

    /// Begins a response. `ends`: it has no body. Returns false if the stream is gone.
    pub fn send_headers(
        &mut self,
        stream: u32,
        status: StatusCode,
        headers: &HeaderMap,
        ends: bool,
    ) -> bool {
        let Some(state) = self.streams.get_mut(&stream) else {
            return false;
        };
        debug_assert!(!state.has_sent_headers, "a response has one head");
        state.has_sent_headers = true;
        self.send_block(stream, Some(status), headers, ends);
        true
    }

    /// Sends the interim response 100 (Continue), before the response.
    pub fn send_continue(&mut self, stream: u32) {
        if self.streams.contains_key(&stream) {
            let status = Some(StatusCode::CONTINUE);
            self.send_block(stream, status, &HeaderMap::new(), false);
        }
    }

    /// Ends a response. Returns false if the stream is gone.
    pub fn send_trailers(&mut self, stream: u32, trailers: &HeaderMap) -> bool {
        let is_open = self.streams.contains_key(&stream);
        if is_open {
            self.send_block(stream, None, trailers, true);
        }
        is_open
    }

    pub(crate) fn send_block(
        &mut self,
        stream: u32,
        status: Option<StatusCode>,
        headers: &HeaderMap,
        ends: bool,
    ) {
        let mut block = BytesMut::with_capacity(128);
        let is_first = !std::mem::replace(&mut self.has_sent_block, true);
        hpack::encode(is_first, status, headers, &mut block);
        frame::headers(&mut self.output, stream, ends, &block);
        if ends {
            self.end_local(stream);
        }
    }

    /// Bytes that may be sent on a stream now; `None` if it is gone.
    #[must_use]
    pub fn send_room(&self, stream: u32) -> Option<usize> {
        let stream = self.streams.get(&stream)?;
        let room = self.send_window.min(stream.send_window);
        Some(usize::try_from(room).unwrap_or(0))
    }

    /// Sends `data`, at most [`send_room`](Self::send_room) bytes.
    pub fn send_data(&mut self, stream: u32, data: &[u8]) {
        let Some(state) = self.streams.get_mut(&stream) else {
            return;
        };
        debug_assert!(state.has_sent_headers && !state.is_local_ended);
        let bytes = i64::try_from(data.len()).unwrap_or(i64::MAX);
        state.send_window -= bytes;
        self.send_window -= bytes;
        debug_assert!(data.is_empty() || state.send_window >= 0 && self.send_window >= 0);
        for piece in data.chunks(PAYLOAD_BYTES_DEFAULT) {
            frame::head(&mut self.output, kind::DATA, 0, stream, piece.len());
            self.output.extend_from_slice(piece);
        }
    }

    /// Ends this side of a stream without trailers.
    pub fn send_end(&mut self, stream: u32) {
        if self.streams.contains_key(&stream) {
            frame::head(&mut self.output, kind::DATA, flag::END_STREAM, stream, 0);
            self.end_local(stream);
        }
    }

    /// This side has ended its half of the stream.
    fn end_local(&mut self, stream: u32) {
        if let Some(state) = self.streams.get_mut(&stream) {
            state.is_local_ended = true;
            if state.is_closed() {
                self.close(stream);
            }
        }
    }

    /// Removes a stream.
    pub(crate) fn close(&mut self, stream: u32) -> Option<Stream<T>> {
        let removed = self.streams.remove(&stream);
        if self.streams.is_empty() && self.streams.capacity() > STREAMS_KEPT {
            self.streams = Streams::default();
        }
        removed
    }

    /// Ends a stream at once.
    pub fn reset(&mut self, stream: u32, code: Code) {
        if self.close(stream).is_some() {
            self.refuse(stream, code);
        }
    }

    /// The caller has no more use for a stream. If its response is complete, the rest of the
    /// request is not wanted (section 8.1); else the stream is cancelled.
    pub fn abandon(&mut self, stream: u32) {
        let is_complete = self.streams.get(&stream).is_some_and(|s| s.is_local_ended);
        let code = if is_complete {
            Code::NO_ERROR
        } else {
            Code::CANCEL
        };
        self.reset(stream, code);
    }

    /// Sends RST_STREAM. What the peer has sent before it reads that is ignored.
    pub(crate) fn refuse(&mut self, stream: u32, code: Code) {
        frame::rst_stream(&mut self.output, stream, code);
        self.forgive(stream);
    }

    pub(crate) fn forgive(&mut self, stream: u32) {
        if self.forgiven.len() >= FORGIVEN_MAX {
            self.forgiven.pop_front();
        }
        self.forgiven.push_back(stream);
    }

    /// Whether late frames of the stream are ignored: this side has ended it early, or does not
    /// serve it any more (section 6.8).
    pub(crate) fn is_forgiven(&self, stream: u32) -> bool {
        self.is_unserved(stream) || self.forgiven.contains(&stream)
    }

    /// Whether the stream came after the last one that is served.
    pub(crate) fn is_unserved(&self, stream: u32) -> bool {
        self.shutdown == Shutdown::Done && stream > self.last_stream
    }

    /// Lets the peer send `bytes` more, on a stream or, if that is 0, on the connection.
    pub fn open_window(&mut self, stream: u32, bytes: u32) {
        let window = if stream == 0 {
            &mut self.receive_window
        } else {
            match self.streams.get_mut(&stream) {
                Some(stream) if !stream.is_remote_ended => &mut stream.receive_window,
                // Nothing more will come.
                Some(_) | None => return,
            }
        };
        let bytes = bytes.min(WINDOW_BYTES_MAX - *window);
        if bytes > 0 {
            *window += bytes;
            frame::window_update(&mut self.output, stream, bytes);
        }
    }

    /// Bytes of the connection's window that went to no stream since the last call: data for
    /// streams that are gone. The caller opens the window again.
    pub fn take_unclaimed(&mut self) -> u32 {
        std::mem::take(&mut self.unclaimed_bytes)
    }

    /// Makes the windows of all streams larger, by SETTINGS. A smaller window changes nothing.
    pub fn grow_stream_windows(&mut self, bytes: u32) {
        let more = bytes.saturating_sub(self.config.stream_window_bytes);
        if more == 0 {
            return;
        }
        self.config.stream_window_bytes = bytes;
        for stream in self.streams.values_mut() {
            let window = stream.receive_window.saturating_add(more);
            stream.receive_window = window.min(WINDOW_BYTES_MAX);
        }
        let window = (setting::INITIAL_WINDOW_SIZE, bytes);
        frame::settings(&mut self.output, &[window]);
    }

    /// Sends PING, unless one is not answered yet.
    pub fn ping(&mut self) {
        if !self.is_pinging {
            self.is_pinging = true;
            frame::ping(&mut self.output, 0, PING_PAYLOAD);
        }
    }

    /// The peer has answered a PING. Returns whether it was one of the caller's.
    pub(crate) fn pong(&mut self, payload: [u8; 8]) -> bool {
        if payload == SHUTDOWN_PAYLOAD && self.shutdown == Shutdown::Announced {
            self.shutdown = Shutdown::Done;
            frame::goaway(&mut self.output, self.last_stream, Code::NO_ERROR);
        }
        payload == PING_PAYLOAD && std::mem::take(&mut self.is_pinging)
    }

    /// Begins an orderly end (section 6.8): GOAWAY, and a second one with the last stream once the
    /// peer has answered a PING, so that it has seen the first.
    pub fn shut_down(&mut self) {
        if self.shutdown == Shutdown::No {
            self.shutdown = Shutdown::Announced;
            frame::goaway(&mut self.output, STREAM_MAX, Code::NO_ERROR);
            frame::ping(&mut self.output, 0, SHUTDOWN_PAYLOAD);
        }
    }

    /// Ends the connection, and with it all streams. The caller closes it once its output is sent.
    pub fn fail(&mut self, code: Code) {
        self.shutdown = Shutdown::Done;
        self.streams = Streams::default();
        frame::goaway(&mut self.output, self.last_stream, code);
    }

    /// The peer's window for new streams, and so of all streams, has changed.
    ///
    /// # Errors
    /// It makes some window too large.
    pub(crate) fn set_peer_window(&mut self, bytes: u32) -> Result<(), Code> {
        let more = i64::from(bytes) - i64::from(self.peer_stream_window);
        self.peer_stream_window = bytes;
        for stream in self.streams.values_mut() {
            widen(&mut stream.send_window, more)?;
        }
        Ok(())
    }

    /// The peer lets this side send more.
    ///
    /// # Errors
    /// It makes the window too large.
    pub(crate) fn widen(&mut self, more: u32) -> Result<(), Code> {
        widen(&mut self.send_window, more.into())
    }

    /// A stream of which the request has arrived.
    pub(crate) fn open(&mut self, stream: u32, content_length: Option<u64>, ends: bool) {
        let (receive, send) = (self.config.stream_window_bytes, self.peer_stream_window);
        let state = Stream::new(receive, send, content_length, ends);
        self.streams.insert(stream, state);
    }

    /// Acknowledges the peer's SETTINGS.
    pub(crate) fn acknowledge_settings(&mut self) {
        frame::settings_ack(&mut self.output);
    }

    /// Answers the peer's PING.
    pub(crate) fn answer_ping(&mut self, payload: [u8; 8]) {
        frame::ping(&mut self.output, flag::ACK, payload);
    }
}

/// Adds to a window for sending.
pub(crate) fn widen(window: &mut i64, more: i64) -> Result<(), Code> {
    *window += more;
    if *window > WINDOW_BYTES_MAX.into() {
        return Err(Code::FLOW_CONTROL_ERROR);
    }
    Ok(())
}
