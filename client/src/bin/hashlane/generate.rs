//! `hashlane completions` and `hashlane man`: generated from the definition of the command line.

use std::io;

use clap::CommandFactory as _;

use crate::args::{Arguments, Completions, Man};
use crate::escaped_names;
use crate::output::Output;
use crate::tasks::{Stop, plain};

/// Prints the shell's completions.
pub(crate) fn completions(arguments: &Completions, output: &mut Output) -> Result<bool, Stop> {
    let mut text = Vec::new();
    let command = &mut Arguments::command();
    clap_complete::generate(arguments.shell, command, "hashlane", &mut text);
    output.write(&text)?;
    Ok(true)
}

/// Writes the man pages. Fails if the folder cannot be written.
pub(crate) fn man(arguments: &Man, output: &mut Output) -> Result<bool, Stop> {
    let folder = &arguments.folder;
    let write = || -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        clap_mangen::generate_to(Arguments::command(), folder)
    };
    let Err(error) = write() else {
        return Ok(true);
    };
    let shown = escaped_names::shown(folder.as_os_str());
    output.complain(format_args!("{shown}: {}", plain(&error)))?;
    Ok(false)
}
