//! The progress bar: bytes, rate and, once all lengths are known, the time left.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::tasks::Source;

/// Runs shorter than this show no bar.
const DELAY: Duration = Duration::from_millis(500);
/// Time between two redraws while no bytes are read.
const TICK: Duration = Duration::from_millis(200);

const COUNTING: &str = "{spinner} {elapsed_precise}  {decimal_bytes}  {decimal_bytes_per_sec}";
const COUNTED: &str = "{wide_bar} {percent:>3}%  {decimal_bytes} of {decimal_total_bytes}  \
                       {decimal_bytes_per_sec}  {eta} left";

/// A bar on standard error, removed when this is dropped.
pub(crate) struct Shown {
    bar: ProgressBar,
    /// Dropped to end the thread.
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// Shows the bar. `sources` will be read; their lengths give the total.
    pub(crate) fn start(
        bar: ProgressBar,
        sources: impl Iterator<Item = Source> + Send + 'static,
    ) -> Self {
        let (end, ended) = mpsc::channel();
        let shown = bar.clone();
        let show = move || {
            if ended.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            clear_on_signals(&shown);
            shown.set_style(style(COUNTING));
            shown.set_draw_target(ProgressDrawTarget::stderr());
            shown.enable_steady_tick(TICK);
            let is_over = || ended.try_recv() == Err(mpsc::TryRecvError::Disconnected);
            if let Some(bytes) = total(sources, is_over) {
                shown.set_length(bytes);
                shown.set_style(style(COUNTED));
            }
        };
        Self {
            bar,
            end: Some(end),
            // Without a thread there is no bar.
            thread: thread::Builder::new().spawn(show).ok(),
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic of this thread is a defect, but only the bar is lost.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// The bytes of all sources. `None` if the length of one is unknown, or once the run is over.
fn total(sources: impl Iterator<Item = Source>, is_over: impl Fn() -> bool) -> Option<u64> {
    let mut total = 0_u64;
    for source in sources {
        if is_over() {
            return None;
        }
        let path = match source {
            Source::File(path) | Source::Found(path) => path,
            Source::Stdin => return None,
            Source::Lost(_) => continue,
        };
        match path.metadata() {
            Ok(metadata) if metadata.is_file() => total = total.saturating_add(metadata.len()),
            Ok(metadata) if !metadata.is_dir() => return None,
            // Folders and missing files are not read.
            _ => {}
        }
    }
    Some(total)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a constant that a test parses")
}

/// Clears the bar's line when a signal ends the process.
#[cfg(unix)]
fn clear_on_signals(bar: &ProgressBar) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // If this fails, the process still ends, and leaves the bar behind.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
        return;
    };
    let bar = bar.clone();
    let clear = move || {
        for signal in &mut signals {
            bar.finish_and_clear();
            // The shell sees the signal, as it would without a bar.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    let _ = thread::Builder::new().spawn(clear);
}

#[cfg(not(unix))]
fn clear_on_signals(_: &ProgressBar) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_has_both_styles() {
        for template in [COUNTING, COUNTED] {
            style(template);
        }
    }

    #[test]
    fn the_total_is_known_only_if_every_length_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "abc").unwrap();
        let files = || vec![Source::File(at("a")), Source::Found(at("a"))];
        let none = [Source::File(at("none")), Source::File(at("."))];
        let with = |more: &[Source]| total([files(), more.to_vec()].concat().into_iter(), || false);
        assert_eq!(with(&[]), Some(6));
        assert_eq!(with(&none), Some(6));
        assert_eq!(with(&[Source::Stdin]), None);
        assert_eq!(with(&[Source::File("/dev/null".into())]), None);
        assert_eq!(total(files().into_iter(), || true), None);
    }
}
