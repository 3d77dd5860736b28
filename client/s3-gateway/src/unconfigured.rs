//! Requests about properties that buckets and objects do not have here. The answer is S3's for an
//! unconfigured bucket or object.

use http::{Method, StatusCode};
use s3s::dto::{AccessControlPolicy, Grant, Permission};
use s3s::{Body, S3Response, S3Result, s3_error};

use crate::auth::OWNER;
use crate::error;
use crate::store::Store;
use crate::xml;

/// A request for a property that does not exist, or for its deletion.
#[derive(Debug)]
pub struct Question {
    pub operation: &'static str,
    method: Method,
    /// The query parameter of the request.
    parameter: &'static str,
    of: Of,
    answer: Answer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Bucket,
    Object,
}

#[derive(Debug, Clone, Copy)]
enum Answer {
    /// An element and its content.
    Xml(&'static str, &'static str),
    /// An error code, its status, and its message.
    None(&'static str, StatusCode, &'static str),
    Deleted,
}

use Answer::{Deleted, None, Xml};
use Of::{Bucket, Object};

const ACL: Answer = Xml(
    "AccessControlPolicy",
    "<Owner><ID>hashlane-s3-gateway</ID><DisplayName>hashlane-s3-gateway</DisplayName></Owner>\
     <AccessControlList><Grant><Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
     xsi:type=\"CanonicalUser\"><ID>hashlane-s3-gateway</ID>\
     <DisplayName>hashlane-s3-gateway</DisplayName></Grantee>\
     <Permission>FULL_CONTROL</Permission></Grant></AccessControlList>",
);
const NO_LOCK: Answer = None(
    "InvalidRequest",
    StatusCode::BAD_REQUEST,
    "Bucket is missing Object Lock Configuration",
);
const NO_POLICY: Answer = not_found("NoSuchBucketPolicy", "The bucket policy does not exist");

const fn not_found(code: &'static str, message: &'static str) -> Answer {
    None(code, StatusCode::NOT_FOUND, message)
}

const fn get(operation: &'static str, of: Of, parameter: &'static str, answer: Answer) -> Question {
    Question {
        operation,
        method: Method::GET,
        parameter,
        of,
        answer,
    }
}

const fn delete(operation: &'static str, of: Of, parameter: &'static str) -> Question {
    Question {
        operation,
        method: Method::DELETE,
        parameter,
        of,
        answer: Deleted,
    }
}

