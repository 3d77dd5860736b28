//! One message of a [`Shared`](super::Shared) engine.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use bytes::{Bytes, BytesMut};

use super::inbox::Message;
use super::state::{PartState, Stopped, Unfinished};
use super::workers::Workers;
use crate::algorithm::Algorithm;
use crate::digest::Digest;

/// Bytes that writes and short chunks are collected to.
const WRITE_BYTES: usize = 64 << 10;

/// Shorter chunks are copied: each message to the worker takes memory and time of its own.
const CHUNK_BYTES_MIN: usize = 4 << 10;

/// A message that a worker of a [`Shared`](super::Shared) engine hashes. Dropped before
/// [`finish`](Self::finish), it is cancelled.
///
/// Calls come in two kinds: [`update`](Self::update) and [`finish`](Self::finish) block the thread,
/// [`update_async`](Self::update_async) and [`finish_async`](Self::finish_async) are for tasks of
/// any runtime. As [`io::Write`], it copies what is written.
#[derive(Debug)]
pub struct SharedPart {
    workers: Arc<Workers>,
    worker: usize,
    state: Arc<PartState>,
    /// Bytes written and not sent yet.
    written: BytesMut,
    is_finished: bool,
}

impl SharedPart {
    pub(super) fn new(workers: &Arc<Workers>, algorithms: &[Algorithm]) -> Self {
        let state = Arc::<PartState>::default();
        let worker = workers.open();
        let open = Message::Open(Unfinished::new(&state), algorithms.into());
        // If the worker has panicked, the message is dropped, and the state tells it.
        workers.inbox(worker).send(&state, open);
        Self {
            workers: Arc::clone(workers),
            worker,
            state,
            written: BytesMut::new(),
            is_finished: false,
        }
    }

    /// Appends `data` to the message, without a copy from 4 KiB on. While the part has 1 MiB of
    /// unhashed bytes, this blocks.
    ///
    /// # Errors
    /// The worker has panicked, or a kernel is faulty.
    pub fn update(&mut self, data: impl Into<Bytes>) -> Result<(), Stopped> {
        block_on(|cx| self.state.poll_room(cx))?;
        self.append(data.into())
    }

    /// Like [`update`](Self::update), for tasks. If the future is dropped before it is ready,
    /// `data` is not appended.
    ///
    /// # Errors
    /// The worker has panicked, or a kernel is faulty.
    pub async fn update_async(&mut self, data: impl Into<Bytes>) -> Result<(), Stopped> {
        std::future::poll_fn(|cx| self.state.poll_room(cx)).await?;
        self.append(data.into())
    }

    /// Ends the message and returns its digests, in the order of the algorithms.
    ///
    /// # Errors
    /// The worker has panicked, or a kernel is faulty.
    pub fn finish(mut self) -> Result<Vec<(Algorithm, Digest)>, Stopped> {
        self.end()?;
        block_on(|cx| self.state.poll_digests(cx))
    }

    /// Like [`finish`](Self::finish), for tasks.
    ///
    /// # Errors
    /// The worker has panicked, or a kernel is faulty.
    pub async fn finish_async(mut self) -> Result<Vec<(Algorithm, Digest)>, Stopped> {
        self.end()?;
        std::future::poll_fn(|cx| self.state.poll_digests(cx)).await
    }

    fn end(&mut self) -> Result<(), Stopped> {
        self.push_written()?;
        self.is_finished = true;
        self.send(Message::Finish)
    }

    /// Appends after what was written. The part has room.
    fn append(&mut self, data: Bytes) -> Result<(), Stopped> {
        if data.len() >= CHUNK_BYTES_MIN {
            self.push_written()?;
            return self.push(data);
        }
        if self.written.len() + data.len() > WRITE_BYTES {
            self.push_written()?;
        }
        self.collect(&data);
        Ok(())
    }

    /// Copies as many of the bytes as there is space for. Returns their number.
    fn collect(&mut self, data: &[u8]) -> usize {
        if self.written.is_empty() {
            // Space of chunks that are hashed is used again.
            self.written.reserve(WRITE_BYTES);
        }
        let taken = data.len().min(WRITE_BYTES - self.written.len());
        self.written.extend_from_slice(&data[..taken]);
        taken
    }

    fn push_written(&mut self) -> Result<(), Stopped> {
        let written = self.written.split().freeze();
        self.push(written)
    }

    fn push(&mut self, data: Bytes) -> Result<(), Stopped> {
        if data.is_empty() {
            return Ok(());
        }
        self.state.sent(data.len());
        self.send(Message::Push(data))
    }

    fn send(&self, message: Message) -> Result<(), Stopped> {
        let inbox = self.workers.inbox(self.worker);
        inbox
            .send(&self.state, message)
            .then_some(())
            .ok_or(Stopped::Panic)
    }
}

impl io::Write for SharedPart {
    /// Copies `data`, and blocks like [`update`](SharedPart::update).
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let taken = self.collect(data);
        if self.written.len() == WRITE_BYTES {
            block_on(|cx| self.state.poll_room(cx))?;
            self.push_written()?;
        }
        Ok(taken)
    }

    /// Does nothing: [`finish`](SharedPart::finish) passes the rest to the worker.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for SharedPart {
    fn drop(&mut self) {
        self.workers.close(self.worker);
        if !self.is_finished {
            let _ = self.send(Message::Cancel);
        }
    }
}

/// Polls until it is ready. Parks the thread meanwhile.
fn block_on<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    // Most polls are ready, so they make no waker.
    if let Poll::Ready(ready) = poll(&mut Context::from_waker(Waker::noop())) {
        return ready;
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(ready) => return ready,
            Poll::Pending => thread::park(),
        }
    }
}
