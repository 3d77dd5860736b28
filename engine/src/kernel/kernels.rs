//! The kernels by name.

use std::{fmt, str::FromStr};

use super::Entry;

/// One SHA-256 compression function: a width and an instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kernel {
    /// Plain Rust, one lane: the oracle of all others.
    Portable,
    /// SSE4.1, four lanes: the 4-buffer of Gueron and Krasnov 2012.
    Sse41x4,
    /// AVX2, eight lanes.
    Avx2x8,
    /// AVX-512 (F, BW and VL), sixteen lanes, ordered by the compiler: the
    /// reference of the two that are ordered by hand.
    Avx512x16Generic,
    /// AVX-512 (F, BW and VL), sixteen lanes, ordered by hand.
    Avx512x16,
    /// AVX-512 (F, BW and VL), two groups of sixteen lanes interleaved.
    Avx512x32,
    /// SHA extensions of x86, one stream.
    ShaniX1,
    /// SHA extensions of x86 and AVX, two streams interleaved.
    ShaniX2,
    /// SHA extensions of x86 and AVX, four streams interleaved.
    ShaniX4,
    /// SHA extensions of x86, four streams, schedules by AVX-512.
    ShaniAvx512X4,
    /// SHA extensions of x86, eight streams, schedules by AVX-512.
    ShaniAvx512X8,
    /// Arm SHA2 extension, one stream.
    ArmSha2X1,
    /// Arm SHA2 extension, two streams interleaved.
    ArmSha2X2,
    /// Arm SHA2 extension, four streams interleaved.
    ArmSha2X4,
}

impl Kernel {
    /// Every kernel of every instruction set.
    pub const ALL: [Self; 14] = [
        Self::Portable,
        Self::Sse41x4,
        Self::Avx2x8,
        Self::Avx512x16Generic,
        Self::Avx512x16,
        Self::Avx512x32,
        Self::ShaniX1,
        Self::ShaniX2,
        Self::ShaniX4,
        Self::ShaniAvx512X4,
        Self::ShaniAvx512X8,
        Self::ArmSha2X1,
        Self::ArmSha2X2,
        Self::ArmSha2X4,
    ];

