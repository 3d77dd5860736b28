//! Hashers for single streams, as replacements for those of sha2, sha1 and md-5.
//!
//! Buffering and traits come from the `digest` crate. A core has a state and the single-lane kernel
//! that is fastest on this CPU.

use std::fmt;

use digest::{
    HashMarker, Output, Reset,
    array::Array,
    block_api::{
        AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, CoreProxy as _, Eager,
        FixedOutputCore, OutputSizeUser, UpdateCore,
    },
    consts::{U16, U20, U28, U32, U48, U64, U128},
};

use crate::{
    algorithm::{Algorithm, Method},
    digest::Digest,
    kernel::{self, Compression, Kernel, State, compress_one},
    padding::{PADDING_BYTES_MAX, longer, pad},
    schedule::single,
    sink::Sink,
};

/// One hash with one kernel, without a buffer.
#[derive(Clone)]
struct Core<H: Compression> {
    algorithm: Algorithm,
    kernel: Kernel,
    state: State<H::Word>,
    /// Bytes hashed so far: whole blocks.
    length_bytes: u64,
}

impl<H: Compression> Core<H> {
    const fn new(algorithm: Algorithm, kernel: Kernel, initial: &State<H::Word>) -> Self {
        Self {
            algorithm,
            kernel,
            state: *initial,
            length_bytes: 0,
        }
    }

    #[inline]
    fn update(&mut self, blocks: &[u8]) {
        self.length_bytes = longer(self.length_bytes, blocks.len());
        compress_one::<H>(self.kernel, &mut self.state, blocks);
    }

    #[inline]
    fn finish(&mut self, tail: &[u8], out: &mut [u8]) {
        let mut padded = [0; 128 + PADDING_BYTES_MAX];
        padded[..tail.len()].copy_from_slice(tail);
        let length_bytes = longer(self.length_bytes, tail.len());
        let end = pad::<H>(&mut padded, tail.len(), length_bytes);
        compress_one::<H>(self.kernel, &mut self.state, &padded[..end]);
        let len = self.algorithm.digest_bytes();
        out.copy_from_slice(&Digest::of_state::<H>(len, &self.state));
    }
}

macro_rules! hasher {
    (
        $name:ident, $core:ident, $peer:literal, $compression:ty, $initial:expr,
        block: $block:ty, output: $output:ty, example: $example:literal
    ) => {
        #[doc = concat!("The block-level core of [`", stringify!($name), "`].")]
        #[derive(Clone)]
        pub struct $core(Core<$compression>);

        digest::buffer_fixed!(
            #[doc = concat!(
                stringify!($name), " of one stream with the fastest one-lane kernel of this CPU."
            )]
            ///
            #[doc = concat!(
                "Implements the traits of the `digest` crate, so it stands wherever `",
                $peer, "` does, `Hmac` included. The first of a process times the kernels of one lane (1 ms)."
            )]
            ///
            /// ```
            /// use digest::Digest;
            ///
            #[doc = concat!("let mut hasher = hashlane_engine::", stringify!($name), "::new();")]
            /// hasher.update(b"a");
            /// hasher.update(b"bc");
            #[doc = concat!("assert_eq!(hasher.finalize()[..4], ", $example, ");")]
            /// ```
            pub struct $name($core);
            impl: BaseFixedTraits AlgorithmName Default Clone HashMarker Reset FixedOutputReset;
        );

        impl $name {
            /// A hasher that uses `kernel`. `None` if the CPU lacks it, it has several lanes, or it
            /// belongs to another hash.
            #[must_use]
            pub fn with_kernel(kernel: Kernel) -> Option<Self> {
                let fits = kernel.family() == <$compression>::FAMILY && kernel.lanes() == 1;
                let core = $core(Core::new(Algorithm::$name, kernel, $initial));
                (fits && kernel.is_available()).then(|| Self::compose(core, Buffer::<$core>::default()))
            }
        }

        impl Default for $core {
            fn default() -> Self {
                let kernel = single(<$compression>::FAMILY);
                Self(Core::new(Algorithm::$name, kernel, $initial))
            }
        }

        impl Reset for $core {
            fn reset(&mut self) {
                self.0 = Core::new(Algorithm::$name, self.0.kernel, $initial);
            }
        }

        impl HashMarker for $core {}

        impl BlockSizeUser for $core {
            type BlockSize = $block;
        }

        impl BufferKindUser for $core {
            type BufferKind = Eager;
        }

        impl OutputSizeUser for $core {
            type OutputSize = $output;
        }

        impl UpdateCore for $core {
            #[inline]
            fn update_blocks(&mut self, blocks: &[Block<Self>]) {
                self.0.update(Array::cast_slice_to_core(blocks).as_flattened());
            }
        }

        impl FixedOutputCore for $core {
            #[inline]
            fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
                self.0.finish(buffer.get_data(), out);
            }
        }

        impl AlgorithmName for $core {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }

        impl fmt::Debug for $core {
            // The state would reveal the message's digest.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($core))
                    .field("kernel", &self.0.kernel)
                    .finish_non_exhaustive()
            }
        }

        impl std::io::Write for $name {
            fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
                digest::Update::update(self, data);
                Ok(data.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
    };
}

