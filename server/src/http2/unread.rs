//! Answers that clients do not read.
//!
//! Calls hand their answers to HTTP/2 only as far as the client's windows and the socket take them
//! (stream.rs). Two bounds apply to what is left:
//!
//! - time: if the socket takes nothing for `part_idle_timeout`, the connection is closed
//!   (connection.rs), and if a window stays closed as long, the call ends (call/life.rs);
//! - bytes: `unread_bytes_max` bounds the answers of all clients, in calls and in HTTP/2
//!   (limits/unread.rs).

use std::rc::Rc;

use super::link::Link;

/// Waiting answers of one call or of HTTP/2, counted for their client until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting {
    link: Rc<Link>,
    bytes: usize,
}

impl Waiting {
    /// Starts with no bytes.
    pub(super) fn new(link: &Rc<Link>) -> Self {
        Self {
            link: Rc::clone(link),
            bytes: 0,
        }
    }

    /// Sets the number of waiting bytes.
    pub(crate) fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.bytes, bytes);
        if bytes > before {
            self.link.holding.charge(bytes - before);
        } else if bytes < before {
            self.link.holding.credit(before - bytes);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::tests::link;
    use super::*;
    use crate::limits::Backlog;

    #[tokio::test]
    async fn answers_wait_until_they_are_dropped() {
        let link = link(&Backlog::new());
        let held = || link.holding.bytes();
        let [mut one, mut two] = [(); 2].map(|()| Waiting::new(&link));
        one.set(900);
        two.set(70);
        two.set(50);
        assert_eq!(held(), 950);
        drop(one);
        assert_eq!(held(), 50);
        drop(two);
        assert_eq!(held(), 0);
    }
}
