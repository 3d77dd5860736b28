//! One hostile connection, and what all of them did. It keeps the protocol's limits, or the server
//! would close it for an error.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;

use hashlane_http2_frames::{
    Head, Received, STREAM_MAX, WINDOW_BYTES_DEFAULT, flag, frame, kind, number_at, setting,
    settings_of,
};
use serde_json::json;

use super::repeated_frames::{Batch, Calls, frames_in, set_stream};
use crate::results::Row;
use crate::system::helper_thread::lock;

/// Stream numbers left when a connection is abandoned: more than a batch needs.
const CALLS_SPARE: u32 = 1 << 16;

/// Actions of hostile connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) connections: u64,
    pub(crate) frames: u64,
    pub(crate) bytes: u64,
    /// Calls that the server ended, if frames belong to calls.
    pub(crate) calls_ended: u64,
    /// Connections that the server closed, by the code of its GOAWAY.
    pub(crate) closes: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// The counts since `before`.
    pub(crate) fn since(self, before: &Self) -> Self {
        self.with(before, |now, then| now - then)
    }

    /// The sum of both.
    pub(crate) fn and(self, other: &Self) -> Self {
        self.with(other, |one, other| one + other)
    }

    fn with(mut self, other: &Self, of: fn(u64, u64) -> u64) -> Self {
        for (code, count) in &other.closes {
            let own = self.closes.entry(code).or_default();
            *own = of(*own, *count);
        }
        self.closes.retain(|_, count| *count > 0);
        Self {
            connections: of(self.connections, other.connections),
            frames: of(self.frames, other.frames),
            bytes: of(self.bytes, other.bytes),
            calls_ended: of(self.calls_ended, other.calls_ended),
            closes: self.closes,
        }
    }

    /// The counts of so many seconds.
    pub(crate) fn row(&self, seconds: f64) -> Row {
        Row::of(json!({
            "frames_per_s": self.frames as f64 / seconds,
            "hostile_mb_per_s": self.bytes as f64 / 1e6 / seconds,
            "connections_made": self.connections,
            "calls_ended": self.calls_ended,
            "closes": self.closes,
        }))
    }

    /// Connections that the server closed, for people.
    pub(crate) fn closes_text(&self) -> String {
        let closes = self.closes.iter();
        let texts: Vec<_> = closes
            .map(|(code, count)| format!("{count} {code}"))
            .collect();
        if texts.is_empty() {
            "-".to_owned()
        } else {
            texts.join(", ")
        }
    }
}

/// One hostile connection.
pub(super) struct Hostile<'a> {
    counts: &'a Mutex<Counts>,
    socket: TcpStream,
    received: Received,
    batch: Batch,
    /// Bytes being written, and the number already written.
    out: Vec<u8>,
    gone: usize,
    /// Frames of the batch in `out`.
    out_frames: u64,
    /// Bytes before the next batch: the preface, acknowledgements, the start of a call.
    first: Vec<u8>,
    window: i64,
    window_of_new: i64,
    next_call: u32,
    /// The call of the frames, and its window.
    call: Option<(u32, i64)>,
    /// True once the server's settings have arrived.
    is_told: bool,
    pub(super) goaway: Option<u32>,
}

impl<'a> Hostile<'a> {
    pub(super) fn new(counts: &'a Mutex<Counts>, socket: TcpStream, batch: Batch) -> Self {
        Self {
            counts,
            socket,
            received: Received::new(),
            first: batch.opening.clone(),
            batch,
            out: Vec::new(),
            gone: 0,
            out_frames: 0,
            window: WINDOW_BYTES_DEFAULT.into(),
            window_of_new: WINDOW_BYTES_DEFAULT.into(),
            next_call: 1,
            call: None,
            is_told: false,
            goaway: None,
        }
    }

    pub(super) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Whether bytes wait because the socket is full.
    pub(super) fn is_held_by_socket(&self) -> bool {
        self.gone < self.out.len()
    }

    /// Whether the client leaves now.
    pub(super) fn leaves(&self) -> bool {
        self.batch.leaves && self.first.is_empty() && !self.is_held_by_socket()
    }

