//! What responses say of objects.

use std::sync::Arc;
use std::time::SystemTime;

use hashlane_client::Algorithm;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use s3s::dto::{
    ChecksumMode, ChecksumType, CommonPrefix, ETag, EncodingType, GetObjectAttributesParts,
    MultipartUpload, Object, ObjectPart,
};
use s3s::{S3Error, S3Result, s3_error};

use crate::checksum;
use crate::list::entries_max;
use crate::multipart::Method;
use crate::store::{self, StoredObject};

/// The headers of an upload, beside `x-amz-meta-*`, that downloads repeat.
const KEPT_HEADERS: [&str; 6] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
];

/// Headers that ask for what the gateway does not do: an object without it is another one.
const REFUSED_HEADERS: [&str; 2] = ["x-amz-server-side-encryption", "x-amz-tagging"];

/// Sets the field of the checksum's algorithm. s3s knows those that S3 began with.
macro_rules! set_checksum {
    ($output:expr, $checksum:expr) => {
        let value = Some($checksum.value.clone());
        match $checksum.algorithm {
            Algorithm::Crc32 => $output.checksum_crc32 = value,
            Algorithm::Crc32c => $output.checksum_crc32c = value,
            Algorithm::Crc64nvme => $output.checksum_crc64nvme = value,
            Algorithm::Sha1 => $output.checksum_sha1 = value,
            Algorithm::Sha256 => $output.checksum_sha256 = value,
            _ => {}
        }
    };
}
pub(crate) use set_checksum;

/// The headers of an upload that belong to the object. aws-chunked is an encoding of the request.
pub fn kept(headers: &HeaderMap) -> S3Result<Vec<(String, String)>> {
    let mut kept = Vec::new();
    for (name, value) in headers {
        let name = name.as_str();
        if REFUSED_HEADERS
            .iter()
            .any(|refused| name.starts_with(refused))
        {
            return Err(s3_error!(NotImplemented, "This gateway has no {name}."));
        }
        if !KEPT_HEADERS.contains(&name) && !name.starts_with("x-amz-meta-") {
            continue;
        }
        let value = value.to_str();
        let value = value.map_err(|_| s3_error!(InvalidArgument, "{name} is not ASCII"))?;
        let value = match name {
            "content-encoding" => {
                let encodings = value.split(',').map(str::trim);
                let encodings = encodings.filter(|encoding| *encoding != "aws-chunked");
                encodings.collect::<Vec<_>>().join(",")
            }
            _ => value.to_owned(),
        };
        if !value.is_empty() {
            kept.push((name.to_owned(), value));
        }
    }
    Ok(kept)
}

/// The headers of a download.
pub fn headers(object: &store::Object, mode: Option<&ChecksumMode>) -> S3Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    let default = HeaderValue::from_static("binary/octet-stream");
    headers.insert(http::header::CONTENT_TYPE, default);
    for (name, value) in &object.headers {
        let name = HeaderName::try_from(name).map_err(S3Error::internal_error)?;
        let value = HeaderValue::try_from(value).map_err(S3Error::internal_error)?;
        headers.insert(name, value);
    }
    if mode.is_some_and(|mode| mode.as_str() == ChecksumMode::ENABLED) {
        headers.extend(object.checksum.headers());
    }
    Ok(headers)
}

/// What percent-encoding leaves of names, beside letters and digits.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'/')
    .remove(b'_');

/// How a list writes keys and parts of keys: as they are, or percent-encoded, since XML has no way
/// to write most control characters.
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

    pub fn objects(self, objects: &[Arc<StoredObject>]) -> Vec<Object> {
        let objects = objects.iter().map(|object| Object {
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

pub fn object_parts(
    object: &store::Object,
    after: i32,
    parts_max: Option<i32>,
) -> S3Result<GetObjectAttributesParts> {
    let parts_max = entries_max(parts_max)?;
    let rest = object.parts.iter().filter(|part| part.number > after);
    let is_truncated = rest.clone().count() > parts_max;
    let parts = rest.take(parts_max).map(|part| {
        let mut listed = ObjectPart {
            part_number: Some(part.number),
            size: i64::try_from(part.size).ok(),
            ..ObjectPart::default()
        };
        if let Some(checksum) = &part.checksum {
            set_checksum!(listed, checksum);
        }
        listed
    });
    let parts: Vec<_> = parts.collect();
    Ok(GetObjectAttributesParts {
        total_parts_count: i32::try_from(object.parts.len()).ok(),
        part_number_marker: Some(after),
        next_part_number_marker: parts.last().and_then(|part| part.part_number),
        max_parts: i32::try_from(parts_max).ok(),
        is_truncated: Some(is_truncated),
        parts: Some(parts),
    })
}
