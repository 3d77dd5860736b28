//! Reasons to refuse a stream.

use std::borrow::Cow;

/// Why the bytes of a stream were refused. All of these end the stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    /// prost (or the framing of gRPC) would refuse these bytes too.
    #[error("malformed message: {0}")]
    Malformed(Cow<'static, str>),
    /// The message's compressed flag is set. hashlane accepts no compressed messages.
    #[error("compressed messages are not supported")]
    Compressed,
    /// The length in the prefix exceeds the limit.
    #[error("message of {message_bytes} bytes is larger than the limit of {message_bytes_max}")]
    MessageTooLarge {
        /// The length in the prefix.
        message_bytes: usize,
        /// The limit.
        message_bytes_max: usize,
    },
    /// The fields besides `data` exceed the limit.
    #[error("fields other than data take more than the limit of {head_bytes_max} bytes")]
    HeadTooLarge {
        /// The limit.
        head_bytes_max: usize,
    },
    /// `data` occurs twice in one message. prost would drop the first.
    #[error("field data occurs twice in one message")]
    RepeatedData,
    /// Fields follow `data`, and there is no room to hold it until they are read.
    #[error("no room to hold data that other fields follow; data that ends its message needs none")]
    NoRoomToHold,
    /// The stream ended inside a message.
    #[error("stream ended inside a message")]
    Truncated,
}
