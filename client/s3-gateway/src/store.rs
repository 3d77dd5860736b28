//! Buckets and objects in a folder.
//!
//! ```text
//! FOLDER/.lock            held by the one gateway that serves the folder
//! FOLDER/.blobs/ID        bytes: of an object, or of one of its parts
//! FOLDER/BUCKET/ID.json   an object: its key, headers, checksums, and the blobs it consists of
//! ```
//!
//! An object exists once its record is renamed into the bucket. The records are also in memory. IDs
//! increase, so after a crash the higher of two records for a key is the newer. At the start, blobs
//! that no record names are removed.
//!
//! A record that cannot be read stays as it is, and its key has no object. As long as there is such a
//! record, no blob is removed at the start: the record may name it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::Deref;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::HeaderMap;
use http::header::{IF_MATCH, IF_NONE_MATCH};
use s3s::dto::Timestamp;
use s3s::{S3Result, s3_error};
use serde::{Deserialize, Serialize};

use crate::checksum::Checksum;
use crate::etags::ETags;
use crate::{error, log};

/// Other users of the machine cannot read the objects.
pub const FILE_MODE: u32 = 0o600;

/// The record of an object.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Object {
    pub key: String,
    pub modified: SystemTime,
    /// Without quotes.
    pub etag: String,
    pub checksum: Checksum,
    /// Headers of the upload that downloads repeat.
    pub headers: Vec<(String, String)>,
    /// Whether it was uploaded in parts, with CreateMultipartUpload.
    pub is_multipart: bool,
    /// The upload's ID, so that its completion can be requested again.
    #[serde(default)]
    pub upload: Option<String>,
    /// In the order of the bytes. An object that was uploaded at once is one part.
    pub parts: Vec<ObjectPart>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObjectPart {
    pub number: i32,
    pub size: u64,
    pub checksum: Option<Checksum>,
    pub blob: String,
}

impl Object {
    pub fn size(&self) -> u64 {
        self.parts.iter().map(|part| part.size).sum()
    }

    /// When it was modified, with HTTP's precision.
    pub fn modified_second(&self) -> Timestamp {
        let since = self.modified.duration_since(UNIX_EPOCH);
        let seconds = Duration::from_secs(since.unwrap_or_default().as_secs());
        (UNIX_EPOCH + seconds).into()
    }
}

/// An object in the store. Its bytes remain while it has readers, even after its deletion.
#[derive(Debug)]
pub struct StoredObject {
    object: Object,
    record: PathBuf,
    blobs: PathBuf,
    is_deleted: AtomicBool,
}

impl Deref for StoredObject {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.object
    }
}

impl StoredObject {
    pub fn blob(&self, part: &ObjectPart) -> PathBuf {
        self.blobs.join(&part.blob)
    }

    fn delete(&self) -> io::Result<()> {
        fs::remove_file(&self.record)?;
        self.is_deleted.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for StoredObject {
    fn drop(&mut self) {
        if self.is_deleted.load(Ordering::Relaxed) {
            for part in &self.object.parts {
                // A file that remains is removed at the next start.
                let _ = fs::remove_file(self.blob(part));
            }
        }
    }
}

/// A file in the folder of blobs. Dropping this removes the file, unless it was kept.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    id: String,
    is_kept: AtomicBool,
}

impl NewFile {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_kept.load(Ordering::Relaxed) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Conditions for a deletion. If the object does not exist, it counts as deleted.
#[derive(Debug, Default)]
pub struct DeleteConditions {
    pub if_match: Option<ETags>,
    pub modified: Option<Timestamp>,
    pub size: Option<i64>,
}

impl DeleteConditions {
    fn check(&self, object: &Object) -> S3Result<()> {
        let is_etag = |etags: &ETags| etags.match_strongly(&object.etag);
        let is_size = |size: &i64| u64::try_from(*size) == Ok(object.size());
        if self.if_match.as_ref().is_none_or(is_etag)
            && self
                .modified
                .as_ref()
                .is_none_or(|at| *at == object.modified_second())
            && self.size.as_ref().is_none_or(is_size)
        {
            return Ok(());
        }
        Err(s3_error!(PreconditionFailed))
    }
}

/// If-Match and If-None-Match of a write ("Conditional writes" in the S3 User Guide).
#[derive(Debug, Default)]
pub struct Conditions {
    if_match: Option<ETags>,
    if_none_match: Option<ETags>,
}

impl Conditions {
    pub fn of(headers: &HeaderMap) -> S3Result<Self> {
        Ok(Self {
            if_match: ETags::of(headers, &IF_MATCH)?,
            if_none_match: ETags::of(headers, &IF_NONE_MATCH)?,
        })
    }

