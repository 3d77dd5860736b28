//! What a job of the engine is to the server: whose it is, and what its owner
//! was charged for the chunks that wait.

use std::rc::Rc;
use std::time::Instant;

use hashlane_engine::JobId;

use super::linger::LastSeen;
use super::waiting::{StreamShare, Tag};

/// What a chunk takes beside its bytes: the engine's entry for it, and the
/// prefix and fields of its message in the same frame. Charged too, or a flood
/// of one-byte chunks would take some fifty times the memory it is bounded to.
const CHUNK_OVERHEAD_BYTES: usize = 64;

/// What the engine's job is to the server.
pub(super) struct Slot {
    pub(super) id: JobId,
    pub(super) owner: Rc<StreamShare>,
    pub(super) tag: Tag,
    pub(super) waiting_bytes: usize,
    /// What `owner` was charged for them.
    pub(super) charged_bytes: usize,
    /// When a chunk came to the job that had none, until some of it is consumed.
    pub(super) since: Option<Instant>,
    pub(super) last_seen: LastSeen,
}

impl Slot {
    /// A job that has nothing yet.
    pub(super) fn new(id: JobId, owner: &Rc<StreamShare>, tag: Tag) -> Self {
        Self {
            id,
            owner: Rc::clone(owner),
            tag,
            waiting_bytes: 0,
            charged_bytes: 0,
            since: None,
            last_seen: LastSeen::default(),
        }
    }

    pub(super) fn charge(&mut self, chunk_bytes: usize) {
        let charged_bytes = chunk_bytes.saturating_add(CHUNK_OVERHEAD_BYTES);
        self.waiting_bytes += chunk_bytes;
        self.charged_bytes += charged_bytes;
        self.owner.charge(charged_bytes);
    }

    /// Credits the share of the charge that `bytes` have of those that wait;
    /// with the last of them, the rest.
    pub(super) fn credit(&mut self, bytes: usize) {
        let share = if bytes >= self.waiting_bytes {
            self.charged_bytes
        } else {
            // At least `bytes`, since no chunk is charged less than it holds.
            let product = self.charged_bytes.checked_mul(bytes);
            product.map_or(bytes, |product| product / self.waiting_bytes)
        };
        self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
        self.charged_bytes -= share;
        self.owner.credit(share);
    }
}
