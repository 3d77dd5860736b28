//! Tells HTTP/1.1 from HTTP/2 by the first bytes that a client sends.

/// Bytes of HTTP/2's preface that no request of HTTP/1 begins with: the method PRI is reserved.
pub(super) const BYTES_MIN: usize = 4;

/// Most bytes of a request line that are looked at.
const LINE_BYTES_MAX: usize = 1 << 10;

/// Whether a client speaks HTTP/1, to judge by its request line. `matched` is the beginning that
/// HTTP/2's preface shares with what the client sent (RFC 9113 section 3.4), and `rest` what has
/// arrived of the rest.
pub(super) fn is_http1(matched: &[u8], rest: &[u8]) -> bool {
    let first = matched.iter().chain(rest).take(LINE_BYTES_MAX);
    let first: Vec<u8> = first.copied().collect();
    // An empty line may precede the request (RFC 9112 section 2.2).
    if first == b"\r" {
        return true;
    }
    let mut lines = first
        .strip_prefix(b"\r\n")
        .unwrap_or(&first)
        .split(|b| *b == b'\n');
    let line = lines.next().unwrap_or_default();
    let is_whole = lines.next().is_some();
    let method = line.split(|b| *b == b' ').next().unwrap_or_default();
    let names_version = || line.windows(8).any(|text| text == b" HTTP/1.");
    method != b"PRI" && method.iter().all(is_token) && (!is_whole || names_version())
}

/// Whether a method may have this byte (RFC 9110 section 5.6.2).
fn is_token(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell_the_protocol() {
        for (matched, rest, expected) in [
            (&b""[..], &b"GET / HTTP/1.1\r\n"[..], true),
            (b"", b"GE", true),
            (b"P", b"OST / HTTP/1.1\r\n", true),
            (b"P", b"U", true),
            (b"", b"OPTIONS * HTTP/1.1\r\n", true),
            (b"PRI * HTTP/", b"1.1\r\n", false),
            (b"", b"INVALID CONNECTION PREFACE\r\n\r\n", false),
            (b"", b"\x16\x03\x01\x02", false),
            (b"", b"get /", true),
            (b"PR", b"OPFIND / HTTP/1.1\r\n", true),
            (b"", b"\r\nGET / HTTP/1.1\r\n", true),
            (b"", b"\r", true),
            (b"", b"a(b) / HTTP/1.1\r\n", false),
            (b"", b"\n", false),
        ] {
            assert_eq!(is_http1(matched, rest), expected, "{}", rest.escape_ascii());
        }
    }
}
