//! CompleteMultipartUpload. hashlane composes the ETag and the object's checksum from the digests
//! of the parts; the bytes are not read again.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hashlane_client::{
    Algorithm, AlgorithmDigest, Client, Digest, ObjectDigest, ObjectParts, Verdict,
};
use http::HeaderMap;
use s3s::dto::ETag;
use s3s::xml::{DeError, DeResult, Deserialize, DeserializeContent, Deserializer};
use s3s::{Body, S3Response, S3Result, s3_error};

use crate::checksum::{self, Checksum, Kind};
use crate::error;
use crate::gateway::{Gateway, blocking};
use crate::multipart::{Method, Upload, UploadedPart};
use crate::store::{Conditions, Object, ObjectPart, StoredObject};
use crate::xml;

/// The minimum size of each part except the last ("Amazon S3 multipart upload limits" in the S3
/// User Guide).
const PART_BYTES_MIN: u64 = 5 << 20;
/// Time for hashlane to compute an object's values, over all tries: SDKs wait a minute for an
/// answer and then retry by themselves.
pub const COMPOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The parts in the client's list.
#[derive(Debug)]
pub struct Listed(Vec<ListedPart>);

#[derive(Debug)]
struct ListedPart {
    number: i32,
    etag: ETag,
    checksums: Vec<(Algorithm, String)>,
}

type Chosen = Vec<(i32, Arc<UploadedPart>)>;

/// Makes an object of the parts. If the object exists already, because the answer to an earlier
/// request was lost or is not sent yet, returns the same answer again.
pub async fn complete(
    gateway: &Gateway,
    (bucket, key, id): (String, String, String),
    headers: &HeaderMap,
    listed: Listed,
) -> S3Result<S3Response<Body>> {
    let client = gateway.client().with_timeout(COMPOSE_TIMEOUT);
    let uploads = gateway.uploads();
    // An earlier request may still be completing the upload.
    let turn = match uploads.turn(&bucket, &key, &id) {
        Some(turn) => Some(turn.lock_owned().await),
        None => None,
    };
    let upload = match uploads.get(&bucket, &key, &id) {
        Ok(upload) => upload,
        Err(missing) => {
            let object = gateway.store().object(&bucket, &key);
            let object = object
                .ok()
                .filter(|object| object.upload.as_ref() == Some(&id));
            let object = object.ok_or(missing)?;
            listed.check_again(&client, &object).await?;
            return answer(&bucket, &object);
        }
    };
    let chosen = upload.choose(&listed)?;
    upload.check_whole(headers, &chosen)?;
    let (checksum, etag) = tokio::try_join!(
        upload.checksum(&client, headers, &chosen),
        etag(&client, &chosen)
    )?;
    let object = Object {
        key,
        modified: SystemTime::now(),
        etag,
        checksum,
        headers: upload.headers,
        is_multipart: true,
        upload: Some(id.clone()),
        parts: object_parts(&chosen),
    };
    let answered = answer(&bucket, &object)?;
    let conditions = Conditions::of(headers)?;
    let (store, uploads) = (Arc::clone(gateway.store()), Arc::clone(uploads));
    blocking(move || {
        let parts: Vec<_> = chosen.into_iter().map(|(_, part)| part).collect();
        let completed = uploads.complete(&store, &id, object, &parts, &conditions);
        // Held to the end, even if the client is gone.
        drop(turn);
        completed
    })
    .await?;
    Ok(answered)
}

fn answer(bucket: &str, object: &Object) -> S3Result<S3Response<Body>> {
    xml::answer("CompleteMultipartUploadResult", |writer| {
        let location = format!("/{bucket}/{}", object.key);
        writer.content("Location", &location)?;
        writer.content("Bucket", bucket)?;
        writer.content("Key", &object.key)?;
        writer.content("ETag", &ETag::Strong(object.etag.clone()))?;
        xml::checksum(writer, &object.checksum)?;
        writer.content("ChecksumType", object.checksum.kind.name())
    })
}

impl Listed {
    /// Checks that these are the parts of the object that the upload has become.
    async fn check_again(&self, client: &Client, object: &StoredObject) -> S3Result<()> {
        let numbers = self.0.iter().map(|part| part.number);
        let digests = self.0.iter().map(|part| part.etag.value().parse());
        let digests: Result<Vec<Digest>, _> = digests.collect();
        let digests = digests.map_err(|_| s3_error!(InvalidPart))?;
        if !numbers.eq(object.parts.iter().map(|part| part.number)) {
            return Err(s3_error!(InvalidPart));
        }
        let composed = compose(client, &ObjectParts::composite(Algorithm::Md5, digests)).await?;
        match composed.hex == object.etag {
            true => Ok(()),
            false => Err(s3_error!(InvalidPart)),
        }
    }
}

