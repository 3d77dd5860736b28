//! Header blocks (RFC 7541), without a dynamic table and without Huffman coding: the same for every
//! call.

/// The header block of a gRPC call of `path`, and `more` fields after the usual ones.
///
/// # Panics
/// If a text has more than 126 bytes.
#[must_use]
pub fn call_headers(authority: &str, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
    // `:method: POST` and `:scheme: http` of the static table.
    let mut block = vec![0x83, 0x86];
    // Literals without indexing: `:path` and `:authority` are names 4 and 1 of the table.
    block.push(0x04);
    string(&mut block, path);
    block.push(0x01);
    string(&mut block, authority);
    // Name 31, `content-type`, in a prefix of four bits.
    block.extend([0x0f, 31 - 15]);
    string(&mut block, "application/grpc");
    for (name, value) in [("te", "trailers")].iter().chain(more) {
        literal(&mut block, name, value);
    }
    block
}

/// Appends a field that is not indexed (section 6.2.2).
///
/// # Panics
/// If a text has more than 126 bytes.
pub fn literal(block: &mut Vec<u8>, name: &str, value: &str) {
    block.push(0);
    string(block, name);
    string(block, value);
}

fn string(block: &mut Vec<u8>, text: &str) {
    // Such a length is one byte (section 5.1).
    let len = u8::try_from(text.len()).ok().filter(|len| *len < 0x7f);
    block.push(len.expect("names and values are short"));
    block.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_blocks_are_as_in_rfc_7541() {
        let block = call_headers("h:1", "/a/b", &[("x", "yz")]);
        let expected = b"\x83\x86\x04\x04/a/b\x01\x03h:1\x0f\x10\x10application/grpc\
            \x00\x02te\x08trailers\x00\x01x\x02yz";
        assert_eq!(block, expected);
    }
}
