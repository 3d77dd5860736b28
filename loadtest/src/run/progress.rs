//! Progress, for people.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _, stderr};

use crate::results::document::Second;
use crate::results::{GB, figure, say};

/// Seconds between two lines that are no terminal's.
const LINE_SECONDS: f64 = 5.0;

/// The progress of a window.
#[derive(Debug)]
pub(super) struct Progress {
    is_live: bool,
    is_terminal: bool,
    last_line_s: f64,
}

impl Progress {
    pub(super) fn new(is_live: bool) -> Self {
        Self {
            is_live,
            is_terminal: stderr().is_terminal(),
            last_line_s: 0.0,
        }
    }

    /// Shows a second: a terminal has one line, which changes.
    pub(super) fn second(&mut self, second: &Second) {
        if !self.is_live {
            return;
        }
        if self.is_terminal {
            // A closed standard error must not end a measurement.
            let _ = write!(stderr(), "\r\x1b[K{}", line(second));
        } else if second.at_s - self.last_line_s >= LINE_SECONDS - 0.5 {
            self.last_line_s = second.at_s;
            say(line(second));
        }
    }

    /// Removes the line.
    pub(super) fn end(&self) {
        if self.is_live && self.is_terminal {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn line(second: &Second) -> String {
    let per_second = |amount: f64| amount / second.seconds.max(1e-9);
    let occupancy = second.server.as_ref().and_then(|of| of.occupancy_ratio);
    let mut line = format!(
        "{:4.0} s  {:.3} GB/s  {:.0} parts/s  occupancy {}  p99 {} ms",
        second.at_s,
        per_second(second.bytes as f64 / GB),
        per_second(second.parts as f64),
        figure(occupancy, 2),
        figure(second.response_p99_ms, 2),
    );
    for (name, count) in [("errors", second.errors), ("missed", second.missed)] {
        if count > 0 {
            let _ = write!(line, "  {count} {name}");
        }
    }
    line
}
