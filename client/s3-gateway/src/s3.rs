//! The operations of S3 as s3s calls them, with requests already authenticated and decoded.

use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use s3s::dto::*;
use s3s::{S3, S3Request, S3Response, S3Result, s3_error};

use crate::answer::{self, NULL_VERSION, Names};
use crate::auth::REGION;
use crate::copy;
use crate::gateway::{Gateway, blocking};
use crate::list::{Page, Query, entries_max, list, list_uploads};
use crate::multipart::{self, UploadedPart};
use crate::store::DeleteConditions;
use crate::upload::{Announced, receive};
use crate::xml;

#[async_trait::async_trait]
impl S3 for Gateway {
    async fn list_buckets(
        &self,
        request: S3Request<ListBucketsInput>,
    ) -> S3Result<S3Response<ListBucketsOutput>> {
        let input = request.input;
        let prefix = input.prefix.as_deref().unwrap_or_default();
        let after = input.continuation_token.as_deref().map(from_token);
        let after = after.transpose()?.unwrap_or_default();
        let buckets_max = usize::try_from(input.max_buckets.unwrap_or(10_000)).ok();
        let buckets_max = buckets_max.filter(|max| (1..=10_000).contains(max));
        let buckets_max = buckets_max
            .ok_or_else(|| s3_error!(InvalidArgument, "MaxBuckets must be between 1 and 10000"))?;
        let mut names = self.store().bucket_names();
        names.retain(|(name, _)| name.starts_with(prefix) && *name > after);
        let is_truncated = names.len() > buckets_max;
        names.truncate(buckets_max);
        let last = names.last().filter(|_| is_truncated);
        let continuation_token = last.map(|(name, _)| BASE64_STANDARD.encode(name));
        let buckets = names.into_iter().map(|(name, created)| Bucket {
            name: Some(name),
            creation_date: Some(created.into()),
            ..Bucket::default()
        });
        Ok(S3Response::new(ListBucketsOutput {
            owner: Some(answer::owner()),
            buckets: Some(buckets.collect()),
            continuation_token,
            prefix: input.prefix,
        }))
    }

    async fn delete_bucket(
        &self,
        request: S3Request<DeleteBucketInput>,
    ) -> S3Result<S3Response<DeleteBucketOutput>> {
        let (store, uploads) = (Arc::clone(self.store()), Arc::clone(self.uploads()));
        blocking(move || uploads.delete_bucket(&store, &request.input.bucket)).await?;
        Ok(S3Response::new(DeleteBucketOutput::default()))
    }

    async fn head_bucket(
        &self,
        request: S3Request<HeadBucketInput>,
    ) -> S3Result<S3Response<HeadBucketOutput>> {
        self.store().bucket(&request.input.bucket, |_| ())?;
        Ok(S3Response::new(HeadBucketOutput {
            bucket_region: Some(REGION.to_owned()),
            ..HeadBucketOutput::default()
        }))
    }

