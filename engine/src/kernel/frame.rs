//! The code around the rounds of every hash, which loads and stores chaining values and loads
//! blocks; and the macros for entries and kernel tables.

use super::{
    compression::Compression,
    vector::{Vector, Words},
    word::Word as _,
};

/// Where a call's blocks lie.
pub(super) trait Source: Copy {
    /// Reads block `block` of every lane.
    ///
    /// # Safety
    /// As [`Vector`]; the block is there.
    unsafe fn load<H: Compression, V: Vector<Word = H::Word>>(
        self,
        words: &mut impl Words<V>,
        block: usize,
    );
}

/// Each lane has its own input: one pointer per lane.
#[derive(Clone, Copy)]
pub(super) struct Inputs(pub(super) *const *const u8);

impl Source for Inputs {
    #[inline(always)]
    unsafe fn load<H: Compression, V: Vector<Word = H::Word>>(
        self,
        words: &mut impl Words<V>,
        block: usize,
    ) {
        let offset = block * 16 * H::Word::BYTES;
        // SAFETY: passed on.
        unsafe {
            if H::BIG_ENDIAN {
                words.load_block::<true>(self.0, offset);
            } else {
                words.load_block::<false>(self.0, offset);
            }
        }
    }
}

/// One input, with its words dealt in turn to at least as many lanes as these (tree modes). The
/// lanes' words are adjacent; the next word of each is `stride` bytes further.
#[derive(Clone, Copy)]
pub(super) struct Dealt {
    pub(super) from: *const u8,
    pub(super) stride: usize,
}

impl Source for Dealt {
    #[inline(always)]
    unsafe fn load<H: Compression, V: Vector<Word = H::Word>>(
        self,
        words: &mut impl Words<V>,
        block: usize,
    ) {
        // SAFETY: a block of every lane is sixteen words, each `stride` bytes after the other.
        unsafe {
            let from = self.from.add(block * 16 * self.stride);
            if H::BIG_ENDIAN {
                words.load_dealt::<true>(from, self.stride);
            } else {
                words.load_dealt::<false>(from, self.stride);
            }
        }
    }
}

/// Absorbs `blocks` blocks of every lane into `states`.
///
/// # Safety
/// The instruction set of `V` is there; `states` points at a row for each lane of `V`; `source`
/// has `blocks` blocks.
#[inline(always)]
pub(super) unsafe fn compress<H, V, W>(
    states: *mut [H::Word; 8],
    source: impl Source,
    blocks: usize,
) where
    H: Compression,
    V: Vector<Word = H::Word>,
    W: Words<V>,
{
    // SAFETY: passed on.
    unsafe {
        let zero = V::splat(H::Word::default());
        let mut state = V::load_states(states);
        let mut words = W::zero();
        let mut block = 0;
        while block < blocks {
            source.load::<H, V>(&mut words, block);
            let before = state;
            H::rounds::<V>(&mut state, &mut words);
            let mut i = 0;
            while i < 8 {
                // Words that the hash does not use cost nothing.
                state[i] = if i < H::STATE_WORDS {
                    state[i].add(before[i])
                } else {
                    zero
                };
                i += 1;
            }
            block += 1;
        }
        V::store_states(state, states);
    }
}

