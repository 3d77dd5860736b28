//! What the server knows about the engine's parts: the owner of each, how long its chunks have
//! waited, and how many jobs all of them may make ready.
//!
//! Why a part in the protocol is one part of the engine, with all its digests: work and memory grow
//! with the digests, so `parts_max` counts the KiB of each digest's state, from 1 (MD5) to 8 (a tree
//! mode of SHA-512).

use std::rc::Rc;
use std::time::Instant;

use hashlane_engine::{Algorithm, Family, PartId};

use super::Mailbox;
use hashlane_engine::wait::{LastSeen, PERIOD, Recent};

/// What the server knows about a part of the engine.
pub(super) struct OpenPart {
    id: PartId,
    pub(super) owner: Rc<Mailbox>,
    /// The owner's name for the part.
    pub(super) tag: u64,
    pub(super) algorithms: Rc<[Algorithm]>,
    waiting_bytes: usize,
    /// When a chunk arrived with no other waiting. Reset when some bytes are consumed.
    pub(super) since: Option<Instant>,
    last_seen: LastSeen,
    /// Some bytes may be hashed. Several digests advance independently, so such a part is touched
    /// from its first push on.
    is_touched: bool,
}

impl OpenPart {
    /// The engine no longer needs `bytes` bytes.
    pub(super) fn consumed(&mut self, bytes: usize) {
        self.is_touched = true;
        self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
    }

    /// Whether at least one digest hashes bytes when they are pushed.
    fn hashes_on_push(&self) -> bool {
        self.algorithms.iter().any(|a| a.family().is_none())
    }
}

/// Entries of a page of the table.
const PAGE: usize = 256;

fn place(pages: &mut [Box<[Option<OpenPart>]>], id: PartId) -> Option<&mut Option<OpenPart>> {
    let page = pages.get_mut(id.index() / PAGE)?;
    page.get_mut(id.index() % PAGE)
}

/// All open parts.
pub(super) struct OpenParts {
    /// By [`PartId::index`], in pages, so that growth moves no entries: moving ten thousand takes a
    /// millisecond.
    pages: Vec<Box<[Option<OpenPart>]>>,
    pub(super) recent: Recent,
    /// Digests of all parts. A finished digest counts until its part ends.
    digests: usize,
}

impl OpenParts {
    pub(super) fn new() -> Self {
        Self {
            pages: Vec::new(),
            recent: Recent::new(PERIOD, Instant::now()),
            digests: 0,
        }
    }

    /// Adds a part without bytes.
    pub(super) fn open(
        &mut self,
        id: PartId,
        owner: &Rc<Mailbox>,
        tag: u64,
        algorithms: &Rc<[Algorithm]>,
    ) {
        self.digests += algorithms.len();
        let jobs = algorithms.iter().filter_map(|a| a.family()).count();
        let index = id.index();
        while index / PAGE >= self.pages.len() {
            self.pages.push((0..PAGE).map(|_| None).collect());
        }
        self.pages[index / PAGE][index % PAGE] = Some(OpenPart {
            id,
            owner: Rc::clone(owner),
            tag,
            algorithms: Rc::clone(algorithms),
            waiting_bytes: 0,
            since: None,
            last_seen: LastSeen::new(jobs),
            is_touched: false,
        });
    }

    /// A part that is still open.
    pub(super) fn get(&mut self, id: PartId) -> Option<&mut OpenPart> {
        let part = place(&mut self.pages, id)?.as_mut();
        // The id may be stale, and its place in use by another part.
        part.filter(|part| part.id == id)
    }

    /// Adds a chunk. Returns whether some of the part's digests hash it at once, or `None` if the
    /// part is gone.
    pub(super) fn push(&mut self, id: PartId, chunk_bytes: usize) -> Option<bool> {
        let part = place(&mut self.pages, id)?.as_mut();
        let part = part.filter(|part| part.id == id)?;
        if part.waiting_bytes == 0 {
            let now = Instant::now();
            part.since = Some(now);
            let connection = &part.owner.connection;
            self.recent
                .arrived(&mut part.last_seen, Some(connection), now);
        }
        part.waiting_bytes += chunk_bytes;
        part.is_touched |= part.algorithms.len() > 1;
        Some(part.hashes_on_push())
    }

    /// Removes a part. Returns `None` if it is gone.
    pub(super) fn close(&mut self, id: PartId) -> Option<OpenPart> {
        let part = place(&mut self.pages, id)?.take_if(|s| s.id == id)?;
        self.recent.forget_part(part.last_seen);
        self.digests -= part.algorithms.len();
        Some(part)
    }

    /// The open parts that use kernels of a family; if `touched`, only those of which some bytes
    /// were hashed.
    pub(super) fn of_kernels(&self, family: Family, touched: bool) -> Vec<PartId> {
        let parts = self.pages.iter().flatten().flatten();
        let parts = parts.filter(|part| part.is_touched || !touched);
        let of_family = parts.filter(|part| {
            let mut algorithms = part.algorithms.iter();
            algorithms.any(|algorithm| algorithm.kernels_of() == Some(family))
        });
        of_family.map(|part| part.id).collect()
    }

    /// Digests of all open parts.
    pub(super) fn digests(&self) -> usize {
        self.digests
    }
}
