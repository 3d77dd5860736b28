//! Tells HTTP/1.1 from HTTP/2 by the first bytes that a client sends.

/// The methods of RFC 9110, and PATCH (RFC 5789).
const HTTP1_METHODS: [&[u8]; 9] = [
    b"GET ",
    b"HEAD ",
    b"POST ",
    b"PUT ",
    b"PATCH ",
    b"TRACE ",
    b"DELETE ",
    b"CONNECT ",
    b"OPTIONS ",
];

/// Bytes of HTTP/2's preface that no method of HTTP/1 begins with.
pub(super) const BYTES_MIN: usize = 2;

/// Whether a client speaks HTTP/1. `matched` is the beginning that HTTP/2's preface shares with what
/// the client sent (RFC 9113 section 3.4), and `rest` what has arrived of the rest.
pub(super) fn is_http1(matched: &[u8], rest: &[u8]) -> bool {
    let first: Vec<u8> = matched.iter().chain(rest).take(8).copied().collect();
    HTTP1_METHODS
        .iter()
        .any(|method| method.starts_with(&first) || first.starts_with(method))
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
            (b"", b"get /", false),
            (b"", b"\n", false),
        ] {
            assert_eq!(is_http1(matched, rest), expected, "{}", rest.escape_ascii());
        }
    }
}