    /// Reads once and writes once. Returns false if neither was possible.
    ///
    /// # Errors
    /// The server ended the connection.
    pub(super) fn step(&mut self) -> io::Result<bool> {
        // Read first, because a server that cannot send its answers may stop reading.
        let has_read = self.read()?;
        if !self.is_held_by_socket() {
            self.fill_out()?;
        }
        match (&self.socket).write(&self.out[self.gone..]) {
            Ok(written) => {
                self.gone += written;
                if written > 0 && !self.is_held_by_socket() {
                    let mut counts = lock(self.counts);
                    counts.bytes += self.out.len() as u64;
                    counts.frames += self.out_frames;
                }
                Ok(has_read || written > 0)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(has_read),
            Err(error) => {
                // The server's last frames may still be readable.
                while self.goaway.is_none() && self.read().is_ok_and(|read| read) {}
                Err(error)
            }
        }
    }

    fn fill_out(&mut self) -> io::Result<()> {
        (self.gone, self.out_frames) = (0, 0);
        self.out.clear();
        let is_ready = self.is_told && self.batch.times > 0 && self.prepare();
        if self.next_call > STREAM_MAX - CALLS_SPARE {
            return Err(io::Error::other("no stream numbers are left"));
        }
        self.out.append(&mut self.first);
        if is_ready {
            self.out.extend_from_slice(&self.batch.bytes);
            self.out_frames = self.batch.frames;
            self.batch.times -= 1;
        }
        Ok(())
    }

    /// Prepares the batch. Returns false if the windows do not allow it now.
    fn prepare(&mut self) -> bool {
        let needed = self.batch.window_bytes;
        match &self.batch.calls {
            Calls::None => return true,
            Calls::New { .. } => {}
            Calls::Open { opener } => {
                if self.call.is_none() {
                    let at = self.first.len();
                    self.first.extend_from_slice(opener);
                    set_stream(&mut self.first, at, self.next_call);
                    self.call = Some((self.next_call, self.window_of_new));
                    self.number(usize::MAX);
                    self.next_call += 2;
                }
            }
        }
        let call_window = self.call.map_or(i64::MAX, |(_, window)| window);
        if needed > self.window.min(call_window) {
            return false;
        }
        self.window -= needed;
        if let Some((_, window)) = &mut self.call {
            *window -= needed;
        }
        if let Calls::New { per_call } = self.batch.calls {
            self.number(per_call);
        }
        true
    }

    /// Writes the numbers of calls into the batch, the next one after `per_call` frames.
    fn number(&mut self, per_call: usize) {
        let starts: Vec<_> = frames_in(&self.batch.bytes).collect();
        for (index, at) in starts.into_iter().enumerate() {
            set_stream(&mut self.batch.bytes, at, self.next_call);
            if index % per_call == per_call - 1 {
                self.next_call += 2;
            }
        }
    }

    /// Reads once, if bytes have arrived.
    fn read(&mut self) -> io::Result<bool> {
        match self.received.read(&mut &self.socket) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        let mut received = std::mem::take(&mut self.received);
        let outcome = loop {
            match received.next_frame() {
                Ok(Some((head, payload))) => self.take(head, payload),
                Ok(None) => break Ok(true),
                Err(error) => break Err(error),
            }
        };
        self.received = received;
        outcome
    }

    fn take(&mut self, head: Head, payload: &[u8]) {
        let is_of_call = self.call.is_some_and(|(call, _)| call == head.stream);
        match head.kind {
            kind::WINDOW_UPDATE => {
                let bytes = i64::from(number_at(payload, 0).unwrap_or(0));
                if head.stream == 0 {
                    self.window += bytes;
                } else if let Some((_, window)) = self.call.as_mut().filter(|_| is_of_call) {
                    *window += bytes;
                }
            }
            kind::SETTINGS if !head.has(flag::ACK) => {
                self.is_told = true;
                for (name, value) in settings_of(payload) {
                    if name == setting::INITIAL_WINDOW_SIZE {
                        let change = i64::from(value) - self.window_of_new;
                        self.window_of_new += change;
                        self.call
                            .iter_mut()
                            .for_each(|(_, window)| *window += change);
                    }
                }
                self.reply(&frame(kind::SETTINGS, flag::ACK, 0, &[]));
            }
            kind::PING if !head.has(flag::ACK) => {
                self.reply(&frame(kind::PING, flag::ACK, 0, payload));
            }
            kind::GOAWAY => self.goaway = number_at(payload, 4),
            kind::RST_STREAM if is_of_call => self.end_call(),
            kind::DATA | kind::HEADERS if is_of_call && head.has(flag::END_STREAM) => {
                self.end_call();
            }
            _ => {}
        }
    }

    /// A silent connection sends no reply, because it may have stopped inside a frame.
    fn reply(&mut self, frame: &[u8]) {
        if !self.batch.bytes.is_empty() {
            self.first.extend_from_slice(frame);
        }
    }

    fn end_call(&mut self) {
        self.call = None;
        lock(self.counts).calls_ended += 1;
    }
}
