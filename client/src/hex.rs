//! Digests as people write them.

use std::fmt::Write as _;

/// Bytes of a SHA-256 digest.
pub const DIGEST_BYTES: usize = 32;

/// A SHA-256 digest, raw.
pub type Digest = [u8; DIGEST_BYTES];

/// Lower-case hexadecimal, two digits a byte.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The digest that 64 hexadecimal digits of either case stand for, or `None`
/// for anything else.
pub fn decode_digest(text: &[u8]) -> Option<Digest> {
    let mut digest = [0; DIGEST_BYTES];
    if text.len() != digest.len() * 2 {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(digest)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_survives_the_round_trip() {
        let digest: Digest = std::array::from_fn(|i| u8::try_from(i * 7 + 3).unwrap());
        let text = encode(&digest);
        assert_eq!(text.len(), 64);
        assert_eq!(decode_digest(text.as_bytes()), Some(digest));
        assert_eq!(decode_digest(text.to_uppercase().as_bytes()), Some(digest));
    }

    #[test]
    fn what_is_not_64_hexadecimal_digits_is_refused() {
        let good = "0".repeat(64);
        assert!(decode_digest(good.as_bytes()).is_some());
        assert_eq!(decode_digest(&good.as_bytes()[1..]), None);
        assert_eq!(decode_digest(format!("{good}0").as_bytes()), None);
        assert_eq!(decode_digest(good.replacen('0', "g", 1).as_bytes()), None);
        assert_eq!(decode_digest(good.replacen('0', "+", 1).as_bytes()), None);
    }
}
