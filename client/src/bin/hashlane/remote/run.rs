//! What the tasks of a run share, and sources in calls of their own.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use hashlane_client::{Client, Error, Source as Bytes};
use indicatif::ProgressBar;
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::task_dispatch::{Numbered, PanicEnds, Report, Reported};
use crate::task_queues::Shared;
use crate::tasks::{Digested, Outcome, Source, Stop, Task, Want};

/// Most bytes of the first read from a source that may pause.
const FIRST_BYTES_MAX: usize = 64 << 10;

/// What the tasks of a run share.
pub(super) struct Run {
    pub(super) client: Client,
    pub(super) server: String,
    /// A permit for each source in a call of its own, and for each group.
    pub(super) calls: Semaphore,
    pub(super) shared: Shared,
    pub(super) results: mpsc::Sender<Report>,
    pub(super) progress: ProgressBar,
    pub(super) runtime: Handle,
}

impl Run {
    /// Hashes a source in a call of its own.
    pub(super) fn stream(self: &Arc<Self>, (number, task): Numbered) {
        let run = Arc::clone(self);
        self.runtime.spawn(async move {
            let _panic_ends = PanicEnds;
            let outcome = {
                let _call = run.calls.acquire().await;
                hash(&run.client, &task, run.progress.clone()).await
            };
            let outcome = outcome.map_or_else(|error| run.fault(error), Some);
            run.report(
                outcome
                    .map(|outcome| (number, outcome))
                    .into_iter()
                    .collect(),
            );
        });
    }

    /// The outcome of a source that was not hashed. `None` if the run has ended.
    fn fault(&self, error: Error) -> Option<Outcome> {
        match error {
            Error::Read(error) => Some(Outcome::Unreadable(error)),
            // Any other file would fail too.
            error if error.is_unavailable() => {
                self.give_up(&error);
                None
            }
            error => Some(Outcome::Refused(error.to_string())),
        }
    }

    pub(super) fn report(&self, reported: Vec<Reported>) {
        if !reported.is_empty() {
            // Without a receiver the run is over.
            let _ = self.results.send(Ok(reported));
        }
    }

    /// Ends the run, since the server is not available.
    pub(super) fn give_up(&self, error: &Error) {
        self.stop(format!("{}: {error}", self.server));
    }

    /// Ends the run.
    fn stop(&self, why: String) {
        let _ = self.results.send(Err(Stop::Trouble(why)));
    }
}

async fn hash(client: &Client, task: &Task, progress: ProgressBar) -> Result<Outcome, Error> {
    let bytes = match &task.source {
        Source::Stdin => once(Ok(tokio::io::stdin()), progress).await,
        Source::File(path) if task.source.may_wait() => {
            once(File::open(path).await, progress).await
        }
        // Read again if its server is lost.
        Source::File(path) | Source::Found(path) => Ok(Bytes::reopen(move || {
            let progress = progress.clone();
            async move {
                let reader = File::open(path).await?;
                Ok(Counted { reader, progress })
            }
        })),
        Source::Lost(error) => Err(Arc::clone(error)),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Outcome::Unreadable(error)),
    };
    Ok(match &task.want {
        Want::Digests(wanted) => {
            let answer = client.digest(bytes, &wanted.algorithms[..]).await?;
            Outcome::Digests(Digested {
                size_bytes: answer.size_bytes,
                digests: answer.digests,
                composites: Vec::new(),
            })
        }
        Want::Verdict(expected) => {
            let verification = client.verify(bytes, expected).await?;
            Outcome::Verdict {
                wrong: verification.mismatches().collect(),
            }
        }
    })
}

/// A source that is read once, and may pause. Waits for its first bytes or its end: before that there
/// is nothing to send, so no call should be open.
async fn once<'a>(
    reader: io::Result<impl AsyncRead + Send + Unpin + 'static>,
    progress: ProgressBar,
) -> Result<Bytes<'a>, Arc<io::Error>> {
    let mut reader = reader?;
    let mut first = BytesMut::with_capacity(FIRST_BYTES_MAX);
    let has_ended = reader.read_buf(&mut first).await? == 0;
    // A terminal would have to end its input twice.
    let rest = reader.take(if has_ended { 0 } else { u64::MAX });
    let reader = io::Cursor::new(first.freeze()).chain(rest);
    Ok(Bytes::reader(Counted { reader, progress }))
}

/// A reader that counts its bytes.
struct Counted<R> {
    reader: R,
    progress: ProgressBar,
}

impl<R: AsyncRead + Unpin> AsyncRead for Counted<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.reader).poll_read(context, buffer));
        let bytes = buffer.filled().len().saturating_sub(before);
        self.progress.inc(bytes as u64);
        Poll::Ready(read)
    }
}
