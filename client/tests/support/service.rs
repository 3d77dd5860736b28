//! How the service answers, by its behaviour.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hashlane_engine::composite::{Expected, ObjectDigest};
use hashlane_engine::{Algorithm, Digest, Hasher};
use hashlane_proto::v1;
use hashlane_proto::v1::hash_service_server::HashService;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Response, Status, Streaming};

use super::behaviour::{Behaviour, RETRY_AFTER, Seen};
use super::resets::WasReset;

pub(super) struct Service {
    pub(super) behaviour: Behaviour,
    pub(super) seen: mpsc::UnboundedSender<Seen>,
    /// Calls refused, or parts.
    pub(super) refused: Arc<AtomicUsize>,
}

/// A part as the service sees it.
struct Open {
    hashers: Vec<(i32, Hasher)>,
    bytes: usize,
    size_bytes: Option<u64>,
    expected: Vec<v1::AlgorithmDigest>,
    has_failed: bool,
}

impl Open {
    fn new(options: Option<v1::PartOptions>) -> Self {
        let options = options.unwrap_or_default();
        Self {
            hashers: hashers(&options.algorithms),
            bytes: 0,
            size_bytes: options.size_bytes,
            expected: Vec::new(),
            has_failed: false,
        }
    }
}

/// A hasher of each, or of SHA-256.
fn hashers(algorithms: &[i32]) -> Vec<(i32, Hasher)> {
    let sha256 = [v1::Algorithm::Sha256.into()];
    let algorithms = if algorithms.is_empty() {
        &sha256
    } else {
        algorithms
    };
    let hasher = |number: &i32| (*number, Hasher::new(engine(*number)));
    algorithms.iter().map(hasher).collect()
}

/// The engine's algorithm of that number.
fn engine(number: i32) -> Algorithm {
    let name = v1::Algorithm::try_from(number).unwrap().as_str_name();
    let name = name.strip_prefix("ALGORITHM_").unwrap().to_lowercase();
    name.parse().unwrap()
}

/// The fields that both request messages have.
struct Message {
    part: u64,
    open: Option<v1::PartOptions>,
    expected: Vec<v1::AlgorithmDigest>,
    last: bool,
    data: Vec<u8>,
}

/// A part's answer, of either RPC.
struct Answered {
    part: u64,
    bytes: usize,
    digests: Vec<(i32, Digest)>,
    expected: Vec<v1::AlgorithmDigest>,
    error: Option<v1::PartError>,
}

impl Service {
    fn see(&self, seen: Seen) {
        let _ = self.seen.send(seen);
    }

    async fn take_time(&self) {
        if let Behaviour::Slow(time) = self.behaviour {
            tokio::time::sleep(time).await;
        }
    }

    fn batch_blobs_max(&self) -> u32 {
        let shrinks = self.behaviour == Behaviour::Shrink;
        let has_shrunk = shrinks && self.refused.fetch_add(1, Ordering::Relaxed) > 0;
        if has_shrunk { 5 } else { 10 }
    }

