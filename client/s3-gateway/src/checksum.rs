//! S3's checksums in requests and responses.
//!
//! The rules are from "Checking object integrity in Amazon S3" in the S3 User Guide and from
//! PutObject and UploadPart in the S3 API Reference. The messages are S3's.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hashlane_client::{Algorithm, AlgorithmDigest, PartDigest};
use http::{HeaderMap, HeaderName, HeaderValue};
use s3s::{S3Error, S3Result, s3_error};
use serde::{Deserialize, Serialize};

use crate::error;

/// The algorithms of `x-amz-checksum-*`, from the type ChecksumAlgorithm of the API.
const ALGORITHMS: [Algorithm; 10] = [
    Algorithm::Crc32,
    Algorithm::Crc32c,
    Algorithm::Crc64nvme,
    Algorithm::Sha1,
    Algorithm::Sha256,
    Algorithm::Sha512,
    Algorithm::Md5,
    Algorithm::Xxhash64,
    Algorithm::Xxhash3,
    Algorithm::Xxhash128,
];

/// The algorithm that S3 uses by default ("default data integrity protection").
pub const DEFAULT: Algorithm = Algorithm::Crc64nvme;

const SDK_ALGORITHM: &str = "x-amz-sdk-checksum-algorithm";
const NAMED_ALGORITHM: &str = "x-amz-checksum-algorithm";

/// The algorithm with this name in S3.
pub fn algorithm(name: &str) -> S3Result<Algorithm> {
    let mut algorithms = ALGORITHMS.into_iter();
    let found = algorithms.find(|algorithm| name.eq_ignore_ascii_case(algorithm.name()));
    found.ok_or_else(|| {
        s3_error!(
            InvalidRequest,
            "Checksum algorithm provided is unsupported."
        )
    })
}

/// S3's name, such as `CRC32`.
pub fn name(algorithm: Algorithm) -> String {
    algorithm.name().to_uppercase()
}

/// The checksum of an object or of a part, as S3 writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    #[serde(with = "by_name")]
    pub algorithm: Algorithm,
    /// Base64, and `-N` after a COMPOSITE of N parts.
    pub value: String,
    pub kind: Kind,
}

/// How a checksum is computed from an object's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// From the checksums of its parts.
    Composite,
    /// From all its bytes.
    FullObject,
}

impl Kind {
    pub fn named(name: &str) -> S3Result<Self> {
        let mut kinds = [Self::Composite, Self::FullObject].into_iter();
        kinds.find(|kind| kind.name() == name).ok_or_else(|| {
            s3_error!(
                InvalidRequest,
                "Value for x-amz-checksum-type header is invalid."
            )
        })
    }

    /// S3's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Composite => "COMPOSITE",
            Self::FullObject => "FULL_OBJECT",
        }
    }
}

impl Checksum {
    pub fn of(digest: &AlgorithmDigest) -> Self {
        Self {
            algorithm: digest.algorithm(),
            value: BASE64_STANDARD.encode(digest.digest()),
            kind: Kind::FullObject,
        }
    }

    /// As headers and not in s3s's fields, because s3s knows only five algorithms.
    pub fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let name = HeaderName::try_from(header(self.algorithm)).expect("letters, digits and -");
        let value = HeaderValue::try_from(&self.value).expect("base64");
        let kind = HeaderValue::from_static(self.kind.name());
        [(name, value), (s3s::header::X_AMZ_CHECKSUM_TYPE, kind)].into_iter()
    }
}

fn header(algorithm: Algorithm) -> String {
    format!("x-amz-checksum-{algorithm}")
}

/// The checksums that a request gives for its bytes.
#[derive(Debug, Default)]
pub struct Expected {
    content_md5: Option<AlgorithmDigest>,
    checksum: Option<Announced>,
    /// From `x-amz-checksum-algorithm`, which minio-go sends with trailers or alone.
    named: Option<Algorithm>,
}

#[derive(Debug)]
enum Announced {
    Header(AlgorithmDigest),
    /// The value is in a trailer.
    Trailer(Algorithm),
}

impl Expected {
    pub fn of(headers: &HeaderMap) -> S3Result<Self> {
        let content_md5 = text(headers, "content-md5")?.map(|value| {
            digest(Algorithm::Md5, value).ok_or_else(|| {
                s3_error!(InvalidDigest, "The Content-MD5 you specified was invalid.")
            })
        });
        let mut announced = Vec::new();
        for algorithm in ALGORITHMS {
            if let Some(digest) = value(headers, algorithm)? {
                announced.push(Announced::Header(digest));
            }
        }
        for trailer in headers.get_all("x-amz-trailer") {
            announced.push(Announced::Trailer(trailing(trailer)?));
        }
        if announced.len() > 1 {
            return Err(s3_error!(
                InvalidRequest,
                "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."
            ));
        }
        let expected = Self {
            content_md5: content_md5.transpose()?,
            checksum: announced.pop(),
            named: text(headers, NAMED_ALGORITHM)?.map(algorithm).transpose()?,
        };
        expected.check_named_algorithms(headers)?;
        Ok(expected)
    }

