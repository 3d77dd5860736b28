//! A request's head, out of the fields of a header block (RFC 9113 section 8).

use http::header::{self, HeaderMap, HeaderName};
use http::{HeaderValue, Method};

use crate::hpack::{Field, Name, Pseudo};

/// A request without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `:method`.
    pub method: Method,
    /// `:path`; empty for CONNECT.
    pub path: String,
    /// All fields but pseudo-headers.
    pub headers: HeaderMap,
}

/// Why a header block is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadHead {
    /// Section 8.1.1.
    Malformed,
    /// It is larger than SETTINGS_MAX_HEADER_LIST_SIZE.
    TooLarge,
}

/// Collects the fields of a block.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// By [`Pseudo`].
    pseudo: [Option<HeaderValue>; 4],
    headers: HeaderMap,
    /// Bytes of all fields (section 10.5.1).
    bytes: usize,
    is_malformed: bool,
}

impl Fields {
    /// Adds a field. Beyond `bytes_max` fields are counted only.
    pub(crate) fn add(&mut self, field: Field, bytes_max: usize) {
        self.bytes += field.size();
        if self.bytes >= bytes_max || self.is_malformed {
            return;
        }
        self.is_malformed = self.insert(field).is_none();
    }

    /// `None` if no request may have the field.
    fn insert(&mut self, Field { name, value }: Field) -> Option<()> {
        let value = value.ok()?;
        match name {
            Name::Malformed(_) => return None,
            Name::Pseudo(pseudo) => {
                // They come first, each once (section 8.3).
                let place = &mut self.pseudo[pseudo as usize];
                if !self.headers.is_empty() || place.is_some() {
                    return None;
                }
                *place = Some(value);
            }
            Name::Header(name) => {
                if is_of_connection(&name) || name == header::TE && value != "trailers" {
                    return None;
                }
                self.headers.try_append(name, value).ok()?;
            }
        }
        Some(())
    }

    /// Bytes of all fields.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Builds the request.
    ///
    /// # Errors
    /// The fields are no valid request, or have `bytes_max` bytes or more.
    pub(crate) fn into_request(mut self, bytes_max: usize) -> Result<Request, BadHead> {
        if self.bytes >= bytes_max {
            return Err(BadHead::TooLarge);
        }
        self.request().ok_or(BadHead::Malformed)
    }

    fn request(&mut self) -> Option<Request> {
        if self.is_malformed {
            return None;
        }
        let mut take = |pseudo: Pseudo| self.pseudo[pseudo as usize].take();
        let method = Method::from_bytes(take(Pseudo::Method)?.as_bytes()).ok()?;
        let (scheme, path) = (take(Pseudo::Scheme), take(Pseudo::Path));
        let path = match path {
            Some(path) => path.to_str().ok()?.to_owned(),
            None => String::new(),
        };
        // Section 8.5: CONNECT has neither, all others have both.
        let is_complete = if method == Method::CONNECT {
            scheme.is_none() && path.is_empty()
        } else {
            scheme.is_some() && !path.is_empty()
        };
        is_complete.then(|| Request {
            method,
            path,
            headers: std::mem::take(&mut self.headers),
        })
    }

    /// Whether the fields may be trailers. They may have no pseudo-headers.
    pub(crate) fn are_trailers(&self) -> bool {
        !self.is_malformed && self.pseudo.iter().all(Option::is_none)
    }
}

/// Fields of a connection have no meaning in HTTP/2 (section 8.2.2).
fn is_of_connection(name: &HeaderName) -> bool {
    [
        header::CONNECTION,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
    ]
    .contains(name)
        || ["keep-alive", "proxy-connection"].contains(&name.as_str())
}

/// The length of the body that the request announces, if it does. `Err` if it announces it wrongly
/// or in two ways.
pub(crate) fn content_length(headers: &HeaderMap) -> Result<Option<u64>, BadHead> {
    let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    let Some(length) = lengths.next() else {
        return Ok(None);
    };
    let text = length.to_str().map_err(|_| BadHead::Malformed)?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) || lengths.any(|other| other != length) {
        return Err(BadHead::Malformed);
    }
    text.parse().map(Some).map_err(|_| BadHead::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES_MAX: usize = 1000;

    fn request(fields: &[(&str, &str)]) -> Result<Request, BadHead> {
        let mut collected = Fields::default();
        for (name, value) in fields {
            let field = Field::new(Name::parse(name.as_bytes()), value.as_bytes());
            collected.add(field, BYTES_MAX);
        }
        collected.into_request(BYTES_MAX)
    }

    const GRPC: [(&str, &str); 4] = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/a/b"),
        ("te", "trailers"),
    ];

    #[test]
    fn a_request_of_grpc() {
        let request = request(&GRPC).unwrap();
        assert_eq!(
            (request.method, request.path.as_str()),
            (Method::POST, "/a/b")
        );
        assert_eq!(request.headers.len(), 1);
    }

    #[test]
    fn malformed_requests() {
        let without = |at: usize| [&GRPC[..at], &GRPC[at + 1..]].concat();
        let with = |field: (&'static str, &'static str)| [&GRPC[..], &[field]].concat();
        for fields in [
            // One is missing, or comes twice, or too late.
            without(0),
            without(1),
            without(2),
            [&GRPC[..3], &GRPC[2..]].concat(),
            with((":authority", "a")),
            // What no request has.
            [&[(":status", "200")], &GRPC[..]].concat(),
            [&[(":protocol", "x")], &GRPC[..]].concat(),
            with(("Upper", "a")),
            with(("", "a")),
            with(("a", "b\nc")),
            with(("connection", "close")),
            with(("keep-alive", "1")),
            with(("transfer-encoding", "chunked")),
            with(("te", "gzip")),
            [
                &[(":method", "POST"), (":scheme", "http"), (":path", "")],
                &GRPC[3..],
            ]
            .concat(),
            vec![(":method", "CONNECT"), (":path", "/")],
        ] {
            assert_eq!(request(&fields), Err(BadHead::Malformed), "{fields:?}");
        }
        let connect = [(":method", "CONNECT"), (":authority", "a:1")];
        assert!(request(&connect).is_ok());
    }

    #[test]
    fn a_head_that_is_too_large() {
        let value = "x".repeat(BYTES_MAX);
        let fields = [&GRPC[..], &[("a", value.as_str())]].concat();
        assert_eq!(request(&fields), Err(BadHead::TooLarge));
        // Whatever else is wrong with it.
        let fields = [&[("Upper", value.as_str())], &GRPC[..]].concat();
        assert_eq!(request(&fields), Err(BadHead::TooLarge));
    }

    #[test]
    fn lengths_of_bodies() {
        let of = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(
                    header::CONTENT_LENGTH,
                    HeaderValue::from_str(value).unwrap(),
                );
            }
            content_length(&headers)
        };
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&["17"]), Ok(Some(17)));
        assert_eq!(of(&["17", "17"]), Ok(Some(17)));
        for wrong in [
            &["x"][..],
            &["+1"],
            &[""],
            &["1", "2"],
            &["18446744073709551616"],
        ] {
            assert_eq!(of(wrong), Err(BadHead::Malformed), "{wrong:?}");
        }
    }
}
