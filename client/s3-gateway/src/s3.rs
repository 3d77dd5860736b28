//! The operations of S3, as s3s calls them: requests are authenticated and decoded already.

use std::ops;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hashlane_client::{Algorithm, Client};
use s3s::dto::*;
use s3s::{S3, S3Request, S3Response, S3Result, s3_error};

use crate::answer::{self, Names, set_checksum};
use crate::checksum::{self, Checksum};
use crate::download;
use crate::error;
use crate::list::{Page, Query, entries_max, list};
use crate::log;
use crate::multipart::{self, Method, Upload, UploadedPart, Uploads};
use crate::store::{self, Conditions, Store};
use crate::upload::{Announced, receive};

/// How long hashlane may take for the values of an object, all tries together: SDKs wait a minute
/// for an answer, and then try again by themselves.
const COMPOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// An object store in a folder, whose digests hashlane computes.
#[derive(Debug, Clone)]
pub struct Gateway(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    client: Client,
    store: Arc<Store>,
    uploads: Arc<Uploads>,
}

impl Gateway {
    pub fn new(client: Client, store: Store) -> Self {
        Self(Arc::new(Inner {
            client,
            store: Arc::new(store),
            uploads: Arc::default(),
        }))
    }
}

#[async_trait::async_trait]
impl S3 for Gateway {
    async fn list_buckets(
        &self,
        _: S3Request<ListBucketsInput>,
    ) -> S3Result<S3Response<ListBucketsOutput>> {
        let buckets = self.0.store.bucket_names().into_iter();
        let buckets = buckets.map(|(name, created)| Bucket {
            name: Some(name),
            creation_date: Some(created.into()),
            ..Bucket::default()
        });
        Ok(S3Response::new(ListBucketsOutput {
            buckets: Some(buckets.collect()),
            ..ListBucketsOutput::default()
        }))
    }

    async fn create_bucket(
        &self,
        request: S3Request<CreateBucketInput>,
    ) -> S3Result<S3Response<CreateBucketOutput>> {
        let bucket = request.input.bucket;
        let location = Some(format!("/{bucket}"));
        let store = Arc::clone(&self.0.store);
        blocking(move || store.create_bucket(&bucket)).await?;
        Ok(S3Response::new(CreateBucketOutput { location }))
    }

    async fn delete_bucket(
        &self,
        request: S3Request<DeleteBucketInput>,
    ) -> S3Result<S3Response<DeleteBucketOutput>> {
        let (store, uploads) = (Arc::clone(&self.0.store), Arc::clone(&self.0.uploads));
        blocking(move || uploads.delete_bucket(&store, &request.input.bucket)).await?;
        Ok(S3Response::new(DeleteBucketOutput::default()))
    }

