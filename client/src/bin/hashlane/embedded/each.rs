//! One source after another, each as a stream of its own.

use std::io::{self, Read};
use std::sync::{Arc, mpsc};

use hashlane_engine::{Algorithm, Digest, Hasher};
use indicatif::ProgressBar;

use super::Batch;
use super::ahead::Ahead;
use super::buffers::CHUNK_BYTES;
use super::job::Job;
use super::queue::{Queue, Shared};
use crate::work::{Outcome, Source};

/// Hashes the queue's tasks one after another.
pub(super) fn hash(
    shared: &Shared,
    queue: &Queue,
    results: &mpsc::Sender<Batch>,
    progress: &ProgressBar,
) {
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Some(task) = queue.take() {
        let reported = Job::begin(task).and_then(|mut job| {
            let reader: io::Result<Box<dyn Read>> = match &job.task.source {
                Source::Stdin => Ok(Box::new(io::stdin().lock())),
                source => source
                    .open()
                    .map(|file| Box::new(Ahead::new(file)) as Box<dyn Read>),
            };
            let digests = reader
                .and_then(|mut reader| pass(&mut *reader, &mut job, &mut buffer, shared, progress));
            match digests {
                Ok(digests) => Ok(job.finish(&digests)),
                Err(error) => Err((job.number, Outcome::Unreadable(Arc::new(error)))),
            }
        });
        if results
            .send(vec![reported.unwrap_or_else(|fault| fault)])
            .is_err()
        {
            return;
        }
    }
}

/// One pass over the source for all its digests.
fn pass(
    reader: &mut dyn Read,
    job: &mut Job,
    buffer: &mut [u8],
    shared: &Shared,
    progress: &ProgressBar,
) -> io::Result<Vec<(Algorithm, Digest)>> {
    let hasher = |algorithm: &Algorithm| (*algorithm, Hasher::new(*algorithm));
    let mut hashers: Vec<_> = job.algorithms.iter().map(hasher).collect();
    while !shared.is_over() {
        let bytes = match reader.read(buffer) {
            Ok(0) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let data = &buffer[..bytes];
        for (_, hasher) in &mut hashers {
            hasher.update(data);
        }
        job.read(data);
        progress.inc(bytes as u64);
    }
    let hashers = hashers.into_iter();
    Ok(hashers
        .map(|(algorithm, hasher)| (algorithm, hasher.finalize()))
        .collect())
}