    fn serve<M, A>(
        &self,
        request: Request<Streaming<M>>,
        read: fn(M) -> Message,
        write: fn(Behaviour, Answered) -> A,
    ) -> Result<Response<Responses<A>>, Status>
    where
        M: Send + 'static,
        A: Send + 'static,
    {
        let (behaviour, seen) = (self.behaviour, self.seen.clone());
        self.see(Seen::Began(request.remote_addr().unwrap()));
        if let Behaviour::RejectFirst(count) = behaviour
            && self.refused.fetch_add(1, Ordering::Relaxed) < count
        {
            return Err(busy());
        }
        let refused = Arc::clone(&self.refused);
        let was_reset = request.extensions().get::<WasReset>().cloned().unwrap();
        let mut messages = request.into_inner().map(move |message| message.map(read));
        let (answers, responses) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let answers = Sender {
                answers,
                behaviour,
                write,
            };
            if behaviour == Behaviour::Silent {
                answers.answers.closed().await;
                let _ = seen.send(Seen::Reset);
                return;
            }
            // Ordered, so that a half-close answers in the order of numbers.
            let mut parts = BTreeMap::<u64, Open>::new();
            let mut is_first = true;
            let end = loop {
                let message = match messages.next().await {
                    Some(Ok(message)) => message,
                    Some(Err(_)) => break Seen::Reset,
                    None if was_reset.get() => break Seen::Reset,
                    None => break Seen::HalfClosed,
                };
                is_first = false;
                let _ = seen.send(Seen::Data(message.data.len()));
                match behaviour {
                    Behaviour::Refuse => return answers.send(Err(refusal())),
                    Behaviour::Forget => return,
                    Behaviour::Hasty => {
                        answers.finish(message.part, Open::new(message.open));
                        continue;
                    }
                    _ => {}
                }
                let part = parts.entry(message.part);
                let part = part.or_insert_with(|| Open::new(message.open));
                part.bytes += message.data.len();
                for (_, hasher) in &mut part.hashers {
                    hasher.update(&message.data);
                }
                part.expected.extend(message.expected);
                if let Behaviour::PartBytesMax(max) = behaviour
                    && part.bytes > max
                    && !part.has_failed
                {
                    part.has_failed = true;
                    answers.fail(message.part, "PART_TOO_LARGE");
                }
                if message.last {
                    let part = parts.remove(&message.part).unwrap();
                    if let Behaviour::DrainParts(count) = behaviour
                        && refused.fetch_add(1, Ordering::Relaxed) < count
                    {
                        answers.fail_with(message.part, tonic::Code::Unavailable, "DRAINING");
                        continue;
                    }
                    if let Behaviour::FaultParts(count) = behaviour
                        && refused.fetch_add(1, Ordering::Relaxed) < count
                    {
                        answers.fail_with(message.part, tonic::Code::Internal, "KERNEL_FAULT");
                        continue;
                    }
                    if let Behaviour::RefuseFirst(count) = behaviour
                        && refused.fetch_add(1, Ordering::Relaxed) < count
                    {
                        return answers.send(Err(busy()));
                    }
                    answers.finish(message.part, part);
                    if behaviour == Behaviour::Idle && parts.is_empty() {
                        return answers.send(Err(idle()));
                    }
                }
            };
            if end == Seen::HalfClosed {
                // A stream without any message is one empty part.
                if is_first {
                    parts.insert(0, Open::new(None));
                }
                for (number, part) in parts {
                    answers.finish(number, part);
                }
            }
            let _ = seen.send(end);
            if behaviour == Behaviour::Linger {
                answers.answers.closed().await;
            }
        });
        Ok(Response::new(Box::pin(UnboundedReceiverStream::new(
            responses,
        ))))
    }
}

struct Sender<A> {
    answers: mpsc::UnboundedSender<Result<A, Status>>,
    behaviour: Behaviour,
    write: fn(Behaviour, Answered) -> A,
}

impl<A> Sender<A> {
    fn send(&self, answer: Result<A, Status>) {
        let _ = self.answers.send(answer);
    }

    fn finish(&self, number: u64, part: Open) {
        if part.has_failed {
            return;
        }
        let size = part.size_bytes;
        if size.is_some_and(|size| size != part.bytes as u64) {
            return self.fail(number, "SIZE_MISMATCH");
        }
        let babble = u64::from(self.behaviour == Behaviour::Babble) * 1000;
        let answered = Answered {
            part: number + babble,
            bytes: part.bytes + usize::from(self.behaviour == Behaviour::Miscount),
            digests: finish(part.hashers),
            expected: part.expected,
            error: None,
        };
        self.send(Ok((self.write)(self.behaviour, answered)));
    }

    fn fail(&self, number: u64, reason: &str) {
        self.fail_with(number, tonic::Code::ResourceExhausted, reason);
    }

