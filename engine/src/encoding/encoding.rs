//! The encodings, by name.

use std::fmt;

/// A way to write digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Hexadecimal: written in lower case, read in either.
    Hex,
    /// Base64 with the standard alphabet and padding.
    Base64,
    /// OCI's `algorithm:hex`, lower case only.
    Oci,
    /// Subresource Integrity's `algorithm-base64`, one or several.
    Sri,
    /// RFC 9530's `algorithm=:base64:`, one or several: the value of a
    /// Content-Digest or Repr-Digest field.
    Rfc9530,
}

impl Encoding {
    /// Every encoding.
    pub const ALL: [Self; 5] = [Self::Hex, Self::Base64, Self::Oci, Self::Sri, Self::Rfc9530];

    /// The name used in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hex => "hex",
            Self::Base64 => "base64",
            Self::Oci => "oci",
            Self::Sri => "sri",
            Self::Rfc9530 => "rfc9530",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
