//! Changes every response before it is sent.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use http::header::{CONTENT_LENGTH, CONTENT_RANGE};
use http::{HeaderName, HeaderValue, StatusCode};
use s3s::{Body, HttpResponse};

use crate::{error, xml};

const ID_HEADERS: [HeaderName; 2] = [
    HeaderName::from_static("x-amz-request-id"),
    HeaderName::from_static("x-amz-id-2"),
];

/// The ID of a request, for the client and the log.
#[derive(Debug, Clone)]
pub struct RequestId(String);

impl RequestId {
    /// Unique, unless the clock was set back between two starts.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let begun = || u64::try_from(UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos());
        let first = begun().unwrap_or(1);
        let _ = NEXT.compare_exchange(0, first, Ordering::Relaxed, Ordering::Relaxed);
        Self(format!("{:016X}", NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

pub fn finish(mut response: HttpResponse, id: &RequestId) -> HttpResponse {
    xml::put_body(&mut response);
    if let Some(text) = text_of(&response) {
        let text = match response.status().is_success() {
            true => text,
            false => error::explain(text, &id.0),
        };
        *response.body_mut() = Body::from(with_control_characters(text));
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    // s3s sets this status only for GET.
    if response.headers().contains_key(CONTENT_RANGE) && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    let value = HeaderValue::from_str(&id.0).expect("hexadecimal digits");
    for name in ID_HEADERS {
        response.headers_mut().insert(name, value.clone());
    }
    response
}

/// The text of a response in XML. Downloads are streams and have none.
fn text_of(response: &HttpResponse) -> Option<String> {
    let text = String::from_utf8(response.body().bytes()?.into()).ok()?;
    text.starts_with("<?xml").then_some(text)
}

/// Keys may have control characters, which XML 1.0 cannot write. Clients that expect such keys ask
/// for `encoding-type=url`. Other clients get XML 1.1, with character references.
fn with_control_characters(text: String) -> String {
    let is_control = |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r');
    if !text.contains(is_control) {
        return text;
    }
    let text = text.replacen("version=\"1.0\"", "version=\"1.1\"", 1);
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match is_control(c) {
            true => write!(written, "&#x{:X};", u32::from(c)).expect("a String takes all"),
            false => written.push(c),
        }
    }
    written
}
