//! Enums with a word for each value: labels of metrics, and values of settings.

/// A type with a word for each of its values.
pub(crate) trait Words: Copy + PartialEq + 'static {
    /// All values.
    const VALUES: &'static [Self];

    /// The word for this value.
    fn word(self) -> &'static str;
}

impl Words for bool {
    const VALUES: &'static [Self] = &[true, false];

    fn word(self) -> &'static str {
        if self { "true" } else { "false" }
    }
}

/// Declares an enum and the word for each of its values.
macro_rules! words {
    ($(#[$about:meta])* $visibility:vis enum $Name:ident {
        $($(#[$about_value:meta])* $Value:ident = $word:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $Name {$($(#[$about_value])* $Value,)+}

        impl $crate::words::Words for $Name {
            const VALUES: &'static [Self] = &[$(Self::$Value),+];

            fn word(self) -> &'static str {
                match self {$(Self::$Value => $word,)+}
            }
        }
    };
}

pub(crate) use words;
