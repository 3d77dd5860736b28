//! Files: the limit of open ones, with a socket per connection on both sides; paths of programs;
//! and files that are written whole or not at all.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
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

/// Writes a text to a file. A file that is there already stays as it is until the new one is
/// complete. Pipes and terminals are written to directly.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<()> {
    let written = if path.exists() && !path.is_file() {
        std::fs::write(path, text)
    } else {
        replace(path, text)
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// A text file.
///
/// # Errors
/// Names the file that cannot be read.
pub(crate) fn read_whole(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let parent = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(parent.unwrap_or_else(|| Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
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

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        write_whole(&path, "one").unwrap();
        write_whole(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

        let error = write_whole(&path.join("below"), "x").unwrap_err();
        assert!(
            format!("{error:#}").starts_with("cannot write"),
            "{error:#}"
        );
        write_whole(Path::new("/dev/null"), "x").unwrap();
    }
}