    fn fail_with(&self, number: u64, code: tonic::Code, reason: &str) {
        let answered = Answered {
            part: number,
            bytes: 0,
            digests: Vec::new(),
            expected: Vec::new(),
            error: Some(v1::PartError {
                code: code.into(),
                reason: reason.to_owned(),
                message: "part refused".to_owned(),
            }),
        };
        self.send(Ok((self.write)(self.behaviour, answered)));
    }
}

fn refusal() -> Status {
    use tonic_types::{ErrorDetails, StatusExt as _};
    let delay = RETRY_AFTER;
    let mut details = ErrorDetails::with_retry_info(Some(delay));
    details.set_error_info("DRAINING", "hashlane", std::collections::HashMap::new());
    Status::with_error_details(tonic::Code::Unavailable, "draining", details)
}

/// A status that may be retried soon.
fn busy() -> Status {
    use tonic_types::{ErrorDetails, StatusExt as _};
    let delay = Duration::from_millis(1);
    let mut details = ErrorDetails::with_retry_info(Some(delay));
    details.set_error_info("SERVER_BUSY", "hashlane", std::collections::HashMap::new());
    Status::with_error_details(tonic::Code::ResourceExhausted, "no room", details)
}

/// An error of this reason, without a delay.
fn error(code: tonic::Code, reason: &str) -> Status {
    use tonic_types::{ErrorDetails, StatusExt as _};
    let details =
        ErrorDetails::with_error_info(reason, "hashlane", std::collections::HashMap::new());
    Status::with_error_details(code, "as ordered", details)
}

fn idle() -> Status {
    error(tonic::Code::DeadlineExceeded, "STREAM_IDLE")
}

fn finish(hashers: Vec<(i32, Hasher)>) -> Vec<(i32, Digest)> {
    let hashers = hashers.into_iter();
    hashers
        .map(|(number, hasher)| (number, hasher.finalize()))
        .collect()
}

fn to_wire(digests: &[(i32, Digest)]) -> Vec<v1::AlgorithmDigest> {
    let digest = |(algorithm, digest): &(i32, Digest)| v1::AlgorithmDigest {
        algorithm: *algorithm,
        digest: digest.to_vec().into(),
    };
    digests.iter().map(digest).collect()
}

fn digest_response(behaviour: Behaviour, answered: Answered) -> v1::DigestResponse {
    let mut digests = to_wire(&answered.digests);
    if behaviour == Behaviour::Confuse {
        digests.reverse();
    }
    v1::DigestResponse {
        part: answered.part,
        size_bytes: answered.bytes as u64,
        digests,
        error: answered.error,
        memory_messages_read: 0,
    }
}

fn verdict(is_match: bool) -> v1::Verdict {
    if is_match {
        v1::Verdict::Match
    } else {
        v1::Verdict::Mismatch
    }
}

