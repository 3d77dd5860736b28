//! Reads the bytes of an object from its blobs.

use std::collections::VecDeque;
use std::io::{self, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use http::header::{
    ETAG, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, LAST_MODIFIED,
    RANGE,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use s3s::dto::{ETag, Timestamp, TimestampFormat};
use s3s::{S3Error, S3Result, s3_error};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, Take};

use crate::error;
use crate::etags::ETags;
use crate::store::{Object, ObjectPart, StoredObject};

pub const CHUNK_BYTES: usize = 256 << 10;

/// The conditions of a download (RFC 9110 section 13).
#[derive(Debug, Default)]
pub struct Conditions {
    pub if_match: Option<ETags>,
    pub if_none_match: Option<ETags>,
    pub if_modified_since: Option<Timestamp>,
    pub if_unmodified_since: Option<Timestamp>,
}

impl Conditions {
    /// A date that is none is ignored (RFC 9110 sections 13.1.3 and 13.1.4).
    pub fn of(headers: &HeaderMap) -> S3Result<Self> {
        Ok(Self {
            if_match: ETags::of(headers, &IF_MATCH)?,
            if_none_match: ETags::of(headers, &IF_NONE_MATCH)?,
            if_modified_since: date(headers, &IF_MODIFIED_SINCE),
            if_unmodified_since: date(headers, &IF_UNMODIFIED_SINCE),
        })
    }

    /// The conditions for the source of a copy.
    pub fn of_source(headers: &HeaderMap) -> S3Result<Self> {
        let name = HeaderName::from_static;
        Ok(Self {
            if_match: ETags::of(headers, &name("x-amz-copy-source-if-match"))?,
            if_none_match: ETags::of(headers, &name("x-amz-copy-source-if-none-match"))?,
            if_modified_since: date(headers, &name("x-amz-copy-source-if-modified-since")),
            if_unmodified_since: date(headers, &name("x-amz-copy-source-if-unmodified-since")),
        })
    }

    /// Checks the conditions for the source of a copy. Every failure is PreconditionFailed.
    pub fn check_source(&self, object: &Object) -> S3Result<()> {
        self.check(object)
            .map_err(|_| s3_error!(PreconditionFailed))
    }

    pub fn check(&self, object: &Object) -> S3Result<()> {
        let modified = object.modified_second();
        let is_current = match (&self.if_match, &self.if_unmodified_since) {
            (Some(etags), _) => etags.match_strongly(&object.etag),
            (None, Some(since)) => modified <= *since,
            (None, None) => true,
        };
        if !is_current {
            return Err(s3_error!(PreconditionFailed));
        }
        let is_known = match (&self.if_none_match, &self.if_modified_since) {
            (Some(etags), _) => etags.match_weakly(&object.etag),
            (None, Some(since)) => modified <= *since,
            (None, None) => false,
        };
        if is_known {
            return Err(not_modified(object)?);
        }
        Ok(())
    }
}

/// Whether the object is still the one that the client has a part of (If-Range, RFC 9110 section
/// 13.1.5).
pub fn is_range_of(object: &Object, headers: &HeaderMap) -> bool {
    let Some(known) = headers.get(IF_RANGE) else {
        return true;
    };
    match (
        date(headers, &IF_RANGE),
        ETag::parse_http_header(known.as_bytes()),
    ) {
        (Some(date), _) => date == object.modified_second(),
        (None, Ok(ETag::Strong(etag))) => etag == object.etag,
        (None, _) => false,
    }
}

fn date(headers: &HeaderMap, name: &HeaderName) -> Option<Timestamp> {
    let date = headers.get(name)?.to_str().ok()?;
    Timestamp::parse(TimestampFormat::HttpDate, date).ok()
}

/// The range in the headers. Malformed ranges, several ranges, and other units than bytes are
/// ignored (RFC 9110 section 14.2).
pub fn range(headers: &HeaderMap) -> Option<s3s::dto::Range> {
    let mut lines = headers.get_all(RANGE).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return None;
    };
    let (unit, range) = line.to_str().ok()?.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    match (first, last) {
        ("", length) => Some(s3s::dto::Range::Suffix {
            length: position(length)?,
        }),
        (first, "") => Some(s3s::dto::Range::Int {
            first: position(first)?,
            last: None,
        }),
        (first, last) => {
            let (first, last) = (position(first)?, position(last)?);
            let last = Some(last);
            (Some(first) <= last).then_some(s3s::dto::Range::Int { first, last })
        }
    }
}

