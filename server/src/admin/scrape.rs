//! Prometheus: each scrape reads every number from its counter.
//!
//! ```text
//! counters of workers (one writer each) ──┐
//! acceptor, budgets, log, TLS, spans ─────┼─> families, one after the other ─> /metrics
//! calibration, build, process ────────────┘
//! ```

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Instant, SystemTime};

use hashlane_engine::{Algorithm, Family, Kernel};
use prometheus::TextEncoder;
use prometheus::proto::{Histogram, MetricFamily};

use super::state::Admin;
use crate::http2::FrameKind;
use crate::limiter::Budget;
use crate::logging::Log;
use crate::metrics::connection_ends::ConnectionEnd;
use crate::metrics::counters::{
    Handshake, KernelCounters, MethodCounters, Outcome, PartRpc, StepReason, WorkerCounters,
};
use crate::metrics::grpc::{CODES, Method};
use crate::metrics::instruments::{self, Counter, as_f64};
use crate::metrics::metric_family::{Labels, families, one, sum};
use crate::metrics::process;
use crate::metrics::thread::Thread;
use crate::shared_memory::Refusal;
use crate::status::Reason;
use crate::words::Words;

/// A sample for each of `values`, labelled with its name.
fn named<'n>(
    label: &'static str,
    values: impl IntoIterator<Item = (&'n str, f64)>,
) -> Vec<(Labels, f64)> {
    let values = values.into_iter();
    values
        .map(|(name, value)| (vec![(label, name.to_owned())], value))
        .collect()
}

/// The words of `W`.
fn words<W: Words>() -> impl Iterator<Item = &'static str> {
    W::VALUES.iter().map(|value| value.word())
}

/// Counters with their names.
fn counts<'n>(
    names: impl Iterator<Item = &'n str>,
    counts: &[Counter],
) -> impl Iterator<Item = (&'n str, f64)> {
    names.zip(counts.iter().map(|count| as_f64(count.get())))
}

/// The same samples, with more labels.
fn with(labels: Labels, samples: Vec<(Labels, f64)>) -> impl Iterator<Item = (Labels, f64)> {
    let more = move |(own, value): (Labels, f64)| ([&labels[..], &own].concat(), value);
    samples.into_iter().map(more)
}

fn labels_of_kernel(kernel: Kernel) -> Labels {
    let algorithm = kernel.family().name().to_owned();
    vec![
        ("algorithm", algorithm),
        ("kernel", kernel.name().to_owned()),
    ]
}

fn labels_of_method(method: Method) -> Labels {
    vec![
        ("grpc_type", method.kind().to_owned()),
        ("grpc_service", method.service().to_owned()),
        ("grpc_method", method.name().to_owned()),
    ]
}

impl Admin {
    /// All metrics as text.
    pub(super) fn metrics(&self) -> Result<String, prometheus::Error> {
        let mut families = Vec::new();
        self.workers_metrics(&mut families);
        self.engine_metrics(&mut families);
        self.call_metrics(&mut families);
        self.connection_metrics(&mut families);
        self.process_metrics(&mut families);
        // Text has no families without samples.
        families.retain(|family| !family.get_metric().is_empty());
        TextEncoder::new().encode_to_string(&families)
    }

    /// Samples of each worker, labelled with its number.
    fn each(&self, read: impl Fn(&WorkerCounters) -> Vec<(Labels, f64)>) -> Vec<(Labels, f64)> {
        let mut samples = Vec::new();
        for (id, counters) in self.workers.iter().enumerate() {
            samples.extend(with(vec![("worker", id.to_string())], read(counters)));
        }
        samples
    }

    /// One number of each worker.
    fn per_worker(&self, read: fn(&WorkerCounters) -> u64) -> Vec<(Labels, f64)> {
        self.each(|counters| one(as_f64(read(counters))))
    }

