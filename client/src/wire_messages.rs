//! The two streaming RPCs behind one interface: conversion of frames to requests, and of responses
//! to answers.

use std::future::Future;

use bytes::Bytes;
use hashlane_proto::v1;
use tokio_stream::Stream;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Response, Status, Streaming};

use crate::algorithm::Algorithm;
use crate::bearer::Bearer;
use crate::digest::{AlgorithmDigest, Digest};
use crate::error::{Error, Result};
use crate::shared_memory::Slot;

pub(crate) type Service =
    v1::hash_service_client::HashServiceClient<InterceptedService<Channel, Bearer>>;

/// How to digest a part. Converted from algorithms, `[Algorithm::Sha256, Algorithm::Md5].into()`;
/// the default is SHA-256 alone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartOptions {
    /// The algorithms to compute, at least one, each at most once.
    pub algorithms: Vec<Algorithm>,
    /// The part's length in bytes, if it is known. If the part ends with another length, its answer
    /// is an error.
    pub size_bytes: Option<u64>,
}

impl PartOptions {
    /// Options for a part of this length.
    pub fn of_size(size_bytes: u64) -> Self {
        Self::default().with_size(size_bytes)
    }

    /// The same for a part of this length.
    #[must_use]
    pub fn with_size(mut self, size_bytes: u64) -> Self {
        self.size_bytes = Some(size_bytes);
        self
    }

    /// Refuses options that the server would refuse or treat as SHA-256.
    pub(crate) fn check(&self) -> Result<()> {
        if self.algorithms.is_empty() {
            let why = "algorithms: none is named; PartOptions::default() is SHA-256";
            return Err(Error::Argument(why.to_owned()));
        }
        match Algorithm::repeated(self.algorithms.iter().copied()) {
            None => Ok(()),
            Some(twice) => Err(Error::Argument(format!(
                "algorithms: {twice} is named twice"
            ))),
        }
    }

    fn to_wire(&self) -> Option<v1::PartOptions> {
        // Without options, the server assumes the default ones.
        (*self != Self::default()).then(|| v1::PartOptions {
            algorithms: to_wire(&self.algorithms),
            size_bytes: self.size_bytes,
        })
    }
}

impl Default for PartOptions {
    fn default() -> Self {
        Algorithm::Sha256.into()
    }
}

impl From<Algorithm> for PartOptions {
    fn from(algorithm: Algorithm) -> Self {
        [algorithm].into()
    }
}

impl From<&[Algorithm]> for PartOptions {
    fn from(algorithms: &[Algorithm]) -> Self {
        Self {
            algorithms: algorithms.to_vec(),
            size_bytes: None,
        }
    }
}

impl<const N: usize> From<[Algorithm; N]> for PartOptions {
    fn from(algorithms: [Algorithm; N]) -> Self {
        algorithms[..].into()
    }
}

pub(crate) fn to_wire(algorithms: &[Algorithm]) -> Vec<i32> {
    let numbers = algorithms.iter();
    numbers
        .map(|algorithm| algorithm.to_wire().into())
        .collect()
}

/// The answer to a part of Digest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PartDigest {
    /// The requested digests, in the order of the request.
    pub digests: Vec<AlgorithmDigest>,
    /// The bytes hashed.
    pub size_bytes: u64,
}

impl PartDigest {
    /// The digest by `algorithm`, if it was requested.
    pub fn get(&self, algorithm: Algorithm) -> Option<&Digest> {
        let mut digests = self.digests.iter();
        let found = digests.find(|digest| digest.algorithm() == algorithm);
        found.map(AlgorithmDigest::digest)
    }

    /// The digest of a part with one algorithm; with several, the first.
    pub fn digest(&self) -> &Digest {
        self.digests[0].digest()
    }
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "a mismatch is an answer, not an error: look at the verdict"]
pub enum Verdict {
    /// The computed digest equals the expected one.
    Match,
    /// The computed digest differs from the expected one.
    Mismatch,
}

impl Verdict {
    pub(crate) fn from_wire(verdict: v1::Verdict) -> Option<Self> {
        match verdict {
            v1::Verdict::Match => Some(Self::Match),
            v1::Verdict::Mismatch => Some(Self::Mismatch),
            v1::Verdict::Unspecified => None,
        }
    }
}

