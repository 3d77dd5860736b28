//! The operations that rounds need from a vector register, and the storage of a block's words.
//!
//! ```text
//! Vector     one word per lane: sums, rotations, logic; loads of blocks and chaining values
//! Pair       two vectors side by side, every operation done to each in turn
//! Words      the sixteen words of a block:
//!   Registers  in registers, for a vector alone
//!   Memory     in memory that stays in L1, for pairs, whose words no register file holds
//! ```

use super::word::Word;

/// Truth tables of functions of three bits, as `vpternlog` takes them: bit 4x + 2y + z is
/// f(x, y, z).
pub(super) mod table {
    /// x ^ y ^ z.
    pub(in crate::kernel) const XOR3: i32 = 0b1001_0110;
    /// Ch: y where x is 1, z where it is 0; F of MD5.
    pub(in crate::kernel) const CH: i32 = 0b1100_1010;
    /// Maj: the majority.
    pub(in crate::kernel) const MAJ: i32 = 0b1110_1000;
    /// G of MD5: x where z is 1, y where it is 0.
    pub(in crate::kernel) const MD5_G: i32 = 0b1110_0100;
    /// I of MD5: y ^ (x | !z).
    pub(in crate::kernel) const MD5_I: i32 = 0b0011_1001;
}

/// A register with a word of every lane.
///
/// # Safety
/// Every method may use the instruction set of its implementation, so it may only run below
/// an entry that was compiled for it, on a CPU that has it. Implementations are
/// `#[inline(always)]` throughout.
pub(crate) trait Vector: Copy {
    /// A lane's word.
    type Word: Word;
    /// Words of a register.
    const LANES: usize;

    /// The same word in every lane.
    unsafe fn splat(word: Self::Word) -> Self;
    /// Sum modulo 2 to the power of the word's bits.
    unsafe fn add(self, other: Self) -> Self;
    /// Exclusive or.
    unsafe fn xor(self, other: Self) -> Self;
    /// Rotation right by `BITS`, which is neither 0 nor the bits of a word.
    unsafe fn rotr<const BITS: i32>(self) -> Self;
    /// Rotation left by `BITS`, which is neither 0 nor the bits of a word.
    unsafe fn rotl<const BITS: i32>(self) -> Self;
    /// Shift right by `BITS`.
    unsafe fn shr<const BITS: i32>(self) -> Self;
    /// The function of three bits whose truth table is `TABLE`, one of [`table`].
    unsafe fn ternary<const TABLE: i32>(self, y: Self, z: Self) -> Self;

    /// The sixteen words of the block that starts `offset` bytes into each lane's input:
    /// word `i` of lane `l` is lane `l` of `[i]`; the most significant byte comes first if
    /// `BIG`.
    ///
    /// # Safety
    /// As the trait; `inputs` points at a pointer for each lane, readable for a block from
    /// `offset`.
    unsafe fn load_block<const BIG: bool>(inputs: *const *const u8, offset: usize) -> [Self; 16];
    /// Adjacent words in memory, dealt to the lanes in turn.
    ///
    /// # Safety
    /// As the trait; `from` is readable for a register.
    unsafe fn load_dealt<const BIG: bool>(from: *const u8) -> Self;
    /// Word `i` of lane `l`'s row becomes lane `l` of `[i]`.
    ///
    /// # Safety
    /// As the trait; `states` points at a row for each lane.
    unsafe fn load_states(states: *const [Self::Word; 8]) -> [Self; 8];
    /// The inverse of [`Self::load_states`].
    ///
    /// # Safety
    /// As the trait; `states` points at a row for each lane, all writable.
    unsafe fn store_states(words: [Self; 8], states: *mut [Self::Word; 8]);
}

/// Two vectors whose operations alternate, so that one's operations fill the cycles in which the
/// other waits for its results. A pair of pairs has four.
#[derive(Clone, Copy)]
pub(super) struct Pair<V>(V, V);

/// The methods of [`Pair`] that treat both halves alike.
macro_rules! both {
    ($(fn $name:ident $(<const $constant:ident: i32>)? (self $(, $argument:ident)*);)*) => {$(
        #[inline(always)]
        unsafe fn $name $(<const $constant: i32>)? (self $(, $argument: Self)*) -> Self {
            // SAFETY: the caller keeps to the trait's contract.
            unsafe {
                Self(
                    self.0.$name$(::<$constant>)?($($argument.0),*),
                    self.1.$name$(::<$constant>)?($($argument.1),*),
                )
            }
        }
    )*};
}

/// Element by element, because the compiler might keep a loop or a closure.
macro_rules! pairs {
    ($a:ident, $b:ident, $($i:literal)*) => { [$(Pair($a[$i], $b[$i])),*] };
}

impl<V: Vector> Vector for Pair<V> {
    type Word = V::Word;
    const LANES: usize = 2 * V::LANES;

    #[inline(always)]
    unsafe fn splat(word: V::Word) -> Self {
        // SAFETY: the caller keeps to the trait's contract.
        let half = unsafe { V::splat(word) };
        Self(half, half)
    }

    both! {
        fn add(self, other);
        fn xor(self, other);
        fn rotr<const BITS: i32>(self);
        fn rotl<const BITS: i32>(self);
        fn shr<const BITS: i32>(self);
        fn ternary<const TABLE: i32>(self, y, z);
    }

    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: the second half's lanes follow the first half's (trait contract).
        unsafe {
            let a = V::load_block::<BIG>(inputs, offset);
            let b = V::load_block::<BIG>(inputs.add(V::LANES), offset);
            pairs!(a, b, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
        }
    }

