//! The client that pays for a connection's time in its worker.
//!
//! ```text
//! accepted             its address or uid
//! certificate          its name
//! first call           the call's client: by token, by the header of a trusted proxy, or as above
//! calls of two clients the connection's client again, for good
//! ```
//!
//! Only calls of the hash service count.
//!
//! Why not always the client of the last call: a proxy sends the calls of many clients on one
//! connection, and a client must not pay for the streams of another.

use std::cell::Cell;
use std::rc::Rc;

/// The client that is charged for a connection's turns. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Owner(Rc<State>);

#[derive(Debug)]
struct State {
    connection: Cell<u64>,
    /// The client of all calls so far, or the connection's if they had several.
    calls: Cell<Option<u64>>,
}

impl Owner {
    /// Of a connection of the client with this number.
    pub(crate) fn new(client: u64) -> Self {
        Self(Rc::new(State {
            connection: Cell::new(client),
            calls: Cell::new(None),
        }))
    }

    /// The connection is of `client`, as its certificate says.
    pub(crate) fn set(&self, client: u64) {
        self.0.connection.set(client);
    }

    /// The client with this number has begun a call.
    pub(crate) fn called(&self, client: u64) {
        let calls = &self.0.calls;
        if calls.get().is_some_and(|before| before != client) {
            calls.set(Some(self.0.connection.get()));
        } else {
            calls.set(Some(client));
        }
    }

    /// The number of the client to charge.
    pub(crate) fn number(&self) -> u64 {
        self.0.calls.get().unwrap_or(self.0.connection.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_one_client_are_its_own_and_of_several_the_connections() {
        let owner = Owner::new(1);
        assert_eq!(owner.number(), 1);
        owner.set(2);
        assert_eq!(owner.number(), 2);
        for _ in 0..2 {
            owner.called(3);
            assert_eq!(owner.number(), 3);
        }
        for client in [4, 3, 4, 2, 3] {
            owner.called(client);
            assert_eq!(owner.number(), 2, "after a call of {client}");
        }
    }
}