fn verify_response(behaviour: Behaviour, answered: Answered) -> v1::VerifyResponse {
    let flatters = behaviour == Behaviour::Flatter;
    let computed = to_wire(&answered.digests);
    let mut all_match = true;
    let verdicts = answered.expected.into_iter().map(|expected| {
        let computed = computed.iter().find(|c| c.algorithm == expected.algorithm);
        let computed = computed.cloned().unwrap_or_default();
        let is_match = flatters || computed.digest == expected.digest;
        all_match &= is_match;
        v1::DigestVerdict {
            algorithm: expected.algorithm,
            verdict: verdict(is_match).into(),
            expected: expected.digest,
            computed: computed.digest,
        }
    });
    let verdicts = verdicts.collect();
    v1::VerifyResponse {
        part: answered.part,
        size_bytes: answered.bytes as u64,
        verdict: verdict(all_match).into(),
        verdicts,
        error: answered.error,
        memory_messages_read: 0,
    }
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl HashService for Service {
    type DigestStream = Responses<v1::DigestResponse>;
    type VerifyStream = Responses<v1::VerifyResponse>;

    async fn digest(
        &self,
        request: Request<Streaming<v1::DigestRequest>>,
    ) -> Result<Response<Self::DigestStream>, Status> {
        let read = |message: v1::DigestRequest| Message {
            part: message.part,
            open: message.open,
            expected: Vec::new(),
            last: message.last,
            data: message.data.to_vec(),
        };
        self.serve(request, read, digest_response)
    }

    async fn verify(
        &self,
        request: Request<Streaming<v1::VerifyRequest>>,
    ) -> Result<Response<Self::VerifyStream>, Status> {
        let read = |message: v1::VerifyRequest| Message {
            part: message.part,
            open: message.open,
            expected: message.expected,
            last: message.last,
            data: message.data.to_vec(),
        };
        self.serve(request, read, verify_response)
    }

    async fn digest_batch(
        &self,
        request: Request<v1::DigestBatchRequest>,
    ) -> Result<Response<v1::DigestBatchResponse>, Status> {
        let request = request.into_inner();
        self.see(Seen::Batch(request.blobs.len()));
        self.take_time().await;
        if self.behaviour == Behaviour::Shrink && request.blobs.len() > 5 {
            return Err(error(tonic::Code::ResourceExhausted, "TOO_MANY_BLOBS"));
        }
        let digests = request.blobs.len() * request.algorithms.len();
        if let Behaviour::DigestsMax(max) = self.behaviour
            && digests > max
        {
            return Err(error(tonic::Code::ResourceExhausted, "TOO_MANY_DIGESTS"));
        }
        let blobs = request.blobs.iter().map(|blob| {
            let mut hashers = hashers(&request.algorithms);
            for (_, hasher) in &mut hashers {
                hasher.update(blob);
            }
            v1::BlobDigests {
                digests: to_wire(&finish(hashers)),
            }
        });
        Ok(Response::new(v1::DigestBatchResponse {
            blobs: blobs.collect(),
        }))
    }

    async fn compose(
        &self,
        request: Request<v1::ComposeRequest>,
    ) -> Result<Response<v1::ComposeResponse>, Status> {
        let request = request.into_inner();
        self.take_time().await;
        let invalid = |error: &dyn std::fmt::Display| Status::invalid_argument(error.to_string());
        let algorithm = engine(request.algorithm);
        let digests = &request.part_digests;
        let value = if request.checksum_type() == v1::ChecksumType::FullObject {
            let sizes = request.part_size_bytes.iter().copied();
            let parts: Vec<_> = digests.iter().zip(sizes).collect();
            ObjectDigest::full_object(algorithm, &parts)
        } else {
            ObjectDigest::composite(algorithm, digests)
        };
        let value = value.map_err(|error| invalid(&error))?;
        let verdict = match request.expected.as_str() {
            "" => v1::Verdict::Unspecified,
            expected => {
                let expected = Expected::parse(algorithm, expected);
                verdict(expected.map_err(|error| invalid(&error))?.matches(&value))
            }
        };
        Ok(Response::new(v1::ComposeResponse {
            composite: value.to_base64(),
            digest: value.digest().to_vec().into(),
            verdict: verdict.into(),
            hex: value.to_hex(),
        }))
    }

    async fn get_server_info(
        &self,
        _: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        if self.behaviour == Behaviour::Silent {
            std::future::pending::<()>().await;
        }
        if let Behaviour::RejectFirst(count) = self.behaviour
            && self.refused.fetch_add(1, Ordering::Relaxed) < count
        {
            return Err(busy());
        }
        Ok(Response::new(v1::GetServerInfoResponse {
            version: "1.2.3".to_owned(),
            algorithms: vec![v1::AlgorithmInfo {
                algorithm: v1::Algorithm::Sha256.into(),
                kernels: vec!["portable".to_owned(), "avx2x8".to_owned()],
                lanes: 8,
                digest_bytes: 32,
                name: "sha256".to_owned(),
            }],
            workers: 2,
            limits: Some(v1::Limits {
                message_bytes_max: 1000,
                part_bytes_max: 1 << 40,
                parts_per_stream_max: 16,
                batch_blobs_max: self.batch_blobs_max(),
                streams_per_connection_max: 100,
            }),
        }))
    }
}
