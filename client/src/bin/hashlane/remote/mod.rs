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
//! small.rs has the small files, run.rs what the tasks of a run share, and calls of one source.

mod run;
mod small;

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use hashlane_client::{Builder, Client};
use indicatif::ProgressBar;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use self::run::Run;
use crate::args::{JOBS_DEFAULT, Place, Server};
use crate::descriptors;
use crate::queue::{Closing, Shared};
use crate::share::{Numbered, share_out};
use crate::work::{Sink, Stop, Task, plain};

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
            results,
            progress: self.progress.clone(),
            runtime: runtime.handle().clone(),
        });
        // Ends the readers on every return from this function.
        let closing = Closing(&run.shared);
        let buffers = Arc::<small::Buffers>::default();
        let mut readers = JoinSet::new();
        let put = |task: Numbered| {
            if task.1.source.may_wait() {
                return run.stream(task);
            }
            while readers.len() < self.streams {
                let reader = small::run(Arc::clone(&run), Arc::clone(&buffers));
                readers.spawn_on(reader, runtime.handle());
            }
            run.shared.queue.put(task);
        };
        share_out(tasks, put, &outcomes, sink)?;
        drop(closing);
        runtime.block_on(async { while readers.join_next().await.is_some() {} });
        Ok(())
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
