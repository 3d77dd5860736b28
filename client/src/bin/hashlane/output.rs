//! Standard output, complaints, and the progress bar above which both appear.

use std::fmt::Arguments;
use std::io::{self, BufWriter, StdoutLock, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Standard output, locked and buffered: lines go out when nothing more is
/// ready, or the buffer is full.
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    progress: ProgressBar,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            writer: BufWriter::with_capacity(32 << 10, io::stdout().lock()),
            progress: ProgressBar::hidden(),
        }
    }

    /// Shows a progress bar on standard error, if that is a terminal.
    pub(crate) fn show_progress(&mut self) {
        let style = "{spinner} {elapsed_precise}  {decimal_bytes}  {decimal_bytes_per_sec}";
        // The template is constant and tested.
        if let Ok(style) = ProgressStyle::with_template(style) {
            self.progress = ProgressBar::no_length().with_style(style);
        }
    }

    pub(crate) fn progress(&self) -> &ProgressBar {
        &self.progress
    }

    pub(crate) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.writer.write_all(line)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let Self { writer, progress } = self;
        if writer.buffer().is_empty() {
            return Ok(());
        }
        progress.suspend(|| writer.flush())
    }

    /// Writes to standard error, after what is known already.
    pub(crate) fn complain(&mut self, message: Arguments<'_>) -> io::Result<()> {
        self.flush()?;
        self.progress.suspend(|| complain(message));
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}

/// Writes to standard error in the way of Unix tools.
pub(crate) fn complain(message: Arguments<'_>) {
    // If standard error is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "hashlane: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_has_a_style() {
        let mut output = Output::new();
        output.show_progress();
        assert!(output.progress().length().is_none());
    }
}
