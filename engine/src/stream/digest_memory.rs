//! The memory of a digest in progress.

use super::{job::Job, parts::Several};
use crate::{
    algorithm::{Algorithm, Method},
    kernel::{Md5, Sha1, Sha256, Sha512},
};

impl Algorithm {
    /// Bytes of memory for the state of one digest in progress, without waiting chunks and without
    /// the additional memory of a part with several digests.
    #[must_use]
    pub const fn state_bytes(self) -> usize {
        match self.method() {
            Method::Sha256(_) => size_of::<Job<Sha256, ()>>(),
            Method::Sha512(_) => size_of::<Job<Sha512, ()>>(),
            Method::Sha1(_) => size_of::<Job<Sha1, ()>>(),
            Method::Md5(_) => size_of::<Job<Md5, ()>>(),
            Method::Sink(kind) => size_of::<Several>() + kind.state_bytes(),
        }
    }
}
