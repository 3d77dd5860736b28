//! Sends the bytes of one request to hashlane and into a file, in one pass.
//!
//! ```text
//!                       ┌─> hashlane ──> digests ──┐
//! body ──> chunk ───────┤                          ├─> equal? ──> the file is kept
//!                       └─> file                   │
//! headers, trailers ──> expected digests ──────────┘
//! ```
//!
//! Memory holds one chunk of the body, 512 KiB on the way to hashlane and 2 MiB on the way to the
//! file. The slower of the two slows down the body.

use std::collections::BTreeSet;
use std::io;
use std::time::SystemTime;

use bytes::BytesMut;
use futures_util::StreamExt as _;
use hashlane_client::{
    Algorithm, AlgorithmDigest, DigestStream, Digesting, Part, PartDigest, PartOptions,
};
use http::HeaderMap;
use s3s::dto::StreamingBlob;
use s3s::{S3Error, S3Result, TrailingHeaders, s3_error};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::checksum::{Checksum, Expected};
use crate::download::CHUNK_BYTES;
use crate::hashlane::{Hashlane, is_of_server};
use crate::store::{FILE_MODE, NewFile, Object, ObjectPart, Store};
use crate::{error, log};

/// The maximum bytes of one request (PutObject and UploadPart in the S3 API Reference).
pub const BYTES_MAX: u64 = 5 << 30;

/// What a request announces about its bytes.
#[derive(Debug)]
pub struct Announced {
    pub expected: Expected,
    size: u64,
    trailers: Option<TrailingHeaders>,
}

impl Announced {
    pub fn of(headers: &HeaderMap, trailers: Option<TrailingHeaders>) -> S3Result<Self> {
        // The length of aws-chunked data differs from that of the body.
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

    /// For bytes that do not come from a client.
    pub fn of_size(size: u64) -> Self {
        Self {
            expected: Expected::default(),
            size,
            trailers: None,
        }
    }
}

/// Bytes that passed all checks, and their digests.
#[derive(Debug)]
pub struct Received {
    pub file: NewFile,
    pub computed: PartDigest,
}

impl Received {
    /// The digest by one of the requested algorithms.
    pub fn digest(&self, algorithm: Algorithm) -> AlgorithmDigest {
        let mut digests = self.computed.digests.iter();
        let found = digests.find(|digest| digest.algorithm() == algorithm);
        *found.expect("the client checks that all digests are there")
    }

    pub fn etag(&self) -> String {
        self.digest(Algorithm::Md5).digest().to_string()
    }

    /// Makes the object of these bytes.
    pub fn object(
        &self,
        key: String,
        headers: Vec<(String, String)>,
        algorithm: Algorithm,
    ) -> Object {
        let checksum = Checksum::of(&self.digest(algorithm));
        Object {
            key,
            modified: SystemTime::now(),
            etag: self.etag(),
            checksum: checksum.clone(),
            headers,
            is_multipart: false,
            upload: None,
            parts: vec![ObjectPart {
                number: 1,
                size: self.computed.size_bytes,
                checksum: Some(checksum),
                blob: self.file.id().to_owned(),
            }],
        }
    }
}

/// Receives the body, and keeps it only if it matches the client's values. Computes MD5, for the
/// ETag, and `algorithms`.
pub async fn receive(
    hashlane: &Hashlane,
    store: &Store,
    body: Option<StreamingBlob>,
    announced: Announced,
    algorithms: impl IntoIterator<Item = Algorithm>,
) -> S3Result<Received> {
    let algorithms: BTreeSet<_> = algorithms.into_iter().chain([Algorithm::Md5]).collect();
    let algorithms: Vec<_> = algorithms.into_iter().collect();
    let options = PartOptions::from(&algorithms[..]).with_size(announced.size);
    let file = store.new_file();
    let mut create = File::options();
    let output = create
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(file.path());
    let mut pass = Pass {
        body: body.unwrap_or_else(|| s3s::Body::empty().into()),
        has_ended: false,
        output: output.await.map_err(error::io)?,
        stored_bytes: 0,
        file: &file,
    };
    let computed = pass.run(hashlane, &options).await?;
    // s3s has the trailers once the body has ended.
    let trailers = announced.trailers.and_then(|trailers| trailers.take());
    announced.expected.check(&computed, trailers.as_ref())?;
    Ok(Received { file, computed })
}

/// A body in transfer. The file has all bytes received so far: if a server is lost, another one can
/// start again with them.
struct Pass<'a> {
    body: StreamingBlob,
    has_ended: bool,
    output: File,
    stored_bytes: u64,
    file: &'a NewFile,
}

