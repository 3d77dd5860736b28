//! Fields in, a header block out (RFC 7541 section 6), all as literals or indices of the static
//! table.

use bytes::{BufMut as _, BytesMut};
use http::{HeaderMap, StatusCode};

use super::table::static_index;

/// Appends a block with these fields. Trailers have no status. `is_first` is whether it is the first
/// block of its connection.
pub(crate) fn encode(
    is_first: bool,
    status: Option<StatusCode>,
    headers: &HeaderMap,
    block: &mut BytesMut,
) {
    if is_first {
        // The dynamic table has no room. Section 4.2: a peer that has made its table smaller
        // expects this.
        block.put_u8(0x20);
    }
    if let Some(status) = status {
        // The static table has this value.
        if status == StatusCode::OK {
            block.put_u8(0x88);
        } else {
            literal(":status", status.as_str().as_bytes(), block);
        }
    }
    for (name, value) in headers {
        literal(name.as_str(), value.as_bytes(), block);
    }
}

/// A literal that is not indexed (section 6.2.2).
fn literal(name: &str, value: &[u8], block: &mut BytesMut) {
    match static_index(name) {
        Some(index) => integer(0, 4, index, block),
        None => {
            block.put_u8(0);
            text(name.as_bytes(), block);
        }
    }
    text(value, block);
}

fn text(text: &[u8], block: &mut BytesMut) {
    integer(0, 7, text.len(), block);
    block.extend_from_slice(text);
}

/// An integer that begins with the last bits of a byte, after those of `first` (section 5.1).
#[allow(
    clippy::cast_possible_truncation,
    reason = "masked, or below the prefix"
)]
fn integer(first: u8, prefix_bits: u32, value: usize, block: &mut BytesMut) {
    let max = (1 << prefix_bits) - 1;
    if value < max {
        block.put_u8(first | value as u8);
        return;
    }
    block.put_u8(first | max as u8);
    let mut rest = value - max;
    while rest >= 0x80 {
        block.put_u8(rest as u8 & 0x7f | 0x80);
        rest >>= 7;
    }
    block.put_u8(rest as u8);
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::super::{Field, Name, Table};
    use super::*;

    #[test]
    fn a_block_is_as_in_the_rfc() {
        let mut headers = HeaderMap::new();
        headers.insert(
            http::header::CONTENT_TYPE,
            HeaderValue::from_static("application/grpc"),
        );
        headers.insert("x", HeaderValue::from_static("y"));
        let mut block = BytesMut::new();
        encode(true, Some(StatusCode::OK), &headers, &mut block);
        assert_eq!(
            &block[..],
            b"\x20\x88\x0f\x10\x10application/grpc\x00\x01x\x01y"
        );
        block.clear();
        encode(
            false,
            Some(StatusCode::NO_CONTENT),
            &HeaderMap::new(),
            &mut block,
        );
        assert_eq!(&block[..], b"\x08\x03204");
        // The example of section 5.1: 1337 with a prefix of 5 bits.
        block.clear();
        integer(0, 5, 1337, &mut block);
        assert_eq!(&block[..], [31, 154, 10]);
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes(values in prop::collection::vec("[!-~]{0,300}", 0..5)) {
            let mut headers = HeaderMap::new();
            for (at, value) in values.iter().enumerate() {
                let name = HeaderName::try_from(format!("x-{at}")).unwrap();
                headers.insert(name, HeaderValue::try_from(value).unwrap());
            }
            let mut block = BytesMut::new();
            encode(true, None, &headers, &mut block);
            let mut decoded = HeaderMap::new();
            Table::new().decode(&block, |Field { name, value }| {
                let Name::Header(name) = name else { panic!("{name:?}") };
                decoded.append(name, value.unwrap());
                Ok(())
            }).unwrap();
            prop_assert_eq!(decoded, headers);
        }
    }
}
