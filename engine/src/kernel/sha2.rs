//! The rounds of SHA-2, which differ between word sizes only in constants and rotations.
//!
//! ```text
//! for t in 0..ROUNDS
//!   t1 = h + K[t] + w[t] + Ch(e,f,g) + Sigma1(e)     Sigma1 last: e is the critical path
//!   h..a <- g, f, e, d + t1, c, b, a, t1 + Sigma0(a) + Maj(a,b,c)
//!   w[t+16] = w[t] + sigma0(w[t+1]) + w[t+9] + sigma1(w[t+14])   in place of w[t]
//! ```

use super::{
    compression::Compression,
    vector::{
        Vector, Words,
        table::{CH, MAJ},
    },
};

/// The parameters of a hash of the SHA-2 kind (FIPS 180-4 sections 4.1.2 and 4.1.3).
///
/// # Safety
/// For the functions of vectors: the instruction set of `V` is there.
pub(super) trait Sha2: Compression {
    /// Rounds of a block, a multiple of 16.
    const ROUNDS: usize;
    /// Round constant `t`.
    fn k(t: usize) -> Self::Word;
    /// Sigma0.
    unsafe fn big_sigma0<V: Vector<Word = Self::Word>>(x: V) -> V;
    /// Sigma1.
    unsafe fn big_sigma1<V: Vector<Word = Self::Word>>(x: V) -> V;
    /// sigma0.
    unsafe fn sigma0<V: Vector<Word = Self::Word>>(x: V) -> V;
    /// sigma1.
    unsafe fn sigma1<V: Vector<Word = Self::Word>>(x: V) -> V;
}

/// All rounds (FIPS 180-4 sections 6.2.2 and 6.4.2). Each round is interleaved with the computation
/// of a schedule word, so that each fills the other's gaps.
///
/// # Safety
/// The instruction set of `V` is there.
#[inline(always)]
pub(super) unsafe fn rounds<H: Sha2, V: Vector<Word = H::Word>>(
    state: &mut [V; 8],
    words: &mut impl Words<V>,
) {
    // Not unrolled further: the whole would not fit the cache of decoded instructions.
    let mut t = 0;
    while t < H::ROUNDS - 16 {
        // SAFETY: passed on.
        unsafe { sixteen::<H, V, true>(state, words, t) };
        t += 16;
    }
    // SAFETY: passed on.
    unsafe { sixteen::<H, V, false>(state, words, t) };
}

/// Rounds `t..t + 16`, after which every variable is back in its place. Unrolled by hand: the
/// compiler does not unroll a loop over `(i + 1) & 15`.
///
/// # Safety
/// The instruction set of `V` is there.
#[inline(always)]
pub(super) unsafe fn sixteen<H: Sha2, V: Vector<Word = H::Word>, const SCHEDULE: bool>(
    state: &mut [V; 8],
    words: &mut impl Words<V>,
    t: usize,
) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $i:literal) => {
            let t1 = $h
                .add(V::splat(H::k(t + $i)))
                .add(words.get($i))
                .add($e.ternary::<CH>($f, $g))
                .add(H::big_sigma1($e));
            $d = $d.add(t1);
            $h = t1.add($a.ternary::<MAJ>($b, $c)).add(H::big_sigma0($a));
            if SCHEDULE {
                let word = words
                    .get($i)
                    .add(H::sigma0(words.get(($i + 1) & 15)))
                    .add(words.get(($i + 9) & 15))
                    .add(H::sigma1(words.get(($i + 14) & 15)));
                words.set($i, word);
            }
        };
    }
    macro_rules! eight {
        (
            $i0:literal $i1:literal $i2:literal $i3:literal
            $i4:literal $i5:literal $i6:literal $i7:literal
        ) => {
            round!(a b c d e f g h, $i0);
            round!(h a b c d e f g, $i1);
            round!(g h a b c d e f, $i2);
            round!(f g h a b c d e, $i3);
            round!(e f g h a b c d, $i4);
            round!(d e f g h a b c, $i5);
            round!(c d e f g h a b, $i6);
            round!(b c d e f g h a, $i7);
        };
    }
    // SAFETY: passed on.
    unsafe {
        eight!(0 1 2 3 4 5 6 7);
        eight!(8 9 10 11 12 13 14 15);
    }
    *state = [a, b, c, d, e, f, g, h];
}
