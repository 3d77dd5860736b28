//! Reads a file or, if the user asks for it, maps it.
//!
//! Why files are not mapped by default: eight files of 17.8 MB are hashed at 5.00 GB/s mapped and
//! 4.13 GB/s read, 350 files of up to 7 MB at 3.62 and 3.48 GB/s (docs/measurements.md,
//! Alternatives that were measured). But if a mapped file is truncated, the process ends, and Rust
//! guarantees nothing if another process writes to it. So the user decides.

use std::io;
use std::rc::Rc;

use memmap2::Mmap;

use super::ahead::Ahead;
use super::buffers::{Buffers, CHUNK_BYTES, Chunk};
use crate::tasks::Source;

/// Shorter files are read: mapping one costs more than copying it.
const MAPPED_BYTES_MIN: u64 = 1 << 20;

/// A file and its position.
pub(super) enum Contents {
    Read(Ahead),
    Mapped { map: Rc<Mmap>, at: usize },
}

impl Contents {
    pub(super) fn open(source: &Source, mmap: bool) -> io::Result<Self> {
        let file = source.open()?;
        if mmap && file.metadata()?.len() >= MAPPED_BYTES_MIN {
            // SAFETY: this process never writes to the map. Rust guarantees nothing if another
            // process writes to the file meanwhile; `--mmap` documents that and leaves it to the
            // user. Then the digests may be of mixed contents. If the file is truncated or its disk
            // fails, the system ends the process with SIGBUS.
            #[allow(unsafe_code)]
            let map = unsafe { Mmap::map(&file) };
            // If a file cannot be mapped, it is read.
            if let Ok(map) = map {
                // If this fails, the map is slower, but still correct.
                #[cfg(unix)]
                let _ = map.advise(memmap2::Advice::Sequential);
                let map = Rc::new(map);
                return Ok(Self::Mapped { map, at: 0 });
            }
        }
        Ok(Self::Read(Ahead::new(file)))
    }

    /// The next bytes, and whether the file has ended.
    pub(super) fn next(&mut self, buffers: &mut Buffers) -> io::Result<(Chunk, bool)> {
        match self {
            Self::Read(file) => buffers.read(file),
            Self::Mapped { map, at } => {
                let start = *at;
                *at = map.len().min(start + CHUNK_BYTES);
                let chunk = Chunk::Mapped(Rc::clone(map), start..*at);
                Ok((chunk, *at == map.len()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_mapped_if_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let least = usize::try_from(MAPPED_BYTES_MIN).unwrap();
        for (len, mmap, is_mapped) in [
            (least, true, true),
            (least + 1, true, true),
            (least - 1, true, false),
            (0, true, false),
            (least, false, false),
        ] {
            let path = folder.path().join("file");
            let data: Vec<u8> = (0..=250).cycle().take(len).collect();
            std::fs::write(&path, &data).unwrap();
            let mut contents = Contents::open(&Source::File(path), mmap).unwrap();
            let case = format!("{len} {mmap}");
            let mapped = matches!(contents, Contents::Mapped { .. });
            assert_eq!(mapped, is_mapped, "{case}");
            let (mut read, mut buffers) = (Vec::new(), Buffers::default());
            loop {
                let (chunk, is_at_end) = contents.next(&mut buffers).unwrap();
                read.extend_from_slice(chunk.as_ref());
                if is_at_end {
                    break;
                }
            }
            assert!(read == data, "{case}");
        }
    }
}
