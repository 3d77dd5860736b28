//! The settings of the embedded engine, and whether tasks are worth measuring its kernels.

use std::sync::OnceLock;
use std::thread;

use hashlane_engine::Crossover;
use indicatif::ProgressBar;

use crate::descriptors;
use crate::tasks::{Source, Task};

/// Files in progress on each thread by default: as many as their chunks stay in an L2 cache of
/// 1 MiB. With 32, whose chunks do not fit, MD5 takes 10% longer.
const JOBS_DEFAULT: usize = 16;
/// Files open at a time by default, on machines with many cores.
const OPEN_FILES_DEFAULT_MAX: usize = 512;
/// Up to this many tasks are hashed one by one, with the kernel for one stream:
/// measuring the kernels would take longer than it gains.
pub(super) const FEW_TASKS: usize = 3;
/// But with more tasks than threads, and at least this many bytes in all, the lanes pay: some 30 ms
/// of SHA-256, of which measuring takes a third.
const LONG_BYTES: u64 = 64 << 20;

/// The embedded engine's settings.
pub(crate) struct Embedded {
    pub(super) threads: usize,
    /// Files in progress on each thread.
    pub(super) share: usize,
    /// Whether long files are mapped.
    pub(super) mmap: bool,
    pub(super) progress: ProgressBar,
    /// Shared, so that kernels are measured once, and only if that pays.
    pub(super) crossover: OnceLock<Crossover>,
}

impl Embedded {
    pub(crate) fn new(jobs: Option<usize>, mmap: bool, progress: ProgressBar) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.unwrap_or((cores * JOBS_DEFAULT).min(OPEN_FILES_DEFAULT_MAX));
        let jobs = jobs.min(descriptors::files_max());
        let threads = cores.min(jobs);
        Self {
            threads,
            share: jobs / threads,
            mmap,
            progress,
            crossover: OnceLock::new(),
        }
    }

    /// Whether these first tasks are enough work to measure the kernels for.
    pub(super) fn pays_lanes<L>(&self, first: &[(Task, L)]) -> bool {
        let bytes = || first.iter().map(|(task, _)| bytes_of(&task.source)).sum();
        let is_long = |bytes: u64| bytes >= LONG_BYTES;
        first.len() > FEW_TASKS || first.len() > self.threads && is_long(bytes())
    }
}

/// What is known of a source before it is opened.
fn bytes_of(source: &Source) -> u64 {
    let (Source::File(path) | Source::Found(path)) = source else {
        return 0;
    };
    let metadata = std::fs::metadata(path);
    metadata.map_or(0, |metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Want;

    #[test]
    fn few_tasks_have_lanes_if_they_are_long_and_more_than_threads() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes| {
            let path = folder.path().join(name);
            std::fs::File::create(&path)
                .unwrap()
                .set_len(bytes)
                .unwrap();
            let source = Source::File(path);
            let want = Want::Verdict(Vec::new());
            (Task { source, want }, ())
        };
        let (long, short) = (file("long", LONG_BYTES / 3 + 1), file("short", 1));
        let pays = |threads, tasks: &[_]| {
            let mut embedded = Embedded::new(None, false, ProgressBar::hidden());
            embedded.threads = threads;
            embedded.pays_lanes(tasks)
        };
        let three = |task: &(Task, ())| vec![task.clone(); 3];
        assert!(pays(2, &three(&long)) && pays(1, &three(&long)));
        assert!(!pays(3, &three(&long)) && !pays(1, &three(&short)));
        assert!(pays(8, &[three(&short), vec![short.clone()]].concat()));
    }
}
