//! Files, hashed as one batch.
//!
//! Each file is read into a buffer of its own: one copy, out of
//! the page cache into memory that stays in L2 until it is hashed. Mapping the
//! files instead would save the copy and cost a page fault per 4 KiB, and a file
//! that somebody truncates meanwhile would end the process.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, Read},
    path::Path,
    rc::Rc,
};

use crate::{
    algorithm::Algorithm,
    batch::Messages,
    digest::Digest,
    hash_many::{Warm, crossover},
    schedule::{Crossover, Occupancy},
};

/// Bytes of one read. Against 16 KiB, 64 KiB measured 15% faster and
/// 128 KiB 18% (Zen 4, warm page cache).
const READ_BYTES: usize = 128 << 10;

/// The digest of each file, in input order, on this thread. At most 64 files are
/// open at a time.
///
/// # Errors
/// Per file: what opening or reading it gave. A file that cannot be read does
/// not disturb the others.
///
/// # Panics
/// If there are 2^32 files or more.
pub fn hash_files(algorithm: Algorithm, paths: &[impl AsRef<Path>]) -> Vec<io::Result<Digest>> {
    FileBatch::new(crossover(), algorithm).hash(paths)
}

/// [`hash_files`] with a crossover of the caller's choice; warm lanes and buffers are used
/// again.
pub struct FileBatch {
    warm: Warm,
    buffers: Buffers,
}

impl FileBatch {
    /// A batch that chooses kernels by `crossover`.
    #[must_use]
    pub fn new(crossover: Crossover, algorithm: Algorithm) -> Self {
        Self {
            warm: Warm::new(crossover, algorithm),
            buffers: Buffers::default(),
        }
    }

    /// The digest of each file, in input order.
    ///
    /// # Errors
    /// Per file, as [`hash_files`].
    ///
    /// # Panics
    /// If there are 2^32 files or more.
    pub fn hash(&mut self, paths: &[impl AsRef<Path>]) -> Vec<io::Result<Digest>> {
        let count = u32::try_from(paths.len()).expect("fewer than 2^32 files");
        let none = Digest::zero(self.warm.algorithm.digest_bytes());
        let entry = |path| Entry::new(path, none);
        let mut files: Vec<Entry<'_>> = paths.iter().map(|path| entry(path.as_ref())).collect();
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|index| files[*index as usize].size);
        let sizes = files.iter().map(|entry| entry.size);
        let mut messages = Files {
            waiting: sizes.fold(0, u64::saturating_add),
            files: &mut files,
            order,
            buffers: Rc::clone(&self.buffers),
        };
        self.warm.run(&mut messages);
        files.into_iter().map(|entry| entry.outcome).collect()
    }

    /// How full the lanes were, since the batch was made.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        &self.warm.occupancy
    }
}

/// Buffers that nobody reads.
type Buffers = Rc<RefCell<Vec<Vec<u8>>>>;

/// What was read into a buffer, which goes back when it is dropped.
struct Chunk {
    bytes: Vec<u8>,
    len: usize,
    buffers: Buffers,
}

impl Chunk {
    /// Reads until a buffer is full or the file ends.
    fn read(file: &mut File, buffers: &Buffers) -> io::Result<Self> {
        let free = buffers.borrow_mut().pop();
        let mut chunk = Self {
            bytes: free.unwrap_or_else(|| vec![0; READ_BYTES]),
            len: 0,
            buffers: Rc::clone(buffers),
        };
        while chunk.len < READ_BYTES {
            match file.read(&mut chunk.bytes[chunk.len..]) {
                Ok(0) => break,
                Ok(bytes) => chunk.len += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(chunk)
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.buffers.borrow_mut().push(bytes);
    }
}

struct Entry<'a> {
    path: &'a Path,
    /// What the file system says; only the order of hashing depends on it.
    size: u64,
    read: u64,
    file: Option<File>,
    outcome: io::Result<Digest>,
}

impl<'a> Entry<'a> {
    fn new(path: &'a Path, none: Digest) -> Self {
        Self {
            path,
            size: path.metadata().map_or(0, |metadata| metadata.len()),
            read: 0,
            file: None,
            outcome: Ok(none),
        }
    }

    /// The next bytes; fewer than [`READ_BYTES`] are the last.
    fn read(&mut self, buffers: &Buffers) -> io::Result<Chunk> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(self.path)?),
        };
        let chunk = Chunk::read(file, buffers)?;
        self.read += chunk.len as u64;
        Ok(chunk)
    }
}

struct Files<'a, 'b> {
    files: &'a mut [Entry<'b>],
    /// Files in the order they start, last first.
    order: Vec<u32>,
    /// Bytes of those in `order`.
    waiting: u64,
    buffers: Buffers,
}

impl Messages<Chunk> for Files<'_, '_> {
    fn next(&mut self) -> Option<u32> {
        let index = self.order.pop()?;
        self.waiting = self.waiting.saturating_sub(self.files[index as usize].size);
        Some(index)
    }

    fn read(&mut self, index: u32) -> (Option<Chunk>, bool) {
        let entry = &mut self.files[index as usize];
        let chunk = match entry.read(&self.buffers) {
            Ok(chunk) if chunk.len == READ_BYTES => return (Some(chunk), false),
            Ok(chunk) => Some(chunk),
            Err(error) => {
                // Ends the message in its lane; its digest is not recorded.
                entry.outcome = Err(error);
                None
            }
        };
        entry.file = None;
        (chunk, true)
    }

    fn rest(&self, index: u32) -> u64 {
        let entry = &self.files[index as usize];
        entry.size.saturating_sub(entry.read)
    }

    fn next_bytes(&self) -> u64 {
        let next = self.order.last();
        next.map_or(0, |index| self.files[*index as usize].size)
    }

    fn waiting(&self) -> u64 {
        self.waiting
    }

    fn digest(&mut self, index: u32) -> Option<&mut Digest> {
        self.files[index as usize].outcome.as_mut().ok()
    }
}
