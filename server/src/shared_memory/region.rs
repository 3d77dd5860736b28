//! The memory of one connection, and the regions of a client.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use rustix::rand::GetRandomFlags;
use tokio::sync::mpsc;
use vm_memory::{FileOffset, MmapRegion, VolatileMemory as _};

use super::handshake::RegionId;
use crate::limiter::Permit;

/// Memory that a client and the server map. The client writes it, the server reads it.
#[derive(Debug)]
pub(crate) struct Region {
    map: MmapRegion,
    file: Arc<File>,
    /// Of the bytes, and of the region itself.
    _permits: [Permit; 2],
}

impl Region {
    /// Zeros of `bytes` bytes, whole pages. It keeps `permits`.
    ///
    /// # Errors
    /// The system has no memory, or the process has no descriptor.
    pub(crate) fn new(bytes: usize, permits: [Permit; 2]) -> io::Result<Self> {
        let flags = MemfdFlags::ALLOW_SEALING | MemfdFlags::CLOEXEC;
        let file = rustix::fs::memfd_create("hashlane", flags)?;
        rustix::fs::ftruncate(&file, bytes as u64)?;
        // A read beyond the end of the file would end the process.
        let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&file, seals)?;
        let file = Arc::new(File::from(file));
        let all = FileOffset::from_arc(Arc::clone(&file), 0);
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let map = MmapRegion::build(Some(all), bytes, libc::PROT_READ, flags);
        Ok(Self {
            map: map.map_err(io::Error::other)?,
            file,
            _permits: permits,
        })
    }

    /// The descriptor that the client maps.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.map.size()
    }

    /// Copies what the memory has now, from `offset` on. Returns whether it has that many bytes.
    pub(crate) fn copy(&self, offset: usize, to: &mut [u8]) -> bool {
        match self.map.get_slice(offset, to.len()) {
            Ok(slice) => slice.copy_to(to) == to.len(),
            Err(_) => false,
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // A client may keep its mapping. A page that the server was the first to read belongs to
        // the server's cgroup, so its memory would stay in use after its permit is back.
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let freed = rustix::fs::fallocate(&self.file, flags, 0, self.bytes() as u64);
        if let Err(error) = freed {
            tracing::debug!(%error, "could not free shared memory");
        }
    }
}

/// The use of a region by a call.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    // Dropped before `_used`, so that the keeper's region is the last.
    pub(crate) region: Arc<Region>,
    _used: mpsc::Sender<()>,
}

/// A region for its connection. It is in use until [`Kept::end`].
#[derive(Debug)]
pub(crate) struct Kept {
    region: Arc<Region>,
    pub(super) id: RegionId,
    used: mpsc::Receiver<()>,
}

impl Kept {
    pub(super) fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the region once no call uses it. New calls get no lease.
    pub(super) async fn end(mut self, regions: &Regions) -> Arc<Region> {
        regions.leases().remove(&self.id);
        while self.used.recv().await.is_some() {}
        self.region
    }
}

/// The regions of one client, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Regions(Mutex<HashMap<RegionId, Lease>>);

impl Regions {
    /// Adds a region, with an id that nobody can guess.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(super) fn add(&self, region: Region) -> io::Result<Kept> {
        let mut id = [0; 16];
        // The system gives up to 256 bytes at once.
        rustix::rand::getrandom(&mut id, GetRandomFlags::empty())?;
        Ok(self.add_as(RegionId::of(id), region))
    }

    pub(crate) fn add_as(&self, id: RegionId, region: Region) -> Kept {
        let (sender, used) = mpsc::channel(1);
        let region = Arc::new(region);
        let lease = Lease {
            region: Arc::clone(&region),
            _used: sender,
        };
        self.leases().insert(id, lease);
        Kept { region, id, used }
    }

    /// The region `id`, if this client has it.
    pub(crate) fn lend(&self, id: RegionId) -> Option<Lease> {
        self.leases().get(&id).cloned()
    }

    fn leases(&self) -> MutexGuard<'_, HashMap<RegionId, Lease>> {
        // No code panics under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;
    use crate::limiter::Budget;

    const BYTES: usize = 16 << 10;

    fn region(budget: &Arc<Budget>) -> Region {
        Region::new(BYTES, [(); 2].map(|()| budget.take(1).unwrap())).unwrap()
    }

    #[test]
    fn a_copy_is_within_the_memory() {
        let region = region(&Budget::new(2));
        region.file.write_all_at(&[7; 10], 100).unwrap();
        let mut copy = [1; 12];
        assert!(region.copy(99, &mut copy));
        assert_eq!(copy, [0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0]);
        assert!(region.copy(BYTES - 12, &mut copy));
        assert!(region.copy(BYTES, &mut []));
        for outside in [BYTES - 11, BYTES, BYTES + 1, usize::MAX - 5, usize::MAX] {
            assert!(!region.copy(outside, &mut copy), "{outside}");
        }
    }

    #[test]
    fn nobody_changes_its_size() {
        let region = region(&Budget::new(2));
        for bytes in [0, BYTES as u64 + 1] {
            assert!(region.file.set_len(bytes).is_err());
        }
        assert!(rustix::fs::fcntl_add_seals(&region.file, SealFlags::WRITE).is_err());
    }

    #[test]
    fn its_end_frees_the_memory_although_a_client_has_it() {
        let budget = Budget::new(2);
        let region = region(&budget);
        let clients = region.file.try_clone().unwrap();
        clients.write_all_at(&[7; BYTES], 0).unwrap();
        let pages = |file: &File| rustix::fs::fstat(file).unwrap().st_blocks;
        assert!(pages(&clients) > 0);
        drop(region);
        assert_eq!((pages(&clients), budget.used()), (0, 0));
    }

    #[tokio::test]
    async fn a_region_ends_when_no_call_uses_it() {
        let (regions, budget) = (Regions::default(), Budget::new(2));
        let kept = regions.add(region(&budget)).unwrap();
        let lease = regions.lend(kept.id).unwrap();
        assert!(regions.lend(RegionId::of([0; 16])).is_none());
        let id = kept.id;
        let mut ended = Box::pin(kept.end(&regions));
        assert!(futures_util::poll!(&mut ended).is_pending());
        assert!(regions.lend(id).is_none());
        drop(lease);
        drop(ended.await);
        assert_eq!(budget.used(), 0);
    }
}
