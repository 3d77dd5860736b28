//! The SHA-256 compression function, written once for any vector width.
//!
//! FIPS 180-4 section 6.2.2 over [`Vector`]: lane `l` of every register belongs
//! to message `l`, so the text below is the plain algorithm.
//!
//! ```text
//! for each block
//!   w[0..16] <- transpose of the block's words, big-endian
//!   for t in 0..64
//!     t1 = h + K[t] + w[t] + Ch(e,f,g) + Sigma1(e)     Sigma1 last: e is the critical path
//!     h..a <- g, f, e, d + t1, c, b, a, t1 + Sigma0(a) + Maj(a,b,c)
//!     w[t+16] = w[t] + sigma0(w[t+1]) + w[t+9] + sigma1(w[t+14])   in place of w[t]
//!   state += a..h
//! ```
//!
//! The sixteen steps are written out: the compiler does not unroll a loop over
//! `w[(i + 1) & 15]`, and a schedule in memory costs twice the time. A word of
//! the schedule stands beside each round, so that one fills the other's gaps.

use super::{LANES_MAX, vector::Vector};

/// Round constants (FIPS 180-4 section 4.2.2), aligned for vector loads.
#[repr(C, align(64))]
pub(super) struct Constants(pub(super) [u32; 64]);

/// See [`Constants`]. A static, so that vector kernels broadcast from memory.
#[rustfmt::skip]
pub(super) static K: Constants = Constants([
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]);

/// Absorbs `blocks` blocks into as many columns as `V` has lanes.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N` the lanes of `V`.
#[inline(always)]
pub(super) unsafe fn compress<V: Vector>(state: *mut u32, inputs: *const *const u8, blocks: usize) {
    // SAFETY (of every block below): loads and stores of the state stay in the
    // entry's columns, row `i` of which starts `i * LANES_MAX` words on; blocks
    // are read at offsets below `blocks * 64`; the instruction set is there.
    // SAFETY: see above; the row is within the columns.
    let row = |i: usize| unsafe { state.add(i * LANES_MAX) };
    // SAFETY: see above.
    let mut s: [V; 8] = std::array::from_fn(|i| unsafe { V::load(row(i)) });
    for block in 0..blocks {
        // SAFETY: see above.
        unsafe {
            let mut w = V::load_block(inputs, block * super::BLOCK_BYTES);
            rounds(&mut s, &mut w, &K.0);
            // The chaining value waits in memory: registers are short.
            for (i, word) in s.iter_mut().enumerate() {
                *word = V::load(row(i)).add(*word);
                word.store(row(i));
            }
        }
    }
}

/// All 64 rounds; `s` holds a..h.
///
/// # Safety
/// The instruction set of `V` is there.
#[inline(always)]
unsafe fn rounds<V: Vector>(s: &mut [V; 8], w: &mut [V; 16], k: &[u32; 64]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *s;
    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $t:expr, $i:expr) => {
            let t1 = $h.add(V::splat(k[$t])).add(w[$i]).add($e.ch($f, $g));
            let big_sigma1 = $e.rotr::<6>().xor3($e.rotr::<11>(), $e.rotr::<25>());
            let t1 = t1.add(big_sigma1);
            $d = $d.add(t1);
            let big_sigma0 = $a.rotr::<2>().xor3($a.rotr::<13>(), $a.rotr::<22>());
            $h = t1.add($a.maj($b, $c)).add(big_sigma0);
        };
    }
    macro_rules! schedule {
        ($i:expr, $i1:expr, $i9:expr, $i14:expr) => {
            let x = w[$i1];
            let sigma0 = x.rotr::<7>().xor3(x.rotr::<18>(), x.shr::<3>());
            let y = w[$i14];
            let sigma1 = y.rotr::<17>().xor3(y.rotr::<19>(), y.shr::<10>());
            w[$i] = w[$i].add(sigma0).add(w[$i9]).add(sigma1);
        };
    }
    // Sixteen rounds, each followed by the word sixteen rounds on.
    macro_rules! sixteen {
        ($t:expr, $schedule:ident) => {
            round!(a b c d e f g h, $t + 0, 0);
            $schedule!(0, 1, 9, 14);
            round!(h a b c d e f g, $t + 1, 1);
            $schedule!(1, 2, 10, 15);
            round!(g h a b c d e f, $t + 2, 2);
            $schedule!(2, 3, 11, 0);
            round!(f g h a b c d e, $t + 3, 3);
            $schedule!(3, 4, 12, 1);
            round!(e f g h a b c d, $t + 4, 4);
            $schedule!(4, 5, 13, 2);
            round!(d e f g h a b c, $t + 5, 5);
            $schedule!(5, 6, 14, 3);
            round!(c d e f g h a b, $t + 6, 6);
            $schedule!(6, 7, 15, 4);
            round!(b c d e f g h a, $t + 7, 7);
            $schedule!(7, 8, 0, 5);
            round!(a b c d e f g h, $t + 8, 8);
            $schedule!(8, 9, 1, 6);
            round!(h a b c d e f g, $t + 9, 9);
            $schedule!(9, 10, 2, 7);
            round!(g h a b c d e f, $t + 10, 10);
            $schedule!(10, 11, 3, 8);
            round!(f g h a b c d e, $t + 11, 11);
            $schedule!(11, 12, 4, 9);
            round!(e f g h a b c d, $t + 12, 12);
            $schedule!(12, 13, 5, 10);
            round!(d e f g h a b c, $t + 13, 13);
            $schedule!(13, 14, 6, 11);
            round!(c d e f g h a b, $t + 14, 14);
            $schedule!(14, 15, 7, 12);
            round!(b c d e f g h a, $t + 15, 15);
            $schedule!(15, 0, 8, 13);
        };
    }
    macro_rules! nothing {
        ($i:expr, $i1:expr, $i9:expr, $i14:expr) => {};
    }
    // SAFETY: the caller has the instruction set.
    unsafe {
        // Not written out further: the whole would not fit the cache of decoded
        // instructions.
        let mut t = 0;
        while t < 48 {
            sixteen!(t, schedule);
            t += 16;
        }
        sixteen!(t, nothing);
    }
    *s = [a, b, c, d, e, f, g, h];
}
