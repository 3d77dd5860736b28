//! When the server ends a connection that the client keeps open: at a drain, by age, or when idle.
//!
//! ```text
//! Serving ── connection_age_max, connection_idle_timeout, the server's drain ──> Draining
//! Draining ── drain_timeout, the server's cut ──> Cut ── some time for statuses ──> closed
//! ```
//!
//! Why connections are drained and not only awaited: a multiplexed stream has no end of its own, so
//! a drain would take all of `drain_timeout`. Calls that raced GOAWAY are reset with
//! REFUSED_STREAM, which says that nothing was done; gRPC clients then retry by themselves. A
//! status of the service does not say this. server/tests/server/shutdown/drain.rs plays the
//! exchange frame by frame.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use tokio::time::Instant;

use crate::config::Settings;
use crate::drain::{CUT_GRACE, Phase};
use crate::metrics::connection_ends::ConnectionEnd;

/// Far away, but small enough for the clock. The timer is set again then.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// The age limit varies by up to this percentage of the setting, so that connections that began
/// together do not end together.
const JITTER_PERCENT: u32 = 10;

/// The lifetime of one connection.
#[derive(Clone, Debug)]
pub(super) struct Life {
    phase: Phase,
    /// When the connection reaches its age limit.
    old: Option<Instant>,
    idle_timeout: Option<Duration>,
    /// When its last call ended.
    idle: Option<Instant>,
    grace: Duration,
    /// When the drain of an old or idle connection ends, and which of the two it is.
    cut: Option<(Instant, ConnectionEnd)>,
    /// The cause that is counted at the end.
    end: ConnectionEnd,
    /// When the cut connection is closed.
    close: Option<Instant>,
}

impl Life {
    /// A connection that begins `now`. `chance`, from 0 to `u32::MAX`, varies its age limit.
    pub(super) fn new(settings: &Settings, now: Instant, chance: u32) -> Self {
        let bound = |time: Duration| (!time.is_zero()).then_some(time);
        let age = bound(settings.connection_age_max).map(|age| {
            let jitter = age * JITTER_PERCENT / 100;
            age - jitter + (2 * jitter).mul_f64(f64::from(chance) / f64::from(u32::MAX))
        });
        Self {
            phase: Phase::Serving,
            old: age.map(|age| now + age),
            idle_timeout: bound(settings.connection_idle_timeout),
            idle: Some(now),
            grace: settings.drain_timeout,
            cut: None,
            end: ConnectionEnd::Cut,
            close: None,
        }
    }

    /// A random number.
    pub(super) fn chance() -> u32 {
        let [a, b, c, d, ..] = RandomState::new().hash_one(()).to_ne_bytes();
        u32::from_ne_bytes([a, b, c, d])
    }

    /// Notes whether a call is open.
    pub(super) fn note_calls(&mut self, open: bool) {
        if open {
            self.idle = None;
        } else if self.idle.is_none() {
            self.idle = Some(Instant::now());
        }
    }

    /// Enters the later of the server's phase and of the phase that is due by age or idleness.
    /// Returns the phase if it is new.
    pub(super) fn enter(&mut self, now: Instant, server: Phase) -> Option<Phase> {
        let before = self.phase;
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let is_old = is_due(self.old);
        if self.phase < Phase::Draining && (is_old || is_due(self.idle_ends())) {
            let end = if is_old {
                ConnectionEnd::Age
            } else {
                ConnectionEnd::Idle
            };
            self.phase = Phase::Draining;
            self.cut = Some((now + self.grace, end));
        }
        if let Some((at, end)) = self.cut
            && at <= now
            && self.phase < Phase::Cut
        {
            self.phase = Phase::Cut;
            self.end = end;
        }
        self.phase = self.phase.max(server);
        if self.phase == Phase::Cut {
            self.close.get_or_insert(now + CUT_GRACE);
        }
        (self.phase > before).then_some(self.phase)
    }

