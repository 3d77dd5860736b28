//! The parts of a stream: which there are, what each expects, how it is answered.
//!
//! ```text
//! call/stream.rs ──messages──> Session ──chunks──> hashing
//!                <──answers───         <──digests─
//! ```
//!
//! session.rs keeps a stream's parts, part.rs is one of them, answer.rs what it is
//! answered with, algorithm.rs checks the algorithms and digests named.

pub(crate) mod algorithm;
mod answer;
#[allow(clippy::module_inception, reason = "one part, of the folder of parts")]
mod part;
mod session;

pub(crate) use self::part::verdict;
pub(crate) use self::session::Session;
