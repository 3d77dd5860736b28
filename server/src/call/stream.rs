//! A Digest or Verify call: reads frames, feeds the session, writes answers.
//!
//! ```text
//! poll:  digests ready ──> answers ──> as far as the client's windows go
//!        frame ──> Decoder ──> Item ──> Session
//!        neither ──> timer
//! ```
//!
//! Frames are handled in pieces of about 25 us of work, with a look at the turn's time after each:
//! a frame of 128 KiB with every digest takes milliseconds, and so does the end of ten thousand
//! parts.
//!
//! If a client leaves [`ANSWERS_ENOUGH`] answers unread, the stream takes no more data, which keeps
//! its window (http2/body.rs). Flow control then stops the client.
//!
//! When its connection drains, open parts finish, new parts are answered with DRAINING, and then
//! the stream ends, even without a half-close.
//!
//! life.rs has the other causes that end a stream: deadline, silence, unread answers, drain.
//!
//! Why bounds are checked between messages: a frame of 128 KiB can hold 12,000 messages that each
//! end a part. So the rest of a frame waits in the decoder while too many digests or answers are
//! outstanding. A frame with as many parts as fit leaves less than 3 MiB
//! (server/tests/server/hostile/flood.rs).

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use tonic::Status;

use super::call::Call;
use super::life::Life;
use super::memory_ranges::SharedMemory;
use crate::decode::{Decoder, Item, MessageKind, MessageLimits};
use crate::hashing::Chunk;
use crate::http2::{Gone, Receive, Received, Respond, WindowPermit};
use crate::limits::Backlog;
use crate::limits::unread::Waiting;
use crate::part::{Answer, Session};
use crate::shared_memory::Lease;
use crate::status;

/// Options and expected digests of one message: enough for every algorithm, including future ones.
const HEAD_BYTES_MAX: usize = 4096;

/// Most bytes of answers in one frame.
const FRAME_BYTES_MAX: usize = 16 * 1024;

/// Unread answers at which a stream stops reading more. A window of 64 KiB holds a thousand more.
const ANSWERS_ENOUGH: usize = 4096;

/// The request, decoded frame by frame.
struct Request {
    decoder: Decoder,
    /// Window of the bytes in the decoder.
    window: Option<WindowPermit>,
}

/// Result of a read.
enum Read {
    Something,
    HalfClose,
    Gone,
    Refused(Status),
    /// The call must wait, and will be woken.
    Nothing,
}

impl Request {
    fn poll(
        &mut self,
        receive: &mut Receive,
        cx: &mut Context<'_>,
        session: &mut Session,
        memory: &mut SharedMemory,
        call: &Call,
    ) -> Read {
        if memory.has_rest() {
            let has_room = memory.poll_room(receive, cx).is_ready();
            if !has_room || receive.link().poll_low_backlog(cx).is_pending() {
                return Read::Nothing;
            }
            if let Err(refusal) = read_memory(memory, session, receive, call) {
                return Read::Refused(refusal);
            }
            if memory.has_rest() {
                return Read::Something;
            }
        } else if self.decoder.has_more() {
            // The rest of a frame, or of a message that was held back.
            if receive.link().poll_low_backlog(cx).is_pending() {
                return Read::Nothing;
            }
        } else {
            match receive.poll(cx) {
                Poll::Pending => return Read::Nothing,
                Poll::Ready(Received::Gone) => return Read::Gone,
                Poll::Ready(Received::End) => {
                    return match self.decoder.end() {
                        Ok(()) => Read::HalfClose,
                        Err(error) => Read::Refused(status::from_wire(&error)),
                    };
                }
                Poll::Ready(Received::Data(bytes, window)) => {
                    self.decoder.push(bytes);
                    self.window = Some(window);
                }
            }
        }
        match self.take_items(session, memory, &call.state().backlog) {
            Ok(()) => Read::Something,
            Err(refusal) => Read::Refused(refusal),
        }
    }

