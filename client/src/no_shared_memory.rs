//! No memory is shared: only Linux has memory whose size nobody can change.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::sync::Arc;

use hashlane_proto::v1::MemoryRange;

pub(crate) const SLOT_BYTES: usize = 64 << 10;

pub(crate) const SLOT_USED_BYTES_MIN: usize = SLOT_BYTES;

#[derive(Debug)]
pub(crate) struct SharedMemory;

impl SharedMemory {
    pub(crate) fn of(_endpoint: &str, _bytes: usize, _connections: usize) -> Self {
        Self
    }

    pub(crate) fn is_possible(&self) -> bool {
        false
    }

    pub(crate) async fn get(&self) -> Option<Arc<Region>> {
        None
    }

    pub(crate) async fn forget(&self, _region: &Arc<Region>) {}
}

#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) id: String,
    none: Infallible,
}

impl Region {
    pub(crate) fn slot(self: &Arc<Self>) -> Option<Slot> {
        match self.none {}
    }

    pub(crate) async fn slot_to_send(self: &Arc<Self>, _bytes: &[u8]) -> Option<Slot> {
        match self.none {}
    }
}

#[derive(Debug)]
pub(crate) struct Slot(Infallible);

impl Slot {
    pub(crate) fn is_of(&self, _region: &Arc<Region>) -> bool {
        match self.0 {}
    }

    pub(crate) fn len(&self) -> usize {
        match self.0 {}
    }

    pub(crate) async fn may_be_sent(&mut self) {
        match self.0 {}
    }

    pub(crate) fn range(&self) -> MemoryRange {
        match self.0 {}
    }

    pub(crate) fn append(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    pub(crate) fn read(&mut self, _file: &File) -> io::Result<usize> {
        match self.0 {}
    }
}
