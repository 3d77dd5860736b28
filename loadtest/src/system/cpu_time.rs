//! CPU time of processes and threads, from `/proc`.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use super::files::read_whole;

/// CPU time of a process so far.
///
/// `schedstat` has nanoseconds, but only of running threads; `stat` covers all threads, in clock
/// ticks. So a difference is in nanoseconds unless a thread ended in between, for example a worker
/// that the server replaced.
#[derive(Clone, Debug)]
pub(crate) struct CpuTime {
    /// By thread id, nanoseconds in which it ran, and in which it was ready to run but had no CPU.
    threads_ns: BTreeMap<String, [u64; 2]>,
    process_seconds: f64,
}

impl CpuTime {
    /// Reads the CPU time from `/proc`.
    ///
    /// # Errors
    /// The process has ended.
    pub(crate) fn of_process(pid: u32) -> Result<Self> {
        let folder = format!("/proc/{pid}");
        let tasks = format!("{folder}/task");
        let mut threads_ns = BTreeMap::new();
        for task in std::fs::read_dir(&tasks).with_context(|| format!("cannot read {tasks}"))? {
            let task = task?;
            // A thread may end while its folder is read.
            let schedstat = std::fs::read_to_string(task.path().join("schedstat"));
            let schedstat = schedstat.unwrap_or_default();
            let mut numbers = schedstat.split(' ').map_while(first_number);
            if let Some(ns) = numbers.next() {
                let thread = task.file_name().to_string_lossy().into_owned();
                threads_ns.insert(thread, [ns, numbers.next().unwrap_or(0)]);
            }
        }
        Ok(Self {
            threads_ns,
            process_seconds: seconds_of_stat(&folder)?,
        })
    }

    fn of(&self, thread: &str) -> [u64; 2] {
        self.threads_ns.get(thread).copied().unwrap_or_default()
    }

    /// Seconds since `before` in which threads waited for a CPU.
    pub(crate) fn delay_since(&self, before: &Self) -> f64 {
        let threads = self.threads_ns.iter();
        let since = threads.map(|(thread, [_, now])| now.saturating_sub(before.of(thread)[1]));
        since.sum::<u64>() as f64 / 1e9
    }

    /// Seconds used since `before`.
    pub(crate) fn seconds_since(&self, before: &Self) -> f64 {
        let mut ns = 0;
        for (thread, [now, _]) in &self.threads_ns {
            match now.checked_sub(before.of(thread)[0]) {
                Some(used) => ns += used,
                // The thread id was reused.
                None => return self.process_seconds - before.process_seconds,
            }
        }
        let mut threads = before.threads_ns.keys();
        if ns == 0 || threads.any(|thread| !self.threads_ns.contains_key(thread)) {
            return self.process_seconds - before.process_seconds;
        }
        ns as f64 / 1e9
    }
}

/// CPU seconds of one thread of this process, by thread id; in nanosecond steps if the kernel has
/// them.
pub(crate) fn thread_cpu_seconds(thread: i32) -> Result<f64> {
    let task = format!("/proc/self/task/{thread}");
    let schedstat = std::fs::read_to_string(format!("{task}/schedstat")).unwrap_or_default();
    if let Some(ns) = first_number(&schedstat).filter(|ns| *ns > 0) {
        return Ok(ns as f64 / 1e9);
    }
    seconds_of_stat(&task)
}

/// CPU seconds from the `stat` of a directory in `/proc`.
fn seconds_of_stat(folder: &str) -> Result<f64> {
    let path = format!("{folder}/stat");
    let ticks = stat_ticks(&read_whole(&path)?).with_context(|| format!("{path} is malformed"))?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// The number that a text begins with.
pub(crate) fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// `utime + stime` of `/proc/PID/stat` (proc_pid_stat(5), fields 14 and 15). Field 2 is the name in
/// parentheses and may contain any characters.
fn stat_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn proc_files_are_read_as_documented() {
        let stat = "77 (a) b( c) S 1 77 77 0 -1 4194560 1 2 3 4 120 35 7 8 20 0 3 0 100 0 0";
        assert_eq!(stat_ticks(stat), Some(155));
        assert_eq!(stat_ticks("77 (a"), None);
        assert_eq!(first_number("240599470 112233360 88\n"), Some(240_599_470));
    }

    /// Spins until this process has used `seconds` of CPU time since `before`.
    fn work(before: &CpuTime, seconds: f64) {
        let started = Instant::now();
        let mut value = 1_u64;
        loop {
            let now = CpuTime::of_process(std::process::id()).unwrap();
            if now.seconds_since(before) >= seconds {
                return;
            }
            for _ in 0..100_000 {
                value = std::hint::black_box(value.wrapping_mul(3));
            }
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "no CPU time was counted"
            );
        }
    }

    #[test]
    fn waits_for_a_cpu_are_a_difference() {
        let waits = |threads: &[(&str, u64)]| CpuTime {
            threads_ns: threads
                .iter()
                .map(|&(of, ns)| (of.to_owned(), [0, ns]))
                .collect(),
            process_seconds: 0.0,
        };
        let before = waits(&[("1", 1_000_000_000), ("2", 9_000_000_000)]);
        // One thread ended, and another began.
        let later = waits(&[("1", 1_250_000_000), ("3", 500_000_000)]);
        assert_eq!(later.delay_since(&before), 0.75);
        assert_eq!(before.delay_since(&before), 0.0);
    }

    #[test]
    fn own_cpu_time_grows_with_work() {
        work(&CpuTime::of_process(std::process::id()).unwrap(), 0.02);
    }

    #[test]
    fn the_time_of_a_thread_that_ended_is_not_lost() {
        let time = |threads: &[(&str, u64)], process_seconds| CpuTime {
            threads_ns: threads
                .iter()
                .map(|&(thread, ns)| (thread.to_owned(), [ns, 0]))
                .collect(),
            process_seconds,
        };
        let before = time(&[("1", 5_000_000_000), ("2", 9_000_000_000)], 14.0);
        // A thread that began meanwhile counts fully.
        let grown = time(
            &[("1", 5_500_000_000), ("2", 9_000_000_000), ("3", 1_000_000)],
            14.51,
        );
        assert!((grown.seconds_since(&before) - 0.501).abs() < 1e-9);
        // One thread ended after 0.3 s more, and another began.
        let replaced = time(&[("1", 5_500_000_000), ("3", 200_000_000)], 15.0);
        assert!((replaced.seconds_since(&before) - 1.0).abs() < 1e-9);
        // A thread id was reused.
        let again = time(&[("1", 5_500_000_000), ("2", 200_000_000)], 15.0);
        assert!((again.seconds_since(&before) - 1.0).abs() < 1e-9);
        // A kernel without schedstat.
        assert!((time(&[], 14.25).seconds_since(&time(&[], 14.0)) - 0.25).abs() < 1e-9);
    }
}
