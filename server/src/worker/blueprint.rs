//! What every worker is built from.

use std::sync::{Arc, Mutex};

use hashlane_engine::KernelsInUse;

use hashlane_proto::v1::GetServerInfoResponse;
use tokio::sync::watch;
use tonic_health::server::HealthReporter;

use crate::client::Identities;
use crate::config::Settings;
use crate::drain::Phase;
use crate::limiter::TokenBucket;
use crate::limits::Limits;
use crate::metrics::heartbeat::Pace;
use crate::tls::Tls;
use crate::traces::Traces;

/// What every worker is built from.
#[derive(Clone)]
pub(crate) struct Blueprint {
    pub(crate) settings: Arc<Settings>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) identities: Arc<Identities>,
    pub(crate) kernels: Arc<KernelsInUse>,
    pub(crate) info: Arc<GetServerInfoResponse>,
    pub(crate) health: HealthReporter,
    pub(crate) phase: watch::Receiver<Phase>,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) traces: Option<Traces>,
    /// Restarts of all workers.
    pub(crate) restarts: Arc<Mutex<TokenBucket>>,
    pub(crate) pace: Pace,
    #[cfg(feature = "faults")]
    pub(crate) faults: crate::faults::Faults,
}