    #[inline(always)]
    unsafe fn load_dealt<const BIG: bool>(from: *const u8) -> Self {
        // SAFETY: `from` is readable for both halves (trait contract).
        unsafe {
            let second = from.add(V::LANES * V::Word::BYTES);
            Self(V::load_dealt::<BIG>(from), V::load_dealt::<BIG>(second))
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: *const [V::Word; 8]) -> [Self; 8] {
        // SAFETY: the second half's rows follow the first half's (trait contract).
        unsafe {
            let a = V::load_states(states);
            let b = V::load_states(states.add(V::LANES));
            pairs!(a, b, 0 1 2 3 4 5 6 7)
        }
    }

    #[inline(always)]
    unsafe fn store_states(words: [Self; 8], states: *mut [V::Word; 8]) {
        let [a, b, c, d, e, f, g, h] = words;
        // SAFETY: the second half's rows follow the first half's (trait contract).
        unsafe {
            V::store_states([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0], states);
            V::store_states(
                [a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1],
                states.add(V::LANES),
            );
        }
    }
}

/// The sixteen words of a block of every lane, which the message schedule replaces in place.
///
/// # Safety
/// As [`Vector`].
pub(crate) trait Words<V: Vector> {
    /// Sixteen words of 0.
    unsafe fn zero() -> Self;
    /// Word `i`.
    unsafe fn get(&self, i: usize) -> V;
    /// Replaces word `i`.
    unsafe fn set(&mut self, i: usize, word: V);
    /// See [`Vector::load_block`].
    unsafe fn load_block<const BIG: bool>(&mut self, inputs: *const *const u8, offset: usize);
    /// Word `i` is what [`Vector::load_dealt`] reads at `i * stride` bytes from `from`.
    ///
    /// # Safety
    /// As the trait; `from` is readable for a register at each of those places.
    unsafe fn load_dealt<const BIG: bool>(&mut self, from: *const u8, stride: usize);
}

/// Words in registers.
pub(super) struct Registers<V>([V; 16]);

impl<V: Vector> Words<V> for Registers<V> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller keeps to the trait's contract.
        Self([unsafe { V::splat(V::Word::default()) }; 16])
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> V {
        self.0[i]
    }

    #[inline(always)]
    unsafe fn set(&mut self, i: usize, word: V) {
        self.0[i] = word;
    }

    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(&mut self, inputs: *const *const u8, offset: usize) {
        // SAFETY: passed on.
        self.0 = unsafe { V::load_block::<BIG>(inputs, offset) };
    }

    #[inline(always)]
    unsafe fn load_dealt<const BIG: bool>(&mut self, from: *const u8, stride: usize) {
        for (i, word) in self.0.iter_mut().enumerate() {
            // SAFETY: readable for a register there (trait contract).
            *word = unsafe { V::load_dealt::<BIG>(from.add(i * stride)) };
        }
    }
}

/// Words in memory. Reads and writes are volatile: otherwise the compiler would keep the words in
/// registers, run out of them, and store each word a second time.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[repr(C, align(64))]
pub(super) struct Memory<V>([V; 16]);

impl<V: Vector> Words<V> for Memory<V> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller keeps to the trait's contract.
        Self([unsafe { V::splat(V::Word::default()) }; 16])
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> V {
        // SAFETY: a reference to a word.
        unsafe { (&raw const self.0[i]).read_volatile() }
    }

    #[inline(always)]
    unsafe fn set(&mut self, i: usize, word: V) {
        // SAFETY: a reference to a word.
        unsafe { (&raw mut self.0[i]).write_volatile(word) };
    }

    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(&mut self, inputs: *const *const u8, offset: usize) {
        // SAFETY: passed on.
        unsafe {
            let words = V::load_block::<BIG>(inputs, offset);
            let mut i = 0;
            while i < 16 {
                self.set(i, words[i]);
                i += 1;
            }
        }
    }

    #[inline(always)]
    unsafe fn load_dealt<const BIG: bool>(&mut self, from: *const u8, stride: usize) {
        let mut i = 0;
        while i < 16 {
            // SAFETY: readable for a register there (trait contract).
            unsafe { self.set(i, V::load_dealt::<BIG>(from.add(i * stride))) };
            i += 1;
        }
    }
}

/// The words of a pair: those of its first vector, then those of its second.
impl<V: Vector, W: Words<V>> Words<Pair<V>> for (W, W) {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: passed on.
        unsafe { (W::zero(), W::zero()) }
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> Pair<V> {
        // SAFETY: passed on.
        unsafe { Pair(self.0.get(i), self.1.get(i)) }
    }

    #[inline(always)]
    unsafe fn set(&mut self, i: usize, word: Pair<V>) {
        // SAFETY: passed on.
        unsafe {
            self.0.set(i, word.0);
            self.1.set(i, word.1);
        }
    }

    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(&mut self, inputs: *const *const u8, offset: usize) {
        // SAFETY: the second half's lanes follow the first half's.
        unsafe {
            self.0.load_block::<BIG>(inputs, offset);
            self.1.load_block::<BIG>(inputs.add(V::LANES), offset);
        }
    }

    #[inline(always)]
    unsafe fn load_dealt<const BIG: bool>(&mut self, from: *const u8, stride: usize) {
        // SAFETY: the second half's words follow the first half's.
        unsafe {
            let second = from.add(V::LANES * V::Word::BYTES);
            self.0.load_dealt::<BIG>(from, stride);
            self.1.load_dealt::<BIG>(second, stride);
        }
    }
}
