//! HTTP/2 receive windows: bytes that clients may send before anybody asked.
//!
//! What arrives within a window lies in HTTP/2's buffers until its stream is
//! read. So the windows of all connections together are bounded by
//! `receive_windows_bytes_max`. The first half of it is given in windows as large
//! as connections want, the second in the least that is of use, so that many more
//! fit; when that is gone too, connections are refused.
//!
//! The least could be smaller but for h2: it closes a connection that has
//! about half its window in unread DATA frames of a few bytes, each counted as
//! 256. With the 64 KiB of RFC 9113 an honest burst of small parts would do it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The smallest window given.
const WINDOW_BYTES_MIN: usize = 256 << 10;

/// The windows of the process. Asked once for each connection.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    left_bytes: Arc<AtomicUsize>,
    bytes_max: usize,
    wanted_bytes: usize,
}

impl Windows {
    pub(crate) fn new(bytes_max: usize, wanted_bytes: u32) -> Self {
        Self {
            left_bytes: Arc::new(AtomicUsize::new(bytes_max)),
            bytes_max,
            wanted_bytes: wanted_bytes as usize,
        }
    }

    /// A window for a connection, or `None` if there is none left.
    pub(crate) fn grant(&self) -> Option<Window> {
        let share = |left: usize| {
            if left >= self.bytes_max / 2 + self.wanted_bytes {
                self.wanted_bytes
            } else {
                self.wanted_bytes.min(WINDOW_BYTES_MIN)
            }
        };
        let left = self
            .left_bytes
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(share(left)))
            .ok()?;
        Some(Window {
            windows: self.clone(),
            bytes: share(left),
        })
    }
}

/// One connection's window; dropped, it is given back.
#[derive(Debug)]
pub(crate) struct Window {
    windows: Windows,
    bytes: usize,
}

impl Window {
    /// In the width of HTTP/2.
    pub(crate) fn bytes(&self) -> u32 {
        u32::try_from(self.bytes).unwrap_or(u32::MAX)
    }

    /// Whether the connection got all that connections want.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes == self.windows.wanted_bytes
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.windows.left_bytes.fetch_add(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_bounded_and_there_are_always_some_for_many() {
        let bytes_max = 1 << 30;
        let windows = Windows::new(bytes_max, 4 << 20);
        let granted: Vec<_> = std::iter::from_fn(|| windows.grant()).collect();
        let bytes: Vec<_> = granted.iter().map(|window| window.bytes).collect();
        assert!(bytes.iter().sum::<usize>() <= bytes_max);
        assert_eq!(
            granted.iter().filter(|window| window.is_full()).count(),
            128
        );
        assert!(bytes.windows(2).all(|pair| pair[0] >= pair[1]));
        assert_eq!(bytes.last(), Some(&WINDOW_BYTES_MIN));
        assert_eq!(bytes.len(), 128 + 2048);

        drop(granted);
        assert_eq!(windows.left_bytes.load(Relaxed), bytes_max);
        assert!(windows.grant().unwrap().is_full());
    }

    #[test]
    fn small_windows_are_given_while_they_fit() {
        let windows = Windows::new(3 * 65_535, 65_535);
        let granted = [(); 4].map(|()| windows.grant());
        assert_eq!(granted.iter().flatten().count(), 3);
        assert!(granted[0].as_ref().is_some_and(Window::is_full));
        drop(granted);
        assert!(windows.grant().is_some());
    }
}
