//! State shared by the connections of one worker.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crate::hashing::Lanes;
use crate::limits::Backlog;
use crate::metrics::counters::WorkerCounters;
use crate::process::Process;
use crate::read_buffers::ReadBuffers;
use crate::shared_memory::CopyBuffers;
use crate::status::RefusalLog;

/// One worker's state. Other threads access only the process and the counters.
pub(crate) struct WorkerState {
    pub(crate) process: Arc<Process>,
    pub(crate) counters: Arc<WorkerCounters>,
    pub(crate) lanes: RefCell<Lanes>,
    pub(crate) backlog: Rc<Backlog>,
    pub(crate) read_buffers: Rc<ReadBuffers>,
    /// For copies from shared memory.
    pub(crate) copies: CopyBuffers,
    pub(crate) refusal_log: RefusalLog,
}

impl WorkerState {
    pub(crate) fn new(process: &Arc<Process>, counters: Arc<WorkerCounters>) -> Rc<Self> {
        let backlog = Backlog::new();
        let (settings, kernels) = (&process.settings, &process.kernels);
        let lanes = Lanes::new(settings, kernels, Arc::clone(&counters), &backlog);
        Rc::new(Self {
            process: Arc::clone(process),
            counters,
            lanes: RefCell::new(lanes),
            backlog,
            read_buffers: Rc::default(),
            copies: CopyBuffers::default(),
            refusal_log: RefusalLog::new(Instant::now()),
        })
    }
}
