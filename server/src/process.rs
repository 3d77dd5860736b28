//! What the threads of the process share.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use core_affinity::CoreId;
#[cfg(test)]
use hashlane_engine::{Backend, Family, Kernel};
use hashlane_engine::{Crossover, KernelsInUse};
use tokio::sync::watch;
use tonic_health::server::HealthReporter;

use crate::client::{Identities, Known, Quotas};
use crate::config::Settings;
use crate::drain::Phase;
use crate::limiter::TokenBucket;
use crate::limits::Limits;
use crate::logging::Log;
use crate::metrics::counters::AcceptorCounters;
use crate::metrics::heartbeat::Pace;
use crate::tls::Tls;
use crate::traces::Traces;

/// Restarts of all workers: this many at once, and this many per hour. After that the process ends,
/// and its service manager may start a new one.
pub(crate) const RESTARTS_MAX: u64 = 8;

/// What the workers, the acceptor and the admin port share.
pub(crate) struct Process {
    pub(crate) settings: Settings,
    /// The commit that the program was built from.
    pub(crate) commit: &'static str,
    /// When the server started, by the monotonic clock and the wall clock.
    pub(crate) started: (Instant, SystemTime),
    /// One for each worker, or `None` if it is not pinned.
    pub(crate) cores: Vec<Option<CoreId>>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) identities: Identities,
    /// As measured at start-up.
    pub(crate) crossover: Crossover,
    pub(crate) kernels: Arc<KernelsInUse>,
    pub(crate) health: HealthReporter,
    pub(crate) phase: watch::Receiver<Phase>,
    /// Certificates of the ports that speak TLS.
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) admin_tls: Option<Arc<Tls>>,
    /// Other machines can reach the gRPC port without TLS.
    pub(crate) is_in_clear: bool,
    /// Counts of the acceptor.
    pub(crate) acceptor: AcceptorCounters,
    /// Set if calls are traced.
    pub(crate) traces: Option<Traces>,
    pub(crate) log: Option<Log>,
    /// Restarts of all workers.
    pub(crate) restarts: Mutex<TokenBucket>,
    #[cfg(feature = "faults")]
    pub(crate) faults: crate::fault_injection::Faults,
}

impl Process {
    /// Without TLS, traces and a log.
    ///
    /// # Errors
    /// A file that the settings name cannot be used.
    pub(crate) fn new(
        settings: Settings,
        cores: Vec<Option<CoreId>>,
        crossover: Crossover,
        phase: watch::Receiver<Phase>,
    ) -> anyhow::Result<Self> {
        let now = Instant::now();
        let limits = Limits::new(&settings);
        limits.set_quotas(Quotas::read(&settings)?, now);
        Ok(Self {
            commit: "unknown",
            started: (now, SystemTime::now()),
            cores,
            identities: Identities::new(Known::read(&settings)?),
            limits,
            kernels: Arc::new(KernelsInUse::new(crossover.clone())),
            crossover,
            health: HealthReporter::new(),
            phase,
            tls: None,
            admin_tls: None,
            is_in_clear: false,
            acceptor: AcceptorCounters::default(),
            traces: None,
            log: None,
            restarts: Mutex::new(restarts(now)),
            #[cfg(feature = "faults")]
            faults: crate::fault_injection::Faults::default(),
            settings,
        })
    }

    /// How fast workers beat.
    pub(crate) fn pace(&self) -> Pace {
        let pace = Pace::default();
        #[cfg(feature = "faults")]
        let pace = pace.hastened(self.faults.haste());
        pace
    }
}

/// A full bucket of the restarts of all workers.
fn restarts(now: Instant) -> TokenBucket {
    let hour = Duration::from_secs(3600);
    TokenBucket::new(RESTARTS_MAX, hour, hour, now)
}

#[cfg(test)]
impl Process {
    /// With these settings and a portable kernel for SHA-256.
    pub(crate) fn of_test(settings: Settings) -> Arc<Self> {
        let kernel = Kernel::portable(Family::Sha256);
        let crossover = Crossover::from_costs(Backend::of(&[kernel]).unwrap(), |_| 300.0);
        let phase = watch::channel(Phase::Serving).1;
        Arc::new(Self::new(settings, vec![None; 2], crossover, phase).unwrap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_are_limited() {
        let start = Instant::now();
        let minutes = |minutes: u64| start + Duration::from_secs(60 * minutes);
        let mut restarts = restarts(start);
        assert!((0..8).all(|_| restarts.take(1, start)));
        assert!(!restarts.take(1, start) && !restarts.take(1, minutes(7)));
        assert!(restarts.take(1, minutes(8)) && !restarts.take(1, minutes(8)));
    }
}