    async fn head_bucket(
        &self,
        request: S3Request<HeadBucketInput>,
    ) -> S3Result<S3Response<HeadBucketOutput>> {
        self.0.store.bucket(&request.input.bucket, |_| ())?;
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn get_bucket_location(
        &self,
        request: S3Request<GetBucketLocationInput>,
    ) -> S3Result<S3Response<GetBucketLocationOutput>> {
        self.0.store.bucket(&request.input.bucket, |_| ())?;
        Ok(S3Response::new(GetBucketLocationOutput::default()))
    }

    async fn list_objects(
        &self,
        request: S3Request<ListObjectsInput>,
    ) -> S3Result<S3Response<ListObjectsOutput>> {
        let input = request.input;
        let query = Query::of(
            &input.prefix,
            &input.delimiter,
            input.marker,
            input.max_keys,
        )?;
        let page = self.page(&input.bucket, &query)?;
        let names = Names::of(input.encoding_type)?;
        Ok(S3Response::new(ListObjectsOutput {
            name: Some(input.bucket),
            prefix: Some(names.text(&query.prefix)),
            delimiter: names.optional(&input.delimiter),
            marker: Some(names.text(&query.after)),
            max_keys: i32::try_from(query.entries_max).ok(),
            is_truncated: Some(page.next.is_some()),
            contents: Some(names.objects(&page.objects)),
            common_prefixes: Some(names.common_prefixes(&page.common_prefixes)),
            next_marker: names.optional(&page.next),
            encoding_type: names.encoding_type(),
            ..ListObjectsOutput::default()
        }))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = request.input;
        let after = match &input.continuation_token {
            None => input.start_after.clone(),
            Some(token) => Some(from_token(token)?),
        };
        let query = Query::of(&input.prefix, &input.delimiter, after, input.max_keys)?;
        let page = self.page(&input.bucket, &query)?;
        let count = page.objects.len() + page.common_prefixes.len();
        let names = Names::of(input.encoding_type)?;
        Ok(S3Response::new(ListObjectsV2Output {
            name: Some(input.bucket),
            prefix: Some(names.text(&query.prefix)),
            delimiter: names.optional(&input.delimiter),
            start_after: names.optional(&input.start_after),
            continuation_token: input.continuation_token,
            max_keys: i32::try_from(query.entries_max).ok(),
            key_count: i32::try_from(count).ok(),
            is_truncated: Some(page.next.is_some()),
            contents: Some(names.objects(&page.objects)),
            common_prefixes: Some(names.common_prefixes(&page.common_prefixes)),
            next_continuation_token: page.next.map(|next| BASE64_STANDARD.encode(next)),
            encoding_type: names.encoding_type(),
            ..ListObjectsV2Output::default()
        }))
    }

    async fn put_object(
        &self,
        request: S3Request<PutObjectInput>,
    ) -> S3Result<S3Response<PutObjectOutput>> {
        let input = request.input;
        let Inner { client, store, .. } = &*self.0;
        // Before the bytes are sent for nothing.
        store.bucket(&input.bucket, |_| ())?;
        let announced = Announced::of(&request.headers, request.trailing_headers)?;
        let headers = answer::kept(&request.headers)?;
        let algorithm = announced.expected.algorithm().unwrap_or(checksum::DEFAULT);
        let received = receive(client, store, input.body, announced, [algorithm]).await?;

        let checksum = Checksum::of(&received.digest(algorithm));
        let etag = received.digest(Algorithm::Md5).digest().to_string();
        let object = store::Object {
            key: input.key,
            modified: SystemTime::now(),
            etag: etag.clone(),
            checksum: checksum.clone(),
            headers,
            is_multipart: false,
            parts: vec![store::ObjectPart {
                number: 1,
                size: received.computed.size_bytes,
                checksum: Some(checksum.clone()),
                blob: received.file.id().to_owned(),
            }],
        };
        let conditions = Conditions {
            if_match: input.if_match,
            if_none_match: input.if_none_match,
        };
        let store = Arc::clone(store);
        blocking(move || store.publish(&input.bucket, object, &conditions, [&received.file]))
            .await?;
        let output = PutObjectOutput {
            e_tag: Some(ETag::Strong(etag)),
            ..PutObjectOutput::default()
        };
        Ok(S3Response::with_headers(
            output,
            checksum.headers().collect(),
        ))
    }

    async fn get_object(
        &self,
        request: S3Request<GetObjectInput>,
    ) -> S3Result<S3Response<GetObjectOutput>> {
        let input = request.input;
        no_part_number(input.part_number)?;
        let object = self.0.store.object(&input.bucket, &input.key)?;
        download::check(&object, &input.if_match, &input.if_none_match)?;
        let size = object.size();
        let range = input.range.map(|range| range.check(size)).transpose()?;
        // s3s finds the last bytes of an empty object.
        if range.as_ref().is_some_and(ops::Range::is_empty) {
            return Err(s3_error!(InvalidRange));
        }
        let content_range = range.as_ref().map(|range| {
            let last = range.end - 1;
            format!("bytes {}-{last}/{size}", range.start)
        });
        // A part of the object has no checksum.
        let checksum_mode = input.checksum_mode.filter(|_| range.is_none());
        let headers = answer::headers(&object, checksum_mode.as_ref())?;
        let range = range.unwrap_or(0..size);
        let output = GetObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: i64::try_from(range.end - range.start).ok(),
            content_range,
            e_tag: Some(ETag::Strong(object.etag.clone())),
            last_modified: Some(object.modified.into()),
            body: Some(StreamingBlob::wrap(download::read(object, range))),
            ..GetObjectOutput::default()
        };
        Ok(S3Response::with_headers(output, headers))
    }

