//! A server that answers each call by its echo: fields, body, and the fields again as trailers.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use hashlane_http2::{Code, Config, Connection, Event, Request, Step};
use http::{HeaderMap, StatusCode};

/// Windows of streams after a call of `/grow`.
const GROWN_BYTES: u32 = 1 << 20;

/// A call that is not answered completely.
struct Call {
    fields: HeaderMap,
    /// Received and not sent back.
    held: BytesMut,
    /// Bytes of windows that are to be given back.
    owed_bytes: usize,
    has_ended: bool,
    /// By the server, as soon as data comes.
    is_reset: bool,
}

pub(crate) struct Echo {
    pub(crate) connection: Connection<u32>,
    config: Config,
    calls: BTreeMap<u32, Call>,
    /// All events. Pieces of a body that follow one another are one.
    pub(crate) told: Vec<(String, Vec<u8>)>,
    /// The bytes of windows that DATA took.
    pub(crate) window_bytes: usize,
    /// The most that a stream's data took at a time.
    pub(crate) owed_bytes_max: usize,
    /// The connection is of no more use.
    pub(crate) has_failed: bool,
}

impl Echo {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            connection: Connection::new(config),
            config,
            calls: BTreeMap::new(),
            told: Vec::new(),
            window_bytes: 0,
            owed_bytes_max: 0,
            has_failed: false,
        }
    }

    /// What it was told but data.
    pub(crate) fn events(&self) -> impl Iterator<Item = &str> {
        self.told.iter().map(|(event, _)| &event[..])
    }

    /// Handles `input`. What it sends depends only on the frames, not on how they are split.
    pub(crate) fn receive(&mut self, mut input: Bytes) -> Result<(), Code> {
        while !self.has_failed {
            match self.connection.step(&mut input)? {
                Step::Event(event) => self.handle(event),
                Step::Frame => {}
                Step::NeedMore => break,
            }
        }
        assert!(input.is_empty() || self.has_failed, "it leaves input");
        Ok(())
    }

    fn handle(&mut self, event: Event<u32>) {
        if !matches!(event, Event::Data { .. }) {
            self.told.push((format!("{event:?}"), Vec::new()));
        }
        match event {
            Event::Request {
                stream,
                request,
                ends,
            } => self.begin(stream, request, ends),
            Event::Data {
                user,
                bytes,
                window_bytes,
                ends,
            } => {
                self.take(user, &bytes, window_bytes as usize);
                if !ends {
                    return;
                }
                self.end(user);
            }
            Event::End { user } => self.end(user),
            Event::Reset { user, .. } => self.forget(user),
            Event::WindowOpened { .. } | Event::Pong | Event::Goaway { .. } => {}
        }
        self.answer();
    }

    fn begin(&mut self, stream: u32, request: Request, ends: bool) {
        let connection = &mut self.connection;
        connection.accept(stream, stream);
        connection.send_headers(stream, StatusCode::OK, &request.headers, false);
        match &request.path[..] {
            "/early" => {
                connection.send_trailers(stream, &request.headers);
                return connection.abandon(stream);
            }
            "/fail" => {
                connection.fail(Code::ENHANCE_YOUR_CALM);
                self.has_failed = true;
            }
            "/grow" => {
                connection.grow_stream_windows(GROWN_BYTES);
                self.config.stream_window_bytes = GROWN_BYTES;
            }
            "/shut-down" => connection.shut_down(),
            _ => {}
        }
        let call = Call {
            fields: request.headers,
            held: BytesMut::new(),
            owed_bytes: 0,
            has_ended: ends,
            is_reset: request.path == "/reset",
        };
        self.calls.insert(stream, call);
    }

    fn take(&mut self, stream: u32, bytes: &[u8], window_bytes: usize) {
        let event = format!("data of {stream}");
        match self.told.last_mut() {
            Some((last, so_far)) if *last == event => so_far.extend_from_slice(bytes),
            _ => self.told.push((event, bytes.to_vec())),
        }
        self.window_bytes += window_bytes;
        let call = self.calls.get_mut(&stream).unwrap();
        call.held.extend_from_slice(bytes);
        call.owed_bytes += window_bytes;
        self.owed_bytes_max = self.owed_bytes_max.max(call.owed_bytes);
        assert!(self.owed_bytes_max <= self.config.stream_window_bytes as usize);
        if call.is_reset {
            self.connection.reset(stream, Code::CANCEL);
            self.forget(stream);
        }
        let owed_bytes: usize = self.calls.values().map(|call| call.owed_bytes).sum();
        assert!(owed_bytes <= self.config.connection_window_bytes as usize);
    }

    fn end(&mut self, stream: u32) {
        self.told.push((format!("end of {stream}"), Vec::new()));
        if let Some(call) = self.calls.get_mut(&stream) {
            call.has_ended = true;
        }
    }

    fn forget(&mut self, stream: u32) {
        let call = self.calls.remove(&stream).unwrap();
        self.open_window(0, call.owed_bytes);
    }

    fn open_window(&mut self, stream: u32, bytes: usize) {
        let bytes = bytes.try_into().unwrap();
        self.connection.open_window(stream, bytes);
    }

    /// Sends as much as the client's windows allow, and opens windows for it.
    pub(crate) fn answer(&mut self) {
        let unclaimed_bytes = self.connection.take_unclaimed() as usize;
        self.window_bytes += unclaimed_bytes;
        self.open_window(0, unclaimed_bytes);
        for (stream, mut call) in std::mem::take(&mut self.calls) {
            let Some(room) = self.connection.send_room(stream) else {
                continue;
            };
            let piece = call.held.split_to(room.min(call.held.len()));
            if !piece.is_empty() {
                self.connection.send_data(stream, &piece);
            }
            let handled_bytes = call.owed_bytes - call.held.len();
            call.owed_bytes = call.held.len();
            self.open_window(stream, handled_bytes);
            self.open_window(0, handled_bytes);
            if call.has_ended && call.held.is_empty() {
                self.connection.send_trailers(stream, &call.fields);
            } else {
                self.calls.insert(stream, call);
            }
        }
    }
}
