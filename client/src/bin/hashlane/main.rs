//! The `hashlane` tool: digests and verifies files, on a server or with the
//! engine embedded.
//!
//! ```text
//! args ── what was asked
//! sum, verify ── tasks in, lines out, in order ──┬── embedded: engine threads
//!   check: lines of a checksum file              └── remote: calls to a server
//!   values: digests as text; algorithms: their names
//!   buffers: chunks of files, in buffers used again
//!   names: names as sha256sum writes them
//!   order: results put back in order, within a bounded window
//! info, compose ── single questions, here or to a server
//! ```
#![forbid(unsafe_code)]

mod algorithms;
mod args;
mod buffers;
mod check;
mod compose;
mod embedded;
mod info;
mod names;
mod order;
mod output;
mod remote;
mod sum;
mod values;
mod verify;
mod work;

use std::process::ExitCode;

use args::Command;
use clap::Parser as _;
use output::{Output, complain};
use work::Stop;

/// Everything was digested, and matched.
const EXIT_OK: u8 = 0;
/// A mismatch, or something that could not be read or written.
const EXIT_FAULT: u8 = 1;
/// A wrong command line, or no server.
const EXIT_TROUBLE: u8 = 2;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    let mut output = Output::new();
    let outcome = match arguments.command {
        Command::Sum(arguments) => sum::run(&arguments, &mut output),
        Command::Verify(arguments) => verify::run(&arguments, &mut output),
        Command::Info(arguments) => info::run(&arguments, &mut output),
        Command::Compose(arguments) => compose::run(&arguments, &mut output),
    };
    let outcome = outcome.and_then(|good| Ok(output.flush().map(|()| good)?));
    ExitCode::from(match outcome {
        Ok(true) => EXIT_OK,
        Ok(false) => EXIT_FAULT,
        // Whoever read the output has gone: there is nobody to tell.
        Err(Stop::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => EXIT_FAULT,
        Err(Stop::Output(error)) => {
            complain(format_args!("write error: {}", work::plain(&error)));
            EXIT_FAULT
        }
        Err(Stop::Trouble(message)) => {
            // What is known goes out before the reason why there is no more.
            let _ = output.flush();
            complain(format_args!("{message}"));
            EXIT_TROUBLE
        }
    })
}
