//! The CRC of a whole from the CRCs of its parts.
//!
//! A CRC is a polynomial over GF(2) modulo P. Bytes that follow a part move the
//! part's polynomial up by 8 powers of x each, so
//!
//! ```text
//!   crc(a || b) = crc(a) * x^(8 |b|) + crc(b)   (mod P)
//! ```
//!
//! and the all-one start and end values of these CRCs cancel. `x^(8 n)` is a
//! product of `x^(8 * 2^k)`, one for each bit that is set in n, and those stand
//! in a table: at most 64 multiplications for a part of any length, and one for
//! a part as long as the one before it, which is nearly every part there is.

#![forbid(unsafe_code)]

/// The modulus of one reflected CRC: the bit of x^0 is the highest of its width.
#[derive(Debug)]
pub(crate) struct Modulus {
    width: u32,
    /// P without its highest power, reflected.
    poly: u64,
    /// `x^(8 * 2^k)` at index k.
    powers: [u64; 64],
}

/// CRC-32/ISO-HDLC.
pub(crate) static CRC32: Modulus = Modulus::new(32, 0xEDB8_8320);
/// CRC-32/ISCSI.
pub(crate) static CRC32C: Modulus = Modulus::new(32, 0x82F6_3B78);
/// CRC-64/NVME.
pub(crate) static CRC64NVME: Modulus = Modulus::new(64, 0x9A6C_9329_AC4B_C9B5);

impl Modulus {
    const fn new(width: u32, poly: u64) -> Self {
        let mut modulus = Self {
            width,
            poly,
            powers: [0; 64],
        };
        modulus.powers[0] = 1 << (width - 1 - 8); // x^8
        let mut k = 1;
        while k < modulus.powers.len() {
            let half = modulus.powers[k - 1];
            modulus.powers[k] = modulus.multiply(half, half);
            k += 1;
        }
        modulus
    }

    /// `a * b mod P`.
    const fn multiply(&self, a: u64, mut b: u64) -> u64 {
        let mut product = 0;
        let mut bit = self.width;
        // From x^0 of `a` on; `b` is one power of x higher each time. Masks, not
        // branches: the bits are as good as random.
        while bit > 0 {
            bit -= 1;
            product ^= b & (a >> bit & 1).wrapping_neg();
            b = b >> 1 ^ self.poly & (b & 1).wrapping_neg();
        }
        product
    }

    /// `x^(8 bytes) mod P`.
    fn shift(&self, mut bytes: u64) -> u64 {
        let mut shift = 1 << (self.width - 1); // x^0
        while bytes != 0 {
            shift = self.multiply(shift, self.powers[bytes.trailing_zeros() as usize]);
            bytes &= bytes - 1;
        }
        shift
    }

    /// The CRC of all parts, in order, from each one's CRC and length in bytes.
    /// Zero, the CRC of nothing, where there are none.
    pub(crate) fn combine(&self, parts: impl IntoIterator<Item = (u64, u64)>) -> u64 {
        let mut whole = 0;
        let mut last = (0, self.shift(0));
        for (crc, bytes) in parts {
            if last.0 != bytes {
                last = (bytes, self.shift(bytes));
            }
            whole = self.multiply(last.1, whole) ^ crc;
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use crc_fast::CrcAlgorithm::{self, Crc32Iscsi, Crc32IsoHdlc, Crc64Nvme};
    use proptest::prelude::*;

    use super::*;

    fn all() -> [(&'static Modulus, CrcAlgorithm); 3] {
        [
            (&CRC32, Crc32IsoHdlc),
            (&CRC32C, Crc32Iscsi),
            (&CRC64NVME, Crc64Nvme),
        ]
    }

    #[test]
    fn nothing_and_one_part() {
        for (modulus, _) in all() {
            assert_eq!(modulus.combine([]), 0);
            assert_eq!(modulus.combine([(7, 0)]), 7);
            assert_eq!(modulus.combine([(7, u64::MAX)]), 7);
        }
    }

    proptest! {
        /// Another way to the same: matrices, for lengths that no test can hash.
        #[test]
        fn as_matrices_have_it(crcs in any::<[u64; 2]>(), bytes in any::<u64>()) {
            for (modulus, algorithm) in all() {
                let unused = 64 - modulus.width;
                let [first, second] = crcs.map(|crc| crc >> unused);
                let expected = crc_fast::checksum_combine(algorithm, first, second, bytes);
                prop_assert_eq!(modulus.combine([(first, 5), (second, bytes)]), expected);
            }
        }

        #[test]
        fn parts_make_the_whole(parts in prop::collection::vec(
            prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), 0..700)], 1..12)) {
            for (modulus, algorithm) in all() {
                let crc = |bytes: &[u8]| crc_fast::checksum(algorithm, bytes);
                let of_parts = parts.iter().map(|part| (crc(part), part.len() as u64));
                prop_assert_eq!(modulus.combine(of_parts), crc(&parts.concat()));
            }
        }
    }
}
