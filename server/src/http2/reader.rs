//! Reads a socket for h2, one frame at a time.
//!
//! By itself, h2 reads 8 KiB to find a frame's head, moves these bytes to a buffer with room for
//! the frame, and reads the rest: two reads per frame and, with frames of 16 KiB, a copy of half
//! the bytes. This reader reads several frames at once, into memory that the worker's connections
//! share and that stays in cache. It hands the bytes on so that h2 makes room for each frame before
//! its bytes are copied there. Once the head of a large frame is known, the rest is read into h2's
//! buffer without a copy.
//!
//! ```text
//! frames up to 16 KiB   socket ── one read for several ──> ahead ── copied ──> h2
//! larger                socket ── the head ──> ahead ──> h2 makes room
//!                       socket ── the rest ─────────────────────────────────> h2
//! ```
//!
//! Frames that mean nothing are skipped (frames.rs). So a head is handed on only when it is
//! complete.
//!
//! Why: with frames of 16 KiB, prototypes took 0.378 CPU s/GB with h2 alone and 0.339 with this
//! reader. Tests count the reads. Two fuzz targets compare the reader with the same bytes whole,
//! and with a connection that uses h2 alone.

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::frames::{Frames, HEAD_BYTES};
use super::intake::Intake;
use crate::limits::AHEAD_BYTES;
use crate::scratch::{Ahead, FRONT_BYTES, Scratch};

/// Bytes read ahead after a large frame, when the next is expected to be large too. A small value
/// keeps the copy of that frame's beginning small.
const AHEAD_BYTES_LARGE: usize = 512;

/// If at least this much of a frame is missing, it is read into h2's buffer directly.
const LARGE_BYTES: usize = 24 << 10;

/// How long a closed connection still reads and discards input. If TCP closes with unread input, it
/// sends a reset, and the client loses the last answer.
const LINGER: Duration = Duration::from_secs(1);

/// Reads discarded before other connections get their turn.
const LINGER_READS: usize = 4;

/// Bytes of an incomplete head.
const KEPT_MAX: usize = HEAD_BYTES - 1;

const _: () = assert!(
    KEPT_MAX <= FRONT_BYTES,
    "they are put in front of those that follow"
);

/// The beginning of a head, kept without a buffer because the rest may take long to arrive.
#[derive(Debug, Default)]
struct Kept {
    bytes: [u8; KEPT_MAX],
    len: usize,
}

/// A socket that is read only when its connection may read.
pub(crate) struct Reader<S> {
    socket: S,
    intake: Rc<Intake>,
    scratch: Rc<Scratch>,
    frames: Frames,
    ahead: Ahead,
    ahead_bytes: usize,
    kept: Kept,
    /// Until when the reader discards input after the close.
    linger: Option<Pin<Box<Sleep>>>,
    /// The write side is shut down.
    is_shut: bool,
}

impl<S> Reader<S> {
    pub(crate) fn new(socket: S, intake: &Rc<Intake>, scratch: &Rc<Scratch>) -> Self {
        Self {
            socket,
            intake: Rc::clone(intake),
            scratch: Rc::clone(scratch),
            frames: Frames::new(),
            ahead: Ahead::default(),
            ahead_bytes: AHEAD_BYTES,
            kept: Kept::default(),
            linger: None,
            is_shut: false,
        }
    }

    /// Hands on as much of the bytes read ahead as is useful now, possibly none.
    fn hand_on(&mut self, buf: &mut ReadBuf<'_>) {
        let skipped = self.frames.skip(self.ahead.bytes());
        self.ahead.take(skipped, &self.scratch);
        let bytes = self.ahead.bytes();
        let passed = self.frames.pass_whole(bytes, buf.remaining());
        buf.put_slice(&bytes[..passed]);
        self.ahead.take(passed, &self.scratch);
        let left = self.ahead.bytes();
        let len = left.len();
        if self.frames.rest() == 0 && len <= KEPT_MAX {
            self.kept.len = len;
            self.kept.bytes[..len].copy_from_slice(left);
            self.ahead.take(len, &self.scratch);
        }
        self.intake.count_frames(&self.frames.take_seen());
    }

