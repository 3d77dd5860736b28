//! Each client has a group in a worker's engine. The engine divides its time among groups, so
//! clients get equal time, however many connections, parts and digests each has.
//!
//! ```text
//! first part of a client ──> its group opens
//! its last part ends     ──> the group is empty
//! next part of a client    ─> its group is kept; other empty groups close
//! ```
//!
//! Why an empty group stays open until then: a client that sends one part after the other keeps its
//! group, and with it the time that it owes.
//!
//! Why clients and not connections: the worker's schedule gives clients equal time for their turns.
//! If the engine gave connections equal time, the bytes of a client with one connection would wait
//! behind the bytes of a client with a hundred connections, and the first client's flow-control
//! window would stay full.

use std::collections::HashMap;

use hashlane_engine::GroupId;

/// The groups of clients that have parts, by the client's number.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: HashMap<u64, Group>,
    /// Clients whose last part has ended.
    emptied: Vec<u64>,
}

#[derive(Debug)]
struct Group {
    id: GroupId,
    parts: usize,
}

impl Groups {
    /// A part of `client` opens in the returned group, which `open` makes if there is none.
    pub(super) fn enter(&mut self, client: u64, open: impl FnOnce() -> GroupId) -> GroupId {
        let group = self.groups.entry(client);
        let group = group.or_insert_with(|| Group {
            id: open(),
            parts: 0,
        });
        group.parts += 1;
        group.id
    }

    /// A part of `client` has ended.
    pub(super) fn leave(&mut self, client: u64) {
        if let Some(group) = self.groups.get_mut(&client) {
            group.parts -= 1;
            if group.parts == 0 {
                self.emptied.push(client);
            }
        }
    }

    /// Removes the groups that have no parts, so that the caller closes them.
    pub(super) fn remove_empty(&mut self) -> impl Iterator<Item = GroupId> {
        let groups = &mut self.groups;
        self.emptied.drain(..).filter_map(|client| {
            groups.get(&client).filter(|group| group.parts == 0)?;
            groups.remove(&client).map(|group| group.id)
        })
    }
}

#[cfg(test)]
mod tests {
    use hashlane_engine::{Crossover, Engine, Family, Kernel};

    use super::*;

    #[test]
    fn a_group_ends_with_the_next_part_of_another_client() {
        let crossover = Crossover::only(Kernel::portable(Family::Sha256)).unwrap();
        let mut engine = Engine::<&[u8]>::new(crossover);
        let mut groups = Groups::default();
        let mut enter = |groups: &mut Groups, client| groups.enter(client, || engine.group());
        let first = enter(&mut groups, 1);
        assert_eq!(enter(&mut groups, 1), first);
        let second = enter(&mut groups, 2);
        assert_ne!(first, second);
        groups.leave(1);
        assert_eq!(groups.remove_empty().count(), 0, "a part is left");
        groups.leave(1);
        assert_eq!(enter(&mut groups, 1), first, "it is still there");
        assert_eq!(groups.remove_empty().count(), 0);
        groups.leave(1);
        groups.leave(2);
        assert_eq!(enter(&mut groups, 2), second);
        assert_eq!(groups.remove_empty().collect::<Vec<_>>(), [first]);
        assert_ne!(enter(&mut groups, 1), first);
    }
}
