//! `hashlane verify`: checksum files as `sha256sum -c` takes them, of any algorithm, or
//! one file and its digests.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use hashlane_client::{Algorithm, AlgorithmDigest};

use crate::args::Verify;
use crate::check::{self, Line};
use crate::names;
use crate::output::{Output, complain};
use crate::work::{Hasher, Outcome, Sink, Source, Stop, Task, Want, plain};
use crate::{algorithms, values};

/// Returns whether all matched.
pub(crate) fn run(arguments: &Verify, output: &mut Output) -> Result<bool, Stop> {
    let expected = expected(arguments).map_err(|e| Stop::Trouble(format!("verify: {e}")))?;
    if !expected.is_empty() && arguments.files.len() != 1 {
        let message = "verify: --expect and --sha256 take exactly one file";
        return Err(Stop::Trouble(message.to_owned()));
    }
    if arguments.place.progress {
        output.show_progress();
    }
    let hasher = Hasher::of(&arguments.place, output.progress())?;
    if !expected.is_empty() {
        return one(arguments, &hasher, expected, output);
    }
    let mut all_good = true;
    for path in &arguments.files {
        all_good &= checksum_file(arguments, &hasher, path, output)?;
    }
    Ok(all_good)
}

/// The digests on the command line.
fn expected(arguments: &Verify) -> Result<Vec<AlgorithmDigest>, String> {
    let mut expected: Vec<_> = arguments.sha256.into_iter().collect();
    for text in &arguments.expect {
        let digests = values::parse(text, arguments.algorithm);
        expected.extend(digests.map_err(|error| format!("--expect: {error}"))?);
    }
    let algorithms = expected.iter().map(AlgorithmDigest::algorithm);
    let option = match arguments.sha256 {
        None => "--expect",
        Some(_) => "--expect beside --sha256",
    };
    algorithms::named_twice(option, algorithms)?;
    Ok(expected)
}

fn one(
    arguments: &Verify,
    hasher: &Hasher,
    expected: Vec<AlgorithmDigest>,
    output: &mut Output,
) -> Result<bool, Stop> {
    let path = &arguments.files[0];
    let entry = Entry {
        name: path.as_os_str().to_owned(),
        lines: vec![expected],
    };
    let mut verdicts = Verdicts::new(arguments, output);
    hasher.run(std::iter::once(entry.task()), &mut verdicts)?;
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
        algorithm: arguments.algorithm,
        ahead: None,
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

/// What a checksum file says of one file, in one line or in several of BSD style that
/// follow each other: it is read once for all of them.
struct Entry {
    name: OsString,
    /// The digests of each line; no algorithm stands there twice.
    lines: Vec<Vec<AlgorithmDigest>>,
}

impl Entry {
    fn task(self) -> (Task, Self) {
        let task = Task {
            source: Source::of(self.name.clone().into()),
            want: Want::Verdict(self.lines.concat()),
        };
        (task, self)
    }

    /// Takes over the lines of `other`, if it is on the same file and other algorithms.
    fn join(&mut self, other: Self) -> Result<(), Self> {
        let digests = self.lines.iter().chain(&other.lines).flatten();
        let algorithms = digests.map(AlgorithmDigest::algorithm);
        if self.name != other.name || Algorithm::repeated(algorithms).is_some() {
            return Err(other);
        }
        self.lines.extend(other.lines);
        Ok(())
    }
}

/// The tasks that a checksum file asks for, read as they are needed.
struct Entries<'a> {
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    /// Lines read.
    number: u64,
    is_stdin: bool,
    /// Of lines that name none.
    algorithm: Algorithm,
    /// Read already, to see whether it belongs to the one before; and whether it is tagged.
    ahead: Option<(Entry, bool)>,
    warn_as: Option<&'a String>,
    counts: &'a LineCounts,
}

