//! Kernels, steps, jobs, and the checks of kernels' results.

use hashlane_engine::{Algorithm, Family, Kernel};
use prometheus::proto::MetricFamily;

use super::Scrape;
use crate::metrics::counters::{KernelCounters, StepReason, WorkerCounters};
use crate::metrics::family::{counter, gauge, histogram};
use crate::metrics::instruments::as_f64;

fn of_kernel(kernel: Kernel) -> [(&'static str, String); 2] {
    [
        ("algorithm", kernel.family().name().to_owned()),
        ("kernel", kernel.name().to_owned()),
    ]
}

impl Scrape<'_> {
    pub(super) fn engine(&self) -> Vec<MetricFamily> {
        let planned = self.of.kernels.now().planned;
        let mut lane_blocks = Vec::new();
        let mut steps = Vec::new();
        let mut hashed = Vec::new();
        for (id, counters) in self.each() {
            let worker = [("worker", id)];
            for kernel in &planned {
                let counts = &counters.kernels[kernel.index()];
                let labels = [&worker[..], &of_kernel(*kernel)].concat();
                for (state, count) in [
                    ("active", &counts.active_lane_blocks),
                    ("idle", &counts.idle_lane_blocks),
                ] {
                    let labels = [&labels[..], &[("state", state.to_owned())]].concat();
                    lane_blocks.push((labels, as_f64(count.get())));
                }
                for reason in StepReason::ALL {
                    let labels = [&labels[..], &[("reason", reason.name().to_owned())]].concat();
                    steps.push((labels, as_f64(counts.steps[reason as usize].get())));
                }
            }
            for algorithm in Algorithm::all() {
                let of_algorithm = [("algorithm", algorithm.name().to_owned())];
                let count = counters.hashed_bytes[algorithm.index()].get();
                hashed.push(([&worker[..], &of_algorithm].concat(), as_f64(count)));
            }
        }
        let lingers = self.each().flat_map(|(id, counters)| {
            let outcomes = ["few_ready", "enough_ready"].into_iter();
            let counts = outcomes.zip(&counters.lingers);
            counts.map(move |(outcome, count)| {
                let labels = vec![("worker", id.clone()), ("outcome", outcome.to_owned())];
                (labels, as_f64(count.get()))
            })
        });
        let lane_seconds = |read: fn(&WorkerCounters, usize) -> u64| {
            let of_worker = |(id, counters): (String, &WorkerCounters)| {
                Family::ALL.map(|family| {
                    let name = family.name().to_owned();
                    let labels = vec![("worker", id.clone()), ("algorithm", name)];
                    (labels, as_f64(read(counters, family.index())) / 1e9)
                })
            };
            self.each().flat_map(of_worker).collect::<Vec<_>>()
        };
        let calibration = self.of.calibration.iter();
        let calibration = calibration.map(|(kernel, rate)| (of_kernel(*kernel).to_vec(), *rate));
        vec![
            counter(
                "hashlane_lane_blocks_total",
                "Blocks per lane of all steps; occupancy is active over all.",
                lane_blocks,
            ),
            counter(
                "hashlane_lane_seconds_total",
                "Time in steps.",
                lane_seconds(|counters, family| counters.lane_ns[family].get()),
            ),
            counter(
                "hashlane_lane_best_seconds_total",
                "Time that the bytes which steps hashed would have taken at the best rate of full \
                 lanes; lane efficiency is this over hashlane_lane_seconds_total.",
                lane_seconds(|counters, family| counters.best_lane_ns[family].get()),
            ),
            counter(
                "hashlane_steps_total",
                "Steps by the widest kernel used and why they were taken; full: enough jobs and bytes \
                 for the best kernels, idle: nothing more to wait for.",
                steps,
            ),
            counter(
                "hashlane_lingers_total",
                "Times a worker waited for more ready jobs before a step, and whether they came.",
                lingers.collect(),
            ),
            histogram(
                "hashlane_lane_occupancy_ratio",
                "Active lanes over all lanes of a step.",
                self.workers,
                |counters| &counters.occupancy,
            ),
            counter(
                "hashlane_hashed_bytes_total",
                "Bytes hashed, once for each of their part's digests.",
                hashed,
            ),
            gauge(
                "hashlane_ready_jobs",
                "Jobs with a block to hash.",
                self.per_worker(|counters| as_f64(counters.ready_jobs.get())),
            ),
            gauge(
                "hashlane_open_jobs",
                "Digests in progress.",
                self.per_worker(|counters| as_f64(counters.open_jobs.get())),
            ),
            gauge(
                "hashlane_buffered_bytes",
                "Bytes that wait to be hashed.",
                self.per_worker(|counters| as_f64(counters.waiting_bytes.get())),
            ),
            histogram(
                "hashlane_queue_wait_seconds",
                "From the arrival of a chunk whose part had none waiting until the engine was done with \
                 its first bytes: the end of the step that took them, or of a long chunk's time in its lane.",
                self.workers,
                |counters| &counters.queue_wait,
            ),
            gauge(
                "hashlane_kernel_bytes_per_second",
                "What each kernel reached with all its lanes active, measured at start-up.",
                calibration.collect(),
            ),
            counter(
                "hashlane_worker_beats_total",
                "Beats of a worker's loop, one a second unless it is stuck.",
                self.per_worker(|counters| as_f64(counters.heartbeat.count())),
            ),
        ]
    }

    pub(super) fn selfcheck(&self) -> Vec<MetricFamily> {
        // Tree modes use other kernels than steps.
        let kernels = || Kernel::all().filter(|kernel| kernel.is_available());
        let of_kernels = |read: fn(&KernelCounters) -> u64| {
            let sum = |kernel: Kernel| self.sum(|counters| read(&counters.kernels[kernel.index()]));
            let samples = kernels().map(|kernel| (of_kernel(kernel).to_vec(), sum(kernel)));
            samples.collect()
        };
        let faulty = self.of.kernels.now().faulty;
        let faulty = Family::ALL.map(|family| {
            let of_family = faulty.iter().filter(|kernel| kernel.family() == family);
            let labels = vec![("algorithm", family.name().to_owned())];
            (labels, as_f64(of_family.count() as u64))
        });
        vec![
            counter(
                "hashlane_selfcheck_checks_total",
                "Samples of what a kernel hashed that were hashed again by another.",
                of_kernels(|counts| counts.checks.get()),
            ),
            counter(
                "hashlane_selfcheck_failures_total",
                "Those of which the answers differed.",
                of_kernels(|counts| counts.failed_checks.get()),
            ),
            counter(
                "hashlane_selfcheck_seconds_total",
                "Time that the checks took.",
                self.per_worker(|counters| as_f64(counters.selfcheck_ns.get()) / 1e9),
            ),
            gauge(
                "hashlane_faulty_kernels",
                "Kernels that gave a wrong answer, at start-up or later, and are out of use.",
                faulty.to_vec(),
            ),
        ]
    }
}