    async fn get_bucket_location(
        &self,
        request: S3Request<GetBucketLocationInput>,
    ) -> S3Result<S3Response<GetBucketLocationOutput>> {
        self.store().bucket(&request.input.bucket, |_| ())?;
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
            delimiter: names.optional(&input.delimiter.filter(|it| !it.is_empty())),
            marker: Some(names.text(&query.after)),
            max_keys: i32::try_from(query.entries_max).ok(),
            is_truncated: Some(page.next.is_some()),
            contents: Some(names.objects(&page.objects, true)),
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
            delimiter: names.optional(&input.delimiter.filter(|it| !it.is_empty())),
            start_after: names.optional(&input.start_after),
            continuation_token: input.continuation_token,
            max_keys: i32::try_from(query.entries_max).ok(),
            key_count: i32::try_from(count).ok(),
            is_truncated: Some(page.next.is_some()),
            contents: Some(names.objects(&page.objects, input.fetch_owner == Some(true))),
            common_prefixes: Some(names.common_prefixes(&page.common_prefixes)),
            next_continuation_token: page.next.map(|next| BASE64_STANDARD.encode(next)),
            encoding_type: names.encoding_type(),
            ..ListObjectsV2Output::default()
        }))
    }

    async fn list_object_versions(
        &self,
        request: S3Request<ListObjectVersionsInput>,
    ) -> S3Result<S3Response<ListObjectVersionsOutput>> {
        let input = request.input;
        if input.version_id_marker.is_some() && input.key_marker.is_none() {
            return Err(s3_error!(
                InvalidArgument,
                "A version-id marker cannot be specified without a key marker."
            ));
        }
        let key_marker = input.key_marker;
        let query = Query::of(&input.prefix, &input.delimiter, key_marker, input.max_keys)?;
        let page = self.page(&input.bucket, &query)?;
        let names = Names::of(input.encoding_type)?;
        let next_version = page.next.is_some().then(|| NULL_VERSION.to_owned());
        Ok(S3Response::new(ListObjectVersionsOutput {
            name: Some(input.bucket),
            prefix: Some(names.text(&query.prefix)),
            delimiter: names.optional(&input.delimiter.filter(|it| !it.is_empty())),
            key_marker: Some(names.text(&query.after)),
            version_id_marker: input.version_id_marker,
            max_keys: i32::try_from(query.entries_max).ok(),
            is_truncated: Some(page.next.is_some()),
            versions: Some(names.versions(&page.objects)),
            common_prefixes: Some(names.common_prefixes(&page.common_prefixes)),
            next_key_marker: names.optional(&page.next),
            next_version_id_marker: next_version,
            encoding_type: names.encoding_type(),
            ..ListObjectVersionsOutput::default()
        }))
    }

    async fn upload_part_copy(
        &self,
        request: S3Request<UploadPartCopyInput>,
    ) -> S3Result<S3Response<UploadPartCopyOutput>> {
        copy::part(self, request).await
    }

    async fn get_object_attributes(
        &self,
        request: S3Request<GetObjectAttributesInput>,
    ) -> S3Result<S3Response<GetObjectAttributesOutput>> {
        let input = request.input;
        let object = self.store().object(&input.bucket, &input.key)?;
        let wants = |name: &str| {
            // s3s does not split this header.
            let headers = input.object_attributes.iter();
            let mut attributes = headers.flat_map(|header| header.as_str().split(','));
            attributes.any(|attribute| attribute.trim() == name)
        };
        let after = input.part_number_marker.unwrap_or(0);
        let parts_max = entries_max(input.max_parts)?;
        let mut response = xml::answer("GetObjectAttributesResponse", |writer| {
            answer::attributes(writer, &object, wants, after, parts_max)
        })?;
        let output: &mut GetObjectAttributesOutput = &mut response.output;
        output.last_modified = Some(object.modified.into());
        Ok(response)
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        let input = request.input;
        let conditions = DeleteConditions {
            if_match: input.if_match.map(Into::into),
            modified: input.if_match_last_modified_time,
            size: input.if_match_size,
        };
        let store = Arc::clone(self.store());
        blocking(move || store.delete(&input.bucket, &input.key, &conditions)).await?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn upload_part(
        &self,
        request: S3Request<UploadPartInput>,
    ) -> S3Result<S3Response<UploadPartOutput>> {
        let input = request.input;
        let (hashlane, store, uploads) = (self.hashlane(), self.store(), self.uploads());
        multipart::check_number(input.part_number)?;
        let upload = uploads.get(&input.bucket, &input.key, &input.upload_id)?;
        let announced = Announced::of(&request.headers, request.trailing_headers)?;
        upload.method.check_part(&announced.expected)?;
        let reported = announced.expected.asked_algorithm();
        let reported = reported.or(upload.method.named());
        let algorithms = reported.into_iter().chain([upload.method.algorithm]);
        let received = receive(hashlane, store, input.body, announced, algorithms).await?;

        let part = UploadedPart::new(received, reported);
        let output = UploadPartOutput {
            e_tag: Some(ETag::Strong(part.etag())),
            ..UploadPartOutput::default()
        };
        // Only objects have a checksum type.
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
            .uploads()
            .get(&input.bucket, &input.key, &input.upload_id)?;
        let after = input.part_number_marker.unwrap_or(0);
        let parts_max = entries_max(input.max_parts)?;
        xml::answer("ListPartsResult", |writer| {
            writer.content("Bucket", &input.bucket)?;
            writer.content("Key", &input.key)?;
            writer.content("UploadId", &input.upload_id)?;
            writer.content("Owner", &answer::owner())?;
            writer.content("Initiator", &answer::owner())?;
            writer.content("StorageClass", ObjectStorageClass::STANDARD)?;
            answer::uploaded_parts(writer, &upload, after, parts_max)
        })
    }

    async fn list_multipart_uploads(
        &self,
        request: S3Request<ListMultipartUploadsInput>,
    ) -> S3Result<S3Response<ListMultipartUploadsOutput>> {
        let input = request.input;
        self.store().bucket(&input.bucket, |_| ())?;
        let names = Names::of(input.encoding_type)?;
        let (prefix, delimiter) = (&input.prefix, &input.delimiter);
        let query = Query::of(prefix, delimiter, input.key_marker, input.max_uploads)?;
        let uploads = self.uploads().of_bucket(&input.bucket);
        let page = list_uploads(uploads, &query, input.upload_id_marker.as_deref());
        let is_truncated = page.next.is_some();
        let (next_key, next_id) = page.next.unzip();
        let output = ListMultipartUploadsOutput {
            prefix: names.optional(&input.prefix),
            delimiter: names.optional(&input.delimiter.filter(|it| !it.is_empty())),
            key_marker: Some(names.text(&query.after)),
            upload_id_marker: input.upload_id_marker,
            max_uploads: i32::try_from(query.entries_max).ok(),
            is_truncated: Some(is_truncated),
            next_key_marker: names.optional(&next_key),
            next_upload_id_marker: next_id.flatten(),
            encoding_type: names.encoding_type(),
            bucket: Some(input.bucket),
            common_prefixes: Some(names.common_prefixes(&page.common_prefixes)),
            uploads: Some(names.uploads(page.uploads)),
            ..ListMultipartUploadsOutput::default()
        };
        Ok(S3Response::new(output))
    }

    async fn abort_multipart_upload(
        &self,
        request: S3Request<AbortMultipartUploadInput>,
    ) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
        let input = request.input;
        let uploads = Arc::clone(self.uploads());
        blocking(move || uploads.abort(&input.bucket, &input.key, &input.upload_id)).await?;
        Ok(S3Response::new(AbortMultipartUploadOutput::default()))
    }
}

impl Gateway {
    fn page(&self, bucket: &str, query: &Query) -> S3Result<Page> {
        self.store()
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
