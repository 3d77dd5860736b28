//! The end of a run: its table, its files, its exit status.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};

use super::measured_load::Measured;
use super::summary_table;
use crate::args::RunArgs;
use crate::page;
use crate::results::threshold::judge_all;
use crate::results::{say, write_document};
use crate::system::files::write_whole;

/// The exit status if the load generator held the rate down.
pub(super) const CLIENT_WAS_BOTTLENECK: u8 = 3;

/// Prints everything; returns the exit status.
///
/// # Errors
/// A file, or standard output, cannot be written.
pub(super) fn report(mut measured: Measured, args: &RunArgs) -> Result<ExitCode> {
    say(summary_table::table(&measured.document));
    measured.tally.say_examples();
    if measured.document.totals.parts == 0
        && measured.tally.answered > 0
        && !measured.document.interrupted
    {
        say("no part ended in the time of the measurement: more --duration, or smaller parts");
    }
    for reason in &measured.document.client.why {
        say(format_args!("the client was the bottleneck: {reason}"));
    }
    let are_passed = judge_all(&args.fail_if, &mut measured.document);
    write_all(&measured, args)?;
    Ok(if !measured.is_right() || !are_passed {
        ExitCode::FAILURE
    } else if measured.document.client.is_bottleneck {
        ExitCode::from(CLIENT_WAS_BOTTLENECK)
    } else {
        ExitCode::SUCCESS
    })
}

/// Writes the document to `--json`, or to standard output, the page of `--report`, and the table of
/// `--hgrm`.
fn write_all(measured: &Measured, args: &RunArgs) -> Result<()> {
    if let Some(path) = &args.hgrm {
        write_whole(path, &summary_table::hgrm(&measured.tally.latencies_ns))?;
    }
    if let Some(path) = &args.report {
        page::write(std::slice::from_ref(&measured.document), path)?;
    }
    write_document(&measured.document, args.json.as_deref())
}

/// Checks before a load that these files can have a place.
///
/// # Errors
/// Names the file without a folder.
pub(super) fn check_folders<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    for path in paths {
        let folder = path.parent().unwrap_or(Path::new(""));
        let is_there = folder.as_os_str().is_empty() || folder.is_dir();
        ensure!(
            is_there && !path.is_dir(),
            "cannot write {}: there is no such folder, or it is one",
            path.display()
        );
    }
    Ok(())
}
