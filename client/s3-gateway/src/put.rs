//! PutObject and CreateMultipartUpload. s3s would refuse what it cannot read: lists of ETags, and
//! dates of expiry that are none, which S3 stores as they are.

use std::sync::Arc;
use std::time::SystemTime;

use http::header::ETAG;
use http::{HeaderMap, HeaderName, HeaderValue};
use s3s::{Body, S3Error, S3Request, S3Response, S3Result};

use crate::gateway::{Gateway, blocking};
use crate::multipart::{Method, Upload};
use crate::store::Conditions;
use crate::upload::{Announced, receive};
use crate::{answer, checksum, xml};

const ALGORITHM: HeaderName = HeaderName::from_static("x-amz-checksum-algorithm");

/// PutObject.
pub async fn object(
    gateway: &Gateway,
    (bucket, key): (String, String),
    request: S3Request<Body>,
) -> S3Result<S3Response<Body>> {
    let (hashlane, store) = (gateway.hashlane(), gateway.store());
    // Checked first, so that the client does not send bytes that would be refused.
    store.bucket(&bucket, |_| ())?;
    let announced = Announced::of(&request.headers, request.trailing_headers)?;
    let headers = answer::kept(&request.headers)?;
    let conditions = Conditions::of(&request.headers)?;
    let algorithm = announced.expected.asked_algorithm();
    let algorithm = algorithm.unwrap_or(checksum::DEFAULT);
    let body = Some(request.input.into());
    let received = receive(hashlane, store, body, announced, [algorithm]).await?;

    let object = received.object(key, headers, algorithm);
    let etag = HeaderValue::try_from(format!("\"{}\"", object.etag));
    let mut response = S3Response::new(Body::empty());
    response.headers = object.checksum.headers().collect();
    let etag = etag.map_err(S3Error::internal_error)?;
    response.headers.insert(ETAG, etag);
    let store = Arc::clone(store);
    blocking(move || store.publish(&bucket, object, &conditions, [&received.file])).await?;
    Ok(response)
}

/// CreateMultipartUpload.
pub fn upload(
    gateway: &Gateway,
    (bucket, key): (String, String),
    headers: &HeaderMap,
) -> S3Result<S3Response<Body>> {
    let method = Method::of(headers)?;
    let id = gateway.store().new_id();
    let upload = Upload {
        bucket: bucket.clone(),
        key: key.clone(),
        begun: SystemTime::now(),
        method,
        headers: answer::kept(headers)?,
        parts: Default::default(),
        turn: Default::default(),
        is_ending: false,
    };
    let uploads = gateway.uploads();
    uploads.create(gateway.store(), id.clone(), upload)?;
    let mut response = xml::answer("InitiateMultipartUploadResult", |writer| {
        writer.content("Bucket", &bucket)?;
        writer.content("Key", &key)?;
        writer.content("UploadId", &id)
    })?;
    let response_headers: &mut HeaderMap = &mut response.headers;
    if let Some(algorithm) = method.named() {
        let name = HeaderValue::try_from(checksum::name(algorithm));
        let name = name.map_err(S3Error::internal_error)?;
        response_headers.insert(ALGORITHM, name);
        let kind = HeaderValue::from_static(method.kind.name());
        response_headers.insert(s3s::header::X_AMZ_CHECKSUM_TYPE, kind);
    }
    Ok(response)
}
