//! A small HashService with faults to order, on a runtime of its own, so that
//! it can vanish with all its connections.

// Each test binary uses a part of it.
#![allow(dead_code)]

mod watch;

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::pin::Pin;

use hashlane_proto::v1;
use hashlane_proto::v1::hash_service_server::{HashService, HashServiceServer};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream};
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Response, Status, Streaming};
use watch::{WasReset, Watched};

/// What the service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// What it should.
    Honest,
    /// Ends Digest with a status that has details, after the first message.
    Refuse,
    /// Reads nothing and says nothing.
    Silent,
    /// Answers MATCH to everything.
    Flatter,
    /// Ends every part of more bytes than this with an error, at once.
    PartBytesMax(usize),
    /// Ends the stream after the first message without an answer.
    Forget,
    /// Answers parts that nobody opened.
    Babble,
}

/// What the service saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A call began, from this connection.
    Began(SocketAddr),
    /// A message with so many bytes of data.
    Data(usize),
    /// The client half-closed: all open parts are complete.
    HalfClosed,
    /// The client reset the call, or its connection broke.
    Reset,
    /// A batch of so many blobs.
    Batch(usize),
}

/// The service, and what it saw.
pub(crate) struct Fake {
    pub(crate) url: String,
    seen: mpsc::UnboundedReceiver<Seen>,
    runtime: Option<Runtime>,
}

impl Fake {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (sender, seen) = mpsc::unbounded_channel();
        let listener = runtime
            .spawn(TcpListener::bind("127.0.0.1:0"))
            .await
            .unwrap()
            .unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let service = Service {
            behaviour,
            seen: sender,
        };
        let service = Watched(HashServiceServer::new(service));
        let incoming = TcpListenerStream::new(listener);
        // What a client may send ahead of a service that does not read.
        let server = tonic::transport::Server::builder().initial_stream_window_size(64 << 10);
        runtime.spawn(server.serve_with_incoming(service, incoming));
        Self {
            url,
            seen,
            runtime: Some(runtime),
        }
    }

    /// Waits for the next thing seen.
    pub(crate) async fn seen(&mut self) -> Seen {
        self.seen.recv().await.expect("the service runs")
    }

    /// Waits for the end of the next call to end.
    pub(crate) async fn end(&mut self) -> Seen {
        loop {
            let seen = self.seen().await;
            if matches!(seen, Seen::HalfClosed | Seen::Reset) {
                return seen;
            }
        }
    }

    /// All that has been seen so far and not been waited for.
    pub(crate) fn seen_so_far(&mut self) -> Vec<Seen> {
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }

    /// Connections that calls came from, among what has been seen so far.
    pub(crate) fn connections(&mut self) -> usize {
        let seen = self.seen_so_far().into_iter();
        let addresses = seen.filter_map(|seen| match seen {
            Seen::Began(address) => Some(address),
            _ => None,
        });
        addresses.collect::<HashSet<_>>().len()
    }

    /// Ends the service and closes its connections, in the middle of whatever.
    pub(crate) fn vanish(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.vanish();
    }
}

struct Service {
    behaviour: Behaviour,
    seen: mpsc::UnboundedSender<Seen>,
}

/// A part as the service sees it.
#[derive(Default)]
struct Open {
    hasher: Sha256,
    bytes: usize,
    options: Option<v1::PartOptions>,
    expected: Option<Vec<u8>>,
    has_failed: bool,
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
    digest: Vec<u8>,
    expected: Option<Vec<u8>>,
    error: Option<v1::PartError>,
}

impl Service {
    fn see(&self, seen: Seen) {
        let _ = self.seen.send(seen);
    }

