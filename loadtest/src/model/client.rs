//! The load generator's thread: one core, which begins parts, sends messages and handles answers.
//!
//! ```text
//! a task at a time, in order:
//!   begin    a part: it joins its connection's round
//!   send     a piece of each part in the connection's round, as far as the window allows
//!   answer   the part ends; in a closed loop its stream begins the next one
//! after 61 tasks, or without one: poll for replies and for starts that are due
//! nothing at all: sleep until a reply or a start
//! ```
//!
//! hyper on tokio's runtime for one thread works like this; 61 is tokio's event interval.

use std::collections::{HashMap, VecDeque};

use anyhow::Result;

use super::costs::Costs;
use super::simulated_load::{Begin, Load, Source};
use super::time::{Ns, Spent, nanos};
use super::wire::{Piece, Reply, WINDOW_BYTES, Wire};

/// Tasks between two polls.
const TASKS_MAX: u32 = 61;

/// What the thread does next.
#[derive(Clone, Copy, Debug)]
enum Task {
    Begin(Begin, Ns),
    Send(usize),
    Answer(u64),
}

/// A part that is being sent.
#[derive(Clone, Copy, Debug)]
struct Sending {
    part: u64,
    left_bytes: u64,
    /// Bytes of the current message that are not sent.
    message_bytes: usize,
    /// Bytes of the last message, once it is the current one.
    last_bytes: u64,
    begins: bool,
}

/// A connection.
#[derive(Debug)]
struct Link {
    window_bytes: usize,
    round: VecDeque<Sending>,
    /// A task will send.
    is_queued: bool,
}

/// A part without an answer.
#[derive(Clone, Copy, Debug)]
struct Open {
    stream: usize,
    began: Ns,
    measured: bool,
}

/// A part with its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answered {
    pub(super) at: Ns,
    pub(super) took: Ns,
    /// Its start was in the measured time.
    pub(super) measured: bool,
}

/// What was sent so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) bytes: u64,
    /// Those of last messages.
    pub(super) last_bytes: u64,
    pub(super) messages: u64,
    pub(super) parts: u64,
}

/// The thread.
pub(super) struct Client {
    costs: Costs,
    source: Source,
    chunk_bytes: usize,
    in_flight_max: usize,
    links: Vec<Link>,
    tasks: VecDeque<Task>,
    open: HashMap<u64, Open>,
    /// Tasks since the last poll.
    unpolled: u32,
    free_at: Ns,
    is_ending: bool,
    pub(super) spent: Spent,
    pub(super) sent: Sent,
    pub(super) missed: u64,
    pub(super) answered: Vec<Answered>,
}

impl Client {
    pub(super) fn new(costs: Costs, load: &Load) -> Result<Self> {
        let links = (0..load.load.used_connections()).map(|_| Link {
            window_bytes: WINDOW_BYTES,
            round: VecDeque::new(),
            is_queued: false,
        });
        let mut source = load.source()?;
        let first = source.first().into_iter();
        Ok(Self {
            costs,
            chunk_bytes: load.load.chunk_size,
            in_flight_max: load.in_flight_max,
            tasks: first.map(|begin| Task::Begin(begin, 0)).collect(),
            source,
            links: links.collect(),
            open: HashMap::new(),
            unpolled: 0,
            free_at: 0,
            is_ending: false,
            spent: Spent::default(),
            sent: Sent::default(),
            missed: 0,
            answered: Vec::new(),
        })
    }

    /// Begins no more parts.
    pub(super) fn end(&mut self) {
        self.is_ending = true;
    }

    /// Parts without an answer.
    pub(super) fn in_flight(&self) -> usize {
        self.open.len()
    }

    /// When it acts next, unless something arrives earlier.
    pub(super) fn next_at(&mut self, wire: &Wire) -> Option<Ns> {
        if !self.tasks.is_empty() {
            return Some(self.free_at);
        }
        let reply = wire.replies.front().map(|(at, _)| *at);
        let start = self.source.due().filter(|_| !self.is_ending);
        let next = [reply, start].into_iter().flatten().min()?;
        Some(if next <= self.free_at {
            self.free_at
        } else {
            next + nanos(self.costs.wake_ns)
        })
    }

