//! How many lanes a message is dealt to.

/// How many lanes a message is dealt to. Other lanes, other digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// Four lanes.
    X4,
    /// Eight lanes.
    X8,
    /// Sixteen lanes.
    X16,
}

impl Width {
    /// Every width.
    pub const ALL: [Self; 3] = [Self::X4, Self::X8, Self::X16];

    /// The number of lanes.
    #[must_use]
    #[inline]
    pub const fn lanes(self) -> usize {
        4 << self as usize
    }
}
