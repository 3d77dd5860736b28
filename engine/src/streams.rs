//! The jobs of an engine and their bytes: what [`Engine`](crate::Engine) has
//! beside its lanes.

use crate::{
    chunks::ChunkPool,
    engine::{Event, small},
    job::{JobId, Jobs, Place},
    kernel::BLOCK_BYTES,
    lanes::{FOOT, Feed, Run, STAGE_BYTES},
    padding::{Digest, LENGTH_BYTES_MAX, pad, pad_block},
};

/// From so many bytes on a chunk is hashed where it lies. Shorter ones are
/// copied to the staging buffer together with what follows them, so that a run
/// is worth a kernel call.
const DIRECT_BYTES_MIN: usize = 1024;

/// The same for a chunk that nothing follows, whose run cannot get longer.
const LONE_DIRECT_BYTES_MIN: usize = 512;

/// Who is in a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) slot: u32,
    /// The run ends with the message's last block.
    pub(crate) last: bool,
    /// Bytes of the job's chunk that lie in the run's foot.
    pub(crate) foot_bytes: u8,
}

impl Owner {
    pub(crate) const fn new(slot: u32) -> Self {
        Self {
            slot,
            last: false,
            foot_bytes: 0,
        }
    }
}

/// Jobs, their chunks, and what is to be told of them.
pub(crate) struct Streams<C> {
    pub(crate) jobs: Jobs,
    chunks: ChunkPool<C>,
    pub(crate) events: Vec<Event>,
    pub(crate) waiting_bytes: usize,
}

impl<C: AsRef<[u8]>> Streams<C> {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Jobs::new(),
            chunks: ChunkPool::new(),
            events: Vec::new(),
            waiting_bytes: 0,
        }
    }

    /// See [`Engine::push`](crate::Engine::push).
    pub(crate) fn push(&mut self, id: JobId, chunk: C) {
        let slot = self.jobs.slot(id);
        let job = &mut self.jobs[slot];
        assert!(!job.finishing, "push to a finishing job");
        let bytes = chunk.as_ref();
        let length = job.length.checked_add(bytes.len() as u64);
        job.length = length
            .filter(|length| *length <= LENGTH_BYTES_MAX)
            .expect("a message of less than 2^61 bytes");
        if bytes.is_empty() {
            return;
        }
        let tail_len = usize::from(job.tail_len);
        if job.chunks.is_empty() && tail_len + bytes.len() < BLOCK_BYTES {
            let end = tail_len + bytes.len();
            job.tail[tail_len..end].copy_from_slice(bytes);
            job.tail_len = small(end);
            let bytes = bytes.len();
            self.events.push(Event::Consumed { job: id, bytes });
            return;
        }
        job.waiting += bytes.len();
        self.waiting_bytes += bytes.len();
        self.chunks.push(&mut job.chunks, chunk);
        // Less than a block in all is possible only if the chunk stood alone,
        // which the branch above has taken.
        if job.place == Place::Idle {
            self.jobs.push_ready(slot);
        }
    }

    /// See [`Engine::finish`](crate::Engine::finish).
    pub(crate) fn finish(&mut self, id: JobId) {
        let slot = self.jobs.slot(id);
        let job = &mut self.jobs[slot];
        assert!(!job.finishing, "finish of a finishing job");
        job.finishing = true;
        if job.place == Place::Idle {
            self.jobs.push_ready(slot);
        }
    }

    /// Drops a job that is in no lane.
    pub(crate) fn cancel(&mut self, slot: u32) {
        if self.jobs[slot].place == Place::Ready {
            self.jobs.remove_ready(slot);
        }
        let job = &mut self.jobs[slot];
        self.waiting_bytes -= job.waiting;
        self.chunks.clear(&mut job.chunks);
        self.jobs.free(slot);
    }

    /// A job that is in no lane has its digest.
    pub(crate) fn finished(&mut self, slot: u32, digest: Digest) {
        let job = self.jobs.id(slot);
        self.jobs.free(slot);
        self.events.push(Event::Finished { job, digest });
    }

    /// Consumes `bytes` of the job's first chunk; none of them where the job may
    /// have no chunk at all.
    pub(crate) fn consume(&mut self, slot: u32, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.chunks.consume(&mut self.jobs[slot].chunks, bytes);
        self.consumed(slot, bytes);
    }

    /// A direct run is over: `bytes` of the job's first chunk are hashed. What is
    /// left of it is short of a block and becomes the tail.
    pub(crate) fn end_direct(&mut self, slot: u32, bytes: usize) {
        let job = &mut self.jobs[slot];
        let front = self.chunks.front(&job.chunks);
        let rest = front.len() - bytes;
        debug_assert!(job.tail_len == 0 && rest < BLOCK_BYTES);
        // By way of the chunk's last block, again since its length is known.
        let mut last = [0; 2 * BLOCK_BYTES];
        last[..BLOCK_BYTES].copy_from_slice(&front[front.len() - BLOCK_BYTES..]);
        let start = BLOCK_BYTES - rest;
        job.tail.copy_from_slice(&last[start..start + BLOCK_BYTES]);
        job.tail_len = small(rest);
        self.consume(slot, bytes + rest);
    }

    /// Copies what a job without a whole block still has in its chunks to its
    /// tail, so that an idle job holds no chunk.
    pub(crate) fn keep_tail(&mut self, slot: u32) {
        let job = &mut self.jobs[slot];
        let tail_len = usize::from(job.tail_len);
        let copied = self.chunks.take(&mut job.chunks, &mut job.tail[tail_len..]);
        job.tail_len = small(tail_len + copied);
        self.consumed(slot, copied);
    }

    fn consumed(&mut self, slot: u32, bytes: usize) {
        if bytes > 0 {
            let job = self.jobs.id(slot);
            self.jobs[slot].waiting -= bytes;
            self.waiting_bytes -= bytes;
            self.events.push(Event::Consumed { job, bytes });
        }
    }
}

