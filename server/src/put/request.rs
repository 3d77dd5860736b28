//! What a request asks for: its query and its digest fields.

use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_engine::encoding::Encoding;
use hashlane_proto::v1::{AlgorithmDigest, PartOptions};
use http::{HeaderMap, header};
use tonic::Status;

use crate::decode::{Head, MessageKind};
use crate::part::algorithm;
use crate::status::{self, Reason};

/// The digest fields of RFC 9530. A PUT carries a whole representation, so both are the same.
const DIGEST_FIELDS: [&str; 2] = ["content-digest", "repr-digest"];

/// RFC 1864.
const CONTENT_MD5: &str = "content-md5";

/// S3's checksum fields, each with the name of an algorithm.
const S3_PREFIX: &str = "x-amz-checksum-";

/// Fields of S3 that begin like a checksum and are none.
const S3_OTHERS: [&str; 3] = ["algorithm", "mode", "type"];

/// Checks how the body is framed. hyper accepts more codings; servers in front of this one may
/// understand them differently.
///
/// # Errors
/// A transfer coding other than `chunked`.
pub(super) fn check_framing(headers: &HeaderMap) -> Result<(), Status> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next()
        && (!coding.as_bytes().eq_ignore_ascii_case(b"chunked") || codings.next().is_some())
    {
        return Err(malformed("transfer-encoding", "it is not `chunked` alone"));
    }
    Ok(())
}

/// Whether the client waits for an interim response before it sends the body (RFC 9110 section
/// 10.1.1).
pub(super) fn expects_continue(headers: &HeaderMap) -> bool {
    let expected = headers.get(header::EXPECT);
    expected.is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// The length of the body, if the client tells it.
pub(super) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// Reads a request as the head of its only part.
///
/// # Errors
/// A query or a digest that cannot be understood: nothing is ignored that a client wants checked.
pub(super) fn parse(
    query: Option<&str>,
    headers: &HeaderMap,
) -> Result<(MessageKind, Head), Status> {
    // RFC 9110, section 14.5: a server that does not support partial PUT must refuse it.
    if headers.contains_key(header::CONTENT_RANGE) {
        return Err(malformed("content-range", "only whole bodies are digested"));
    }
    // It frames pieces within the body, and other codings are part of what is digested.
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let codings = codings.filter_map(|it| it.to_str().ok());
    let mut codings = codings.flat_map(|it| it.split(','));
    if codings.any(|it| it.trim().eq_ignore_ascii_case("aws-chunked")) {
        return Err(malformed("content-encoding", "aws-chunked is not decoded"));
    }
    let algorithms = algorithms(query.unwrap_or_default())?;
    let expected = expected(headers)?;
    let kind = if expected.is_empty() {
        MessageKind::Digest
    } else {
        MessageKind::Verify
    };
    let head = Head {
        part: 0,
        open: Some(PartOptions {
            algorithms,
            size_bytes: content_length(headers),
        }),
        expected,
        last: true,
        memory: None,
    };
    Ok((kind, head))
}

fn malformed(field: &str, message: impl Into<String>) -> Status {
    status::invalid(field, Reason::MalformedRequest, message)
}

/// The algorithms of `algorithm=sha256,md5`, by number.
fn algorithms(query: &str) -> Result<Vec<i32>, Status> {
    let mut numbers = Vec::new();
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        if key != "algorithm" {
            let message = "the query has a parameter other than `algorithm`";
            return Err(malformed("query", message));
        }
        for name in value.split(',') {
            let algorithm = name.parse::<Algorithm>().map_err(|_| {
                let message = format!("the query names an algorithm that is none of {}", names());
                status::invalid("algorithm", Reason::UnsupportedAlgorithm, message)
            })?;
            let number = algorithm::number(algorithm);
            if numbers.contains(&number) {
                let message = format!("the query names {algorithm} twice");
                return Err(status::invalid(
                    "algorithm",
                    Reason::DuplicateAlgorithm,
                    message,
                ));
            }
            numbers.push(number);
        }
    }
    Ok(numbers)
}

