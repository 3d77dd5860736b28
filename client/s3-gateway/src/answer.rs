//! The headers and XML of responses about objects.

use std::sync::Arc;
use std::time::SystemTime;

use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use s3s::dto::{
    ChecksumMode, ChecksumType, CommonPrefix, ETag, EncodingType, MultipartUpload, Object,
    ObjectAttributes, ObjectStorageClass, ObjectVersion, ObjectVersionStorageClass, Owner,
    TimestampFormat,
};
use s3s::xml::SerResult;
use s3s::{S3Error, S3Result, s3_error};

use crate::auth::OWNER;
use crate::checksum::{self, Checksum};
use crate::download::Chosen;
use crate::error;
use crate::multipart::{Method, Upload};
use crate::requests::{self, METADATA};
use crate::store::{self, StoredObject};
use crate::xml::{self, Writer};

/// The headers of an upload, in addition to `x-amz-meta-*`, that downloads repeat.
const KEPT_HEADERS: [&str; 6] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
];

/// The maximum bytes of names and values, without the prefix of the names ("Working with object
/// metadata" in the S3 User Guide).
const METADATA_BYTES_MAX: usize = 2 << 10;

/// The headers of an upload that belong to the object. The encoding aws-chunked belongs to the
/// request.
pub fn kept(headers: &HeaderMap) -> S3Result<Vec<(String, String)>> {
    let mut kept = Vec::new();
    let mut metadata_bytes = 0;
    for (name, value) in headers {
        let name = name.as_str();
        if !KEPT_HEADERS.contains(&name) && !name.starts_with(METADATA) {
            continue;
        }
        let value = value.to_str();
        let value = value.map_err(|_| s3_error!(InvalidArgument, "{name} is not ASCII"))?;
        let value = match name {
            "content-encoding" => {
                let encodings = value.split(',').map(str::trim);
                let encodings = encodings.filter(|encoding| *encoding != "aws-chunked");
                encodings.collect::<Vec<_>>().join(", ")
            }
            _ => value.to_owned(),
        };
        if let Some(name) = name.strip_prefix(METADATA) {
            metadata_bytes += name.len() + value.len();
        }
        if metadata_bytes > METADATA_BYTES_MAX {
            return Err(error::custom(
                "MetadataTooLarge",
                "Your metadata headers exceed the maximum allowed metadata size",
            ));
        }
        if !value.is_empty() || name.starts_with(METADATA) {
            kept.push((name.to_owned(), value));
        }
    }
    Ok(kept)
}

/// The headers of a download.
pub fn headers(
    object: &store::Object,
    chosen: &Chosen,
    mode: Option<ChecksumMode>,
    uri: &Uri,
) -> S3Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    let default = HeaderValue::from_static("binary/octet-stream");
    headers.insert(http::header::CONTENT_TYPE, default);
    for (name, value) in &object.headers {
        let name = HeaderName::try_from(name).map_err(S3Error::internal_error)?;
        let value = HeaderValue::try_from(value).map_err(S3Error::internal_error)?;
        headers.insert(name, value);
    }
    // The client may override headers of the response.
    for (name, value) in requests::parameters(uri) {
        let Some(name) = name.strip_prefix("response-") else {
            continue;
        };
        let invalid = || s3_error!(InvalidArgument, "invalid response-{name}");
        let name = HeaderName::try_from(name).map_err(|_| invalid())?;
        let value = HeaderValue::try_from(value).map_err(|_| invalid())?;
        headers.insert(name, value);
    }
    if mode.is_some_and(|mode| mode.as_str() == ChecksumMode::ENABLED) {
        match (&chosen.part, &chosen.content_range) {
            (None, None) => headers.extend(object.checksum.headers()),
            // Other ranges have no checksum.
            (None, Some(_)) => {}
            (Some(part), _) => {
                // The part's checksum, with the object's type.
                let kind = object.checksum.kind;
                let checksum = part.checksum.clone();
                let checksum = checksum.map(|checksum| Checksum { kind, ..checksum });
                headers.extend(checksum.iter().flat_map(Checksum::headers));
            }
        }
    }
    Ok(headers)
}

