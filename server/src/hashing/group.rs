//! A connection's group in its worker's engine, so that connections share the
//! lanes evenly, however many streams each has.
//!
//! ```text
//! first part of the connection ──> Group ──dropped with it──> left
//! next part of any connection  ──> those in `left` are closed
//! ```
//!
//! Not at once: a connection's last part may be what drops it, and the engine is
//! borrowed then.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hashlane_engine::GroupId;

use super::wait::LastSeen;

/// Groups whose connection is gone, to be closed.
pub(super) type Left = Rc<RefCell<Vec<(GroupId, LastSeen)>>>;

/// A group that ends when it is dropped.
#[derive(Debug)]
pub(super) struct Group {
    id: GroupId,
    /// When a part of it last became ready.
    pub(super) last_seen: Cell<LastSeen>,
    left: Left,
}

impl Group {
    pub(super) fn new(id: GroupId, left: &Left) -> Self {
        Self {
            id,
            last_seen: Cell::new(LastSeen::new(1)),
            left: Rc::clone(left),
        }
    }

    pub(super) fn id(&self) -> GroupId {
        self.id
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.left.borrow_mut().push((self.id, self.last_seen.get()));
    }
}
