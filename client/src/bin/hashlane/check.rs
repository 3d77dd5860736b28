//! `hashlane check`: checksum files like those of `sha256sum -c`, for any algorithm, or one file
//! and its digests.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use hashlane_client::{Algorithm, AlgorithmDigest};

use crate::args::Check;
use crate::checksum_file::{self, Line, Separator};
use crate::checksum_tasks::{Entries, Entry, Label, LineCounts};
use crate::escaped_names;
use crate::hasher::Hasher;
use crate::output::Output;
use crate::tasks::{Outcome, Sink, Source, Stop, plain};
use crate::{algorithms, values};

/// Checks files. Returns whether all matched.
pub(crate) fn run(arguments: &Check, output: &mut Output) -> Result<bool, Stop> {
    let expected = expected(arguments).map_err(|e| Stop::Trouble(format!("check: {e}")))?;
    if !expected.is_empty() && arguments.files.len() != 1 {
        let message = "check: --expect and --sha256 take exactly one file";
        return Err(Stop::Trouble(message.to_owned()));
    }
    let sources = sources(
        arguments.files.clone(),
        !expected.is_empty(),
        arguments.algorithm,
    );
    output.show_progress(&arguments.place, &arguments.files, sources);
    let hasher = Hasher::of(&arguments.place, output.progress())?;
    if !expected.is_empty() {
        return one(arguments, &hasher, expected, output);
    }
    let mut all_good = true;
    let separator = Cell::default();
    for path in &arguments.files {
        all_good &= checksum_file(arguments, &hasher, path, &separator, output)?;
    }
    Ok(all_good)
}

/// The sources that will be read: the one file, or the files in the lists. A list on standard input
/// cannot be read in advance.
fn sources(
    files: Vec<PathBuf>,
    is_one: bool,
    bare: Algorithm,
) -> impl Iterator<Item = Source> + Send {
    let (one, lists) = if is_one {
        (files, vec![])
    } else {
        (vec![], files)
    };
    let listed = lists.into_iter().flat_map(move |path| {
        let (stdin, list) = match Source::of(path) {
            Source::Stdin => (Some(Source::Stdin), None),
            source => (None, source.open().ok()),
        };
        let (mut line, mut separator) = (Vec::new(), Separator::default());
        let mut reader = list.map(BufReader::new);
        let names = std::iter::from_fn(move || {
            loop {
                checksum_file::read_line(reader.as_mut()?, &mut line).ok()??;
                if let Line::Entry { name, .. } = checksum_file::parse(&line, bare, &mut separator)
                {
                    return escaped_names::path(name).map(Source::of);
                }
            }
        });
        stdin.into_iter().chain(names)
    });
    one.into_iter().map(Source::of).chain(listed)
}

/// The digests from the command line.
fn expected(arguments: &Check) -> Result<Vec<AlgorithmDigest>, String> {
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
    arguments: &Check,
    hasher: &Hasher,
    expected: Vec<AlgorithmDigest>,
    output: &mut Output,
) -> Result<bool, Stop> {
    let path = &arguments.files[0];
    let entry = Entry {
        name: path.as_os_str().to_owned(),
        lines: vec![expected],
    };
    let mut verdicts = Verdicts::new(arguments, "", output);
    hasher.run(std::iter::once(entry.task()), &mut verdicts)?;
    Ok(verdicts.matched == 1)
}

fn checksum_file(
    arguments: &Check,
    hasher: &Hasher,
    path: &Path,
    separator: &Cell<Separator>,
    output: &mut Output,
) -> Result<bool, Stop> {
    let shown = escaped_names::shown(path.as_os_str());
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
    let entries = Entries::new(reader, is_stdin, arguments.algorithm, separator, &counts);
    let mut verdicts = Verdicts::new(arguments, &shown, output);
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

/// The verdict for a match.
const OK: &str = "OK";

/// Prints verdicts and counts them.
struct Verdicts<'a> {
    output: &'a mut Output,
    quiet: bool,
    status: bool,
    ignore_missing: bool,
    /// The list's name in warnings.
    list: &'a str,
    warn: bool,
    /// The algorithm for lines that name none.
    algorithm: Algorithm,
    matched: u64,
    mismatched: u64,
    unreadable: u64,
}

impl<'a> Verdicts<'a> {
    fn new(arguments: &Check, list: &'a str, output: &'a mut Output) -> Self {
        Self {
            output,
            quiet: arguments.quiet,
            status: arguments.status,
            ignore_missing: arguments.ignore_missing,
            list,
            warn: arguments.warn,
            algorithm: arguments.algorithm,
            matched: 0,
            mismatched: 0,
            unreadable: 0,
        }
    }

    fn improper(&mut self, number: u64) -> Result<(), Stop> {
        if !self.warn {
            return Ok(());
        }
        let (list, tag) = (self.list, algorithms::tag(self.algorithm));
        Ok(self.output.complain(format_args!(
            "{list}: {number}: improperly formatted {tag} checksum line"
        ))?)
    }

    /// Reports a file that cannot be read, for each of its lines.
    fn unreadable(&mut self, entry: &Entry, fault: &str) -> Result<(), Stop> {
        let shown = escaped_names::shown(&entry.name);
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
                self.write(name, OK)
            };
        }
        self.mismatched += 1;
        self.write(name, "FAILED")?;
        if digests.len() > 1 && !self.status {
            let shown = escaped_names::shown(name);
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
        let name = escaped_names::bytes(name);
        let mut line = Vec::with_capacity(name.len() + 24);
        // As in sha256sum: only names with a newline are escaped here.
        if name.contains(&b'\n') {
            line.push(b'\\');
            line.extend_from_slice(&escaped_names::escape(name));
        } else {
            line.extend_from_slice(name);
        }
        let (before, after) = self.output.colours(verdict == OK);
        line.extend_from_slice(format!(": {before}{verdict}{after}").as_bytes());
        line.push(b'\n');
        Ok(self.output.write(&line)?)
    }
}

impl Sink<Label> for Verdicts<'_> {
    fn done(&mut self, label: Label, outcome: Outcome) -> Result<(), Stop> {
        let entry = match label {
            Label::Entry(entry) => entry,
            Label::Improper(number) => return self.improper(number),
        };
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
