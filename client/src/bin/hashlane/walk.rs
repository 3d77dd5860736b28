//! The files that the arguments name.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use crate::escaped_names;
use crate::tasks::Source;

/// How folders are treated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk {
    /// Take the files in folders. Otherwise a folder counts as a file that cannot be read.
    pub(crate) recursive: bool,
    /// Follow symbolic links in folders. Links among the arguments are always followed.
    pub(crate) follow: bool,
}

/// The files in the order of the arguments, and within folders in the order of their names' bytes.
/// An entry that cannot be read is included with its error.
pub(crate) fn files(
    paths: Vec<PathBuf>,
    walk: Walk,
) -> impl Iterator<Item = (PathBuf, Source)> + Send {
    paths.into_iter().flat_map(move |path| {
        let is_folder = walk.recursive && path.as_os_str() != "-" && path.is_dir();
        let (alone, folder) = if is_folder {
            (None, Some(folder(&path, walk.follow)))
        } else {
            (Some((path.clone(), Source::of(path))), None)
        };
        alone.into_iter().chain(folder.into_iter().flatten())
    })
}

fn folder(path: &Path, follow: bool) -> impl Iterator<Item = (PathBuf, Source)> + Send + use<> {
    let entries = WalkDir::new(path).follow_links(follow).sort_by_file_name();
    entries.into_iter().filter_map(|entry| match entry {
        // Only regular files are read: a pipe may have no writer, and `entry` may be a link that is
        // not followed.
        Ok(entry) if !entry.file_type().is_file() => None,
        Ok(entry) => Some(found(entry)),
        Err(error) => Some(lost(error)),
    })
}

fn found(entry: DirEntry) -> (PathBuf, Source) {
    let path = entry.into_path();
    (path.clone(), Source::Found(path))
}

fn lost(error: walkdir::Error) -> (PathBuf, Source) {
    let path = error.path().map(Path::to_owned).unwrap_or_default();
    let error = match error.loop_ancestor() {
        Some(ancestor) => {
            let ancestor = escaped_names::shown(ancestor.as_os_str());
            io::Error::other(format!("a loop of links: it leads back to {ancestor}"))
        }
        None => {
            let other = || io::Error::other("cannot be read");
            error.into_io_error().unwrap_or_else(other)
        }
    };
    (path, Source::Lost(Arc::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, recursive: bool, follow: bool) -> Vec<(String, bool)> {
        let walk = Walk { recursive, follow };
        let found = files(vec![folder.to_owned()], walk).map(|(path, source)| {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
            (name.to_owned(), matches!(source, Source::Lost(_)))
        });
        found.collect()
    }

    #[test]
    fn folders_are_entered_in_order_and_only_if_asked() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("b/empty")).unwrap();
        for name in ["c", "a", "b/z", "b/y", "b.x"] {
            std::fs::write(at(name), "").unwrap();
        }
        let good =
            |names: &[&str]| -> Vec<_> { names.iter().map(|n| ((*n).to_owned(), false)).collect() };
        let all = ["a", "b/y", "b/z", "b.x", "c"];
        assert_eq!(names(folder.path(), true, false), good(&all));
        assert_eq!(names(folder.path(), false, false), good(&[""]));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_if_asked_and_a_loop_is_an_error() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("b")).unwrap();
        std::fs::write(at("a"), "").unwrap();
        std::fs::write(at("b/c"), "").unwrap();
        symlink(at("a"), at("link")).unwrap();
        symlink(folder.path(), at("b/loop")).unwrap();
        symlink(at("none"), at("z")).unwrap();
        let name = |name: &str, is_lost| (name.to_owned(), is_lost);
        assert_eq!(
            names(folder.path(), true, false),
            [name("a", false), name("b/c", false)]
        );
        assert_eq!(
            names(folder.path(), true, true),
            [
                name("a", false),
                name("b/c", false),
                name("b/loop", true),
                name("link", false),
                name("z", true)
            ]
        );
        // A link among the arguments is followed.
        let walk = Walk {
            recursive: true,
            follow: false,
        };
        symlink(at("b"), at("to-b")).unwrap();
        let files: Vec<_> = files(vec![at("to-b")], walk).collect();
        assert!(matches!(&files[..], [(name, Source::Found(_))] if *name == at("to-b/c")));
    }
}
