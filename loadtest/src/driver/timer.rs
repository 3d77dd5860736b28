//! A timer of nanoseconds: tokio's counts milliseconds, which would be most of a short part's
//! response time.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;

/// The timer.
#[derive(Debug)]
pub(crate) struct Timer {
    fd: AsyncFd<OwnedFd>,
}

impl Timer {
    /// A timer on the current runtime.
    ///
    /// # Errors
    /// The system refuses it.
    pub(crate) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let fd = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        #[expect(
            deprecated,
            reason = "it is unsound only with types whose descriptor changes; its successor is \
                      unsafe"
        )]
        let fd = AsyncFd::new(fd)?;
        Ok(Self { fd })
    }

    /// Waits until `at`. May be dropped before, and then used again.
    ///
    /// # Errors
    /// The system refuses it.
    pub(crate) async fn until(&mut self, at: Instant) -> io::Result<()> {
        let wait = at.saturating_duration_since(Instant::now());
        if wait.is_zero() {
            return Ok(());
        }
        let spec = Itimerspec {
            it_interval: timespec(Duration::ZERO),
            it_value: timespec(wait),
        };
        // Setting it takes back what an earlier time has made readable.
        timerfd_settime(&self.fd, TimerfdTimerFlags::empty(), &spec)?;
        loop {
            let mut guard = self.fd.readable().await?;
            if Instant::now() >= at {
                return Ok(());
            }
            guard.clear_ready();
        }
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration).expect("a day at most")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_waits_until_its_time_and_can_be_set_again() {
        let mut timer = Timer::new().unwrap();
        let begin = Instant::now();
        for us in [200, 100, 1500, 0] {
            let at = begin + Duration::from_micros(us);
            timer.until(at).await.unwrap();
            assert!(Instant::now() >= at);
        }
        // One that is dropped before its time does not end the next one early.
        let far = begin + Duration::from_secs(3600);
        let dropped = tokio::time::timeout(Duration::from_millis(1), timer.until(far)).await;
        assert!(dropped.is_err());
        let at = Instant::now() + Duration::from_millis(2);
        timer.until(at).await.unwrap();
        assert!(Instant::now() >= at);
    }
}
