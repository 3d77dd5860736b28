//! The parts of one stream.
//!
//! ```text
//! begin_message ─> part opened or found ─┐
//! push          ─> its bytes ────────────┼─> lanes  ─> digests ─> answers
//! end_message   ─> `last`? part finished ┘
//! half_close    ─> every open part finished
//! abort         ─> every part freed
//! ```
//!
//! A stream may have ten thousand parts, and a part may request every digest. So long work is done
//! in pieces: the caller that feeds the session checks [`Session::ends_piece`], and calls
//! [`Session::work`] for the rest.
//!
//! A fault of the stream ends it ([`Status`]). A fault of one part is that part's answer
//! ([`PartFault`]); its further messages are skipped, up to its `last` or to a message with `open`,
//! which begins a new part.

use std::collections::{HashMap, VecDeque, hash_map};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use hashlane_proto::v1::Verdict;
use tonic::Status;

use super::algorithm;
use super::answer::Answer;
use super::part::{Part, PartState};
use crate::decode::{Head, MessageKind};
use crate::hashing::{Chunk, Computed, Mailbox};
use crate::limiter::Budget;
use crate::limits::part_units;
use crate::metrics::counters::{Outcome, PartRpc};
use crate::metrics::tally::Tally;
use crate::status::part_error::{self, PartFault};
use crate::status::{self, Reason};
use crate::traces::{CallTrace, EndedPart};
use crate::words::Words as _;
use crate::worker_state::WorkerState;

/// A client that reads its answers stops within a round trip of a part's error. A client that sends
/// this many bytes more does not read them.
const SKIPPED_BYTES_MAX: u64 = 64 << 20;

/// Limit of unfinished digests of a stream's ended parts while it is read. Many times the number of
/// lanes.
const FINISHING_MAX: usize = 1024;

/// Answers that may wait before the rest of a frame is taken message by message.
const ANSWERS_OF_FRAME_MAX: usize = 1024;

/// Capacity for parts and answers that is kept when there are none: enough for a usual stream.
const KEPT_MAX: usize = 64;

/// Work between two yields, in bytes hashed as they are pushed: about 25 us.
const PIECE_BYTES: usize = 64 << 10;

/// Cost of opening, ending or freeing digests, in the same measure, for each unit of
/// [`part_units`]: the size of their state.
const UNIT_COST_BYTES: usize = 1 << 10;

/// Cost of a message, and of turning a digest into an answer, in the same measure.
const MESSAGE_COST_BYTES: usize = 256;

/// The parts of one stream.
pub(crate) struct Session {
    kind: MessageKind,
    state: Rc<WorkerState>,
    /// The client's budget for parts.
    room: Arc<Budget>,
    mailbox: Rc<Mailbox>,
    tally: Rc<Tally>,
    /// Set if the call is sampled.
    trace: Option<Rc<CallTrace>>,
    /// Boxed, so that a growing table does not move them, which would take milliseconds.
    parts: HashMap<u64, Box<Part>>,
    /// The part and `last` of the message being read.
    current: (u64, bool),
    answers: VecDeque<Answer>,
    /// Approximate bytes of `answers`.
    answers_bytes: usize,
    /// Complete messages read.
    messages: u64,
    /// Bytes of all parts.
    received_bytes: u64,
    /// Parts waiting for bytes.
    receiving: usize,
    /// Parts that have ended and are not yet answered.
    finishing: usize,
    /// Digests requested by the finishing parts.
    finishing_digests: usize,
    /// Parts that the half-close ends, not yet ended.
    ending: Vec<u64>,
    /// Parts to be freed.
    leaving: hash_map::IntoIter<u64, Box<Part>>,
    /// Work done in the current piece, in its measure.
    done_bytes: usize,
    /// A message has begun.
    begun: bool,
    /// New parts are answered with DRAINING.
    draining: bool,
}

impl Session {
    pub(crate) fn new(
        kind: MessageKind,
        state: Rc<WorkerState>,
        room: Arc<Budget>,
        mailbox: &Rc<Mailbox>,
        tally: &Rc<Tally>,
        trace: Option<Rc<CallTrace>>,
    ) -> Self {
        Self {
            kind,
            state,
            room,
            mailbox: Rc::clone(mailbox),
            tally: Rc::clone(tally),
            trace,
            parts: HashMap::new(),
            current: (0, false),
            answers: VecDeque::new(),
            answers_bytes: 0,
            messages: 0,
            received_bytes: 0,
            receiving: 0,
            finishing: 0,
            finishing_digests: 0,
            ending: Vec::new(),
            leaving: HashMap::new().into_iter(),
            done_bytes: 0,
            begun: false,
            draining: false,
        }
    }

