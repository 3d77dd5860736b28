//! Standard output, error messages, and the progress bar below them.

use std::fmt::Arguments;
use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::ProgressBar;

use crate::args::Place;
use crate::progress::Shown;
use crate::tasks::Source;

/// Standard output, locked and buffered. It is flushed when no more lines are ready, or the buffer
/// is full.
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    /// Standard output is a terminal, which the bar may share.
    is_terminal: bool,
    has_colours: bool,
    progress: ProgressBar,
    shown: Option<Shown>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            writer: BufWriter::with_capacity(32 << 10, io::stdout().lock()),
            is_terminal: io::stdout().is_terminal(),
            has_colours: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            progress: ProgressBar::hidden(),
            shown: None,
        }
    }

    /// Shows a progress bar on standard error, if that is a terminal. `files` are the arguments;
    /// their `sources` will be read.
    pub(crate) fn show_progress(
        &mut self,
        place: &Place,
        files: &[PathBuf],
        sources: impl Iterator<Item = Source> + Send + 'static,
    ) {
        // A bar would erase typed input.
        let is_typed = io::stdin().is_terminal() && files.iter().any(|file| file == Path::new("-"));
        if !place.no_progress && io::stderr().is_terminal() && !is_typed {
            self.shown = Some(Shown::start(self.progress.clone(), sources));
        }
    }

    /// Escape codes before and after a verdict.
    pub(crate) fn colours(&self, is_good: bool) -> (String, String) {
        let colour = match is_good {
            _ if !self.has_colours => Style::new(),
            true => AnsiColor::Green.on_default(),
            false => AnsiColor::Red.on_default().bold(),
        };
        (
            colour.render().to_string(),
            colour.render_reset().to_string(),
        )
    }

    pub(crate) fn progress(&self) -> &ProgressBar {
        &self.progress
    }

    pub(crate) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.writer.write_all(line)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let Self {
            writer, progress, ..
        } = self;
        if writer.buffer().is_empty() {
            return Ok(());
        }
        // A pipe may block the writer; the bar goes on meanwhile.
        if self.is_terminal {
            progress.suspend(|| writer.flush())
        } else {
            writer.flush()
        }
    }

    /// Writes to standard error, after the results known so far.
    pub(crate) fn complain(&mut self, message: Arguments<'_>) -> io::Result<()> {
        self.flush()?;
        self.progress.suspend(|| complain(message));
        Ok(())
    }
}

/// Writes to standard error in the form of Unix tools.
pub(crate) fn complain(message: Arguments<'_>) {
    // If standard error is closed, the message is lost.
    let _ = writeln!(io::stderr(), "hashlane: {message}");
}
