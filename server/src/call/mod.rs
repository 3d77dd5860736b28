//! One call's life: from the request's headers to its status.
//!
//! ```text
//! router.rs ──> admission.rs ── refused? ──> a status at once
//!                   │
//!                   v
//!                 Call ── Digest, Verify ──> stream.rs ──> decode ──> part
//! ```
//!
//! admission.rs admits a call or refuses it; call.rs registers and counts it; life.rs ends it in
//! time; rate.rs is the least rate of a stream; memory_ranges.rs reads shared memory; peer.rs holds
//! what the calls of a connection share.

mod admission;
#[allow(clippy::module_inception, reason = "one call, of the folder of calls")]
mod call;
mod life;
mod memory_ranges;
mod peer;
mod rate;
mod stream;

pub(crate) use self::call::Call;
pub(crate) use self::life::Life;
pub(crate) use self::peer::Peer;
pub(crate) use self::stream::Stream;
