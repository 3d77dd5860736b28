//! Copies of objects and of parts of them. The bytes go through hashlane again, as in an upload, so
//! the answer describes the bytes of the copy.

use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use hashlane_client::Algorithm;
use http::{HeaderMap, HeaderName};
use s3s::dto::{
    CopySource, ETag, StreamingBlob, Timestamp, TimestampFormat, UploadPartCopyInput,
    UploadPartCopyOutput,
};
use s3s::xml::SerResult;
use s3s::{Body, S3ErrorCode, S3Request, S3Response, S3Result, s3_error};

use crate::checksum::{self, Checksum, Kind};
use crate::gateway::{Gateway, blocking};
use crate::store::{Conditions, StoredObject};
use crate::upload::{Announced, BYTES_MAX, Received, receive};
use crate::xml::{self, Writer};
use crate::{answer, download, error, log, multipart};

pub const COPY_SOURCE: HeaderName = HeaderName::from_static("x-amz-copy-source");

/// CopyObject: one upload of all bytes, without the original's parts.
pub async fn object(
    gateway: &Gateway,
    (bucket, key): (String, String),
    headers: &HeaderMap,
) -> S3Result<S3Response<Body>> {
    let store = gateway.store();
    store.bucket(&bucket, |_| ())?;
    let copy_source = checksum::text(headers, COPY_SOURCE.as_str())?.unwrap_or_default();
    let copy_source = CopySource::parse(copy_source)
        .map_err(|_| s3_error!(InvalidArgument, "invalid {COPY_SOURCE}"))?;
    let source = find(gateway, &copy_source)?;
    let conditions = download::Conditions::of_source(headers)?;
    conditions.check_source(&source)?;
    let replaces = match checksum::text(headers, "x-amz-metadata-directive")? {
        None | Some("COPY") => false,
        Some("REPLACE") => true,
        Some(_) => return Err(s3_error!(InvalidArgument, "Unknown metadata directive.")),
    };
    if !replaces && is_itself(&copy_source, &bucket, &key) {
        return Err(s3_error!(
            InvalidRequest,
            "This copy request is illegal because it is trying to copy an object to itself \
             without changing the object's metadata, storage class, website redirect location or \
             encryption attributes."
        ));
    }
    let kept = match replaces {
        true => answer::kept(headers)?,
        false => source.headers.clone(),
    };
    let named = checksum::text(headers, "x-amz-checksum-algorithm")?;
    let named = named.map(checksum::algorithm).transpose()?;
    let algorithm = named.unwrap_or(source.checksum.algorithm);
    let conditions = Conditions::of(headers)?;

    let size = source.size();
    let algorithms = [algorithm, source.checksum.algorithm];
    let received = receive_from(gateway, &source, 0..size, algorithms).await?;
    check_source(&source, &received)?;
    let object = received.object(key, kept, algorithm);
    let (etag, modified) = (object.etag.clone(), object.modified);
    let checksum = object.checksum.clone();
    let store = Arc::clone(store);
    blocking(move || store.publish(&bucket, object, &conditions, [&received.file])).await?;
    xml::answer("CopyObjectResult", |writer| {
        xml::checksum(writer, &checksum)?;
        writer.content("ChecksumType", checksum.kind.name())?;
        write_copy(writer, etag, modified)
    })
}

/// UploadPartCopy: copies an object, or a range of it, to a part.
pub async fn part(
    gateway: &Gateway,
    request: S3Request<UploadPartCopyInput>,
) -> S3Result<S3Response<UploadPartCopyOutput>> {
    let input = request.input;
    multipart::check_number(input.part_number)?;
    let uploads = gateway.uploads();
    let upload = uploads.get(&input.bucket, &input.key, &input.upload_id)?;
    let source = find(gateway, &input.copy_source)?;
    let conditions = download::Conditions::of_source(&request.headers)?;
    conditions.check_source(&source)?;
    let size = source.size();
    let range = match &input.copy_source_range {
        None => 0..size,
        Some(text) => range(text)
            .filter(|range| range.end <= size)
            .ok_or_else(|| {
                s3_error!(
                    InvalidArgument,
                    "Range specified is not valid for source object of size: {size}"
                )
            })?,
    };
    let is_whole = range == (0..size);
    let algorithms = [upload.method.algorithm, source.checksum.algorithm];
    let received = receive_from(gateway, &source, range, algorithms).await?;
    if is_whole {
        check_source(&source, &received)?;
    }
    let reported = upload.method.named();
    let part = multipart::UploadedPart::new(received, reported);
    let (etag, modified) = (part.etag(), part.modified);
    let checksum = part.checksum.clone();
    uploads.add(&input.upload_id, input.part_number, part)?;
    xml::answer("CopyPartResult", |writer| {
        if let Some(checksum) = &checksum {
            xml::checksum(writer, checksum)?;
        }
        write_copy(writer, etag, modified)
    })
}

fn write_copy(writer: &mut Writer<'_>, etag: String, modified: SystemTime) -> SerResult {
    writer.content("ETag", &ETag::Strong(etag))?;
    let modified = Timestamp::from(modified);
    writer.timestamp("LastModified", &modified, TimestampFormat::DateTime)
}

fn find(gateway: &Gateway, source: &CopySource) -> S3Result<Arc<StoredObject>> {
    let CopySource::Bucket {
        bucket,
        key,
        version_id,
    } = source
    else {
        return Err(s3_error!(
            NotImplemented,
            "This gateway has no access points."
        ));
    };
    if !answer::is_null_version(version_id.as_deref()) {
        return Err(s3_error!(NoSuchVersion));
    }
    gateway.store().object(bucket, key)
}

fn is_itself(source: &CopySource, to_bucket: &str, to_key: &str) -> bool {
    matches!(source, CopySource::Bucket { bucket, key, .. }
             if **bucket == *to_bucket && **key == *to_key)
}

/// Parses `bytes=0-9`, the only form that S3 allows here.
fn range(text: &str) -> Option<Range<u64>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some(first..last.checked_add(1)?)
}

async fn receive_from(
    gateway: &Gateway,
    source: &Arc<StoredObject>,
    range: Range<u64>,
    algorithms: [Algorithm; 2],
) -> S3Result<Received> {
    let size = range.end - range.start;
    if size > BYTES_MAX {
        return Err(s3_error!(
            InvalidRequest,
            "The specified copy source is larger than the maximum allowable size for a copy \
             source: {BYTES_MAX}"
        ));
    }
    let body = StreamingBlob::wrap(download::read(Arc::clone(source), range));
    let announced = Announced::of_size(size);
    let (hashlane, store) = (gateway.hashlane(), gateway.store());
    let received = receive(hashlane, store, Some(body), announced, algorithms).await;
    received.map_err(|fault| match fault.code() {
        // These bytes come from the folder, not from a client: the folder cannot be read.
        S3ErrorCode::IncompleteBody => damaged(source),
        _ => fault,
    })
}

/// Compares the bytes with the digests stored for the source.
fn check_source(source: &StoredObject, received: &Received) -> S3Result<()> {
    let known = &source.checksum;
    let read = Checksum::of(&received.digest(known.algorithm));
    let is_same_checksum = known.kind == Kind::Composite || read.value == known.value;
    if is_same_checksum && (source.is_multipart || received.etag() == source.etag) {
        return Ok(());
    }
    Err(damaged(source))
}

fn damaged(source: &StoredObject) -> s3s::S3Error {
    log::line(format_args!(
        "the stored bytes of {:?} are damaged",
        source.key
    ));
    error::internal()
}
