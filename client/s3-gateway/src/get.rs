//! GetObject and HeadObject. s3s would refuse headers that HTTP says to ignore, and lists of ETags.

use std::sync::Arc;

use http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, ETAG, LAST_MODIFIED};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use s3s::dto::{ChecksumMode, StreamingBlob};
use s3s::stream::DynByteStream;
use s3s::{Body, S3Error, S3Response, S3Result, s3_error};

use crate::checksum;
use crate::download::{self, Chosen, Conditions};
use crate::store::Store;
use crate::{answer, requests};

const PARTS_COUNT: HeaderName = HeaderName::from_static("x-amz-mp-parts-count");

/// The object, or its head.
pub fn get(
    store: &Store,
    (bucket, key): (&str, &str),
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> S3Result<S3Response<Body>> {
    let object = store.object(bucket, key)?;
    Conditions::of(headers)?.check(&object)?;
    let range = download::range(headers);
    let range = range.filter(|_| download::is_range_of(&object, headers));
    let chosen = Chosen::of(&object, range, part_number(uri)?)?;
    let mode = checksum::text(headers, "x-amz-checksum-mode")?;
    let mode = mode.map(|mode| ChecksumMode::from(mode.to_owned()));
    let mut response = S3Response::new(Body::empty());
    response.headers = answer::headers(&object, &chosen, mode, uri)?;
    let fields = [
        (ACCEPT_RANGES, Some("bytes".to_owned())),
        (CONTENT_LENGTH, Some(chosen.size().to_string())),
        (CONTENT_RANGE, chosen.content_range.clone()),
        (ETAG, Some(format!("\"{}\"", object.etag))),
        (LAST_MODIFIED, Some(download::last_modified(&object)?)),
        (
            PARTS_COUNT,
            chosen.parts_count.map(|count| count.to_string()),
        ),
    ];
    for (name, value) in fields {
        let Some(value) = value else { continue };
        let value = HeaderValue::try_from(value).map_err(S3Error::internal_error)?;
        response.headers.insert(name, value);
    }
    if chosen.content_range.is_some() {
        response.status = Some(StatusCode::PARTIAL_CONTENT);
    }
    if method == Method::GET {
        let bytes = download::read(Arc::clone(&object), chosen.bytes);
        response.output = Body::from(DynByteStream::from(StreamingBlob::wrap(bytes)));
    }
    Ok(response)
}

fn part_number(uri: &Uri) -> S3Result<Option<i32>> {
    let mut parameters = requests::parameters(uri);
    let asked = parameters.find(|(name, _)| name == "partNumber");
    let number = asked.map(|(_, number)| number.parse()).transpose();
    number.map_err(|_| s3_error!(InvalidArgument, "invalid partNumber"))
}
