//! A connected server: tasks are shared out among its streams and calls.

use std::sync::{Arc, mpsc};

use hashlane_client::Client;
use indicatif::ProgressBar;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::credentials::builder;
use super::run::Run;
use super::small;
use crate::args::{JOBS_DEFAULT, Place};
use crate::descriptors;
use crate::task_dispatch::{Numbered, share_out};
use crate::task_queues::{Closing, Shared};
use crate::tasks::{Sink, Stop, Task};

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

impl Remote {
    /// Connects to the servers of `place`.
    pub(crate) fn connect(place: &Place, progress: ProgressBar) -> Result<Self, Stop> {
        let builder = builder(&place.server)?.connections(place.connections);
        let runtime = runtime()?;
        let client = runtime.block_on(builder.connect_all(&place.server.urls))?;
        let jobs = place.jobs.unwrap_or(JOBS_DEFAULT);
        let jobs = jobs.min(descriptors::files_max());
        Ok(Self {
            client,
            server: place.server.urls.join(","),
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
