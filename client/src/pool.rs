//! The connections of a client.
//!
//! A server's worker owns its connections, so one connection is served by one
//! core. A client that has more than one part at a time therefore keeps a few
//! connections, and a call goes to the one with the fewest calls open.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rpc::Service;

/// The connections.
#[derive(Debug)]
pub(crate) struct Pool {
    slots: Vec<Arc<Slot>>,
}

#[derive(Debug)]
struct Slot {
    service: Service,
    /// Calls open on it.
    open: AtomicUsize,
}

/// A call's hold on a connection.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Slot>);

impl Pool {
    pub(crate) fn new(services: impl Iterator<Item = Service>) -> Self {
        let slot = |service| {
            Arc::new(Slot {
                service,
                open: AtomicUsize::new(0),
            })
        };
        Self {
            slots: services.map(slot).collect(),
        }
    }

    /// The connection with the fewest open calls, the first of equals: so a
    /// client with one call at a time stays on one connection.
    pub(crate) fn lease(&self) -> Lease {
        let least = self
            .slots
            .iter()
            .min_by_key(|slot| slot.open.load(Ordering::Relaxed));
        let slot = least.expect("a pool has at least one connection");
        slot.open.fetch_add(1, Ordering::Relaxed);
        Lease(Arc::clone(slot))
    }
}

impl Lease {
    pub(crate) fn service(&self) -> Service {
        self.0.service.clone()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
