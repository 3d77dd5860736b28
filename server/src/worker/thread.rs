//! A worker's thread: it starts, serves, and begins again after a failure.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use core_affinity::CoreId;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::sync::mpsc;

use super::lifecycle::{Arrived, Life};
#[cfg(feature = "faults")]
use crate::fault_injection::Place;
use crate::metrics::counters::WorkerCounters;
use crate::metrics::heartbeat;
use crate::metrics::thread::Thread;
use crate::process::{Process, RESTARTS_MAX};

/// Sockets queued for a worker: more than a burst brings between two polls of the queue.
const SOCKETS_MAX: usize = 1024;

/// A running worker, as the rest of the process sees it.
pub(crate) struct WorkerHandle {
    pub(crate) sockets: mpsc::Sender<Arrived>,
    pub(crate) counters: Arc<WorkerCounters>,
}

/// Starts a worker. When its thread ends, it sends the worker's number, and the error that ended it
/// if there was one, to `ended`, which has room for it.
///
/// # Errors
/// The thread or its runtime cannot be started. The runtime opens its descriptors before this
/// function returns, so connections cannot take them.
pub(crate) fn spawn(
    worker: usize,
    core: Option<CoreId>,
    process: Arc<Process>,
    ended: mpsc::Sender<(usize, Result<(), String>)>,
) -> std::io::Result<WorkerHandle> {
    let (sender, sockets) = mpsc::channel(SOCKETS_MAX);
    let counters = Arc::new(WorkerCounters::new());
    let of_worker = Arc::clone(&counters);
    let (started, has_started) = std::sync::mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name(format!("worker-{worker}"))
        .spawn(move || {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .build_local(LocalOptions::default());
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = started.send(Err(error));
                    return;
                }
            };
            of_worker.heartbeat.is_of(Thread::current());
            let _ = started.send(Ok(()));
            let result = run(&runtime, worker, core, &process, of_worker, sockets);
            let _ = ended.try_send((worker, result));
        })?;
    let gone = |_| std::io::Error::other("a worker's thread ended at once");
    has_started.recv().map_err(gone)??;
    Ok(WorkerHandle {
        sockets: sender,
        counters,
    })
}

/// Serves until the drain is over. Restarts after a failure, unless there were too many restarts.
fn run(
    runtime: &LocalRuntime,
    worker: usize,
    core: Option<CoreId>,
    process: &Arc<Process>,
    counters: Arc<WorkerCounters>,
    mut sockets: mpsc::Receiver<Arrived>,
) -> Result<(), String> {
    if let Some(core) = core
        && !core_affinity::set_for_current(core)
    {
        tracing::warn!(worker, core = core.id, "could not pin the worker");
    }
    // Set once, here.
    let _ = counters.runtime.set(runtime.metrics());
    let heartbeat = Arc::clone(&counters.heartbeat);
    runtime.spawn_local(heartbeat::beat_forever(process.pace(), heartbeat));
    loop {
        #[cfg(feature = "faults")]
        process.faults.time_worker();
        let mut life = Life::new(process, Arc::clone(&counters))?;
        let serving = std::panic::AssertUnwindSafe(|| {
            runtime.block_on(async {
                let looping = life.run_loop(worker);
                let serving = life.serve(&mut sockets, process.phase.clone(), looping);
                #[cfg(feature = "faults")]
                let serving = process
                    .faults
                    .clone()
                    .beside(worker, Place::Worker, serving);
                serving.await
            })
        });
        let served = std::panic::catch_unwind(serving);
        let Err(reason) = served.unwrap_or_else(|_| Err("it panicked".to_owned())) else {
            return Ok(());
        };
        let connections = life.event_loop.len();
        tracing::error!(
            worker,
            reason,
            connections,
            "a worker failed: its calls and connections are cut"
        );
        runtime.block_on(life.cut(worker));
        // No code panics under the lock.
        let restarts = process.restarts.lock();
        let may_restart = restarts
            .unwrap_or_else(PoisonError::into_inner)
            .take(1, Instant::now());
        if !may_restart {
            return Err(format!(
                "{reason}, and workers were restarted {RESTARTS_MAX} times within an hour"
            ));
        }
        counters.restarts.add(1);
        tracing::info!(worker, "the worker begins again");
    }
}
