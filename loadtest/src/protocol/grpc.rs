//! The part of gRPC over HTTP/2 that this crate implements.

use bytes::{BufMut as _, Bytes, BytesMut};
use prost::Message;

/// The paths of the calls.
pub(crate) const DIGEST_PATH: &str = "/hashlane.v1.HashService/Digest";
pub(crate) const VERIFY_PATH: &str = "/hashlane.v1.HashService/Verify";
pub(crate) const DIGEST_BATCH_PATH: &str = "/hashlane.v1.HashService/DigestBatch";
pub(crate) const COMPOSE_PATH: &str = "/hashlane.v1.HashService/Compose";
pub(crate) const INFO_PATH: &str = "/hashlane.v1.HashService/GetServerInfo";
pub(crate) const HEALTH_WATCH_PATH: &str = "/grpc.health.v1.Health/Watch";

/// A gRPC message's prefix: compressed flag and length (gRPC over HTTP/2,
/// "Length-Prefixed-Message").
pub(crate) const PREFIX_BYTES: usize = 5;

/// `message` with its gRPC prefix.
pub(crate) fn frame(message: &impl Message) -> Bytes {
    let len = message.encoded_len();
    let mut framed = BytesMut::with_capacity(PREFIX_BYTES + len);
    framed.put_u8(0);
    framed.put_u32(u32::try_from(len).expect("a chunk is at most 16 MiB"));
    message
        .encode(&mut framed)
        .expect("the buffer has room for the message");
    framed.freeze()
}
