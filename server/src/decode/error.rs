//! Why a stream was refused.

use std::borrow::Cow;

/// Why the bytes of a stream were refused. The stream cannot go on after any of
/// these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    /// prost (or gRPC's framing) would refuse these bytes too.
    #[error("malformed message: {0}")]
    Malformed(Cow<'static, str>),
    /// The message's compressed flag is set: hashlane takes no compressed
    /// messages.
    #[error("compressed messages are not supported")]
    Compressed,
    /// The length in the prefix is more than the limit.
    #[error("message of {message_bytes} bytes is larger than the limit of {message_bytes_max}")]
    MessageTooLarge {
        /// The length in the prefix.
        message_bytes: usize,
        /// The limit.
        message_bytes_max: usize,
    },
    /// The fields besides `data` are more than the limit.
    #[error("fields other than data take more than the limit of {head_bytes_max} bytes")]
    HeadTooLarge {
        /// The limit.
        head_bytes_max: usize,
    },
    /// `data` occurs twice in one message, of which prost would drop the first.
    #[error("field data occurs twice in one message")]
    RepeatedData,
    /// Fields follow `data`, and there is no room to hold it for so long.
    #[error("no room to hold data that other fields follow; data that ends its message needs none")]
    NoRoomToHold,
    /// The stream ended inside a message.
    #[error("stream ended inside a message")]
    Truncated,
}