impl Upload {
    /// The listed parts, if each exists and matches the list.
    fn choose(&self, Listed(listed): &Listed) -> S3Result<Chosen> {
        if !listed.is_sorted_by(|a, b| a.number < b.number) {
            return Err(s3_error!(InvalidPartOrder));
        }
        let chosen = listed.iter().map(|part| self.find(part));
        let chosen: Chosen = chosen.collect::<S3Result<_>>()?;
        let (_, all_but_last) = chosen.split_last().ok_or_else(|| s3_error!(MalformedXML))?;
        if all_but_last
            .iter()
            .any(|(_, part)| part.size() < PART_BYTES_MIN)
        {
            return Err(s3_error!(EntityTooSmall));
        }
        Ok(chosen)
    }

    fn find(&self, listed: &ListedPart) -> S3Result<(i32, Arc<UploadedPart>)> {
        let number = listed.number;
        let part = self.parts.get(&number);
        let part = part.ok_or_else(|| s3_error!(InvalidPart))?;
        if listed.etag.value() != part.etag() {
            return Err(s3_error!(InvalidPart));
        }
        for (algorithm, value) in &listed.checksums {
            let stored = part.checksum.as_ref();
            if !stored.is_some_and(|c| c.algorithm == *algorithm && c.value == *value) {
                return Err(s3_error!(InvalidPart));
            }
        }
        if self.method.kind == Kind::Composite && listed.checksums.is_empty() {
            return Err(s3_error!(
                InvalidRequest,
                "The upload was created using a {} checksum. The complete request must include \
                 the checksum for each part. It was missing for part {number} in the request.",
                self.method.algorithm
            ));
        }
        Ok((number, Arc::clone(part)))
    }

    /// Checks the request's values of the whole object.
    fn check_whole(&self, headers: &HeaderMap, chosen: &Chosen) -> S3Result<()> {
        let kind = checksum::text(headers, "x-amz-checksum-type")?;
        if kind.is_some_and(|kind| kind != self.method.kind.name()) {
            return Err(s3_error!(
                InvalidRequest,
                "The upload was created using the {} checksum mode. The complete request must use \
                 the same checksum mode.",
                self.method.kind.name()
            ));
        }
        let computed: u64 = chosen.iter().map(|(_, part)| part.size()).sum();
        let size = checksum::text(headers, "x-amz-mp-object-size")?;
        if size.is_some_and(|size| size.parse() != Ok(computed)) {
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

    /// The object's checksum, compared with the client's expected value.
    async fn checksum(
        &self,
        client: &Client,
        headers: &HeaderMap,
        chosen: &Chosen,
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

/// The ETag of an object of these parts: the MD5 of their MD5s, and the number of parts.
async fn etag(client: &Client, chosen: &Chosen) -> S3Result<String> {
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

/// The parts as stored in the object's record.
fn object_parts(chosen: &Chosen) -> Vec<ObjectPart> {
    let parts = chosen.iter().map(|(number, part)| ObjectPart {
        number: *number,
        size: part.size(),
        checksum: part.checksum.clone(),
        blob: part.received.file.id().to_owned(),
    });
    parts.collect()
}

impl<'xml> Deserialize<'xml> for Listed {
    fn deserialize(reader: &mut Deserializer<'xml>) -> DeResult<Self> {
        let mut parts = Vec::new();
        reader.named_element("CompleteMultipartUpload", |reader| {
            reader.for_each_element(|reader, name| match name {
                b"Part" => {
                    parts.push(reader.content()?);
                    Ok(())
                }
                _ => Err(DeError::UnexpectedTagName),
            })
        })?;
        match parts.is_empty() {
            true => Err(DeError::MissingField),
            false => Ok(Self(parts)),
        }
    }
}

impl<'xml> DeserializeContent<'xml> for ListedPart {
    fn deserialize_content(reader: &mut Deserializer<'xml>) -> DeResult<Self> {
        let (mut number, mut etag, mut checksums) = (None, None, Vec::new());
        reader.for_each_element(|reader, name| {
            match name {
                b"PartNumber" => number = Some(reader.content()?),
                b"ETag" => etag = Some(reader.content()?),
                _ => {
                    let name = name
                        .strip_prefix(b"Checksum")
                        .and_then(|name| str::from_utf8(name).ok());
                    let algorithm = name.and_then(|name| checksum::algorithm(name).ok());
                    let algorithm = algorithm.ok_or(DeError::UnexpectedTagName)?;
                    checksums.push((algorithm, reader.content()?));
                }
            }
            Ok(())
        })?;
        Ok(Self {
            number: number.ok_or(DeError::MissingField)?,
            etag: etag.ok_or(DeError::MissingField)?,
            checksums,
        })
    }
}
