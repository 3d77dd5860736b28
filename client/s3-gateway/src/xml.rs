//! Responses that s3s cannot write: its types have only five of S3's checksums.

use bytes::Bytes;
use s3s::xml::{SerResult, Serializer};
use s3s::{Body, HttpResponse, S3Error, S3Response, S3Result};

use crate::checksum::{self, Checksum};

const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

pub type Writer<'a> = Serializer<&'a mut Vec<u8>>;

/// The body of a response, in place of the one that s3s writes.
#[derive(Debug, Clone)]
struct Xml(Bytes);

/// A response whose body is this element.
pub fn answer<T: Default>(
    name: &str,
    content: impl FnOnce(&mut Writer<'_>) -> SerResult,
) -> S3Result<S3Response<T>> {
    let mut xml = Vec::new();
    let mut writer = Serializer::new(&mut xml);
    writer
        .decl()
        .and_then(|()| writer.element_with_ns(name, NAMESPACE, content))
        .map_err(S3Error::internal_error)?;
    let mut response = S3Response::new(T::default());
    response.extensions.insert(Xml(xml.into()));
    Ok(response)
}

/// Puts the body from [`answer`] into s3s's response.
pub fn put_body(response: &mut HttpResponse) {
    if let Some(Xml(xml)) = response.extensions_mut().remove() {
        *response.body_mut() = Body::from(xml);
        let kind = http::HeaderValue::from_static("application/xml");
        let headers = response.headers_mut();
        headers.insert(http::header::CONTENT_TYPE, kind);
    }
}

/// Writes the element of a checksum, such as `ChecksumCRC32`.
pub fn checksum(writer: &mut Writer<'_>, checksum: &Checksum) -> SerResult {
    let name = format!("Checksum{}", checksum::name(checksum.algorithm));
    writer.content(&name, checksum.value.as_str())
}