    /// Takes items from the decoder, up to one piece of work and while the session and the engine
    /// have room for more messages. Of data that was held back it takes one piece. Bytes that are
    /// not data return their window once the frame is used up.
    fn take_items(
        &mut self,
        session: &mut Session,
        memory: &mut SharedMemory,
        backlog: &Rc<Backlog>,
    ) -> Result<(), Status> {
        loop {
            let is_held = self.decoder.hands_out();
            let next = self.decoder.next().map_err(|e| status::from_wire(&e))?;
            let Some(item) = next else { break };
            match item {
                Item::Head(head) => {
                    memory.begin(head.memory)?;
                    session.begin_message(head)?;
                    self.decoder.set_piece_bytes_max(session.piece_bytes());
                    if memory.has_rest() {
                        break;
                    }
                }
                Item::Data(_) if memory.has_range() => {
                    return Err(status::memory_range("a message has data too"));
                }
                Item::Data(bytes) => {
                    // What was held is a copy. The window is that of the rest of the frame.
                    let window = self.window.as_mut().filter(|_| !is_held);
                    let window = window.map(|window| window.split(bytes.len()));
                    session.push(Chunk::new(bytes, (window, backlog.enter())))?;
                }
                Item::End => {
                    session.end_message();
                    if (session.is_full() || backlog.has_many_items()) && self.decoder.has_more() {
                        break;
                    }
                }
            }
            if self.decoder.hands_out() || session.ends_piece() && self.decoder.has_more() {
                break;
            }
        }
        if !self.decoder.has_frame() {
            self.window = None;
        }
        Ok(())
    }
}

/// Hands the engine the next piece of a range of shared memory.
fn read_memory(
    memory: &mut SharedMemory,
    session: &mut Session,
    receive: &Receive,
    call: &Call,
) -> Result<(), Status> {
    let state = call.state();
    let bytes_max = session.piece_bytes();
    let read = memory.read(bytes_max, &state.copies, receive, &state.counters);
    let Some((piece, copy)) = read else {
        return Ok(());
    };
    session.push(Chunk::new(piece, (copy, state.backlog.enter())))
}

/// A Digest or Verify call. Ready at its end.
pub(crate) struct Stream {
    session: Session,
    receive: Receive,
    /// `None` after the half-close or a refusal.
    request: Option<Request>,
    memory: SharedMemory,
    kind: MessageKind,
    respond: Respond,
    call: Rc<Call>,
    life: Life,
    /// The status that ends the stream, while its parts are freed and earlier answers are written.
    refused: Option<Status>,
    /// The client receives nothing more.
    is_gone: bool,
    /// Answers being written.
    unwritten: Bytes,
    /// Answers that the client has not read.
    waiting: Waiting,
}

impl Stream {
    /// Sends the headers at once, so that a client may wait for them before it sends.
    ///
    /// # Errors
    /// The stream is gone.
    pub(crate) fn begin(
        kind: MessageKind,
        receive: Receive,
        mut respond: Respond,
        call: Call,
        memory: Option<Lease>,
    ) -> Result<Self, Gone> {
        respond.grpc_headers()?;
        let limits = MessageLimits {
            message_bytes_max: call.state().process.settings.message_bytes_max,
            head_bytes_max: HEAD_BYTES_MAX,
        };
        let call = Rc::new(call);
        let life = Life::of_stream(&call, &receive);
        life.set_reading(true);
        let held_bytes = Arc::clone(&call.client().held_bytes);
        Ok(Self {
            session: call.session(kind),
            receive,
            memory: SharedMemory::new(memory),
            kind,
            request: Some(Request {
                decoder: Decoder::new(kind, limits, &held_bytes),
                window: None,
            }),
            waiting: respond.waiting(),
            respond,
            refused: None,
            is_gone: false,
            unwritten: Bytes::new(),
            life,
            call,
        })
    }