fn names() -> String {
    let names: Vec<_> = algorithm::offered().map(Algorithm::name).collect();
    names.join(", ")
}

/// Every digest that the client expects.
fn expected(headers: &HeaderMap) -> Result<Vec<AlgorithmDigest>, Status> {
    let mut expected: Vec<AlgorithmDigest> = Vec::new();
    let mut expect = |field: &str, algorithm: Algorithm, digest: &[u8]| {
        let bytes = algorithm.digest_bytes();
        if digest.len() != bytes {
            let message = format!(
                "{field}: a digest of {algorithm} has {bytes} bytes, not {}",
                digest.len()
            );
            return Err(status::invalid(field, Reason::DigestLength, message));
        }
        let number = algorithm::number(algorithm);
        // Clients may give the same digest in several fields.
        if let Some(earlier) = expected.iter().find(|it| it.algorithm == number) {
            if earlier.digest == digest {
                return Ok(());
            }
            let message = format!("{field}: another digest of {algorithm} is expected, too");
            return Err(malformed(field, message));
        }
        expected.push(AlgorithmDigest {
            algorithm: number,
            digest: Bytes::copy_from_slice(digest),
        });
        Ok(())
    };
    for field in DIGEST_FIELDS {
        let lines = headers.get_all(field).iter();
        let lines: Option<Vec<_>> = lines.map(|line| line.to_str().ok()).collect();
        let lines = lines.ok_or_else(|| malformed(field, format!("{field} is not ASCII")))?;
        if !lines.is_empty() {
            // Several lines are one dictionary (RFC 9651, section 4.2).
            let text = lines.join(", ");
            let parsed = Encoding::Rfc9530.parse(&text);
            for digest in parsed.map_err(|error| malformed(field, format!("{field}: {error}")))? {
                if let Some(algorithm) = digest.algorithm {
                    expect(field, algorithm, &digest.digest)?;
                }
            }
        }
    }
    for (name, value) in headers {
        let name = name.as_str();
        let algorithm = if name == CONTENT_MD5 {
            Algorithm::Md5
        } else if let Some(algorithm) = name.strip_prefix(S3_PREFIX) {
            if S3_OTHERS.contains(&algorithm) {
                continue;
            }
            algorithm.parse().map_err(|_| {
                let message = "an x-amz-checksum field names an unknown algorithm";
                status::invalid("x-amz-checksum", Reason::UnsupportedAlgorithm, message)
            })?
        } else {
            continue;
        };
        let text = value.to_str().unwrap_or_default();
        let parsed = Encoding::Base64.parse(text);
        for digest in parsed.map_err(|_| malformed(name, format!("{name} is not base64")))? {
            expect(name, algorithm, &digest.digest)?;
        }
    }
    Ok(expected)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    const MD5: &str = "CY9rzUYh03PK3k6DJie09g==";
    const SHA256: &str = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=";

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        let fields = fields.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_str(value).unwrap())
        });
        let mut headers = HeaderMap::new();
        fields.for_each(|(name, value)| _ = headers.append(name, value));
        headers
    }

    fn expects(fields: &[(&'static str, &str)]) -> Vec<(i32, usize)> {
        let (kind, head) = parse(None, &headers(fields)).unwrap();
        let is_verify = kind == MessageKind::Verify;
        assert_eq!(is_verify, !head.expected.is_empty());
        let lengths = head.expected.iter().map(|e| (e.algorithm, e.digest.len()));
        lengths.collect()
    }

    fn refused(query: &str, fields: &[(&'static str, &str)]) -> Reason {
        let refusal = parse(Some(query), &headers(fields)).unwrap_err();
        assert_eq!(refusal.code(), tonic::Code::InvalidArgument);
        Reason::of(&refusal)
    }

    #[test]
    fn algorithms_come_from_the_query() {
        let of = |query| {
            parse(Some(query), &HeaderMap::new())
                .unwrap()
                .1
                .open
                .unwrap()
        };
        assert!(of("").algorithms.is_empty());
        assert_eq!(of("algorithm=sha256").algorithms, [1]);
        assert_eq!(
            of("algorithm=sha256%2Cmd5&algorithm=crc32c").algorithms,
            [1, 6, 8]
        );
        for bad in [
            "algorithm=",
            "algorithm=sha",
            "algorithm=sha256,",
            "algorithm=SHA-256",
        ] {
            assert_eq!(refused(bad, &[]), Reason::UnsupportedAlgorithm, "{bad}");
        }
        for bad in ["algorithms=md5", "md5", "algorithm=md5&x=1"] {
            assert_eq!(refused(bad, &[]), Reason::MalformedRequest, "{bad}");
        }
        let head = parse(None, &headers(&[("content-length", "70")]))
            .unwrap()
            .1;
        assert_eq!(head.open.unwrap().size_bytes, Some(70));
    }

    #[test]
    fn digests_come_from_headers() {
        let repr = format!("sha-256=:{SHA256}:, unixsum=:AAA=:;q=1");
        assert_eq!(expects(&[("repr-digest", &repr)]), [(1, 32)]);
        let content = format!("sha-256=:{SHA256}:");
        let both = [("content-digest", &content[..]), ("repr-digest", &repr)];
        assert_eq!(expects(&both), [(1, 32)]);
        let sha512 = format!("sha-512=:{}==:", "A".repeat(86));
        let lines = [("repr-digest", &content[..]), ("repr-digest", &sha512)];
        assert_eq!(expects(&lines), [(1, 32), (3, 64)]);
        let s3 = [
            ("content-md5", MD5),
            ("x-amz-checksum-sha256", SHA256),
            ("x-amz-checksum-crc64nvme", "AAAAAAAAAAA="),
            ("x-amz-checksum-type", "FULL_OBJECT"),
            ("x-amz-checksum-algorithm", "SHA256"),
        ];
        assert_eq!(expects(&s3), [(6, 16), (1, 32), (9, 8)]);
        assert_eq!(expects(&[("etag", "x"), ("x-amz-date", "y")]), []);
    }

    #[test]
    fn only_chunks_are_a_transfer_coding() {
        let is_allowed = |lines: &[&str]| {
            let lines: Vec<_> = lines
                .iter()
                .map(|line| ("transfer-encoding", *line))
                .collect();
            check_framing(&headers(&lines)).is_ok()
        };
        assert!(is_allowed(&[]) && is_allowed(&["Chunked"]));
        for bad in [
            &["identity, chunked"][..],
            &["gzip"],
            &["chunked", "chunked"],
            &[""],
        ] {
            assert!(!is_allowed(bad), "{bad:?}");
        }
    }

    #[test]
    fn a_digest_that_cannot_be_checked_is_refused() {
        for (name, value) in [
            ("repr-digest", "sha-256"),
            ("repr-digest", "sha-256=abc"),
            ("repr-digest", "sha-256=(:AAAA:)"),
            ("repr-digest", "sha-256=:A*:"),
            ("content-digest", "sha-256=:AAAA:,"),
            ("content-md5", "not base64"),
            ("content-md5", "CY9rzUYh03PK3k6DJie09g"),
            ("x-amz-checksum-sha256", "aGVsbG8=-2"),
            ("content-range", "bytes 0-1/2"),
            ("repr-digest", "md5=:AAAA:"),
            ("repr-digest", "unixsum=:AAAA:"),
        ] {
            assert_eq!(
                refused("", &[(name, value)]),
                Reason::MalformedRequest,
                "{name}: {value}"
            );
        }
        let unknown = [("x-amz-checksum-crc16", "AAA=")];
        assert_eq!(refused("", &unknown), Reason::UnsupportedAlgorithm);
    }
}