    /// Whether the connection must be closed, even with open calls.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.close.is_some_and(|close| close <= now)
    }

    /// Whether its calls were ended, and it will be closed soon.
    pub(super) fn is_cut(&self) -> bool {
        self.phase == Phase::Cut
    }

    /// Whether no call may begin.
    pub(super) fn is_draining(&self) -> bool {
        self.phase >= Phase::Draining
    }

    /// The cause to count when it is closed.
    pub(super) fn end(&self) -> ConnectionEnd {
        self.end
    }

    fn idle_ends(&self) -> Option<Instant> {
        Some(self.idle? + self.idle_timeout?)
    }

    /// When to check again.
    pub(super) fn due(&self, now: Instant) -> Instant {
        let next = match self.phase {
            // A connection with a call becomes idle now at the earliest.
            Phase::Serving | Phase::LameDuck => {
                let idle = self.idle_ends().or(self.idle_timeout.map(|t| now + t));
                [self.old, idle].into_iter().flatten().min()
            }
            Phase::Draining => self.cut.map(|(at, _)| at),
            Phase::Cut => self.close,
        };
        next.unwrap_or(now + NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn life(age: &str, idle: &str, now: Instant, chance: u32) -> Life {
        let settings = Settings::with(&[
            ("connection_age_max", age),
            ("connection_idle_timeout", idle),
            ("drain_timeout", "30s"),
        ]);
        Life::new(&settings.unwrap(), now, chance)
    }

    /// Checks `life` whenever it asks for it, up to `until`. Returns the phases it enters, and
    /// their times after `start`.
    fn entered(life: &mut Life, start: Instant, until: Instant) -> Vec<(Phase, Duration)> {
        let mut now = start;
        let mut entered = Vec::new();
        while now <= until && !life.is_over(now) {
            if let Some(phase) = life.enter(now, Phase::Serving) {
                entered.push((phase, now - start));
            }
            let due = life.due(now);
            assert!(due > now || life.is_over(now), "{life:?}");
            now = due;
        }
        entered
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_old_drains_and_is_cut() {
        let start = Instant::now();
        for (chance, age) in [(0, 90), (u32::MAX / 2, 99), (u32::MAX, 110)] {
            let mut life = life("100s", "0s", start, chance);
            let found = entered(&mut life, start, start + 1000 * SECOND);
            let [(draining, old), (cut, gone)] = found[..] else {
                panic!("{found:?}");
            };
            assert_eq!((draining, cut), (Phase::Draining, Phase::Cut));
            assert_eq!((old.as_secs(), gone - old), (age, 30 * SECOND));
            assert!(life.is_over(start + gone + CUT_GRACE));
            assert!(!life.is_over(start + gone));
            assert_eq!(life.end(), ConnectionEnd::Age);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_is_idle_from_its_last_call_on() {
        let start = Instant::now();
        let mut life = life("0s", "10s", start, 0);
        life.note_calls(true);
        assert_eq!(entered(&mut life, start, start + 60 * SECOND), []);
        tokio::time::advance(65 * SECOND).await;
        life.note_calls(false);
        tokio::time::advance(SECOND).await;
        life.note_calls(false);
        let found = entered(&mut life, start + 65 * SECOND, start + 80 * SECOND);
        assert_eq!(found, [(Phase::Draining, 10 * SECOND)]);
        // The server's cut comes first.
        let mut other = life.clone();
        other.enter(start + 80 * SECOND, Phase::Cut);
        assert_eq!(other.end(), ConnectionEnd::Cut);
        life.enter(start + 200 * SECOND, Phase::Serving);
        assert_eq!(life.end(), ConnectionEnd::Idle);
    }

    #[tokio::test(start_paused = true)]
    async fn without_settings_it_ends_with_its_server() {
        let start = Instant::now();
        let mut life = life("0s", "0s", start, 0);
        let long = start + 365 * 24 * 3600 * SECOND;
        assert_eq!(life.enter(long, Phase::Serving), None);
        assert_eq!(life.due(long), long + NEVER);
        for phase in [Phase::LameDuck, Phase::Draining, Phase::Cut] {
            assert_eq!(life.enter(long, phase), Some(phase));
            assert_eq!(life.enter(long, phase), None);
        }
        assert_eq!(life.due(long), long + CUT_GRACE);
    }

    #[test]
    fn chances_differ() {
        let chances: std::collections::HashSet<_> = (0..16).map(|_| Life::chance()).collect();
        assert!(chances.len() > 8);
    }
}
