//! The `hashlane` tool: digests and verifies files, on a server or with the embedded engine.
//!
//! ```text
//! args ── what was asked
//! sum, check ── tasks in, lines out, in order ── hasher ──┬── embedded: engine threads
//!   walk: the files of the arguments                      └── remote: calls to a server
//!   tasks: files to hash, and what becomes of them
//!   format: what `sum` prints
//!   checksum_file: its lines, parsed; checksum_tasks: what they ask for
//!   values: digests as text; algorithms: their names
//!   parts: S3's values of a file in parts
//!   escaped_names: names as sha256sum writes them
//!   hasher: here or on a server
//!   task_dispatch: tasks given out and outcomes passed on; task_queues: tasks for any thread
//!   reorder_buffer: results put back in order, within a bounded window
//!   descriptors: how many files may be open
//! info, compose, ping ── single questions, here or to a server
//! bench ── what each way to hash costs here
//! generate ── completions and man pages
//! output ── standard output and complaints; progress: the bar above which they appear
//! exit ── exit codes
//! ```
// The exception is one call, which maps a file.
#![deny(unsafe_code)]

mod algorithms;
mod args;
mod bench;
mod check;
mod checksum_file;
mod checksum_tasks;
mod compose;
mod descriptors;
mod embedded;
mod escaped_names;
mod exit;
mod format;
mod generate;
mod hasher;
mod info;
mod output;
mod parts;
mod ping;
mod progress;
mod remote;
mod reorder_buffer;
mod sum;
mod task_dispatch;
mod task_queues;
mod tasks;
mod values;
mod walk;

use std::process::ExitCode;

use args::Command;
use clap::Parser as _;
use exit::{EXIT_FAULT, EXIT_OK, EXIT_TROUBLE};
use output::{Output, complain};
use tasks::Stop;

/// Shows the answer to a command line that runs nothing: an error, or a help text.
fn shown(error: &clap::Error) -> ExitCode {
    let code = match (error.print(), error.exit_code()) {
        (Err(_), 0) => EXIT_FAULT,
        (_, 0) => EXIT_OK,
        _ => EXIT_TROUBLE,
    };
    ExitCode::from(code)
}

fn main() -> ExitCode {
    let arguments = match args::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return shown(&error),
    };
    let mut output = Output::new();
    let outcome = match arguments.command {
        Command::Sum(arguments) => sum::run(&arguments, &mut output),
        Command::Check(arguments) => check::run(&arguments, &mut output),
        Command::Info(arguments) => info::run(&arguments, &mut output),
        Command::Compose(arguments) => compose::run(&arguments, &mut output),
        Command::Ping(arguments) => ping::run(&arguments, &mut output),
        Command::Bench(arguments) => bench::run(&arguments, &mut output),
        Command::Completions(arguments) => generate::completions(&arguments, &mut output),
        Command::Man(arguments) => generate::man(&arguments, &mut output),
    };
    let outcome = outcome.and_then(|good| Ok(output.flush().map(|()| good)?));
    ExitCode::from(match outcome {
        Ok(true) => EXIT_OK,
        Ok(false) => EXIT_FAULT,
        // The reader of the output is gone, so no message can reach it.
        Err(Stop::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => EXIT_FAULT,
        Err(Stop::Output(error)) => {
            complain(format_args!("write error: {}", tasks::plain(&error)));
            EXIT_FAULT
        }
        Err(Stop::Trouble(message)) => {
            // Known results come before the error that ends the run.
            let _ = output.flush();
            complain(format_args!("{message}"));
            EXIT_TROUBLE
        }
    })
}