    /// The client has half-closed: [`work`](Self::work) ends every open part. A stream without any
    /// message is one empty part.
    ///
    /// # Errors
    /// There is no room for the empty part.
    pub(crate) fn half_close(&mut self) -> Result<(), Status> {
        if !self.begun {
            self.begin_message(Head::default())?;
        }
        let open = self.parts.iter();
        let open = open.filter(|(_, part)| part.state != PartState::Finishing);
        self.ending = open.map(|(number, _)| *number).collect();
        Ok(())
    }

    /// Does one piece of work: frees parts, ends parts, turns finished digests into answers.
    /// Returns whether there is more.
    pub(crate) fn work(&mut self) -> bool {
        self.free() || self.end_open() || self.collect()
    }

    /// Adds work done to the current piece.
    fn did(&mut self, bytes: usize) {
        self.done_bytes = self.done_bytes.saturating_add(bytes);
    }

    /// Whether a piece of work was done since this last returned true.
    pub(crate) fn ends_piece(&mut self) -> bool {
        let ends = self.done_bytes >= PIECE_BYTES;
        if ends {
            self.done_bytes = 0;
        }
        ends
    }

    /// Bytes of the current message's data that make up one piece of work.
    pub(crate) fn piece_bytes(&self) -> usize {
        let part = self.parts.get(&self.current.0);
        let on_push = part.map_or(0, |part| part.digests_on_push());
        PIECE_BYTES.checked_div(on_push).unwrap_or(usize::MAX)
    }

    /// Frees some of the leaving parts; true if there are more.
    fn free(&mut self) -> bool {
        while let Some((_, mut part)) = self.leaving.next() {
            self.did(part.units() * UNIT_COST_BYTES);
            part.cancel(&mut self.state.lanes.borrow_mut());
            if part.state != PartState::Skipping {
                let trace = self.trace.as_deref();
                let outcome = Outcome::Cancelled;
                count(&self.state, &self.tally, trace, self.kind, outcome, &part);
            }
            if self.ends_piece() {
                return self.leaving.len() > 0;
            }
        }
        false
    }

    /// Ends some of the parts that the half-close ends; true if there are more.
    fn end_open(&mut self) -> bool {
        while let Some(number) = self.ending.pop() {
            self.end_part(number);
            if self.ends_piece() {
                return !self.ending.is_empty();
            }
        }
        false
    }

    /// Turns some finished digests into answers; true if there are more.
    fn collect(&mut self) -> bool {
        let mut has_more = true;
        while !self.ends_piece() {
            let Some(Computed { tag, result }) = self.mailbox.take() else {
                has_more = false;
                break;
            };
            self.did(MESSAGE_COST_BYTES);
            let Some(part) = self.parts.get_mut(&tag) else {
                continue;
            };
            match result {
                Ok((algorithm, digest)) => {
                    let is_finishing = part.state == PartState::Finishing;
                    if is_finishing && part.complete(algorithm, digest) {
                        self.answer(tag);
                    }
                }
                Err(failed) => {
                    if part.is(failed) {
                        self.fail_part(tag, part_error::kernel_fault());
                    }
                }
            }
        }
        if self.parts.is_empty() && self.parts.capacity() > KEPT_MAX {
            self.parts = HashMap::new();
        }
        has_more
    }

    pub(crate) fn pop_answer(&mut self) -> Option<Answer> {
        let answer = self.answers.pop_front()?;
        self.answers_bytes -= answer.held_bytes();
        if self.answers.is_empty() && self.answers.capacity() > KEPT_MAX {
            self.answers = VecDeque::new();
        }
        Some(answer)
    }

    fn push_answer(&mut self, answer: Answer) {
        self.answers_bytes += answer.held_bytes();
        self.answers.push_back(answer);
    }

    /// Number of answers not yet popped.
    pub(crate) fn answers_waiting(&self) -> usize {
        self.answers.len()
    }

    /// Approximate bytes of these answers.
    pub(crate) fn answers_bytes(&self) -> usize {
        self.answers_bytes
    }

    /// Bytes received for all parts since the stream began.
    pub(crate) fn received_bytes(&self) -> u64 {
        self.received_bytes
    }

    /// Whether so many digests of ended parts are unfinished that the rest of a frame must wait. A
    /// frame may hold thousands of messages.
    pub(crate) fn is_busy(&self) -> bool {
        self.finishing_digests >= FINISHING_MAX
    }

    /// Whether the rest of a frame is taken message by message.
    pub(crate) fn is_full(&self) -> bool {
        self.is_busy() || self.answers.len() >= ANSWERS_OF_FRAME_MAX
    }

    /// Whether a part waits for bytes.
    pub(crate) fn is_receiving(&self) -> bool {
        self.receiving > 0
    }

