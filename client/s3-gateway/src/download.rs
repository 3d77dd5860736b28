//! The bytes of an object, out of its blobs.

use std::collections::VecDeque;
use std::io::{self, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use s3s::dto::ETagCondition;
use s3s::{S3Result, s3_error};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, Take};

use crate::store::{Object, StoredObject, is_etag};

const CHUNK_BYTES: usize = 256 << 10;

/// If-Match and If-None-Match (RFC 9110 section 13.1).
pub fn check(
    object: &Object,
    if_match: &Option<ETagCondition>,
    if_none_match: &Option<ETagCondition>,
) -> S3Result<()> {
    let matches = |condition: &ETagCondition| match condition {
        ETagCondition::Any => true,
        ETagCondition::ETag(etag) => is_etag(etag, object),
    };
    if !if_match.as_ref().is_none_or(matches) {
        return Err(s3_error!(PreconditionFailed));
    }
    if if_none_match.as_ref().is_some_and(matches) {
        return Err(s3_error!(NotModified));
    }
    Ok(())
}

/// What is still to be read.
struct Rest {
    /// Keeps the blobs.
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
