//! Frames in received bytes, however they are split.
//!
//! ```text
//! Preface ──> Head ──> Payload ──> the frame ──> Head
//!              ├─────> Data ──> a piece of a body ... ──> Head
//!              └─────> Skip ──> Head
//! ```
//!
//! DATA is handed on as it arrives. Every other payload is handled whole: a split one is buffered
//! until it is complete, and a header block until its last frame. A block has a bound of its own:
//! it must be decoded whole even if its request is refused, since later blocks build on it.

use bytes::{Buf as _, Bytes};
use http::{HeaderMap, StatusCode};

use crate::connection::{Connection, Event, Step, widen};
use crate::cursor::{Block, Data, Reading};
use crate::frame::{Code, Head, PREFACE, WINDOW_BYTES_MAX, flag, kind, setting};
use crate::request::{BadHead, Fields, content_length};
use crate::{FrameKind, SMALL_BYTES};

/// Bound of a header block and of its decoded fields, as a multiple of
/// SETTINGS_MAX_HEADER_LIST_SIZE.
const BLOCK_LISTS_MAX: usize = 4;

/// The largest SETTINGS: 256 entries. HTTP/2 knows six.
const SETTINGS_BYTES_MAX: usize = 6 * 256;

/// Bytes of GOAWAY before its debug data, which are skipped.
const GOAWAY_BYTES: usize = 8;

impl<T: Clone> Connection<T> {
    /// Reads up to one frame of `input`, and removes what it has read.
    ///
    /// # Errors
    /// The peer broke the protocol. The output ends with GOAWAY, and the connection is of no more
    /// use.
    pub fn step(&mut self, input: &mut Bytes) -> Result<Step<T>, Code> {
        let step = self.read(input);
        if let Err(code) = &step {
            self.fail(*code);
        }
        step
    }

    fn read(&mut self, input: &mut Bytes) -> Result<Step<T>, Code> {
        match &mut self.receiving.reading {
            Reading::Preface(read) => {
                let wanted = &PREFACE[*read..];
                let found = input.len().min(wanted.len());
                if input[..found] != wanted[..found] {
                    return Err(Code::PROTOCOL_ERROR);
                }
                input.advance(found);
                *read += found;
                if *read < PREFACE.len() {
                    return Ok(Step::NeedMore);
                }
                self.receiving.reading = Reading::Head;
                Ok(Step::Frame)
            }
            Reading::Head => match self.receiving.take_head(input) {
                Some(head) => {
                    let (reading, event) = self.begin(head)?;
                    self.receiving.reading = reading;
                    match event {
                        Some(event) => Ok(Step::Event(event)),
                        // The payload, if some of it has arrived.
                        None => self.read(input),
                    }
                }
                None => Ok(Step::NeedMore),
            },
            Reading::Payload(head) => {
                let head = *head;
                let bytes = match head.kind {
                    kind::GOAWAY => GOAWAY_BYTES,
                    _ => head.bytes,
                };
                let Some(payload) = self.receiving.take(bytes, input) else {
                    return Ok(Step::NeedMore);
                };
                self.receiving.reading = match head.bytes - bytes {
                    0 => Reading::Head,
                    left => Reading::Skip(left),
                };
                Ok(self.frame(head, &payload)?.map_or(Step::Frame, Step::Event))
            }
            Reading::Data(data) => {
                let data = *data;
                self.data(data, input)
            }
            Reading::Skip(left) => {
                let skipped = input.len().min(*left);
                input.advance(skipped);
                *left -= skipped;
                if *left > 0 {
                    return Ok(Step::NeedMore);
                }
                self.receiving.reading = Reading::Head;
                Ok(Step::Frame)
            }
        }
    }