/// The comparison of one digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use = "a mismatch is an answer, not an error: look at the verdict"]
pub struct DigestVerdict {
    /// Match or mismatch.
    pub verdict: Verdict,
    /// The digest that the client expected.
    pub expected: AlgorithmDigest,
    /// The digest that the server computed, with the same algorithm.
    pub computed: AlgorithmDigest,
}

/// The answer to a part of Verify.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use = "a mismatch is an answer, not an error: look at `is_match` or `verdict`"]
pub struct Verification {
    /// Match if all digests are as expected.
    pub verdict: Verdict,
    /// The comparisons, in the order of the expected digests.
    pub verdicts: Vec<DigestVerdict>,
    /// The bytes hashed.
    pub size_bytes: u64,
}

impl Verification {
    /// Whether all digests are as expected.
    #[must_use]
    pub fn is_match(&self) -> bool {
        self.verdict == Verdict::Match
    }

    /// The algorithms whose digest differs from the expected one.
    pub fn mismatches(&self) -> impl Iterator<Item = Algorithm> {
        let verdicts = self.verdicts.iter();
        let wrong = verdicts.filter(|verdict| verdict.verdict == Verdict::Mismatch);
        wrong.map(|verdict| verdict.expected.algorithm())
    }
}

/// A unary RPC, known by its request.
pub(crate) trait Unary: Clone + Send {
    type Answer: Send;

    fn call(
        service: Service,
        request: tonic::Request<Self>,
    ) -> impl Future<Output = Result<Response<Self::Answer>, Status>> + Send;

    /// Computes the answer without a server.
    #[cfg(feature = "embedded")]
    fn compute(
        self,
        by: &(impl Compute + Sync),
    ) -> impl Future<Output = Result<Self::Answer>> + Send;
}

/// Computes the answers of unary calls.
#[cfg(feature = "embedded")]
pub(crate) trait Compute {
    fn compose(&self, request: v1::ComposeRequest) -> Result<v1::ComposeResponse>;

    fn server_info(&self) -> v1::GetServerInfoResponse;

    fn digest_batch(
        &self,
        request: v1::DigestBatchRequest,
    ) -> impl Future<Output = Result<v1::DigestBatchResponse>> + Send;
}

impl Unary for v1::ComposeRequest {
    type Answer = v1::ComposeResponse;

    async fn call(
        mut service: Service,
        request: tonic::Request<Self>,
    ) -> Result<Response<v1::ComposeResponse>, Status> {
        service.compose(request).await
    }

    #[cfg(feature = "embedded")]
    async fn compute(self, by: &(impl Compute + Sync)) -> Result<v1::ComposeResponse> {
        by.compose(self)
    }
}

impl Unary for v1::GetServerInfoRequest {
    type Answer = v1::GetServerInfoResponse;

    async fn call(
        mut service: Service,
        request: tonic::Request<Self>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        service.get_server_info(request).await
    }

    #[cfg(feature = "embedded")]
    async fn compute(self, by: &(impl Compute + Sync)) -> Result<v1::GetServerInfoResponse> {
        Ok(by.server_info())
    }
}

impl Unary for v1::DigestBatchRequest {
    type Answer = v1::DigestBatchResponse;

    async fn call(
        mut service: Service,
        request: tonic::Request<Self>,
    ) -> Result<Response<v1::DigestBatchResponse>, Status> {
        service.digest_batch(request).await
    }

    #[cfg(feature = "embedded")]
    async fn compute(self, by: &(impl Compute + Sync)) -> Result<v1::DigestBatchResponse> {
        by.digest_batch(self).await
    }
}

/// A streaming RPC: [`Digesting`] or [`Verifying`].
pub trait Rpc: sealed::Wire {}

/// The Digest RPC, which answers parts with a [`PartDigest`].
#[derive(Debug, Clone, Copy)]
pub enum Digesting {}

/// The Verify RPC, which answers parts with a [`Verification`].
#[derive(Debug, Clone, Copy)]
pub enum Verifying {}

impl Rpc for Digesting {}
impl Rpc for Verifying {}

/// One message of a request stream, of either RPC.
#[derive(Debug, Default)]
pub struct Frame {
    pub(crate) part: u64,
    pub(crate) open: Option<PartOptions>,
    pub(crate) expected: Vec<AlgorithmDigest>,
    pub(crate) last: bool,
    pub(crate) data: Bytes,
    /// Bytes in shared memory, instead of `data`.
    pub(crate) slot: Option<Slot>,
}

