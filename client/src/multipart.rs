//! An S3-style upload in parts: part numbers, lengths, and the object's values.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::algorithm::Algorithm;
use crate::client::Client;
use crate::digest::{AlgorithmDigest, Digest};
use crate::error::{Error, Result};
use crate::object::{ObjectDigest, ObjectParts};
use crate::source::Source;
use crate::wire_messages::{PartDigest, PartOptions, Verification};

/// S3's bounds: the highest part number, and the least bytes of all parts but the last.
const NUMBER_MAX: u32 = 10_000;
const PART_BYTES_MIN: u64 = 5 << 20;

/// The digests of an upload's parts. Parts may be sent in any order and concurrently; as in S3, a
/// part that is sent again replaces the earlier one. [`complete`](Self::complete) returns the
/// object's values.
#[derive(Debug)]
pub struct Multipart {
    client: Client,
    algorithms: Vec<Algorithm>,
    part_bytes_min: u64,
    parts: Mutex<BTreeMap<u32, PartDigest>>,
}

/// The S3 values of an object that was uploaded in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Object {
    /// The object's size in bytes.
    pub size_bytes: u64,
    /// The parts and their numbers, in order.
    pub parts: Vec<(u32, PartDigest)>,
    composites: Vec<(Algorithm, ObjectDigest)>,
    full_objects: Vec<(Algorithm, ObjectDigest)>,
}

impl Object {
    /// S3's ETag without quotes, if MD5 was requested.
    pub fn etag(&self) -> Option<&str> {
        self.composite(Algorithm::Md5)
            .map(|value| value.hex.as_str())
    }

    /// The COMPOSITE value, if the algorithm was requested and S3 defines one.
    pub fn composite(&self, algorithm: Algorithm) -> Option<&ObjectDigest> {
        value(&self.composites, algorithm)
    }

    /// The FULL_OBJECT value, if the algorithm was requested and S3 defines one.
    pub fn full_object(&self, algorithm: Algorithm) -> Option<&ObjectDigest> {
        value(&self.full_objects, algorithm)
    }
}

fn value(values: &[(Algorithm, ObjectDigest)], wanted: Algorithm) -> Option<&ObjectDigest> {
    let found = values.iter().find(|(algorithm, _)| *algorithm == wanted);
    found.map(|(_, value)| value)
}

impl Client {
    /// Begins an upload in parts, as in S3. The object's values are computed from its parts'
    /// values.
    ///
    /// # Errors
    /// [`Error::Argument`] if an algorithm is named twice, or a length is given.
    pub fn multipart(&self, algorithms: impl Into<PartOptions>) -> Result<Multipart> {
        Multipart::new(self.clone(), algorithms.into())
    }
}

impl Multipart {
    fn new(client: Client, options: PartOptions) -> Result<Self> {
        options.check()?;
        if options.size_bytes.is_some() {
            let why = "size_bytes: each part of an upload has a length of its own";
            return Err(Error::Argument(why.to_owned()));
        }
        Ok(Self {
            client,
            algorithms: options.algorithms.clone(),
            part_bytes_min: PART_BYTES_MIN,
            parts: Mutex::default(),
        })
    }

    /// The minimum bytes of each part except the last. Default 5 MiB, as in S3.
    #[must_use]
    pub fn part_bytes_min(mut self, bytes: u64) -> Self {
        self.part_bytes_min = bytes;
        self
    }

