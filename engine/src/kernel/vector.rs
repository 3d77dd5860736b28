//! What a SHA-256 round needs of a vector register.

/// A register of unsigned 32-bit words, one per lane.
///
/// # Safety
/// Every method may use the instruction set of its implementation, so it may
/// only run below an entry that was compiled for it, on a CPU that has it.
/// Implementations are `#[inline(always)]` throughout.
pub(super) trait Vector: Copy {
    /// The same word in every lane.
    unsafe fn splat(word: u32) -> Self;
    /// Reads one word per lane.
    unsafe fn load(words: *const u32) -> Self;
    /// Writes one word per lane.
    unsafe fn store(self, words: *mut u32);
    /// Sum modulo 2^32.
    unsafe fn add(self, other: Self) -> Self;
    /// Rotation right by `BITS`.
    unsafe fn rotr<const BITS: i32>(self) -> Self;
    /// Shift right by `BITS`.
    unsafe fn shr<const BITS: i32>(self) -> Self;
    /// Exclusive or of three.
    unsafe fn xor3(self, b: Self, c: Self) -> Self;
    /// Ch(x, y, z) with `self` as x: bits of y where x is 1, of z where it is 0.
    unsafe fn ch(self, y: Self, z: Self) -> Self;
    /// Maj(x, y, z): the majority of each bit.
    unsafe fn maj(self, y: Self, z: Self) -> Self;
    /// The 16 big-endian words of the block that starts `offset` bytes into
    /// each of the lanes' inputs: word `i` of lane `l` is lane `l` of `[i]`.
    ///
    /// # Safety
    /// As the trait; each lane's pointer is readable for 64 bytes from `offset`.
    unsafe fn load_block(inputs: *const *const u8, offset: usize) -> [Self; 16];
}

/// Implements the register-wise methods of [`Vector`] from an instruction set's
/// intrinsics. What is not an intrinsic of one name everywhere (rotation and the
/// logic functions, which AVX-512 has as single instructions) stays with the
/// instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_common {
    ($set1:ident, $load:ident, $store:ident, $add:ident) => {
        #[inline(always)]
        unsafe fn splat(word: u32) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $set1(word.cast_signed()) })
        }

        #[inline(always)]
        unsafe fn load(words: *const u32) -> Self {
            // SAFETY: `words` is readable for the register (trait contract).
            Self(unsafe { $load(words.cast()) })
        }

        #[inline(always)]
        unsafe fn store(self, words: *mut u32) {
            // SAFETY: `words` is writable for the register (trait contract).
            unsafe { $store(words.cast(), self.0) }
        }

        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $add(self.0, other.0) })
        }
    };
}

/// The logic functions and rotation from and, xor, or and shifts, for
/// instruction sets that have no ternary logic and no rotation.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_two_operand_logic {
    ($and:ident, $or:ident, $xor:ident, $shr:ident, $shl:ident) => {
        #[inline(always)]
        unsafe fn rotr<const BITS: i32>(self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe {
                // The count is a constant, but `32 - BITS` may not stand as a
                // const argument on stable Rust.
                let left = match BITS {
                    2 => $shl::<30>(self.0),
                    6 => $shl::<26>(self.0),
                    7 => $shl::<25>(self.0),
                    11 => $shl::<21>(self.0),
                    13 => $shl::<19>(self.0),
                    17 => $shl::<15>(self.0),
                    18 => $shl::<14>(self.0),
                    19 => $shl::<13>(self.0),
                    22 => $shl::<10>(self.0),
                    25 => $shl::<7>(self.0),
                    _ => unreachable!("SHA-256 has no such rotation"),
                };
                $or($shr::<BITS>(self.0), left)
            })
        }

        #[inline(always)]
        unsafe fn shr<const BITS: i32>(self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $shr::<BITS>(self.0) })
        }

        #[inline(always)]
        unsafe fn xor3(self, b: Self, c: Self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $xor($xor(self.0, b.0), c.0) })
        }

        #[inline(always)]
        unsafe fn ch(self, y: Self, z: Self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $xor(z.0, $and(self.0, $xor(y.0, z.0))) })
        }

        #[inline(always)]
        unsafe fn maj(self, y: Self, z: Self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $or($and(self.0, y.0), $and(z.0, $or(self.0, y.0))) })
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use {x86_common, x86_two_operand_logic};
