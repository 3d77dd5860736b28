//! The tasks of checksum files: lines in order, grouped by file.

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::sync::Arc;

use hashlane_client::{Algorithm, AlgorithmDigest};

use crate::checksum_file::{self, Line, Separator};
use crate::escaped_names;
use crate::tasks::{Source, Task, Want};

/// Counts of the lines of one checksum file, updated while they are read.
#[derive(Default)]
pub(crate) struct LineCounts {
    pub(crate) proper: Cell<u64>,
    pub(crate) improper: Cell<u64>,
    pub(crate) error: Cell<Option<io::Error>>,
}

/// The digests that a checksum file lists for one file, in one line or in consecutive BSD-style
/// lines. The file is read once for all of them.
pub(crate) struct Entry {
    pub(crate) name: OsString,
    /// The digests of each line; no algorithm occurs twice.
    pub(crate) lines: Vec<Vec<AlgorithmDigest>>,
}

impl Entry {
    pub(crate) fn task(self) -> (Task, Label) {
        let task = Task {
            source: Source::of(self.name.clone().into()),
            want: Want::Verdict(self.lines.concat()),
        };
        (task, Label::Entry(self))
    }

    /// Takes over the lines of `other`, if it has the same file and other algorithms.
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

/// The results to report, in the order of the lines.
pub(crate) enum Label {
    Entry(Entry),
    /// The line with this number is improperly formatted.
    Improper(u64),
}

impl Label {
    /// A label for a line without a file to read.
    fn improper(number: u64) -> (Task, Self) {
        let error = io::Error::from(io::ErrorKind::InvalidData);
        let task = Task {
            source: Source::Lost(Arc::new(error)),
            want: Want::Verdict(Vec::new()),
        };
        (task, Self::Improper(number))
    }
}

/// A line that is not blank.
enum Read {
    Entry { entry: Entry, is_tagged: bool },
    Improper(u64),
}

/// The tasks of a checksum file, read on demand.
pub(crate) struct Entries<'a> {
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    /// Lines read.
    number: u64,
    is_stdin: bool,
    /// The algorithm for lines that name none.
    algorithm: Algorithm,
    /// Shared by all lists: as in sha256sum, the first plain line decides.
    separator: &'a Cell<Separator>,
    /// A line read ahead, to see whether it belongs to the previous one.
    ahead: Option<Read>,
    counts: &'a LineCounts,
}

impl Iterator for Entries<'_> {
    type Item = (Task, Label);

    fn next(&mut self) -> Option<Self::Item> {
        let (mut entry, mut is_tagged) = match self.ahead.take().or_else(|| self.read())? {
            Read::Improper(number) => return Some(Label::improper(number)),
            Read::Entry { entry, is_tagged } => (entry, is_tagged),
        };
        // Only tagged lines come in groups; other lines do not wait for the next one.
        while is_tagged {
            let next = match self.read() {
                Some(Read::Entry {
                    entry,
                    is_tagged: is_next_tagged,
                }) => {
                    is_tagged = is_next_tagged;
                    entry
                }
                other => {
                    self.ahead = other;
                    break;
                }
            };
            if let Err(entry) = entry.join(next) {
                self.ahead = Some(Read::Entry { entry, is_tagged });
                break;
            }
        }
        Some(entry.task())
    }
}

impl<'a> Entries<'a> {
    pub(crate) fn new(
        reader: Box<dyn BufRead>,
        is_stdin: bool,
        algorithm: Algorithm,
        separator: &'a Cell<Separator>,
        counts: &'a LineCounts,
    ) -> Self {
        Self {
            reader,
            line: Vec::new(),
            number: 0,
            is_stdin,
            algorithm,
            separator,
            ahead: None,
            counts,
        }
    }

    /// The next line that is not blank.
    fn read(&mut self) -> Option<Read> {
        loop {
            self.number += 1;
            let parsed = match checksum_file::read_line(&mut self.reader, &mut self.line) {
                Ok(None) => return None,
                Ok(Some(true)) => {
                    let mut separator = self.separator.get();
                    let parsed = checksum_file::parse(&self.line, self.algorithm, &mut separator);
                    self.separator.set(separator);
                    parsed
                }
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
                } => (digests, is_tagged, escaped_names::path(name)),
                Line::Blank => continue,
                Line::Improper => (Vec::new(), false, None),
            };
            // Standard input cannot be both the list and one of its files.
            let path = path.filter(|path| !(self.is_stdin && path.as_os_str() == "-"));
            let Some(path) = path else {
                self.counts.improper.set(self.counts.improper.get() + 1);
                return Some(Read::Improper(self.number));
            };
            self.counts.proper.set(self.counts.proper.get() + 1);
            let entry = Entry {
                name: path.into_os_string(),
                lines: vec![digests],
            };
            return Some(Read::Entry { entry, is_tagged });
        }
    }
}
