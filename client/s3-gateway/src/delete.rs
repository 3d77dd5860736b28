//! DeleteObjects: each object has its own conditions and its own error.

use std::sync::Arc;

use s3s::dto::{Delete, DeleteObjectsOutput, DeletedObject, Error, ObjectIdentifier};
use s3s::xml::SerializeContent;
use s3s::{Body, S3Response, S3Result, s3_error};

use crate::etags::ETags;
use crate::gateway::{Gateway, blocking};
use crate::store::{DeleteConditions, Store};
use crate::{answer, error, xml};

/// From DeleteObjects in the S3 API Reference.
const KEYS_MAX: usize = 1_000;

pub async fn delete_all(
    gateway: &Gateway,
    bucket: &str,
    Delete { objects, quiet }: Delete,
) -> S3Result<S3Response<Body>> {
    if objects.len() > KEYS_MAX || objects.iter().any(|object| object.key.is_empty()) {
        return Err(s3_error!(MalformedXML));
    }
    let store = Arc::clone(gateway.store());
    store.bucket(bucket, |_| ())?;
    let bucket = bucket.to_owned();
    let is_quiet = quiet == Some(true);
    let output = blocking(move || {
        let mut output = DeleteObjectsOutput::default();
        for object in objects {
            match delete(&store, &bucket, &object) {
                Ok(()) if is_quiet => {}
                Ok(()) => output.deleted.get_or_insert_default().push(DeletedObject {
                    key: Some(object.key),
                    version_id: object.version_id,
                    ..DeletedObject::default()
                }),
                Err(fault) => output.errors.get_or_insert_default().push(Error {
                    code: Some(fault.code().as_str().to_owned()),
                    message: error::message(&fault),
                    key: Some(object.key),
                    version_id: object.version_id,
                }),
            }
        }
        Ok(output)
    });
    let output = output.await?;
    xml::answer("DeleteResult", |writer| output.serialize_content(writer))
}

fn delete(store: &Store, bucket: &str, object: &ObjectIdentifier) -> S3Result<()> {
    if !answer::is_null_version(object.version_id.as_deref()) {
        return Err(s3_error!(NoSuchVersion));
    }
    let conditions = DeleteConditions {
        if_match: object.e_tag.clone().map(|etag| match etag.value() {
            "*" => ETags::Any,
            _ => ETags::Listed(vec![etag]),
        }),
        modified: object.last_modified_time.clone(),
        size: object.size,
    };
    store.delete(bucket, &object.key, &conditions)
}
