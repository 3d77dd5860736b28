//! `hashlane sum`: digests in the format of sha256sum, md5sum and the like.

use std::path::PathBuf;
use std::sync::Arc;

use hashlane_client::Algorithm;

use crate::args::Sum;
use crate::escaped_names;
use crate::format::Format;
use crate::hasher::Hasher;
use crate::output::Output;
use crate::tasks::{Outcome, Sink, Stop, Task, Want, Wanted, plain};
use crate::walk::{self, Walk};

/// Prints digests. Returns whether every file was digested.
pub(crate) fn run(arguments: &Sum, output: &mut Output) -> Result<bool, Stop> {
    let algorithms = match arguments.algorithms.as_slice() {
        [] => vec![Algorithm::Sha256],
        algorithms => algorithms.to_vec(),
    };
    let format = Format::of(arguments, &algorithms);
    let format = format.map_err(|fault| Stop::Trouble(format!("sum: {fault}")))?;
    let walk = Walk {
        recursive: arguments.recursive,
        follow: arguments.follow,
    };
    let files = || walk::files(arguments.files.clone(), walk);
    let sources = files().map(|(_, source)| source);
    output.show_progress(&arguments.place, &arguments.files, sources);
    let hasher = Hasher::of(&arguments.place, output.progress())?;
    let mut lines = Lines {
        output,
        format,
        is_good: true,
    };
    let wanted = Arc::new(Wanted {
        algorithms,
        part_bytes: arguments.part_size,
    });
    let tasks = files().map(|(path, source)| {
        let task = Task {
            source,
            want: Want::Digests(Arc::clone(&wanted)),
        };
        (task, path)
    });
    hasher.run(tasks, &mut lines)?;
    Ok(lines.is_good)
}

struct Lines<'a> {
    output: &'a mut Output,
    format: Format,
    is_good: bool,
}

impl Sink<PathBuf> for Lines<'_> {
    fn done(&mut self, path: PathBuf, outcome: Outcome) -> Result<(), Stop> {
        let name = path.as_os_str();
        let fault = match outcome {
            Outcome::Digests(digested) => {
                let lines = self.format.lines(&digested, name);
                return Ok(self.output.write(&lines)?);
            }
            Outcome::Verdict { .. } => unreachable!("no verdict was asked for"),
            Outcome::Unreadable(error) => plain(&error),
            Outcome::Refused(message) => message,
        };
        self.is_good = false;
        if let Some(line) = self.format.fault(name, &fault) {
            self.output.write(&line)?;
        }
        let name = escaped_names::shown(name);
        Ok(self.output.complain(format_args!("{name}: {fault}"))?)
    }

    fn flush(&mut self) -> Result<(), Stop> {
        Ok(self.output.flush()?)
    }
}
