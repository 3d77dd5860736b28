//! Holds digests until the call that asked for them collects them.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Waker};

use hashlane_engine::wait::LastSeen;
use hashlane_engine::{Algorithm, Digest, PartId};

/// Capacity that an empty mailbox keeps.
const COMPUTED_KEPT_MAX: usize = 64;

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
    /// Number of the call's client. Its parts share its time in the engine.
    pub(super) client: u64,
    /// When a part of the call's connection last became ready.
    pub(super) connection: Rc<Cell<LastSeen>>,
    computed: RefCell<VecDeque<Computed>>,
    waker: RefCell<Option<Waker>>,
}

impl Mailbox {
    /// The mailbox of a call of `client`, on the connection that `connection` is of.
    pub(crate) fn new(client: u64, connection: &Rc<Cell<LastSeen>>) -> Rc<Self> {
        Rc::new(Self {
            client,
            connection: Rc::clone(connection),
            computed: RefCell::default(),
            waker: RefCell::default(),
        })
    }

    /// Another mailbox of the same call.
    pub(crate) fn another(&self) -> Rc<Self> {
        Self::new(self.client, &self.connection)
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
