//! One HTTP/2 connection: its streams, its windows and its answers.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use hashlane_http2_frames::{
    Head, PAYLOAD_BYTES_DEFAULT, Received, STREAM_MAX, WINDOW_BYTES_DEFAULT, WINDOW_BYTES_MAX,
    call_headers, data_of, error, flag, kind, number_at, opening, setting, settings_of,
};
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use rustix::net::sockopt::set_tcp_congestion;

use super::outbox::{Outbox, Sent};
use crate::driver::state::Shared;
use crate::driver::tally::{Tally, Times};
use crate::load::payload::PreparedPart;
use crate::protocol::grpc::{DIGEST_PATH, PREFIX_BYTES};
use crate::protocol::tls::Line;

/// The longest answer; answers of Digest have some hundred bytes.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// Return the window after this many received bytes of data.
const GIVE_BACK_BYTES: u32 = WINDOW_BYTES_MAX / 2;

/// A connection and its streams.
#[derive(Debug)]
pub(super) struct Connection {
    shared: Arc<Shared>,
    thread: usize,
    line: Line,
    received: Received,
    outbox: Outbox,
    /// The last write to the socket was incomplete.
    is_held_by_socket: bool,
    headers: Bytes,
    /// Send windows: of the connection, and of a new stream.
    window: i64,
    window_of_new: i64,
    frame_bytes_max: usize,
    streams: Vec<Stream>,
    /// The stream of each call.
    calls: HashMap<u32, usize>,
    next_call: u32,
    /// The stream whose turn is next.
    turn: usize,
    /// Bytes of answers not yet returned to the connection's window.
    taken: u32,
}

/// Calls, one after the other.
#[derive(Debug)]
struct Stream {
    rng: SmallRng,
    /// The part that spreads the starts of streams.
    opener: Option<Arc<PreparedPart>>,
    has_sent: bool,
    call: Option<Call>,
}

/// A call and its parts: one, or several in turn.
#[derive(Debug)]
struct Call {
    id: u32,
    part: Arc<PreparedPart>,
    is_opener: bool,
    started: Instant,
    /// Parts that may follow on the call. The client ends the call with the last one.
    parts_left: u32,
    window: i64,
    /// The next message, and the rest of the previous message.
    next: usize,
    rest: Bytes,
    answer: Vec<u8>,
    is_answered: bool,
}

impl Call {
    /// Whether the part has unsent bytes.
    fn has_more(&self) -> bool {
        !self.rest.is_empty() || self.next < self.part.messages()
    }

    /// Whether the next part may start.
    fn wants_part(&self) -> bool {
        self.parts_left > 0 && self.is_answered && !self.has_more()
    }

    /// Whether the client has more to send on the call.
    fn is_half_open(&self) -> bool {
        self.has_more() || self.parts_left > 0
    }
}