/// The entries of a vector kernel, compiled for its CPU features: the plain entry and the entry for
/// dealt words.
macro_rules! entries {
    (Nothing $($rest:tt)*) => { $crate::kernel::frame::entries!(@ [] $($rest)*); };
    (Sse41 $($rest:tt)*) => {
        $crate::kernel::frame::entries!(@ [#[target_feature(enable = "sse4.1,ssse3")]] $($rest)*);
    };
    (Avx2 $($rest:tt)*) => { $crate::kernel::frame::entries!(@ [#[target_feature(enable = "avx2")]] $($rest)*); };
    (Avx512 $($rest:tt)*) => {
        $crate::kernel::frame::entries!(@ [#[target_feature(enable = "avx512f,avx512bw,avx512vl")]] $($rest)*);
    };
    (@ [$($attribute:tt)*] $name:ident $dealt:ident ($hash:ty, $vector:ty, $words:ty)) => {
        $crate::kernel::frame::entries!(@ [$($attribute)*] $dealt ($hash, $vector, $words));

        /// Absorbs `blocks` blocks of each lane.
        ///
        /// # Safety
        /// The contract of [`super::row::Entry::Whole`].
        #[inline(never)]
        $($attribute)*
        unsafe fn $name(
            states: *mut $crate::kernel::State<<$hash as $crate::kernel::Compression>::Word>,
            inputs: *const *const u8,
            blocks: usize,
        ) {
            let inputs = $crate::kernel::frame::Inputs(inputs);
            // SAFETY: passed on.
            unsafe {
                $crate::kernel::frame::compress::<$hash, $vector, $words>(states, inputs, blocks);
            }
        }
    };
    (@ [$($attribute:tt)*] $dealt:ident ($hash:ty, $vector:ty, $words:ty)) => {
        /// Absorbs one input whose words are dealt to the lanes.
        ///
        /// # Safety
        /// The contract of [`super::row::DealtEntry`].
        #[inline(never)]
        $($attribute)*
        unsafe fn $dealt(
            states: *mut $crate::kernel::State<<$hash as $crate::kernel::Compression>::Word>,
            from: *const u8,
            stride: usize,
            blocks: usize,
        ) {
            let dealt = $crate::kernel::frame::Dealt { from, stride };
            // SAFETY: passed on.
            unsafe {
                $crate::kernel::frame::compress::<$hash, $vector, $words>(states, dealt, blocks);
            }
        }
    };
}

/// A compression's kernel table: name, lanes, required CPU features, and how it is computed.
/// `vector` makes the entries from the rounds, for a vector type and the storage of its words.
/// `whole` and `chain` name an entry that is defined elsewhere; `chain` may also name one for dealt
/// words. `stream` names a generated entry, and with a vector also makes the entry for dealt words.
macro_rules! kernels {
    ($hash:ty {$(
        $(#[$attribute:meta])* $name:literal $lanes:literal $needs:ident $how:ident $what:tt;
    )*}) => {
        $($(#[$attribute])* kernels!(@entry $how $hash, $needs $what);)*

        const ROWS: &[$crate::kernel::Row<<$hash as $crate::kernel::Compression>::Word>] = &[
            $($(#[$attribute])* kernels!(@row $how $name, $lanes, $needs $what),)*
        ];
    };
    (@entry vector $hash:ty, $needs:ident ($entry:ident $dealt:ident $vector:ty, $words:ty)) => {
        $crate::kernel::frame::entries!($needs $entry $dealt ($hash, $vector, $words));
    };
    (@entry stream $hash:ty, $needs:ident
        ($entry:path, $dealt:ident $vector:ty, $words:ty)) => {
        $crate::kernel::frame::entries!($needs $dealt ($hash, $vector, $words));
    };
    (@entry $how:ident $hash:ty, $needs:ident $what:tt) => {};
    (@row stream $name:literal, $lanes:literal, $needs:ident
        ($entry:path, $dealt:ident $vector:ty, $words:ty)) => {
        kernels!(@row stream $name, $lanes, $needs ($entry)).and_dealt($dealt)
    };
    (@row stream $name:literal, $lanes:literal, $needs:ident ($entry:path)) => {
        $crate::kernel::Row::new(
            $name,
            $lanes,
            $crate::kernel::Needs::$needs,
            $crate::kernel::Entry::Placed($entry),
        )
    };
    (@row vector $name:literal, $lanes:literal, $needs:ident
        ($entry:ident $dealt:ident $vector:ty, $words:ty)) => {
        $crate::kernel::Row::new(
            $name,
            $lanes,
            $crate::kernel::Needs::$needs,
            $crate::kernel::Entry::Whole($entry),
        )
        .and_dealt($dealt)
    };
    (@row whole $name:literal, $lanes:literal, $needs:ident ($entry:path)) => {
        $crate::kernel::Row::new(
            $name,
            $lanes,
            $crate::kernel::Needs::$needs,
            $crate::kernel::Entry::Whole($entry),
        )
    };
    (@row chain $name:literal, $lanes:literal, $needs:ident ($entry:path, $dealt:path)) => {
        kernels!(@row chain $name, $lanes, $needs ($entry)).and_dealt($dealt)
    };
    (@row chain $name:literal, $lanes:literal, $needs:ident ($entry:path)) => {
        $crate::kernel::Row::new(
            $name,
            $lanes,
            $crate::kernel::Needs::$needs,
            $crate::kernel::Entry::Chain($entry),
        )
    };
}

pub(super) use {entries, kernels};
