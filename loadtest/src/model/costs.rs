//! What the model takes from measurements: the costs of one CPU.
//!
//! ```text
//! client   byte, message, part   CPU time to send one, with the system calls
//!          last byte             a byte of a part's last message costs that much more: the bytes
//!                                of other messages are in a cache, because all parts share them
//! server   byte, message, part   CPU time to receive one, with the system calls
//!          action                each poll, turn of a connection and step of the engine
//!          hash factor           time of a step over the time of its kernels alone
//! sleep                          CPU time of falling asleep and waking up
//! wake-up                        from an event until the thread that sleeps runs
//! ```
//!
//! `predict --fit` computes them from documents of `run` (fit.rs). A file of costs is JSON.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::system::files::read_whole;

/// The costs. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Costs {
    /// The client sends a byte.
    pub(super) client_byte_ns: f64,
    /// The client sends a byte of a part's last message, in addition.
    pub(super) client_last_byte_ns: f64,
    /// The client sends a message.
    pub(super) client_message_ns: f64,
    /// The client begins a part and handles its answer.
    pub(super) client_part_ns: f64,
    /// The server receives a byte.
    pub(super) server_byte_ns: f64,
    /// The server receives a message, and gives it to the engine.
    pub(super) server_message_ns: f64,
    /// The server begins a call and answers it.
    pub(super) server_part_ns: f64,
    /// The server's loop polls the sockets, runs a connection or steps the engine.
    pub(super) server_action_ns: f64,
    /// The time of a step over the calibrated time of its kernels.
    pub(super) hash_factor: f64,
    /// CPU time of a sleep.
    pub(super) sleep_ns: f64,
    /// A thread that sleeps wakes up.
    pub(super) wake_ns: f64,
}

impl Costs {
    /// Reads a file of costs.
    ///
    /// # Errors
    /// The file cannot be read, or its costs are not numbers from 0.
    pub(super) fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_whole(path)?).with_context(|| format!("{} has no costs", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let costs: Self = serde_json::from_str(text)?;
        let all: BTreeMap<String, f64> = serde_json::from_str(text)?;
        ensure!(all.values().all(|cost| *cost >= 0.0), "a cost is negative");
        ensure!(costs.hash_factor > 0.0, "`hash_factor` is more than 0");
        Ok(costs)
    }
}

impl Default for Costs {
    /// Of an AMD EPYC (Zen 4) in a virtual machine of two CPUs, over the loopback
    /// (docs/capacity.md, Simulation).
    fn default() -> Self {
        Self {
            client_byte_ns: 0.2,
            client_last_byte_ns: 0.41,
            client_message_ns: 4_100.0,
            client_part_ns: 0.0,
            server_byte_ns: 0.15,
            server_message_ns: 770.0,
            server_part_ns: 6_100.0,
            server_action_ns: 1_050.0,
            hash_factor: 0.98,
            sleep_ns: 64_000.0,
            wake_ns: 81_000.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_costs_is_read_and_checked() {
        let text = serde_json::to_string(&Costs::default()).unwrap();
        assert_eq!(Costs::parse(&text).unwrap(), Costs::default());
        for (from, to) in [
            ("\"wake_ns\":", "\"wake_ns\":-"),
            ("\"hash_factor\":", "\"hash_factor\":-"),
            ("wake_ns", "sleep_ns"),
        ] {
            let wrong = text.replace(from, to);
            assert!(wrong != text && Costs::parse(&wrong).is_err(), "{wrong}");
        }
    }
}
