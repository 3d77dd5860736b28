//! The chunks of one job, in order. The first is stored with the job: most jobs have no other. The
//! chunks after it form a list in an arena that all jobs share. So an idle job has no memory for a
//! queue, and a warm engine allocates nothing per chunk.

use super::arena::{Arena, NONE};

/// A chunk after another.
#[derive(Debug)]
pub(crate) struct Link<C> {
    /// `None` in a free place.
    chunk: Option<C>,
    next: u32,
}

/// The waiting chunks of all jobs, except first chunks.
pub(crate) type Links<C> = Arena<Link<C>>;

/// The chunks of one job.
#[derive(Debug)]
pub(crate) struct Chunks<C> {
    first: Option<C>,
    /// Consumed bytes of the first chunk, fewer than its length.
    offset: usize,
    /// Bytes of all chunks that are not consumed yet.
    waiting: usize,
    next: u32,
    last: u32,
}

impl<C: AsRef<[u8]>> Chunks<C> {
    pub(crate) const fn new() -> Self {
        Self {
            first: None,
            offset: 0,
            waiting: 0,
            next: NONE,
            last: NONE,
        }
    }

    /// Bytes that are not consumed yet.
    #[inline]
    pub(crate) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Adds a chunk at the end, of at least one byte.
    #[inline]
    pub(crate) fn push(&mut self, links: &mut Links<C>, chunk: C) {
        debug_assert!(!chunk.as_ref().is_empty());
        let waiting = self.waiting.checked_add(chunk.as_ref().len());
        self.waiting = waiting.expect("no more bytes wait than memory can have");
        if self.first.is_none() {
            self.first = Some(chunk);
            return;
        }
        let chunk = Some(chunk);
        let link = links.insert(Link { chunk, next: NONE });
        if self.next == NONE {
            self.next = link;
        } else {
            links[self.last].next = link;
        }
        self.last = link;
    }

    /// The unconsumed rest of the first chunk; empty if there is none.
    #[inline]
    pub(crate) fn front(&self) -> &[u8] {
        match &self.first {
            Some(chunk) => &chunk.as_ref()[self.offset..],
            None => &[],
        }
    }

    /// Whether a chunk follows the first.
    #[inline]
    pub(crate) const fn has_more(&self) -> bool {
        self.next != NONE
    }

    /// Copies the next bytes to `buffer`, as many as both have. Returns their number.
    #[inline]
    pub(crate) fn copy_to(&self, links: &Links<C>, buffer: &mut [u8]) -> usize {
        let front = self.front();
        let mut end = front.len().min(buffer.len());
        buffer[..end].copy_from_slice(&front[..end]);
        let mut next = self.next;
        while end < buffer.len() && next != NONE {
            let link = &links[next];
            let chunk = link.chunk.as_ref().map_or(&[][..], C::as_ref);
            let bytes = chunk.len().min(buffer.len() - end);
            buffer[end..end + bytes].copy_from_slice(&chunk[..bytes]);
            end += bytes;
            next = link.next;
        }
        end
    }

    /// Consumes the next `bytes` bytes and drops fully consumed chunks.
    ///
    /// # Panics
    /// If fewer bytes wait.
    #[inline]
    pub(crate) fn consume(&mut self, links: &mut Links<C>, bytes: usize) {
        self.waiting = self.waiting.checked_sub(bytes).expect("no more than wait");
        let mut offset = self.offset + bytes;
        loop {
            let len = self.first.as_ref().map_or(0, |chunk| chunk.as_ref().len());
            if offset < len || len == 0 {
                self.offset = offset;
                return;
            }
            offset -= len;
            self.first = None;
            self.first = self.take_next(links);
        }
    }

    /// Takes the first chunk, which consumes its rest.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(crate) fn take_first(&mut self, links: &mut Links<C>) -> C {
        self.waiting -= self.front().len();
        self.offset = 0;
        let next = self.take_next(links);
        std::mem::replace(&mut self.first, next).expect("a chunk")
    }

    /// Takes the chunk after the first out of its link.
    #[inline]
    fn take_next(&mut self, links: &mut Links<C>) -> Option<C> {
        if self.next == NONE {
            return None;
        }
        let at = self.next;
        let link = &mut links[at];
        self.next = link.next;
        let chunk = link.chunk.take();
        links.free(at);
        chunk
    }

    /// Drops every chunk. Returns the bytes that were not consumed.
    pub(crate) fn clear(&mut self, links: &mut Links<C>) -> usize {
        let waiting = self.waiting;
        self.consume(links, waiting);
        waiting
    }
}
