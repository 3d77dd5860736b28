//! Uploads in parts.
//!
//! hashlane composes the ETag and the object's checksum from the digests of the parts; the bytes
//! are not read again. Uploads are in memory only: when the gateway ends, they are aborted.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use hashlane_client::{Algorithm, AlgorithmDigest, Client, ObjectDigest, ObjectParts, Verdict};
use http::HeaderMap;
use s3s::dto::{CompletedPart, CreateMultipartUploadInput};
use s3s::{S3Result, s3_error};

use crate::checksum::{self, Checksum, Expected, Kind};
use crate::error;
use crate::store::{Conditions, Object, ObjectPart, Store};
use crate::upload::Received;

/// Bytes that each part but the last has at least, and the highest part number ("Amazon S3
/// multipart upload limits" in the S3 User Guide).
const PART_BYTES_MIN: u64 = 5 << 20;
const PART_NUMBER_MAX: i32 = 10_000;
/// Uploads in progress. S3 has no such bound; this is memory.
const UPLOADS_MAX: usize = 1_000;

/// How the object's checksum is computed.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub algorithm: Algorithm,
    pub kind: Kind,
    /// The client named the algorithm; otherwise it is S3's default.
    pub is_named: bool,
}

impl Method {
    /// What CreateMultipartUpload asks for.
    pub fn of(input: &CreateMultipartUploadInput) -> S3Result<Self> {
        let kind = input.checksum_type.as_ref().map(|kind| kind.as_str());
        let Some(name) = &input.checksum_algorithm else {
            if kind.is_some() {
                return Err(s3_error!(
                    InvalidRequest,
                    "The x-amz-checksum-type header can only be used with the \
                     x-amz-checksum-algorithm header."
                ));
            }
            return Ok(Self {
                algorithm: checksum::DEFAULT,
                kind: Kind::FullObject,
                is_named: false,
            });
        };
        let algorithm = checksum::algorithm(name.as_str())?;
        let kinds = kinds(algorithm);
        let Some(default) = kinds.first() else {
            return Err(s3_error!(
                NotImplemented,
                "This gateway has no multipart uploads with {}. Choose another algorithm, or \
                 raise the client's multipart_threshold.",
                checksum::name(algorithm)
            ));
        };
        let kind = kind.map_or(Ok(*default), Kind::named)?;
        if !kinds.contains(&kind) {
            return Err(s3_error!(
                InvalidRequest,
                "The {} checksum type cannot be used with the {algorithm} checksum algorithm.",
                kind.name()
            ));
        }
        Ok(Self {
            algorithm,
            kind,
            is_named: true,
        })
    }

    /// Whether a part may bring what it brings. S3 wants the checksum of each part for COMPOSITE.
    pub fn check_part(&self, expected: &Expected) -> S3Result<()> {
        let brought = expected.algorithm();
        let is_allowed = match brought {
            None => !self.is_named || self.kind == Kind::FullObject,
            Some(brought) => !self.is_named || brought == self.algorithm,
        };
        if is_allowed {
            return Ok(());
        }
        Err(s3_error!(
            InvalidRequest,
            "Checksum Type mismatch occurred, expected checksum Type: {}, actual checksum Type: {}",
            self.algorithm,
            brought.map_or("null", Algorithm::name)
        ))
    }
}

/// What S3 has of an algorithm, its default first ("Using full object and composite checksum types
/// for multipart uploads" in the S3 User Guide). Nothing of those whose elements s3s refuses in the
/// list of parts that completes an upload.
fn kinds(algorithm: Algorithm) -> &'static [Kind] {
    match algorithm {
        Algorithm::Crc32 | Algorithm::Crc32c => &[Kind::Composite, Kind::FullObject],
        Algorithm::Crc64nvme => &[Kind::FullObject],
        Algorithm::Sha1 | Algorithm::Sha256 => &[Kind::Composite],
        _ => &[],
    }
}

/// A part in the store, which no object has yet.
#[derive(Debug)]
pub struct UploadedPart {
    pub received: Received,
    /// Of the algorithm that the part, or else the upload, was told.
    pub checksum: Option<Checksum>,
    pub modified: SystemTime,
}

impl UploadedPart {
    pub fn etag(&self) -> String {
        self.received.digest(Algorithm::Md5).digest().to_string()
    }

    pub fn size(&self) -> u64 {
        self.received.computed.size_bytes
    }
}

#[derive(Debug, Clone)]
pub struct Upload {
    pub bucket: String,
    pub key: String,
    pub begun: SystemTime,
    pub method: Method,
    pub headers: Vec<(String, String)>,
    pub parts: BTreeMap<i32, Arc<UploadedPart>>,
}

/// The uploads in progress.
#[derive(Debug, Default)]
pub struct Uploads(Mutex<HashMap<String, Upload>>);

impl Uploads {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Upload>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn create(&self, store: &Store, id: String, upload: Upload) -> S3Result<()> {
        store.bucket(&upload.bucket.clone(), |_| {
            let mut uploads = self.lock();
            // More, if a completion failed and its upload came back.
            if uploads.len() >= UPLOADS_MAX {
                return Err(s3_error!(SlowDown, "too many uploads are in progress"));
            }
            uploads.insert(id, upload);
            Ok(())
        })?
    }

