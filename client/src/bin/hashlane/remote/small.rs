//! Sends small files as parts of a few streams and reads them in groups: a call and a read on
//! another thread for each file would cost several times as much as its bytes.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::future::join_all;
use hashlane_client::DigestStream;
use indicatif::ProgressBar;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::run::Run;
use crate::task_dispatch::{Numbered, PanicEnds, Reported};
use crate::task_queues::Queue;
use crate::tasks::{Digested, Outcome};

/// Groups of a stream in progress: one is read while another is sent and hashed.
const GROUPS: u32 = 2;
/// A group is sent once it has this many bytes. With 64 KiB, thread wake-ups raise the total CPU
/// time by a third; 1 MiB does not fit the L2 cache and costs a tenth more.
const GROUP_BYTES: usize = 256 << 10;
/// Files in one group, however short.
const GROUP_FILES_MAX: usize = 256;
/// Longer files get their own call.
const FILE_BYTES_MAX: usize = 256 << 10;
/// If a first read returns this many bytes, the file may be much longer.
const PROBE_BYTES: usize = 64 << 10;
/// Room for a group just before it is full, and for the file that fills it. One more byte shows
/// that this file is too long.
const BUFFER_BYTES: usize = GROUP_BYTES + FILE_BYTES_MAX + 1;

/// Files that were read together.
#[derive(Default)]
struct Group {
    files: Vec<(Numbered, Range<usize>)>,
    /// Files that are too long.
    long: Vec<Numbered>,
    unreadable: Vec<Reported>,
    buffer: Vec<u8>,
    filled: usize,
}

/// Buffers for reuse: a new buffer costs as much as the read into it.
#[derive(Default)]
pub(super) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    fn take(&self) -> Vec<u8> {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| vec![0; BUFFER_BYTES])
    }

    fn give_back(&self, buffer: Bytes) {
        // If the transport still holds a piece of the buffer, it is not reused.
        if let Ok(buffer) = buffer.try_into_mut() {
            let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            free.push(buffer.into());
        }
    }
}

/// Reads and sends small files of the queue, until it is closed.
pub(super) async fn run(run: Arc<Run>, buffers: Arc<Buffers>) {
    let _panic_ends = PanicEnds;
    let mut stream = None;
    let groups = Arc::new(Semaphore::new(GROUPS as usize));
    loop {
        let Ok(permit) = Arc::clone(&groups).acquire_owned().await else {
            return;
        };
        let (reading, of_group) = (Arc::clone(&run), Arc::clone(&buffers));
        let group = tokio::task::spawn_blocking(move || {
            let _panic_ends = PanicEnds;
            let queue = &reading.shared.queue;
            let first = queue.take()?;
            let mut group = Group {
                buffer: of_group.take(),
                ..Group::default()
            };
            group.gather(first, queue, &reading.progress);
            Some(group)
        });
        // No task means that the queue is closed.
        let Ok(Some(group)) = group.await else {
            break;
        };
        // A stream is a call, so open none for long files alone.
        if !group.files.is_empty() && stream.is_none() {
            stream = Some(Arc::new(run.client.open_stream()));
        }
        let (run, buffers) = (Arc::clone(&run), Arc::clone(&buffers));
        tokio::spawn(send(run, buffers, stream.clone(), group, permit));
    }
    // Wait until all groups are answered.
    let _ = groups.acquire_many(GROUPS).await;
    if let Some(stream) = stream.and_then(Arc::into_inner) {
        let _ = stream.finish().await;
    }
}

impl Group {
    /// Takes and reads files until the group is full or the queue is empty.
    fn gather(&mut self, first: Numbered, queue: &Queue, progress: &ProgressBar) {
        let mut next = Some(first);
        while let Some((number, task)) = next {
            let room = &mut self.buffer[self.filled..][..=FILE_BYTES_MAX];
            match task.source.open().and_then(|file| read(file, room)) {
                Err(error) => {
                    let outcome = Outcome::Unreadable(Arc::new(error));
                    self.unreadable.push((number, outcome));
                }
                Ok(None) => self.long.push((number, task)),
                Ok(Some(bytes)) => {
                    let end = self.filled + bytes;
                    self.files.push(((number, task), self.filled..end));
                    self.filled = end;
                    progress.inc(bytes as u64);
                }
            }
            let taken = self.files.len() + self.long.len() + self.unreadable.len();
            next = None;
            if self.filled < GROUP_BYTES && taken < GROUP_FILES_MAX {
                next = queue.try_take();
            }
        }
    }
}

/// Reads a whole file. `None` if it fills the buffer's room.
fn read(mut file: File, room: &mut [u8]) -> io::Result<Option<usize>> {
    let mut filled = 0;
    while filled < room.len() {
        let end = room.len().min(filled + PROBE_BYTES);
        match file.read(&mut room[filled..end]) {
            Ok(0) => return Ok(Some(filled)),
            Ok(bytes) => {
                // A long file will be read again by its own call, so stop here.
                if filled == 0
                    && bytes == PROBE_BYTES
                    && file.metadata()?.len() >= room.len() as u64
                {
                    return Ok(None);
                }
                filled += bytes;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Sends a group and reports its outcomes.
async fn send(
    run: Arc<Run>,
    buffers: Arc<Buffers>,
    stream: Option<Arc<DigestStream>>,
    group: Group,
    _permit: OwnedSemaphorePermit,
) {
    let _panic_ends = PanicEnds;
    run.report(group.unreadable);
    group.long.into_iter().for_each(|task| run.stream(task));
    let buffer = Bytes::from(group.buffer);
    if let Some(stream) = stream {
        let _call = run.calls.acquire().await;
        // All in one task: waking one task per file would cost as much as sending the file.
        let sending = group.files.into_iter().map(|((number, task), range)| {
            let (stream, bytes) = (&stream, buffer.slice(range));
            async move {
                let answer = stream.digest(bytes, &task.algorithms()[..]).await;
                (number, task, answer)
            }
        });
        let mut reported = Vec::with_capacity(sending.len());
        for (number, task, answer) in join_all(sending).await {
            match answer {
                Ok(answer) => {
                    let digested = Digested {
                        size_bytes: answer.size_bytes,
                        digests: answer.digests,
                        composites: Vec::new(),
                    };
                    reported.push((number, task.outcome(digested)));
                }
                // All other files would fail too.
                Err(error) if error.is_unavailable() => return run.give_up(&error),
                // The cause may be the stream, or another of its parts.
                Err(_) => run.stream((number, task)),
            }
        }
        run.report(reported);
    }
    buffers.give_back(buffer);
}
