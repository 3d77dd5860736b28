//! The parts of a stream: which there are, what each expects, how it is answered.
//!
//! ```text
//! call/stream.rs ──messages──> Session ──chunks──> hashing
//!                <──answers───         <──digests─
//! ```
//!
//! session.rs keeps a stream's parts, part.rs is one of them, algorithm.rs checks the
//! algorithms and digests named.

pub(crate) mod algorithm;
#[allow(clippy::module_inception, reason = "one part, of the folder of parts")]
mod part;
mod session;

pub(crate) use self::part::verdict;
pub(crate) use self::session::Session;