/// Whether the ID is that of the only version of an object in a bucket without versions.
pub fn is_null_version(id: Option<&str>) -> bool {
    id.is_none_or(|id| id == NULL_VERSION)
}

pub const NULL_VERSION: &str = "null";

pub fn owner() -> Owner {
    Owner {
        id: Some(OWNER.to_owned()),
        display_name: Some(OWNER.to_owned()),
    }
}

/// The answer of GetObjectAttributes.
pub fn attributes(
    writer: &mut Writer<'_>,
    object: &store::Object,
    wants: impl Fn(&str) -> bool,
    after: i32,
    parts_max: usize,
) -> SerResult {
    if wants(ObjectAttributes::ETAG) {
        // Only here do ETags have no quotes.
        writer.content("ETag", &object.etag)?;
    }
    if wants(ObjectAttributes::CHECKSUM) {
        writer.element("Checksum", |writer| {
            xml::checksum(writer, &object.checksum)?;
            writer.content("ChecksumType", object.checksum.kind.name())
        })?;
    }
    if wants(ObjectAttributes::OBJECT_PARTS) && object.is_multipart {
        writer.element("ObjectParts", |writer| {
            object_parts(writer, object, after, parts_max)
        })?;
    }
    if wants(ObjectAttributes::STORAGE_CLASS) {
        writer.content("StorageClass", ObjectStorageClass::STANDARD)?;
    }
    if wants(ObjectAttributes::OBJECT_SIZE) {
        writer.content("ObjectSize", &number(object.size()))?;
    }
    Ok(())
}

fn object_parts(
    writer: &mut Writer<'_>,
    object: &store::Object,
    after: i32,
    parts_max: usize,
) -> SerResult {
    let rest = object.parts.iter().filter(|part| part.number > after);
    let is_truncated = rest.clone().count() > parts_max;
    let page: Vec<_> = rest.take(parts_max).collect();
    writer.content("PartsCount", &number(object.parts.len()))?;
    writer.content("PartNumberMarker", &after)?;
    if let Some(last) = page.last() {
        writer.content("NextPartNumberMarker", &last.number)?;
    }
    writer.content("MaxParts", &number(parts_max))?;
    writer.content("IsTruncated", &is_truncated)?;
    for part in page {
        writer.element("Part", |writer| {
            writer.content("PartNumber", &part.number)?;
            writer.content("Size", &number(part.size))?;
            match &part.checksum {
                Some(checksum) => xml::checksum(writer, checksum),
                None => Ok(()),
            }
        })?;
    }
    Ok(())
}

/// The parts of an upload so far, after a given number.
pub fn uploaded_parts(
    writer: &mut Writer<'_>,
    upload: &Upload,
    after: i32,
    parts_max: usize,
) -> SerResult {
    let rest = upload.parts.range(after.saturating_add(1)..);
    let is_truncated = rest.clone().count() > parts_max;
    let page: Vec<_> = rest.take(parts_max).collect();
    if let Some(algorithm) = upload.method.named() {
        writer.content("ChecksumAlgorithm", &checksum::name(algorithm))?;
        writer.content("ChecksumType", upload.method.kind.name())?;
    }
    writer.content("PartNumberMarker", &after)?;
    if let Some((last, _)) = page.last() {
        writer.content("NextPartNumberMarker", *last)?;
    }
    writer.content("MaxParts", &number(parts_max))?;
    writer.content("IsTruncated", &is_truncated)?;
    for (number_of_part, part) in page {
        writer.element("Part", |writer| {
            writer.content("PartNumber", number_of_part)?;
            writer.timestamp(
                "LastModified",
                &part.modified.into(),
                TimestampFormat::DateTime,
            )?;
            writer.content("ETag", &ETag::Strong(part.etag()))?;
            writer.content("Size", &number(part.size()))?;
            match &part.checksum {
                Some(checksum) => xml::checksum(writer, checksum),
                None => Ok(()),
            }
        })?;
    }
    Ok(())
}

