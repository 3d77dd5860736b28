//! Many streams that receive chunks in turn: the service's load without the service.
//!
//! All chunks are slices of one buffer that fits L2, where a chunk lies when the server has just
//! read it from its socket.

use hashlane_engine::{Algorithm, Digest, Engine, Event};

use super::buffers;

/// The fewest bytes of one poll of the sockets: small chunks come several at a time, since they
/// share a segment or a read.
const TURN_BYTES: usize = 128 << 10;

/// Where chunks begin; the longest chunk may reach past it.
const POOL_BYTES: usize = 256 << 10;
pub(crate) const CHUNK_BYTES_MAX: usize = 64 << 10;

/// From the first chunk of one stream to that of the next. No multiple of a page
/// or near one: lanes at one address modulo 4 KiB fight for the same cache sets.
const SPREAD_BYTES: usize = 17 * 4099;

pub(crate) type Lanes<'a> = Engine<&'a [u8]>;

/// What all chunks are slices of.
pub(crate) fn pool() -> Vec<u8> {
    buffers(&[POOL_BYTES + CHUNK_BYTES_MAX], 6).swap_remove(0)
}

/// Streams of one length, cut into chunks of one length, each with the same digests.
#[derive(Clone, Copy)]
pub(crate) struct Load<'a> {
    pub(crate) pool: &'a [u8],
    pub(crate) streams: usize,
    pub(crate) len: usize,
    pub(crate) chunk: usize,
    pub(crate) algorithms: &'a [Algorithm],
}

impl<'a> Load<'a> {
    /// Bytes of all messages.
    pub(crate) const fn bytes(&self) -> usize {
        self.len * self.streams
    }

    /// Where each chunk of a message starts.
    pub(crate) fn starts(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.len).step_by(self.chunk)
    }

    /// The chunk of `stream` that starts at `start` of its message.
    pub(crate) fn chunk(&self, stream: usize, start: usize) -> &'a [u8] {
        let end = (start + self.chunk).min(self.len);
        // Spread over pages and over the lines of a page, as a server's buffers
        // are; on no particular alignment, as what follows a frame's head is.
        let from = (stream * SPREAD_BYTES + start) % POOL_BYTES;
        &self.pool[from..from + end - start]
    }

    /// Chunk by chunk in turn. Steps as the server does: as soon as the engine is full, and after
    /// each poll of the sockets. The digests of one stream after another; slots are given out from
    /// 0 in a fresh engine, so only its stream i is part i.
    pub(crate) fn lanes(&self, engine: &mut Lanes<'a>) -> Vec<Digest> {
        let algorithms = self.algorithms;
        let parts: Vec<_> = (0..self.streams).map(|_| engine.open(algorithms)).collect();
        let mut digests = vec![Digest::new(&[]); self.streams * algorithms.len()];
        let mut take = |engine: &mut Lanes<'a>| {
            for event in engine.take_events() {
                if let Event::Digest {
                    part,
                    algorithm,
                    digest,
                } = event
                {
                    let place = algorithms.iter().position(|a| *a == algorithm);
                    let place = place.expect("one that was asked for");
                    digests[part.index() * algorithms.len() + place] = digest;
                }
            }
        };
        let mut step = |engine: &mut Lanes<'a>, is_due: fn(&Lanes<'a>) -> bool| {
            while is_due(engine) {
                engine.step();
                take(engine);
            }
        };
        let mut turn_bytes = 0;
        for start in self.starts() {
            for (stream, part) in parts.iter().enumerate() {
                engine.push(*part, self.chunk(stream, start));
                step(engine, Lanes::is_full);
            }
            turn_bytes += self.chunk * self.streams;
            if turn_bytes >= TURN_BYTES {
                turn_bytes = 0;
                step(engine, |engine| engine.ready_jobs() > 0);
            }
        }
        for part in parts {
            engine.finish(part);
        }
        step(engine, |engine| engine.ready_jobs() > 0);
        take(engine); // digests without lanes need no step
        digests
    }
}