    /// A frame begins: counts it, checks what its head says, and decides how its payload is read.
    fn begin(&mut self, head: Head) -> Result<(Reading, Option<Event<T>>), Code> {
        self.count(head);
        if head.bytes > self.config.frame_bytes_max as usize {
            return Err(Code::FRAME_SIZE_ERROR);
        }
        if !self.receiving.has_settings && (head.kind != kind::SETTINGS || head.has(flag::ACK)) {
            return Err(Code::PROTOCOL_ERROR);
        }
        // Nothing may come between the frames of a block (RFC 9113 section 6.10).
        let continues = self.receiving.block.as_ref().map(|block| block.stream);
        let is_next = head.kind == kind::CONTINUATION && continues == Some(head.stream);
        if is_next != (continues.is_some() || head.kind == kind::CONTINUATION) {
            return Err(Code::PROTOCOL_ERROR);
        }
        let wants = |is_right: bool, code| if is_right { Ok(()) } else { Err(code) };
        let of_connection = || wants(head.stream == 0, Code::PROTOCOL_ERROR);
        let of_stream = || wants(head.stream != 0, Code::PROTOCOL_ERROR);
        let has_bytes = |bytes| wants(head.bytes == bytes, Code::FRAME_SIZE_ERROR);
        match head.kind {
            kind::DATA => {
                of_stream()?;
                return self.begin_data(head);
            }
            kind::HEADERS | kind::CONTINUATION => {
                of_stream()?;
                let so_far = self.receiving.block.as_ref().map_or(0, |b| b.bytes.len());
                let bytes_max = BLOCK_LISTS_MAX * self.config.header_list_bytes_max as usize;
                wants(so_far + head.bytes <= bytes_max, Code::ENHANCE_YOUR_CALM)?;
            }
            kind::PRIORITY => {
                of_stream()?;
                if has_bytes(5).is_err() {
                    let event = self.fail_stream(head.stream, Code::FRAME_SIZE_ERROR);
                    return Ok((Reading::Skip(head.bytes), event));
                }
            }
            kind::RST_STREAM => {
                of_stream()?;
                has_bytes(4)?;
            }
            kind::SETTINGS => {
                of_connection()?;
                if head.has(flag::ACK) {
                    has_bytes(0)?;
                }
                let is_whole = head.bytes.is_multiple_of(6) && head.bytes <= SETTINGS_BYTES_MAX;
                wants(is_whole, Code::FRAME_SIZE_ERROR)?;
                self.receiving.has_settings = true;
            }
            // A client pushes nothing (section 8.4).
            kind::PUSH_PROMISE => return Err(Code::PROTOCOL_ERROR),
            kind::PING => {
                of_connection()?;
                has_bytes(8)?;
            }
            kind::GOAWAY => {
                of_connection()?;
                wants(head.bytes >= GOAWAY_BYTES, Code::FRAME_SIZE_ERROR)?;
            }
            kind::WINDOW_UPDATE => has_bytes(4)?,
            // Unknown kinds are ignored (section 4.1).
            _ => return Ok((Reading::Skip(head.bytes), None)),
        }
        Ok((Reading::Payload(head), None))
    }

    fn count(&mut self, head: Head) {
        let seen = &mut self.seen;
        let kind = match head.kind {
            kind::DATA if head.has(flag::PADDED) => return,
            kind::DATA => return self.count_data(head.bytes, head.has(flag::END_STREAM)),
            kind::HEADERS => FrameKind::Headers,
            kind::PRIORITY => FrameKind::Priority,
            kind::RST_STREAM => FrameKind::Reset,
            kind::SETTINGS => FrameKind::Settings,
            kind::PING => FrameKind::Ping,
            kind::WINDOW_UPDATE => FrameKind::WindowUpdate,
            kind::CONTINUATION => FrameKind::Continuation,
            _ => FrameKind::Other,
        };
        seen.frames[kind as usize] += 1;
        match kind {
            FrameKind::Settings => seen.settings_bytes += head.bytes,
            FrameKind::Headers | FrameKind::Continuation => seen.headers_bytes += head.bytes,
            _ => {}
        }
    }

    /// Counts a DATA frame by its bytes without padding.
    fn count_data(&mut self, bytes: usize, ends: bool) {
        let seen = &mut self.seen;
        if bytes == 0 && !ends {
            seen.frames[FrameKind::EmptyData as usize] += 1;
            return;
        }
        seen.frames[FrameKind::Data as usize] += 1;
        seen.small_data += u32::from(bytes < SMALL_BYTES);
        seen.data_bytes += bytes;
    }

    /// Whether the peer has not opened the stream.
    fn is_idle(&self, stream: u32) -> bool {
        let is_new = stream > self.last_stream && !self.is_unserved(stream);
        is_new || stream.is_multiple_of(2)
    }

