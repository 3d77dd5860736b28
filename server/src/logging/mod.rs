//! The log: its filter and its format. lines.rs writes the lines to standard error.

mod lines;

use std::any::Any;
use std::io::{self, IsTerminal as _};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, reload};

use self::lines::Lines;
use crate::config::{LogFormat, Settings, is_empty_filter};

/// Time to write the last lines at the end of the process.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// A parsed log filter.
pub(crate) struct Filter {
    pub(crate) text: String,
    read: EnvFilter,
}

impl Filter {
    /// Parses a filter. An empty filter is refused: it would silence the log, and `off` does that.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim().to_owned();
        if is_empty_filter(&text) {
            return Err("the filter is empty".to_owned());
        }
        let read = EnvFilter::builder().parse(&text);
        let read = read.map_err(|error| error.to_string())?;
        Ok(Self { text, read })
    }
}

/// The log of this process. Clones share it.
#[derive(Clone)]
pub struct Log {
    filter: reload::Handle<EnvFilter, Registry>,
    /// The text of the filter, as given.
    in_force: Arc<Mutex<String>>,
    lines: Lines,
    panics: Arc<AtomicU64>,
}

impl Log {
    /// Starts logging with the filter and the format of `settings`. Logs and counts panics. Call it
    /// once per process.
    ///
    /// # Errors
    /// The writing thread cannot be started.
    pub fn start(settings: &Settings) -> io::Result<Self> {
        let lines = Lines::to(io::stderr())?;
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
            in_force: Arc::new(Mutex::new(settings.log.clone())),
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

    /// The current filter.
    #[must_use]
    pub fn filter(&self) -> String {
        let text = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        text.clone()
    }

    /// Sets another filter.
    ///
    /// # Errors
    /// The filter is invalid; says why.
    pub fn set_filter(&self, text: &str) -> Result<(), String> {
        self.put(Filter::read(text)?)
    }

    /// Sets `filter`.
    pub(crate) fn put(&self, filter: Filter) -> Result<(), String> {
        let mut in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        let put = self.filter.reload(filter.read);
        put.map_err(|error| error.to_string())?;
        *in_force = filter.text;
        Ok(())
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