impl Iterator for Entries<'_> {
    type Item = (Task, Entry);

    fn next(&mut self) -> Option<Self::Item> {
        let (mut entry, mut is_tagged) = self.ahead.take().or_else(|| self.read())?;
        // Only such lines come in groups; no other waits for the next.
        while is_tagged && let Some((next, next_is_tagged)) = self.read() {
            is_tagged = next_is_tagged;
            if let Err(other) = entry.join(next) {
                self.ahead = Some((other, is_tagged));
                break;
            }
        }
        Some(entry.task())
    }
}

impl Entries<'_> {
    /// The next proper line, and whether it is of BSD style.
    fn read(&mut self) -> Option<(Entry, bool)> {
        loop {
            self.number += 1;
            let parsed = match check::read_line(&mut self.reader, &mut self.line) {
                Ok(None) => return None,
                Ok(Some(true)) => check::parse(&self.line, self.algorithm),
                Ok(Some(false)) => Line::Improper,
                Err(error) => {
                    self.counts.error.set(Some(error));
                    return None;
                }
            };
            let (digests, is_tagged, path) = match parsed {
                Line::Entry {
                    digests,
                    is_tagged,
                    name,
                } => (digests, is_tagged, names::path(name)),
                Line::Blank => continue,
                Line::Improper => (Vec::new(), false, None),
            };
            // Standard input cannot be the list and one of its files.
            let path = path.filter(|path| !(self.is_stdin && path.as_os_str() == "-"));
            let Some(path) = path else {
                self.improper();
                continue;
            };
            self.counts.proper.set(self.counts.proper.get() + 1);
            let entry = Entry {
                name: path.into_os_string(),
                lines: vec![digests],
            };
            return Some((entry, is_tagged));
        }
    }

    fn improper(&self) {
        self.counts.improper.set(self.counts.improper.get() + 1);
        if let Some(shown) = self.warn_as {
            complain(format_args!(
                "{shown}: {}: improperly formatted {} checksum line",
                self.number,
                algorithms::tag(self.algorithm)
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

    /// Of a file that so many lines are on.
    fn unreadable(&mut self, entry: &Entry, fault: &str) -> Result<(), Stop> {
        let shown = names::shown(&entry.name);
        self.output.complain(format_args!("{shown}: {fault}"))?;
        for _ in &entry.lines {
            self.unreadable += 1;
            self.write(&entry.name, "FAILED open or read")?;
        }
        Ok(())
    }

    fn line(
        &mut self,
        name: &OsString,
        digests: &[AlgorithmDigest],
        wrong: &[Algorithm],
    ) -> Result<(), Stop> {
        let algorithms = digests.iter().map(AlgorithmDigest::algorithm);
        let wrong: Vec<_> = algorithms.filter(|name| wrong.contains(name)).collect();
        if wrong.is_empty() {
            self.matched += 1;
            return if self.quiet {
                Ok(())
            } else {
                self.write(name, "OK")
            };
        }
        self.mismatched += 1;
        self.write(name, "FAILED")?;
        if digests.len() > 1 && !self.status {
            let shown = names::shown(name);
            let wrong: Vec<_> = wrong.iter().map(|algorithm| algorithm.name()).collect();
            let wrong = wrong.join(", ");
            self.output
                .complain(format_args!("{shown}: not the expected {wrong}"))?;
        }
        Ok(())
    }

    fn write(&mut self, name: &OsString, verdict: &str) -> Result<(), Stop> {
        if self.status {
            return Ok(());
        }
        let name = names::bytes(name);
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
}

impl Sink<Entry> for Verdicts<'_> {
    fn done(&mut self, entry: Entry, outcome: Outcome) -> Result<(), Stop> {
        match outcome {
            Outcome::Verdict { wrong } => entry
                .lines
                .iter()
                .try_for_each(|digests| self.line(&entry.name, digests, &wrong)),
            Outcome::Digests(_) => unreachable!("a verdict was asked for"),
            Outcome::Unreadable(error)
                if self.ignore_missing && error.kind() == io::ErrorKind::NotFound =>
            {
                Ok(())
            }
            Outcome::Unreadable(error) => self.unreadable(&entry, &plain(&error)),
            Outcome::Refused(message) => self.unreadable(&entry, &message),
        }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        Ok(self.output.flush()?)
    }
}
