//! Exit codes.

/// Everything was digested, and matched.
pub(crate) const EXIT_OK: u8 = 0;
/// A mismatch, or something that could not be read or written.
pub(crate) const EXIT_FAULT: u8 = 1;
/// A wrong command line, or no server.
pub(crate) const EXIT_TROUBLE: u8 = 2;
