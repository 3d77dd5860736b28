//! A single stream: a drop-in for `sha2::Sha256`.

use std::sync::OnceLock;

use digest::{
    FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update, consts::U32,
};

use crate::{
    backend::Backend,
    crossover::Crossover,
    kernel::{self, BLOCK_BYTES, Columns, INITIAL_STATE, Input, Kernel},
    padding::{LENGTH_BYTES_MAX, PADDING_BYTES_MAX, digest_bytes, pad},
};

/// SHA-256 of one stream with the fastest one-lane kernel of this CPU.
///
/// Implements the traits of the `digest` crate, so it stands wherever
/// `sha2::Sha256` does.
///
/// ```
/// use digest::Digest;
///
/// let mut hasher = hashlane_engine::Sha256::new();
/// hasher.update(b"a");
/// hasher.update(b"bc");
/// assert_eq!(hasher.finalize()[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
#[derive(Clone)]
pub struct Sha256 {
    kernel: Kernel,
    state: [u32; 8],
    tail: [u8; BLOCK_BYTES],
    tail_len: usize,
    length: u64,
}

impl Sha256 {
    /// A hasher that uses `kernel`, or nothing if the CPU lacks it.
    #[must_use]
    pub fn with_kernel(kernel: Kernel) -> Option<Self> {
        kernel.is_available().then_some(Self {
            kernel,
            state: INITIAL_STATE,
            tail: [0; BLOCK_BYTES],
            tail_len: 0,
            length: 0,
        })
    }

    fn compress(&mut self, data: &[u8]) {
        let mut columns = Columns::new();
        columns.set(0, &self.state);
        kernel::compress(
            self.kernel,
            &mut columns,
            0,
            [Input::whole(data)],
            data.len() / BLOCK_BYTES,
        );
        self.state = columns.get(0);
    }

    fn finish(&mut self) -> [u8; 32] {
        let mut buffer = [0; BLOCK_BYTES + PADDING_BYTES_MAX];
        buffer[..self.tail_len].copy_from_slice(&self.tail[..self.tail_len]);
        let end = pad(&mut buffer, self.tail_len, self.length);
        self.compress(&buffer[..end]);
        digest_bytes(&self.state)
    }
}

impl Default for Sha256 {
    fn default() -> Self {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        let best = *BEST.get_or_init(|| {
            let kernels = Backend::detect();
            let single = kernels.kernels().iter().copied().filter(|k| k.lanes() == 1);
            let rates = single.filter_map(|kernel| {
                let rate = Crossover::only(kernel)?.step_bytes_per_second(1);
                Some((kernel, rate))
            });
            rates
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .map_or(Kernel::Portable, |(kernel, _)| kernel)
        });
        Self::with_kernel(best).expect("a detected kernel is available")
    }
}

impl Update for Sha256 {
    /// # Panics
    /// If the message would exceed 2^61 - 1 bytes.
    fn update(&mut self, mut data: &[u8]) {
        let length = self.length.checked_add(data.len() as u64);
        self.length = length
            .filter(|length| *length <= LENGTH_BYTES_MAX)
            .expect("a message of less than 2^61 bytes");
        if self.tail_len > 0 {
            let taken = data.len().min(BLOCK_BYTES - self.tail_len);
            self.tail[self.tail_len..self.tail_len + taken].copy_from_slice(&data[..taken]);
            self.tail_len += taken;
            data = &data[taken..];
            if self.tail_len < BLOCK_BYTES {
                return;
            }
            let block = self.tail;
            self.compress(&block);
        }
        let whole = data.len() - data.len() % BLOCK_BYTES;
        if whole > 0 {
            self.compress(&data[..whole]);
        }
        self.tail_len = data.len() - whole;
        self.tail[..self.tail_len].copy_from_slice(&data[whole..]);
    }
}

impl OutputSizeUser for Sha256 {
    type OutputSize = U32;
}

impl FixedOutput for Sha256 {
    fn finalize_into(mut self, out: &mut Output<Self>) {
        out.copy_from_slice(&self.finish());
    }
}

impl Reset for Sha256 {
    fn reset(&mut self) {
        *self = Self {
            state: INITIAL_STATE,
            tail_len: 0,
            length: 0,
            ..*self
        };
    }
}

impl FixedOutputReset for Sha256 {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        out.copy_from_slice(&self.finish());
        Reset::reset(self);
    }
}

impl HashMarker for Sha256 {}

impl std::io::Write for Sha256 {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        Update::update(self, data);
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl std::fmt::Debug for Sha256 {
    // The state would give away the message's digest.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sha256")
            .field("kernel", &self.kernel)
            .finish_non_exhaustive()
    }
}
