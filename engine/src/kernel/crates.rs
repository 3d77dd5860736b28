//! The plain crates' compression functions as single-lane kernels, so that a lone stream is never
//! slower than with the plain crate.
//!
//! Why: the engine times them with all other kernels at start-up, so it uses them where they are
//! the fastest for one lane.

use super::word::State;

/// Defines an entry around a crate's function.
macro_rules! entries {
    ($($name:ident ($word:ident, $words:literal, $block:literal, $function:path);)*) => {$(
        /// One lane.
        ///
        /// # Safety
        /// The contract of [`super::row::Entry::Whole`] with one lane.
        pub(super) unsafe fn $name(
            states: *mut State<$word>,
            inputs: *const *const u8,
            blocks: usize,
        ) {
            // SAFETY: one state, whose first words are the hash's, and one input that is
            // readable for as many blocks; neither overlaps the other (contract).
            let (state, blocks) = unsafe {
                let state = &mut *states.cast::<[$word; $words]>();
                (state, std::slice::from_raw_parts((*inputs).cast::<[u8; $block]>(), blocks))
            };
            $function(state, blocks);
        }
    )*};
}

entries! {
    hashlane_crate_sha256 (u32, 8, 64, sha2::block_api::compress256);
    hashlane_crate_sha512 (u64, 8, 128, sha2::block_api::compress512);
    hashlane_crate_sha1 (u32, 5, 64, sha1::block_api::compress);
    hashlane_crate_md5 (u32, 4, 64, md5::block_api::compress);
}
