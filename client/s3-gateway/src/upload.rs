//! The bytes of one request: to hashlane and into a file, in one pass.
//!
//! ```text
//!                       ┌─> hashlane ──> digests ──┐
//! body ──> chunk ───────┤                          ├─> equal? ──> the file is kept
//!                       └─> file                   │
//! headers, trailers ──> expected digests ──────────┘
//! ```
//!
//! In memory are one chunk of the body, 512 KiB on their way to hashlane and 2 MiB on their way to
//! the file. Whoever is slower holds the body back.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::StreamExt as _;
use hashlane_client::{
    Algorithm, AlgorithmDigest, Client, DigestStream, Digesting, Part, PartDigest, PartOptions,
};
use http::HeaderMap;
use s3s::dto::StreamingBlob;
use s3s::{S3Result, TrailingHeaders, s3_error};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use crate::checksum::Expected;
use crate::error;
use crate::store::{NewFile, Store};

/// The most bytes of one request (PutObject and UploadPart in the S3 API Reference).
const BYTES_MAX: u64 = 5 << 30;

/// How long the rest of a body is read after an error.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);

/// What a request brings beside its bytes.
#[derive(Debug)]
pub struct Announced {
    pub expected: Expected,
    size: u64,
    trailers: Option<TrailingHeaders>,
}

impl Announced {
    pub fn of(headers: &HeaderMap, trailers: Option<TrailingHeaders>) -> S3Result<Self> {
        // The length of aws-chunked bytes is another than that of the body.
        let size = headers
            .get("x-amz-decoded-content-length")
            .or_else(|| headers.get("content-length"))
            .ok_or_else(|| s3_error!(MissingContentLength))?;
        let size = size.to_str().ok().and_then(|size| size.parse().ok());
        let size = size.ok_or_else(|| s3_error!(InvalidArgument, "invalid length of the body"))?;
        if size > BYTES_MAX {
            return Err(s3_error!(EntityTooLarge));
        }
        Ok(Self {
            expected: Expected::of(headers)?,
            size,
            trailers,
        })
    }
}

/// Bytes that are what the client sent, and their digests.
#[derive(Debug)]
pub struct Received {
    pub file: NewFile,
    pub computed: PartDigest,
}

impl Received {
    /// The digest by an algorithm that was asked for.
    pub fn digest(&self, algorithm: Algorithm) -> AlgorithmDigest {
        let mut digests = self.computed.digests.iter();
        let found = digests.find(|digest| digest.algorithm() == algorithm);
        *found.expect("the client checks that all digests are there")
    }
}

/// Receives the body, and keeps it only if it is what the client announced. MD5, for the ETag, and
/// `algorithms` are computed.
pub async fn receive(
    client: &Client,
    store: &Store,
    body: Option<StreamingBlob>,
    announced: Announced,
    algorithms: impl IntoIterator<Item = Algorithm>,
) -> S3Result<Received> {
    let algorithms: BTreeSet<_> = algorithms.into_iter().chain([Algorithm::Md5]).collect();
    let algorithms: Vec<_> = algorithms.into_iter().collect();
    let options = PartOptions::from(&algorithms[..]).with_size(announced.size);
    let file = store.new_file();
    let mut body = body.unwrap_or_else(|| s3s::Body::empty().into());
    let computed = match pass(client, &file, &mut body, options).await {
        Ok(computed) => computed,
        Err(error) => {
            discard(body).await;
            return Err(error);
        }
    };
    // s3s has the trailers once the body has ended.
    let trailers = announced.trailers.and_then(|trailers| trailers.take());
    announced.expected.check(&computed, trailers.as_ref())?;
    Ok(Received { file, computed })
}

/// A stream with one part. If the request fails, the stream is dropped before the part: that
/// cancels the call, and hashlane never takes the bytes before the fault for all of them.
struct Call {
    stream: DigestStream,
    part: Part<Digesting>,
}

async fn pass(
    client: &Client,
    file: &NewFile,
    body: &mut StreamingBlob,
    options: PartOptions,
) -> S3Result<PartDigest> {
    let stream = client.open_stream();
    let part = stream.part(options).await.map_err(error::hashlane)?;
    let mut call = Call { stream, part };
    let mut output = File::create_new(file.path()).await.map_err(error::io)?;
    loop {
        let chunk = tokio::select! {
            biased;
            // A client that is slow does not hide that hashlane is gone.
            fault = call.part.failed() => return Err(error::hashlane(fault)),
            chunk = body.next() => chunk,
        };
        let Some(chunk) = chunk else { break };
        let chunk = chunk.map_err(error::body)?;
        let (sent, written) =
            tokio::join!(call.part.write(chunk.clone()), output.write_all(&chunk));
        sent.map_err(error::hashlane)?;
        written.map_err(error::io)?;
    }
    output.flush().await.map_err(error::io)?;
    let Call { stream, part } = call;
    let answer = part.finish();
    // Half-closed first, so that both ends travel together.
    let finished = stream.finish();
    let computed = answer.await.map_err(error::hashlane)?;
    finished.await.map_err(error::hashlane)?;
    Ok(computed)
}

/// Clients read the answer once they have sent all. Whoever takes longer finds the connection
/// closed.
async fn discard(mut body: StreamingBlob) {
    let rest = async { while let Some(Ok(_)) = body.next().await {} };
    let _ = tokio::time::timeout(DISCARD_TIMEOUT, rest).await;
}
