//! The results of one call's parts.

use std::cell::Cell;
use std::time::Duration;

use super::counters::{Outcome, PartRpc, WorkerCounters};
use crate::words::Words as _;

/// Number of parts by outcome, and their bytes.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    outcomes: [Cell<u64>; Outcome::VALUES.len()],
    bytes: Cell<u64>,
}

impl Tally {
    /// Counts an ended part, for its call and for its worker.
    pub(crate) fn part(
        &self,
        counters: &WorkerCounters,
        rpc: PartRpc,
        outcome: Outcome,
        bytes: u64,
        took: Duration,
    ) {
        counters.part(rpc, outcome, bytes, took);
        let of_outcome = &self.outcomes[outcome as usize];
        of_outcome.set(of_outcome.get() + 1);
        self.bytes.set(self.bytes.get() + bytes);
    }

    pub(crate) fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize].get()
    }

    pub(crate) fn parts(&self) -> u64 {
        self.outcomes.iter().map(Cell::get).sum()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }
}
