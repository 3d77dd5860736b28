//! The queue of log lines.
//!
//! ```text
//! any thread ── a line ──> Waiting (BYTES_MAX) ──> a separate thread ──> standard error
//!                             └─ full: the line is lost, and counted
//! ```
//!
//! No thread writes while it holds the lock, so a logging thread waits for a memory copy at most.
//!
//! Why a thread: a full pipe would block every worker at its next line.
//! server/tests/server/logged.rs fills the pipe: calls are answered, and lost lines are counted.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Size of the queue, some thousand lines: a burst of a busy server at `debug` fits.
const BYTES_MAX: usize = 1 << 20;

#[derive(Debug, Default)]
struct Waiting {
    lines: Vec<u8>,
    /// True while the thread writes lines it has taken.
    writing: bool,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    lost: AtomicU64,
}

/// The sending side of the queue. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Lines(Arc<Shared>);

impl Lines {
    /// Starts the thread that writes to `to`.
    pub(super) fn to(to: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("log".to_owned());
        thread.spawn(move || of_thread.write_forever(to))?;
        Ok(Self(shared))
    }

    /// Lines lost because the queue was full.
    pub(super) fn lost(&self) -> u64 {
        self.0.lost.load(Relaxed)
    }

    /// Waits until all lines are written, at most for `within`.
    pub(super) fn flush(&self, within: Duration) {
        let waits = |waiting: &mut Waiting| waiting.writing || !waiting.lines.is_empty();
        // On timeout there is nothing more to do.
        let _ = self
            .0
            .changed
            .wait_timeout_while(self.0.lock(), within, waits);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_forever(&self, mut to: impl Write) {
        let mut lines = Vec::new();
        loop {
            lines.clear();
            let mut waiting = self.lock();
            waiting.writing = false;
            self.changed.notify_all();
            let mut waiting = self
                .changed
                .wait_while(waiting, |waiting| waiting.lines.is_empty())
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut waiting.lines, &mut lines);
            waiting.writing = true;
            drop(waiting);
            // A failed write cannot be logged, but it is counted.
            if to.write_all(&lines).and_then(|()| to.flush()).is_err() {
                let count = lines.iter().filter(|byte| **byte == b'\n').count();
                self.lost.fetch_add(count as u64, Relaxed);
            }
        }
    }
}

/// tracing writes each line with one call.
impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock();
        if waiting.lines.len() + line.len() > BYTES_MAX {
            self.0.lost.fetch_add(1, Relaxed);
        } else {
            waiting.lines.extend_from_slice(line);
            self.0.changed.notify_all();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Writes only when the test allows it.
    struct Slow(Receiver<()>, Sender<Vec<u8>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0.recv().is_ok() {
                let _ = self.1.send(bytes.to_vec());
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let lines = Lines::to(Full).unwrap();
        for _ in 0..3 {
            assert_eq!((&lines).write(b"a line\n").unwrap(), 7);
        }
        lines.flush(Duration::from_secs(30));
        assert_eq!(lines.lost(), 3);
    }

    #[test]
    fn who_does_not_read_loses_lines_and_holds_nobody_up() {
        const LINE: &[u8] = &[b'x'; 1 << 10];
        let (go, wait) = channel();
        let (written, read) = channel();
        let lines = Lines::to(Slow(wait, written)).unwrap();
        // One batch is with the thread, and one batch waits.
        for _ in 0..3 * BYTES_MAX / LINE.len() {
            assert_eq!((&lines).write(LINE).unwrap(), LINE.len());
        }
        let lost = lines.lost();
        let fitting = (BYTES_MAX / LINE.len()) as u64;
        assert!((fitting..=2 * fitting).contains(&lost), "{lost}");
        lines.flush(Duration::from_millis(1));
        // Lines that were not lost are written when the reader continues.
        go.send(()).unwrap();
        go.send(()).unwrap();
        lines.flush(Duration::from_secs(30));
        let bytes: usize = read.try_iter().map(|bytes| bytes.len()).sum();
        assert_eq!(bytes as u64 / 1024 + lost, 3 * fitting);
        assert_eq!(lines.lost(), lost);
    }
}
