//! The log: its filter and its format.

use std::any::Any;
use std::io::{self, IsTerminal as _};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, reload};

use super::queue::LineQueue;
use crate::config::{LogFormat, Settings};

/// Time to write the last lines at the end of the process.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The log of this process. Clones share it.
#[derive(Clone)]
pub struct Log {
    filter: reload::Handle<EnvFilter, Registry>,
    lines: LineQueue,
    panics: Arc<AtomicU64>,
}

impl Log {
    /// Starts logging with the filter and the format of `settings`. Logs and counts panics. Call it
    /// once per process.
    ///
    /// # Errors
    /// The writing thread cannot be started.
    pub fn start(settings: &Settings) -> io::Result<Self> {
        let lines = LineQueue::to(io::stderr())?;
        let (layer, filter) = reload::Layer::new(EnvFilter::new(&settings.log));
        let written = tracing_subscriber::fmt::layer()
            .with_ansi(io::stderr().is_terminal())
            .with_writer(lines.clone());
        let written = match settings.log_format {
            LogFormat::Text => written.boxed(),
            LogFormat::Json => written.json().boxed(),
        };
        tracing_subscriber::registry()
            .with(layer)
            .with(written)
            .init();
        let log = Self {
            filter,
            lines,
            panics: Arc::default(),
        };
        let panics = Arc::clone(&log.panics);
        std::panic::set_hook(Box::new(move |panic| {
            panics.fetch_add(1, Relaxed);
            report(panic);
        }));
        Ok(log)
    }

    /// Sets another filter.
    ///
    /// # Errors
    /// The filter is invalid; says why.
    pub fn set_filter(&self, text: &str) -> Result<(), String> {
        let filter = EnvFilter::builder().parse(text);
        let filter = filter.map_err(|error| error.to_string())?;
        self.filter
            .reload(filter)
            .map_err(|error| error.to_string())
    }

    /// Waits a short time for queued lines to be written.
    pub fn flush(&self) {
        self.lines.flush(FLUSH_TIMEOUT);
    }

    /// Lines lost because the queue was full.
    pub(crate) fn lines_lost(&self) -> u64 {
        self.lines.lost()
    }

    /// Number of panics of any thread.
    pub(crate) fn panics(&self) -> u64 {
        self.panics.load(Relaxed)
    }
}

fn report(panic: &PanicHookInfo<'_>) {
    tracing::error!(
        thread = std::thread::current().name(),
        place = panic.location().map(tracing::field::display),
        "{}",
        own_words(panic.payload())
    );
}

/// A message formatted at run time may hold bytes from a client, so only messages that are literals
/// in the program are logged.
fn own_words(payload: &dyn Any) -> &'static str {
    payload.downcast_ref().copied().unwrap_or("panic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_only_if_it_stands_in_the_program() {
        let payload = |run: fn(&str)| std::panic::catch_unwind(|| run("secret")).unwrap_err();
        assert_eq!(own_words(&*payload(|_| panic!("as written"))), "as written");
        assert_eq!(own_words(&*payload(|s| panic!("with {s}"))), "panic");
    }
}
