//! Server info, batches, and S3's values of objects in parts.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use bytes::Bytes;
use hashlane_engine::composite::{Composer, Expected, PartsError};
use hashlane_engine::{Algorithm as Of, Backend, Crossover, Digest, Stopped};
use hashlane_proto::v1;

use super::{Embedded, algorithm, refusal};
use crate::algorithm::Algorithm;
use crate::error::{Error, Result};
use crate::wire_messages::Compute;

/// Blobs of a batch in the engine at a time: enough to fill the lanes of a few workers.
const OPEN_BLOBS_MAX: usize = 64;

type Computed = Result<Vec<(Of, Digest)>, Stopped>;

impl Compute for Embedded {
    fn server_info(&self) -> v1::GetServerInfoResponse {
        let backend = Backend::detect();
        let faulty = self.shared.faulty_kernels();
        let of_algorithm = |algorithm: Algorithm| {
            let engine = algorithm::engine(algorithm);
            let kernels = engine.family().map(|family| backend.kernels(family));
            let kernels = kernels.into_iter().flatten();
            let usable = kernels.filter(|kernel| !faulty.contains(kernel));
            v1::AlgorithmInfo {
                algorithm: algorithm.to_wire().into(),
                kernels: usable.map(|kernel| kernel.name().to_owned()).collect(),
                lanes: narrow(engine.family().map_or(1, |_| Crossover::LANES)),
                digest_bytes: narrow(algorithm.digest_bytes()),
                name: algorithm.name().to_owned(),
            }
        };
        v1::GetServerInfoResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            algorithms: Algorithm::all().map(of_algorithm).collect(),
            workers: narrow(self.workers),
            limits: Some(v1::Limits {
                message_bytes_max: u64::MAX,
                // The longest message of SHA-256.
                part_bytes_max: (1 << 61) - 1,
                parts_per_stream_max: u32::MAX,
                batch_blobs_max: u32::MAX,
                streams_per_connection_max: u32::MAX,
            }),
        }
    }

    async fn digest_batch(
        &self,
        request: v1::DigestBatchRequest,
    ) -> Result<v1::DigestBatchResponse> {
        let algorithms: Result<Vec<_>> = request
            .algorithms
            .into_iter()
            .map(algorithm::of_wire)
            .collect();
        let algorithms = algorithms?;
        let engines = algorithm::engines(&algorithms);
        let mut open = VecDeque::with_capacity(OPEN_BLOBS_MAX);
        let mut blobs = Vec::with_capacity(request.blobs.len());
        let mut take = |computed: Computed| -> Result<()> {
            let computed = computed.map_err(refusal::stopped)?;
            let digests = algorithm::digests(&algorithms, &computed)?;
            let digests = digests.into_iter().map(|digest| digest.to_wire()).collect();
            blobs.push(v1::BlobDigests { digests });
            Ok(())
        };
        for blob in request.blobs {
            if open.len() == OPEN_BLOBS_MAX
                && let Some(first) = open.pop_front()
            {
                take(finished(first).await)?;
            }
            let mut part = self.shared.open(&engines);
            part.update_async(blob).await.map_err(refusal::stopped)?;
            open.push_back(begun(Box::pin(part.finish_async())).await);
        }
        for first in open {
            take(finished(first).await)?;
        }
        Ok(v1::DigestBatchResponse { blobs })
    }

    fn compose(&self, request: v1::ComposeRequest) -> Result<v1::ComposeResponse> {
        let number = request.algorithm;
        let algorithm = algorithm::engine(algorithm::of_wire(number)?);
        let expected = parse_expected(algorithm, &request.expected)?;
        let composer = match request.checksum_type() {
            v1::ChecksumType::FullObject => Composer::full_object(algorithm),
            _ => Composer::composite(algorithm),
        };
        let refuse = |error| refused(algorithm, &error);
        let mut composer = composer.map_err(refuse)?;
        // A composite has no lengths, and needs none.
        let lengths = request.part_size_bytes.into_iter();
        let parts = request
            .part_digests
            .iter()
            .zip(lengths.chain(std::iter::repeat(0)));
        for (digest, length) in parts {
            composer.push(digest, length).map_err(refuse)?;
        }
        let value = composer.finish().map_err(refuse)?;
        let verdict = match expected.map(|expected| expected.matches(&value)) {
            None => v1::Verdict::Unspecified,
            Some(true) => v1::Verdict::Match,
            Some(false) => v1::Verdict::Mismatch,
        };
        Ok(v1::ComposeResponse {
            composite: value.to_base64(),
            digest: Bytes::copy_from_slice(value.digest()),
            verdict: verdict.into(),
            hex: value.to_hex(),
        })
    }
}

/// A blob's digests, or the future of them.
enum Blob<F> {
    Done(Computed),
    Pending(Pin<Box<F>>),
}

/// Polls once: the worker learns of the blob's end then.
async fn begun<F: Future<Output = Computed>>(mut future: Pin<Box<F>>) -> Blob<F> {
    let polled = poll_fn(|context| Poll::Ready(future.as_mut().poll(context)));
    match polled.await {
        Poll::Ready(computed) => Blob::Done(computed),
        Poll::Pending => Blob::Pending(future),
    }
}

async fn finished<F: Future<Output = Computed>>(blob: Blob<F>) -> Computed {
    match blob {
        Blob::Done(computed) => computed,
        Blob::Pending(future) => future.await,
    }
}

fn parse_expected(algorithm: Of, text: &str) -> Result<Option<Expected>> {
    if text.is_empty() {
        return Ok(None);
    }
    let expected = Expected::parse(algorithm, text).map_err(|error| {
        let message = format!("expected is no value of {algorithm}: {error}");
        refusal::invalid("MALFORMED_EXPECTED", message)
    })?;
    Ok(Some(expected))
}

fn refused(algorithm: Of, error: &PartsError) -> Error {
    let reason = match error {
        PartsError::NoComposite | PartsError::NoFullObject => {
            let message = format!("algorithm {algorithm}: {error}");
            return refusal::invalid("UNSUPPORTED_CHECKSUM_TYPE", message);
        }
        PartsError::NoDigest { .. } | PartsError::DigestLength { .. } => "DIGEST_LENGTH",
        _ => "PART_COUNT",
    };
    let place = error.index().map(|index| format!("[{index}]"));
    let message = format!("part_digests{}: {error}", place.unwrap_or_default());
    refusal::invalid(reason, message)
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