    /// Ends a stream because of the peer's error.
    fn fail_stream(&mut self, stream: u32, code: Code) -> Option<Event<T>> {
        if self.is_idle(stream) {
            return None;
        }
        let removed = self.close(stream);
        self.refuse(stream, code);
        let user = removed?.user?;
        Some(Event::Reset { user, code })
    }

    fn begin_data(&mut self, head: Head) -> Result<(Reading, Option<Event<T>>), Code> {
        if self.is_idle(head.stream) {
            return Err(Code::PROTOCOL_ERROR);
        }
        // A frame has fewer than 2^24 bytes.
        let window_bytes = u32::try_from(head.bytes).map_err(|_| Code::FRAME_SIZE_ERROR)?;
        let left = self.receive_window.checked_sub(window_bytes);
        self.receive_window = left.ok_or(Code::FLOW_CONTROL_ERROR)?;
        let refused = match self.streams.get_mut(&head.stream) {
            None => Some(Code::STREAM_CLOSED).filter(|_| !self.is_forgiven(head.stream)),
            Some(stream) if stream.is_remote_ended => Some(Code::STREAM_CLOSED),
            Some(stream) => match stream.receive_window.checked_sub(window_bytes) {
                Some(left) => {
                    stream.receive_window = left;
                    None
                }
                None => Some(Code::FLOW_CONTROL_ERROR),
            },
        };
        let event = refused.and_then(|code| self.fail_stream(head.stream, code));
        let data = Data {
            stream: head.stream,
            has_padding: head.has(flag::PADDED),
            bytes_left: head.bytes,
            padding_bytes: 0,
            ends: head.has(flag::END_STREAM),
            window_bytes,
        };
        if data.has_padding && head.bytes == 0 {
            return Err(Code::FRAME_SIZE_ERROR);
        }
        let event = match event {
            None if !data.has_padding => self.check_length(data),
            event => event,
        };
        Ok((Reading::Data(data), event))
    }

    /// Resets the stream if the body is not as long as its request announced.
    fn check_length(&mut self, data: Data) -> Option<Event<T>> {
        let stream = self.streams.get_mut(&data.stream)?;
        let code = stream.expect(data.bytes_left, data.ends).err()?;
        self.fail_stream(data.stream, code)
    }

    /// Hands on what has arrived of a DATA frame.
    fn data(&mut self, mut data: Data, input: &mut Bytes) -> Result<Step<T>, Code> {
        if data.has_padding {
            if input.is_empty() {
                return Ok(Step::NeedMore);
            }
            data.has_padding = false;
            data.padding_bytes = input.get_u8().into();
            let bytes_left = (data.bytes_left - 1).checked_sub(data.padding_bytes);
            data.bytes_left = bytes_left.ok_or(Code::PROTOCOL_ERROR)?;
            self.count_data(data.bytes_left, data.ends);
            if let Some(event) = self.check_length(data) {
                self.receiving.reading = Reading::Data(data);
                return Ok(Step::Event(event));
            }
        }
        let bytes = input.split_to(input.len().min(data.bytes_left));
        data.bytes_left -= bytes.len();
        let is_last = data.bytes_left == 0;
        if bytes.is_empty() && !is_last {
            self.receiving.reading = Reading::Data(data);
            return Ok(Step::NeedMore);
        }
        // The last piece has the padding's share.
        let share = if is_last { usize::MAX } else { bytes.len() };
        let window_bytes =
            u32::try_from(share).map_or(data.window_bytes, |b| b.min(data.window_bytes));
        data.window_bytes -= window_bytes;
        self.receiving.reading = match (is_last, data.padding_bytes) {
            (false, _) => Reading::Data(data),
            (true, 0) => Reading::Head,
            (true, padding_bytes) => Reading::Skip(padding_bytes),
        };
        let event = self.piece(data.stream, bytes, window_bytes, is_last && data.ends);
        Ok(event.map_or(Step::Frame, Step::Event))
    }

    /// A piece of a stream's body.
    fn piece(&mut self, id: u32, bytes: Bytes, window_bytes: u32, ends: bool) -> Option<Event<T>> {
        let Some(stream) = self.streams.get_mut(&id) else {
            // It was refused, or has gone since the frame began.
            self.unclaimed_bytes += window_bytes;
            return None;
        };
        stream.is_remote_ended |= ends;
        let user = stream.user.clone();
        if stream.is_closed() {
            self.close(id);
        }
        match user? {
            user if window_bytes > 0 => Some(Event::Data {
                user,
                bytes,
                window_bytes,
                ends,
            }),
            user => ends.then_some(Event::End { user }),
        }
    }

