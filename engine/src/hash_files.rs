//! Files, hashed as one batch.
//!
//! Each lane reads its file straight into its staging buffer: one copy, out of
//! the page cache into memory that stays in L2 until it is hashed. Mapping the
//! files instead would save the copy and cost a page fault per 4 KiB, and a file
//! that somebody truncates meanwhile would end the process.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::{
    batch::{self, Message, Messages},
    crossover::Crossover,
    hash_many::crossover,
    kernel::BLOCK_BYTES,
    lanes::{Lanes, Run},
    occupancy::Occupancy,
    padding::{Digest, pad},
};

/// Bytes of one read. A lane is filled just before its kernel call, so only the
/// lanes of one call must fit L2. Against 16 KiB, 64 KiB measured 15% faster and
/// 128 KiB 18% (Zen 4, warm page cache).
const READ_BYTES: usize = 128 << 10;

/// SHA-256 of each file, in input order, on this thread. At most 32 files are
/// open at a time.
///
/// # Errors
/// Per file: what opening or reading it gave. A file that cannot be read does
/// not disturb the others.
///
/// # Panics
/// If there are 2^32 files or more.
pub fn hash_files(paths: &[impl AsRef<Path>]) -> Vec<io::Result<Digest>> {
    FileBatch::new(crossover()).hash(paths)
}

/// [`hash_files`] with a crossover of the caller's choice; warm lanes are used again.
pub struct FileBatch {
    crossover: Crossover,
    lanes: Lanes<Message>,
}

impl FileBatch {
    /// A batch that chooses kernels by `crossover`.
    #[must_use]
    pub fn new(crossover: Crossover) -> Self {
        Self {
            crossover,
            lanes: Lanes::new(READ_BYTES),
        }
    }

    /// SHA-256 of each file, in input order.
    ///
    /// # Errors
    /// Per file, as [`hash_files`].
    ///
    /// # Panics
    /// If there are 2^32 files or more.
    pub fn hash(&mut self, paths: &[impl AsRef<Path>]) -> Vec<io::Result<Digest>> {
        let count = u32::try_from(paths.len()).expect("fewer than 2^32 files");
        let mut files: Vec<Entry<'_>> =
            paths.iter().map(|path| Entry::new(path.as_ref())).collect();
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|index| files[*index as usize].size);
        let mut feed = Files {
            waiting: files
                .iter()
                .fold(0, |sum, entry| sum.saturating_add(entry.size)),
            files: &mut files,
            order,
        };
        batch::run(&self.crossover, &mut self.lanes, &mut feed);
        files.into_iter().map(|entry| entry.outcome).collect()
    }

    /// How full the lanes were, since the batch was made.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        self.lanes.occupancy()
    }
}

struct Entry<'a> {
    path: &'a Path,
    /// What the file system says; only the order of hashing depends on it.
    size: u64,
    file: Option<File>,
    outcome: io::Result<Digest>,
}

impl<'a> Entry<'a> {
    fn new(path: &'a Path) -> Self {
        Self {
            path,
            size: path.metadata().map_or(0, |metadata| metadata.len()),
            file: None,
            outcome: Ok([0; 32]),
        }
    }

    /// Reads until `buffer` is full or the file ends.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(self.path)?),
        };
        let mut end = 0;
        while end < buffer.len() {
            match file.read(&mut buffer[end..]) {
                Ok(0) => break,
                Ok(bytes) => end += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(end)
    }
}

struct Files<'a, 'b> {
    files: &'a mut [Entry<'b>],
    /// Files in the order they start, last first.
    order: Vec<u32>,
    /// Bytes of those in `order`.
    waiting: u64,
}

impl Messages for Files<'_, '_> {
    fn next(&mut self) -> Option<u32> {
        let index = self.order.pop()?;
        self.waiting = self.waiting.saturating_sub(self.files[index as usize].size);
        Some(index)
    }

    fn prepare(&mut self, message: &mut Message, stage: &mut [u8]) -> Run {
        let entry = &mut self.files[message.index as usize];
        let length = match entry.read(&mut stage[..READ_BYTES]) {
            Ok(READ_BYTES) => return Run::staged(READ_BYTES / BLOCK_BYTES),
            Ok(end) => message.start + end as u64,
            Err(error) => {
                // Ends the message in its lane; its digest is not recorded.
                entry.outcome = Err(error);
                message.start
            }
        };
        entry.file = None;
        message.last = true;
        let end = usize::try_from(length - message.start).expect("less than a read");
        Run::staged(pad(stage, end, length) / BLOCK_BYTES)
    }

    fn direct(&self, _: &Message) -> &[u8] {
        &[] // every run is staged
    }

    fn rest(&self, message: &Message) -> u64 {
        let size = self.files[message.index as usize].size;
        size.saturating_sub(message.start)
    }

    fn next_bytes(&self) -> u64 {
        let next = self.order.last();
        next.map_or(0, |index| self.files[*index as usize].size)
    }

    fn waiting(&self) -> u64 {
        self.waiting
    }

    fn finish(&mut self, index: u32, digest: Digest) {
        if let Ok(outcome) = &mut self.files[index as usize].outcome {
            *outcome = digest;
        }
    }
}
