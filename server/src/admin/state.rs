//! The server's state as JSON, for the page and for operators.
//!
//! It is read from the workers' counters and the budgets. So nothing waits for a worker, and a hung
//! worker is shown too. Counters are shown as totals: two readings give the rate.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use hashlane_engine::{Family, Kernel};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::drain::Phase;
use crate::limiter::Budget;
use crate::logging::Log;
use crate::metrics::counters::WorkerCounters;
use crate::metrics::instruments::{Counter, Histogram, as_f64};
use crate::metrics::process;
use crate::metrics::thread::Thread;
use crate::process::Process;
use crate::status::Reason;
use crate::words::Words as _;

/// Maximum of clients shown: those with the most connections.
const CLIENTS_MAX: usize = 50;

/// The data behind the admin port.
pub(crate) struct Admin {
    pub(crate) process: Arc<Process>,
    pub(crate) workers: Arc<[Arc<WorkerCounters>]>,
    /// Held by the thread that reads the counters.
    pub(crate) showing: Arc<Semaphore>,
}

impl Admin {
    /// Why the process is unhealthy, if it is.
    pub(super) fn unhealthy(&self) -> Option<String> {
        let mut workers = self.workers.iter();
        let hung = workers.position(|worker| worker.heartbeat.hangs())?;
        Some(format!("worker {hung} hangs"))
    }

    /// Why the server accepts no calls, if so.
    pub(super) fn not_ready(&self) -> Option<String> {
        if *self.process.phase.borrow() > Phase::Serving {
            return Some("shutting down".to_owned());
        }
        if self.process.kernels.is_exhausted() {
            return Some("every kernel of an algorithm gave a wrong answer".to_owned());
        }
        self.unhealthy()
    }