    async fn head_object(
        &self,
        request: S3Request<HeadObjectInput>,
    ) -> S3Result<S3Response<HeadObjectOutput>> {
        let input = request.input;
        no_part_number(input.part_number)?;
        let object = self.0.store.object(&input.bucket, &input.key)?;
        download::check(&object, &input.if_match, &input.if_none_match)?;
        let headers = answer::headers(&object, input.checksum_mode.as_ref())?;
        let output = HeadObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: i64::try_from(object.size()).ok(),
            e_tag: Some(ETag::Strong(object.etag.clone())),
            last_modified: Some(object.modified.into()),
            ..HeadObjectOutput::default()
        };
        Ok(S3Response::with_headers(output, headers))
    }

    async fn get_object_attributes(
        &self,
        request: S3Request<GetObjectAttributesInput>,
    ) -> S3Result<S3Response<GetObjectAttributesOutput>> {
        let input = request.input;
        let object = self.0.store.object(&input.bucket, &input.key)?;
        let wants = |name| {
            // s3s does not split the header.
            let headers = input.object_attributes.iter();
            let mut attributes = headers.flat_map(|header| header.as_str().split(','));
            attributes.any(|attribute| attribute.trim() == name)
        };
        let mut output = GetObjectAttributesOutput {
            last_modified: Some(object.modified.into()),
            ..GetObjectAttributesOutput::default()
        };
        if wants(ObjectAttributes::CHECKSUM) {
            let kind = object.checksum.kind.name();
            let mut of_object = s3s::dto::Checksum {
                checksum_type: Some(ChecksumType::from_static(kind)),
                ..s3s::dto::Checksum::default()
            };
            set_checksum!(of_object, object.checksum);
            output.checksum = Some(of_object);
        }
        if wants(ObjectAttributes::ETAG) {
            output.e_tag = Some(ETag::Strong(object.etag.clone()));
        }
        if wants(ObjectAttributes::OBJECT_SIZE) {
            output.object_size = i64::try_from(object.size()).ok();
        }
        if wants(ObjectAttributes::OBJECT_PARTS) && object.is_multipart {
            let after = input.part_number_marker.unwrap_or(0);
            output.object_parts = Some(answer::object_parts(&object, after, input.max_parts)?);
        }
        Ok(S3Response::new(output))
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        let input = request.input;
        let store = Arc::clone(&self.0.store);
        blocking(move || store.delete(&input.bucket, &input.key)).await?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        let input = request.input;
        let store = Arc::clone(&self.0.store);
        let deleted = blocking(move || {
            let keys = input.delete.objects.into_iter().map(|object| object.key);
            let deleted = keys.map(|key| {
                store.delete(&input.bucket, &key)?;
                Ok(DeletedObject {
                    key: Some(key),
                    ..DeletedObject::default()
                })
            });
            deleted.collect()
        });
        Ok(S3Response::new(DeleteObjectsOutput {
            deleted: Some(deleted.await?),
            ..DeleteObjectsOutput::default()
        }))
    }

    async fn create_multipart_upload(
        &self,
        request: S3Request<CreateMultipartUploadInput>,
    ) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
        let input = request.input;
        let method = Method::of(&input)?;
        let id = self.0.store.new_id();
        let upload = Upload {
            bucket: input.bucket.clone(),
            key: input.key.clone(),
            begun: SystemTime::now(),
            method,
            headers: answer::kept(&request.headers)?,
            parts: Default::default(),
        };
        self.0.uploads.create(&self.0.store, id.clone(), upload)?;
        let named = method.is_named.then_some(method);
        Ok(S3Response::new(CreateMultipartUploadOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            upload_id: Some(id),
            checksum_algorithm: named.map(|method| checksum::name(method.algorithm).into()),
            checksum_type: named.map(|method| ChecksumType::from_static(method.kind.name())),
            ..CreateMultipartUploadOutput::default()
        }))
    }

    async fn upload_part(
        &self,
        request: S3Request<UploadPartInput>,
    ) -> S3Result<S3Response<UploadPartOutput>> {
        let input = request.input;
        let Inner {
            client,
            store,
            uploads,
        } = &*self.0;
        multipart::check_number(input.part_number)?;
        let upload = uploads.get(&input.bucket, &input.key, &input.upload_id)?;
        let announced = Announced::of(&request.headers, request.trailing_headers)?;
        upload.method.check_part(&announced.expected)?;
        let named = upload.method.is_named.then_some(upload.method.algorithm);
        let reported = announced.expected.algorithm().or(named);
        let algorithms = reported.into_iter().chain([upload.method.algorithm]);
        let received = receive(client, store, input.body, announced, algorithms).await?;

        let part = UploadedPart {
            checksum: reported.map(|algorithm| Checksum::of(&received.digest(algorithm))),
            modified: SystemTime::now(),
            received,
        };
        let output = UploadPartOutput {
            e_tag: Some(ETag::Strong(part.etag())),
            ..UploadPartOutput::default()
        };
        // The type is that of objects alone.
        let headers = part
            .checksum
            .iter()
            .filter_map(|checksum| checksum.headers().next());
        let headers = headers.collect();
        uploads.add(&input.upload_id, input.part_number, part)?;
        Ok(S3Response::with_headers(output, headers))
    }

    async fn list_parts(
        &self,
        request: S3Request<ListPartsInput>,
    ) -> S3Result<S3Response<ListPartsOutput>> {
        let input = request.input;
        let upload = self
            .0
            .uploads
            .get(&input.bucket, &input.key, &input.upload_id)?;
        let after = input.part_number_marker.unwrap_or(0);
        let parts_max = entries_max(input.max_parts)?;
        let parts = upload.parts.range(after.saturating_add(1)..);
        let is_truncated = parts.clone().count() > parts_max;
        let parts = parts.take(parts_max).map(|(number, part)| {
            let mut listed = Part {
                part_number: Some(*number),
                size: i64::try_from(part.size()).ok(),
                e_tag: Some(ETag::Strong(part.etag())),
                last_modified: Some(part.modified.into()),
                ..Part::default()
            };
            if let Some(checksum) = &part.checksum {
                set_checksum!(listed, checksum);
            }
            listed
        });
        let parts: Vec<_> = parts.collect();
        Ok(S3Response::new(ListPartsOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            upload_id: Some(input.upload_id),
            part_number_marker: Some(after),
            next_part_number_marker: parts.last().and_then(|part| part.part_number),
            max_parts: i32::try_from(parts_max).ok(),
            is_truncated: Some(is_truncated),
            parts: Some(parts),
            ..ListPartsOutput::default()
        }))
    }

    async fn list_multipart_uploads(
        &self,
        request: S3Request<ListMultipartUploadsInput>,
    ) -> S3Result<S3Response<ListMultipartUploadsOutput>> {
        let input = request.input;
        if input.delimiter.is_some() {
            let message = "This gateway lists uploads without a delimiter.";
            return Err(s3_error!(NotImplemented, "{message}"));
        }
        self.0.store.bucket(&input.bucket, |_| ())?;
        let names = Names::of(input.encoding_type)?;
        let prefix = input.prefix.as_deref().unwrap_or_default();
        let key_marker = input.key_marker.as_deref().unwrap_or_default();
        let uploads_max = entries_max(input.max_uploads)?;
        let mut uploads = self.0.uploads.of_bucket(&input.bucket);
        uploads.retain(|(key, id), _| {
            let is_behind = match &input.upload_id_marker {
                Some(marker) => (key.as_str(), id) > (key_marker, marker),
                None => key.as_str() > key_marker,
            };
            is_behind && key.starts_with(prefix)
        });
        let is_truncated = uploads.len() > uploads_max;
        let page: Vec<_> = uploads.into_iter().take(uploads_max).collect();
        let last = page.last().filter(|_| is_truncated).map(|(name, _)| name);
        let output = ListMultipartUploadsOutput {
            prefix: names.optional(&input.prefix),
            key_marker: Some(names.text(key_marker)),
            upload_id_marker: input.upload_id_marker,
            max_uploads: i32::try_from(uploads_max).ok(),
            is_truncated: Some(is_truncated),
            next_key_marker: last.map(|(key, _)| names.text(key)),
            next_upload_id_marker: last.map(|(_, id)| id.clone()),
            encoding_type: names.encoding_type(),
            bucket: Some(input.bucket),
            uploads: Some(names.uploads(page)),
            ..ListMultipartUploadsOutput::default()
        };
        Ok(S3Response::new(output))
    }

    async fn complete_multipart_upload(
        &self,
        request: S3Request<CompleteMultipartUploadInput>,
    ) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
        let input = request.input;
        let Inner {
            client,
            store,
            uploads,
        } = &*self.0;
        let upload = uploads.get(&input.bucket, &input.key, &input.upload_id)?;
        let listed = input.multipart_upload.and_then(|list| list.parts);
        let chosen = upload.choose(&listed.unwrap_or_default())?;
        let kind = input.checksum_type.as_ref().map(ChecksumType::as_str);
        upload.check_whole(&request.headers, kind, input.mpu_object_size, &chosen)?;
        let client = client.with_timeout(COMPOSE_TIMEOUT);
        let (checksum, etag) = tokio::try_join!(
            upload.checksum(&client, &request.headers, &chosen),
            multipart::etag(&client, &chosen)
        )?;

        let object = store::Object {
            key: input.key.clone(),
            modified: SystemTime::now(),
            etag: etag.clone(),
            checksum: checksum.clone(),
            headers: upload.headers,
            is_multipart: true,
            parts: multipart::object_parts(&chosen),
        };
        let conditions = Conditions {
            if_match: input.if_match,
            if_none_match: input.if_none_match,
        };
        let (store, uploads) = (Arc::clone(store), Arc::clone(uploads));
        blocking(move || {
            let parts: Vec<_> = chosen.into_iter().map(|(_, part)| part).collect();
            uploads.complete(&store, &input.upload_id, object, &parts, &conditions)
        })
        .await?;
        let mut output = CompleteMultipartUploadOutput {
            location: Some(format!("/{}/{}", input.bucket, input.key)),
            bucket: Some(input.bucket),
            key: Some(input.key),
            e_tag: Some(ETag::Strong(etag)),
            checksum_type: Some(ChecksumType::from_static(checksum.kind.name())),
            ..CompleteMultipartUploadOutput::default()
        };
        set_checksum!(output, checksum);
        Ok(S3Response::new(output))
    }

    async fn abort_multipart_upload(
        &self,
        request: S3Request<AbortMultipartUploadInput>,
    ) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
        let input = request.input;
        let uploads = Arc::clone(&self.0.uploads);
        blocking(move || uploads.abort(&input.bucket, &input.key, &input.upload_id)).await?;
        Ok(S3Response::new(AbortMultipartUploadOutput::default()))
    }
}

impl Gateway {
    fn page(&self, bucket: &str, query: &Query) -> S3Result<Page> {
        self.0
            .store
            .bucket(bucket, |bucket| list(&bucket.objects, query))
    }
}

fn from_token(token: &str) -> S3Result<String> {
    let after = BASE64_STANDARD.decode(token).ok();
    let after = after.and_then(|after| String::from_utf8(after).ok());
    after.ok_or_else(|| {
        s3_error!(
            InvalidArgument,
            "The continuation token provided is incorrect"
        )
    })
}

/// Runs what writes the folder to its end, even if the client goes meanwhile.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> S3Result<T> + Send + 'static,
) -> S3Result<T> {
    let done = tokio::task::spawn_blocking(log::with_request(work)).await;
    done.map_err(|fault| error::io(fault.into()))?
}

fn no_part_number(number: Option<i32>) -> S3Result<()> {
    match number {
        None => Ok(()),
        Some(_) => Err(s3_error!(
            NotImplemented,
            "This gateway has no partNumber of downloads."
        )),
    }
}
