//! The round constants.

/// Constants of the four stages of 20 rounds (FIPS 180-4 section 4.2.1).
pub(in crate::kernel) static K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];
