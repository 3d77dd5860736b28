//! The queue of log lines, and the thread that writes them.
//!
//! ```text
//! any thread ── a line ──> queue (BYTES_MAX) ──> a separate thread ──> standard error
//!                           └─ full: the line is lost, and counted
//! ```
//!
//! Why a thread: a full pipe would block every worker at its next line.
//! server/tests/server/operator/log_lines.rs fills the pipe: calls are answered, and lost lines are
//! counted.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use tracing_subscriber::fmt::MakeWriter;

/// Size of the queue, some thousand lines: a burst of a busy server at `debug` fits.
const BYTES_MAX: usize = 1 << 20;

/// The sending side of the queue. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct LineQueue {
    queue: Sender<Vec<u8>>,
    /// Bytes that are not written yet.
    waiting_bytes: Arc<AtomicUsize>,
    lost: Arc<AtomicU64>,
}

impl LineQueue {
    /// Starts the thread that writes to `to`.
    pub(super) fn to(mut to: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, lines) = channel::<Vec<u8>>();
        let (waiting_bytes, lost) = (Arc::<AtomicUsize>::default(), Arc::<AtomicU64>::default());
        let shared = (Arc::clone(&waiting_bytes), Arc::clone(&lost));
        let thread = std::thread::Builder::new().name("log".to_owned());
        thread.spawn(move || {
            let (waiting_bytes, lost) = shared;
            for line in lines {
                // A failed write cannot be logged, but it is counted.
                if to.write_all(&line).and_then(|()| to.flush()).is_err() {
                    lost.fetch_add(1, Relaxed);
                }
                waiting_bytes.fetch_sub(line.len(), Relaxed);
            }
        })?;
        Ok(Self {
            queue,
            waiting_bytes,
            lost,
        })
    }

    /// Lines lost because the queue was full.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Relaxed)
    }

    /// Waits until all lines are written, at most for `within`.
    pub(super) fn flush(&self, within: Duration) {
        let began = Instant::now();
        while self.waiting_bytes.load(Relaxed) > 0 && began.elapsed() < within {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// tracing writes each line with one call.
impl Write for &LineQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let waiting = self.waiting_bytes.fetch_add(line.len(), Relaxed) + line.len();
        if waiting > BYTES_MAX || self.queue.send(line.to_vec()).is_err() {
            self.waiting_bytes.fetch_sub(line.len(), Relaxed);
            self.lost.fetch_add(1, Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use super::*;

    /// Writes only when the test allows it.
    struct Slow(Receiver<()>, Sender<Vec<u8>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            let _ = self.1.send(bytes.to_vec());
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
        let lines = LineQueue::to(Full).unwrap();
        for _ in 0..3 {
            assert_eq!((&lines).write(b"a line\n").unwrap(), 7);
        }
        lines.flush(Duration::from_secs(30));
        assert_eq!(lines.lost(), 3);
    }

    #[test]
    fn who_does_not_read_loses_lines_and_holds_nobody_up() {
        const LINE: &[u8] = &[b'x'; 1 << 10];
        const FITTING: usize = BYTES_MAX / LINE.len();
        let (go, wait) = channel();
        let (written, read) = channel();
        let lines = LineQueue::to(Slow(wait, written)).unwrap();
        for _ in 0..3 * FITTING {
            assert_eq!((&lines).write(LINE).unwrap(), LINE.len());
        }
        assert_eq!(lines.lost(), 2 * FITTING as u64);
        lines.flush(Duration::from_millis(1));
        // Lines that were not lost are written when the reader continues.
        drop(go);
        lines.flush(Duration::from_secs(30));
        assert_eq!(read.try_iter().count(), FITTING);
        assert_eq!(lines.lost(), 2 * FITTING as u64);
    }
}