/// Digits. Larger numbers than 64 bits can hold are beyond the end of every object, too.
fn position(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// The answer without a body, because the client already has the object.
fn not_modified(object: &Object) -> S3Result<S3Error> {
    let mut headers = HeaderMap::new();
    let etag = ETag::Strong(object.etag.clone()).to_http_header();
    headers.insert(ETAG, etag.map_err(S3Error::internal_error)?);
    let modified = HeaderValue::try_from(last_modified(object)?);
    headers.insert(LAST_MODIFIED, modified.map_err(S3Error::internal_error)?);
    let mut error = s3_error!(NotModified);
    error.set_headers(headers);
    Ok(error)
}

/// The value of the header Last-Modified.
pub fn last_modified(object: &Object) -> S3Result<String> {
    let mut modified = Vec::new();
    let written = object
        .modified_second()
        .format(TimestampFormat::HttpDate, &mut modified);
    written.map_err(S3Error::internal_error)?;
    String::from_utf8(modified).map_err(S3Error::internal_error)
}

/// The bytes that a download asks for.
#[derive(Debug)]
pub struct Chosen {
    pub bytes: Range<u64>,
    pub content_range: Option<String>,
    /// The requested part, if any, and the number of parts.
    pub part: Option<ObjectPart>,
    pub parts_count: Option<i32>,
}

impl Chosen {
    pub fn of(
        object: &Object,
        range: Option<s3s::dto::Range>,
        part_number: Option<i32>,
    ) -> S3Result<Self> {
        let size = object.size();
        let mut part = None;
        let bytes = match (range, part_number) {
            (None, None) => None,
            (Some(_), Some(_)) => {
                return Err(s3_error!(
                    InvalidRequest,
                    "Cannot specify both Range header and partNumber query parameter"
                ));
            }
            (Some(range), None) => Some(range.check(size)?),
            (None, Some(number)) => {
                let (found, bytes) = find_part(object, number)?;
                part = Some(found.clone());
                // No range can name a byte of an empty object.
                (size > 0).then_some(bytes)
            }
        };
        // For an empty object, s3s accepts a range of the last bytes.
        if bytes.as_ref().is_some_and(Range::is_empty) {
            return Err(s3_error!(InvalidRange));
        }
        let content_range = bytes
            .as_ref()
            .map(|bytes| format!("bytes {}-{}/{size}", bytes.start, bytes.end - 1));
        let parts_count = part.is_some() && object.is_multipart;
        let parts_count = parts_count.then(|| i32::try_from(object.parts.len()).ok());
        Ok(Self {
            bytes: bytes.unwrap_or(0..size),
            content_range,
            part,
            parts_count: parts_count.flatten(),
        })
    }

    pub fn size(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }
}

fn find_part(object: &Object, number: i32) -> S3Result<(&ObjectPart, Range<u64>)> {
    let mut begin = 0;
    for part in &object.parts {
        let end = begin + part.size;
        if part.number == number {
            return Ok((part, begin..end));
        }
        begin = end;
    }
    let mut error = error::custom(
        "InvalidPartNumber",
        "The requested partnumber is not satisfiable",
    );
    error.set_status_code(StatusCode::RANGE_NOT_SATISFIABLE);
    Err(error)
}

/// The bytes that are not read yet.
struct Rest {
    /// Keeps the blobs from being removed.
    _object: Arc<StoredObject>,
    pieces: VecDeque<(PathBuf, Range<u64>)>,
    open: Option<Take<File>>,
}

/// Reads a range of the object, one blob after the other.
pub fn read(
    object: Arc<StoredObject>,
    range: Range<u64>,
) -> impl Stream<Item = io::Result<Bytes>> + Send + Sync {
    let rest = Rest {
        pieces: pieces(&object, range),
        _object: object,
        open: None,
    };
    stream::try_unfold(rest, async |mut rest| {
        let chunk = rest.next().await?;
        Ok(chunk.map(|chunk| (chunk, rest)))
    })
}

fn pieces(object: &StoredObject, range: Range<u64>) -> VecDeque<(PathBuf, Range<u64>)> {
    let mut pieces = VecDeque::new();
    let mut begin = 0;
    for part in &object.parts {
        let end = begin + part.size;
        let (from, to) = (range.start.max(begin), range.end.min(end));
        if from < to {
            pieces.push_back((object.blob(part), from - begin..to - begin));
        }
        begin = end;
    }
    pieces
}

impl Rest {
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let Some(open) = &mut self.open else {
                let Some((path, range)) = self.pieces.pop_front() else {
                    return Ok(None);
                };
                let mut file = File::open(path).await?;
                file.seek(SeekFrom::Start(range.start)).await?;
                self.open = Some(file.take(range.end - range.start));
                continue;
            };
            if open.limit() == 0 {
                self.open = None;
                continue;
            }
            let mut chunk = BytesMut::with_capacity(CHUNK_BYTES);
            if open.read_buf(&mut chunk).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            return Ok(Some(chunk.freeze()));
        }
    }
}