    pub(super) fn state(&self) -> Value {
        let clients = self.process.limits.clients();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "commit": self.process.commit,
            "hashing": self.process.settings.hashing().word(),
            "uptime_seconds": self.process.started.0.elapsed().as_secs_f64(),
            "phase": self.process.phase.borrow().word(),
            // The reason, or null.
            "unhealthy": self.unhealthy(),
            "not_ready": self.not_ready(),
            "process": {
                "cpu_seconds": process::cpu_seconds(),
                "resident_bytes": process::resident_bytes(),
                "open_fds": process::open_descriptors(),
                "max_fds": process::descriptors_max(),
            },
            "workers": self.shown_workers(),
            "kernels": self.measured(),
            "faulty_kernels": self.process.kernels.now().faulty().iter().map(Kernel::to_string).collect::<Vec<_>>(),
            "part_seconds": self.part_seconds(),
            "budgets": self.budgets(),
            "refusals": self.refusals(),
            "connections_refused": self.process.acceptor.refused().into_iter().collect::<Value>(),
            "calls_cut": self.sum(|worker| worker.calls_cut.get()),
            "panics": self.process.log.as_ref().map(Log::panics),
            "log_lines_lost": self.process.log.as_ref().map(Log::lines_lost),
            "certificates": self.certificates(),
            "clients_count": clients.len(),
            "clients": clients.iter().take(CLIENTS_MAX).map(|client| json!({
                "client": client.id.to_string(),
                "connections": client.connections.used(),
                "streams": client.streams.used(),
                "parts": client.parts.used(),
                "windows_bytes": client.windows_bytes.used(),
                "unary_bytes": client.unary_bytes.used(),
                "held_bytes": client.held_bytes.used(),
                "shared_memory_bytes": client.memory_bytes.used(),
                "bytes_per_second": client.throttle.rate(),
            })).collect::<Vec<_>>(),
        })
    }

    fn shown_workers(&self) -> Vec<Value> {
        let now = Instant::now();
        let cores = self.process.cores.iter();
        let workers = self.workers.iter().zip(cores).enumerate();
        let shown = workers.map(|(id, (counters, core))| {
            let phases = counters.phases(now);
            let hashed = counters.hashed_bytes.iter().map(|bytes| bytes.get());
            let steps = counters.kernels.iter().flat_map(|kernel| &kernel.steps);
            // Some kernels do not provide it.
            let scheduled = counters.heartbeat.thread().and_then(Thread::scheduled);
            let heartbeat = &counters.heartbeat;
            json!({
                "id": id,
                "core": core.map(|core| core.id),
                "hung": heartbeat.hangs(),
                "hangs": heartbeat.hung(),
                "restarts": counters.restarts.get(),
                "connections": counters.connections(),
                "streams": counters.streams.get(),
                "open_jobs": counters.open_jobs.get(),
                "ready_jobs": counters.ready_jobs.get(),
                "waiting_bytes": counters.waiting_bytes.get(),
                "received_bytes": counters.received_bytes.get(),
                "hashed_bytes": hashed.sum::<u64>(),
                "steps": steps.map(Counter::get).sum::<u64>(),
                // Time in steps: by the number of lanes that hashed, beginning with one lane; and
                // by the number of lanes of the kernels that a step used.
                "step_seconds_by_active_lanes": seconds(&counters.step_ns_by_active_lanes),
                "step_seconds_by_lanes": seconds(&counters.step_ns_by_lanes),
                // Lane efficiency is best_seconds / seconds.
                "lane_seconds": by_family(&counters.lane_ns),
                "lane_best_seconds": by_family(&counters.best_lane_ns),
                "seconds": phases.into_iter().collect::<Value>(),
                "cpu_seconds": scheduled.map(|of| of.ran.as_secs_f64()),
                "run_delay_seconds": scheduled.map(|of| of.delayed.as_secs_f64()),
            })
        });
        shown.collect()
    }

    /// Every measured kernel, by family, the fastest first.
    fn measured(&self) -> Vec<Value> {
        let now = self.process.kernels.now();
        let (faulty, planned) = (now.faulty(), now.planned());
        let of_family = |family: Family| {
            let mut rates: Vec<_> = self.process.crossover.bytes_per_second(family).collect();
            rates.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            rates
        };
        let sum = |kernel: Kernel, read: fn(&WorkerCounters, usize) -> u64| {
            self.sum(|counters| read(counters, kernel.index()))
        };
        let kernels = Family::ALL.into_iter().flat_map(of_family);
        let shown = kernels.map(|(kernel, bytes_per_second)| {
            json!({
                "algorithm": kernel.family().name(),
                "name": kernel.name(),
                "lanes": kernel.lanes(),
                "bytes_per_second": bytes_per_second,
                "planned": planned.contains(&kernel),
                "faulty": faulty.contains(&kernel),
                "active_lane_blocks": sum(kernel, |c, at| c.kernels[at].active_lane_blocks.get()),
                "idle_lane_blocks": sum(kernel, |c, at| c.kernels[at].idle_lane_blocks.get()),
            })
        });
        shown.collect()
    }

    fn part_seconds(&self) -> Value {
        let workers = self.workers.iter();
        let (bounds, counts, _) = Histogram::total(workers.map(|of| &of.part_seconds));
        json!({"bounds": bounds, "counts": counts})
    }

    fn budgets(&self) -> Vec<Value> {
        let budgets = self
            .process
            .limits
            .budgets()
            .map(|(name, budget): (_, &Budget)| {
                let [used, max] = [budget.used(), budget.max()].map(|n| as_f64(n as u64));
                json!({"name": name, "used": used, "max": max})
            });
        budgets.into()
    }

    /// Reasons with at least one refusal.
    fn refusals(&self) -> Vec<Value> {
        let of_calls = Reason::VALUES.iter().map(|reason| (*reason, false));
        let of_parts = Reason::OF_PARTS.into_iter().map(|reason| (reason, true));
        let counted = of_calls.chain(of_parts).filter_map(|(reason, of_part)| {
            let count = self.sum(|counters| {
                let counts = match of_part {
                    false => &counters.refusals,
                    true => &counters.part_errors,
                };
                counts[reason as usize].get()
            });
            (count > 0)
                .then(|| json!({"reason": reason.word(), "of_part": of_part, "count": count}))
        });
        counted.collect()
    }

    /// Certificates of the ports that speak TLS. Shows the remaining time, because a browser's
    /// clock may differ.
    fn certificates(&self) -> Vec<Value> {
        let now = SystemTime::now();
        let left = |expires: SystemTime| match expires.duration_since(now) {
            Ok(left) => left.as_secs_f64(),
            Err(error) => -error.duration().as_secs_f64(),
        };
        let expiries = self.expiries();
        let shown = expiries
            .map(|(port, expires)| json!({"port": port, "expires_in_seconds": left(expires)}));
        shown.collect()
    }

    /// The expiry of the current certificate of each port that speaks TLS.
    pub(super) fn expiries(&self) -> impl Iterator<Item = (&'static str, SystemTime)> + '_ {
        let ports = [
            ("grpc", &self.process.tls),
            ("admin", &self.process.admin_tls),
        ];
        let spoken = ports.into_iter();
        spoken.filter_map(|(port, tls)| Some((port, tls.as_ref()?.expires())))
    }

    /// Sum over all workers.
    pub(super) fn sum(&self, read: impl Fn(&WorkerCounters) -> u64) -> u64 {
        let workers = self.workers.iter();
        workers.map(|counters| read(counters)).sum()
    }
}

fn seconds(ns: &[Counter]) -> Vec<f64> {
    ns.iter().map(|ns| as_f64(ns.get()) / 1e9).collect()
}

fn by_family(ns: &[Counter; Family::ALL.len()]) -> Value {
    let families = Family::ALL.into_iter().zip(seconds(ns));
    families
        .map(|(family, seconds)| (family.name(), seconds))
        .collect()
}
