//! The connection preface, and the header block of a call.

use super::frame::{WINDOW_BYTES_DEFAULT, WINDOW_BYTES_MAX, setting, settings, window_update};

/// The first bytes of a client (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Preface and SETTINGS of a client with the largest possible windows, so that it never holds an
/// answer back.
pub(crate) fn opening() -> Vec<u8> {
    let mut opening = PREFACE.to_vec();
    opening.extend(settings(&[(
        setting::INITIAL_WINDOW_SIZE,
        WINDOW_BYTES_MAX,
    )]));
    let default = u32::try_from(WINDOW_BYTES_DEFAULT).expect("a positive constant");
    opening.extend(window_update(0, WINDOW_BYTES_MAX - default));
    opening
}

/// The same, with the initial connection window.
pub(crate) fn preface() -> Vec<u8> {
    let mut preface = PREFACE.to_vec();
    preface.extend(settings(&[(
        setting::INITIAL_WINDOW_SIZE,
        WINDOW_BYTES_MAX,
    )]));
    preface
}

/// Preface and SETTINGS of a client whose windows of zero allow no answer.
pub(crate) fn closed_preface() -> Vec<u8> {
    let mut preface = PREFACE.to_vec();
    preface.extend(settings(&[(setting::INITIAL_WINDOW_SIZE, 0)]));
    preface
}

/// The header block (RFC 7541) of a gRPC call of `path`, without a dynamic table and without
/// Huffman coding, so that it is the same for every call.
pub(crate) fn call_headers(authority: &str, path: &str) -> Vec<u8> {
    // `:method: POST` and `:scheme: http` of the static table.
    let mut block = vec![0x83, 0x86];
    // Literals without indexing: `:path` and `:authority` are entries 4 and 1 of the static table.
    block.push(0x04);
    string(&mut block, path);
    block.push(0x01);
    string(&mut block, authority);
    // Entry 31, `content-type`, with a 4-bit prefix.
    block.extend([0x0f, 31 - 15]);
    string(&mut block, "application/grpc");
    block.push(0x00);
    string(&mut block, "te");
    string(&mut block, "trailers");
    block
}

fn string(block: &mut Vec<u8>, text: &str) {
    let len = u8::try_from(text.len()).ok().filter(|len| *len < 0x7f);
    block.push(len.expect("names of methods and addresses are short"));
    block.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_blocks_are_as_in_rfc_7541() {
        let block = call_headers("h:1", "/a/b");
        let expected =
            b"\x83\x86\x04\x04/a/b\x01\x03h:1\x0f\x10\x10application/grpc\x00\x02te\x08trailers";
        assert_eq!(block, expected);
    }

    #[test]
    fn a_connection_opens_with_the_largest_windows() {
        let opening = opening();
        let rest = opening.strip_prefix(PREFACE).unwrap();
        assert_eq!(rest.len(), 9 + 6 + 9 + 4);
        assert_eq!(rest[9..15], [0, 4, 0x7f, 0xff, 0xff, 0xff]);
        assert_eq!(rest[24..], [0x7f, 0xff, 0, 0]);
    }
}
