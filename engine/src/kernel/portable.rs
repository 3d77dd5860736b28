//! One lane in plain Rust: runs everywhere and is what every other kernel is
//! tested against (itself tested against sha2).

use super::vector::Vector;

/// A "register" of one word.
#[derive(Clone, Copy)]
struct Word(u32);

// The methods are unsafe only because the trait's are; the two that touch
// memory do so through the caller's pointers.
impl Vector for Word {
    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        Self(word)
    }

    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: `words` is readable for one word (trait contract).
        Self(unsafe { words.read() })
    }

    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: `words` is writable for one word (trait contract).
        unsafe { words.write(self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    unsafe fn rotr<const BITS: i32>(self) -> Self {
        Self(self.0.rotate_right(BITS.cast_unsigned()))
    }

    #[inline(always)]
    unsafe fn shr<const BITS: i32>(self) -> Self {
        Self(self.0 >> BITS)
    }

    #[inline(always)]
    unsafe fn xor3(self, b: Self, c: Self) -> Self {
        Self(self.0 ^ b.0 ^ c.0)
    }

    #[inline(always)]
    unsafe fn ch(self, y: Self, z: Self) -> Self {
        Self(z.0 ^ (self.0 & (y.0 ^ z.0)))
    }

    #[inline(always)]
    unsafe fn maj(self, y: Self, z: Self) -> Self {
        Self((self.0 & y.0) | (z.0 & (self.0 | y.0)))
    }

    #[inline(always)]
    unsafe fn load_block(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: one pointer, readable for 64 bytes from `offset` (trait contract).
        let words: [[u8; 4]; 16] = unsafe { (*inputs).add(offset).cast::<[[u8; 4]; 16]>().read() };
        words.map(|word| Self(u32::from_be_bytes(word)))
    }
}

/// One lane, no extension needed.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N = 1`.
#[inline(never)]
pub(super) unsafe fn hashlane_kernel_portable(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: passed on.
    unsafe { super::sha256::compress::<Word>(state, inputs, blocks) }
}
