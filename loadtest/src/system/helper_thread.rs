//! A thread that runs during the load: on certain CPUs, told to end, and waited for.

use std::convert::Infallible;
use std::sync::mpsc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use anyhow::{Context as _, Result, anyhow};
use rustix::thread::gettid;
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::cpu_time::thread_cpu_seconds;
use super::cpus::Cpus;

/// The thread. Ends on drop.
#[derive(Debug)]
pub(crate) struct Helper {
    /// Dropped to end it.
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<Result<()>>>,
    thread_id: i32,
}

/// Ends when the thread is to end.
#[derive(Debug)]
pub(crate) struct Stop(oneshot::Receiver<Infallible>);

impl Stop {
    /// Whether the thread is to end.
    pub(crate) fn is_over(&mut self) -> bool {
        self.0.try_recv() == Err(TryRecvError::Closed)
    }

    /// Waits until then.
    pub(crate) async fn over(self) {
        // Nothing can be sent on this channel.
        let _ = self.0.await;
    }
}

impl Helper {
    /// Does `work` on `cpus`.
    ///
    /// # Errors
    /// The thread cannot be started, or these CPUs are not available.
    pub(crate) fn start(
        name: &str,
        cpus: Option<&Cpus>,
        work: impl FnOnce(Stop) -> Result<()> + Send + 'static,
    ) -> Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let (started_tx, started) = mpsc::channel();
        let cpus = cpus.cloned();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || {
            let pinned = cpus.map_or(Ok(()), |cpus| cpus.pin_thread());
            let is_pinned = pinned.is_ok();
            // The starting thread waits for it.
            let _ = started_tx.send(pinned.map(|()| gettid().as_raw_pid()));
            if is_pinned {
                work(Stop(stopped))
            } else {
                Ok(())
            }
        });
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread.context("cannot start a thread")?),
            thread_id: started.recv().context("a thread ended early")??,
        })
    }

    /// CPU seconds so far.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        thread_cpu_seconds(self.thread_id)
    }

    /// Whether the thread has ended, perhaps early.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the thread and waits for it.
    ///
    /// # Errors
    /// An error of its work.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.stop = None;
        let outcome = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        outcome.map_err(|_| anyhow!("a thread panicked"))?
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // On an error path; report the original error.
        let _ = self.end();
    }
}

/// Counters that a thread shares. They stay valid after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