    fn serve<M, A>(
        &self,
        request: Request<Streaming<M>>,
        read: fn(M) -> Message,
        write: fn(Behaviour, Answered) -> A,
    ) -> Responses<A>
    where
        M: Send + 'static,
        A: Send + 'static,
    {
        let (behaviour, seen) = (self.behaviour, self.seen.clone());
        self.see(Seen::Began(request.remote_addr().unwrap()));
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
            let end = loop {
                let message = match messages.next().await {
                    Some(Ok(message)) => message,
                    Some(Err(_)) => break Seen::Reset,
                    None if was_reset.get() => break Seen::Reset,
                    None => break Seen::HalfClosed,
                };
                let _ = seen.send(Seen::Data(message.data.len()));
                match behaviour {
                    Behaviour::Refuse => return answers.send(Err(refusal())),
                    Behaviour::Forget => return,
                    _ => {}
                }
                let part = parts.entry(message.part).or_default();
                part.options = part.options.take().or(message.open);
                part.bytes += message.data.len();
                part.hasher.update(&message.data);
                let expected = message.expected.first();
                part.expected = expected.map(|e| e.digest.to_vec()).or(part.expected.take());
                if let Behaviour::PartBytesMax(max) = behaviour
                    && part.bytes > max
                    && !part.has_failed
                {
                    part.has_failed = true;
                    answers.fail(message.part, "PART_TOO_LARGE");
                }
                if message.last {
                    let part = parts.remove(&message.part).unwrap();
                    answers.finish(message.part, part);
                }
            };
            if end == Seen::HalfClosed {
                for (number, part) in parts {
                    answers.finish(number, part);
                }
            }
            let _ = seen.send(end);
        });
        Box::pin(UnboundedReceiverStream::new(responses))
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
        let size = part.options.and_then(|options| options.size_bytes);
        if size.is_some_and(|size| size != part.bytes as u64) {
            return self.fail(number, "SIZE_MISMATCH");
        }
        let babble = u64::from(self.behaviour == Behaviour::Babble) * 1000;
        let answered = Answered {
            part: number + babble,
            bytes: part.bytes,
            digest: part.hasher.finalize().to_vec(),
            expected: part.expected,
            error: None,
        };
        self.send(Ok((self.write)(self.behaviour, answered)));
    }

    fn fail(&self, number: u64, reason: &str) {
        let answered = Answered {
            part: number,
            bytes: 0,
            digest: Vec::new(),
            expected: None,
            error: Some(v1::PartError {
                code: tonic::Code::ResourceExhausted.into(),
                reason: reason.to_owned(),
                message: "part refused".to_owned(),
            }),
        };
        self.send(Ok((self.write)(self.behaviour, answered)));
    }
}

fn refusal() -> Status {
    use tonic_types::{ErrorDetails, StatusExt as _};
    let delay = std::time::Duration::from_secs(7);
    let mut details = ErrorDetails::with_retry_info(Some(delay));
    details.set_error_info("DRAINING", "hashlane", std::collections::HashMap::new());
    Status::with_error_details(tonic::Code::Unavailable, "draining", details)
}

fn sha256_of(digest: Vec<u8>) -> v1::AlgorithmDigest {
    v1::AlgorithmDigest {
        algorithm: v1::Algorithm::Sha256.into(),
        digest: digest.into(),
    }
}

fn digest_response(_: Behaviour, answered: Answered) -> v1::DigestResponse {
    let digests = match &answered.error {
        Some(_) => Vec::new(),
        None => vec![sha256_of(answered.digest)],
    };
    v1::DigestResponse {
        part: answered.part,
        size_bytes: answered.bytes as u64,
        digests,
        error: answered.error,
    }
}

fn verify_response(behaviour: Behaviour, answered: Answered) -> v1::VerifyResponse {
    let expected = answered.expected.unwrap_or_default();
    let is_match = expected == answered.digest || behaviour == Behaviour::Flatter;
    let verdict = if is_match {
        v1::Verdict::Match
    } else {
        v1::Verdict::Mismatch
    };
    v1::VerifyResponse {
        part: answered.part,
        size_bytes: answered.bytes as u64,
        verdict: verdict.into(),
        verdicts: vec![v1::DigestVerdict {
            algorithm: v1::Algorithm::Sha256.into(),
            verdict: verdict.into(),
            expected: expected.into(),
            computed: answered.digest.into(),
        }],
        error: answered.error,
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
        Ok(Response::new(self.serve(request, read, digest_response)))
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
        Ok(Response::new(self.serve(request, read, verify_response)))
    }

    async fn digest_batch(
        &self,
        request: Request<v1::DigestBatchRequest>,
    ) -> Result<Response<v1::DigestBatchResponse>, Status> {
        let blobs = request.into_inner().blobs;
        self.see(Seen::Batch(blobs.len()));
        let blobs = blobs.iter().map(|blob| v1::BlobDigests {
            digests: vec![sha256_of(Sha256::digest(blob).to_vec())],
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
        let mut hasher = Sha256::new();
        for part in &request.part_digests {
            hasher.update(part);
        }
        // Not the real form: this only has to be told from others.
        let composite = format!("composite-{}", request.part_digests.len());
        let verdict = match request.expected.as_str() {
            "" => v1::Verdict::Unspecified,
            expected if expected == composite => v1::Verdict::Match,
            _ => v1::Verdict::Mismatch,
        };
        Ok(Response::new(v1::ComposeResponse {
            composite,
            digest: hasher.finalize().to_vec().into(),
            verdict: verdict.into(),
        }))
    }

    async fn get_server_info(
        &self,
        _: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        if self.behaviour == Behaviour::Silent {
            std::future::pending::<()>().await;
        }
        Ok(Response::new(v1::GetServerInfoResponse {
            version: "1.2.3".to_owned(),
            algorithms: vec![v1::AlgorithmInfo {
                algorithm: v1::Algorithm::Sha256.into(),
                kernels: vec!["portable".to_owned(), "avx2x8".to_owned()],
                lanes: 8,
            }],
            workers: 2,
            limits: Some(v1::Limits {
                message_bytes_max: 1000,
                part_bytes_max: 1 << 40,
                parts_per_stream_max: 16,
                batch_blobs_max: 10,
                streams_per_connection_max: 100,
            }),
        }))
    }
}
