//! `hashlane verify`: checksum files as `sha256sum -c` takes them, or one file
//! and its digest.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use hashlane_client::Digest;

use crate::args::Verify;
use crate::check::{self, Line};
use crate::names;
use crate::output::{Output, complain};
use crate::work::{Hasher, Outcome, Sink, Source, Stop, Task, plain};

/// Returns whether all matched.
pub(crate) fn run(arguments: &Verify, output: &mut Output) -> Result<bool, Stop> {
    if arguments.sha256.is_some() && arguments.files.len() != 1 {
        let message = "verify: --sha256 takes exactly one file";
        return Err(Stop::Trouble(message.to_owned()));
    }
    if arguments.place.progress {
        output.show_progress();
    }
    let hasher = Hasher::of(&arguments.place, output.progress())?;
    if let Some(expected) = arguments.sha256 {
        return one(arguments, &hasher, expected, output);
    }
    let mut all_good = true;
    for path in &arguments.files {
        all_good &= checksum_file(arguments, &hasher, path, output)?;
    }
    Ok(all_good)
}

fn one(
    arguments: &Verify,
    hasher: &Hasher,
    expected: Digest,
    output: &mut Output,
) -> Result<bool, Stop> {
    let path = &arguments.files[0];
    let task = Task {
        source: Source::of(path.clone()),
        expected: Some(expected),
    };
    let mut verdicts = Verdicts::new(arguments, output);
    let name = path.as_os_str().to_owned();
    hasher.run(std::iter::once((task, name)), &mut verdicts)?;
    Ok(verdicts.matched == 1)
}

fn checksum_file(
    arguments: &Verify,
    hasher: &Hasher,
    path: &Path,
    output: &mut Output,
) -> Result<bool, Stop> {
    let shown = names::shown(path.as_os_str());
    let is_stdin = path.as_os_str() == "-";
    let reader: Box<dyn BufRead> = if is_stdin {
        Box::new(io::stdin().lock())
    } else {
        match File::open(path) {
            Ok(file) => Box::new(BufReader::new(file)),
            Err(error) => {
                output.complain(format_args!("{shown}: {}", plain(&error)))?;
                return Ok(false);
            }
        }
    };
    let counts = LineCounts::default();
    let entries = Entries {
        reader,
        line: Vec::new(),
        number: 0,
        is_stdin,
        warn_as: arguments.warn.then_some(&shown),
        counts: &counts,
    };
    let mut verdicts = Verdicts::new(arguments, output);
    hasher.run(entries, &mut verdicts)?;
    let Verdicts {
        output,
        matched,
        mismatched,
        unreadable,
        ..
    } = verdicts;
    if let Some(error) = counts.error.take() {
        output.complain(format_args!("{shown}: {}", plain(&error)))?;
        return Ok(false);
    }
    let improper = counts.improper.get();
    if counts.proper.get() == 0 {
        output.complain(format_args!(
            "{shown}: no properly formatted checksum lines found"
        ))?;
        return Ok(false);
    }
    if !arguments.status {
        for (count, one, many) in [
            (
                improper,
                "line is improperly formatted",
                "lines are improperly formatted",
            ),
            (
                unreadable,
                "listed file could not be read",
                "listed files could not be read",
            ),
            (
                mismatched,
                "computed checksum did NOT match",
                "computed checksums did NOT match",
            ),
        ] {
            match count {
                0 => {}
                1 => output.complain(format_args!("WARNING: 1 {one}"))?,
                _ => output.complain(format_args!("WARNING: {count} {many}"))?,
            }
        }
        if arguments.ignore_missing && matched == 0 {
            output.complain(format_args!("{shown}: no file was verified"))?;
        }
    }
    Ok(matched > 0 && mismatched == 0 && unreadable == 0 && (improper == 0 || !arguments.strict))
}

/// What the lines of one checksum file were. Counted while they are read.
#[derive(Default)]
struct LineCounts {
    proper: Cell<u64>,
    improper: Cell<u64>,
    error: Cell<Option<io::Error>>,
}

