//! The jobs of an engine and their bytes: what [`Engine`](crate::Engine) has
//! beside its lanes.

use crate::{
    chunks::ChunkPool,
    engine::{Event, small},
    job::{JobId, Jobs, Place},
    kernel::BLOCK_BYTES,
    lanes::{Feed, STAGE_BYTES, Source},
    padding::{Digest, LENGTH_BYTES_MAX, pad},
};

/// A chunk with less than this left is copied to the staging buffer together
/// with what follows it, so that its last blocks do not make a short step.
const DIRECT_BYTES_MIN: usize = STAGE_BYTES;

/// Who is in a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) slot: u32,
    /// The run ends with the message's last block.
    pub(crate) last: bool,
}

/// Jobs, their chunks, and what is to be told of them.
pub(crate) struct Streams<C> {
    pub(crate) jobs: Jobs,
    chunks: ChunkPool<C>,
    pub(crate) events: Vec<Event>,
    pub(crate) waiting_bytes: usize,
}

impl<C: AsRef<[u8]>> Streams<C> {
    pub(crate) const fn new() -> Self {
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

    /// Copies what a job without a whole block still has in its chunk to its
    /// tail, so that an idle job holds no chunk.
    pub(crate) fn keep_tail(&mut self, slot: u32) {
        let job = &mut self.jobs[slot];
        let mut copied = 0;
        while !job.chunks.is_empty() {
            let rest = self.chunks.front(&job.chunks);
            let start = usize::from(job.tail_len);
            job.tail[start..start + rest.len()].copy_from_slice(rest);
            job.tail_len = small(start + rest.len());
            let bytes = rest.len();
            self.chunks.consume(&mut job.chunks, bytes);
            copied += bytes;
        }
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
    /// A long chunk that starts on a block edge is hashed where it lies. All
    /// else is put together in the staging buffer: the tail, small chunks, the
    /// end of one chunk and the beginning of the next, and padding.
    fn prepare(&mut self, owner: &mut Owner, stage: &mut [u8]) -> (Source, usize) {
        let job = &mut self.jobs[owner.slot];
        let front = self.chunks.front(&job.chunks).len();
        if job.tail_len == 0 && front >= DIRECT_BYTES_MIN {
            return (Source::Direct, front / BLOCK_BYTES);
        }
        // The whole tail buffer: a copy of known length is a few instructions.
        stage[..BLOCK_BYTES].copy_from_slice(&job.tail);
        let mut end = usize::from(job.tail_len);
        let mut copied = 0;
        while end < STAGE_BYTES && !job.chunks.is_empty() {
            let front = self.chunks.front(&job.chunks);
            let bytes = front.len().min(STAGE_BYTES - end);
            stage[end..end + bytes].copy_from_slice(&front[..bytes]);
            self.chunks.consume(&mut job.chunks, bytes);
            end += bytes;
            copied += bytes;
        }
        owner.last = job.finishing && job.chunks.is_empty();
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
        (Source::Staged, blocks)
    }

    fn direct(&self, owner: &Owner) -> &[u8] {
        self.chunks.front(&self.jobs[owner.slot].chunks)
    }
}