    fn check(&self, present: Option<&Object>) -> S3Result<()> {
        if self.if_match.is_some() && present.is_none() {
            return Err(s3_error!(NoSuchKey));
        }
        let etag = present.map(|object| object.etag.as_str());
        let is_match = |etags: &ETags| etag.is_some_and(|etag| etags.match_strongly(etag));
        let is_known = |etags: &ETags| etag.is_some_and(|etag| etags.match_weakly(etag));
        if !self.if_match.as_ref().is_none_or(is_match)
            || self.if_none_match.as_ref().is_some_and(is_known)
        {
            return Err(s3_error!(PreconditionFailed));
        }
        Ok(())
    }
}

#[derive(Debug)]
pub struct Bucket {
    pub created: SystemTime,
    pub objects: BTreeMap<String, Arc<StoredObject>>,
}

#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    blobs: PathBuf,
    next_id: AtomicU64,
    buckets: Mutex<BTreeMap<String, Bucket>>,
    /// Holds the folder's lock while the store is open.
    _lock: File,
}

impl Store {
    pub fn open(folder: &Path) -> io::Result<Self> {
        let blobs = folder.join(".blobs");
        match entries(folder) {
            Ok(found) if !found.is_empty() && !blobs.exists() => {
                let message = "the folder must be empty, or made by the gateway";
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
            }
            Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault),
            _ => fs::create_dir_all(&blobs)?,
        }
        let lock = File::create(folder.join(".lock"))?;
        lock.try_lock().map_err(|_| {
            let message = "the folder is served by another gateway";
            io::Error::new(io::ErrorKind::WouldBlock, message)
        })?;
        let now = UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO).as_nanos();
        let mut next_id = u64::try_from(now).unwrap_or(0);
        let mut buckets = BTreeMap::new();
        let mut damaged = 0;
        for (name, path) in entries(folder)? {
            if name.starts_with('.') || !path.is_dir() {
                continue;
            }
            let (bucket, damaged_here) = read_bucket(&path, &blobs, &mut next_id)?;
            buckets.insert(name, bucket);
            damaged += damaged_here;
        }
        match damaged {
            0 => remove_unused(&blobs, &buckets)?,
            _ => log::line(format_args!(
                "{} is not cleaned up, because {damaged} records are damaged: remove them, or \
                 restore them from a backup, and start again",
                blobs.display()
            )),
        }
        Ok(Self {
            folder: folder.to_owned(),
            blobs,
            next_id: AtomicU64::new(next_id),
            buckets: Mutex::new(buckets),
            _lock: lock,
        })
    }

    /// A new ID. IDs increase and are never reused, even across restarts.
    pub fn new_id(&self) -> String {
        format!("{:016x}", self.next_id.fetch_add(1, Ordering::Relaxed))
    }

    pub fn new_file(&self) -> NewFile {
        let id = self.new_id();
        NewFile {
            path: self.blobs.join(&id),
            id,
            is_kept: AtomicBool::new(false),
        }
    }

    fn buckets(&self) -> MutexGuard<'_, BTreeMap<String, Bucket>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `read` with the bucket.
    pub fn bucket<T>(&self, bucket: &str, read: impl FnOnce(&Bucket) -> T) -> S3Result<T> {
        let buckets = self.buckets();
        let bucket = buckets.get(bucket).ok_or_else(|| s3_error!(NoSuchBucket))?;
        Ok(read(bucket))
    }

    pub fn bucket_names(&self) -> Vec<(String, SystemTime)> {
        let buckets = self.buckets();
        let names = buckets
            .iter()
            .map(|(name, bucket)| (name.clone(), bucket.created));
        names.collect()
    }

    pub fn create_bucket(&self, name: &str) -> S3Result<()> {
        let mut buckets = self.buckets();
        if buckets.contains_key(name) {
            // As in us-east-1.
            return Ok(());
        }
        fs::create_dir(self.folder.join(name)).map_err(error::io)?;
        let bucket = Bucket {
            created: SystemTime::now(),
            objects: BTreeMap::new(),
        };
        buckets.insert(name.to_owned(), bucket);
        Ok(())
    }

    /// Deletes the bucket and then calls `with_it`, before another bucket with this name can be
    /// created.
    pub fn delete_bucket<T>(&self, name: &str, with_it: impl FnOnce() -> T) -> S3Result<T> {
        let mut buckets = self.buckets();
        let bucket = buckets.get(name).ok_or_else(|| s3_error!(NoSuchBucket))?;
        if !bucket.objects.is_empty() {
            return Err(s3_error!(BucketNotEmpty));
        }
        fs::remove_dir(self.folder.join(name)).map_err(|fault| match fault.kind() {
            // A damaged record, which may be somebody's object.
            io::ErrorKind::DirectoryNotEmpty => s3_error!(BucketNotEmpty),
            _ => error::io(fault),
        })?;
        buckets.remove(name);
        Ok(with_it())
    }

    pub fn object(&self, bucket: &str, key: &str) -> S3Result<Arc<StoredObject>> {
        let found = self.bucket(bucket, |bucket| bucket.objects.get(key).cloned())?;
        found.ok_or_else(|| s3_error!(NoSuchKey))
    }

    /// Checks that the bucket exists, and that the object exists if a key is given.
    pub fn check_there(&self, bucket: &str, key: Option<&str>) -> S3Result<()> {
        match key {
            Some(key) => self.object(bucket, key).map(drop),
            None => self.bucket(bucket, |_| ()),
        }
    }

    /// Publishes the object, in place of the object with its key. The files become its blobs.
    pub fn publish<'a>(
        &self,
        bucket: &str,
        object: Object,
        conditions: &Conditions,
        files: impl IntoIterator<Item = &'a NewFile>,
    ) -> S3Result<()> {
        let new_record = self.new_file();
        let json = serde_json::to_vec(&object).map_err(|fault| error::io(fault.into()))?;
        write_new(new_record.path(), &json).map_err(error::io)?;

        let mut buckets = self.buckets();
        let objects = buckets.get_mut(bucket).map(|bucket| &mut bucket.objects);
        let objects = objects.ok_or_else(|| s3_error!(NoSuchBucket))?;
        let present = objects.get(&object.key);
        conditions.check(present.map(|present| &present.object))?;
        // The ID is taken under the lock, so the order of IDs is the order of records.
        let record = self
            .folder
            .join(bucket)
            .join(format!("{}.json", self.new_id()));
        fs::rename(new_record.path(), &record).map_err(error::io)?;
        files.into_iter().for_each(NewFile::keep);
        let stored = Arc::new(StoredObject {
            record,
            blobs: self.blobs.clone(),
            is_deleted: AtomicBool::new(false),
            object,
        });
        let old = objects.insert(stored.key.clone(), stored);
        // The new object already has its blobs. If the old record remains, it is removed at the
        // next start.
        if let Some(old) = &old
            && let Err(fault) = old.delete()
        {
            log::line(format_args!("cannot remove an old record: {fault}"));
        }
        // The old blobs are removed without the lock.
        drop(buckets);
        Ok(())
    }

    /// Deletes the object, if there is one.
    pub fn delete(&self, bucket: &str, key: &str, conditions: &DeleteConditions) -> S3Result<()> {
        let mut buckets = self.buckets();
        let bucket = buckets.get_mut(bucket);
        let bucket = bucket.ok_or_else(|| s3_error!(NoSuchBucket))?;
        let Some(object) = bucket.objects.get(key) else {
            return Ok(());
        };
        conditions.check(object)?;
        object.delete().map_err(error::io)?;
        let deleted = bucket.objects.remove(key);
        // The blobs are removed without the lock.
        drop(buckets);
        drop(deleted);
        Ok(())
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut create = File::options();
    let create = create.write(true).create_new(true).mode(FILE_MODE);
    create.open(path)?.write_all(bytes)
}

