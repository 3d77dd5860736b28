//! Operations that the gateway answers without s3s: those with headers or an XML body that s3s does
//! not check or cannot read, and those that have only one answer.

use std::sync::Arc;

use http::header::LOCATION;
use http::{Extensions, HeaderMap, HeaderValue, Method, Uri};
use percent_encoding::percent_decode_str;
use s3s::path::{ParseS3PathError, S3Path, parse_path_style};
use s3s::route::S3Route;
use s3s::xml::{DeError, DeResult, Deserialize, Deserializer};
use s3s::{Body, S3Error, S3Request, S3Response, S3Result, s3_error};

use crate::auth::REGION;
use crate::checksum::Expected;
use crate::complete::{self, COMPOSE_TIMEOUT};
use crate::copy::{self, COPY_SOURCE};
use crate::gateway::{Gateway, blocking};
use crate::requests;
use crate::unconfigured::{self, Question};
use crate::{delete, error, get, put};

const CREATE_BUCKET: &str = "CreateBucket";
/// The most that s3s reads of such a body.
const BODY_BYTES_MAX: usize = 20 << 20;

#[derive(Debug)]
pub struct Route(pub Gateway);

#[derive(Debug, Clone)]
enum Operation {
    CreateBucket,
    DeleteObjects,
    CompleteMultipartUpload {
        id: String,
    },
    /// For a bucket or an object.
    PutAcl {
        is_of_object: bool,
    },
    Question(&'static Question),
    GetObject,
    HeadObject,
    PutObject,
    CopyObject,
    CreateMultipartUpload,
}

/// Parameters that choose another operation than GetObject or PutObject.
const CHOOSING: [&str; 7] = [
    "acl",
    "attributes",
    "legal-hold",
    "retention",
    "tagging",
    "torrent",
    "uploadId",
];

impl Operation {
    fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Self> {
        // A path with a key after the bucket names an object.
        let path = uri.path().trim_start_matches('/');
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        let is_allowed = |(name, _): (String, String)| requests::allows(CREATE_BUCKET, &name);
        if method == Method::PUT && key.is_empty() && requests::parameters(uri).all(is_allowed) {
            return Some(Self::CreateBucket);
        }
        let found = Self::of_parameters(method, uri, bucket, key);
        found.or_else(|| match bucket.is_empty() || key.is_empty() {
            true => None,
            false => Self::of_object(method, uri, headers),
        })
    }

    fn of_object(method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Self> {
        let has = |names: &[&str]| {
            requests::parameters(uri).any(|(name, _)| names.contains(&name.as_str()))
        };
        match *method {
            Method::HEAD => Some(Self::HeadObject),
            Method::GET if !has(&CHOOSING) => Some(Self::GetObject),
            Method::PUT if has(&CHOOSING) => None,
            Method::PUT if headers.contains_key(COPY_SOURCE) => Some(Self::CopyObject),
            Method::PUT => Some(Self::PutObject),
            Method::POST if has(&["uploads"]) && !has(&["select"]) => {
                Some(Self::CreateMultipartUpload)
            }
            _ => None,
        }
    }

    fn of_parameters(method: &Method, uri: &Uri, bucket: &str, key: &str) -> Option<Self> {
        let mut parameters = requests::parameters(uri);
        parameters.find_map(|(name, value)| match (method, name.as_str()) {
            (_, _) if bucket.is_empty() => None,
            (&Method::POST, "delete") => Some(Self::DeleteObjects),
            (&Method::POST, "uploadId") => Some(Self::CompleteMultipartUpload { id: value }),
            (&Method::PUT, "acl") => Some(Self::PutAcl {
                is_of_object: !key.is_empty(),
            }),
            (method, name) => {
                let question = Question::find(method, !key.is_empty(), name);
                question.map(Self::Question)
            }
        })
    }

    fn name(&self) -> &'static str {
        match self {
            Self::CreateBucket => CREATE_BUCKET,
            Self::DeleteObjects => "DeleteObjects",
            Self::CompleteMultipartUpload { .. } => "CompleteMultipartUpload",
            Self::PutAcl { is_of_object: true } => "PutObjectAcl",
            Self::PutAcl { .. } => "PutBucketAcl",
            Self::Question(question) => question.operation,
            Self::GetObject => "GetObject",
            Self::HeadObject => "HeadObject",
            Self::PutObject => "PutObject",
            Self::CopyObject => "CopyObject",
            Self::CreateMultipartUpload => "CreateMultipartUpload",
        }
    }
}

#[async_trait::async_trait]
impl S3Route for Route {
    fn is_match(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        _extensions: &mut Extensions,
    ) -> bool {
        Operation::of(method, uri, headers).is_some()
    }