fn number(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// Characters besides letters and digits that percent-encoding leaves as they are.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'/')
    .remove(b'_');

/// How a list writes keys and parts of keys: as they are or percent-encoded, because XML cannot
/// write most control characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    Plain,
    Url,
}

impl Names {
    pub fn of(asked: Option<EncodingType>) -> S3Result<Self> {
        match asked.as_ref().map(EncodingType::as_str) {
            None => Ok(Self::Plain),
            Some(EncodingType::URL) => Ok(Self::Url),
            Some(_) => Err(s3_error!(
                InvalidArgument,
                "Invalid Encoding Method specified in Request"
            )),
        }
    }

    pub fn encoding_type(self) -> Option<EncodingType> {
        (self == Self::Url).then(|| EncodingType::from_static(EncodingType::URL))
    }

    pub fn text(self, name: &str) -> String {
        match self {
            Self::Plain => name.to_owned(),
            Self::Url => utf8_percent_encode(name, ENCODED).to_string(),
        }
    }

    pub fn optional(self, name: &Option<String>) -> Option<String> {
        name.as_deref().map(|name| self.text(name))
    }

    pub fn objects(self, objects: &[Arc<StoredObject>], has_owner: bool) -> Vec<Object> {
        let objects = objects.iter().map(|object| Object {
            owner: has_owner.then(owner),
            storage_class: Some(ObjectStorageClass::from_static(
                ObjectStorageClass::STANDARD,
            )),
            key: Some(self.text(&object.key)),
            size: i64::try_from(object.size()).ok(),
            e_tag: Some(ETag::Strong(object.etag.clone())),
            last_modified: Some(object.modified.into()),
            checksum_algorithm: Some(vec![checksum::name(object.checksum.algorithm).into()]),
            checksum_type: Some(ChecksumType::from_static(object.checksum.kind.name())),
            ..Object::default()
        });
        objects.collect()
    }

    /// Without versions each object has a single version named `null`.
    pub fn versions(self, objects: &[Arc<StoredObject>]) -> Vec<ObjectVersion> {
        let versions = self.objects(objects, true).into_iter();
        let versions = versions.map(|object| ObjectVersion {
            checksum_algorithm: object.checksum_algorithm,
            checksum_type: object.checksum_type,
            e_tag: object.e_tag,
            is_latest: Some(true),
            key: object.key,
            last_modified: object.last_modified,
            owner: object.owner,
            size: object.size,
            storage_class: Some(ObjectVersionStorageClass::from_static(
                ObjectVersionStorageClass::STANDARD,
            )),
            version_id: Some(NULL_VERSION.to_owned()),
            ..ObjectVersion::default()
        });
        versions.collect()
    }

    pub fn uploads(
        self,
        uploads: impl IntoIterator<Item = ((String, String), (SystemTime, Method))>,
    ) -> Vec<MultipartUpload> {
        let uploads = uploads.into_iter().map(|((key, id), (begun, method))| {
            let named = method.is_named.then_some(method);
            MultipartUpload {
                key: Some(self.text(&key)),
                upload_id: Some(id),
                initiated: Some(begun.into()),
                checksum_algorithm: named.map(|method| checksum::name(method.algorithm).into()),
                checksum_type: named.map(|method| ChecksumType::from_static(method.kind.name())),
                ..MultipartUpload::default()
            }
        });
        uploads.collect()
    }

    pub fn common_prefixes(self, prefixes: &[String]) -> Vec<CommonPrefix> {
        let prefixes = prefixes.iter().map(|prefix| CommonPrefix {
            prefix: Some(self.text(prefix)),
        });
        prefixes.collect()
    }
}
