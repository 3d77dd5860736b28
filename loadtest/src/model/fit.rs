//! Costs from documents of runs.
//!
//! ```text
//! three rounds, each with the costs of the last, of which the best costs win:
//!   simulate each run: messages, polls, turns, steps and sleeps for its bytes
//!   client CPU           = byte x bytes + last byte x bytes of last messages
//!                          + message x messages + part x parts + sleep x sleeps
//!   server CPU           = byte x bytes + message x messages + part x parts + sleep x sleeps
//!                          + action x actions + hash factor x kernel time + time of polling
//!   server's hashing     =            action x steps   + hash factor x kernel time
//!   wake-up              the value with the least error of p50 where the worker often sleeps
//! ```
//!
//! Each equation is divided by its left side, so all runs count alike. No cost is negative. Kernel
//! time is that of the blocks that each kernel hashed in the run.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::costs::Costs;
use super::kernel_costs::Kernels;
use super::simulated_load::Load;
use super::simulation::{Outcome, simulate};
use super::validity;
use crate::results::document::{RunDocument, ServerFigures};
use crate::results::{GB, Row, say};

/// Rounds of the fit. The counts of a simulation depend on its costs, so a round may make things
/// worse: the costs with the least error win.
const ROUNDS: usize = 3;

/// A worker that is less busy sleeps often, so wake-ups are much of the response time.
const IDLE_BUSY: f64 = 0.8;

/// The longest wake-up.
const WAKE_NS_MAX: f64 = 200_000.0;

/// Simulated time of a try: a median needs less than a run.
const WAKE_TIME: Duration = Duration::from_millis(200);

/// Simulated wake-ups, between which each try halves the range by the golden section.
const WAKE_TRIES: usize = 12;

type Run = (String, RunDocument, Load);

/// An equation: factors of the unknowns, and the left side.
type Equation<const N: usize> = ([f64; N], f64);

/// Fits the costs to `runs`, beginning with `costs`.
///
/// # Errors
/// A run has no figures of the server, or a load is malformed.
pub(super) fn fit(runs: &[Run], mut costs: Costs, kernels: &Kernels) -> Result<Row> {
    for (name, document, _) in runs {
        ensure!(
            document.server.is_some(),
            "{name} has no figures of the server"
        );
        for why in validity::of_document(document) {
            say(format_args!("{name}: {why}"));
        }
    }
    let mut best = (f64::INFINITY, costs);
    for round in 0..=ROUNDS {
        let outcomes = runs
            .iter()
            .map(|(_, _, load)| simulate(load, &costs, kernels));
        let outcomes = outcomes.collect::<Result<Vec<_>>>()?;
        let of_runs = runs.iter().zip(&outcomes);
        let error: f64 = of_runs
            .map(|((_, run, _), of)| error(run, of, &costs))
            .sum();
        if error < best.0 {
            best = (error, costs);
        }
        if round < ROUNDS {
            solve(runs, &outcomes, &mut costs, kernels);
            fit_wake(runs, &mut costs, kernels)?;
        }
    }
    say(format_args!(
        "mean squared error of logarithms {:.3}",
        best.0 / runs.len() as f64
    ));
    Ok(Row::of(best.1))
}

/// The squares of the logarithms of predicted over measured throughput, p50 and CPU time.
fn error(run: &RunDocument, outcome: &Outcome, costs: &Costs) -> f64 {
    let cpu_s = run.server.as_ref().and_then(|server| server.cpu_seconds);
    let pairs = [
        (outcome.gb() / outcome.seconds, run.totals.gb_per_s),
        (
            outcome.response_ms(0.5).unwrap_or(0.0),
            run.response_time.p50_ms,
        ),
        (outcome.worker.cpu_s(costs.sleep_ns), cpu_s.unwrap_or(0.0)),
    ];
    let measured = pairs.iter().filter(|(_, measured)| *measured > 0.0);
    let squares =
        measured.map(|(predicted, measured)| (predicted.max(1e-9) / measured).ln().powi(2));
    squares.sum()
}