    async fn call(&self, mut request: S3Request<Body>) -> S3Result<S3Response<Body>> {
        let operation = Operation::of(&request.method, &request.uri, &request.headers);
        let operation = operation.ok_or_else(|| s3_error!(NotImplemented))?;
        requests::check(operation.name(), &request.uri, &request.headers)?;
        let path = percent_decode_str(request.uri.path()).decode_utf8();
        let path = path.map_err(|_| s3_error!(InvalidURI))?.into_owned();
        let (bucket, key) = match parse_path_style(&path) {
            Ok(S3Path::Bucket { bucket }) => (bucket, None),
            Ok(S3Path::Object { bucket, key }) => (bucket, Some(key)),
            Ok(S3Path::Root) => return Err(s3_error!(MethodNotAllowed)),
            Err(ParseS3PathError::InvalidPath) => return Err(s3_error!(InvalidURI)),
            Err(ParseS3PathError::InvalidBucketName) => return Err(s3_error!(InvalidBucketName)),
            Err(ParseS3PathError::KeyTooLong) => return Err(s3_error!(KeyTooLongError)),
        };
        let Self(gateway) = self;
        match (operation, key) {
            (Operation::CreateBucket, None) => {
                check_bucket_name(&bucket)?;
                let body = read(&mut request).await?;
                if !body.is_empty() {
                    parse::<Configuration>(&body)?.check()?;
                }
                let store = Arc::clone(gateway.store());
                let name = bucket.clone();
                blocking(move || store.create_bucket(&name)).await?;
                let mut response = S3Response::new(Body::empty());
                let location = HeaderValue::try_from(format!("/{bucket}"));
                let location = location.map_err(S3Error::internal_error)?;
                response.headers.insert(LOCATION, location);
                Ok(response)
            }
            (Operation::DeleteObjects, None) => {
                let body = self.read_checked(&mut request).await?;
                delete::delete_all(gateway, &bucket, parse(&body)?).await
            }
            (Operation::CompleteMultipartUpload { id }, Some(key)) => {
                let body = read(&mut request).await?;
                let names = (bucket.into(), key.into(), id);
                complete::complete(gateway, names, &request.headers, parse(&body)?).await
            }
            (Operation::PutAcl { .. }, key) => {
                gateway.store().check_there(&bucket, key.as_deref())?;
                let body = self.read_checked(&mut request).await?;
                if !body.is_empty() {
                    unconfigured::check_acl(&parse(&body)?)?;
                }
                Ok(S3Response::new(Body::empty()))
            }
            (Operation::Question(question), key) => {
                question.answer(gateway.store(), &bucket, key.as_deref())
            }
            (Operation::GetObject | Operation::HeadObject, Some(key)) => get::get(
                gateway.store(),
                (&bucket, &key),
                &request.method,
                &request.uri,
                &request.headers,
            ),
            (Operation::PutObject, Some(key)) => {
                put::object(gateway, (bucket.into(), key.into()), request).await
            }
            (Operation::CopyObject, Some(key)) => {
                copy::object(gateway, (bucket.into(), key.into()), &request.headers).await
            }
            (Operation::CreateMultipartUpload, Some(key)) => {
                put::upload(gateway, (bucket.into(), key.into()), &request.headers)
            }
            _ => Err(s3_error!(MethodNotAllowed)),
        }
    }
}

impl Route {
    /// Reads the body and checks its checksums.
    async fn read_checked(&self, request: &mut S3Request<Body>) -> S3Result<bytes::Bytes> {
        let expected = Expected::of(&request.headers)?;
        let body = read(request).await?;
        let algorithms = expected.algorithms();
        if !algorithms.is_empty() {
            let client = self.0.client().with_timeout(COMPOSE_TIMEOUT);
            let computed = client.digest(body.clone(), &algorithms[..]).await;
            let computed = computed.map_err(error::hashlane)?;
            let trailers = request.trailing_headers.take();
            let trailers = trailers.and_then(|trailers| trailers.take());
            expected.check(&computed, trailers.as_ref())?;
        }
        Ok(body)
    }
}

/// Refuses names that S3 reserves or forbids and s3s allows ("General purpose bucket naming rules" in
/// the S3 User Guide).
fn check_bucket_name(name: &str) -> S3Result<()> {
    const STARTS: [&str; 3] = ["xn--", "sthree-", "amzn-s3-demo-"];
    const ENDS: [&str; 5] = ["-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"];
    if STARTS.iter().any(|start| name.starts_with(start))
        || ENDS.iter().any(|end| name.ends_with(end))
        || name.contains(".-")
        || name.contains("-.")
    {
        return Err(s3_error!(InvalidBucketName));
    }
    Ok(())
}

async fn read(request: &mut S3Request<Body>) -> S3Result<bytes::Bytes> {
    let mut body = std::mem::take(&mut request.input);
    let read = body.store_all_limited(BODY_BYTES_MAX).await;
    read.map_err(error::body)
}

fn parse<T: for<'xml> Deserialize<'xml>>(xml: &[u8]) -> S3Result<T> {
    let mut reader = Deserializer::new(xml);
    let parsed = T::deserialize(&mut reader);
    let parsed = parsed.and_then(|parsed| reader.expect_eof().map(|()| parsed));
    parsed.map_err(|_| s3_error!(MalformedXML))
}

/// The body of CreateBucket. All buckets are alike, so it has no other options.
#[derive(Debug)]
struct Configuration {
    region: Option<String>,
}

impl<'xml> Deserialize<'xml> for Configuration {
    fn deserialize(reader: &mut Deserializer<'xml>) -> DeResult<Self> {
        let mut region = None;
        reader.named_element("CreateBucketConfiguration", |reader| {
            reader.for_each_element(|reader, name| match name {
                b"LocationConstraint" => {
                    region = Some(reader.content()?);
                    Ok(())
                }
                _ => Err(DeError::UnexpectedTagName),
            })
        })?;
        Ok(Self { region })
    }
}

impl Configuration {
    fn check(&self) -> S3Result<()> {
        match self.region.as_deref() {
            None | Some("" | REGION) => Ok(()),
            Some(_) => Err(s3_error!(
                IllegalLocationConstraintException,
                "The buckets of this gateway are in {REGION}."
            )),
        }
    }
}