impl Frame {
    /// Whether the message only keeps its part alive. It tells nothing of the server's progress:
    /// the transport takes it even if the server reads nothing.
    pub(crate) fn is_keep_alive(&self) -> bool {
        self.data.is_empty() && self.slot.is_none() && self.open.is_none() && !self.last
    }

    fn open(&self) -> Option<v1::PartOptions> {
        self.open.as_ref()?.to_wire()
    }
}

/// What a part asked for, to check its answer.
#[derive(Debug, Default)]
pub struct Asked {
    /// For Digest, the algorithms.
    pub(crate) algorithms: Vec<Algorithm>,
    /// For Verify, the expected digests, once they are known.
    pub(crate) expected: Vec<AlgorithmDigest>,
    /// Bytes sent.
    pub(crate) size_bytes: u64,
}

pub(crate) mod sealed {
    use super::*;

    /// The differences between the two RPCs on the wire.
    pub trait Wire: Sized + Send + Sync + 'static {
        /// The answer to a part.
        type Answer: Send + 'static;
        /// The request message.
        type Request: Send + 'static;
        /// The response message.
        type Response: Send + 'static;

        #[doc(hidden)]
        fn request(frame: &Frame) -> Self::Request;

        /// How many messages with shared memory the server has read; 0 if it does not say. And
        /// whether the response says more.
        #[doc(hidden)]
        fn memory_read(response: &Self::Response) -> (u64, bool);

        /// The number of the answered part, and its answer. The outer error means that the server
        /// broke the contract, which ends the stream.
        #[doc(hidden)]
        fn answer(response: Self::Response) -> Result<(u64, Result<Self::Answer>)>;

        /// Whether the answer fits the request.
        #[doc(hidden)]
        fn check(answer: &Self::Answer, asked: &Asked) -> Result<()>;

        /// The answer, if the digests were computed without a server.
        #[cfg(feature = "embedded")]
        #[doc(hidden)]
        fn computed(
            digests: Vec<AlgorithmDigest>,
            expected: &[AlgorithmDigest],
            size_bytes: u64,
        ) -> Self::Answer;

        #[doc(hidden)]
        fn call(
            service: Service,
            request: tonic::Request<impl Stream<Item = Self::Request> + Send + 'static>,
        ) -> impl Future<Output = Result<Response<Streaming<Self::Response>>, Status>> + Send;
    }
}

impl sealed::Wire for Digesting {
    type Answer = PartDigest;
    type Request = v1::DigestRequest;
    type Response = v1::DigestResponse;

    fn request(frame: &Frame) -> v1::DigestRequest {
        v1::DigestRequest {
            part: frame.part,
            open: frame.open(),
            last: frame.last,
            memory: frame.slot.as_ref().map(Slot::range),
            data: frame.data.clone(),
        }
    }

    fn memory_read(response: &v1::DigestResponse) -> (u64, bool) {
        let says_more = !response.digests.is_empty() || response.error.is_some();
        (response.memory_messages_read, says_more)
    }

    fn answer(response: v1::DigestResponse) -> Result<(u64, Result<PartDigest>)> {
        if let Some(error) = response.error {
            return Ok((response.part, Err(Error::of_part(error))));
        }
        let digest = PartDigest {
            digests: digests(&response.digests)?,
            size_bytes: response.size_bytes,
        };
        Ok((response.part, Ok(digest)))
    }

    fn check(answer: &PartDigest, asked: &Asked) -> Result<()> {
        check_digests(&answer.digests, &asked.algorithms)?;
        check_size(answer.size_bytes, asked)
    }

    #[cfg(feature = "embedded")]
    fn computed(
        digests: Vec<AlgorithmDigest>,
        _: &[AlgorithmDigest],
        size_bytes: u64,
    ) -> PartDigest {
        PartDigest {
            digests,
            size_bytes,
        }
    }

    async fn call(
        mut service: Service,
        request: tonic::Request<impl Stream<Item = v1::DigestRequest> + Send + 'static>,
    ) -> Result<Response<Streaming<v1::DigestResponse>>, Status> {
        service.digest(request).await
    }
}

impl sealed::Wire for Verifying {
    type Answer = Verification;
    type Request = v1::VerifyRequest;
    type Response = v1::VerifyResponse;

