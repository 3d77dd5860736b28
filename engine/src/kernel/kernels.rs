//! The kernels by family and name, for the code above this folder.
//!
//! Why tables: detection, settings, metrics, tests, benches and the disassembly check all read the
//! same table of each compression, so none of them can miss a kernel.

use std::{fmt, str::FromStr};

use super::{
    compression::{Compression, Family},
    md5::Md5,
    row::About,
    sha1::Sha1,
    sha256::Sha256,
    sha512::Sha512,
};

/// One implementation of a compression function: a number of lanes and an instruction set.
///
/// The tables in `kernel/` list the kernels of this processor architecture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kernel {
    family: Family,
    row: u8,
}

impl Kernel {
    /// Every kernel of this processor architecture, by family, in the order of the tables.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        Family::ALL.into_iter().flat_map(Self::of)
    }

    /// The kernels of one family in the order of its table: the portable one first.
    pub fn of(family: Family) -> impl Iterator<Item = Self> + Clone {
        let rows = u8::try_from(rows(family)).expect("a table of some rows");
        (0..rows).map(move |row| Self { family, row })
    }

    /// The number of kernels.
    #[must_use]
    pub const fn count() -> usize {
        rows(Family::Sha256) + rows(Family::Sha512) + rows(Family::Sha1) + rows(Family::Md5)
    }

    /// The plain Rust kernel: one lane, runs everywhere, and is the oracle for all others.
    #[must_use]
    pub const fn portable(family: Family) -> Self {
        Self { family, row: 0 }
    }

    /// The family's kernel with this name.
    #[must_use]
    pub fn named(family: Family, name: &str) -> Option<Self> {
        Self::of(family).find(|kernel| kernel.name() == name)
    }

    /// The compression function that it computes.
    #[must_use]
    #[inline]
    pub const fn family(self) -> Family {
        self.family
    }

    /// The name used in settings, metrics and benches; unique within the family.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// Lanes of one call.
    #[must_use]
    #[inline]
    pub fn lanes(self) -> usize {
        self.about().lanes
    }

    /// Whether `compress_chain` does several segments in one call, faster than in several calls.
    #[must_use]
    #[inline]
    pub(crate) fn chains(self) -> bool {
        self.about().chains
    }

    /// A small dense number for tables: the kernel's index in [`Kernel::all`].
    #[must_use]
    pub fn index(self) -> usize {
        let before = Family::ALL[..self.family.index()].iter();
        before.map(|family| rows(*family)).sum::<usize>() + self.row()
    }

    /// Whether this CPU can run the kernel. The standard library caches the answer, so this costs a
    /// load and a test.
    #[must_use]
    #[inline]
    pub fn is_available(self) -> bool {
        self.about().needs.are_met()
    }

    /// Its index in its compression's table.
    #[inline]
    pub(super) const fn row(self) -> usize {
        self.row as usize
    }

    #[inline]
    fn about(self) -> &'static About {
        match self.family {
            Family::Sha256 => &Sha256::ROWS[self.row()].about,
            Family::Sha512 => &Sha512::ROWS[self.row()].about,
            Family::Sha1 => &Sha1::ROWS[self.row()].about,
            Family::Md5 => &Md5::ROWS[self.row()].about,
        }
    }
}

impl Family {
    /// Words of the chaining value.
    pub(crate) const fn state_words(self) -> usize {
        match self {
            Self::Sha256 => Sha256::STATE_WORDS,
            Self::Sha512 => Sha512::STATE_WORDS,
            Self::Sha1 => Sha1::STATE_WORDS,
            Self::Md5 => Md5::STATE_WORDS,
        }
    }
}

const fn rows(family: Family) -> usize {
    match family {
        Family::Sha256 => Sha256::ROWS.len(),
        Family::Sha512 => Sha512::ROWS.len(),
        Family::Sha1 => Sha1::ROWS.len(),
        Family::Md5 => Md5::ROWS.len(),
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Kernel {
    /// As in `sha256:avx512x16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.family, self.name())
    }
}

/// A text that names no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseKernelError(String);

impl fmt::Display for ParseKernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown kernel {:?}, expected one of ", self.0)?;
        for (place, kernel) in Kernel::all().enumerate() {
            write!(f, "{}{kernel}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseKernelError {}

impl FromStr for Kernel {
    type Err = ParseKernelError;

    /// Parses the output of [`Display`](fmt::Display).
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::all()
            .find(|kernel| kernel.to_string() == name)
            .ok_or_else(|| ParseKernelError(name.to_owned()))
    }
}
