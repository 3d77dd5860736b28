//! The id of a call in the client's logs and in the server's logs.

use std::cell::Cell;
use std::hash::{BuildHasher as _, RandomState};

use http::{HeaderMap, HeaderValue};

/// The request header and the response trailer with the id.
pub(crate) const REQUEST_ID: &str = "x-request-id";

/// Long enough for two UUIDs.
const BYTES_MAX: usize = 64;

/// The client's id if it has 1 to 64 bytes that are safe in any log, else a generated id.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// The id of a request with these headers.
    pub(crate) fn of(headers: &HeaderMap, made: &RequestIds) -> Self {
        let given = headers.get(REQUEST_ID).filter(|value| is_safe(value));
        let mut value = given.cloned().unwrap_or_else(|| made.next());
        // Each id is sent once, so in HPACK's tables it would only evict other entries.
        value.set_sensitive(true);
        Self(value)
    }

    pub(crate) fn as_str(&self) -> &str {
        // Generated and safe ids are text.
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn header(&self) -> &HeaderValue {
        &self.0
    }
}

fn is_safe(value: &HeaderValue) -> bool {
    let is_safe = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:/+=@~".contains(b);
    (1..=BYTES_MAX).contains(&value.len()) && value.as_bytes().iter().all(is_safe)
}

/// Generates ids for clients that send none: 16 hexadecimal digits, almost certainly unique across
/// workers and processes.
#[derive(Debug)]
pub(crate) struct RequestIds(Cell<u64>);

impl RequestIds {
    pub(crate) fn new() -> Self {
        // The standard library's only source of random numbers.
        Self(Cell::new(RandomState::new().hash_one(0)))
    }

    fn next(&self) -> HeaderValue {
        let n = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(n);
        // SplitMix64 (Steele, Lea and Flood 2014): a permutation, so no value repeats.
        let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let text = format!("{:016x}", n ^ (n >> 31));
        HeaderValue::from_maybe_shared(bytes::Bytes::from(text))
            .unwrap_or_else(|_| HeaderValue::from_static("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: Option<&'static [u8]>) -> String {
        let mut headers = HeaderMap::new();
        if let Some(value) = value {
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(value).unwrap());
        }
        RequestId::of(&headers, &RequestIds::new())
            .as_str()
            .to_owned()
    }

    #[test]
    fn a_safe_one_is_taken_and_any_other_is_not() {
        const LONG: &[u8] = &[b'a'; 65];
        for safe in [&b"a"[..], b"9f0e-_.:/+=@~Z", &LONG[..64]] {
            assert_eq!(of(Some(safe)).as_bytes(), safe);
        }
        for other in [
            &b""[..],
            b"a b",
            b"a\"b",
            b"a\\b",
            b"a\tb",
            b"a;b",
            b"\xc3\xa4",
            LONG,
        ] {
            let made = of(Some(other));
            let is_made = made.len() == 16 && made.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_made, "{other:?}: {made}");
        }
    }

    #[test]
    fn those_that_are_made_differ() {
        let ids = RequestIds::new();
        let mut made: Vec<_> = (0..10_000).map(|_| ids.next()).collect();
        made.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
        made.dedup();
        assert_eq!(made.len(), 10_000);
        assert_ne!(of(None), of(None), "of two processes");
    }
}
