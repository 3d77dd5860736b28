//! Prometheus: every number is read from the workers when a scrape comes.
//!
//! ```text
//! worker::counters (one writer each) ──┐
//! acceptor counters ───────────────────┼─> Workers::collect ─> registry ─> /metrics
//! calibration, build ──────────────────┘        process_* ──────┘
//! ```
//!
//! grpc.rs has the names of methods and codes, heartbeat.rs tells whether a worker turns, ends.rs
//! why connections end, process.rs what the process takes, tally.rs
//! what one call came to, family.rs makes families of numbers.

pub(crate) mod counters;
pub(crate) mod ends;
mod family;
pub(crate) mod grpc;
pub(crate) mod heartbeat;
pub(crate) mod process;
pub(crate) mod tally;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Instant, SystemTime};

use hashlane_engine::{Algorithm, Family, Kernel};
use prometheus::Registry;
use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;

use self::counters::{
    AcceptorCounters, FrameKind, Handshake, KernelCounters, Outcome, PartRpc, StepReason,
    WorkerCounters, as_f64,
};
use self::ends::ConnectionEnd;
use self::family::{Labels, counter, gauge, histogram, histograms};
use self::grpc::{CODE_NAMES, Method};
use self::process::Process;
use crate::hashing::Kernels;
use crate::limits::{Budget, Limits};
use crate::logging::Log;
use crate::status::Reason;
use crate::supervisor::{Failure, Roster};
use crate::tls::Tls;
use crate::traces::SpanCounts;

/// Whose numbers are read.
pub(crate) struct Observed {
    pub(crate) roster: Arc<Roster>,
    pub(crate) acceptor: Arc<AcceptorCounters>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) log: Option<Log>,
    /// Certificates of the ports that speak TLS.
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) admin_tls: Option<Arc<Tls>>,
    pub(crate) spans: Option<Arc<SpanCounts>>,
}

/// The registry of one server.
pub(crate) fn registry(
    observed: Observed,
    kernels: &Arc<Kernels>,
    hashing: &'static str,
) -> Result<Registry, prometheus::Error> {
    let registry = Registry::new();
    let crossover = kernels.now().crossover;
    registry.register(Box::new(Workers {
        observed,
        calibration: Family::ALL
            .into_iter()
            .flat_map(|family| crossover.bytes_per_second(family))
            .collect(),
        kernels: Arc::clone(kernels),
        hashing,
        // The registry asks for one description to tell collectors apart.
        desc: Desc::new(
            "hashlane_workers".to_owned(),
            "What the workers count.".to_owned(),
            Vec::new(),
            std::collections::HashMap::new(),
        )?,
    }))?;
    registry.register(Box::new(Process::new()?))?;
    Ok(registry)
}

struct Workers {
    observed: Observed,
    calibration: Vec<(Kernel, f64)>,
    kernels: Arc<Kernels>,
    hashing: &'static str,
    desc: Desc,
}

impl Collector for Workers {
    fn desc(&self) -> Vec<&Desc> {
        vec![&self.desc]
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let counters = self.observed.roster.counters();
        let scrape = Scrape {
            of: self,
            ever: counters.ever(),
            workers: counters.serving,
        };
        let mut families = vec![scrape.build_info()];
        families.extend(scrape.engine());
        families.extend(scrape.selfcheck());
        families.extend(scrape.parts());
        families.extend(scrape.transport());
        families.extend(scrape.bounds());
        families.extend(scrape.tls());
        families.extend(scrape.rpcs());
        families.extend(scrape.log());
        families.extend(scrape.spans());
        families.extend(scrape.replacements());
        families
    }
}

fn of_kernel(kernel: Kernel) -> [(&'static str, String); 2] {
    [
        ("algorithm", kernel.family().name().to_owned()),
        ("kernel", kernel.name().to_owned()),
    ]
}

/// The workers as they are at one scrape.
struct Scrape<'a> {
    of: &'a Workers,
    /// Those that serve. The worker that takes another's place has its label, and begins at 0.
    workers: Vec<Arc<WorkerCounters>>,
    /// Those and the ones that were replaced: sums never fall.
    ever: Vec<Arc<WorkerCounters>>,
}

