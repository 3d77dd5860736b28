//! Uploads in parts. They are kept in memory only, so the gateway's end aborts them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use hashlane_client::Algorithm;
use http::HeaderMap;
use s3s::{S3Result, s3_error};

use crate::checksum::{self, Checksum, Expected, Kind};
use crate::store::{Conditions, Object, Store};
use crate::upload::Received;

/// From "Amazon S3 multipart upload limits" in the S3 User Guide.
const PART_NUMBER_MAX: i32 = 10_000;
/// The maximum number of uploads in progress. S3 has no such bound; here it bounds memory.
const UPLOADS_MAX: usize = 1_000;

/// How the object's checksum is computed.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub algorithm: Algorithm,
    pub kind: Kind,
    /// Whether the client named the algorithm; otherwise it is S3's default.
    pub is_named: bool,
}

impl Method {
    /// The method that CreateMultipartUpload asks for.
    pub fn of(headers: &HeaderMap) -> S3Result<Self> {
        let kind = checksum::text(headers, "x-amz-checksum-type")?;
        let Some(name) = checksum::text(headers, "x-amz-checksum-algorithm")? else {
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
        let algorithm = checksum::algorithm(name)?;
        let kinds = kinds(algorithm);
        let kind = kind.map_or(Ok(kinds[0]), Kind::named)?;
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

    /// The algorithm that the client named.
    pub fn named(&self) -> Option<Algorithm> {
        self.is_named.then_some(self.algorithm)
    }

    /// Checks a part's checksum. For COMPOSITE, S3 requires a checksum of every part.
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

/// The checksum types that S3 allows for an algorithm, the default first ("Using full object and
/// composite checksum types for multipart uploads" in the S3 User Guide).
fn kinds(algorithm: Algorithm) -> &'static [Kind] {
    match algorithm {
        Algorithm::Crc32 | Algorithm::Crc32c => &[Kind::Composite, Kind::FullObject],
        Algorithm::Crc64nvme => &[Kind::FullObject],
        _ => &[Kind::Composite],
    }
}

/// A stored part that belongs to no object yet.
#[derive(Debug)]
pub struct UploadedPart {
    pub received: Received,
    /// With the algorithm that the part names, otherwise the upload's.
    pub checksum: Option<Checksum>,
    pub modified: SystemTime,
}

impl UploadedPart {
    pub fn new(received: Received, reported: Option<Algorithm>) -> Self {
        Self {
            checksum: reported.map(|algorithm| Checksum::of(&received.digest(algorithm))),
            modified: SystemTime::now(),
            received,
        }
    }

    pub fn etag(&self) -> String {
        self.received.etag()
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
    /// Held by the request that completes the upload; others that want to complete it wait.
    pub turn: Turn,
    /// The object is being published. Only requests that complete the upload still find it.
    pub is_ending: bool,
}

pub type Turn = Arc<tokio::sync::Mutex<()>>;

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
            if uploads.len() >= UPLOADS_MAX {
                return Err(s3_error!(SlowDown, "too many uploads are in progress"));
            }
            uploads.insert(id, upload);
            Ok(())
        })?
    }

    /// A bucket's uploads by key and ID, with their start times and methods.
    pub fn of_bucket(&self, bucket: &str) -> BTreeMap<(String, String), (SystemTime, Method)> {
        let uploads = self.lock();
        let uploads = uploads
            .iter()
            .filter(|(_, upload)| upload.bucket == bucket && !upload.is_ending);
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

    /// A copy of the upload's current state.
    pub fn get(&self, bucket: &str, key: &str, id: &str) -> S3Result<Upload> {
        let uploads = self.lock();
        let upload = uploads.get(id).filter(|upload| upload.is_of(bucket, key));
        let upload = upload.filter(|upload| !upload.is_ending);
        upload.cloned().ok_or_else(|| s3_error!(NoSuchUpload))
    }

    /// What a request locks before it completes the upload.
    pub fn turn(&self, bucket: &str, key: &str, id: &str) -> Option<Turn> {
        let uploads = self.lock();
        let upload = uploads.get(id).filter(|upload| upload.is_of(bucket, key));
        upload.map(|upload| Arc::clone(&upload.turn))
    }

    /// Adds a part, or replaces the part with its number.
    pub fn add(&self, id: &str, number: i32, part: UploadedPart) -> S3Result<()> {
        let mut uploads = self.lock();
        let upload = uploads.get_mut(id).filter(|upload| !upload.is_ending);
        let upload = upload.ok_or_else(|| s3_error!(NoSuchUpload))?;
        let old = upload.parts.insert(number, Arc::new(part));
        // The old part's file is removed without the lock.
        drop(uploads);
        drop(old);
        Ok(())
    }

    /// Ends the upload and removes its parts, unless they were published.
    pub fn abort(&self, bucket: &str, key: &str, id: &str) -> S3Result<()> {
        let mut uploads = self.lock();
        let is_there = |upload: &Upload| upload.is_of(bucket, key) && !upload.is_ending;
        if !uploads.get(id).is_some_and(is_there) {
            return Err(s3_error!(NoSuchUpload));
        }
        let ended = uploads.remove(id);
        // The files of parts are removed without the lock.
        drop(uploads);
        drop(ended);
        Ok(())
    }

    /// Publishes the object of these parts, if the upload still has them, and ends the upload.
    pub fn complete(
        &self,
        store: &Store,
        id: &str,
        object: Object,
        parts: &[Arc<UploadedPart>],
        conditions: &Conditions,
    ) -> S3Result<()> {
        let upload = {
            let mut uploads = self.lock();
            let upload = uploads.get_mut(id);
            let upload = upload.ok_or_else(|| s3_error!(NoSuchUpload))?;
            upload.is_ending = true;
            upload.clone()
        };
        let published = upload.publish(store, object, parts, conditions);
        let mut uploads = self.lock();
        let ended = match &published {
            Ok(()) => uploads.remove(id),
            // If the bucket is gone, so is the upload.
            Err(_) => {
                if let Some(upload) = uploads.get_mut(id) {
                    upload.is_ending = false;
                }
                None
            }
        };
        // The files of parts are removed without the lock.
        drop(uploads);
        drop(ended);
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