    /// Hands on an incomplete head after the end of the stream.
    fn hand_on_kept(&mut self, buf: &mut ReadBuf<'_>) {
        let Kept { bytes, len } = &mut self.kept;
        let passed = buf.remaining().min(*len);
        buf.put_slice(&bytes[..passed]);
        bytes.copy_within(passed..*len, 0);
        *len -= passed;
    }
}

impl<S: AsyncRead + Unpin> Reader<S> {
    /// Reads ahead. Ready without bytes at the end of the stream.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let kept = &self.kept.bytes[..self.kept.len];
        let bytes = self.ahead_bytes;
        let filled = self
            .ahead
            .poll_fill(&self.scratch, kept, bytes, &mut self.socket, cx);
        if !self.ahead.is_empty() {
            let kept = std::mem::take(&mut self.kept.len);
            self.intake.count_bytes(self.ahead.bytes().len() - kept);
        }
        filled
    }

    /// Reads the rest of a large frame into h2's buffer.
    fn poll_rest(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let mut rest = (&mut self.socket).take(self.frames.rest() as u64);
        let polled = Pin::new(&mut rest).poll_read(cx, buf);
        let read = buf.filled().len() - before;
        self.frames.pass(read);
        self.intake.count_bytes(read);
        self.intake.count_frames(&self.frames.take_seen());
        polled
    }
}

