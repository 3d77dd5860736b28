//! Whole frames (RFC 9113 section 4.1).

use crate::{Head, call_headers, error, flag, kind};

/// A whole frame.
///
/// # Panics
/// If the payload has 4 GiB or more.
#[must_use]
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let bytes = payload.len();
    let head = Head {
        bytes,
        kind,
        flags,
        stream,
    };
    let mut frame = head.encode().to_vec();
    frame.extend_from_slice(payload);
    frame
}

/// HEADERS of a gRPC call of `path`, whole, with `more` fields after the usual ones.
///
/// # Panics
/// If a name or a value has more than 126 bytes.
#[must_use]
pub fn call(path: &str, stream: u32, flags: u8, more: &[(&str, &str)]) -> Vec<u8> {
    let block = call_headers("localhost", path, more);
    frame(kind::HEADERS, flag::END_HEADERS | flags, stream, &block)
}

/// A WINDOW_UPDATE of `stream`, or of the connection if that is 0.
#[must_use]
pub fn window_update(stream: u32, bytes: u32) -> Vec<u8> {
    frame(kind::WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

/// An RST_STREAM with CANCEL.
#[must_use]
pub fn reset(stream: u32) -> Vec<u8> {
    frame(kind::RST_STREAM, 0, stream, &error::CANCEL.to_be_bytes())
}

/// A PRIORITY frame.
#[must_use]
pub fn priority(stream: u32, depends_on: u32, weight: u8) -> Vec<u8> {
    let payload = [&depends_on.to_be_bytes()[..], &[weight]].concat();
    frame(kind::PRIORITY, 0, stream, &payload)
}

/// A SETTINGS frame of these names and values.
#[must_use]
pub fn settings(values: &[(u16, u32)]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(6 * values.len());
    for (name, value) in values {
        payload.extend_from_slice(&name.to_be_bytes());
        payload.extend_from_slice(&value.to_be_bytes());
    }
    frame(kind::SETTINGS, 0, 0, &payload)
}

/// The whole frames in `bytes`: heads and payloads.
pub fn frames(bytes: &[u8]) -> impl Iterator<Item = (Head, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (head, more) = rest.split_first_chunk()?;
        let head = Head::decode(head);
        let (payload, more) = more.split_at_checked(head.bytes)?;
        rest = more;
        Some((head, payload))
    })
}

/// The names and values of a SETTINGS payload.
pub fn settings_of(payload: &[u8]) -> impl Iterator<Item = (u16, u32)> {
    let (entries, _) = payload.as_chunks::<6>();
    entries.iter().map(|&[n0, n1, v0, v1, v2, v3]| {
        (
            u16::from_be_bytes([n0, n1]),
            u32::from_be_bytes([v0, v1, v2, v3]),
        )
    })
}

/// The number at `at` of a payload: an error code, or a window's increment.
#[must_use]
pub fn number_at(payload: &[u8], at: usize) -> Option<u32> {
    let bytes = payload.get(at..at + 4)?;
    bytes.try_into().ok().map(u32::from_be_bytes)
}

/// The data of a DATA frame without its padding. Nothing if the padding is longer than the
/// frame.
#[must_use]
pub fn data_of(head: Head, payload: &[u8]) -> Option<&[u8]> {
    if !head.has(flag::PADDED) {
        return Some(payload);
    }
    let (padding, rest) = payload.split_first()?;
    rest.get(..rest.len().checked_sub(usize::from(*padding))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_padding_is_refused() {
        let head = |flags| Head {
            bytes: 3,
            kind: kind::DATA,
            flags,
            stream: 1,
        };
        assert_eq!(data_of(head(0), &[1, 2, 3]), Some(&[1, 2, 3][..]));
        assert_eq!(data_of(head(flag::PADDED), &[1, 2, 3]), Some(&[2][..]));
        assert_eq!(data_of(head(flag::PADDED), &[3, 2, 3]), None);
    }
}
