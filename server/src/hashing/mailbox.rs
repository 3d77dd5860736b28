//! Holds digests until the call that asked for them collects them.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Waker};

use hashlane_engine::wait::LastSeen;
use hashlane_engine::{Algorithm, Digest, PartId};

/// Capacity that an empty mailbox keeps.
const COMPUTED_KEPT_MAX: usize = 64;

/// Whose parts a call opens.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The client's number. Its parts share its time in the engine.
    client: u64,
    /// When a part of the connection last became ready.
    connection: Rc<Cell<LastSeen>>,
}

impl Source {
    /// A connection of `client` that has opened no part.
    pub(crate) fn new(client: u64) -> Self {
        Self {
            client,
            connection: Rc::new(Cell::new(LastSeen::new(1))),
        }
    }

    /// The same connection, for a call of `client`.
    pub(crate) fn of_client(&self, client: u64) -> Self {
        Self {
            client,
            connection: Rc::clone(&self.connection),
        }
    }

    pub(super) fn client(&self) -> u64 {
        self.client
    }

    pub(super) fn connection(&self) -> &Cell<LastSeen> {
        &self.connection
    }
}

/// A digest for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Computed {
    /// The part's number, or the blob's place in its batch.
    pub(crate) tag: u64,
    /// No digest if a faulty kernel may have computed the part. Then it is the part that failed,
    /// because its tag may belong to another part by now.
    pub(crate) result: Result<(Algorithm, Digest), PartId>,
}

/// A call's uncollected digests, and its waker.
#[derive(Debug)]
pub(crate) struct Mailbox {
    source: Source,
    computed: RefCell<VecDeque<Computed>>,
    waker: RefCell<Option<Waker>>,
}

impl Mailbox {
    /// The mailbox of a call that opens parts of `source`.
    pub(crate) fn new(source: Source) -> Rc<Self> {
        Rc::new(Self {
            source,
            computed: RefCell::default(),
            waker: RefCell::default(),
        })
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Stores the waker of the call.
    pub(crate) fn register(&self, cx: &Context<'_>) {
        let mut waker = self.waker.borrow_mut();
        match waker.as_mut() {
            Some(waker) => waker.clone_from(cx.waker()),
            None => *waker = Some(cx.waker().clone()),
        }
    }

    pub(crate) fn wake(&self) {
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }

    /// Adds a digest. After a part's last digest the call must be woken.
    pub(super) fn give(&self, tag: u64, algorithm: Algorithm, digest: Digest) {
        self.computed.borrow_mut().push_back(Computed {
            tag,
            result: Ok((algorithm, digest)),
        });
    }

    /// Reports that a part has no digest.
    pub(super) fn fail(&self, tag: u64, part: PartId) {
        let result = Err(part);
        let mut computed = self.computed.borrow_mut();
        computed.push_back(Computed { tag, result });
        drop(computed);
        self.wake();
    }

    pub(crate) fn take(&self) -> Option<Computed> {
        let mut computed = self.computed.borrow_mut();
        let next = computed.pop_front();
        if computed.is_empty() && computed.capacity() > COMPUTED_KEPT_MAX {
            *computed = VecDeque::new();
        }
        next
    }
}