    /// Digests part `number`, 1 to 10,000, as [`Client::digest`] does.
    ///
    /// # Errors
    /// [`Error::Argument`] if S3 does not allow the number; otherwise as [`Client::digest`].
    pub async fn part<'a>(&self, number: u32, source: impl Into<Source<'a>>) -> Result<PartDigest> {
        check_number(number)?;
        let digest = self.client.digest(source, &self.algorithms[..]).await?;
        self.parts().insert(number, digest.clone());
        Ok(digest)
    }

    /// Verifies part `number`, 1 to 10,000, as [`Client::verify`] does. A part that does not match
    /// is not added. Digests for all the upload's algorithms must be given.
    ///
    /// # Errors
    /// [`Error::Argument`] if S3 does not allow the number or a digest is missing; otherwise as
    /// [`Client::verify`].
    pub async fn verify_part<'a>(
        &self,
        number: u32,
        source: impl Into<Source<'a>>,
        expected: &[AlgorithmDigest],
    ) -> Result<Verification> {
        check_number(number)?;
        let expected = self.in_order(expected)?;
        let verification = self.client.verify(source, &expected).await?;
        if verification.is_match() {
            let digest = PartDigest {
                digests: expected,
                size_bytes: verification.size_bytes,
            };
            self.parts().insert(number, digest);
        }
        Ok(verification)
    }

    /// The expected digests, in the order of the upload's algorithms.
    fn in_order(&self, expected: &[AlgorithmDigest]) -> Result<Vec<AlgorithmDigest>> {
        let find = |algorithm: &Algorithm| {
            let mut of = expected.iter().filter(|e| e.algorithm() == *algorithm);
            of.next().copied().filter(|_| of.next().is_none())
        };
        let found: Option<Vec<_>> = self.algorithms.iter().map(find).collect();
        let found = found.filter(|found| found.len() == expected.len());
        found.ok_or_else(|| {
            let names: Vec<_> = self.algorithms.iter().map(|a| a.name()).collect();
            let names = names.join(", ");
            Error::Argument(format!("expected: a part has one digest each of {names}"))
        })
    }

    /// Computes the values of the object that these parts form, in the order of their numbers.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no part, or a part other than the last is smaller than S3
    /// allows; otherwise as [`Client::compose`].
    pub async fn complete(&self) -> Result<Object> {
        let parts: Vec<_> = self.parts().clone().into_iter().collect();
        self.check(&parts)?;
        let client = self.client.for_one_thing();
        let mut object = Object {
            size_bytes: parts.iter().map(|(_, part)| part.size_bytes).sum(),
            parts,
            composites: Vec::new(),
            full_objects: Vec::new(),
        };
        for &algorithm in &self.algorithms {
            let of = |part: &PartDigest| -> Digest {
                *part.get(algorithm).expect("every part has every digest")
            };
            if algorithm.has_composite() {
                let digests = object.parts.iter().map(|(_, part)| of(part));
                let asked = ObjectParts::composite(algorithm, digests);
                let value = client.compose(&asked).await?;
                object.composites.push((algorithm, value));
            }
            if algorithm.has_full_object() {
                let digests = object.parts.iter();
                let digests = digests.map(|(_, part)| (of(part), part.size_bytes));
                let asked = ObjectParts::full_object(algorithm, digests);
                let value = client.compose(&asked).await?;
                object.full_objects.push((algorithm, value));
            }
        }
        Ok(object)
    }

    fn check(&self, parts: &[(u32, PartDigest)]) -> Result<()> {
        let Some((_, but_last)) = parts.split_last() else {
            return Err(Error::Argument("the upload has no part".to_owned()));
        };
        let least = self.part_bytes_min;
        match but_last.iter().find(|(_, part)| part.size_bytes < least) {
            None => Ok(()),
            Some((number, part)) => Err(Error::Argument(format!(
                "part {number} has {} bytes: all parts but the last have {least} or more",
                part.size_bytes
            ))),
        }
    }

    fn parts(&self) -> MutexGuard<'_, BTreeMap<u32, PartDigest>> {
        // No code that can panic runs under the lock.
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_number(number: u32) -> Result<()> {
    if (1..=NUMBER_MAX).contains(&number) {
        return Ok(());
    }
    Err(Error::Argument(format!(
        "a part has the number {number}, allowed are 1 to {NUMBER_MAX}"
    )))
}