    /// The uploads of a bucket, by their keys and IDs: when they began, and how they are computed.
    pub fn of_bucket(&self, bucket: &str) -> BTreeMap<(String, String), (SystemTime, Method)> {
        let uploads = self.lock();
        let uploads = uploads.iter().filter(|(_, upload)| upload.bucket == bucket);
        let uploads = uploads.map(|(id, upload)| {
            let name = (upload.key.clone(), id.clone());
            (name, (upload.begun, upload.method))
        });
        uploads.collect()
    }

    /// Deletes a bucket, which ends its uploads.
    pub fn delete_bucket(&self, store: &Store, bucket: &str) -> S3Result<()> {
        let ended: Vec<_> = store.delete_bucket(bucket, || {
            let mut uploads = self.lock();
            uploads
                .extract_if(|_, upload| upload.bucket == bucket)
                .collect()
        })?;
        // The files of parts are removed without the locks.
        drop(ended);
        Ok(())
    }

    /// The upload as it is now.
    pub fn get(&self, bucket: &str, key: &str, id: &str) -> S3Result<Upload> {
        let uploads = self.lock();
        let upload = uploads.get(id).filter(|upload| upload.is_of(bucket, key));
        upload.cloned().ok_or_else(|| s3_error!(NoSuchUpload))
    }

    /// Adds a part, in place of one with its number.
    pub fn add(&self, id: &str, number: i32, part: UploadedPart) -> S3Result<()> {
        let mut uploads = self.lock();
        let upload = uploads.get_mut(id);
        let upload = upload.ok_or_else(|| s3_error!(NoSuchUpload))?;
        let old = upload.parts.insert(number, Arc::new(part));
        // The old part's file is removed without the lock.
        drop(uploads);
        drop(old);
        Ok(())
    }

    /// Ends the upload; its parts go, unless they were published.
    pub fn abort(&self, bucket: &str, key: &str, id: &str) -> S3Result<()> {
        self.get(bucket, key, id)?;
        let upload = self.lock().remove(id);
        upload.map(drop).ok_or_else(|| s3_error!(NoSuchUpload))
    }

    /// Makes the object of these parts visible, if the upload still has them, and ends the upload.
    /// Meanwhile nobody else finds it.
    pub fn complete(
        &self,
        store: &Store,
        id: &str,
        object: Object,
        parts: &[Arc<UploadedPart>],
        conditions: &Conditions,
    ) -> S3Result<()> {
        let upload = self.lock().remove(id);
        let upload = upload.ok_or_else(|| s3_error!(NoSuchUpload))?;
        let published = upload.publish(store, object, parts, conditions);
        if published.is_err() {
            // If the bucket is gone, the upload is too.
            let _ = store.bucket(&upload.bucket.clone(), |_| {
                self.lock().insert(id.to_owned(), upload);
            });
        }
        published
    }
}

impl Upload {
    fn is_of(&self, bucket: &str, key: &str) -> bool {
        self.bucket == bucket && self.key == key
    }

    fn publish(
        &self,
        store: &Store,
        object: Object,
        parts: &[Arc<UploadedPart>],
        conditions: &Conditions,
    ) -> S3Result<()> {
        let is_unchanged = object.parts.iter().zip(parts).all(|(chosen, part)| {
            let now = self.parts.get(&chosen.number);
            now.is_some_and(|now| Arc::ptr_eq(now, part))
        });
        if !is_unchanged {
            return Err(s3_error!(InvalidPart));
        }
        let files = parts.iter().map(|part| &part.received.file);
        store.publish(&self.bucket, object, conditions, files)
    }

    /// The parts that the client lists, if each is there and is what the list says.
    pub fn choose(&self, listed: &[CompletedPart]) -> S3Result<Vec<(i32, Arc<UploadedPart>)>> {
        let numbers = listed.iter().map(|part| part.part_number);
        if listed.is_empty() || numbers.clone().any(|number| number.is_none()) {
            return Err(s3_error!(MalformedXML));
        }
        if !numbers.is_sorted_by(|a, b| a < b) {
            return Err(s3_error!(InvalidPartOrder));
        }
        let chosen = listed.iter().map(|part| self.find(part));
        let chosen: Vec<_> = chosen.collect::<S3Result<_>>()?;
        let (_, all_but_last) = chosen.split_last().expect("there is a part");
        if all_but_last
            .iter()
            .any(|(_, part)| part.size() < PART_BYTES_MIN)
        {
            return Err(s3_error!(EntityTooSmall));
        }
        Ok(chosen)
    }