    /// Runs a task.
    pub(super) fn act(&mut self, now: Ns, wire: &mut Wire) {
        if now > self.free_at {
            self.spent.sleeps += 1;
        }
        if self.tasks.is_empty() || self.unpolled >= TASKS_MAX {
            self.poll(now, wire);
        }
        self.unpolled += 1;
        let half_part_ns = self.costs.client_part_ns / 2.0;
        let cost_ns = match self.tasks.pop_front() {
            None => 0.0,
            Some(Task::Begin(..)) if self.is_ending => 0.0,
            Some(Task::Begin(begin, intended)) => {
                self.begin(begin, intended);
                half_part_ns
            }
            Some(Task::Send(link)) => self.send(link, now, wire),
            Some(Task::Answer(part)) => {
                self.answer(part, now + nanos(half_part_ns));
                half_part_ns
            }
        };
        self.spent.worked_ns += cost_ns;
        self.free_at = now + nanos(cost_ns);
    }

    fn poll(&mut self, now: Ns, wire: &mut Wire) {
        self.unpolled = 0;
        while let Some(reply) = wire.reply(now) {
            match reply {
                Reply::Answer(part) => self.tasks.push_back(Task::Answer(part)),
                Reply::Window(link, bytes) => {
                    self.links[link].window_bytes += bytes;
                    self.queue(link);
                }
            }
        }
        while !self.is_ending
            && let Some((begin, due)) = self.source.take_due(now)
        {
            self.tasks.push_back(Task::Begin(begin, due));
        }
    }

    fn begin(&mut self, begin: Begin, began: Ns) {
        if self.open.len() >= self.in_flight_max {
            self.missed += u64::from(begin.measured);
            return;
        }
        let part = self.sent.parts;
        self.sent.parts += 1;
        let open = Open {
            stream: begin.stream,
            began,
            measured: begin.measured,
        };
        self.open.insert(part, open);
        let link = begin.stream % self.links.len();
        self.links[link].round.push_back(Sending {
            part,
            left_bytes: begin.bytes,
            message_bytes: 0,
            last_bytes: 0,
            begins: true,
        });
        self.queue(link);
    }

    fn queue(&mut self, index: usize) {
        let link = &mut self.links[index];
        let can_send = link.window_bytes > 0 && !link.round.is_empty();
        if can_send && !std::mem::replace(&mut link.is_queued, true) {
            self.tasks.push_back(Task::Send(index));
        }
    }

    /// Sends a message of each part in the connection's round. Returns the cost.
    fn send(&mut self, index: usize, now: Ns, wire: &mut Wire) -> f64 {
        let mut cost_ns = 0.0;
        for _ in 0..self.links[index].round.len() {
            if self.links[index].window_bytes == 0 {
                break;
            }
            if let Some(mut sending) = self.links[index].round.pop_front() {
                let (bytes, piece_ns) = self.next_piece(index, &mut sending);
                cost_ns += piece_ns;
                let ends = sending.left_bytes == 0;
                wire.sockets[index].push_back(Piece {
                    at: now + nanos(cost_ns),
                    part: sending.part,
                    bytes,
                    begins: std::mem::take(&mut sending.begins),
                    ends,
                });
                self.unpolled += 1;
                self.sent.bytes += bytes as u64;
                self.sent.messages += 1;
                if ends {
                    self.sent.last_bytes += sending.last_bytes;
                } else {
                    self.links[index].round.push_back(sending);
                }
            }
        }
        self.links[index].is_queued = false;
        self.queue(index);
        cost_ns
    }

    /// Takes what fits the window from a part's message. Returns its bytes and its cost.
    fn next_piece(&mut self, index: usize, sending: &mut Sending) -> (usize, f64) {
        let link = &mut self.links[index];
        if sending.message_bytes == 0 {
            let left = usize::try_from(sending.left_bytes).unwrap_or(usize::MAX);
            sending.message_bytes = left.min(self.chunk_bytes);
            if left <= self.chunk_bytes {
                sending.last_bytes = sending.left_bytes;
            }
        }
        let bytes = sending.message_bytes.min(link.window_bytes);
        link.window_bytes -= bytes;
        sending.message_bytes -= bytes;
        sending.left_bytes -= bytes as u64;
        let mut byte_ns = self.costs.client_byte_ns;
        if sending.last_bytes > 0 {
            byte_ns += self.costs.client_last_byte_ns;
        }
        (bytes, self.costs.client_message_ns + byte_ns * bytes as f64)
    }

    fn answer(&mut self, part: u64, at: Ns) {
        let Some(open) = self.open.remove(&part) else {
            return;
        };
        self.answered.push(Answered {
            at,
            took: at - open.began,
            measured: open.measured,
        });
        if let Some(begin) = self.source.next_of(open.stream) {
            self.tasks.push_back(Task::Begin(begin, at));
        }
    }
}