    /// The name used in settings, metrics and benches.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Sse41x4 => "sse41x4",
            Self::Avx2x8 => "avx2x8",
            Self::Avx512x16Generic => "avx512x16_generic",
            Self::Avx512x16 => "avx512x16",
            Self::Avx512x32 => "avx512x32",
            Self::ShaniX1 => "shani_x1",
            Self::ShaniX2 => "shani_x2",
            Self::ShaniX4 => "shani_x4",
            Self::ShaniAvx512X4 => "shani_avx512_x4",
            Self::ShaniAvx512X8 => "shani_avx512_x8",
            Self::ArmSha2X1 => "arm_sha2_x1",
            Self::ArmSha2X2 => "arm_sha2_x2",
            Self::ArmSha2X4 => "arm_sha2_x4",
        }
    }

    /// Lanes of one call.
    #[must_use]
    #[inline]
    pub const fn lanes(self) -> usize {
        match self {
            Self::Portable | Self::ShaniX1 | Self::ArmSha2X1 => 1,
            Self::ShaniX2 | Self::ArmSha2X2 => 2,
            Self::Sse41x4 | Self::ShaniX4 | Self::ShaniAvx512X4 | Self::ArmSha2X4 => 4,
            Self::Avx2x8 | Self::ShaniAvx512X8 => 8,
            Self::Avx512x16Generic | Self::Avx512x16 => 16,
            Self::Avx512x32 => 32,
        }
    }

    /// Whether a call may start at column `first`: all its lanes lie within
    /// [`super::LANES_MAX`] columns, and vector loads are aligned.
    #[must_use]
    #[inline]
    pub const fn may_start_at(self, first: usize) -> bool {
        // Lanes divide the columns, so all of a multiple's lanes are within them.
        first.is_multiple_of(self.lanes()) && first < super::LANES_MAX
    }

    /// Whether [`super::compress_chain`] does several segments in one call, and
    /// faster than in several.
    #[must_use]
    #[inline]
    pub(crate) fn chains(self) -> bool {
        matches!(self.entry(), Entry::Chain(_))
    }

    /// A small dense number for tables: the kernel's place in [`Kernel::ALL`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether this CPU can run the kernel. The answer is cached by the
    /// standard library, so asking costs a load and a test.
    #[must_use]
    #[inline]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse41x4 => {
                is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2x8 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512x16Generic | Self::Avx512x16 | Self::Avx512x32 => has_avx512(),
            #[cfg(target_arch = "x86_64")]
            Self::ShaniX1 => has_sha(),
            #[cfg(target_arch = "x86_64")]
            Self::ShaniX2 | Self::ShaniX4 => has_sha() && is_x86_feature_detected!("avx"),
            #[cfg(target_arch = "x86_64")]
            Self::ShaniAvx512X4 | Self::ShaniAvx512X8 => has_sha() && has_avx512(),
            #[cfg(target_arch = "aarch64")]
            Self::ArmSha2X1 | Self::ArmSha2X2 | Self::ArmSha2X4 => {
                std::arch::is_aarch64_feature_detected!("sha2")
            }
            #[allow(unreachable_patterns)] // the kernels of the other architectures
            _ => false,
        }
    }

    /// The compression function. Of a kernel that is not available: portable's,
    /// which [`super::compress_chain`] never calls for it.
    #[inline]
    pub(super) fn entry(self) -> Entry {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Sse41x4 => Entry::Whole(super::sse41::hashlane_kernel_sse41x4),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2x8 => Entry::Whole(super::avx2::hashlane_kernel_avx2x8),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512x16Generic => {
                Entry::Whole(super::avx512::hashlane_kernel_avx512x16_generic)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512x16 => Entry::Whole(super::avx512x16::hashlane_kernel_avx512x16),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512x32 => Entry::Whole(super::avx512x32::hashlane_kernel_avx512x32),
            #[cfg(target_arch = "x86_64")]
            Self::ShaniX1 => Entry::Whole(super::shani::hashlane_kernel_shani_x1),
            #[cfg(target_arch = "x86_64")]
            Self::ShaniX2 => Entry::Whole(super::shani_interleaved::hashlane_kernel_shani_x2),
            #[cfg(target_arch = "x86_64")]
            Self::ShaniX4 => Entry::Whole(super::shani_interleaved::hashlane_kernel_shani_x4),
            #[cfg(target_arch = "x86_64")]
            Self::ShaniAvx512X4 => {
                Entry::Chain(super::shani_avx512::hashlane_kernel_shani_avx512_x4)
            }
            #[cfg(target_arch = "x86_64")]
            Self::ShaniAvx512X8 => {
                Entry::Chain(super::shani_avx512::hashlane_kernel_shani_avx512_x8)
            }
            #[cfg(target_arch = "aarch64")]
            Self::ArmSha2X1 => Entry::Whole(super::aarch64::hashlane_kernel_arm_sha2::<1>),
            #[cfg(target_arch = "aarch64")]
            Self::ArmSha2X2 => Entry::Whole(super::aarch64::hashlane_kernel_arm_sha2::<2>),
            #[cfg(target_arch = "aarch64")]
            Self::ArmSha2X4 => Entry::Whole(super::aarch64::hashlane_kernel_arm_sha2::<4>),
            _ => Entry::Whole(super::portable::hashlane_kernel_portable),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_sha() -> bool {
    is_x86_feature_detected!("sha")
        && is_x86_feature_detected!("sse4.1")
        && is_x86_feature_detected!("ssse3")
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no kernel's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseKernelError(String);

impl fmt::Display for ParseKernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown kernel {:?}, expected one of ", self.0)?;
        for (place, kernel) in Kernel::ALL.iter().enumerate() {
            write!(f, "{}{kernel}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseKernelError {}

impl FromStr for Kernel {
    type Err = ParseKernelError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|kernel| kernel.name() == name)
            .ok_or_else(|| ParseKernelError(name.to_owned()))
    }
}
