//! Open files: a socket for every connection, on both sides of it. Programs by their paths.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that are open beside the connections: runtimes, pipes, metrics.
const FILES_RESERVED: u64 = 64;

/// Lets this process, and the servers it starts, open as many files as the
/// system allows; shells commonly start programs with 1024.
///
/// # Errors
/// If so many connections are still too many.
pub(crate) fn allow(connections: usize) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit {
            current: limit.maximum,
            ..limit
        };
        // What cannot be raised may still suffice.
        let _ = setrlimit(Resource::Nofile, raised);
        limit = getrlimit(Resource::Nofile);
    }
    let needed = connections as u64 + FILES_RESERVED;
    // No limit is none.
    let allowed = limit.current.unwrap_or(u64::MAX);
    ensure!(
        needed <= allowed,
        "{connections} connections need {needed} open files, and this process may open {allowed}"
    );
    Ok(())
}

/// The program at `path`, from the folder of this process on. `Command` looks a name without a
/// slash up in PATH, which would start another program than the one that was found here.
///
/// # Errors
/// If there is no file.
pub(crate) fn program(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path).context("it names no file")?;
    ensure!(
        absolute.is_file(),
        "there is no program at {} (names are not looked up in PATH)",
        absolute.display()
    );
    Ok(absolute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_beyond_the_limit_are_refused_at_once() {
        allow(16).unwrap();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
        if let Some(maximum) = limit.maximum {
            let error = allow(usize::try_from(maximum).unwrap()).unwrap_err();
            assert!(error.to_string().contains("open files"), "{error}");
        }
    }
}
