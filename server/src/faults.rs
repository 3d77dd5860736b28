//! Faults of workers on demand, for tests; no part of the product (feature `faults`).

use std::pin::pin;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};

use hashlane_engine::{Kernel, faults};
use tokio::sync::broadcast;

/// Faults that wait for their worker.
const FAULTS_MAX: usize = 16;

/// How a worker fails.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It panics outside of any task.
    Panic,
    /// What steps its engine panics.
    PanicEngine,
    /// It waits, for another thread say, until the other end is dropped.
    Block(Arc<Mutex<Receiver<()>>>),
    /// It runs on and on in one turn, until the other end is dropped.
    Spin(Arc<Mutex<Receiver<()>>>),
    /// Its core computes a lane of a kernel wrongly.
    Kernel(Kernel, usize),
}

impl Fault {
    /// A worker blocks until what comes with the fault is dropped.
    #[must_use]
    pub fn block() -> (Self, Sender<()>) {
        let (hung, until) = channel();
        (Self::Block(Arc::new(Mutex::new(until))), hung)
    }

    /// A worker spins until what comes with the fault is dropped.
    #[must_use]
    pub fn spin() -> (Self, Sender<()>) {
        let (hung, until) = channel();
        (Self::Spin(Arc::new(Mutex::new(until))), hung)
    }
}

/// A worker as a whole, or what steps its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Worker,
    Engine,
}

/// Has the workers of one server fail.
#[derive(Clone, Debug)]
pub struct Faults(broadcast::Sender<(usize, Fault)>);

impl Default for Faults {
    fn default() -> Self {
        Self(broadcast::Sender::new(FAULTS_MAX))
    }
}

impl Faults {
    /// Has the worker in this seat fail.
    pub fn inject(&self, seat: usize, fault: Fault) {
        // Without a worker there is nobody to fail.
        let _ = self.0.send((seat, fault));
    }

    /// Does `work` until a fault comes.
    #[allow(clippy::panic, reason = "asked for")]
    pub(crate) async fn beside<T>(
        self,
        seat: usize,
        place: Place,
        work: impl Future<Output = T>,
    ) -> T {
        let mut faults = self.0.subscribe();
        let mut work = pin!(work);
        loop {
            let fault = tokio::select! {
                done = &mut work => return done,
                Ok((of, fault)) = faults.recv() => (of == seat).then_some(fault),
            };
            match (fault, place) {
                (Some(Fault::Panic), Place::Worker) => panic!("asked to"),
                (Some(Fault::PanicEngine), Place::Engine) => panic!("asked to"),
                (Some(Fault::Block(until)), Place::Worker) => {
                    let _ = until.lock().map(|until| until.recv());
                }
                (Some(Fault::Spin(until)), Place::Worker) => {
                    let goes_on = || {
                        until
                            .lock()
                            .is_ok_and(|until| until.try_recv().is_err_and(is_empty))
                    };
                    while goes_on() {
                        std::hint::spin_loop();
                    }
                }
                (Some(Fault::Kernel(kernel, lane)), Place::Worker) => faults::inject(kernel, lane),
                _ => {}
            }
        }
    }
}

fn is_empty(error: TryRecvError) -> bool {
    error == TryRecvError::Empty
}
