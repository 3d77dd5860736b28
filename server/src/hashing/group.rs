//! A connection's group in its worker's engine. Groups make connections share the lanes evenly,
//! however many streams each has.
//!
//! ```text
//! first part of the connection ──> Group ──dropped with the connection──> left
//! next part of any connection  ──> groups in `left` are closed
//! ```
//!
//! A group is not closed at once: the drop of a connection's last part may drop the group, while
//! the engine is borrowed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hashlane_engine::GroupId;

use hashlane_engine::wait::LastSeen;

/// Groups of closed connections, which must be closed too.
pub(super) type Left = Rc<RefCell<Vec<(GroupId, LastSeen)>>>;

/// A group that ends when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    id: GroupId,
    /// When one of its parts last became ready.
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
