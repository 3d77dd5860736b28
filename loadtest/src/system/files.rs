//! Limits of open files, with a socket per connection on both sides; and paths of programs.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files in addition to connections: runtimes, pipes, metrics.
const FILES_RESERVED: u64 = 64;

/// Raises the limit of open files as far as the system allows, for this process and the servers it
/// starts. Shells commonly set it to 1024.
///
/// # Errors
/// The limit is too low for `connections`.
pub(crate) fn allow(connections: usize) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit {
            current: limit.maximum,
            ..limit
        };
        // The current limit may suffice even if it cannot be raised.
        let _ = setrlimit(Resource::Nofile, raised);
        limit = getrlimit(Resource::Nofile);
    }
    let needed = connections as u64 + FILES_RESERVED;
    // `None` means no limit.
    let allowed = limit.current.unwrap_or(u64::MAX);
    ensure!(
        needed <= allowed,
        "{connections} connections need {needed} open files, and this process may open {allowed}"
    );
    Ok(())
}

/// The absolute path of the program at `path`. `Command` looks up a name without a slash in PATH,
/// which might start a different program.
///
/// # Errors
/// There is no such file.
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