hasher!(
    Sha256, Sha256Core, "sha2::Sha256", kernel::Sha256, &kernel::sha256::INITIAL,
    block: U64, output: U32, example: "[0xba, 0x78, 0x16, 0xbf]"
);
hasher!(
    Sha224, Sha224Core, "sha2::Sha224", kernel::Sha256, &kernel::sha256::INITIAL_224,
    block: U64, output: U28, example: "[0x23, 0x09, 0x7d, 0x22]"
);
hasher!(
    Sha512, Sha512Core, "sha2::Sha512", kernel::Sha512, &kernel::sha512::INITIAL,
    block: U128, output: U64, example: "[0xdd, 0xaf, 0x35, 0xa1]"
);
hasher!(
    Sha384, Sha384Core, "sha2::Sha384", kernel::Sha512, &kernel::sha512::INITIAL_384,
    block: U128, output: U48, example: "[0xcb, 0x00, 0x75, 0x3f]"
);
hasher!(
    Sha1, Sha1Core, "sha1::Sha1", kernel::Sha1, &kernel::sha1::INITIAL,
    block: U64, output: U20, example: "[0xa9, 0x99, 0x3e, 0x36]"
);
hasher!(
    Md5, Md5Core, "md5::Md5", kernel::Md5, &kernel::md5::INITIAL,
    block: U64, output: U16, example: "[0x90, 0x01, 0x50, 0x98]"
);

/// One stream with any algorithm.
///
/// ```
/// use hashlane_engine::{Algorithm, Hasher};
///
/// let mut hasher = Hasher::new(Algorithm::Crc32);
/// hasher.update(b"1234");
/// hasher.update(b"56789");
/// assert_eq!(hasher.finalize().to_string(), "cbf43926");
/// ```
#[derive(Clone, Debug)]
pub struct Hasher(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Sha256(Sha256),
    Sha224(Sha224),
    Sha512(Sha512),
    Sha384(Sha384),
    Sha1(Sha1),
    Md5(Md5),
    Sink(Sink),
}

macro_rules! each {
    ($inner:expr, $hasher:ident => $hash:expr, $sink:ident => $else:expr) => {
        match $inner {
            Inner::Sha256($hasher) => $hash,
            Inner::Sha224($hasher) => $hash,
            Inner::Sha512($hasher) => $hash,
            Inner::Sha384($hasher) => $hash,
            Inner::Sha1($hasher) => $hash,
            Inner::Md5($hasher) => $hash,
            Inner::Sink($sink) => $else,
        }
    };
}

impl Hasher {
    /// The state before any byte.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        Self(match algorithm {
            Algorithm::Sha256 => Inner::Sha256(Sha256::default()),
            Algorithm::Sha224 => Inner::Sha224(Sha224::default()),
            Algorithm::Sha512 => Inner::Sha512(Sha512::default()),
            Algorithm::Sha384 => Inner::Sha384(Sha384::default()),
            Algorithm::Sha1 => Inner::Sha1(Sha1::default()),
            Algorithm::Md5 => Inner::Md5(Md5::default()),
            _ => match algorithm.method() {
                Method::Sink(kind) => Inner::Sink(Sink::new(kind)),
                _ => unreachable!("every algorithm with lanes has a hasher"),
            },
        })
    }

    /// Takes the stream's next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        each!(&mut self.0, hasher => digest::Update::update(hasher, bytes), sink => sink.update(bytes));
    }

    /// The digest of all bytes.
    #[must_use]
    pub fn finalize(self) -> Digest {
        each!(
            self.0,
            hasher => Digest::new(&digest::FixedOutput::finalize_fixed(hasher)),
            sink => sink.finalize()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The padding cannot hold the length of a longer message.
    #[test]
    fn no_message_has_2_to_the_61_bytes() {
        let most = (1 << 61) - 1;
        let core = |length_bytes| Core::<kernel::Sha256> {
            length_bytes,
            ..Core::new(
                Algorithm::Sha256,
                Kernel::portable(kernel::Family::Sha256),
                &kernel::sha256::INITIAL,
            )
        };
        let refuses = |before: u64, whole: usize, tail: usize| {
            let hash = || {
                let mut core = core(before);
                core.update(&[0; 64][..whole]);
                core.finish(&[0; 64][..tail], &mut [0; 32]);
            };
            // The panic must not be an overflow's, which only some builds check.
            let message = |panic: Box<dyn std::any::Any + Send>| {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                text.or_else(|| panic.downcast_ref::<String>().cloned())
            };
            let panic = std::panic::catch_unwind(hash).err();
            panic.is_some_and(|panic| message(panic).is_some_and(|text| text.contains("2^61")))
        };
        assert!(!refuses(most - 63, 0, 63));
        assert!(refuses(most - 63, 64, 0));
        assert!(refuses(most - 62, 0, 63));
        assert!(!refuses(most - 127, 64, 63));
    }
}