    /// Checks that the client sends the algorithm that it names.
    fn check_named_algorithms(&self, headers: &HeaderMap) -> S3Result<()> {
        let sdk = text(headers, SDK_ALGORITHM)?.map(algorithm).transpose()?;
        if sdk.is_some() && self.algorithm().is_none() {
            return Err(s3_error!(
                InvalidRequest,
                "{SDK_ALGORITHM} specified, but no corresponding x-amz-checksum-* or \
                 x-amz-trailer headers were found."
            ));
        }
        for (name, named) in [(SDK_ALGORITHM, sdk), (NAMED_ALGORITHM, self.named)] {
            let sent = self.algorithm().or(named);
            if named.is_some() && named != sent {
                return Err(s3_error!(
                    InvalidRequest,
                    "Value for {name} header is invalid."
                ));
            }
        }
        Ok(())
    }

    /// The algorithm of the checksum in the request.
    pub fn algorithm(&self) -> Option<Algorithm> {
        match &self.checksum {
            None => None,
            Some(Announced::Header(digest)) => Some(digest.algorithm()),
            Some(Announced::Trailer(algorithm)) => Some(*algorithm),
        }
    }

    /// The same, or else the algorithm that the client names.
    pub fn asked_algorithm(&self) -> Option<Algorithm> {
        self.algorithm().or(self.named)
    }

    /// The algorithms to compute for the comparison.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        let md5 = self.content_md5.as_ref().map(|_| Algorithm::Md5);
        let checksum = self.algorithm().filter(|algorithm| Some(*algorithm) != md5);
        md5.into_iter().chain(checksum).collect()
    }

    /// Compares the checksums with hashlane's digests.
    pub fn check(&self, computed: &PartDigest, trailers: Option<&HeaderMap>) -> S3Result<()> {
        let matches = |expected: &AlgorithmDigest| computed.digests.contains(expected);
        if !self.content_md5.as_ref().is_none_or(matches) {
            return Err(s3_error!(
                BadDigest,
                "The Content-MD5 you specified did not match what we received."
            ));
        }
        let expected = match &self.checksum {
            None => return Ok(()),
            Some(Announced::Header(digest)) => *digest,
            Some(Announced::Trailer(algorithm)) => {
                let value = trailers.map(|trailers| value(trailers, *algorithm));
                value.transpose()?.flatten().ok_or_else(malformed_trailer)?
            }
        };
        if matches(&expected) {
            return Ok(());
        }
        Err(mismatch(expected.algorithm()))
    }
}

/// The error for bytes that do not match the client's checksum.
pub fn mismatch(algorithm: Algorithm) -> S3Error {
    let name = name(algorithm);
    s3_error!(
        BadDigest,
        "The {name} you specified did not match the calculated checksum."
    )
}

/// The error for a value that the algorithm cannot have.
pub fn invalid(algorithm: Algorithm) -> S3Error {
    let name = header(algorithm);
    s3_error!(InvalidRequest, "Value for {name} header is invalid.")
}

/// The algorithm of the checksum of the whole object in a request.
pub fn of_object(headers: &HeaderMap) -> Option<Algorithm> {
    let mut algorithms = ALGORITHMS.into_iter();
    algorithms.find(|algorithm| headers.contains_key(header(*algorithm)))
}

/// The value in the algorithm's header, if there is one.
pub fn value_text(headers: &HeaderMap, algorithm: Algorithm) -> S3Result<Option<&str>> {
    text(headers, &header(algorithm))
}

fn value(headers: &HeaderMap, algorithm: Algorithm) -> S3Result<Option<AlgorithmDigest>> {
    let Some(value) = value_text(headers, algorithm)? else {
        return Ok(None);
    };
    let digest = digest(algorithm, value).ok_or_else(|| invalid(algorithm))?;
    Ok(Some(digest))
}

fn digest(algorithm: Algorithm, base64: &str) -> Option<AlgorithmDigest> {
    let digest = BASE64_STANDARD.decode(base64).ok()?;
    AlgorithmDigest::new(algorithm, &digest).ok()
}

/// The algorithm of a checksum in a trailer.
fn trailing(trailer: &HeaderValue) -> S3Result<Algorithm> {
    let name = trailer.to_str().ok();
    let name = name.and_then(|name| name.trim().strip_prefix("x-amz-checksum-"));
    name.and_then(|name| algorithm(name).ok()).ok_or_else(|| {
        s3_error!(
            InvalidRequest,
            "The value specified in the x-amz-trailer header is not supported"
        )
    })
}

fn malformed_trailer() -> S3Error {
    error::custom(
        "MalformedTrailerError",
        "The request contained trailing data that was not well-formed or did not conform to our \
         published schema.",
    )
}

/// The value of a header.
pub fn text<'a>(headers: &'a HeaderMap, name: &str) -> S3Result<Option<&'a str>> {
    let value = headers.get(name).map(HeaderValue::to_str).transpose();
    value.map_err(|_| s3_error!(InvalidRequest, "Value for {name} header is invalid."))
}

mod by_name {
    use hashlane_client::Algorithm;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(
        algorithm: &Algorithm,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(algorithm.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Algorithm, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}