/// A stream with one part. If the request fails, the stream is dropped before the part, which
/// cancels the call: hashlane never takes the bytes before the fault as the whole part.
struct Call {
    stream: DigestStream,
    part: Part<Digesting>,
}

/// The reason why a call has no digests.
enum Fault {
    Hashlane(hashlane_client::Error),
    Other(S3Error),
}

impl From<hashlane_client::Error> for Fault {
    fn from(error: hashlane_client::Error) -> Self {
        Self::Hashlane(error)
    }
}

impl Pass<'_> {
    /// The digests of the whole body, from the first server that is not lost meanwhile.
    async fn run(&mut self, hashlane: &Hashlane, options: &PartOptions) -> S3Result<PartDigest> {
        let mut others = hashlane.tries - 1;
        loop {
            match self.digest(hashlane, options.clone()).await {
                Ok(computed) => return Ok(computed),
                Err(Fault::Hashlane(lost)) if others > 0 && is_of_server(&lost) => {
                    log::line(format_args!("another hashlane server takes over: {lost}"));
                    others -= 1;
                }
                Err(Fault::Hashlane(error)) => return Err(error::hashlane(error)),
                Err(Fault::Other(error)) => return Err(error),
            }
        }
    }

    async fn digest(
        &mut self,
        hashlane: &Hashlane,
        options: PartOptions,
    ) -> Result<PartDigest, Fault> {
        let stream = hashlane.client.open_stream();
        let part = stream.part(options).await?;
        let mut call = Call { stream, part };
        self.send_stored(&mut call.part).await?;
        while !self.has_ended {
            let chunk = tokio::select! {
                biased;
                // Polled first, so that a slow client does not hide the loss of hashlane.
                fault = call.part.failed() => return Err(fault.into()),
                chunk = tokio::time::timeout(hashlane.idle_timeout, self.body.next()) => chunk,
            };
            let chunk = chunk.map_err(|_| Fault::Other(s3_error!(RequestTimeout)))?;
            let Some(chunk) = chunk else {
                self.has_ended = true;
                break;
            };
            let chunk = chunk.map_err(|fault| Fault::Other(error::body(fault)))?;
            let (sent, written) = tokio::join!(
                call.part.write(chunk.clone()),
                self.output.write_all(&chunk)
            );
            written.map_err(of_file)?;
            self.stored_bytes += chunk.len() as u64;
            sent?;
        }
        self.output.flush().await.map_err(of_file)?;
        let Call { stream, part } = call;
        let answer = part.finish();
        // Half-close first, so that the end of the part and of the call leave together.
        let finished = stream.finish();
        let computed = answer.await?;
        finished.await?;
        Ok(computed)
    }

    /// Sends the bytes that were already sent to another server.
    async fn send_stored(&mut self, part: &mut Part<Digesting>) -> Result<(), Fault> {
        if self.stored_bytes == 0 {
            return Ok(());
        }
        self.output.flush().await.map_err(of_file)?;
        let mut input = File::open(self.file.path()).await.map_err(of_file)?;
        let mut rest = self.stored_bytes;
        while rest > 0 {
            let mut chunk = BytesMut::with_capacity(CHUNK_BYTES);
            if input.read_buf(&mut chunk).await.map_err(of_file)? == 0 {
                return Err(of_file(io::ErrorKind::UnexpectedEof.into()));
            }
            rest -= chunk.len() as u64;
            part.write(chunk.freeze()).await?;
        }
        Ok(())
    }
}

fn of_file(fault: io::Error) -> Fault {
    Fault::Other(error::io(fault))
}
