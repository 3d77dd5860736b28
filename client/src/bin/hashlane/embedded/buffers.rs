//! Chunks of files in buffers that are used again: a fresh one for each read
//! would cost as much as the read.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// Bytes read at a time. Measured over 16 to 128 KiB: shorter reads cost more,
/// longer ones gain nothing.
pub(crate) const CHUNK_BYTES: usize = 64 << 10;
/// Buffers begin at different places of a page, so that the lanes' reads do not
/// fight for the same cache sets.
const STAGGER_BYTES: usize = 128;
const PAGE_BYTES: usize = 4096;

/// Buffers given back by chunks that have been consumed.
#[derive(Default)]
pub(crate) struct Buffers {
    free: Rc<RefCell<Vec<Buffer>>>,
    made: usize,
}

struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

impl Buffers {
    pub(crate) fn take(&mut self) -> Chunk {
        let buffer = self.free.borrow_mut().pop();
        let buffer = buffer.unwrap_or_else(|| {
            let start = self.made * STAGGER_BYTES % PAGE_BYTES;
            self.made += 1;
            Buffer {
                bytes: vec![0; start + CHUNK_BYTES],
                start,
            }
        });
        Chunk(Rc::new(Filled {
            buffer,
            len: 0,
            home: Rc::clone(&self.free),
        }))
    }
}

/// Bytes of a file, in a buffer that goes back when the engine drops it. The engine clones
/// them for each digest of a file.
#[derive(Clone)]
pub(crate) struct Chunk(Rc<Filled>);

struct Filled {
    buffer: Buffer,
    len: usize,
    home: Rc<RefCell<Vec<Buffer>>>,
}

impl Chunk {
    /// Reads until the buffer is full or the file has ended, and tells whether
    /// it has.
    ///
    /// # Panics
    /// If the chunk has been cloned.
    pub(crate) fn fill(&mut self, reader: &mut impl Read) -> io::Result<bool> {
        let chunk = Rc::get_mut(&mut self.0).expect("filled before it is handed out");
        while chunk.len < CHUNK_BYTES {
            let room = &mut chunk.buffer.bytes[chunk.buffer.start + chunk.len..];
            match reader.read(room) {
                Ok(0) => return Ok(true),
                Ok(bytes) => chunk.len += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.0.buffer.bytes[self.0.buffer.start..][..self.0.len]
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        let empty = Buffer {
            bytes: Vec::new(),
            start: 0,
        };
        let buffer = std::mem::replace(&mut self.buffer, empty);
        self.home.borrow_mut().push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_filled_by_short_reads_and_tells_the_end() {
        let data: Vec<u8> = (0..=250).cycle().take(CHUNK_BYTES + 5).collect();
        let (first, second) = data.split_at(1000);
        let mut reader = first.chain(second);
        let mut buffers = Buffers::default();
        let mut chunk = buffers.take();
        assert!(!chunk.fill(&mut reader).unwrap());
        assert_eq!(chunk.as_ref(), &data[..CHUNK_BYTES]);
        let mut chunk = buffers.take();
        assert!(chunk.fill(&mut reader).unwrap());
        assert_eq!(chunk.as_ref(), &data[CHUNK_BYTES..]);
    }

    #[test]
    fn a_dropped_chunk_s_buffer_is_used_again_and_empty() {
        let mut buffers = Buffers::default();
        let mut chunk = buffers.take();
        chunk.fill(&mut &b"left over"[..]).unwrap();
        let place = chunk.as_ref().as_ptr();
        let clone = chunk.clone();
        drop(chunk);
        assert_eq!(clone.as_ref(), b"left over");
        drop(clone);
        let chunk = buffers.take();
        assert_eq!(chunk.as_ref(), b"");
        assert_eq!(chunk.as_ref().as_ptr(), place);
        assert_eq!(buffers.made, 1);
    }
}
