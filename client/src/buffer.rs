//! Space for a part's next bytes, which the program fills itself.

use std::fs::File;
use std::io::{self, Read as _, Write};

use crate::shared_memory::{SLOT_BYTES, Slot};

/// Space for the next bytes of a [`Part`](crate::Part): write into it, or read a file into it, and
/// give it to [`Part::write_buffer`](crate::Part::write_buffer).
///
/// If the server shares memory, the space is in that memory: the server copies the bytes from
/// there, and no other copy is made. Otherwise the space is memory of this process, and works the
/// same way.
///
/// It holds [`capacity`](Self::capacity) bytes. `write` takes what fits, and 0 bytes if it is full.
#[derive(Debug)]
pub struct Buffer(Space);

#[derive(Debug)]
pub(crate) enum Space {
    Shared(Slot),
    Own { bytes: Vec<u8>, capacity: usize },
}

impl Buffer {
    /// Space in this slot, or else for `capacity` bytes in this process.
    pub(crate) fn new(slot: Option<Slot>, capacity: usize) -> Self {
        Self(slot.map_or_else(
            || Space::Own {
                bytes: Vec::with_capacity(capacity),
                capacity,
            },
            Space::Shared,
        ))
    }

    pub(crate) fn into_space(self) -> Space {
        self.0
    }

    /// Bytes that it holds when it is full.
    pub fn capacity(&self) -> usize {
        match &self.0 {
            Space::Shared(_) => SLOT_BYTES,
            Space::Own { capacity, .. } => *capacity,
        }
    }

    /// Bytes in it.
    pub fn len(&self) -> usize {
        match &self.0 {
            Space::Shared(slot) => slot.len(),
            Space::Own { bytes, .. } => bytes.len(),
        }
    }

    /// Whether no byte is in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no more bytes fit.
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity()
    }

    /// Appends the file's next bytes, until the buffer is full or the file has ended. Returns how
    /// many bytes that is. Blocks as long as the file does.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_file(&mut self, file: &File) -> io::Result<usize> {
        match &mut self.0 {
            Space::Shared(slot) => slot.read(file),
            Space::Own { bytes, capacity } => {
                let rest = (*capacity - bytes.len()) as u64;
                file.take(rest).read_to_end(bytes)
            }
        }
    }
}

impl Write for Buffer {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Space::Shared(slot) => slot.append(data),
            Space::Own { bytes, capacity } => {
                let taken = data.len().min(*capacity - bytes.len());
                bytes.extend_from_slice(&data[..taken]);
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
