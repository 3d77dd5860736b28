//! One simulation: the client and the worker act in turn, in virtual time.
//!
//! ```text
//! until the load is over:
//!     the one that acts first acts:  it takes what has arrived, works, and what it sends arrives
//!                                    when its work ends
//! ```
//!
//! Nothing is random but the load, so the same seed gives the same result.

use anyhow::Result;
use hdrhistogram::Histogram;

use super::client::{Answered, Client, Sent};
use super::costs::Costs;
use super::hashing::{Hashed, Hashing};
use super::kernel_costs::Kernels;
use super::simulated_load::{GRACE, Load};
use super::time::{Ns, Spent, nanos};
use super::wire::Wire;
use super::worker::Worker;
use crate::results::GB;
use crate::results::document::empty_histogram;

/// Counts at one time.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    at: Ns,
    client: Spent,
    worker: Spent,
    hashed: Hashed,
    actions: u64,
    sent: Sent,
}

/// What a simulation predicts for the measured time.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) seconds: f64,
    pub(super) response_ns: Histogram<u64>,
    pub(super) occupancy: Option<f64>,
    pub(super) efficiency: Option<f64>,
    pub(super) sent: Sent,
    pub(super) client: Spent,
    pub(super) worker: Spent,
    /// Polls, turns and steps of the worker.
    pub(super) actions: u64,
    pub(super) steps: u64,
    /// Those of the whole simulation.
    pub(super) all: Totals,
}

/// Counts of a whole simulation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) sent: Sent,
    pub(super) hashed_bytes: u64,
    pub(super) answered: usize,
    pub(super) unfinished: usize,
    pub(super) missed: u64,
}

impl Outcome {
    pub(super) fn gb(&self) -> f64 {
        self.sent.bytes as f64 / GB
    }

    /// The share of time in which a thread works or polls.
    pub(super) fn busy(&self, spent: Spent) -> f64 {
        (spent.worked_ns + spent.polled_ns) / 1e9 / self.seconds
    }

    /// A quantile of the response times, in milliseconds.
    pub(super) fn response_ms(&self, quantile: f64) -> Option<f64> {
        let ns = self.response_ns.value_at_quantile(quantile);
        (!self.response_ns.is_empty()).then_some(ns as f64 / 1e6)
    }
}

/// Simulates `load`.
///
/// # Errors
/// The load is malformed.
pub(super) fn simulate(load: &Load, costs: &Costs, kernels: &Kernels) -> Result<Outcome> {
    let connections = load.load.used_connections();
    let mut wire = Wire::new(connections);
    let mut client = Client::new(*costs, load)?;
    let algorithms = load.algorithms().to_vec();
    let hashing = Hashing::new(
        *costs,
        kernels,
        algorithms,
        connections,
        load.load.chunk_size,
    );
    let mut worker = Worker::new(*costs, hashing, connections);
    let from = nanos(load.warmup.as_secs_f64() * 1e9);
    let to = from + nanos(load.duration.as_secs_f64() * 1e9);
    let mut counts: Vec<Counts> = Vec::new();
    loop {
        let (at_client, at_worker) = (client.next_at(&wire), worker.next_at(&wire));
        let Some(now) = [at_client, at_worker].into_iter().flatten().min() else {
            break;
        };
        // The counts of an instant are those before its first action.
        for at in [from, to].into_iter().skip(counts.len()) {
            if now >= at {
                counts.push(count(at, &client, &worker));
            }
        }
        if counts.len() == 2 {
            client.end();
            let is_over = client.in_flight() == 0 && wire.readable_at().is_none();
            if is_over || now > to + nanos(GRACE.as_secs_f64() * 1e9) {
                break;
            }
        }
        if at_client == Some(now) {
            client.act(now, &mut wire);
        } else {
            worker.act(now, &mut wire);
        }
    }
    while counts.len() < 2 {
        counts.push(count([from, to][counts.len()], &client, &worker));
    }
    let is_measured = |answered: &Answered| match load.rate {
        Some(_) => answered.measured,
        None => (from..to).contains(&answered.at),
    };
    let mut response_ns = empty_histogram();
    for answered in client
        .answered
        .iter()
        .filter(|answered| is_measured(answered))
    {
        response_ns.saturating_record(answered.took);
    }
    let all = Totals {
        sent: client.sent,
        hashed_bytes: worker.hashing.hashed.bytes,
        answered: client.answered.len(),
        unfinished: client.in_flight(),
        missed: client.missed,
    };
    Ok(outcome(counts[0], counts[1], response_ns, all))
}

fn count(at: Ns, client: &Client, worker: &Worker) -> Counts {
    let hashed = worker.hashing.hashed;
    Counts {
        at,
        client: client.spent,
        worker: worker.spent,
        hashed,
        actions: worker.actions + hashed.steps,
        sent: client.sent,
    }
}

fn outcome(from: Counts, to: Counts, response_ns: Histogram<u64>, all: Totals) -> Outcome {
    let (lanes, before) = (to.hashed.lanes, from.hashed.lanes);
    let ratio = |one: f64, all: f64| (all > 0.0).then(|| one / all);
    Outcome {
        seconds: (to.at - from.at) as f64 / 1e9,
        response_ns,
        occupancy: ratio(
            (lanes.active_blocks - before.active_blocks) as f64,
            (lanes.blocks - before.blocks) as f64,
        ),
        efficiency: ratio(
            to.hashed.best_ns - from.hashed.best_ns,
            to.hashed.step_ns - from.hashed.step_ns,
        ),
        sent: Sent {
            bytes: to.sent.bytes - from.sent.bytes,
            last_bytes: to.sent.last_bytes - from.sent.last_bytes,
            messages: to.sent.messages - from.sent.messages,
            parts: to.sent.parts - from.sent.parts,
        },
        client: to.client.since(from.client),
        worker: to.worker.since(from.worker),
        actions: to.actions - from.actions,
        steps: to.hashed.steps - from.hashed.steps,
        all,
    }
}