impl Connection {
    /// Connects; `streams` are the indices of its streams.
    ///
    /// # Errors
    /// There is no server, or its address is not a TCP address.
    pub(super) fn open(
        shared: &Arc<Shared>,
        thread: usize,
        streams: impl Iterator<Item = usize>,
    ) -> Result<Self> {
        let server = shared.plan.target.server(thread);
        let tls = shared.plan.target.tls.as_ref();
        let scheme = if tls.is_some() { "https://" } else { "http://" };
        let authority = server.strip_prefix(scheme);
        let authority = authority.context("the prepared client wants http://HOST:PORT")?;
        let socket = TcpStream::connect(authority);
        let socket = socket.with_context(|| format!("cannot connect to {server}"))?;
        socket.set_nodelay(true)?;
        if let Some(name) = &shared.plan.load.tcp_congestion {
            set_tcp_congestion(&socket, name)
                .with_context(|| format!("this system has no `{name}` for --tcp-congestion"))?;
        }
        let host = authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host);
        let mut line = Line::new(socket, host, tls)?;
        line.write_all(&opening())?;
        line.socket().set_nonblocking(true)?;
        let (window, frame_bytes_max) = match shared.plan.receiver_frame_bytes {
            None => (WINDOW_BYTES_DEFAULT.into(), PAYLOAD_BYTES_DEFAULT),
            Some(bytes_max) => (i64::MAX, bytes_max),
        };
        let (load, payload) = (&shared.plan.load, &shared.plan.payload);
        let stream = |index: usize| Stream {
            rng: SmallRng::seed_from_u64(load.seed.wrapping_add(index as u64 + 1)),
            opener: payload.opener(index).cloned(),
            has_sent: false,
            call: None,
        };
        Ok(Self {
            line,
            received: Received::new(),
            outbox: Outbox::default(),
            is_held_by_socket: false,
            headers: call_headers(authority, DIGEST_PATH, &[]).into(),
            window,
            window_of_new: window,
            frame_bytes_max,
            streams: streams.map(stream).collect(),
            calls: HashMap::new(),
            next_call: 1,
            turn: 0,
            taken: 0,
            shared: Arc::clone(shared),
            thread,
        })
    }

    pub(super) fn socket(&self) -> &TcpStream {
        self.line.socket()
    }

    /// Whether frames wait because the socket is full.
    pub(super) fn is_held_by_socket(&self) -> bool {
        self.is_held_by_socket
    }

    /// Whether no call is open and no frame waits.
    pub(super) fn is_idle(&self) -> bool {
        self.outbox.is_empty() && self.open_calls().next().is_none()
    }

    /// Number of parts without an answer.
    pub(super) fn open_parts(&self) -> u64 {
        self.open_calls().filter(|call| !call.is_answered).count() as u64
    }

    fn open_calls(&self) -> impl Iterator<Item = &Call> {
        self.streams
            .iter()
            .filter_map(|stream| stream.call.as_ref())
    }

    /// Sends as much as windows and socket allow.
    pub(super) fn send(&mut self, tally: &mut Tally) -> Result<()> {
        self.line.flush().context("cannot send")?;
        loop {
            self.fill(tally)?;
            let (shared, thread, streams) = (&self.shared, self.thread, &mut self.streams);
            let gone = |sent: Sent| {
                let has_sent = std::mem::replace(&mut streams[sent.stream].has_sent, true);
                shared.sent(thread, sent.bytes, !has_sent);
            };
            let outcome = self.outbox.write(&mut self.line, gone);
            if !outcome.context("cannot send")? {
                self.is_held_by_socket = !self.outbox.is_empty() || self.line.holds_unsent();
                return Ok(());
            }
        }
    }

    /// Puts messages into the outbox, one from each stream in turn.
    fn fill(&mut self, tally: &mut Tally) -> Result<()> {
        let mut without = 0;
        while !self.outbox.is_full() && self.window > 0 && without < self.streams.len() {
            let index = self.turn;
            self.turn = (index + 1) % self.streams.len();
            match &self.streams[index].call {
                None if self.shared.take_ticket() => self.begin(index, tally)?,
                Some(call) if call.wants_part() => self.next_part(index, tally),
                _ => {}
            }
            without += 1;
            if self.put_message(index) {
                without = 0;
            }
            if self.shared.plan.receiver_frame_bytes.is_some() {
                self.end_unheard(index, tally);
            }
        }
        Ok(())
    }

    fn begin(&mut self, index: usize, tally: &mut Tally) -> Result<()> {
        let id = self.next_call;
        ensure!(
            id <= STREAM_MAX,
            "the connection has no stream numbers left"
        );
        self.next_call += 2;
        let stream = &mut self.streams[index];
        let opener = stream.opener.take();
        let is_opener = opener.is_some();
        let payload = &self.shared.plan.payload;
        let part = opener.unwrap_or_else(|| Arc::clone(payload.pick(&mut stream.rng)));
        stream.call = Some(Call {
            id,
            part,
            is_opener,
            started: Instant::now(),
            parts_left: match self.shared.plan.receiver_frame_bytes {
                None => self.shared.plan.load.parts_per_stream - 1,
                // A receiver does not know where a part ends.
                Some(_) => 0,
            },
            window: self.window_of_new,
            next: 0,
            rest: Bytes::new(),
            answer: Vec::new(),
            is_answered: false,
        });
        self.calls.insert(id, index);
        tally.in_flight += 1;
        let headers = self.headers.clone();
        self.outbox
            .push(kind::HEADERS, flag::END_HEADERS, id, headers);
        Ok(())
    }

    /// Starts the next part on the call, or ends the call after the last one.
    fn next_part(&mut self, index: usize, tally: &mut Tally) {
        let stream = &mut self.streams[index];
        let Some(call) = &mut stream.call else {
            return;
        };
        if !self.shared.take_ticket() {
            call.parts_left = 0;
            let id = call.id;
            self.outbox
                .push(kind::DATA, flag::END_STREAM, id, Bytes::new());
            return;
        }
        call.parts_left -= 1;
        call.part = Arc::clone(self.shared.plan.payload.pick(&mut stream.rng));
        call.is_opener = false;
        call.started = Instant::now();
        call.next = 0;
        call.is_answered = false;
        tally.in_flight += 1;
    }

    /// Puts one message of a stream into the outbox, or as much of it as the windows allow. Returns
    /// false if that is nothing.
    fn put_message(&mut self, index: usize) -> bool {
        let Some(call) = &mut self.streams[index].call else {
            return false;
        };
        if !call.has_more() || call.window <= 0 {
            return false;
        }
        if call.rest.is_empty() {
            call.rest = call.part.message(call.next);
            call.next += 1;
        }
        while !call.rest.is_empty() {
            let allowed = usize::try_from(self.window.min(call.window)).unwrap_or(0);
            let bytes = call.rest.len().min(self.frame_bytes_max).min(allowed);
            if bytes == 0 {
                break;
            }
            let payload = call.rest.split_to(bytes);
            self.window -= bytes as i64;
            call.window -= bytes as i64;
            let sent = call.rest.is_empty().then(|| Sent {
                stream: index,
                bytes: call.part.message_bytes(call.next - 1),
            });
            let flags = flag::END_STREAM * u8::from(!call.is_half_open());
            self.outbox
                .push_message(kind::DATA, flags, call.id, payload, sent);
        }
        true
    }

    /// Ends a call that gets no answer.
    fn end_unheard(&mut self, index: usize, tally: &mut Tally) {
        let call = &mut self.streams[index].call;
        if let Some(ended) = call.take_if(|call| !call.has_more()) {
            self.calls.remove(&ended.id);
            tally.answered(&ended.part, false, None);
        }
    }

    /// Reads and handles received frames.
    pub(super) fn receive(&mut self, tally: &mut Tally) -> Result<()> {
        loop {
            match self.received.read(&mut self.line) {
                Ok(0) => bail!("the server closed the connection"),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error).context("cannot receive"),
            }
            let mut received = std::mem::take(&mut self.received);
            let outcome = self.take_frames(&mut received, tally);
            self.received = received;
            outcome?;
            // Bytes left in the socket are reported again.
            if !self.line.holds_received() {
                return Ok(());
            }
        }
    }

    fn take_frames(&mut self, received: &mut Received, tally: &mut Tally) -> Result<()> {
        while let Some((head, payload)) = received.next_frame()? {
            self.take_frame(head, payload, tally)?;
        }
        Ok(())
    }

    fn take_frame(&mut self, head: Head, payload: &[u8], tally: &mut Tally) -> Result<()> {
        match head.kind {
            kind::WINDOW_UPDATE => {
                let bytes = number_at(payload, 0).context("a WINDOW_UPDATE without a number")?;
                if head.stream == 0 {
                    self.window += i64::from(bytes);
                } else if let Some(call) = self.call(head.stream) {
                    call.window += i64::from(bytes);
                }
            }
            kind::DATA => self.take_answer(head, payload, tally)?,
            kind::SETTINGS if !head.has(flag::ACK) => self.take_settings(payload),
            kind::PING if !head.has(flag::ACK) => {
                let payload = Bytes::copy_from_slice(payload);
                self.outbox.push(kind::PING, flag::ACK, 0, payload);
            }
            kind::RST_STREAM => {
                let code = number_at(payload, 0).unwrap_or(0);
                let text = format!("the server reset the call: {}", error::name(code));
                self.end(head.stream, false, &text, tally);
            }
            kind::GOAWAY => {
                let code = number_at(payload, 4).unwrap_or(0);
                bail!("the server ends the connection: {}", error::name(code));
            }
            _ => {}
        }
        if matches!(head.kind, kind::DATA | kind::HEADERS) && head.has(flag::END_STREAM) {
            self.end(
                head.stream,
                true,
                "the server ended the call without an answer",
                tally,
            );
        }
        Ok(())
    }

    fn take_settings(&mut self, payload: &[u8]) {
        for (name, value) in settings_of(payload) {
            match name {
                setting::INITIAL_WINDOW_SIZE => {
                    let change = i64::from(value) - self.window_of_new;
                    self.window_of_new += change;
                    let calls = self
                        .streams
                        .iter_mut()
                        .filter_map(|stream| stream.call.as_mut());
                    calls.for_each(|call| call.window += change);
                }
                setting::MAX_FRAME_SIZE => self.frame_bytes_max = value as usize,
                _ => {}
            }
        }
        self.outbox.push(kind::SETTINGS, flag::ACK, 0, Bytes::new());
    }

    /// Handles bytes of an answer.
    fn take_answer(&mut self, head: Head, payload: &[u8], tally: &mut Tally) -> Result<()> {
        self.taken += u32::try_from(head.bytes)?;
        if self.taken >= GIVE_BACK_BYTES {
            let given_back = std::mem::take(&mut self.taken);
            let payload = Bytes::copy_from_slice(&given_back.to_be_bytes());
            self.outbox.push(kind::WINDOW_UPDATE, 0, 0, payload);
        }
        let data = data_of(head, payload).context("padding longer than its frame")?;
        let Some(call) = self.call(head.stream) else {
            return Ok(());
        };
        ensure!(
            call.answer.len() + data.len() <= ANSWER_BYTES_MAX,
            "an answer of more than {ANSWER_BYTES_MAX} bytes"
        );
        call.answer.extend_from_slice(data);
        let Some((&prefix, rest)) = call.answer.split_first_chunk::<PREFIX_BYTES>() else {
            return Ok(());
        };
        let [compressed, len @ ..] = prefix;
        let Some(message) = rest.get(..u32::from_be_bytes(len) as usize) else {
            return Ok(());
        };
        ensure!(compressed == 0, "a compressed answer");
        ensure!(
            !call.is_answered && message.len() == rest.len(),
            "the server sent more answers than there were parts"
        );
        let answer = DigestResponse::decode(message).context("an answer that is no message")?;
        call.is_answered = true;
        call.answer.clear();
        let times = (!call.is_opener).then(|| {
            let response = call.started.elapsed();
            // The first message goes out at once, unless the windows are closed.
            Times {
                response,
                service: response,
            }
        });
        let part = Arc::clone(&call.part);
        let outcome = self.shared.settle(tally, &answer, &part, None, times);
        if let Err(refused) = outcome {
            tally.in_flight -= 1;
            self.shared.fail(tally, refused);
        }
        Ok(())
    }

    fn call(&mut self, id: u32) -> Option<&mut Call> {
        let index = *self.calls.get(&id)?;
        self.streams[index].call.as_mut()
    }

    /// Handles the server's end of a call, which may be half open. It is an error without an
    /// answer.
    fn end(&mut self, id: u32, is_half_open: bool, text: &str, tally: &mut Tally) {
        let Some(index) = self.calls.remove(&id) else {
            return;
        };
        let Some(call) = self.streams[index].call.take() else {
            return;
        };
        if is_half_open && call.is_half_open() {
            // Frames that wait already may still go: the server knows that they race.
            let payload = Bytes::copy_from_slice(&error::CANCEL.to_be_bytes());
            self.outbox.push(kind::RST_STREAM, 0, id, payload);
        }
        if !call.is_answered {
            tally.in_flight -= 1;
        }
        if !call.is_answered || call.parts_left > 0 {
            self.shared.fail(tally, text.to_owned());
        }
    }

    /// Checks that all calls are within their time limit.
    ///
    /// # Errors
    /// A call is overdue.
    pub(super) fn check_time(&self) -> Result<()> {
        let limit = self.shared.plan.load.part_timeout;
        let oldest = self.open_calls().map(|call| call.started).min();
        if oldest.is_some_and(|started| started.elapsed() > limit) {
            bail!("no answer within {}", humantime::format_duration(limit));
        }
        Ok(())
    }
}
