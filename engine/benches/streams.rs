//! Many streams that receive chunks in turn, through [`Engine`]: the service's
//! load without the service. Chunk lengths on and off block and page edges.
//!
//! All chunks are slices of one buffer that fits L2, since that is where a chunk
//! lies when the service has just read it from its socket.

mod common;

use std::hint::black_box;

use common::{Bench, Who, buffers, crossover, human};
use hashlane_engine::{Algorithm, Digest, Engine, Event};

/// What one look at the sockets brings at least: small chunks come several at a
/// time, since they share a segment or a read.
const TURN_BYTES: usize = 128 << 10;

/// Where chunks begin; the longest chunk may reach past it.
const POOL_BYTES: usize = 256 << 10;
const CHUNK_BYTES_MAX: usize = 64 << 10;

/// From the first chunk of one stream to that of the next. No multiple of a page
/// or near one: lanes at one address modulo 4 KiB fight for the same cache sets.
const SPREAD_BYTES: usize = 17 * 4099;

type Lanes<'a> = Engine<&'a [u8]>;

/// Streams of one length, cut into chunks of one length.
#[derive(Clone, Copy)]
struct Load<'a> {
    pool: &'a [u8],
    streams: usize,
    len: usize,
    chunk: usize,
}

impl<'a> Load<'a> {
    /// The chunk of `stream` that starts at `start` of its message.
    fn chunk(&self, stream: usize, start: usize) -> &'a [u8] {
        let end = (start + self.chunk).min(self.len);
        // Spread over pages and over the lines of a page, as a server's buffers
        // are; on no particular alignment, as what follows a frame's head is.
        let from = (stream * SPREAD_BYTES + start) % POOL_BYTES;
        &self.pool[from..from + end - start]
    }

    /// Chunk by chunk in turn. Steps as the service does: as soon as the engine
    /// is full, and when a look at the sockets has brought all it does.
    fn lanes(&self, engine: &mut Lanes<'a>) -> Vec<Digest> {
        let jobs: Vec<_> = (0..self.streams)
            .map(|_| engine.open(&[Algorithm::Sha256]))
            .collect();
        let mut digests = vec![Digest::new(&[0; 32]); self.streams];
        let mut step = |engine: &mut Lanes<'a>, is_due: fn(&Lanes<'a>) -> bool| {
            while is_due(engine) {
                engine.step();
                for event in engine.take_events() {
                    if let Event::Digest { part, digest, .. } = event {
                        digests[part.index()] = digest;
                    }
                }
            }
        };
        let mut turn_bytes = 0;
        for start in (0..self.len).step_by(self.chunk) {
            for (stream, job) in jobs.iter().enumerate() {
                engine.push(*job, self.chunk(stream, start));
                step(engine, Lanes::is_full);
            }
            turn_bytes += self.chunk * self.streams;
            if turn_bytes >= TURN_BYTES {
                turn_bytes = 0;
                step(engine, |engine| engine.ready_jobs() > 0);
            }
        }
        for job in jobs {
            engine.finish(job);
        }
        step(engine, |engine| engine.ready_jobs() > 0);
        digests
    }

    fn sha2(&self) -> Vec<Digest> {
        use sha2::Digest as _;
        let mut hashers = vec![sha2::Sha256::new(); self.streams];
        for start in (0..self.len).step_by(self.chunk) {
            for (stream, hasher) in hashers.iter_mut().enumerate() {
                hasher.update(self.chunk(stream, start));
            }
        }
        hashers
            .into_iter()
            .map(|hasher| Digest::new(&hasher.finalize()))
            .collect()
    }
}

fn main() {
    let bench = Bench::new("streams");
    let buffer = buffers(&[POOL_BYTES + CHUNK_BYTES_MAX], 6);
    for streams in [16, 64, 1024] {
        for chunk in [250, 256, 1021, 1024, 4093, 4096, 65536] {
            let load = Load {
                pool: &buffer[0],
                streams,
                len: ((16 << 20) / streams).max(CHUNK_BYTES_MAX),
                chunk,
            };
            let mut engine = Engine::new(crossover());
            // Slots are given out from 0 in a fresh engine: stream i is job i.
            assert_eq!(load.lanes(&mut engine), load.sha2(), "a wrong digest");
            let whos = vec![
                Who::new("hashlane", move || {
                    black_box(black_box(load).lanes(&mut engine));
                }),
                Who::new("sha2", move || {
                    black_box(black_box(load).sha2());
                }),
            ];
            let case = format!("{streams} streams, chunks of {}", human(chunk));
            bench.case(&case, load.len * streams, whos);
        }
    }
}