    /// A whole frame of another kind than DATA.
    fn frame(&mut self, head: Head, payload: &[u8]) -> Result<Option<Event<T>>, Code> {
        match head.kind {
            kind::HEADERS => self.headers(head, payload),
            kind::CONTINUATION => match self.receiving.block.take() {
                Some(mut block) => {
                    block.bytes.extend_from_slice(payload);
                    self.gather(block, head)
                }
                None => Err(Code::PROTOCOL_ERROR),
            },
            kind::PRIORITY if number(payload) == head.stream => {
                // An idle stream cannot be reset.
                if self.is_idle(head.stream) {
                    return Err(Code::PROTOCOL_ERROR);
                }
                Ok(self.fail_stream(head.stream, Code::PROTOCOL_ERROR))
            }
            kind::RST_STREAM => {
                if self.is_idle(head.stream) {
                    return Err(Code::PROTOCOL_ERROR);
                }
                let removed = self.close(head.stream);
                let code = Code(word(payload));
                let user = removed.and_then(|stream| stream.user);
                Ok(user.map(|user| Event::Reset { user, code }))
            }
            kind::SETTINGS if !head.has(flag::ACK) => self.settings(payload).map(Some),
            kind::PING => {
                let payload = *payload.first_chunk().ok_or(Code::FRAME_SIZE_ERROR)?;
                if head.has(flag::ACK) {
                    return Ok(self.pong(payload).then_some(Event::Pong));
                }
                self.answer_ping(payload);
                Ok(None)
            }
            kind::GOAWAY => {
                self.peer_has_gone = true;
                let code = Code(word(&payload[4..]));
                Ok(Some(Event::Goaway { code }))
            }
            kind::WINDOW_UPDATE => self.window_update(head.stream, number(payload)),
            _ => Ok(None),
        }
    }

    fn settings(&mut self, payload: &[u8]) -> Result<Event<T>, Code> {
        let (entries, _) = payload.as_chunks::<6>();
        let mut window = None;
        for [n0, n1, value @ ..] in entries {
            let value = u32::from_be_bytes(*value);
            match u16::from_be_bytes([*n0, *n1]) {
                setting::ENABLE_PUSH if value > 1 => return Err(Code::PROTOCOL_ERROR),
                setting::INITIAL_WINDOW_SIZE if value > WINDOW_BYTES_MAX => {
                    return Err(Code::FLOW_CONTROL_ERROR);
                }
                setting::INITIAL_WINDOW_SIZE => window = Some(value),
                // No frame of this side is larger than the least that a peer may allow.
                setting::MAX_FRAME_SIZE if !(1 << 14..1 << 24).contains(&value) => {
                    return Err(Code::PROTOCOL_ERROR);
                }
                _ => {}
            }
        }
        // All streams are visited once, however many entries change their windows.
        if let Some(bytes) = window {
            self.set_peer_window(bytes)?;
        }
        self.acknowledge_settings();
        Ok(Event::WindowOpened { user: None })
    }

    fn window_update(&mut self, id: u32, more: u32) -> Result<Option<Event<T>>, Code> {
        if id == 0 {
            if more == 0 {
                return Err(Code::PROTOCOL_ERROR);
            }
            self.widen(more)?;
            return Ok(Some(Event::WindowOpened { user: None }));
        }
        if self.is_idle(id) {
            return Err(Code::PROTOCOL_ERROR);
        }
        let Some(stream) = self.streams.get_mut(&id) else {
            return Ok(None);
        };
        let widened = match more {
            0 => Err(Code::PROTOCOL_ERROR),
            more => widen(&mut stream.send_window, more.into()),
        };
        if let Err(code) = widened {
            return Ok(self.fail_stream(id, code));
        }
        let user = stream.user.clone();
        Ok(user.map(|user| Event::WindowOpened { user: Some(user) }))
    }

