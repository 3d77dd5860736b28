//! Responses: JSON with the digests, or a problem document (RFC 9457).

use std::time::Duration;

use bytes::Bytes;
use hashlane_engine::encoding::Encoding;
use hashlane_proto::v1::{AlgorithmDigest, PartError, Verdict};
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde_json::{Map, Value, json};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::part::{Answer, algorithm};
use crate::status::Reason;
use crate::words::Words as _;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");
const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");

/// The response to a part's answer.
pub(super) fn answered(answer: Answer) -> Response<Bytes> {
    match answer {
        Answer::Digest(answer) => match answer.error {
            Some(error) => failed(&error),
            None => digested(answer.size_bytes, &answer.digests, None),
        },
        Answer::Verify(answer, uncompared) => match answer.error {
            Some(error) => failed(&error),
            None => {
                let compared = answer.verdicts.iter().map(|verdict| AlgorithmDigest {
                    algorithm: verdict.algorithm,
                    digest: verdict.computed.clone(),
                });
                let digests: Vec<_> = compared.chain(uncompared).collect();
                let is_match = answer.verdict() == Verdict::Match;
                digested(answer.size_bytes, &digests, Some(is_match))
            }
        },
    }
}

/// The digests, with the outcome of the comparison if there was one.
fn digested(
    size_bytes: u64,
    digests: &[AlgorithmDigest],
    is_match: Option<bool>,
) -> Response<Bytes> {
    let mut hex = Map::new();
    let mut fields = Vec::new();
    for AlgorithmDigest { algorithm, digest } in digests {
        let known = algorithm::offered().find(|known| algorithm::number(*known) == *algorithm);
        let Some(algorithm) = known else { continue };
        let text = Encoding::Hex.encode(algorithm, digest);
        hex.insert(algorithm.name().to_owned(), text.into());
        fields.extend(Encoding::Rfc9530.encode(algorithm, digest));
    }
    let mut body = json!({ "size_bytes": size_bytes, "digests": hex });
    let mut response = match is_match {
        Some(false) => {
            let detail = "the body does not have the digest that the request expects";
            problem(StatusCode::BAD_REQUEST, "DIGEST_MISMATCH", detail, body)
        }
        matched => {
            if matched.is_some() {
                body["verdict"] = "match".into();
            }
            whole(StatusCode::OK, JSON, &body)
        }
    };
    if !fields.is_empty()
        && let Ok(fields) = HeaderValue::try_from(fields.join(", "))
    {
        response.headers_mut().insert(REPR_DIGEST, fields);
    }
    response
}

fn failed(error: &PartError) -> Response<Bytes> {
    let status = if error.reason == Reason::PartTooLarge.word() {
        StatusCode::PAYLOAD_TOO_LARGE
    } else {
        http_status(Code::from(error.code))
    };
    problem(status, &error.reason, &error.message, json!({}))
}

/// The response to a request that is refused.
pub(super) fn refused(refusal: &Status) -> Response<Bytes> {
    let status = http_status(refusal.code());
    let reason = Reason::of(refusal).word();
    let mut response = problem(status, reason, refusal.message(), json!({}));
    let retry = refusal.get_details_retry_info();
    if let Some(delay) = retry.and_then(|retry| retry.retry_delay) {
        // Whole seconds (RFC 9110, section 10.2.3).
        let seconds = delay.saturating_add(Duration::from_millis(999)).as_secs();
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    if status == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, scheme);
    }
    response
}

/// A response for a path or a method that the server does not have.
pub(super) fn no_such(status: StatusCode, detail: &str) -> Response<Bytes> {
    problem(status, Reason::NoSuchMethod.word(), detail, json!({}))
}

fn problem(status: StatusCode, reason: &str, detail: &str, extension: Value) -> Response<Bytes> {
    let mut body = json!({
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "reason": reason,
        "detail": detail,
    });
    if let (Value::Object(body), Value::Object(extension)) = (&mut body, extension) {
        body.extend(extension);
    }
    whole(status, PROBLEM, &body)
}

fn whole(status: StatusCode, content_type: HeaderValue, body: &Value) -> Response<Bytes> {
    let body = Bytes::from(format!("{body}\n"));
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CONTENT_LENGTH, body.len().into());
    // It is of this body alone.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    *response.body_mut() = body;
    response
}

fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => {
            StatusCode::BAD_REQUEST
        }
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::DeadlineExceeded => StatusCode::REQUEST_TIMEOUT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
