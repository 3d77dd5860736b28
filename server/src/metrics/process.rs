//! CPU time, memory and descriptors of the process, under the names that all Prometheus clients
//! use.
//!
//! The client library's collector counts CPU in whole seconds, which makes rates jump. It also
//! opens files to read, which fails without free descriptors. This collector reads the clock of the
//! process, and keeps its files open.

use std::fs::File;
use std::time::SystemTime;

use prometheus::proto::MetricFamily;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::family::{families, one};
use super::instruments::as_f64;
use super::thread::read;

/// The process, and the files of `/proc`, if there are any, that each scrape reads.
pub(crate) struct Process {
    statm: Option<File>,
    stat: Option<File>,
    started: SystemTime,
}

impl Process {
    pub(crate) fn new() -> Self {
        Self {
            statm: File::open("/proc/self/statm").ok(),
            stat: File::open("/proc/self/stat").ok(),
            started: SystemTime::now(),
        }
    }

    /// Adds the metrics that the system provides.
    pub(crate) fn read(&self, families: &mut Vec<MetricFamily>) {
        let started = self.started.duration_since(SystemTime::UNIX_EPOCH);
        let statm = self.statm.as_ref().and_then(read);
        let bytes = |at| bytes(statm.as_ref()?, at).map(as_f64);
        // Field 3 follows the name, which may contain blanks; field 20 is the number of threads.
        let stat = self.stat.as_ref().and_then(read);
        let after_name = stat.as_ref().and_then(|text| text.rsplit_once(") "));
        let threads = after_name.and_then(|(_, rest)| rest.split(' ').nth(17)?.parse().ok());
        families! { families;
            /// Processor time of user and system.
            counter process_cpu_seconds_total = one(cpu_seconds());
            /// When the process started, after the epoch.
            gauge process_start_time_seconds =
                one(started.ok().map(|since| since.as_secs_f64()));
            /// Virtual memory.
            gauge process_virtual_memory_bytes = one(bytes(0));
            /// Resident memory.
            gauge process_resident_memory_bytes = one(bytes(1));
            /// Threads.
            gauge process_threads = one(threads);
            /// Open descriptors.
            gauge process_open_fds = one(open_descriptors());
            /// Descriptors that may be open.
            gauge process_max_fds = one(descriptors_max());
        }
    }
}

/// CPU time, user and system.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    // The clock starts at 0 with the process, so neither is negative.
    let whole = |n: i64| as_f64(u64::try_from(n).unwrap_or(0));
    whole(time.tv_sec) + whole(time.tv_nsec) / 1e9
}

/// Resident memory.
pub(crate) fn resident_bytes() -> Option<u64> {
    let file = File::open("/proc/self/statm").ok()?;
    bytes(&read(&file)?, 1)
}

/// The value of field `at` of `statm`, which counts pages.
fn bytes(statm: &str, at: usize) -> Option<u64> {
    let pages: u64 = statm.split(' ').nth(at)?.trim_end().parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// The limit of open descriptors.
pub(crate) fn descriptors_max() -> Option<f64> {
    getrlimit(Resource::Nofile).current.map(as_f64)
}

/// The number of open descriptors; the limit if none is free to count with.
pub(crate) fn open_descriptors() -> Option<f64> {
    match std::fs::read_dir("/proc/self/fd") {
        // Without the descriptor that lists them.
        Ok(entries) => Some(as_f64(entries.count().saturating_sub(1) as u64)),
        Err(error) => (error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()))
            .then(descriptors_max)?,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(process: &Process) -> Vec<MetricFamily> {
        let mut families = Vec::new();
        process.read(&mut families);
        families.retain(|family| !family.get_metric().is_empty());
        families
    }

    fn value(families: &[MetricFamily], name: &str) -> f64 {
        let family = families.iter().find(|family| family.name() == name);
        let metric = &family.unwrap_or_else(|| panic!("{name}")).get_metric()[0];
        metric.get_counter().get_value() + metric.get_gauge().get_value()
    }

    #[test]
    fn cpu_time_moves_by_less_than_a_second() {
        let process = Process::new();
        let first = value(&read_all(&process), "process_cpu_seconds_total");
        let mut now = first;
        while now == first {
            now = value(&read_all(&process), "process_cpu_seconds_total");
        }
        assert!(
            first > 0.0 && now > first && now - first < 1.0,
            "{first} {now}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn it_sees_memory_threads_and_descriptors() {
        const BYTES: usize = 64 << 20;
        let process = Process::new();
        let before = read_all(&process);
        let memory = vec![1_u8; BYTES];
        let files: Vec<_> = (0..100).map(|_| File::open("/dev/null").unwrap()).collect();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || wait.recv());
        let after = read_all(&process);
        let more = |name| value(&after, name) - value(&before, name);
        // Other tests open and close descriptors meanwhile.
        assert!(more("process_resident_memory_bytes") > as_f64(BYTES as u64 / 2));
        assert!(more("process_virtual_memory_bytes") > as_f64(BYTES as u64 / 2));
        assert!(more("process_open_fds") > 50.0);
        assert!(value(&after, "process_threads") >= 2.0);
        assert!(value(&after, "process_max_fds") >= value(&after, "process_open_fds"));
        assert!(value(&after, "process_start_time_seconds") > 1.7e9);
        drop((memory, files, go));
        assert!(thread.join().is_ok());
    }
}
