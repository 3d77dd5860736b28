//! The id of a call in the client's logs and in the server's logs.

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
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(REQUEST_ID).filter(|value| is_safe(value));
        let mut value = given.cloned().unwrap_or_else(make);
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

/// An id for a client that sends none: 16 hexadecimal digits, almost certainly unique across workers
/// and processes.
fn make() -> HeaderValue {
    // The standard library's only source of random numbers. Each has other keys, so the hashes of
    // one value differ.
    let text = format!("{:016x}", RandomState::new().hash_one(0));
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text))
        .unwrap_or_else(|_| HeaderValue::from_static("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: Option<&'static [u8]>) -> String {
        let mut headers = HeaderMap::new();
        if let Some(value) = value {
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(value).unwrap());
        }
        RequestId::of(&headers).as_str().to_owned()
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
        let mut made: Vec<_> = (0..10_000).map(|_| make()).collect();
        made.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
        made.dedup();
        assert_eq!(made.len(), 10_000);
        let of_thread = std::thread::spawn(make).join().unwrap();
        assert!(!made.contains(&of_thread));
    }
}