impl Scrape<'_> {
    /// One value per worker.
    fn per_worker(&self, read: impl Fn(&WorkerCounters) -> f64) -> Vec<(Labels, f64)> {
        self.each()
            .map(|(id, counters)| (vec![("worker", id)], read(counters)))
            .collect()
    }

    fn each(&self) -> impl Iterator<Item = (String, &WorkerCounters)> {
        let workers = self.workers.iter().enumerate();
        workers.map(|(id, counters)| (id.to_string(), counters.as_ref()))
    }

    fn sum(&self, read: impl Fn(&WorkerCounters) -> u64) -> f64 {
        as_f64(self.ever.iter().map(|counters| read(counters)).sum())
    }

    fn build_info(&self) -> MetricFamily {
        let labels = vec![
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("hashing", self.of.hashing.to_owned()),
        ];
        gauge(
            "hashlane_build_info",
            "The server's version and how it hashes; always 1.",
            vec![(labels, 1.0)],
        )
    }

    fn engine(&self) -> Vec<MetricFamily> {
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
        let calibration = self.of.calibration.iter();
        let calibration = calibration.map(|(kernel, rate)| (of_kernel(*kernel).to_vec(), *rate));
        vec![
            counter(
                "hashlane_lane_blocks_total",
                "Blocks per lane of all steps; occupancy is active over all.",
                lane_blocks,
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
                &self.ever,
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
                &self.ever,
                |counters| &counters.queue_wait,
            ),
            gauge(
                "hashlane_kernel_bytes_per_second",
                "What each kernel reached with all its lanes active, measured at start-up.",
                calibration.collect(),
            ),
            self.seconds(),
            counter(
                "hashlane_worker_beats_total",
                "Beats of a worker's loop, one a second unless it is stuck.",
                self.per_worker(|counters| as_f64(counters.heartbeat.count())),
            ),
        ]
    }

    fn selfcheck(&self) -> Vec<MetricFamily> {
        // Tree modes use others than steps do.
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

    fn seconds(&self) -> MetricFamily {
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

    fn parts(&self) -> Vec<MetricFamily> {
        let mut parts = Vec::new();
        for rpc in PartRpc::ALL {
            for outcome in Outcome::ALL {
                let count = self.sum(|c| c.parts[rpc as usize][outcome as usize].get());
                let labels = vec![
                    ("rpc", rpc.name().to_owned()),
                    ("outcome", outcome.name().to_owned()),
                ];
                parts.push((labels, count));
            }
        }
        let errors = Reason::of_parts().map(|reason| {
            let count = self.sum(|counters| counters.part_errors[reason.index()].get());
            (vec![("reason", reason.name().to_owned())], count)
        });
        vec![
            counter("hashlane_parts_total", "Parts that ended.", parts),
            counter(
                "hashlane_part_errors_total",
                "Parts that were answered with an error, by its reason.",
                errors.collect(),
            ),
            histogram(
                "hashlane_part_bytes",
                "Bytes of a part.",
                &self.ever,
                |counters| &counters.part_bytes,
            ),
            histogram(
                "hashlane_part_seconds",
                "Time from a part's first message to its answer.",
                &self.ever,
                |counters| &counters.part_seconds,
            ),
        ]
    }

    fn transport(&self) -> Vec<MetricFamily> {
        let refused = [
            (
                "limit",
                self.of.observed.acceptor.refused_limit.load(Relaxed),
            ),
            ("rate", self.of.observed.acceptor.refused_rate.load(Relaxed)),
            (
                "handshakes",
                self.of.observed.acceptor.refused_handshakes.load(Relaxed),
            ),
            ("busy", self.of.observed.acceptor.refused_busy.load(Relaxed)),
        ];
        let floods = FrameKind::ALL.map(|kind| {
            let count = self.sum(|counters| counters.floods[kind as usize].get());
            (vec![("frames", kind.name().to_owned())], count)
        });
        let ends = ConnectionEnd::ALL.map(|end| {
            let count = self.sum(|counters| counters.connection_ends[end as usize].get());
            (vec![("reason", end.name().to_owned())], count)
        });
        vec![
            gauge(
                "hashlane_connections",
                "Open connections.",
                self.per_worker(|counters| as_f64(counters.connections())),
            ),
            counter(
                "hashlane_connections_total",
                "Connections handed to the worker.",
                self.per_worker(|counters| as_f64(counters.handover.connections.get())),
            ),
            counter(
                "hashlane_connections_refused_total",
                "Connections closed at once, by which bound.",
                refused
                    .map(|(reason, n)| (vec![("reason", reason.to_owned())], as_f64(n)))
                    .to_vec(),
            ),
            counter(
                "hashlane_connections_delayed_total",
                "Connections served later: they came too fast, or the client flooded before.",
                vec![(
                    Vec::new(),
                    as_f64(self.of.observed.acceptor.delayed.load(Relaxed)),
                )],
            ),
            counter(
                "hashlane_addresses_dropped_total",
                "Times that an address was refused too often: its attempts to connect are dropped for a second.",
                vec![(
                    Vec::new(),
                    as_f64(self.of.observed.acceptor.dropped.load(Relaxed)),
                )],
            ),
            counter(
                "hashlane_connections_ended_total",
                "Connections that are over, by why.",
                ends.to_vec(),
            ),
            counter(
                "hashlane_connections_flooding_total",
                "Connections closed because their frames brought nothing, by the kind of most.",
                floods.to_vec(),
            ),
            counter(
                "hashlane_connection_pauses_total",
                "Times that a connection was not read for 50 ms: its DATA frames were small and many.",
                self.per_worker(|counters| as_f64(counters.pauses.get())),
            ),
            counter(
                "hashlane_accept_errors_total",
                "Accepts that failed.",
                vec![(
                    Vec::new(),
                    as_f64(self.of.observed.acceptor.errors.load(Relaxed)),
                )],
            ),
            gauge(
                "hashlane_streams",
                "Open streams.",
                self.per_worker(|counters| as_f64(counters.streams.get())),
            ),
            counter(
                "hashlane_received_bytes_total",
                "Bytes read from sockets, over TLS those of the plaintext.",
                self.per_worker(|counters| as_f64(counters.received_bytes.get())),
            ),
        ]
    }

    /// Nothing without a port that speaks TLS.
    fn tls(&self) -> Vec<MetricFamily> {
        let observed = &self.of.observed;
        let ports = [("grpc", &observed.tls), ("admin", &observed.admin_tls)];
        let expiries: Vec<_> = ports
            .into_iter()
            .filter_map(|(port, tls)| {
                let expires = tls.as_ref()?.expires();
                let since = expires.duration_since(SystemTime::UNIX_EPOCH);
                let seconds = since.map_or(0.0, |since| since.as_secs_f64());
                Some((vec![("port", port.to_owned())], seconds))
            })
            .collect();
        if expiries.is_empty() {
            return Vec::new();
        }
        let handshakes = Handshake::ALL.map(|outcome| {
            let count = self.sum(|counters| counters.handshakes[outcome as usize].get());
            (vec![("outcome", outcome.name().to_owned())], count)
        });
        vec![
            counter(
                "hashlane_tls_handshakes_total",
                "TLS handshakes, by how they ended.",
                handshakes.to_vec(),
            ),
            gauge(
                "hashlane_tls_certificate_expiry_timestamp_seconds",
                "When the certificate in force ends, in seconds since 1970.",
                expiries,
            ),
        ]
    }

    fn replacements(&self) -> [MetricFamily; 2] {
        let roster = &self.of.observed.roster;
        let replaced = Failure::ALL.map(|failure| {
            let labels = vec![("failure", failure.name().to_owned())];
            (labels, as_f64(roster.replaced(failure)))
        });
        [
            counter(
                "hashlane_worker_replacements_total",
                "Workers that failed and were replaced; their connections were closed.",
                replaced.to_vec(),
            ),
            gauge(
                "hashlane_hung_threads",
                "Threads of replaced workers that still hang, and hold what they held.",
                vec![(Vec::new(), as_f64(roster.hanging() as u64))],
            ),
        ]
    }

    fn bounds(&self) -> Vec<MetricFamily> {
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

    fn log(&self) -> Vec<MetricFamily> {
        let log = self.of.observed.log.iter();
        let each = |read: fn(&Log) -> u64| {
            let counts = log.clone().map(|log| (Labels::new(), as_f64(read(log))));
            counts.collect()
        };
        vec![
            counter(
                "hashlane_log_lines_lost_total",
                "Log lines that were lost because whoever reads them is too slow.",
                each(Log::lines_lost),
            ),
            counter(
                "hashlane_panics_total",
                "Panics of any thread.",
                each(Log::panics),
            ),
        ]
    }

    /// Nothing without a collector.
    fn spans(&self) -> Option<MetricFamily> {
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

    fn rpcs(&self) -> Vec<MetricFamily> {
        let mut started = Vec::new();
        let mut received = Vec::new();
        let mut sent = Vec::new();
        let mut handled = Vec::new();
        let labels_of = |method: Method| {
            vec![
                ("grpc_type", method.kind().to_owned()),
                ("grpc_service", method.service().to_owned()),
                ("grpc_method", method.name().to_owned()),
            ]
        };
        for method in Method::ALL {
            let labels = labels_of(method);
            let read = |read: fn(&counters::MethodCounters) -> u64| {
                self.sum(|counters| read(counters.method(method)))
            };
            started.push((labels.clone(), read(|c| c.started.get())));
            received.push((labels.clone(), read(|c| c.received.get())));
            sent.push((labels.clone(), read(|c| c.sent.get())));
            for (code, name) in CODE_NAMES.iter().enumerate() {
                let count = self.sum(|counters| counters.method(method).handled[code].get());
                if count > 0.0 || code == 0 {
                    let mut labels = labels.clone();
                    labels.push(("grpc_code", (*name).to_owned()));
                    handled.push((labels, count));
                }
            }
        }
        let refusals = Reason::all().map(|reason| {
            let count = self.sum(|counters| counters.refusals[reason.index()].get());
            (vec![("reason", reason.name().to_owned())], count)
        });
        let cut = self.sum(|counters| counters.calls_cut.get());
        vec![
            counter(
                "hashlane_refusals_total",
                "Calls that the server ended with an error, by its reason.",
                refusals.collect(),
            ),
            counter(
                "hashlane_calls_cut_total",
                "Calls that were ended because their connection's time was over, or their worker failed.",
                vec![(Labels::new(), cut)],
            ),
            histograms(
                "grpc_server_handling_seconds",
                "From a call's headers to its status.",
                &self.ever,
                Method::ALL.map(labels_of),
                |counters, method| &counters.grpc[method].seconds,
            ),
            counter("grpc_server_started_total", "Calls started.", started),
            counter(
                "grpc_server_handled_total",
                "Calls ended, by code.",
                handled,
            ),
            counter(
                "grpc_server_msg_received_total",
                "Messages received.",
                received,
            ),
            counter("grpc_server_msg_sent_total", "Messages sent.", sent),
        ]
    }
}