    /// Refuses new parts from now on. Returns whether the parts and answers it has are done.
    pub(crate) fn drain(&mut self) -> bool {
        self.draining = true;
        self.receiving == 0 && self.finishing == 0 && self.answers.is_empty()
    }

    /// Whether every part was answered or freed, and every answer taken.
    pub(crate) fn is_done(&self) -> bool {
        self.parts.is_empty() && self.leaving.len() == 0 && self.answers.is_empty()
    }

    /// Whether there are parts to free.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.len() > 0
    }

    /// Messages read since the last call.
    pub(crate) fn take_messages(&mut self) -> u64 {
        std::mem::take(&mut self.messages)
    }

    /// Leaves all parts to [`work`](Self::work) to free; queued answers stay.
    pub(crate) fn abort(&mut self) {
        (self.receiving, self.finishing, self.finishing_digests) = (0, 0, 0);
        self.ending = Vec::new();
        if !self.parts.is_empty() {
            // No part is opened after an abort, so only one call finds parts.
            self.leaving = std::mem::take(&mut self.parts).into_iter();
        }
    }

    /// A message begins.
    ///
    /// # Errors
    /// A fault that ends the stream.
    pub(crate) fn begin_message(&mut self, head: Head) -> Result<(), Status> {
        self.begun = true;
        self.current = (head.part, head.last);
        let Some(part) = self.parts.get_mut(&head.part) else {
            return self.open_part(head);
        };
        match part.state {
            // The client may omit `last` for a part that it saw fail.
            PartState::Skipping if head.open.is_some() => {
                self.forget(head.part);
                self.open_part(head)
            }
            PartState::Skipping => Ok(()),
            PartState::Finishing => Err(status::invalid(
                "part",
                Reason::PartEnded,
                "a message for a part that has ended and is not answered yet",
            )),
            PartState::Receiving if head.open.is_some() => Err(status::invalid(
                "open",
                Reason::OpenNotFirst,
                "options in another message than the part's first",
            )),
            PartState::Receiving => {
                let fault = part.expect(head.expected)?;
                self.fail_part_if(head.part, fault);
                Ok(())
            }
        }
    }

    /// Removes a part that was answered.
    fn forget(&mut self, number: u64) {
        self.parts.remove(&number);
    }

    fn open_part(&mut self, head: Head) -> Result<(), Status> {
        let process = Arc::clone(&self.state.process);
        let settings = &process.settings;
        // Parts that the client has ended no longer count as open, answered or not.
        if self.parts.len() - self.finishing >= settings.parts_per_stream_max {
            return Err(status::limit(
                Reason::TooManyParts,
                format!(
                    "more than {} open parts on one stream",
                    settings.parts_per_stream_max
                ),
            ));
        }
        let number = head.part;
        let open = head.open.unwrap_or_default();
        let algorithms = algorithm::parse_opened(&open.algorithms, &head.expected)?;
        let units = part_units(algorithms.iter().copied());
        let Some(permit) = self.room.take(units) else {
            return Err(status::no_room(
                &self.room,
                units,
                "parts_max",
                "open parts",
            ));
        };
        self.did(units * UNIT_COST_BYTES);
        let mut part = Part::open(
            number,
            algorithms,
            open.size_bytes,
            &mut self.state.lanes.borrow_mut(),
            &self.mailbox,
            permit,
        );
        let expected = part.expect(head.expected);
        self.parts.insert(number, Box::new(part));
        self.receiving += 1;
        let is_too_large = open.size_bytes > Some(settings.part_bytes_max);
        let too_large = is_too_large.then(|| part_error::too_large(settings.part_bytes_max));
        let draining = self.draining.then(part_error::draining);
        self.fail_part_if(number, draining.or(expected?).or(too_large));
        Ok(())
    }

    /// Adds bytes to the message that has begun.
    ///
    /// # Errors
    /// A fault that ends the stream.
    pub(crate) fn push(&mut self, chunk: Chunk) -> Result<(), Status> {
        let (number, _) = self.current;
        let Some(part) = self.parts.get_mut(&number) else {
            return Ok(());
        };
        let bytes = chunk.len() as u64;
        self.received_bytes += bytes;
        if part.state == PartState::Skipping {
            part.skipped_bytes += bytes;
            if part.skipped_bytes > SKIPPED_BYTES_MAX {
                return Err(status::limit(
                    Reason::PartAlreadyFailed,
                    "a part that was answered with an error goes on and on",
                ));
            }
            return Ok(());
        }
        part.received_bytes += bytes;
        let part_bytes_max = self.state.process.settings.part_bytes_max;
        let fault = match part.declared_bytes {
            Some(declared) if part.received_bytes > declared => {
                part_error::size_mismatch(declared, part.received_bytes)
            }
            _ if part.received_bytes > part_bytes_max => part_error::too_large(part_bytes_max),
            _ => {
                let on_push = part.digests_on_push();
                let bytes = chunk.len() * on_push;
                part.push(&mut self.state.lanes.borrow_mut(), chunk);
                self.did(bytes);
                return Ok(());
            }
        };
        self.fail_part(number, fault);
        Ok(())
    }

    /// The message has ended.
    pub(crate) fn end_message(&mut self) {
        self.messages += 1;
        self.did(MESSAGE_COST_BYTES);
        let (number, last) = self.current;
        if last {
            self.end_part(number);
        }
    }

    /// All bytes of the part have arrived.
    fn end_part(&mut self, number: u64) {
        let Some(part) = self.parts.get_mut(&number) else {
            return;
        };
        match part.state {
            PartState::Finishing => {}
            PartState::Skipping => self.forget(number),
            PartState::Receiving => {
                let fault = match part.declared_bytes {
                    Some(declared) if part.received_bytes != declared => {
                        Some(part_error::size_mismatch(declared, part.received_bytes))
                    }
                    _ if self.kind == MessageKind::Verify && !part.is_expected() => {
                        Some(part_error::no_expected_digest())
                    }
                    _ => None,
                };
                match fault {
                    None => {
                        part.complete = self.trace.as_ref().map(|_| Instant::now());
                        part.finish(
                            &mut self.state.lanes.borrow_mut(),
                            self.state.backlog.enter(),
                        );
                        self.receiving -= 1;
                        self.finishing += 1;
                        self.finishing_digests += part.digest_count();
                        let units = part.units();
                        self.did(units * UNIT_COST_BYTES);
                    }
                    Some(fault) => {
                        self.fail_part(number, fault);
                        self.end_part(number);
                    }
                }
            }
        }
    }

    fn fail_part_if(&mut self, number: u64, fault: Option<PartFault>) {
        if let Some(fault) = fault {
            self.fail_part(number, fault);
        }
    }

    /// Answers a part with an error. The part is kept until its end, or until a message opens it
    /// again, so that its messages in flight are not taken for a new part.
    fn fail_part(&mut self, number: u64, fault: PartFault) {
        let Some(part) = self.parts.get_mut(&number) else {
            return;
        };
        part.cancel(&mut self.state.lanes.borrow_mut());
        let has_ended = part.state == PartState::Finishing;
        if has_ended {
            self.finishing -= 1;
            self.finishing_digests -= part.digest_count();
        } else {
            self.receiving -= 1;
        }
        part.state = PartState::Skipping;
        part.error = Some(fault.reason);
        self.state.counters.part_errors[fault.reason as usize].add(1);
        let (trace, outcome) = (self.trace.as_deref(), Outcome::Error);
        count(&self.state, &self.tally, trace, self.kind, outcome, part);
        let answer = Answer::error(self.kind, number, part.received_bytes, fault.into());
        if has_ended {
            self.forget(number);
        }
        self.push_answer(answer);
    }

    /// Answers a part whose digests are all computed.
    fn answer(&mut self, number: u64) {
        let Some(part) = self.parts.remove(&number) else {
            return;
        };
        self.finishing -= 1;
        self.finishing_digests -= part.digest_count();
        let answer = part.answer(self.kind, number);
        let outcome = match &answer {
            Answer::Digest(_) => Outcome::Digest,
            Answer::Verify(answer, _) if answer.verdict() == Verdict::Match => Outcome::Match,
            Answer::Verify(..) => Outcome::Mismatch,
        };
        let trace = self.trace.as_deref();
        count(&self.state, &self.tally, trace, self.kind, outcome, &part);
        self.push_answer(answer);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.abort();
        while self.free() {}
    }
}

/// Counts a part that has ended, and adds it to its trace.
fn count(
    state: &WorkerState,
    tally: &Tally,
    trace: Option<&CallTrace>,
    kind: MessageKind,
    outcome: Outcome,
    part: &Part,
) {
    let rpc = match kind {
        MessageKind::Digest => PartRpc::Digest,
        MessageKind::Verify => PartRpc::Verify,
    };
    let took = Instant::now().saturating_duration_since(part.opened);
    tally.part(&state.counters, rpc, outcome, part.received_bytes, took);
    if let Some(trace) = trace {
        trace.part(&EndedPart {
            number: part.number,
            algorithms: &part.algorithms,
            bytes: part.received_bytes,
            outcome,
            error: part.error.map(Reason::word),
            opened: part.opened,
            complete: part.complete,
        });
    }
}

#[cfg(test)]
mod tests;
