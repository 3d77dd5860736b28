//! Hashing on a server: one call a file, a bounded number at a time.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hashlane_client::{Builder, Client, Error, Source as Bytes};
use indicatif::ProgressBar;
use tokio::fs::File;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::args::{JOBS_DEFAULT, Place, Server};
use crate::descriptors;
use crate::keep_alive::KeepAlive;
use crate::order::InOrder;
use crate::work::{Digested, Outcome, Sink, Source, Stop, Task, Want, plain};

/// The variable that has the token if no file does.
const TOKEN_VARIABLE: &str = "HASHLANE_TOKEN";

/// A connected server.
pub(crate) struct Remote {
    client: Client,
    server: String,
    jobs: usize,
    progress: ProgressBar,
    /// Taken when this goes: a read of standard input may never end, and is
    /// not waited for.
    runtime: Option<Runtime>,
}

/// The runtime of the tool.
pub(crate) fn runtime() -> Result<Runtime, Stop> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Stop::Trouble(format!("cannot start threads: {error}")))
}

/// A client of `server`, which trusts it and shows itself as its options say.
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

/// Nothing if the variable is empty: so a secret is that nobody set.
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
    /// Connects to the server at `url`, which is that of `place`.
    pub(crate) fn connect(url: &str, place: &Place, progress: ProgressBar) -> Result<Self, Stop> {
        let builder = builder(&place.server)?.connections(place.connections);
        let runtime = runtime()?;
        let client = runtime.block_on(builder.connect(url))?;
        Ok(Self {
            client,
            server: url.to_owned(),
            jobs: place
                .jobs
                .unwrap_or(JOBS_DEFAULT)
                .min(descriptors::files_max()),
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
        runtime.block_on(self.share_out(tasks.fuse(), sink))
    }

    /// Begins tasks and passes on outcomes, until there are no more of either.
    async fn share_out<L>(
        &self,
        mut tasks: impl Iterator<Item = (Task, L)>,
        sink: &mut impl Sink<L>,
    ) -> Result<(), Stop> {
        let mut order = InOrder::new();
        let mut running = JoinSet::new();
        let mut has_tasks = true;
        loop {
            while has_tasks && running.len() < self.jobs && order.has_room() {
                let Some((task, label)) = tasks.next() else {
                    has_tasks = false;
                    break;
                };
                let Some(number) = order.push(&task, label) else {
                    continue;
                };
                let (client, progress) = (self.client.clone(), self.progress.clone());
                running.spawn(async move { (number, hash(&client, &task, progress).await) });
            }
            while let Some((label, outcome)) = order.pop() {
                sink.done(label, outcome)?;
            }
            if order.is_empty() {
                if has_tasks {
                    continue;
                }
                return Ok(());
            }
            let ended = match running.try_join_next() {
                Some(ended) => Some(ended),
                None => {
                    sink.flush()?;
                    running.join_next().await
                }
            };
            match ended {
                Some(Ok((number, outcome))) => order.complete([(number, self.outcome(outcome)?)]),
                Some(Err(error)) => return Err(Stop::Trouble(error.to_string())),
                // Every task in the window has ended, so the front one has: the next turn takes it.
                None => {}
            }
        }
    }

    fn outcome(&self, outcome: Result<Outcome, Error>) -> Result<Outcome, Stop> {
        match outcome {
            Ok(outcome) => Ok(outcome),
            Err(Error::Read(error)) => Ok(Outcome::Unreadable(error)),
            // No other file would fare better.
            Err(error) if error.is_unavailable() => {
                Err(Stop::Trouble(format!("{}: {error}", self.server)))
            }
            Err(error) => Ok(Outcome::Refused(error.to_string())),
        }
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

/// What is read once, and may pause.
async fn once<'a>(
    reader: io::Result<impl AsyncRead + Send + Unpin + 'static>,
    progress: ProgressBar,
) -> Result<Bytes<'a>, Arc<io::Error>> {
    let reader = KeepAlive::begin(reader?).await?;
    Ok(Bytes::reader(Counted { reader, progress }))
}

/// Counts what is read.
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
