//! The two streaming RPCs behind one set of handles: what a frame becomes on
//! the wire, and what an answer becomes for the caller.

use std::future::Future;

use bytes::Bytes;
use hashlane_proto::v1;
use tonic::{Response, Status, Streaming};

use crate::error::{Error, Result};
use crate::hex::Digest;
use crate::stream::Outgoing;

pub(crate) type Service = v1::hash_service_client::HashServiceClient<tonic::transport::Channel>;

/// How a part is to be digested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PartOptions {
    /// The part's length in bytes, where it is known. A part that ends with
    /// another length gets an error instead of a digest.
    pub size_bytes: Option<u64>,
}

impl PartOptions {
    /// Options for a part of this length.
    pub fn of_size(size_bytes: u64) -> Self {
        Self {
            size_bytes: Some(size_bytes),
        }
    }
}

/// A part's answer to Digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PartDigest {
    /// SHA-256 of the part, raw.
    pub digest: Digest,
    /// The bytes hashed.
    pub size_bytes: u64,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// A part's answer to Verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Verification {
    /// Match or mismatch.
    pub verdict: Verdict,
    /// What the client expected.
    pub expected: Digest,
    /// What the server computed.
    pub computed: Digest,
    /// The bytes hashed.
    pub size_bytes: u64,
}

impl Verification {
    /// Whether the part is what was expected.
    pub fn is_match(&self) -> bool {
        self.verdict == Verdict::Match
    }
}

/// A streaming RPC: [`Digesting`] or [`Verifying`].
pub trait Rpc: sealed::Wire {}

/// The Digest RPC. Its parts are answered with a [`PartDigest`].
#[derive(Debug, Clone, Copy)]
pub enum Digesting {}

/// The Verify RPC. Its parts are answered with a [`Verification`].
#[derive(Debug, Clone, Copy)]
pub enum Verifying {}

impl Rpc for Digesting {}
impl Rpc for Verifying {}

/// One message of a request stream, before it is known of which RPC.
#[derive(Debug, Default)]
pub struct Frame {
    pub(crate) part: u64,
    pub(crate) open: Option<PartOptions>,
    pub(crate) expected: Option<Digest>,
    pub(crate) last: bool,
    pub(crate) data: Bytes,
}

impl Frame {
    fn open(&self) -> Option<v1::PartOptions> {
        // The default options are what the server assumes without any.
        let size_bytes = Some(self.open?.size_bytes?);
        Some(v1::PartOptions {
            algorithms: Vec::new(),
            size_bytes,
        })
    }
}

pub(crate) mod sealed {
    use super::*;

    /// What differs between the two RPCs on the wire.
    pub trait Wire: Sized + Send + Sync + 'static {
        /// What a part is answered with.
        type Answer: Send + 'static;
        /// The request message.
        type Request: Send + 'static;
        /// The response message.
        type Response: Send + 'static;

        #[doc(hidden)]
        fn request(frame: Frame) -> Self::Request;

        /// The number of the part answered, and its answer. The outer error
        /// is a broken contract, which ends the stream.
        #[doc(hidden)]
        fn answer(response: Self::Response) -> Result<(u64, Result<Self::Answer>)>;

        #[doc(hidden)]
        fn call(
            service: Service,
            request: tonic::Request<Outgoing<Self>>,
        ) -> impl Future<Output = Result<Response<Streaming<Self::Response>>, Status>> + Send
        where
            Self: Rpc;
    }
}

impl sealed::Wire for Digesting {
    type Answer = PartDigest;
    type Request = v1::DigestRequest;
    type Response = v1::DigestResponse;

    fn request(frame: Frame) -> v1::DigestRequest {
        v1::DigestRequest {
            part: frame.part,
            open: frame.open(),
            last: frame.last,
            data: frame.data,
        }
    }

    fn answer(response: v1::DigestResponse) -> Result<(u64, Result<PartDigest>)> {
        if let Some(error) = response.error {
            return Ok((response.part, Err(Error::of_part(error))));
        }
        let digest = PartDigest {
            digest: sole_digest(&response.digests)?,
            size_bytes: response.size_bytes,
        };
        Ok((response.part, Ok(digest)))
    }

    async fn call(
        mut service: Service,
        request: tonic::Request<Outgoing<Self>>,
    ) -> Result<Response<Streaming<v1::DigestResponse>>, Status> {
        service.digest(request).await
    }
}

impl sealed::Wire for Verifying {
    type Answer = Verification;
    type Request = v1::VerifyRequest;
    type Response = v1::VerifyResponse;

    fn request(frame: Frame) -> v1::VerifyRequest {
        let expected = frame.expected.map(|digest| v1::AlgorithmDigest {
            algorithm: v1::Algorithm::Sha256.into(),
            digest: Bytes::copy_from_slice(&digest),
        });
        v1::VerifyRequest {
            part: frame.part,
            open: frame.open(),
            expected: expected.into_iter().collect(),
            last: frame.last,
            data: frame.data,
        }
    }

    fn answer(response: v1::VerifyResponse) -> Result<(u64, Result<Verification>)> {
        let verdict = response.verdict();
        if let Some(error) = response.error {
            return Ok((response.part, Err(Error::of_part(error))));
        }
        let [compared] = response.verdicts.as_slice() else {
            return Err(Error::Protocol("not exactly one verdict of a part"));
        };
        let verdict = Verdict::from_wire(verdict).ok_or(Error::Protocol("no verdict"))?;
        let (expected, computed) = (digest(&compared.expected)?, digest(&compared.computed)?);
        if (expected == computed) != (verdict == Verdict::Match) {
            return Err(Error::Protocol("the verdict contradicts its digests"));
        }
        let verification = Verification {
            verdict,
            expected,
            computed,
            size_bytes: response.size_bytes,
        };
        Ok((response.part, Ok(verification)))
    }

    async fn call(
        mut service: Service,
        request: tonic::Request<Outgoing<Self>>,
    ) -> Result<Response<Streaming<v1::VerifyResponse>>, Status> {
        service.verify(request).await
    }
}

/// The one SHA-256 digest that was asked for.
pub(crate) fn sole_digest(digests: &[v1::AlgorithmDigest]) -> Result<Digest> {
    match digests {
        [one] if one.algorithm() == v1::Algorithm::Sha256 => digest(&one.digest),
        _ => Err(Error::Protocol("not exactly one sha-256 digest of a part")),
    }
}

pub(crate) fn digest(bytes: &[u8]) -> Result<Digest> {
    bytes
        .try_into()
        .map_err(|_| Error::Protocol("a sha-256 digest is not 32 bytes long"))
}
