//! Where the process's CPU time goes, as pprof reads it.
//!
//! ```text
//! threads.rs  the kernel interrupts each thread, and copies its registers and its stack
//!    v
//! modules.rs  stacks to addresses, addresses to functions
//!    v
//! pprof.rs    stacks, each with how often it was seen, in pprof's format
//! ```
//!
//! All of it runs in a thread of its own. The others are interrupted by the kernel alone: no
//! signal, no handler, no unwinding in them.

mod modules;
mod pprof;
mod threads;

use std::collections::HashMap;
use std::io;
use std::time::{Duration, SystemTime};

use self::modules::Modules;

/// Stacks that are told apart; samples of others are left out.
const STACKS_MAX: usize = 20_000;

/// A profile that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    seconds: u64,
    /// Samples of a thread in a second of its CPU time.
    frequency: u64,
}

impl Wanted {
    const SECONDS_MAX: u64 = 60;
    const FREQUENCY_MAX: u64 = 250;

    /// That of a URL's query, such as `seconds=30&hz=99`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(query: &str) -> Result<Self, String> {
        let mut wanted = Self {
            seconds: 30,
            // Not 100, so that it does not beat with what happens so often.
            frequency: 99,
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (field, max) = match name {
                "seconds" => (&mut wanted.seconds, Self::SECONDS_MAX),
                "hz" => (&mut wanted.frequency, Self::FREQUENCY_MAX),
                _ => return Err("it takes seconds and hz\n".to_owned()),
            };
            let number = value.parse().ok().filter(|n| (1..=max).contains(n));
            *field = number.ok_or_else(|| format!("{name} is 1 to {max}\n"))?;
        }
        Ok(wanted)
    }

    pub(crate) fn time(self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// Takes the profile, which lasts as long as it says. The answer is compressed by gzip, as
    /// pprof wants it.
    ///
    /// # Errors
    /// The kernel does not let the process watch itself.
    pub(crate) fn take(self) -> io::Result<Vec<u8>> {
        let began = SystemTime::now();
        let mut modules = Modules::read()?;
        let mut stacks: HashMap<Vec<u64>, i64> = HashMap::new();
        let mut left_out = 0_u64;
        threads::sample(self.time(), self.frequency, |sample| {
            let stack = modules.unwind(sample);
            let is_full = stacks.len() >= STACKS_MAX;
            if let Some(seen) = stacks.get_mut(&stack) {
                *seen += 1;
            } else if is_full {
                left_out += 1;
            } else {
                stacks.insert(stack, 1);
            }
        })?;
        if left_out > 0 {
            tracing::warn!(left_out, "the profile has more stacks than it may");
        }
        let nanoseconds = 1_000_000_000 / self.frequency;
        pprof::write(&modules, &stacks, nanoseconds, began, self.time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_has_bounds() {
        let wanted = |seconds, frequency| Wanted { seconds, frequency };
        for (query, is) in [
            ("", wanted(30, 99)),
            ("seconds=1", wanted(1, 99)),
            ("seconds=60&hz=250", wanted(60, 250)),
            ("hz=1", wanted(30, 1)),
        ] {
            assert_eq!(Wanted::parse(query), Ok(is), "{query}");
        }
        for query in [
            "seconds=0",
            "seconds=61",
            "seconds=",
            "seconds",
            "seconds=1.5",
            "seconds=-1",
            "hz=0",
            "hz=251",
            "debug=1",
        ] {
            assert!(Wanted::parse(query).is_err(), "{query}");
        }
    }
}
