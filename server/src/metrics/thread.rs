//! The kernel's information about one thread: whether it sleeps, and its times.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Open files of `/proc` about one thread. They cannot be read once the thread has ended.
#[derive(Debug)]
pub(crate) struct Thread {
    /// `stat`, see proc_pid_stat(5).
    stat: Option<File>,
    /// `schedstat`, see the kernel's sched-stats.rst. Some kernels are built without it.
    schedstat: Option<File>,
}

/// A reading of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// It waits for something other than a CPU: an event, a lock, a disk.
    pub(crate) sleeps: bool,
    /// CPU time so far, in whole ticks of the kernel's clock (10 ms).
    pub(crate) ran: Duration,
}

/// A thread's scheduled times so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scheduled {
    pub(crate) ran: Duration,
    /// Time runnable without a CPU. A wait counts once it is over.
    pub(crate) delayed: Duration,
}

/// CPU time of the calling thread.
pub(crate) fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

impl Thread {
    /// The calling thread.
    pub(crate) fn current() -> Self {
        let open = |name| File::open(format!("/proc/thread-self/{name}")).ok();
        Self {
            stat: open("stat"),
            schedstat: open("schedstat"),
        }
    }

    pub(crate) fn read(&self) -> Option<Reading> {
        parse_stat(&read(self.stat.as_ref()?)?, ticks_per_second())
    }

    pub(crate) fn scheduled(&self) -> Option<Scheduled> {
        parse_schedstat(&read(self.schedstat.as_ref()?)?)
    }
}

/// The current content of a file of `/proc`. Those read here are far shorter than 1 KiB.
fn read(file: &File) -> Option<String> {
    let mut bytes = [0; 1024];
    let length = file.read_at(&mut bytes, 0).ok()?;
    String::from_utf8(bytes[..length].to_vec()).ok()
}

fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

fn parse_stat(text: &str, ticks_per_second: u64) -> Option<Reading> {
    // Field 3 follows the name, which may contain any characters.
    let (_, rest) = text.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let sleeps = matches!(fields.next()?, "S" | "D" | "I");
    // User and system time are fields 14 and 15.
    let mut times = fields.skip(10).map(str::parse::<u64>);
    let ticks = times.next()?.ok()?.checked_add(times.next()?.ok()?)?;
    let ran = Duration::from_millis(ticks.checked_mul(1000)? / ticks_per_second.max(1));
    Some(Reading { sleeps, ran })
}

fn parse_schedstat(text: &str) -> Option<Scheduled> {
    let mut times = text.split_ascii_whitespace().map(str::parse::<u64>);
    Some(Scheduled {
        ran: Duration::from_nanos(times.next()?.ok()?),
        delayed: Duration::from_nanos(times.next()?.ok()?),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn what_the_kernel_writes_is_understood() {
        let stat = |state| {
            let begin = "7 (a) R (b) ";
            format!("{begin}{state} 1 7 7 0 -1 4194368 1 0 0 0 250 51 0 0 20 0 3 0 99 1 2")
        };
        let reading = |state| parse_stat(&stat(state), 100).unwrap();
        assert_eq!(reading("R").ran, Duration::from_millis(3010));
        let sleeps = ["R", "S", "D", "T", "t", "Z"].map(|state| reading(state).sleeps);
        assert_eq!(sleeps, [false, true, true, false, false, false]);
        assert_eq!(parse_stat("7 (a) R 1 7", 100), None);
        let scheduled = parse_schedstat("1000000 2000000000 3\n").unwrap();
        assert_eq!(scheduled.delayed, Duration::from_secs(2));
        assert_eq!(scheduled.ran, Duration::from_millis(1));
        assert_eq!(parse_schedstat("1"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_thread_is_seen_to_sleep_and_to_run() {
        let (tell, told) = channel();
        let (go, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            tell.send(Thread::current()).unwrap();
            let _ = wait.recv();
            while wait.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {}
        });
        let seen = told.recv().unwrap();
        while !seen.read().unwrap().sleeps {}
        go.send(()).unwrap();
        while seen.read().unwrap().ran < Duration::from_millis(50) {}
        assert!(!seen.read().unwrap().sleeps);
        drop(go);
        thread.join().unwrap();
        // `join` returns before the kernel has removed the thread.
        while seen.read().is_some() {}
    }
}