    /// One number of all workers for each of `names`, by its place there.
    fn sums<'n>(
        &self,
        label: &'static str,
        names: impl IntoIterator<Item = &'n str>,
        read: impl Fn(&WorkerCounters) -> &[Counter],
    ) -> Vec<(Labels, f64)> {
        let names = names.into_iter().enumerate();
        let sum = |at: usize| self.sum(|counters| read(counters)[at].get());
        named(label, names.map(|(at, name)| (name, as_f64(sum(at)))))
    }

    fn histogram(
        &self,
        read: fn(&WorkerCounters) -> &instruments::Histogram,
    ) -> Vec<(Labels, Histogram)> {
        let all = sum(self.workers.iter().map(|counters| read(counters)));
        vec![(Labels::new(), all)]
    }

    fn workers_metrics(&self, families: &mut Vec<MetricFamily>) {
        let now = Instant::now();
        // Some kernels do not provide it.
        let delayed = |counters: &WorkerCounters| {
            let scheduled = counters.heartbeat.thread().and_then(Thread::scheduled);
            one(scheduled.map(|of| of.delayed.as_secs_f64()))
        };
        families! { families;
            /// Where a worker's time went: steps, everything else it does, and waiting.
            counter hashlane_worker_seconds_total = self.each(|of| named("phase", of.phases(now)));
            /// Beats of a worker's loop, one a second unless it is stuck.
            counter hashlane_worker_beats_total = self.per_worker(|of| of.heartbeat.count());
            /// Times that a worker began again after a panic; its connections were closed.
            counter hashlane_worker_restarts_total = self.per_worker(|of| of.restarts.get());
            /// Times that a worker was found to hang: it ran for seconds in one turn, or blocked.
            counter hashlane_worker_hangs_total = self.per_worker(|of| of.heartbeat.hung());
            /// Whether the worker hangs now; if it goes on, the process ends.
            gauge hashlane_worker_hung = self.per_worker(|of| u64::from(of.heartbeat.hangs()));
            /// Time that a worker's thread could have run and had no CPU.
            counter hashlane_worker_run_delay_seconds_total = self.each(delayed);
        }
    }

    fn engine_metrics(&self, families: &mut Vec<MetricFamily>) {
        let now = self.process.kernels.now();
        let rates = Family::ALL.into_iter();
        let rates = rates.flat_map(|family| self.process.crossover.bytes_per_second(family));
        let (faulty, planned) = (now.faulty(), now.planned());
        let faulty = Family::ALL.map(|family| {
            let faulty = faulty.iter().filter(|kernel| kernel.family() == family);
            (family.name(), as_f64(faulty.count() as u64))
        });
        let of_planned = |read: fn(&KernelCounters) -> Vec<(Labels, f64)>| {
            self.each(|counters| {
                let planned = planned.iter().flat_map(|kernel| {
                    let of_kernel = labels_of_kernel(*kernel);
                    with(of_kernel, read(&counters.kernels[kernel.index()]))
                });
                planned.collect()
            })
        };
        // Tree modes use other kernels than steps.
        let of_available = |read: fn(&KernelCounters) -> u64| {
            let available = Kernel::all().filter(|kernel| kernel.is_available());
            let samples = available.map(|kernel| {
                let count = self.sum(|counters| read(&counters.kernels[kernel.index()]));
                (labels_of_kernel(kernel), as_f64(count))
            });
            samples.collect()
        };
        let by_family = |ns: &[Counter]| {
            let families = Family::ALL.into_iter().zip(ns);
            named(
                "algorithm",
                families.map(|(of, ns)| (of.name(), as_f64(ns.get()) / 1e9)),
            )
        };
        let hashed = |counters: &WorkerCounters| {
            let bytes = Algorithm::all().zip(&counters.hashed_bytes);
            named(
                "algorithm",
                bytes.map(|(of, bytes)| (of.name(), as_f64(bytes.get()))),
            )
        };
        families! { families;
            /// Blocks per lane of all steps; occupancy is active over all.
            counter hashlane_lane_blocks_total = of_planned(|of| {
                let counts = [("active", &of.active_lane_blocks), ("idle", &of.idle_lane_blocks)];
                named("state", counts.map(|(state, count)| (state, as_f64(count.get()))))
            });
            /// Time in steps.
            counter hashlane_lane_seconds_total = self.each(|of| by_family(&of.lane_ns));
            /// Time that the bytes which steps hashed would have taken at the best rate of full
            /// lanes; lane efficiency is this over hashlane_lane_seconds_total.
            counter hashlane_lane_best_seconds_total = self.each(|of| by_family(&of.best_lane_ns));
            /// Steps by the widest kernel used and why they were taken; full: enough jobs and bytes
            /// for the best kernels, idle: nothing more to wait for.
            counter hashlane_steps_total =
                of_planned(|of| named("reason", counts(words::<StepReason>(), &of.steps)));
            /// Times a worker waited for more ready jobs before a step, and whether they came.
            counter hashlane_lingers_total = self.each(|of| {
                named("outcome", counts(["few_ready", "enough_ready"].into_iter(), &of.lingers))
            });
            /// Active lanes over all lanes of a step.
            histogram hashlane_lane_occupancy_ratio = self.histogram(|of| &of.occupancy);
            /// Bytes hashed, once for each of their part's digests.
            counter hashlane_hashed_bytes_total = self.each(hashed);
            /// Jobs with a block to hash.
            gauge hashlane_ready_jobs = self.per_worker(|of| of.ready_jobs.get());
            /// Digests in progress.
            gauge hashlane_open_jobs = self.per_worker(|of| of.open_jobs.get());
            /// Bytes that wait to be hashed.
            gauge hashlane_buffered_bytes = self.per_worker(|of| of.waiting_bytes.get());
            /// From the arrival of a chunk whose part had none waiting until the engine was done
            /// with its first bytes: the end of the step that took them, or of a long chunk's time
            /// in its lane.
            histogram hashlane_queue_wait_seconds = self.histogram(|of| &of.queue_wait);
            /// What each kernel reached with all its lanes active, measured at start-up.
            gauge hashlane_kernel_bytes_per_second =
                rates.map(|(kernel, rate)| (labels_of_kernel(kernel), rate)).collect();
            /// Samples of what a kernel hashed that were hashed again by another.
            counter hashlane_selfcheck_checks_total = of_available(|of| of.checks.get());
            /// Those of which the answers differed.
            counter hashlane_selfcheck_failures_total = of_available(|of| of.failed_checks.get());
            /// Time that the checks took.
            counter hashlane_selfcheck_seconds_total =
                self.each(|of| one(as_f64(of.selfcheck_ns.get()) / 1e9));
            /// Kernels that gave a wrong answer, at start-up or later, and are out of use.
            gauge hashlane_faulty_kernels = named("algorithm", faulty);
        }
    }

    fn call_metrics(&self, families: &mut Vec<MetricFamily>) {
        let parts = PartRpc::VALUES.iter().flat_map(|rpc| {
            let by_outcome =
                self.sums("outcome", words::<Outcome>(), |of| &of.parts[*rpc as usize]);
            with(vec![("rpc", rpc.word().to_owned())], by_outcome)
        });
        let errors = Reason::OF_PARTS.map(|reason| {
            let count = self.sum(|counters| counters.part_errors[reason as usize].get());
            (reason.word(), as_f64(count))
        });
        let of_methods = |read: fn(&MethodCounters) -> &Counter| {
            let methods = Method::VALUES.iter().map(|method| {
                let count = self.sum(|counters| read(counters.method(*method)).get());
                (labels_of_method(*method), as_f64(count))
            });
            methods.collect()
        };
        let handled = Method::VALUES.iter().flat_map(|method| {
            let codes = CODES.map(|(name, _)| name);
            let by_code = self.sums("grpc_code", codes, |of| &of.method(*method).handled);
            // Codes that occurred.
            let of_method = with(labels_of_method(*method), by_code).enumerate();
            of_method.filter_map(|(at, of)| (at == 0 || of.1 > 0.0).then_some(of))
        });
        let seconds = Method::VALUES.iter().map(|method| {
            let workers = self.workers.iter();
            let all = sum(workers.map(|counters| &counters.method(*method).seconds));
            (labels_of_method(*method), all)
        });
        families! { families;
            /// Parts that ended.
            counter hashlane_parts_total = parts.collect();
            /// Parts that were answered with an error, by its reason.
            counter hashlane_part_errors_total = named("reason", errors);
            /// Bytes of a part.
            histogram hashlane_part_bytes = self.histogram(|of| &of.part_bytes);
            /// Time from a part's first message to its answer.
            histogram hashlane_part_seconds = self.histogram(|of| &of.part_seconds);
            /// Calls that the server ended with an error, by its reason.
            counter hashlane_refusals_total =
                self.sums("reason", words::<Reason>(), |of| &of.refusals);
            /// Calls that were ended because their connection's time was over, or their worker
            /// failed.
            counter hashlane_calls_cut_total = one(as_f64(self.sum(|of| of.calls_cut.get())));
            /// From a call's headers to its status.
            histogram grpc_server_handling_seconds = seconds.collect();
            /// Calls started.
            counter grpc_server_started_total = of_methods(|of| &of.started);
            /// Calls ended, by code.
            counter grpc_server_handled_total = handled.collect();
            /// Messages received.
            counter grpc_server_msg_received_total = of_methods(|of| &of.received);
            /// Messages sent.
            counter grpc_server_msg_sent_total = of_methods(|of| &of.sent);
        }
    }

    fn connection_metrics(&self, families: &mut Vec<MetricFamily>) {
        let acceptor = &self.process.acceptor;
        let count = |count: &AtomicU64| one(as_f64(count.load(Relaxed)));
        let refused = acceptor.refused().map(|(reason, n)| (reason, as_f64(n)));
        let memory_refused = acceptor.memory_refused.iter();
        let memory_refused = memory_refused.map(|count| as_f64(count.load(Relaxed)));
        let memory_refused = words::<Refusal>().zip(memory_refused);
        families! { families;
            /// Open connections.
            gauge hashlane_connections = self.per_worker(WorkerCounters::connections);
            /// Connections handed to the worker.
            counter hashlane_connections_total = self.per_worker(|of| of.connections_given.get());
            /// Connections closed at once, by which bound.
            counter hashlane_connections_refused_total = named("reason", refused);
            /// Connections served later: they came too fast, or the client flooded before.
            counter hashlane_connections_delayed_total = count(&acceptor.delayed);
            /// Times that an address was refused too often: its attempts to connect are dropped for
            /// a second.
            counter hashlane_addresses_dropped_total = count(&acceptor.dropped);
            /// Connections that are over, by why.
            counter hashlane_connections_ended_total =
                self.sums("reason", words::<ConnectionEnd>(), |of| &of.connection_ends);
            /// Connections closed because their frames brought nothing, by the kind of most.
            counter hashlane_connections_flooding_total =
                self.sums("frames", FrameKind::ALL.map(FrameKind::name), |of| &of.floods);
            /// Times that a connection was not read for 50 ms: its DATA frames were small and many.
            counter hashlane_connection_pauses_total = self.per_worker(|of| of.pauses.get());
            /// Accepts that failed.
            counter hashlane_accept_errors_total = count(&acceptor.errors);
            /// Open streams.
            gauge hashlane_streams = self.per_worker(|of| of.streams.get());
            /// Bytes read from sockets, over TLS those of the plaintext, and from shared memory.
            counter hashlane_received_bytes_total = self.per_worker(|of| of.received_bytes.get());
            /// Bytes read from shared memory.
            counter hashlane_shared_memory_bytes_total = self.per_worker(|of| of.memory_bytes.get());
            /// Requests for shared memory that were refused, by why.
            counter hashlane_shared_memory_refusals_total = named("reason", memory_refused);
        }
        let expiries = self.expiries().map(|(port, expires)| {
            let since = expires.duration_since(SystemTime::UNIX_EPOCH);
            (port, since.unwrap_or_default().as_secs_f64())
        });
        let expiries = named("port", expiries);
        if expiries.is_empty() {
            return;
        }
        families! { families;
            /// TLS handshakes, by how they ended.
            counter hashlane_tls_handshakes_total =
                self.sums("outcome", words::<Handshake>(), |of| &of.handshakes);
            /// When the certificate in force ends, in seconds since 1970.
            gauge hashlane_tls_certificate_expiry_timestamp_seconds = expiries;
        }
    }

    fn process_metrics(&self, families: &mut Vec<MetricFamily>) {
        let build = vec![
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("commit", self.process.commit.to_owned()),
            ("hashing", self.process.settings.hashing().word().to_owned()),
        ];
        let budgets = |read: fn(&Budget) -> usize| {
            let budgets = self.process.limits.budgets();
            named(
                "budget",
                budgets.map(|(name, of)| (name, as_f64(read(of) as u64))),
            )
        };
        let of_log =
            |read: fn(&Log) -> u64| one(self.process.log.as_ref().map(|log| as_f64(read(log))));
        let started = self
            .process
            .started
            .1
            .duration_since(SystemTime::UNIX_EPOCH);
        // Without a collector there are none.
        let spans = self
            .process
            .traces
            .iter()
            .flat_map(|traces| traces.counts.by_outcome());
        families! { families;
            /// The server's version and commit, and how it hashes; always 1.
            gauge hashlane_build_info = vec![(build, 1.0)];
            /// How much of each bound of the process is taken, in the unit its name ends with.
            gauge hashlane_budget_used = budgets(Budget::used);
            /// The bound.
            gauge hashlane_budget_max = budgets(Budget::max);
            /// Log lines that were lost because their reader is too slow.
            counter hashlane_log_lines_lost_total = of_log(Log::lines_lost);
            /// Panics of any thread.
            counter hashlane_panics_total = of_log(Log::panics);
            /// When the process started, after the epoch.
            gauge process_start_time_seconds = one(started.ok().map(|since| since.as_secs_f64()));
            /// Spans that ended, by what became of them.
            counter hashlane_trace_spans_total =
                named("outcome", spans.map(|(outcome, count)| (outcome, as_f64(count))));
        }
        process::read(families);
    }
}
