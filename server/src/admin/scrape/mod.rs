//! Prometheus: each scrape reads every number from its counter.
//!
//! ```text
//! counters of workers (one writer each) ──┐
//! acceptor, budgets, log, TLS, spans ─────┼─> Workers::collect ─> registry ─> /metrics
//! calibration, build ─────────────────────┘         process_* ───────┘
//! ```
//!
//! engine.rs, calls.rs, transport.rs and process.rs define the families.

mod calls;
mod engine;
mod process;
mod transport;

use std::sync::Arc;
use std::time::SystemTime;

use hashlane_engine::{Family, Kernel};
use prometheus::Registry;
use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;

use crate::hashing::Kernels;
use crate::limits::Limits;
use crate::logging::Log;
use crate::metrics::counters::{AcceptorCounters, WorkerCounters};
use crate::metrics::family::Labels;
use crate::metrics::instruments::as_f64;
use crate::metrics::process::Process;
use crate::tls::Tls;
use crate::traces::SpanCounts;

/// The sources of the numbers.
#[derive(Clone)]
pub(crate) struct Observed {
    pub(crate) workers: Arc<[Arc<WorkerCounters>]>,
    pub(crate) acceptor: Arc<AcceptorCounters>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) log: Option<Log>,
    /// Certificates of the ports that speak TLS.
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) admin_tls: Option<Arc<Tls>>,
    pub(crate) spans: Option<Arc<SpanCounts>>,
    /// The commit that the program was built from.
    pub(crate) commit: &'static str,
}

impl Observed {
    /// The expiry of the current certificate of each port that speaks TLS.
    pub(crate) fn expiries(&self) -> impl Iterator<Item = (&'static str, SystemTime)> + '_ {
        let ports = [("grpc", &self.tls), ("admin", &self.admin_tls)];
        let spoken = ports.into_iter();
        spoken.filter_map(|(port, tls)| Some((port, tls.as_ref()?.expires())))
    }
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
        // The registry needs one description to distinguish collectors.
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
        let scrape = Scrape {
            of: self,
            workers: &self.observed.workers,
        };
        let mut families = vec![scrape.build_info(), scrape.seconds()];
        families.extend(scrape.engine());
        families.extend(scrape.selfcheck());
        families.extend(scrape.parts());
        families.extend(scrape.transport());
        families.extend(scrape.bounds());
        families.extend(scrape.tls());
        families.extend(scrape.rpcs());
        families.extend(scrape.log());
        families.extend(scrape.spans());
        families.extend(scrape.scheduled());
        families
    }
}

/// The workers at one scrape.
struct Scrape<'a> {
    of: &'a Workers,
    workers: &'a [Arc<WorkerCounters>],
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
        as_f64(self.workers.iter().map(|counters| read(counters)).sum())
    }
}
