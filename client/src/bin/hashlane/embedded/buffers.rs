//! Chunks of files in reused buffers: a new buffer for each read would cost as much as the read.

use std::cell::RefCell;
use std::io::{self, Read};
use std::ops::Range;
use std::rc::Rc;

use memmap2::Mmap;

/// Bytes per read. Measured from 16 to 128 KiB: shorter reads cost more, longer ones gain nothing.
pub(super) const CHUNK_BYTES: usize = 64 << 10;
/// Buffers begin at different offsets in a page, so that the lanes' reads do not conflict in the
/// same cache sets.
const STAGGER_BYTES: usize = 128;
const PAGE_BYTES: usize = 4096;

/// Buffers returned by consumed chunks.
#[derive(Default)]
pub(super) struct Buffers {
    free: Rc<RefCell<Vec<Buffer>>>,
    made: usize,
}

struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

impl Buffers {
    /// Reads until a buffer is full or the file has ended. Returns the chunk, and whether the file
    /// has ended.
    pub(super) fn read(&mut self, reader: &mut impl Read) -> io::Result<(Chunk, bool)> {
        let mut filled = Filled {
            buffer: self.take(),
            len: 0,
            home: Rc::clone(&self.free),
        };
        filled.len = fill(&mut filled.buffer.bytes[filled.buffer.start..], reader)?;
        let is_at_end = filled.len < CHUNK_BYTES;
        Ok((Chunk::Filled(Rc::new(filled)), is_at_end))
    }

    fn take(&mut self) -> Buffer {
        let buffer = self.free.borrow_mut().pop();
        buffer.unwrap_or_else(|| {
            let start = self.made * STAGGER_BYTES % PAGE_BYTES;
            self.made += 1;
            Buffer {
                bytes: vec![0; start + CHUNK_BYTES],
                start,
            }
        })
    }
}

/// Reads until `room` is full or the file has ended. Returns how many bytes were read.
fn fill(room: &mut [u8], reader: &mut impl Read) -> io::Result<usize> {
    let mut filled = 0;
    while filled < room.len() {
        match read_some(reader, &mut room[filled..])? {
            0 => break,
            bytes => filled += bytes,
        }
    }
    Ok(filled)
}

/// One read, retried after a signal.
pub(super) fn read_some(reader: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Bytes of a file. The engine clones a chunk for each digest of a file.
#[derive(Clone)]
pub(super) enum Chunk {
    /// A filled buffer.
    Filled(Rc<Filled>),
    /// A piece of a mapped file.
    Mapped(Rc<Mmap>, Range<usize>),
}

/// A buffer that is returned when this is dropped.
pub(super) struct Filled {
    buffer: Buffer,
    len: usize,
    home: Rc<RefCell<Vec<Buffer>>>,
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Filled(filled) => &filled.buffer.bytes[filled.buffer.start..][..filled.len],
            Self::Mapped(map, range) => &map[range.clone()],
        }
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
        let (chunk, is_at_end) = buffers.read(&mut reader).unwrap();
        assert!(!is_at_end);
        assert_eq!(chunk.as_ref(), &data[..CHUNK_BYTES]);
        let (chunk, is_at_end) = buffers.read(&mut reader).unwrap();
        assert!(is_at_end);
        assert_eq!(chunk.as_ref(), &data[CHUNK_BYTES..]);
    }

    #[test]
    fn a_dropped_chunk_s_buffer_is_used_again_and_empty() {
        let mut buffers = Buffers::default();
        let (chunk, _) = buffers.read(&mut &b"left over"[..]).unwrap();
        let place = chunk.as_ref().as_ptr();
        let clone = chunk.clone();
        drop(chunk);
        assert_eq!(clone.as_ref(), b"left over");
        drop(clone);
        let (chunk, _) = buffers.read(&mut &b""[..]).unwrap();
        assert_eq!(chunk.as_ref(), b"");
        assert_eq!(chunk.as_ref().as_ptr(), place);
        assert_eq!(buffers.made, 1);
    }
}
