//! A connection's calls: what they share.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use hashlane_engine::wait::LastSeen;
use http::HeaderMap;
use tonic::Status;

use crate::client::Client;
use crate::drain::Phase;
use crate::limiter::Permit;
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::request_id::RequestId;
use crate::status::Reason;
use crate::words::Words as _;
use crate::worker_state::WorkerState;

/// What the calls of one connection share.
pub(crate) struct Peer {
    pub(super) state: Rc<WorkerState>,
    /// The connection's client.
    pub(crate) client: Arc<Client>,
    /// The client of the last call that had another one.
    last: RefCell<Option<Arc<Client>>>,
    /// The connection's other end, if it has an address.
    pub(super) from: Option<SocketAddr>,
    /// When a part of the connection last became ready.
    pub(super) last_seen: Rc<Cell<LastSeen>>,
    /// Number of the client that is charged for the connection's turns. Before the first call of the
    /// hash service it is the connection's client. While all calls are of one client, it is that
    /// client. After a call of a second client it is the connection's client for good: a proxy sends
    /// calls of many clients on one connection, and no client is charged for those of another.
    owner: Rc<Cell<u64>>,
    has_called: Cell<bool>,
    /// The connection's phase: it may end before the server does.
    pub(super) phase: Cell<Phase>,
}

impl Peer {
    /// The calls of a connection of `client`, which `owner` names too.
    pub(crate) fn new(
        state: &Rc<WorkerState>,
        client: Arc<Client>,
        from: Option<SocketAddr>,
        owner: Rc<Cell<u64>>,
    ) -> Rc<Self> {
        Rc::new(Self {
            state: Rc::clone(state),
            last_seen: Rc::new(Cell::new(LastSeen::new(1))),
            client,
            last: RefCell::default(),
            from,
            owner,
            has_called: Cell::new(false),
            phase: Cell::new(Phase::Serving),
        })
    }

    pub(crate) fn state(&self) -> &Rc<WorkerState> {
        &self.state
    }

    /// The connection is in this phase of its end from now on.
    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.set(phase);
    }

    /// Whose call it is.
    pub(super) fn client_of(
        &self,
        method: Method,
        headers: &HeaderMap,
    ) -> Result<Arc<Client>, Status> {
        if method.service() != HASH_SERVICE {
            return Ok(Arc::clone(&self.client));
        }
        let client = self.client_named(headers)?;
        self.charge(client.number);
        Ok(client)
    }

    /// A call of the client with this number begins.
    fn charge(&self, client: u64) {
        if !self.has_called.replace(true) {
            self.owner.set(client);
        } else if self.owner.get() != client {
            self.owner.set(self.client.number);
        }
    }

    /// The client that these headers name, else the connection's.
    fn client_named(&self, headers: &HeaderMap) -> Result<Arc<Client>, Status> {
        let ip = self.from.map(|from| from.ip());
        let id = self
            .state
            .process
            .identities
            .of_call(&self.client.id, ip, headers)?;
        let Some(id) = id else {
            return Ok(Arc::clone(&self.client));
        };
        let mut last = self.last.borrow_mut();
        match &*last {
            Some(client) if client.id == id => Ok(Arc::clone(client)),
            _ => {
                let client = self.state.process.limits.client(&id, Instant::now());
                *last = Some(Arc::clone(&client));
                Ok(client)
            }
        }
    }

    /// Counts and logs that a call, of a method if that is known, was refused.
    pub(crate) fn refused(
        &self,
        id: &RequestId,
        client: &Client,
        method: Option<Method>,
        refusal: &Status,
    ) {
        let reason = Reason::of(refusal);
        self.state.counters.refusals[reason as usize].add(1);
        let admitted = self.state.refusal_log.admit(reason, Instant::now());
        if let Some(left_out) = admitted {
            tracing::info!(
                request_id = id.as_str(),
                peer = self.from.map(tracing::field::display),
                client = %client.id.logged(),
                method = method.map(Method::name),
                code = ?refusal.code(),
                reason = reason.word(),
                left_out,
                "refused"
            );
        }
    }

    /// Room for a call. Probes have some of their own.
    pub(super) fn permit(&self, client: &Client, method: Method) -> Option<Permit> {
        let permit = client.streams.take(1);
        let probe = || self.state.process.limits.probes.take(1);
        permit.or_else(|| probe().filter(|_| method == Method::HealthCheck))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.state.lanes.borrow_mut().forget(self.last_seen.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::ClientId;
    use crate::config::Settings;
    use crate::metrics::counters::WorkerCounters;
    use crate::process::Process;

    #[test]
    fn calls_of_one_client_pay_for_the_connection_and_of_several_its_own_client() {
        let process = Process::of_test(Settings::default());
        let state = WorkerState::new(&process, Arc::new(WorkerCounters::new()));
        let client = process.limits.client(&ClientId::Uid(1), Instant::now());
        let own = client.number;
        let owner = Rc::new(Cell::new(own));
        let peer = Peer::new(&state, client, None, Rc::clone(&owner));
        for _ in 0..2 {
            peer.charge(own + 3);
            assert_eq!(owner.get(), own + 3);
        }
        for other in [4, 3, 4, 0, 3] {
            peer.charge(own + other);
            assert_eq!(owner.get(), own, "after a call of {other}");
        }
    }
}
