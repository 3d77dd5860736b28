//! The sockets of one worker, for others to shut if it hangs: nobody can end a thread.

use std::sync::{Arc, Mutex, PoisonError};

use slab::Slab;

use crate::socket::Accepted;

/// A second descriptor of each socket that a worker was given, as long as it has it. `None`
/// when they are shut: then the worker gets no more.
#[derive(Debug)]
pub(crate) struct OpenSockets(Mutex<Option<Slab<Accepted>>>);

/// A socket that is known here, until this is dropped.
#[derive(Debug)]
pub(crate) struct Entry {
    of: Arc<OpenSockets>,
    /// None if there was no descriptor to be had: the socket is served all the same.
    key: Option<usize>,
}

/// The worker's sockets are shut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shut;

impl OpenSockets {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(Slab::new()))))
    }

    fn with<T>(&self, on: impl FnOnce(&mut Option<Slab<Accepted>>) -> T) -> T {
        // Nothing panics while it is locked.
        on(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes a socket that the worker is about to get.
    ///
    /// # Errors
    /// They are shut.
    pub(crate) fn enter(self: &Arc<Self>, socket: &Accepted) -> Result<Entry, Shut> {
        let key = self.with(|sockets| {
            let sockets = sockets.as_mut().ok_or(Shut)?;
            Ok(socket.try_clone().ok().map(|second| sockets.insert(second)))
        })?;
        Ok(Entry {
            of: Arc::clone(self),
            key,
        })
    }

    /// Shuts all sockets: their clients see the end. Returns how many there were.
    pub(crate) fn shut(&self) -> usize {
        let sockets = self.with(Option::take).unwrap_or_default();
        for (_, socket) in &sockets {
            socket.shut();
        }
        sockets.len()
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let second = self.of.with(|sockets| {
            let (sockets, key) = (sockets.as_mut()?, self.key?);
            sockets.try_remove(key)
        });
        drop(second);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn what_is_open_is_shut_and_nothing_more_is_taken() {
        let sockets = OpenSockets::new();
        let [(mut left, kept), (mut other, gone)] = [(), ()].map(|()| UnixStream::pair().unwrap());
        for client in [&left, &other] {
            // One that is not shut would be waited for.
            client.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        let [kept, gone] = [kept, gone].map(Accepted::Unix);
        let entry = sockets.enter(&kept).unwrap();
        drop(sockets.enter(&gone).unwrap());
        // The last descriptor of what has left is gone with it.
        drop(gone);
        assert_eq!(other.read(&mut [0]).unwrap(), 0);

        assert_eq!(sockets.shut(), 1);
        assert_eq!(left.read(&mut [0]).unwrap(), 0, "although it is still held");
        assert_eq!(sockets.enter(&kept).unwrap_err(), Shut);
        drop(entry);
        drop(kept);
    }
}
