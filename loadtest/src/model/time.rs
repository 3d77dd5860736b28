//! Virtual time, and what a thread does with it.

/// Nanoseconds of virtual time.
pub(super) type Ns = u64;

/// How a thread spent its time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) worked_ns: f64,
    /// Looking at sockets with nothing else to do.
    pub(super) polled_ns: f64,
    pub(super) sleeps: u64,
}

impl Spent {
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            worked_ns: self.worked_ns - before.worked_ns,
            polled_ns: self.polled_ns - before.polled_ns,
            sleeps: self.sleeps - before.sleeps,
        }
    }

    /// CPU seconds, if a sleep takes `sleep_ns`.
    pub(super) fn cpu_s(self, sleep_ns: f64) -> f64 {
        (self.worked_ns + self.polled_ns + self.sleeps as f64 * sleep_ns) / 1e9
    }
}

/// A whole number of nanoseconds.
pub(super) fn nanos(ns: f64) -> Ns {
    crate::results::whole(ns)
}
