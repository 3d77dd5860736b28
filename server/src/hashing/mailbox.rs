//! Holds digests until the call that asked for them collects them.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Waker};

use hashlane_engine::{Algorithm, Digest, GroupId, PartId};

use super::group::Group;
use hashlane_engine::wait::LastSeen;

/// Capacity that an empty mailbox keeps.
const COMPUTED_KEPT_MAX: usize = 64;

/// A connection's share of its worker's engine, made for its first part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Share(Rc<OnceCell<Group>>);

/// A digest for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Computed {
    /// The part's number, or the blob's place in its batch.
    pub(crate) tag: u64,
    pub(crate) result: Result<(Algorithm, Digest), KernelFault>,
}

/// A faulty kernel may have computed the part, so there is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelFault {
    /// The part that failed. Its tag may belong to another part by now.
    pub(super) part: PartId,
}

/// A call's uncollected digests, and its waker.
#[derive(Debug)]
pub(crate) struct Mailbox {
    share: Share,
    computed: RefCell<VecDeque<Computed>>,
    waker: RefCell<Option<Waker>>,
}

impl Mailbox {
    /// The mailbox of a call, on the connection with this `share`.
    pub(crate) fn new(share: &Share) -> Rc<Self> {
        Rc::new(Self {
            share: share.clone(),
            computed: RefCell::default(),
            waker: RefCell::default(),
        })
    }

    /// The connection's share of the engine.
    pub(crate) fn share(&self) -> &Share {
        &self.share
    }

    /// The connection's group; `open` makes it for the first part.
    pub(super) fn group(&self, open: impl FnOnce() -> Group) -> GroupId {
        self.share.0.get_or_init(open).id()
    }

    /// When a part of its connection last became ready, if it has opened any.
    pub(super) fn connection_last_seen(&self) -> Option<&Cell<LastSeen>> {
        self.share.0.get().map(|group| &group.last_seen)
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
        let result = Err(KernelFault { part });
        self.computed
            .borrow_mut()
            .push_back(Computed { tag, result });
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
