//! The prefix of a gRPC message: the compressed flag, then the length in big-endian order.

use super::error::WireError;

/// Bytes of the prefix.
pub(crate) const PREFIX_BYTES: usize = 5;

/// The prefix of a message of `length` bytes.
pub(crate) fn encode_prefix(length: u32) -> [u8; PREFIX_BYTES] {
    let [a, b, c, d] = length.to_be_bytes();
    [0, a, b, c, d]
}

/// The length of the message after `prefix`.
///
/// # Errors
///
/// The message is compressed, or larger than `message_bytes_max`; or the flag is malformed.
#[inline]
pub(crate) fn parse_prefix(
    prefix: [u8; PREFIX_BYTES],
    message_bytes_max: usize,
) -> Result<usize, WireError> {
    let [compressed, length @ ..] = prefix;
    match compressed {
        0 => {}
        1 => return Err(WireError::Compressed),
        _ => {
            let message = "compressed flag is neither 0 nor 1";
            return Err(WireError::Malformed(message.into()));
        }
    }
    let message_bytes = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if message_bytes > message_bytes_max {
        return Err(WireError::MessageTooLarge {
            message_bytes,
            message_bytes_max,
        });
    }
    Ok(message_bytes)
}
