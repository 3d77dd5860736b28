//! The runtime of a subcommand, and the signals that end it.

use anyhow::{Context as _, Result, bail};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A runtime on this thread.
///
/// # Errors
/// The system refuses it.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build();
    runtime.context("cannot start a runtime")
}

/// The result of `work`. A signal drops the work, which ends the servers and threads that it has.
///
/// # Errors
/// Of `work`, or that there was a signal.
pub(crate) async fn unless_interrupted<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        outcome = work => outcome,
        () = signals.received() => bail!("interrupted"),
    }
}

/// SIGINT and SIGTERM.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Signals from now on.
    ///
    /// # Errors
    /// The system refuses it.
    pub(crate) fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
