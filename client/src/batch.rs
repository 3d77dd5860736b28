//! Many small blobs in few requests.

use bytes::Bytes;
use hashlane_proto::v1;

use crate::client::Client;
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::wire_messages::{self, PartOptions};

/// Bytes that a blob adds to its batch's message beyond its data: a tag and a length of at most
/// five bytes.
const BLOB_OVERHEAD_BYTES: usize = 6;

impl Client {
    /// Digests many small blobs in as few requests as the server's limits allow. Returns their
    /// digests in the same order, for each blob the algorithms of the options. A blob that fits no
    /// request is streamed.
    ///
    /// # Errors
    /// [`Error::Argument`] if no algorithm is named, one is named twice, or a length is given;
    /// otherwise the first error of a request.
    pub async fn digest_batch(
        &self,
        blobs: &[Bytes],
        options: impl Into<PartOptions>,
    ) -> Result<Vec<Vec<AlgorithmDigest>>> {
        let options: PartOptions = options.into();
        options.check()?;
        if options.size_bytes.is_some() {
            let why = "size_bytes: each blob of a batch has a length of its own";
            return Err(Error::Argument(why.to_owned()));
        }
        let client = self.for_one_thing();
        let mut limits = client.limits().await?;
        let mut are_new = false;
        // A server also bounds the digests of a batch. It does not report that bound; it only
        // refuses larger batches.
        let mut blobs_max = usize::MAX;
        let mut digests = Vec::with_capacity(blobs.len());
        let mut rest = blobs;
        while let Some(first) = rest.first() {
            let count = batch_blobs(rest, &limits, options.algorithms.len()).min(blobs_max);
            if count == 0 {
                let answer = client.digest(first.clone(), options.clone()).await?;
                digests.push(answer.digests);
                rest = &rest[1..];
                continue;
            }
            let (batch, after) = rest.split_at(count);
            match client.digest_one_batch(batch, &options).await {
                Ok(mut answers) => digests.append(&mut answers),
                // The server was restarted with other limits, or a different server answered.
                Err(error) if error.is_beyond_limits() && !are_new => {
                    client.forget_limits();
                    limits = client.limits().await?;
                    are_new = true;
                    continue;
                }
                Err(error) if error.reason() == Some("TOO_MANY_DIGESTS") && count > 1 => {
                    blobs_max = count / 2;
                    continue;
                }
                Err(error) => return Err(error),
            }
            rest = after;
        }
        Ok(digests)
    }

    async fn digest_one_batch(
        &self,
        blobs: &[Bytes],
        options: &PartOptions,
    ) -> Result<Vec<Vec<AlgorithmDigest>>> {
        let request = v1::DigestBatchRequest {
            algorithms: wire_messages::to_wire(&options.algorithms),
            blobs: blobs.to_vec(),
        };
        let response = self.unary(request).await?;
        if response.blobs.len() != blobs.len() {
            return Err(Error::Protocol("not one answer for each blob of a batch"));
        }
        let answer = |blob: &v1::BlobDigests| {
            let digests = wire_messages::digests(&blob.digests)?;
            wire_messages::check_digests(&digests, &options.algorithms)?;
            Ok(digests)
        };
        response.blobs.iter().map(answer).collect()
    }
}

/// How many of the first blobs fit in one request with `algorithms` algorithms.
fn batch_blobs(blobs: &[Bytes], limits: &v1::Limits, algorithms: usize) -> usize {
    let bytes_max = usize::try_from(limits.message_bytes_max).unwrap_or(usize::MAX);
    let blobs_max = usize::try_from(limits.batch_blobs_max).unwrap_or(usize::MAX);
    // Each algorithm takes one byte; a tag and a length come before them.
    let mut bytes = algorithms + if algorithms == 0 { 0 } else { 2 };
    let fitting = blobs.iter().take(blobs_max).take_while(|blob| {
        bytes = bytes.saturating_add(blob.len() + BLOB_OVERHEAD_BYTES);
        bytes <= bytes_max
    });
    fitting.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_takes_what_fits() {
        let blobs = [
            Bytes::from_static(&[0; 10]),
            Bytes::new(),
            Bytes::from_static(&[0; 100]),
        ];
        let count = |blobs: &[Bytes], message_bytes_max, batch_blobs_max, algorithms| {
            let limits = v1::Limits {
                message_bytes_max,
                batch_blobs_max,
                ..v1::Limits::default()
            };
            batch_blobs(blobs, &limits, algorithms)
        };
        assert_eq!(count(&blobs, 1000, 1000, 0), 3);
        assert_eq!(count(&blobs, 1000, 2, 0), 2);
        assert_eq!(count(&blobs, 22, 1000, 0), 2);
        assert_eq!(count(&blobs, 21, 1000, 0), 1);
        assert_eq!(count(&blobs, 24, 1000, 1), 1);
        assert_eq!(count(&blobs, 15, 1000, 0), 0);
        assert_eq!(count(&[], 15, 1000, 0), 0);
    }
}