/// Solves the equations of CPU times, of both sides together: a sleep costs both the same.
fn solve(runs: &[Run], outcomes: &[Outcome], costs: &mut Costs, kernels: &Kernels) {
    let mut equations = Vec::new();
    for ((_, document, _), outcome) in runs.iter().zip(outcomes) {
        let server = document.server.clone().unwrap_or_default();
        // What the simulation counts, for the bytes of the run.
        let scale = document.totals.bytes as f64 / GB / outcome.gb();
        let count = |count: u64| count as f64 * scale / 1e9;
        let sent = outcome.sent;
        let [bytes, messages, parts] = [sent.bytes, sent.messages, sent.parts].map(count);
        let last_bytes = count(sent.last_bytes);
        let sleeps = count(outcome.client.sleeps);
        let client = [
            bytes, last_bytes, messages, parts, 0.0, 0.0, 0.0, 0.0, 0.0, sleeps,
        ];
        equations.push((client, document.client.cpu_seconds));

        let kernel_s = kernel_s(&server, kernels);
        let polled_s = outcome.worker.polled_ns * scale / 1e9;
        let (actions, sleeps) = (count(outcome.actions), count(outcome.worker.sleeps));
        let whole = [
            0.0, 0.0, 0.0, 0.0, bytes, messages, parts, actions, kernel_s, sleeps,
        ];
        equations.push((whole, server.cpu_seconds.unwrap_or(0.0) - polled_s));
        if let Some(hash_s) = server.worker_seconds.get("hash") {
            let steps = count(outcome.steps);
            let hashing = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, steps, kernel_s, 0.0];
            equations.push((hashing, *hash_s));
        }
    }
    [
        costs.client_byte_ns,
        costs.client_last_byte_ns,
        costs.client_message_ns,
        costs.client_part_ns,
        costs.server_byte_ns,
        costs.server_message_ns,
        costs.server_part_ns,
        costs.server_action_ns,
        costs.hash_factor,
        costs.sleep_ns,
    ] = least_squares(&equations);
}

/// The time of the kernels alone for what a server hashed.
fn kernel_s(server: &ServerFigures, kernels: &Kernels) -> f64 {
    let times_ns = server.kernels.iter().filter_map(|(name, of)| {
        // Kernels of SHA-256 have no family in front.
        let full = if name.contains(':') {
            name.clone()
        } else {
            format!("sha256:{name}")
        };
        Some(kernels.time_ns(full.parse().ok()?, of.lane_blocks))
    });
    times_ns.sum::<f64>() / 1e9
}

/// The unknowns, none of them negative, with the least sum of squares of relative errors.
fn least_squares<const N: usize>(equations: &[Equation<N>]) -> [f64; N] {
    let mut sums = [[0.0; N]; N];
    let mut right = [0.0; N];
    for (factors, left) in equations.iter().filter(|(_, left)| *left > 0.0) {
        let factors = factors.map(|factor| factor / left);
        for row in 0..N {
            right[row] += factors[row];
            for column in 0..N {
                sums[row][column] += factors[row] * factors[column];
            }
        }
    }
    // One unknown after the other, until none changes.
    let mut unknowns = [0.0; N];
    for _ in 0..20_000 {
        for row in 0..N {
            let others: f64 = (0..N)
                .filter(|column| *column != row)
                .map(|column| sums[row][column] * unknowns[column])
                .sum();
            if sums[row][row] > 0.0 {
                unknowns[row] = ((right[row] - others) / sums[row][row]).max(0.0);
            }
        }
    }
    unknowns
}

/// Finds the wake-up by the golden section.
fn fit_wake(runs: &[Run], costs: &mut Costs, kernels: &Kernels) -> Result<()> {
    let is_idle = |document: &RunDocument| {
        let server = document.server.as_ref();
        server
            .and_then(|server| server.busy_cpus)
            .is_some_and(|busy| busy < IDLE_BUSY)
    };
    let idle: Vec<_> = runs
        .iter()
        .filter(|(_, document, _)| is_idle(document) && document.response_time.count > 0)
        .collect();
    if idle.is_empty() {
        return Ok(());
    }
    let error = |wake_ns: f64| -> Result<f64> {
        let costs = Costs { wake_ns, ..*costs };
        let mut sum = 0.0;
        for (_, document, load) in &idle {
            let short = Load {
                warmup: WAKE_TIME / 2,
                duration: WAKE_TIME,
                ..load.clone()
            };
            let outcome = simulate(&short, &costs, kernels)?;
            let predicted = outcome.response_ms(0.5).unwrap_or(0.0).max(1e-6);
            sum += (predicted / document.response_time.p50_ms).ln().powi(2);
        }
        Ok(sum)
    };
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, WAKE_NS_MAX);
    for _ in 0..WAKE_TRIES {
        let span = (high - low) * golden;
        if error(high - span)? < error(low + span)? {
            high = low + span;
        } else {
            low = high - span;
        }
    }
    costs.wake_ns = f64::midpoint(low, high);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unknowns_of_exact_equations_are_found() {
        let unknowns = [0.2, 40.0, 0.0];
        let equations = [
            [1e3, 1.0, 2.0],
            [5.0, 9.0, 1.0],
            [1e4, 0.0, 7.0],
            [3.0, 1.0, 1.0],
        ];
        let equations = equations.map(|factors| {
            let left = factors.iter().zip(unknowns).map(|(factor, of)| factor * of);
            (factors, left.sum())
        });
        for (found, unknown) in least_squares(&equations).iter().zip(unknowns) {
            assert!((found - unknown).abs() < 1e-6, "{found} is not {unknown}");
        }
        // 2 = x - y has no solution with a negative y.
        let [x, y] = least_squares(&[([1.0, 1.0], 1.0), ([1.0, -1.0], 2.0)]);
        assert!(x > 0.0 && y == 0.0, "{x}, {y}");
    }
}
