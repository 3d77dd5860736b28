//! The chunks that wait, of all jobs, in one pool.
//!
//! A job's chunks are a linked list through the pool, so an idle job costs no
//! memory for its queue and a warm engine allocates nothing per chunk.

/// No chunk.
const NONE: u32 = u32::MAX;

/// The ends of one job's list, and how much of its first chunk is consumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkList {
    first: u32,
    last: u32,
    /// Bytes of the first chunk that are consumed.
    offset: usize,
}

impl ChunkList {
    pub(crate) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
        offset: 0,
    };

    pub(crate) const fn is_empty(&self) -> bool {
        self.first == NONE
    }
}

struct Node<C> {
    /// `None` while the node is free.
    chunk: Option<C>,
    next: u32,
}

/// Storage of all lists.
pub(crate) struct ChunkPool<C> {
    nodes: Vec<Node<C>>,
    /// Free nodes, linked through `next`.
    free: u32,
}

impl<C: AsRef<[u8]>> ChunkPool<C> {
    pub(crate) const fn new() -> Self {
        Self {
            nodes: Vec::new(),
            free: NONE,
        }
    }

    /// Adds a chunk at the end of `list`.
    pub(crate) fn push(&mut self, list: &mut ChunkList, chunk: C) {
        let node = Node {
            chunk: Some(chunk),
            next: NONE,
        };
        let index = if self.free == NONE {
            let index = u32::try_from(self.nodes.len()).expect("fewer than 2^32 chunks");
            self.nodes.push(node);
            index
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            index
        };
        if list.is_empty() {
            list.first = index;
            list.offset = 0;
        } else {
            self.nodes[list.last as usize].next = index;
        }
        list.last = index;
    }

    /// What is left of the first chunk; empty if there is none.
    #[inline]
    pub(crate) fn front<'a>(&'a self, list: &ChunkList) -> &'a [u8] {
        if list.is_empty() {
            return &[];
        }
        let chunk = self.nodes[list.first as usize].chunk.as_ref();
        &chunk.expect("a listed node holds a chunk").as_ref()[list.offset..]
    }

    /// Whether the list has one chunk.
    #[inline]
    pub(crate) const fn is_last(&self, list: &ChunkList) -> bool {
        list.first == list.last && !list.is_empty()
    }

    /// Copies from the list to `buffer` and consumes what was copied, until one
    /// is full or the other empty. Returns the bytes copied.
    #[inline]
    pub(crate) fn take(&mut self, list: &mut ChunkList, buffer: &mut [u8]) -> usize {
        let mut end = 0;
        while end < buffer.len() && !list.is_empty() {
            let front = self.front(list);
            let bytes = front.len().min(buffer.len() - end);
            buffer[end..end + bytes].copy_from_slice(&front[..bytes]);
            self.consume(list, bytes);
            end += bytes;
        }
        end
    }

    /// Marks `bytes` of the first chunk as consumed and drops the chunk once all
    /// of it is.
    pub(crate) fn consume(&mut self, list: &mut ChunkList, bytes: usize) {
        let left = self.front(list).len();
        assert!(bytes <= left, "consumed more than there is");
        if bytes < left {
            list.offset += bytes;
        } else {
            self.pop(list);
        }
    }

    /// Drops every chunk of the list.
    pub(crate) fn clear(&mut self, list: &mut ChunkList) {
        while !list.is_empty() {
            self.pop(list);
        }
    }

    fn pop(&mut self, list: &mut ChunkList) {
        let index = list.first;
        let node = &mut self.nodes[index as usize];
        node.chunk = None;
        list.first = std::mem::replace(&mut node.next, self.free);
        list.offset = 0;
        self.free = index;
    }
}