static QUESTIONS: [Question; 29] = [
    get(
        "GetBucketAccelerateConfiguration",
        Bucket,
        "accelerate",
        Xml("AccelerateConfiguration", ""),
    ),
    get("GetBucketAcl", Bucket, "acl", ACL),
    get(
        "GetBucketCors",
        Bucket,
        "cors",
        not_found(
            "NoSuchCORSConfiguration",
            "The CORS configuration does not exist",
        ),
    ),
    get(
        "GetBucketEncryption",
        Bucket,
        "encryption",
        not_found(
            "ServerSideEncryptionConfigurationNotFoundError",
            "The server side encryption configuration was not found",
        ),
    ),
    get(
        "GetBucketLifecycleConfiguration",
        Bucket,
        "lifecycle",
        not_found(
            "NoSuchLifecycleConfiguration",
            "The lifecycle configuration does not exist",
        ),
    ),
    get(
        "GetBucketLogging",
        Bucket,
        "logging",
        Xml("BucketLoggingStatus", ""),
    ),
    get(
        "GetBucketNotificationConfiguration",
        Bucket,
        "notification",
        Xml("NotificationConfiguration", ""),
    ),
    get(
        "GetBucketOwnershipControls",
        Bucket,
        "ownershipControls",
        Xml(
            "OwnershipControls",
            "<Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>",
        ),
    ),
    get("GetBucketPolicy", Bucket, "policy", NO_POLICY),
    get("GetBucketPolicyStatus", Bucket, "policyStatus", NO_POLICY),
    get(
        "GetBucketReplication",
        Bucket,
        "replication",
        not_found(
            "ReplicationConfigurationNotFoundError",
            "The replication configuration was not found",
        ),
    ),
    get(
        "GetBucketRequestPayment",
        Bucket,
        "requestPayment",
        Xml("RequestPaymentConfiguration", "<Payer>BucketOwner</Payer>"),
    ),
    get(
        "GetBucketTagging",
        Bucket,
        "tagging",
        not_found("NoSuchTagSet", "The TagSet does not exist"),
    ),
    get(
        "GetBucketVersioning",
        Bucket,
        "versioning",
        Xml("VersioningConfiguration", ""),
    ),
    get(
        "GetBucketWebsite",
        Bucket,
        "website",
        not_found(
            "NoSuchWebsiteConfiguration",
            "The specified bucket does not have a website configuration",
        ),
    ),
    get(
        "GetObjectLockConfiguration",
        Bucket,
        "object-lock",
        not_found(
            "ObjectLockConfigurationNotFoundError",
            "Object Lock configuration does not exist for this bucket",
        ),
    ),
    get(
        "GetPublicAccessBlock",
        Bucket,
        "publicAccessBlock",
        not_found(
            "NoSuchPublicAccessBlockConfiguration",
            "The public access block configuration was not found",
        ),
    ),
    get("GetObjectAcl", Object, "acl", ACL),
    get("GetObjectLegalHold", Object, "legal-hold", NO_LOCK),
    get("GetObjectRetention", Object, "retention", NO_LOCK),
    get(
        "GetObjectTagging",
        Object,
        "tagging",
        Xml("Tagging", "<TagSet></TagSet>"),
    ),
    delete("DeleteBucketCors", Bucket, "cors"),
    delete("DeleteBucketEncryption", Bucket, "encryption"),
    delete("DeleteBucketLifecycle", Bucket, "lifecycle"),
    delete("DeleteBucketPolicy", Bucket, "policy"),
    delete("DeleteBucketTagging", Bucket, "tagging"),
    delete("DeleteBucketWebsite", Bucket, "website"),
    delete("DeletePublicAccessBlock", Bucket, "publicAccessBlock"),
    delete("DeleteObjectTagging", Object, "tagging"),
];

/// Accepts only the existing access list: the owner has all rights, others have none.
pub fn check_acl(asked: &AccessControlPolicy) -> S3Result<()> {
    let grants = asked.grants.as_deref().unwrap_or_default();
    let is_of_owner = |grant: &Grant| {
        let grantee = grant.grantee.as_ref();
        let permission = grant.permission.as_ref().map(Permission::as_str);
        grantee.is_some_and(|grantee| grantee.id.as_deref() == Some(OWNER))
            && permission == Some(Permission::FULL_CONTROL)
    };
    match grants.iter().all(is_of_owner) && !grants.is_empty() {
        true => Ok(()),
        false => Err(s3_error!(
            NotImplemented,
            "This gateway has no access lists."
        )),
    }
}

impl Question {
    /// Finds the question in a request about a bucket or an object.
    pub fn find(method: &Method, is_of_object: bool, parameter: &str) -> Option<&'static Self> {
        QUESTIONS.iter().find(|question| {
            question.method == method
                && (question.of == Object) == is_of_object
                && question.parameter == parameter
        })
    }

    pub fn answer(
        &self,
        store: &Store,
        bucket: &str,
        key: Option<&str>,
    ) -> S3Result<S3Response<Body>> {
        store.check_there(bucket, key)?;
        match self.answer {
            Xml(name, content) => xml::answer(name, |writer| writer.write_raw_text(content)),
            None(code, status, message) => {
                let mut error = error::custom(code, message);
                error.set_status_code(status);
                Err(error)
            }
            Deleted => Ok(S3Response::with_status(
                Body::empty(),
                StatusCode::NO_CONTENT,
            )),
        }
    }
}