    fn headers(&mut self, head: Head, payload: &[u8]) -> Result<Option<Event<T>>, Code> {
        // Clients open odd streams (section 5.1.1).
        if head.stream.is_multiple_of(2) {
            return Err(Code::PROTOCOL_ERROR);
        }
        let mut rest = payload;
        if head.has(flag::PADDED) {
            let (padding_bytes, padded) = rest.split_first().ok_or(Code::FRAME_SIZE_ERROR)?;
            let bytes = padded.len().checked_sub((*padding_bytes).into());
            rest = &padded[..bytes.ok_or(Code::PROTOCOL_ERROR)?];
        }
        let mut depends_on_itself = false;
        if head.has(flag::PRIORITY) {
            let (priority, fields) = rest.split_at_checked(5).ok_or(Code::FRAME_SIZE_ERROR)?;
            depends_on_itself = number(priority) == head.stream;
            rest = fields;
        }
        let ends = head.has(flag::END_STREAM);
        if head.has(flag::END_HEADERS) {
            return self.block(head.stream, ends, depends_on_itself, rest);
        }
        let block = Block {
            stream: head.stream,
            ends,
            depends_on_itself,
            bytes: rest.to_vec(),
        };
        self.gather(block, head)
    }

    /// Decodes a block if it is complete, else keeps it.
    fn gather(&mut self, block: Block, head: Head) -> Result<Option<Event<T>>, Code> {
        if head.has(flag::END_HEADERS) {
            return self.block(
                block.stream,
                block.ends,
                block.depends_on_itself,
                &block.bytes,
            );
        }
        self.receiving.block = Some(block);
        Ok(None)
    }

    /// A whole header block: a request, or the trailers of one.
    fn block(
        &mut self,
        id: u32,
        ends: bool,
        depends_on_itself: bool,
        block: &[u8],
    ) -> Result<Option<Event<T>>, Code> {
        let bytes_max = self.config.header_list_bytes_max as usize;
        let mut fields = Fields::default();
        self.table.decode(block, |field| {
            fields.add(field, bytes_max);
            // To decode the rest would cost more than a new connection.
            if fields.bytes() > BLOCK_LISTS_MAX * bytes_max {
                return Err(Code::ENHANCE_YOUR_CALM);
            }
            Ok(())
        })?;
        if let Some(stream) = self.streams.get_mut(&id) {
            let ended = if stream.is_remote_ended {
                Err(Code::STREAM_CLOSED)
            } else if !ends || !fields.are_trailers() || depends_on_itself {
                Err(Code::PROTOCOL_ERROR)
            } else {
                stream.expect(0, true)
            };
            if let Err(code) = ended {
                return Ok(self.fail_stream(id, code));
            }
            stream.is_remote_ended = true;
            let user = stream.user.clone();
            if stream.is_closed() {
                self.close(id);
            }
            return Ok(user.map(|user| Event::End { user }));
        }
        if id <= self.last_stream {
            // It may have crossed a reset of this side.
            return if self.is_forgiven(id) {
                Ok(None)
            } else {
                Err(Code::STREAM_CLOSED)
            };
        }
        if self.is_unserved(id) {
            return Ok(None);
        }
        self.last_stream = id;
        if self.streams.len() >= self.config.streams_max as usize {
            self.refuse(id, Code::REFUSED_STREAM);
            return Ok(None);
        }
        let request = fields.into_request(bytes_max).and_then(|request| {
            let length = content_length(&request.headers)?;
            // A request without a body has length 0 (section 8.1.1).
            let is_whole = !ends || length.is_none_or(|length| length == 0);
            if is_whole && !depends_on_itself {
                Ok((request, length))
            } else {
                Err(BadHead::Malformed)
            }
        });
        match request {
            Ok((request, length)) => {
                self.open(id, length, ends);
                Ok(Some(Event::Request {
                    stream: id,
                    request,
                    ends,
                }))
            }
            Err(BadHead::Malformed) => {
                self.refuse(id, Code::PROTOCOL_ERROR);
                Ok(None)
            }
            Err(BadHead::TooLarge) => {
                let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
                self.send_block(id, Some(status), &HeaderMap::new(), true);
                if !ends {
                    self.refuse(id, Code::NO_ERROR);
                }
                Ok(None)
            }
        }
    }
}

/// The first four bytes of a payload that is long enough.
fn word(payload: &[u8]) -> u32 {
    payload
        .first_chunk()
        .map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// The same without the reserved bit: a stream, or an increment.
fn number(payload: &[u8]) -> u32 {
    word(payload) & (u32::MAX >> 1)
}