    fn request(frame: &Frame) -> v1::VerifyRequest {
        v1::VerifyRequest {
            part: frame.part,
            open: frame.open(),
            expected: frame.expected.iter().map(|e| e.to_wire()).collect(),
            last: frame.last,
            memory: frame.slot.as_ref().map(Slot::range),
            data: frame.data.clone(),
        }
    }

    fn memory_read(response: &v1::VerifyResponse) -> (u64, bool) {
        let says_more = !response.verdicts.is_empty() || response.error.is_some();
        (response.memory_messages_read, says_more)
    }

    fn answer(response: v1::VerifyResponse) -> Result<(u64, Result<Verification>)> {
        let verdict = response.verdict();
        if let Some(error) = response.error {
            return Ok((response.part, Err(Error::of_part(error))));
        }
        let contradiction = Error::Protocol("the verdict contradicts its digests");
        let mut verdicts = Vec::with_capacity(response.verdicts.len());
        for compared in &response.verdicts {
            let verdict = Verdict::from_wire(compared.verdict());
            let verdict = DigestVerdict {
                verdict: verdict.ok_or(Error::Protocol("no verdict"))?,
                expected: AlgorithmDigest::from_wire(compared.algorithm, &compared.expected)?,
                computed: AlgorithmDigest::from_wire(compared.algorithm, &compared.computed)?,
            };
            let is_match = verdict.expected == verdict.computed;
            if is_match != (verdict.verdict == Verdict::Match) {
                return Err(contradiction);
            }
            verdicts.push(verdict);
        }
        let verification = Verification {
            verdict: Verdict::from_wire(verdict).ok_or(Error::Protocol("no verdict"))?,
            verdicts,
            size_bytes: response.size_bytes,
        };
        let all_match = verification.mismatches().next().is_none();
        if all_match != verification.is_match() {
            return Err(contradiction);
        }
        Ok((response.part, Ok(verification)))
    }

    fn check(answer: &Verification, asked: &Asked) -> Result<()> {
        let compared = answer.verdicts.iter().map(|verdict| verdict.expected);
        if !compared.eq(asked.expected.iter().copied()) {
            return Err(Error::Protocol("the verdict is on other digests"));
        }
        check_size(answer.size_bytes, asked)
    }

    #[cfg(feature = "embedded")]
    fn computed(
        digests: Vec<AlgorithmDigest>,
        expected: &[AlgorithmDigest],
        size_bytes: u64,
    ) -> Verification {
        let verdict = |is_match| match is_match {
            true => Verdict::Match,
            false => Verdict::Mismatch,
        };
        let verdicts = expected.iter().filter_map(|expected| {
            let mut of_part = digests.iter();
            let computed = of_part.find(|digest| digest.algorithm() == expected.algorithm())?;
            Some(DigestVerdict {
                verdict: verdict(expected == computed),
                expected: *expected,
                computed: *computed,
            })
        });
        let verdicts: Vec<_> = verdicts.collect();
        let all_match = verdicts.iter().all(|it| it.verdict == Verdict::Match);
        Verification {
            verdict: verdict(all_match),
            verdicts,
            size_bytes,
        }
    }

    async fn call(
        mut service: Service,
        request: tonic::Request<impl Stream<Item = v1::VerifyRequest> + Send + 'static>,
    ) -> Result<Response<Streaming<v1::VerifyResponse>>, Status> {
        service.verify(request).await
    }
}

/// Checks that the server hashed as many bytes as were sent.
fn check_size(answered: u64, asked: &Asked) -> Result<()> {
    if answered != asked.size_bytes {
        return Err(Error::Protocol(
            "the answer is about another number of bytes than were sent",
        ));
    }
    Ok(())
}

/// Converts the digests of one part or blob.
pub(crate) fn digests(digests: &[v1::AlgorithmDigest]) -> Result<Vec<AlgorithmDigest>> {
    let digests = digests.iter();
    digests
        .map(|digest| AlgorithmDigest::from_wire(digest.algorithm, &digest.digest))
        .collect()
}

/// Checks that these are the requested digests.
pub(crate) fn check_digests(digests: &[AlgorithmDigest], asked: &[Algorithm]) -> Result<()> {
    let given = digests.iter().map(AlgorithmDigest::algorithm);
    if !given.eq(asked.iter().copied()) {
        return Err(Error::Protocol(
            "not exactly the digests that were asked for",
        ));
    }
    Ok(())
}
