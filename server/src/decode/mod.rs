//! Decodes the request streams of `Digest` and `Verify` frame by frame. It hands on the bytes of
//! `data` without a copy and before their message is complete, unless other fields follow them.
//!
//! ```text
//! decoder.rs  Decoder: frames in, items out
//! prefix.rs   the prefix of a message: its length
//! fields.rs   finds field boundaries, and `data`
//! head.rs     Head: everything but `data`, decoded by prost
//! held.rs     data that other fields follow, held until they were read
//! error.rs    WireError
//! oracle.rs   (tests, fuzzing) the same stream decoded by prost, and the comparison
//! streams.rs  (tests) made-up streams
//! tests.rs    the comparison over made-up streams
//! order.rs    (tests) fields in any order, and held data
//! ```
//!
//! Path of a byte: an HTTP/2 DATA frame is `push`ed; `next` returns items until the frame is used
//! up. Each message yields one `Head`, then `Data` (one slice per frame that holds a piece of it,
//! never empty), then `End`.
//!
//! **The usual order costs nothing.** Encoders that write fields by number put `data` last.
//! Protobuf allows any order, and some encoders use it (Go's dynamicpb writes a random order).
//! Fields after `data` may name the part of its bytes, so the decoder holds the bytes until the
//! message ends. It reserves room as soon as it knows their length, and refuses the stream if there
//! is no room.
//!
//! **It agrees with prost.** prost itself decodes all fields but `data`, in the order in which they
//! arrived. So repeated fields, unknown fields, groups, depth and invalid input mean the same as in
//! prost. The decoder refuses what prost refuses, and returns what prost would decode. It also
//! refuses three things that prost accepts: more than one `data` in a message (no encoder writes
//! that), fields besides `data` that exceed `MessageLimits::head_bytes_max`, and held data beyond
//! the `Budget`.
//!
//! **It is bounded.** It holds the frame being read, at most `head_bytes_max` bytes and two varints of
//! incomplete fields, and the data it has reserved room for. Fields within one frame are decoded in
//! place; a message of only `data` allocates nothing.
//!
//! **Why not tonic.** tonic reassembles every message. That costs one more copy, and the complete
//! message must arrive first.
//!
//! Sources: gRPC over HTTP/2, "Length-Prefixed-Message"
//! (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>); protobuf
//! encoding (<https://protobuf.dev/programming-guides/encoding/>).

mod decoder;
mod error;
mod fields;
mod head;
mod held;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod order;
mod prefix;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod tests;

pub(crate) use self::decoder::{Decoder, Item, MessageLimits};
pub(crate) use error::WireError;
pub(crate) use head::{Head, MessageKind};
pub(crate) use prefix::{PREFIX_BYTES, encode_prefix, parse_prefix};