/// The bucket's objects, and how many of its records are damaged.
fn read_bucket(path: &Path, blobs: &Path, next_id: &mut u64) -> io::Result<(Bucket, usize)> {
    let mut objects: BTreeMap<String, Arc<StoredObject>> = BTreeMap::new();
    let mut damaged = 0;
    let mut records = entries(path)?;
    records.sort();
    for (name, record) in records {
        let object = match read_record(&name, &record, next_id) {
            Ok(object) => object,
            Err(fault) => {
                log::line(format_args!(
                    "warning: {} is no record of an object, and is ignored: {fault}",
                    record.display()
                ));
                damaged += 1;
                continue;
            }
        };
        let stored = Arc::new(StoredObject {
            object,
            record,
            blobs: blobs.to_owned(),
            is_deleted: AtomicBool::new(false),
        });
        // Two records for one key: a crash came before the older one was deleted.
        if let Some(older) = objects.insert(stored.key.clone(), stored) {
            older.delete()?;
        }
    }
    let created = fs::metadata(path)?;
    let created = created.created().or_else(|_| created.modified())?;
    Ok((Bucket { created, objects }, damaged))
}

fn read_record(name: &str, record: &Path, next_id: &mut u64) -> io::Result<Object> {
    let id = name.strip_suffix(".json");
    let id = id.and_then(|id| u64::from_str_radix(id, 16).ok());
    let id = id.ok_or_else(|| io::Error::other("its name is not that of a record"))?;
    *next_id = (*next_id).max(id.saturating_add(1));
    Ok(serde_json::from_slice(&fs::read(record)?)?)
}

fn remove_unused(blobs: &Path, buckets: &BTreeMap<String, Bucket>) -> io::Result<()> {
    let objects = buckets.values().flat_map(|bucket| bucket.objects.values());
    let parts = objects.flat_map(|object| &object.object.parts);
    let used: HashSet<_> = parts.map(|part| part.blob.as_str()).collect();
    for (id, path) in entries(blobs)? {
        if !used.contains(id.as_str()) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let entries = fs::read_dir(folder)?.map(|entry| {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        Ok((name, entry.path()))
    });
    entries.collect()
}