impl<S: AsyncRead + Unpin> Reader<S> {
    fn poll(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        // Ready with no bytes would mean the end of the stream, so read again while all bytes are
        // skipped.
        while buf.filled().len() == before && buf.remaining() > 0 {
            let held = !self.ahead.is_empty();
            ready!(self.intake.poll_may_read(cx, held));
            if held {
                self.hand_on(buf);
            }
            if self.frames.rest() >= LARGE_BYTES && self.ahead.is_empty() && buf.remaining() > 0 {
                self.ahead_bytes = AHEAD_BYTES_LARGE;
                let polled = self.poll_rest(cx, buf);
                // The next read returns the socket's error again.
                return if held { Poll::Ready(Ok(())) } else { polled };
            }
            if !held {
                ready!(self.poll_ahead(cx))?;
                self.ahead_bytes = AHEAD_BYTES;
                if self.ahead.is_empty() {
                    self.hand_on_kept(buf);
                    break;
                }
                self.hand_on(buf);
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Reader<S> {
    /// Shuts down the write side, then discards input until the client closes too.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let linger = self.linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if linger.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        if !self.is_shut {
            // TLS writes its close_notify first.
            ready!(Pin::new(&mut self.socket).poll_shutdown(cx))?;
            self.is_shut = true;
        }
        let mut buffer = self.scratch.take();
        let socket = &mut self.socket;
        let ended = (0..LINGER_READS).find_map(|_| {
            let mut space = ReadBuf::new(&mut buffer);
            let polled = Pin::new(&mut *socket).poll_read(cx, &mut space);
            space.filled().is_empty().then_some(polled)
        });
        self.scratch.put(buffer);
        let Some(ended) = ended else {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        };
        // Socket errors no longer matter.
        ended.map(|_| Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Reader<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let polled = this.poll(cx, buf);
        this.intake.set_waits(polled.is_pending());
        polled
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Reader<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.intake.set_written(polled.is_ready());
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        self.intake.set_written(polled.is_ready());
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_linger(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::task::{Wake, Waker};

    use super::*;
    use crate::limits::Backlog;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    /// A socket that holds these bytes and returns at most `read_max` at a time.
    struct Arrived {
        bytes: VecDeque<u8>,
        read_max: usize,
        reads: Rc<std::cell::Cell<usize>>,
    }

    impl AsyncRead for Arrived {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            self.reads.set(self.reads.get() + 1);
            let count = buf.remaining().min(self.read_max).min(self.bytes.len());
            for byte in self.bytes.drain(..count) {
                buf.put_slice(&[byte]);
            }
            Poll::Ready(Ok(()))
        }
    }

    /// Imitates h2: a buffer of 8 KiB for a head, then room for the frame behind it.
    struct Taken {
        bytes: Vec<u8>,
        /// Start of the first incomplete frame.
        frame: usize,
        wakes: Arc<Wakes>,
    }

    impl Taken {
        fn new() -> Self {
            Self {
                bytes: Vec::new(),
                frame: 24,
                wakes: Arc::default(),
            }
        }

        /// Missing bytes of a frame whose head has arrived.
        fn missing(&mut self) -> usize {
            while let Some([a, b, c]) = self.bytes.get(self.frame..).and_then(<[u8]>::first_chunk) {
                let end = self.frame + 9 + u32::from_be_bytes([0, *a, *b, *c]) as usize;
                if end > self.bytes.len() {
                    return end - self.bytes.len();
                }
                self.frame = end;
            }
            0
        }

        /// One turn: reads until the reader pends or has no more.
        fn turn<S: AsyncRead + Unpin>(&mut self, reader: &mut Reader<S>) -> usize {
            let before = self.bytes.len();
            let waker = Waker::from(Arc::clone(&self.wakes));
            reader.intake.begin_turn(&waker);
            let mut cx = Context::from_waker(&waker);
            loop {
                let mut space = vec![0; self.missing().max(8192)];
                let mut buf = ReadBuf::new(&mut space);
                match Pin::new(&mut *reader).poll_read(&mut cx, &mut buf) {
                    Poll::Ready(read) => read.unwrap(),
                    Poll::Pending => break,
                }
                if buf.filled().is_empty() {
                    break;
                }
                self.bytes.extend_from_slice(buf.filled());
            }
            self.bytes.len() - before
        }
    }

    fn reader(bytes: &[u8], read_max: usize, backlog: &Rc<Backlog>) -> Reader<Arrived> {
        let socket = Arrived {
            bytes: bytes.iter().copied().collect(),
            read_max,
            reads: Rc::default(),
        };
        Reader::new(socket, &Intake::new(backlog, 1), &Scratch::new())
    }

    /// The client's bytes: preface, settings, then frames of the given lengths.
    fn sent(lengths: impl IntoIterator<Item = usize>) -> Vec<u8> {
        let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        sent.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        for (i, len) in lengths.into_iter().enumerate() {
            let [_, a, b, c] = u32::try_from(len).unwrap().to_be_bytes();
            sent.extend_from_slice(&[a, b, c, 0, 0, 0, 0, 0, 1]);
            sent.extend((0..len).map(|at| u8::try_from((at + i) % 251).unwrap()));
        }
        sent
    }

    #[test]
    fn every_byte_comes_through_in_order_however_it_arrives() {
        let lengths = [
            0, 1, 300, 16_384, 65_555, 20, 24_575, 24_576, 131_072, 3, 16_384, 9,
        ];
        let sent = sent(lengths.into_iter().cycle().take(40));
        for read_max in [1, 7, 512, 513, 5000, 65_536, usize::MAX] {
            let mut reader = reader(&sent, read_max, &Backlog::new());
            let mut taken = Taken::new();
            while taken.turn(&mut reader) > 0 {}
            assert!(taken.bytes == sent, "reads of {read_max}");
            assert!(reader.scratch.kept() <= 1);
        }
    }

    /// Empty DATA is never handed on, wherever its head is split, and an incomplete head keeps no
    /// buffer.
    #[test]
    fn empty_data_is_passed_over_however_it_arrives() {
        let open = [0, 0, 0, 1, 4, 0, 0, 0, 1];
        let empty = [0; 8].into_iter().chain([1]);
        let full = sent([300, 0]).split_off(33);
        let mut right = sent([]);
        right.extend(open.iter().chain(&full[..309]));
        let mut sent = sent([]);
        sent.extend(open);
        sent.extend(empty.clone().cycle().take(9 * 200));
        sent.extend(&full[..309]);
        sent.extend(empty.cycle().take(9 * 7));
        for read_max in [1, 2, 8, 9, 10, 100, usize::MAX] {
            let mut reader = reader(&sent, read_max, &Backlog::new());
            let mut taken = Taken::new();
            while taken.turn(&mut reader) > 0
                || !reader.ahead.is_empty()
                || !reader.socket.bytes.is_empty()
            {
                assert!(reader.kept.len == 0 || reader.ahead.is_empty());
            }
            assert!(taken.bytes == right, "reads of {read_max}");
            assert_eq!(reader.scratch.kept(), 1);
        }
    }

    /// An incomplete head at the end of the stream is for h2 to judge.
    #[test]
    fn the_beginning_of_a_head_is_handed_on_at_the_end() {
        let whole = sent([5]);
        for cut in 1..9 {
            let sent = &whole[..33 + cut];
            let mut reader = reader(sent, usize::MAX, &Backlog::new());
            let mut taken = Taken::new();
            while taken.turn(&mut reader) > 0 {}
            assert!(taken.bytes == sent, "{cut}");
        }
    }

    #[test]
    fn several_frames_take_one_read_and_large_ones_two() {
        // Reads that find no data count too.
        for (len, frames_per_read) in [(1000, 30.0), (16_384, 3.5), (65_555, 0.45)] {
            let count = 200_u32;
            let sent = sent([len; 200]);
            let mut reader = reader(&sent, usize::MAX, &Backlog::new());
            let mut taken = Taken::new();
            while taken.turn(&mut reader) > 0 {}
            let reads = u32::try_from(reader.socket.reads.get()).unwrap();
            let per_read = f64::from(count) / f64::from(reads);
            assert!(per_read > frames_per_read, "{len}: {per_read}");
        }
    }

    #[test]
    fn turns_are_bounded_in_bytes() {
        // On a slow machine the time bound may end a turn sooner.
        let sent = sent([16_384; 100]);
        let mut reader = reader(&sent, usize::MAX, &Backlog::new());
        let mut taken = Taken::new();
        let turn = taken.turn(&mut reader);
        assert!((1..384 << 10).contains(&turn), "{turn}");
        assert!(taken.wakes.0.load(Relaxed) > 0, "it comes back by itself");
        assert!(taken.turn(&mut reader) > 0);
    }

    #[test]
    fn small_frames_are_handed_on_in_small_pieces() {
        let sent = sent([10; 20_000]);
        let mut reader = reader(&sent, usize::MAX, &Backlog::new());
        let mut space = vec![0; 1 << 20];
        let mut buf = ReadBuf::new(&mut space);
        reader.intake.begin_turn(Waker::noop());
        let mut cx = Context::from_waker(Waker::noop());
        assert!(
            Pin::new(&mut reader)
                .poll_read(&mut cx, &mut buf)
                .is_ready()
        );
        assert!((1..=64 * 19 + 33).contains(&buf.filled().len()));
    }

    #[test]
    fn nothing_is_read_while_enough_waits_to_be_hashed() {
        let sent = sent([16_384; 100]);
        let backlog = Backlog::new();
        let mut reader = reader(&sent, usize::MAX, &backlog);
        let mut taken = Taken::new();
        // While the engine has too few jobs for its lanes, it may get more.
        backlog.set(512 << 10, false);
        assert!(taken.turn(&mut reader) > 0);
        let reads = reader.socket.reads.get();
        for (waiting_bytes, has_lanes) in [(2 << 20, false), (512 << 10, true)] {
            backlog.set(waiting_bytes, has_lanes);
            let wakes = taken.wakes.0.load(Relaxed);
            assert_eq!(taken.turn(&mut reader), 0);
            assert!(taken.wakes.0.load(Relaxed) > wakes, "it stays ready");
        }
        assert_eq!(reader.socket.reads.get(), reads);
        backlog.set((512 << 10) - 1, true);
        assert!(taken.turn(&mut reader) > 0);
    }
}
