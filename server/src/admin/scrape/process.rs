//! The process: its build, its workers, its bounds, its log and its traces.

use std::time::Instant;

use prometheus::proto::MetricFamily;

use super::Scrape;
use crate::limits::Budget;
use crate::logging::Log;
use crate::metrics::counters::WorkerCounters;
use crate::metrics::family::{Labels, counter, gauge};
use crate::metrics::instruments::as_f64;

impl Scrape<'_> {
    pub(super) fn build_info(&self) -> MetricFamily {
        let labels = vec![
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("commit", self.of.observed.commit.to_owned()),
            ("hashing", self.of.hashing.to_owned()),
        ];
        gauge(
            "hashlane_build_info",
            "The server's version and commit, and how it hashes; always 1.",
            vec![(labels, 1.0)],
        )
    }

    pub(super) fn seconds(&self) -> MetricFamily {
        let now = Instant::now();
        let mut samples = Vec::new();
        for (id, counters) in self.each() {
            let phases = counters.phases(now);
            for (phase, seconds) in [
                ("hash", phases.hash),
                ("io", phases.io),
                ("idle", phases.idle),
            ] {
                let labels = vec![("worker", id.clone()), ("phase", phase.to_owned())];
                samples.push((labels, seconds));
            }
        }
        counter(
            "hashlane_worker_seconds_total",
            "Where a worker's time went: steps, everything else it does, and waiting.",
            samples,
        )
    }

    /// CPU time and delays of the workers' threads.
    pub(super) fn scheduled(&self) -> Vec<MetricFamily> {
        let delayed = self.each().filter_map(|(id, counters)| {
            let scheduled = counters.heartbeat.thread()?.scheduled()?;
            Some((vec![("worker", id)], scheduled.delayed.as_secs_f64()))
        });
        let delayed: Vec<_> = delayed.collect();
        let each =
            |read: fn(&WorkerCounters) -> u64| self.per_worker(|worker| as_f64(read(worker)));
        let mut families = vec![
            counter(
                "hashlane_worker_restarts_total",
                "Times that a worker began again after a panic; its connections were closed.",
                each(|worker| worker.restarts.get()),
            ),
            counter(
                "hashlane_worker_hangs_total",
                "Times that a worker was found to hang: it ran for seconds in one turn, or blocked.",
                each(|worker| worker.heartbeat.hung()),
            ),
            gauge(
                "hashlane_worker_hung",
                "Whether the worker hangs now; if it goes on, the process ends.",
                each(|worker| u64::from(worker.heartbeat.hangs())),
            ),
            counter(
                "hashlane_worker_starved_total",
                "Times that other programs left a worker no CPU time for seconds.",
                each(|worker| worker.heartbeat.starved()),
            ),
        ];
        // Some kernels do not provide it.
        if !delayed.is_empty() {
            families.push(counter(
                "hashlane_worker_run_delay_seconds_total",
                "Time that a worker's thread could have run and had no CPU.",
                delayed,
            ));
        }
        families
    }

    pub(super) fn bounds(&self) -> Vec<MetricFamily> {
        let budgets = self.of.observed.limits.budgets();
        let each = |read: fn(&Budget) -> usize| {
            let value = |(name, budget): &(&str, &Budget)| {
                (
                    vec![("budget", (*name).to_owned())],
                    as_f64(read(budget) as u64),
                )
            };
            budgets.iter().map(value).collect()
        };
        vec![
            gauge(
                "hashlane_budget_used",
                "How much of each bound of the process is taken, in the unit its name ends with.",
                each(Budget::used),
            ),
            gauge("hashlane_budget_max", "The bound.", each(Budget::max)),
        ]
    }

    pub(super) fn log(&self) -> Vec<MetricFamily> {
        let log = self.of.observed.log.iter();
        let each = |read: fn(&Log) -> u64| {
            let counts = log.clone().map(|log| (Labels::new(), as_f64(read(log))));
            counts.collect()
        };
        vec![
            counter(
                "hashlane_log_lines_lost_total",
                "Log lines that were lost because their reader is too slow.",
                each(Log::lines_lost),
            ),
            counter(
                "hashlane_panics_total",
                "Panics of any thread.",
                each(Log::panics),
            ),
        ]
    }

    /// `None` without a collector.
    pub(super) fn spans(&self) -> Option<MetricFamily> {
        let counts = self.of.observed.spans.as_ref()?.by_outcome();
        let counts = counts.map(|(outcome, count)| {
            let labels = vec![("outcome", outcome.to_owned())];
            (labels, as_f64(count))
        });
        Some(counter(
            "hashlane_trace_spans_total",
            "Spans that ended, by what became of them.",
            counts.to_vec(),
        ))
    }
}
