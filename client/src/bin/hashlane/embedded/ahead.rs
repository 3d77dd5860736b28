//! Lets the system read files ahead, so that the disk works while other files, or earlier bytes,
//! are hashed.
//!
//! Why: one cold file of 1.5 GB takes 1.25 s instead of 1.52 s, and 22,000 files take 3.8 s instead
//! of 4.8 s (docs/measurements.md, Alternatives that were measured).

use std::fs::File;
use std::io::{self, Read};

/// Bytes per request. The system does not accept much larger ones.
const REQUEST_BYTES: u64 = 512 << 10;
/// Bytes that are read ahead of the position in a long file.
const AHEAD_BYTES: u64 = 4 << 20;

/// A file, and how far it was read ahead.
pub(super) struct Ahead {
    file: File,
    read: u64,
    requested: u64,
}

impl Ahead {
    pub(super) fn new(file: File) -> Self {
        let mut ahead = Self {
            file,
            read: 0,
            requested: 0,
        };
        ahead.request();
        ahead
    }

    #[cfg(target_os = "linux")]
    fn request(&mut self) {
        use rustix::fs::{Advice, fadvise};
        let bytes = std::num::NonZeroU64::new(REQUEST_BYTES);
        // If this fails, reads are slower, but still correct.
        let _ = fadvise(&self.file, self.requested, bytes, Advice::WillNeed);
        self.requested += REQUEST_BYTES;
    }

    #[cfg(not(target_os = "linux"))]
    fn request(&mut self) {
        self.requested += REQUEST_BYTES;
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.read += bytes as u64;
        // Most files end before half of the first request.
        if self.read >= REQUEST_BYTES / 2 {
            while bytes > 0 && self.requested < self.read + AHEAD_BYTES {
                self.request();
            }
        }
        Ok(bytes)
    }
}