    fn poll_on(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_gone || self.respond.poll_gone(cx).is_ready() {
            return self.gone(cx);
        }
        let is_draining = self.call.is_draining();
        if is_draining {
            self.session.drain();
        }
        loop {
            let is_held = self.is_held();
            let read = match is_held {
                true => Read::Nothing,
                false => self.poll_read(cx),
            };
            let has_read = !matches!(read, Read::Nothing);
            match read {
                Read::Something | Read::Nothing => {}
                Read::HalfClose => {
                    self.end_request();
                    if let Err(refusal) = self.session.half_close() {
                        self.refuse(refusal);
                    }
                }
                Read::Gone => return self.gone(cx),
                Read::Refused(refusal) => self.refuse(refusal),
            }
            let has_more = self.session.work();
            let progressed = has_read || has_more;
            // Answers leave together, once no more input is available.
            let yields = progressed && self.receive.link().turn_is_over();
            let enough = has_enough(&self.session);
            if progressed && (self.request.is_some() || has_more) && !enough && !yields {
                continue;
            }
            // The stream ends only when its released window is paid for.
            let is_paid = self.life.poll_paid(cx).is_ready();
            if self.poll_write(cx) == Err(Gone) {
                return self.gone(cx);
            }
            if !self.session.is_leaving()
                && !self.life.awaits_client()
                && let Some(refusal) = self.refused.take()
            {
                self.life.end(&mut self.respond, &refusal);
                return Poll::Ready(());
            }
            let is_done =
                self.request.is_none() && self.session.is_done() && self.unwritten.is_empty();
            if is_done && is_paid {
                self.life.end(&mut self.respond, &Status::ok(""));
                return Poll::Ready(());
            }
            if yields {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            // The answers that held it back may have left just now.
            if progressed || is_held && !self.is_held() {
                continue;
            }
            if is_draining && self.session.drain() && self.unwritten.is_empty() {
                self.life.await_half_close();
            }
            let receives = self.request.is_some() && self.session.is_receiving();
            let received_bytes = receives.then(|| self.session.received_bytes());
            let refusal = ready!(self.life.poll_end(cx, received_bytes));
            self.refuse(refusal);
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Read {
        let Some(request) = &mut self.request else {
            return Read::Nothing;
        };
        let was_receiving = self.session.is_receiving();
        let (receive, session) = (&mut self.receive, &mut self.session);
        let read = request.poll(receive, cx, session, &mut self.memory, &self.call);
        self.call.count_received(self.session.take_messages());
        if matches!(read, Read::Something) {
            self.life.hear();
            if !was_receiving {
                self.life.restart_rate(self.session.received_bytes());
            }
        }
        read
    }

    /// Whether input waits that may not be read now.
    fn is_held(&self) -> bool {
        let Some(request) = &self.request else {
            return false;
        };
        let begins_message = !self.memory.has_rest() && !request.decoder.hands_out();
        self.life.is_blocked() && has_enough(&self.session)
            || begins_message && request.decoder.has_more() && self.session.is_busy()
    }

    /// The client receives nothing more. Ready when the parts are freed.
    fn gone(&mut self, cx: &Context<'_>) -> Poll<()> {
        self.is_gone = true;
        self.session.abort();
        while self.session.work() {
            if self.receive.link().turn_is_over() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        Poll::Ready(())
    }

    /// Writes answers as far as the client's windows allow.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Result<(), Gone> {
        loop {
            if self.unwritten.is_empty() {
                self.unwritten = self.encode_answers();
                if self.unwritten.is_empty() {
                    self.waiting.set(0);
                    return Ok(());
                }
            }
            let unwritten = &mut self.unwritten;
            match self.life.poll_write(cx, &mut self.respond, unwritten) {
                Poll::Ready(written) => written?,
                Poll::Pending => {
                    let bytes = self.session.answers_bytes() + self.unwritten.len();
                    self.waiting.set(bytes);
                    return Ok(());
                }
            }
        }
    }

    /// Encodes the next answers as messages in one frame, and counts them as sent.
    fn encode_answers(&mut self) -> Bytes {
        let mut answers = BytesMut::new();
        while answers.len() < FRAME_BYTES_MAX
            && let Some(mut answer) = self.session.pop_answer()
        {
            answer.tell(self.memory.tell());
            answer.write(&mut answers);
            self.call.count_sent(1);
            self.respond.answered();
        }
        let request = self.request.as_ref();
        let has_more = request.is_some_and(|it| it.decoder.has_more() || self.receive.has_data());
        if self.memory.is_told(has_more) {
            Answer::of_memory(self.kind, self.memory.tell()).write(&mut answers);
            self.call.count_sent(1);
        }
        answers.freeze()
    }

    fn refuse(&mut self, refusal: Status) {
        self.end_request();
        // Answers may wait for a client that writes everything before it reads.
        self.receive.discard();
        self.session.abort();
        // What came first is the reason.
        self.refused.get_or_insert(refusal);
    }

    /// Ends the request: no more is read.
    fn end_request(&mut self) {
        self.request = None;
        self.memory.end();
        self.life.set_reading(false);
    }
}

/// Whether too many answers wait to read more.
fn has_enough(session: &Session) -> bool {
    session.answers_waiting() >= ANSWERS_ENOUGH
}

impl Future for Stream {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.get_mut().poll_on(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use hashlane_engine::wait::LastSeen;
    use hashlane_proto::v1::DigestRequest;
    use prost::Message as _;

    use super::*;
    use crate::config::Settings;
    use crate::hashing::Mailbox;
    use crate::http2::StreamFlow;
    use crate::metrics::counters::WorkerCounters;
    use crate::process::Process;
    use crate::worker_state::WorkerState;

    /// A stream's request of which one frame has arrived.
    struct Arrived {
        request: Request,
        session: Session,
        memory: SharedMemory,
        backlog: Rc<Backlog>,
        flow: Rc<StreamFlow>,
    }

    impl Arrived {
        fn new(messages: &[Vec<u8>]) -> Self {
            let process = Process::of_test(Settings::default());
            let limits = MessageLimits {
                message_bytes_max: 1 << 20,
                head_bytes_max: HEAD_BYTES_MAX,
            };
            let frame = messages.concat();
            let (window, flow) = WindowPermit::of_test(frame.len());
            let mut decoder = Decoder::new(MessageKind::Digest, limits, &process.limits.held_bytes);
            decoder.push(frame.into());
            let state = WorkerState::new(&process, Arc::new(WorkerCounters::new()));
            Self {
                request: Request {
                    decoder,
                    window: Some(window),
                },
                backlog: Rc::clone(&state.backlog),
                session: Session::new(
                    MessageKind::Digest,
                    state,
                    Arc::clone(&process.limits.parts),
                    &Mailbox::new(1, &Rc::new(Cell::new(LastSeen::new(1)))),
                    &Rc::default(),
                    None,
                ),
                memory: SharedMemory::default(),
                flow,
            }
        }

        fn take_items(&mut self) {
            let (session, memory) = (&mut self.session, &mut self.memory);
            let taken = self.request.take_items(session, memory, &self.backlog);
            taken.unwrap();
        }
    }

    /// A message with `data`, and with fields after it.
    fn message(data: &[u8], fields: &[u8]) -> Vec<u8> {
        let data = Bytes::copy_from_slice(data);
        let request = DigestRequest {
            data,
            ..DigestRequest::default()
        };
        let message = [&request.encode_to_vec(), fields].concat();
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        [&[0], &length[..], &message].concat()
    }

    /// Part 0, named after the data, which is held until then.
    const LATE: &[u8] = &[8, 0];

    #[test]
    fn a_frame_keeps_its_window_while_held_data_is_handed_out() {
        const BYTES: usize = 60 << 10;
        let mut arrived = Arrived::new(&[message(b"x", LATE), message(&[7; BYTES], b"")]);
        arrived.take_items();
        assert!(arrived.request.decoder.hands_out());
        assert!(arrived.request.window.is_some());
        arrived.take_items();
        assert!(arrived.request.window.is_none());
        assert_eq!(arrived.flow.unhashed_bytes(), BYTES);
    }

    #[test]
    fn every_chunk_counts_whether_it_was_held_or_follows_one_that_was() {
        for fields in [b"", LATE] {
            let messages = [
                vec![message(b"x", LATE)],
                vec![message(b"x", fields); 20_000],
            ];
            let mut arrived = Arrived::new(&messages.concat());
            while !arrived.backlog.has_many_items() && arrived.request.decoder.has_more() {
                arrived.take_items();
            }
            assert!(arrived.backlog.has_many_items());
        }
    }
}