    fn find(&self, listed: &CompletedPart) -> S3Result<(i32, Arc<UploadedPart>)> {
        let number = listed.part_number.unwrap_or_default();
        let part = self.parts.get(&number);
        let part = part.ok_or_else(|| s3_error!(InvalidPart))?;
        if listed.e_tag.as_ref().map(|etag| etag.value()) != Some(part.etag().as_str()) {
            return Err(s3_error!(InvalidPart));
        }
        let mut has_checksum = false;
        for (algorithm, value) in checksums(listed) {
            let Some(value) = value else { continue };
            has_checksum = true;
            let stored = part.checksum.as_ref();
            if !stored.is_some_and(|c| c.algorithm == algorithm && c.value == *value) {
                return Err(s3_error!(InvalidPart));
            }
        }
        if self.method.kind == Kind::Composite && !has_checksum {
            return Err(s3_error!(
                InvalidRequest,
                "The upload was created using a {} checksum. The complete request must include \
                 the checksum for each part. It was missing for part {number} in the request.",
                self.method.algorithm
            ));
        }
        Ok((number, Arc::clone(part)))
    }

    /// What the request that completes the upload says of the whole object, checked.
    pub fn check_whole(
        &self,
        headers: &HeaderMap,
        kind: Option<&str>,
        size: Option<i64>,
        chosen: &[(i32, Arc<UploadedPart>)],
    ) -> S3Result<()> {
        if kind.is_some_and(|kind| kind != self.method.kind.name()) {
            return Err(s3_error!(
                InvalidRequest,
                "The upload was created using the {} checksum mode. The complete request must use \
                 the same checksum mode.",
                self.method.kind.name()
            ));
        }
        let computed: u64 = chosen.iter().map(|(_, part)| part.size()).sum();
        if size.is_some_and(|size| u64::try_from(size) != Ok(computed)) {
            return Err(s3_error!(
                InvalidRequest,
                "The provided 'x-amz-mp-object-size' header does not match what was computed."
            ));
        }
        if checksum::of_object(headers).is_some_and(|algorithm| algorithm != self.method.algorithm)
        {
            return Err(checksum::mismatch(self.method.algorithm));
        }
        Ok(())
    }

    /// The object's checksum, compared with the one that the client expects.
    pub async fn checksum(
        &self,
        client: &Client,
        headers: &HeaderMap,
        chosen: &[(i32, Arc<UploadedPart>)],
    ) -> S3Result<Checksum> {
        let Method {
            algorithm, kind, ..
        } = self.method;
        let digests = chosen
            .iter()
            .map(|(_, part)| part.received.digest(algorithm));
        let parts = match kind {
            Kind::Composite => composite(algorithm, digests),
            Kind::FullObject => {
                let sizes = chosen.iter().map(|(_, part)| part.size());
                let digests = digests.map(|digest| *digest.digest());
                ObjectParts::full_object(algorithm, digests.zip(sizes))
            }
        };
        let composed = match checksum::value_text(headers, algorithm)? {
            None => compose(client, &parts).await?,
            Some(expected) => {
                let composed = client.compose(&parts.expecting(expected)).await;
                let composed = composed.map_err(|fault| match fault.reason() {
                    Some("MALFORMED_EXPECTED") => checksum::invalid(algorithm),
                    _ => error::hashlane(fault),
                })?;
                if composed.verdict == Some(Verdict::Mismatch) {
                    return Err(checksum::mismatch(algorithm));
                }
                composed
            }
        };
        Ok(Checksum {
            algorithm,
            value: composed.base64,
            kind,
        })
    }
}

/// The ETag of an object of these parts: the MD5 of their MD5s, and how many they are.
pub async fn etag(client: &Client, chosen: &[(i32, Arc<UploadedPart>)]) -> S3Result<String> {
    let digests = chosen
        .iter()
        .map(|(_, part)| part.received.digest(Algorithm::Md5));
    let parts = composite(Algorithm::Md5, digests);
    Ok(compose(client, &parts).await?.hex)
}

fn composite(algorithm: Algorithm, digests: impl Iterator<Item = AlgorithmDigest>) -> ObjectParts {
    ObjectParts::composite(algorithm, digests.map(|digest| *digest.digest()))
}

async fn compose(client: &Client, parts: &ObjectParts) -> S3Result<ObjectDigest> {
    client.compose(parts).await.map_err(error::hashlane)
}

/// The parts as the object's record has them.
pub fn object_parts(chosen: &[(i32, Arc<UploadedPart>)]) -> Vec<ObjectPart> {
    let parts = chosen.iter().map(|(number, part)| ObjectPart {
        number: *number,
        size: part.size(),
        checksum: part.checksum.clone(),
        blob: part.received.file.id().to_owned(),
    });
    parts.collect()
}

pub fn check_number(number: i32) -> S3Result<()> {
    if (1..=PART_NUMBER_MAX).contains(&number) {
        return Ok(());
    }
    Err(s3_error!(
        InvalidArgument,
        "Part number must be an integer between 1 and 10000, inclusive"
    ))
}

fn checksums(part: &CompletedPart) -> [(Algorithm, Option<&String>); 5] {
    [
        (Algorithm::Crc32, part.checksum_crc32.as_ref()),
        (Algorithm::Crc32c, part.checksum_crc32c.as_ref()),
        (Algorithm::Crc64nvme, part.checksum_crc64nvme.as_ref()),
        (Algorithm::Sha1, part.checksum_sha1.as_ref()),
        (Algorithm::Sha256, part.checksum_sha256.as_ref()),
    ]
}
