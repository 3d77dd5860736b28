//! State shared by the connections of one worker. Other threads access only the counters and the
//! process's limits.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use hashlane_engine::KernelsInUse;

use hashlane_proto::v1::GetServerInfoResponse;

use crate::client::Identities;
use crate::config::Settings;
use crate::hashing::Lanes;
use crate::limits::{Backlog, Limits};
use crate::metrics::counters::WorkerCounters;
use crate::read_buffers::ReadBuffers;
use crate::shared_memory::CopyBuffers;
use crate::status::RefusalLog;
use crate::traces::Traces;

/// One worker's state.
pub(crate) struct WorkerState {
    pub(crate) settings: Arc<Settings>,
    pub(crate) counters: Arc<WorkerCounters>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) identities: Arc<Identities>,
    pub(crate) info: Arc<GetServerInfoResponse>,
    pub(crate) kernels: Arc<KernelsInUse>,
    pub(crate) lanes: RefCell<Lanes>,
    pub(crate) backlog: Rc<Backlog>,
    pub(crate) read_buffers: Rc<ReadBuffers>,
    /// For copies from shared memory.
    pub(crate) copies: CopyBuffers,
    pub(crate) refusal_log: RefusalLog,
    /// Set if calls are traced.
    pub(crate) traces: Option<Traces>,
}

impl WorkerState {
    pub(crate) fn new(
        settings: &Arc<Settings>,
        counters: Arc<WorkerCounters>,
        limits: &Arc<Limits>,
        identities: &Arc<Identities>,
        info: &Arc<GetServerInfoResponse>,
        kernels: &Arc<KernelsInUse>,
        traces: Option<Traces>,
    ) -> Rc<Self> {
        let backlog = Backlog::new();
        let lanes = Lanes::new(settings, kernels, Arc::clone(&counters), &backlog);
        Rc::new(Self {
            settings: Arc::clone(settings),
            counters,
            limits: Arc::clone(limits),
            identities: Arc::clone(identities),
            info: Arc::clone(info),
            kernels: Arc::clone(kernels),
            lanes: RefCell::new(lanes),
            backlog,
            read_buffers: Rc::default(),
            copies: CopyBuffers::default(),
            refusal_log: RefusalLog::new(Instant::now()),
            traces,
        })
    }
}
