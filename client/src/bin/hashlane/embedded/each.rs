//! Hashes one source after another, each as a single stream.

use std::io::{self, Read};
use std::sync::{Arc, mpsc};
use std::thread;

use hashlane_engine::{Algorithm, Digest, Hasher};

use super::buffers::read_some;
use super::contents::Contents;
use super::job::Job;
use super::settings::Embedded;
use crate::task_dispatch::Report;
use crate::task_queues::{Queue, Shared};
use crate::tasks::{Outcome, Source};

/// Bytes passed at a time from the reading thread to the hashing thread: about 0.2 ms of SHA-256,
/// much more than the cost of a wake-up. Other sizes were not measured.
const PIECE_BYTES: usize = 256 << 10;
/// One piece is being read, one is being hashed, and one is in between.
const PIECES: usize = 3;

/// Hashes the queue's tasks one after another.
pub(super) fn hash(
    embedded: &Embedded,
    shared: &Shared,
    queue: &Queue,
    results: &mpsc::Sender<Report>,
) {
    while let Some(task) = queue.take() {
        let reported = Job::begin(task).and_then(|mut job| {
            let digests = pass(embedded, shared, &mut job);
            let unreadable = |error| (job.number, Outcome::Unreadable(Arc::new(error)));
            digests
                .map_err(unreadable)
                .map(|digests| job.finish(&digests))
        });
        let reported = reported.unwrap_or_else(|fault| fault);
        if results.send(Ok(vec![reported])).is_err() {
            return;
        }
    }
}

/// Reads the source once for all its digests.
fn pass(
    embedded: &Embedded,
    shared: &Shared,
    job: &mut Job,
) -> io::Result<Vec<(Algorithm, Digest)>> {
    let hasher = |algorithm: &Algorithm| (*algorithm, Hasher::new(*algorithm));
    let mut hashers: Vec<_> = job.algorithms.iter().map(hasher).collect();
    let source = job.task.source.clone();
    let hash = |data: &[u8]| {
        for (_, hasher) in &mut hashers {
            hasher.update(data);
        }
        job.read(data);
        embedded.progress.inc(data.len() as u64);
        !shared.is_over()
    };
    match source {
        Source::Stdin => read(io::stdin(), hash)?,
        source => match Contents::open(&source, embedded.mmap)? {
            Contents::Read(file) => read(file, hash)?,
            Contents::Mapped { map, .. } => {
                let _ = map.chunks(PIECE_BYTES).all(hash);
            }
        },
    }
    let hashers = hashers.into_iter();
    Ok(hashers
        .map(|(algorithm, hasher)| (algorithm, hasher.finalize()))
        .collect())
}

/// Reads to the end, or until `hash` returns false.
fn read(mut reader: impl Read + Send, mut hash: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let bytes = read_some(&mut reader, &mut piece)?;
        if bytes == 0 || !hash(&piece[..bytes]) {
            return Ok(());
        }
        // A file that fills a whole piece is treated as long.
        if bytes == PIECE_BYTES
            && let Some(read) = overlapped(&mut reader, &mut hash)
        {
            return read;
        }
    }
}

/// Like `read`, but another thread reads the next piece while one is hashed. `None` if no thread
/// can be started; nothing has been read then.
fn overlapped(
    reader: &mut (impl Read + Send),
    hash: &mut impl FnMut(&[u8]) -> bool,
) -> Option<io::Result<()>> {
    let (give_back, empty) = mpsc::channel::<Vec<u8>>();
    let (give, filled) = mpsc::channel();
    thread::scope(|scope| {
        let reading = move || {
            for mut piece in empty {
                let bytes = read_some(reader, &mut piece)?;
                // The receiver is gone after the run's end.
                if bytes == 0 || give.send((piece, bytes)).is_err() {
                    break;
                }
            }
            Ok(())
        };
        let reading = thread::Builder::new().spawn_scoped(scope, reading).ok()?;
        let give_back = give_back;
        // If the thread has ended, it needs no buffer; `join` returns the reason.
        let again = |piece| _ = give_back.send(piece);
        (0..PIECES).for_each(|_| again(vec![0; PIECE_BYTES]));
        for (piece, bytes) in filled {
            if !hash(&piece[..bytes]) {
                break;
            }
            again(piece);
        }
        drop(give_back);
        // Waits for the read in progress.
        let read = reading.join();
        Some(read.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns its bytes in limited pieces, and then this error.
    struct Failing<'a> {
        bytes: &'a [u8],
        /// The limits for the first read and for all others.
        most: [usize; 2],
        error: Option<io::Error>,
    }

    impl Read for Failing<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.bytes.is_empty() {
                return self.error.take().map_or(Ok(0), Err);
            }
            let bytes = room.len().min(self.most[0]);
            self.most[0] = self.most[1];
            self.bytes.read(&mut room[..bytes])
        }
    }

    #[test]
    fn every_byte_is_hashed_in_order_wherever_pieces_end() {
        for len in [
            0,
            1,
            PIECE_BYTES - 1,
            PIECE_BYTES,
            PIECE_BYTES + 1,
            2 * PIECE_BYTES,
            (2 * PIECES + 1) * PIECE_BYTES + 7,
        ] {
            let data: Vec<u8> = (0..=250).cycle().take(len).collect();
            // Only this thread; both threads with short reads; both with whole pieces.
            for most in [[10_007; 2], [usize::MAX, 10_007], [usize::MAX; 2]] {
                let mut hashed = Vec::new();
                let hash = |piece: &[u8]| {
                    hashed.extend_from_slice(piece);
                    true
                };
                let source = Failing {
                    bytes: &data,
                    most,
                    error: None,
                };
                read(source, hash).unwrap();
                assert!(hashed == data, "{len} {most:?}");
            }
        }
    }

    #[test]
    fn a_read_that_fails_is_told_from_either_thread() {
        let data = vec![0; 4 * PIECE_BYTES];
        for len in [0, PIECE_BYTES, 4 * PIECE_BYTES] {
            let source = Failing {
                bytes: &data[..len],
                most: [usize::MAX; 2],
                error: Some(io::Error::other("bad sector")),
            };
            let error = read(source, |_| true).unwrap_err();
            assert_eq!(error.to_string(), "bad sector", "{len}");
        }
    }

    #[test]
    fn an_endless_source_is_left_when_the_run_is_over() {
        for wanted in [0, 1, 5] {
            let mut pieces = 0;
            let hash = |_: &[u8]| {
                pieces += 1;
                pieces <= wanted
            };
            read(io::repeat(0), hash).unwrap();
            assert_eq!(pieces, wanted + 1);
        }
    }
}