impl<C: AsRef<[u8]>> Feed<Owner> for Streams<C> {
    /// A long chunk is hashed where it lies; the block that its beginning shares
    /// with what came before it is the run's head, and its end with the padding,
    /// if that is all that follows, the foot. All else is put together in the
    /// staging buffer: small chunks, and what is left for the padding.
    fn prepare(&mut self, owner: &mut Owner, stage: &mut [u8]) -> Run {
        let job = &mut self.jobs[owner.slot];
        let tail_len = usize::from(job.tail_len);
        // With a tail, the head takes so much of the first chunk.
        let joined = (BLOCK_BYTES - tail_len) % BLOCK_BYTES;
        let front = self.chunks.front(&job.chunks);
        let is_lone = self.chunks.is_last(&job.chunks);
        if front.len()
            >= joined
                + if is_lone {
                    LONE_DIRECT_BYTES_MIN
                } else {
                    DIRECT_BYTES_MIN
                }
        {
            let (body, tail) = front[joined..].as_chunks::<BLOCK_BYTES>();
            let head = joined > 0;
            if head {
                // Whole blocks: a copy of known length is a few instructions,
                // and what lies behind the head is not read.
                stage[..BLOCK_BYTES].copy_from_slice(&job.tail);
                stage[tail_len..tail_len + BLOCK_BYTES].copy_from_slice(&front[..BLOCK_BYTES]);
                job.tail_len = 0;
            }
            owner.last = job.finishing && is_lone && pad_block(&mut stage[FOOT], tail, job.length);
            owner.foot_bytes = if owner.last { small(tail.len()) } else { 0 };
            let run = Run {
                blocks: usize::from(head) + body.len() + usize::from(owner.last),
                head,
                foot: owner.last,
                ..Run::direct(0)
            };
            self.consume(owner.slot, joined);
            return run;
        }
        stage[..BLOCK_BYTES].copy_from_slice(&job.tail);
        let copied = self
            .chunks
            .take(&mut job.chunks, &mut stage[tail_len..STAGE_BYTES]);
        let end = tail_len + copied;
        owner.last = job.finishing && job.chunks.is_empty();
        owner.foot_bytes = 0;
        let blocks = if owner.last {
            pad(stage, end, job.length) / BLOCK_BYTES
        } else {
            let whole = end - end % BLOCK_BYTES;
            // Likewise, with whatever lies behind the tail.
            job.tail.copy_from_slice(&stage[whole..whole + BLOCK_BYTES]);
            job.tail_len = small(end - whole);
            whole / BLOCK_BYTES
        };
        self.consumed(owner.slot, copied);
        Run::staged(blocks)
    }

    fn direct(&self, owner: &Owner) -> &[u8] {
        self.chunks.front(&self.jobs[owner.slot].chunks)
    }
}
