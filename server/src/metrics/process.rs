//! CPU time, memory and descriptors of the process, under the names that all Prometheus clients
//! use.
//!
//! The client library's collector counts CPU in whole seconds, which makes rates jump. This
//! one reads the clock of the process.

use prometheus::proto::MetricFamily;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::instruments::as_f64;
use super::metric_family::{families, one};

/// Adds the metrics that the system provides.
pub(crate) fn read(families: &mut Vec<MetricFamily>) {
    let statm = read_file("statm");
    let bytes = |at| bytes(statm.as_ref()?, at).map(as_f64);
    // Field 3 follows the name, which may contain blanks; field 20 is the number of threads.
    let stat = read_file("stat");
    let after_name = stat.as_ref().and_then(|text| text.rsplit_once(") "));
    let threads = after_name.and_then(|(_, rest)| rest.split(' ').nth(17)?.parse().ok());
    families! { families;
        /// Processor time of user and system.
        counter process_cpu_seconds_total = one(cpu_seconds());
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

fn read_file(name: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/self/{name}")).ok()
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
    bytes(&read_file("statm")?, 1)
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

/// The number of open descriptors, without the one that lists them.
pub(crate) fn open_descriptors() -> Option<f64> {
    let entries = std::fs::read_dir("/proc/self/fd").ok()?;
    Some(as_f64(entries.count().saturating_sub(1) as u64))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::env;
    use std::fs::File;
    use std::process::Command;

    use super::*;

    /// Runs `body`, which measures the whole process, in a process without other tests. `test` is
    /// the path of the calling test.
    pub(crate) fn in_own_process(test: &str, body: impl FnOnce()) {
        const CHILD: &str = "HASHLANE_TEST_CHILD";
        if env::var_os(CHILD).is_some() {
            return body();
        }
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stdout);
        let errors = String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success(), "{text}{errors}");
        assert!(text.contains("1 passed"), "{test} is not a test: {text}");
    }

    fn read_all() -> Vec<MetricFamily> {
        let mut families = Vec::new();
        read(&mut families);
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
        let first = value(&read_all(), "process_cpu_seconds_total");
        let mut now = first;
        while now == first {
            now = value(&read_all(), "process_cpu_seconds_total");
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
        let test = "metrics::process::tests::it_sees_memory_threads_and_descriptors";
        in_own_process(test, || {
            let before = read_all();
            let memory = vec![1_u8; BYTES];
            let files: Vec<_> = (0..100).map(|_| File::open("/dev/null").unwrap()).collect();
            let (go, wait) = std::sync::mpsc::channel::<()>();
            let thread = std::thread::spawn(move || wait.recv());
            let after = read_all();
            let more = |name| value(&after, name) - value(&before, name);
            assert!(more("process_resident_memory_bytes") >= as_f64(BYTES as u64));
            assert!(more("process_virtual_memory_bytes") >= as_f64(BYTES as u64));
            assert!((100.0..103.0).contains(&more("process_open_fds")));
            assert!((1.0..2.0).contains(&more("process_threads")));
            assert!(value(&after, "process_max_fds") >= value(&after, "process_open_fds"));
            drop((memory, files, go));
            assert!(thread.join().is_ok());
        });
    }
}