/// The tasks that a checksum file asks for, read as they are needed.
struct Entries<'a> {
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    /// Lines read.
    number: u64,
    is_stdin: bool,
    warn_as: Option<&'a String>,
    counts: &'a LineCounts,
}

impl Iterator for Entries<'_> {
    type Item = (Task, OsString);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.number += 1;
            let parsed = match check::read_line(&mut self.reader, &mut self.line) {
                Ok(None) => return None,
                Ok(Some(true)) => check::parse(&self.line),
                Ok(Some(false)) => Line::Improper,
                Err(error) => {
                    self.counts.error.set(Some(error));
                    return None;
                }
            };
            let (digest, path) = match parsed {
                Line::Entry { digest, name } => (digest, names::path(name)),
                Line::Blank => continue,
                Line::Improper => ([0; 32], None),
            };
            // Standard input cannot be the list and one of its files.
            let path = path.filter(|path| !(self.is_stdin && path.as_os_str() == "-"));
            let Some(path) = path else {
                self.improper();
                continue;
            };
            self.counts.proper.set(self.counts.proper.get() + 1);
            let name = path.as_os_str().to_owned();
            let task = Task {
                source: Source::of(path),
                expected: Some(digest),
            };
            return Some((task, name));
        }
    }
}

impl Entries<'_> {
    fn improper(&self) {
        self.counts.improper.set(self.counts.improper.get() + 1);
        if let Some(shown) = self.warn_as {
            complain(format_args!(
                "{shown}: {}: improperly formatted SHA256 checksum line",
                self.number
            ));
        }
    }
}

/// Prints verdicts and counts them.
struct Verdicts<'a> {
    output: &'a mut Output,
    quiet: bool,
    status: bool,
    ignore_missing: bool,
    matched: u64,
    mismatched: u64,
    unreadable: u64,
}

impl<'a> Verdicts<'a> {
    fn new(arguments: &Verify, output: &'a mut Output) -> Self {
        Self {
            output,
            quiet: arguments.quiet,
            status: arguments.status,
            ignore_missing: arguments.ignore_missing,
            matched: 0,
            mismatched: 0,
            unreadable: 0,
        }
    }

    fn unreadable(&mut self, name: &OsString, fault: &str) -> Result<&'static str, Stop> {
        self.unreadable += 1;
        let shown = names::shown(name);
        self.output.complain(format_args!("{shown}: {fault}"))?;
        Ok("FAILED open or read")
    }
}

impl Sink<OsString> for Verdicts<'_> {
    fn done(&mut self, name: OsString, outcome: Outcome) -> Result<(), Stop> {
        let verdict = match outcome {
            Outcome::Verdict { is_match: true } => {
                self.matched += 1;
                if self.quiet {
                    return Ok(());
                }
                "OK"
            }
            Outcome::Verdict { is_match: false } => {
                self.mismatched += 1;
                "FAILED"
            }
            Outcome::Digest(_) => unreachable!("a verdict was asked for"),
            Outcome::Unreadable(error)
                if self.ignore_missing && error.kind() == io::ErrorKind::NotFound =>
            {
                return Ok(());
            }
            Outcome::Unreadable(error) => self.unreadable(&name, &plain(&error))?,
            Outcome::Refused(message) => self.unreadable(&name, &message)?,
        };
        if self.status {
            return Ok(());
        }
        let name = names::bytes(&name);
        let mut line = Vec::with_capacity(name.len() + 24);
        // As sha256sum has it: only a newline makes a name escaped here.
        if name.contains(&b'\n') {
            line.push(b'\\');
            line.extend_from_slice(&names::escape(name));
        } else {
            line.extend_from_slice(name);
        }
        line.extend_from_slice(b": ");
        line.extend_from_slice(verdict.as_bytes());
        line.push(b'\n');
        Ok(self.output.write(&line)?)
    }

    fn flush(&mut self) -> Result<(), Stop> {
        Ok(self.output.flush()?)
    }
}
