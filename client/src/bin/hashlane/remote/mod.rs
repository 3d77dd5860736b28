//! Hashing on a server: small files as parts of a few streams, each other source in its own call, a
//! bounded number at a time.
//!
//! ```text
//! tasks ──> queue ──> small: read whole, in groups ──> a part of a stream
//!       │               └── long files ───┐
//!       └── pipes, standard input ────────┴── stream: its own call
//! results (in any order) ──> InOrder ──> sink
//! ```
//!
//! small.rs handles the small files.

mod small;

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, ready};

use hashlane_client::{Builder, Client, Error, Source as Bytes};
use indicatif::ProgressBar;
use tokio::fs::File;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::args::{JOBS_DEFAULT, Place, Server};
use crate::descriptors;
use crate::keep_alive::KeepAlive;
use crate::queue::{Closing, Shared};
use crate::share::{Numbered, PanicEnds, Report, Reported, share_out};
use crate::work::{Digested, Outcome, Sink, Source, Stop, Task, Want, plain};

/// The environment variable with the token, if no file is given.
const TOKEN_VARIABLE: &str = "HASHLANE_TOKEN";

/// A connected server.
pub(crate) struct Remote {
    client: Client,
    server: String,
    jobs: usize,
    /// Number of streams for small files, one per connection.
    streams: usize,
    progress: ProgressBar,
    /// Taken at the drop: a read of standard input may never end, so the drop does not wait for it.
    runtime: Option<Runtime>,
}

/// The runtime of the tool.
pub(crate) fn runtime() -> Result<Runtime, Stop> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Stop::Trouble(format!("cannot start threads: {error}")))
}

/// A client builder for `server`, with the root certificates and credentials from its options.
pub(crate) fn builder(server: &Server) -> Result<Builder, Stop> {
    let read = |path: &PathBuf| {
        std::fs::read(path)
            .map_err(|error| Stop::Trouble(format!("{}: {}", path.display(), plain(&error))))
    };
    let mut builder = Client::builder();
    if let Some(ca) = &server.ca {
        builder = builder.ca(read(ca)?);
    }
    if let (Some(cert), Some(key)) = (&server.cert, &server.key) {
        builder = builder.certificate(read(cert)?, read(key)?);
    }
    let token = match &server.token_file {
        Some(path) => Some(text_of(path, read(path)?)?),
        None => token_of_environment()?,
    };
    if let Some(token) = token {
        builder = builder.token(token.trim_end());
    }
    Ok(builder.token_in_clear(server.token_in_clear))
}

/// The token. `None` if the variable is empty, as for a secret that was never set.
fn token_of_environment() -> Result<Option<String>, Stop> {
    let Some(token) = std::env::var_os(TOKEN_VARIABLE).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    let token = token.into_string();
    let wrong = |_| Stop::Trouble(format!("{TOKEN_VARIABLE}: not a token"));
    token.map(Some).map_err(wrong)
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Stop> {
    let wrong = |_| Stop::Trouble(format!("{}: not a token", path.display()));
    String::from_utf8(bytes).map_err(wrong)
}

impl Remote {
    /// Connects to the server at `url`, the URL of `place`.
    pub(crate) fn connect(url: &str, place: &Place, progress: ProgressBar) -> Result<Self, Stop> {
        let builder = builder(&place.server)?.connections(place.connections);
        let runtime = runtime()?;
        let client = runtime.block_on(builder.connect(url))?;
        let jobs = place.jobs.unwrap_or(JOBS_DEFAULT);
        let jobs = jobs.min(descriptors::files_max());
        Ok(Self {
            client,
            server: url.to_owned(),
            jobs,
            streams: place.connections.min(jobs),
            progress,
            runtime: Some(runtime),
        })
    }

    pub(crate) fn run<L>(
        &self,
        tasks: impl Iterator<Item = (Task, L)>,
        sink: &mut impl Sink<L>,
    ) -> Result<(), Stop> {
        let runtime = self.runtime.as_ref().expect("taken only on drop");
        let (results, outcomes) = mpsc::channel();
        let run = Arc::new(Run {
            client: self.client.clone(),
            server: self.server.clone(),
            calls: Semaphore::new(self.jobs),
            shared: Shared::default(),
            buffers: small::Buffers::default(),
            results,
            progress: self.progress.clone(),
            runtime: runtime.handle().clone(),
        });
        // Ends the readers on every return from this function.
        let closing = Closing(&run.shared);
        let mut readers = JoinSet::new();
        let put = |task: Numbered| {
            if task.1.source.may_wait() {
                return run.stream(task);
            }
            while readers.len() < self.streams {
                readers.spawn_on(small::run(Arc::clone(&run)), runtime.handle());
            }
            run.shared.queue.put(task);
        };
        share_out(tasks, put, &outcomes, sink)?;
        drop(closing);
        runtime.block_on(async { while readers.join_next().await.is_some() {} });
        Ok(())
    }
}

/// State shared by the tasks of a run.
struct Run {
    client: Client,
    server: String,
    /// A permit for each source with its own call, and for each group.
    calls: Semaphore,
    shared: Shared,
    buffers: small::Buffers,
    results: mpsc::Sender<Report>,
    progress: ProgressBar,
    runtime: Handle,
}

impl Run {
    /// Hashes a source in its own call.
    fn stream(self: &Arc<Self>, (number, task): Numbered) {
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
            // All other files would fail too.
            error if error.is_unavailable() => {
                self.give_up(&error);
                None
            }
            error => Some(Outcome::Refused(error.to_string())),
        }
    }

    fn report(&self, reported: Vec<Reported>) {
        if !reported.is_empty() {
            // Without a receiver the run is over.
            let _ = self.results.send(Ok(reported));
        }
    }

    /// Ends the run, because the server is not available.
    fn give_up(&self, error: &Error) {
        self.stop(format!("{}: {error}", self.server));
    }

    /// Ends the run.
    fn stop(&self, why: String) {
        let _ = self.results.send(Err(Stop::Trouble(why)));
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn hash(client: &Client, task: &Task, progress: ProgressBar) -> Result<Outcome, Error> {
    let bytes = match &task.source {
        Source::Stdin => once(Ok(tokio::io::stdin()), progress).await,
        Source::File(path) if task.source.may_wait() => {
            once(File::open(path).await, progress).await
        }
        // These are read again if their server is lost.
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

/// A source that is read once, and may pause.
async fn once<'a>(
    reader: io::Result<impl AsyncRead + Send + Unpin + 'static>,
    progress: ProgressBar,
) -> Result<Bytes<'a>, Arc<io::Error>> {
    let reader = KeepAlive::begin(reader?).await?;
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
