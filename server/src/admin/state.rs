//! The server's state as JSON, for the page and for whoever debugs.
//!
//! It is read from the workers' counters and from the budgets, so nothing waits for a worker, and
//! a worker that hangs is seen too. Numbers that only grow are told as they are: who asks twice
//! has the rates.

use std::sync::Arc;
use std::time::Instant;

use hashlane_engine::{Crossover, Family, Kernel};
use serde_json::{Value, json};

use crate::drain::Phase;
use crate::hashing::Kernels;
use crate::limits::{Budget, Limits};
use crate::metrics::counters::{Histogram, WorkerCounters, as_f64};
use crate::metrics::process;
use crate::status::Reason;

/// Clients that are shown: those with the most connections.
const CLIENTS_MAX: usize = 50;

/// What it is read from.
pub(crate) struct View {
    pub(crate) started: Instant,
    pub(crate) hashing: &'static str,
    pub(crate) workers: Arc<[Arc<WorkerCounters>]>,
    /// Of each worker, if it is pinned.
    pub(crate) cores: Vec<Option<usize>>,
    pub(crate) limits: Arc<Limits>,
    /// As it was measured at start-up.
    pub(crate) crossover: Crossover,
    pub(crate) kernels: Arc<Kernels>,
}

impl View {
    /// The first worker that hangs.
    pub(super) fn hung(&self) -> Option<usize> {
        let mut workers = self.workers.iter();
        workers.position(|worker| worker.heartbeat.hangs())
    }

    pub(super) fn state(&self, now: Instant, phase: Phase) -> Value {
        let clients = self.limits.clients();
        let phase = match phase {
            Phase::Serving => "serving",
            Phase::LameDuck => "lame duck",
            Phase::Draining => "draining",
            Phase::Cut => "cut",
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "hashing": self.hashing,
            "uptime_seconds": now.saturating_duration_since(self.started).as_secs_f64(),
            "phase": phase,
            "hung": self.hung().is_some(),
            "process": {
                "cpu_seconds": process::cpu_seconds(),
                "resident_bytes": process::resident_bytes(),
                "open_fds": process::open_descriptors(),
                "max_fds": process::descriptors_max(),
            },
            "workers": self.workers(now),
            "kernels": self.measured(),
            "faulty_kernels": self.kernels.now().faulty.iter().map(Kernel::to_string).collect::<Vec<_>>(),
            "part_seconds": self.histogram(|counters| &counters.part_seconds),
            "budgets": self.budgets(),
            "refusals": self.refusals(),
            "clients_count": clients.len(),
            "clients": clients.iter().take(CLIENTS_MAX).map(|client| json!({
                "client": client.id.to_string(),
                "connections": client.connections.used(),
                "streams": client.streams.used(),
                "parts": client.parts.used(),
                "windows_bytes": client.windows_bytes.used(),
                "unary_bytes": client.unary_bytes.used(),
                "held_bytes": client.held_bytes.used(),
                "bytes_per_second": client.throttle.rate(),
            })).collect::<Vec<_>>(),
        })
    }

    fn workers(&self, now: Instant) -> Vec<Value> {
        let cores = self.cores.iter().copied().chain(std::iter::repeat(None));
        let workers = self.workers.iter().zip(cores).enumerate();
        let shown = workers.map(|(id, (counters, core))| {
            let phases = counters.phases(now);
            let hashed = counters.hashed_bytes.iter().map(|bytes| bytes.get());
            let steps: Vec<_> = counters.steps_by_lanes.iter().map(|n| n.get()).collect();
            json!({
                "id": id,
                "core": core,
                "hung": counters.heartbeat.hangs(),
                "starved": counters.heartbeat.starved(),
                "restarts": counters.restarts.get(),
                "connections": counters.connections(),
                "streams": counters.streams.get(),
                "open_jobs": counters.open_jobs.get(),
                "ready_jobs": counters.ready_jobs.get(),
                "waiting_bytes": counters.waiting_bytes.get(),
                "received_bytes": counters.received_bytes.get(),
                "hashed_bytes": hashed.sum::<u64>(),
                // By the lanes that hashed: the first is of steps with one.
                "steps_by_lanes": steps,
                "seconds": {"hash": phases.hash, "io": phases.io, "idle": phases.idle},
            })
        });
        shown.collect()
    }

    /// Every kernel that was measured, the fastest of an algorithm first.
    fn measured(&self) -> Vec<Value> {
        let now = self.kernels.now();
        let of_family = |family: Family| {
            let mut rates: Vec<_> = self.crossover.bytes_per_second(family).collect();
            rates.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            rates
        };
        let sum = |kernel: Kernel, read: fn(&WorkerCounters, usize) -> u64| -> u64 {
            let workers = self.workers.iter();
            workers.map(|counters| read(counters, kernel.index())).sum()
        };
        let kernels = Family::ALL.into_iter().flat_map(of_family);
        let shown = kernels.map(|(kernel, bytes_per_second)| {
            json!({
                "algorithm": kernel.family().name(),
                "name": kernel.name(),
                "bytes_per_second": bytes_per_second,
                "planned": now.planned.contains(&kernel),
                "faulty": now.faulty.contains(&kernel),
                "active_lane_blocks": sum(kernel, |c, at| c.kernels[at].active_lane_blocks.get()),
                "idle_lane_blocks": sum(kernel, |c, at| c.kernels[at].idle_lane_blocks.get()),
            })
        });
        shown.collect()
    }

    fn histogram(&self, read: impl Fn(&WorkerCounters) -> &Histogram) -> Value {
        let bounds = self.workers.first().map(|counters| read(counters).bounds());
        let bounds = bounds.unwrap_or_default();
        let mut counts = vec![0; bounds.len() + 1];
        for counters in self.workers.iter() {
            for (total, count) in counts.iter_mut().zip(read(counters).counts()) {
                *total += count;
            }
        }
        json!({"bounds": bounds, "counts": counts})
    }

    fn budgets(&self) -> Vec<Value> {
        let budgets = self.limits.budgets().map(|(name, budget): (_, &Budget)| {
            let [used, max] = [budget.used(), budget.max()].map(|n| as_f64(n as u64));
            json!({"name": name, "used": used, "max": max})
        });
        budgets.into()
    }

    /// Those that there were.
    fn refusals(&self) -> Vec<Value> {
        let of_calls = Reason::all().map(|reason| (reason, false));
        let of_parts = Reason::of_parts().map(|reason| (reason, true));
        let counted = of_calls.chain(of_parts).filter_map(|(reason, of_part)| {
            let each = self.workers.iter().map(|counters| {
                let counts = match of_part {
                    false => &counters.refusals,
                    true => &counters.part_errors,
                };
                counts[reason.index()].get()
            });
            let count: u64 = each.sum();
            (count > 0)
                .then(|| json!({"reason": reason.name(), "of_part": of_part, "count": count}))
        });
        counted.collect()
    }
}
