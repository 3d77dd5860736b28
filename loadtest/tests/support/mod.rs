//! A small hashlane server made of tonic and single streams: what the load generator is
//! tested against. It can be told to answer wrongly.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hashlane_engine::Hasher;
use hashlane_proto::v1::hash_service_server::{HashService, HashServiceServer};
use hashlane_proto::v1::{
    AlgorithmDigest, BlobDigests, ComposeRequest, ComposeResponse, DigestBatchRequest,
    DigestBatchResponse, DigestRequest, DigestResponse, DigestVerdict, GetServerInfoRequest,
    GetServerInfoResponse, Limits, PartError, PartOptions, Verdict, VerifyRequest, VerifyResponse,
};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

#[allow(dead_code, reason = "`run` has a server that is there already")]
pub(crate) mod child;
#[allow(dead_code, reason = "most test files use TCP alone")]
mod shared_memory;

/// What the server does to its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Right answers.
    Honest,
    /// Every seventh digest has a flipped bit.
    FlippedBit,
    /// Every verdict is a match, whatever was computed.
    AlwaysMatch,
    /// Every call fails.
    Refusing,
    /// Every part is refused by itself.
    RefusingParts,
    /// Digests of zeros, as a server that does not hash.
    #[allow(dead_code, reason = "each test file uses some manners")]
    Zeros,
    /// No answer ever.
    Silent,
    /// No answer to Digest before this many parts are open at once.
    #[allow(dead_code, reason = "each test file uses some manners")]
    HoldUntil(u64),
    /// Digest only with the token `secret`.
    #[allow(dead_code, reason = "each test file uses some manners")]
    Guarded,
}

/// The service and what it counted.
#[derive(Debug)]
pub(crate) struct Fake {
    manner: Manner,
    /// Connections accepted for gRPC.
    connections: AtomicU64,
    parts: AtomicU64,
    bytes: AtomicU64,
    /// Open calls of Digest and Verify.
    streams: AtomicU64,
    /// Parts that have begun and have no answer yet, and the most there ever were.
    open_parts: AtomicU64,
    open_parts_max: AtomicU64,
    /// Memory that is shared with clients.
    regions: Arc<shared_memory::Regions>,
}

const ALGORITHM: i32 = hashlane_proto::v1::Algorithm::Sha256 as i32;

impl Fake {
    pub(crate) fn new(manner: Manner) -> Arc<Self> {
        Arc::new(Self {
            manner,
            connections: AtomicU64::new(0),
            parts: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            streams: AtomicU64::new(0),
            open_parts: AtomicU64::new(0),
            open_parts_max: AtomicU64::new(0),
            regions: Arc::default(),
        })
    }

    /// The most parts that were ever open together.
    #[allow(dead_code, reason = "each test file asks for some counts")]
    pub(crate) fn open_parts_max(&self) -> u64 {
        self.open_parts_max.load(Ordering::SeqCst)
    }

    /// Connections that clients made.
    #[allow(dead_code, reason = "each test file asks for some counts")]
    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }

    fn begin(&self, part: &mut PartState) {
        if !std::mem::replace(&mut part.open, true) {
            let open = self.open_parts.fetch_add(1, Ordering::SeqCst) + 1;
            self.open_parts_max.fetch_max(open, Ordering::SeqCst);
        }
    }

    /// Parts answered.
    pub(crate) fn parts(&self) -> u64 {
        self.parts.load(Ordering::SeqCst)
    }

    /// Serves gRPC on `listener` until dropped.
    pub(crate) async fn serve_grpc(self: Arc<Self>, listener: TcpListener) {
        loop {
            let (stream, _) = listener
                .accept()
                .await
                .expect("accepting on the loopback does not fail");
            // Else Nagle's algorithm holds answers back for 40 ms.
            stream
                .set_nodelay(true)
                .expect("an open socket takes the option");
            self.connections.fetch_add(1, Ordering::SeqCst);
            Arc::clone(&self).serve_connection(stream);
        }
    }

    /// Serves gRPC to one client.
    fn serve_connection(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) {
        let service = HashServiceServer::new(Service(self)).max_decoding_message_size(32 << 20);
        let service = TowerToHyperService::new(service);
        tokio::spawn(async move {
            let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            // The client leaves when it likes.
            let _ = builder
                .max_frame_size(128 << 10)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }

    /// Serves `/readyz` and `/metrics` on `listener` until dropped.
    pub(crate) async fn serve_admin(self: Arc<Self>, listener: TcpListener) {
        loop {
            let (stream, _) = listener
                .accept()
                .await
                .expect("accepting on the loopback does not fail");
            let fake = Arc::clone(&self);
            tokio::spawn(async move {
                let answer = service_fn(move |request: http::Request<hyper::body::Incoming>| {
                    let text = match request.uri().path() {
                        "/metrics" => fake.metrics(),
                        _ => String::from("ok"),
                    };
                    async {
                        Ok::<_, std::convert::Infallible>(http::Response::new(Full::new(
                            Bytes::from(text),
                        )))
                    }
                });
                // The client closes; what comes after that does not matter.
                let _ = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), answer)
                    .await;
            });
        }
    }

    /// One block in four finds its lane empty.
    fn metrics(&self) -> String {
        let bytes = self.bytes.load(Ordering::SeqCst);
        let (active, idle) = (bytes / 64 * 3, bytes / 64);
        format!(
            "# TYPE hashlane_lane_blocks_total counter\n\
             hashlane_lane_blocks_total{{worker=\"0\",algorithm=\"sha256\",kernel=\"avx512x16\",state=\"active\"}} {active}\n\
             hashlane_lane_blocks_total{{worker=\"0\",algorithm=\"sha256\",kernel=\"avx512x16\",state=\"idle\"}} {idle}\n\
             hashlane_hashed_bytes_total{{worker=\"0\",algorithm=\"sha256\"}} {bytes}\n\
             hashlane_lane_seconds_total{{worker=\"0\",algorithm=\"sha256\"}} {}\n\
             hashlane_lane_best_seconds_total{{worker=\"0\",algorithm=\"sha256\"}} {}\n\
             hashlane_streams{{worker=\"0\"}} {}\n\
             hashlane_worker_seconds_total{{worker=\"0\",phase=\"hash\"}} {}\n\
             process_cpu_seconds_total {}\n",
            bytes as f64 / 1e9,
            bytes as f64 / 2e9,
            self.streams.load(Ordering::SeqCst),
            bytes as f64 / 2e9,
            bytes as f64 / 1e9,
        )
    }

    fn finish(&self, part: &mut PartState) -> (u64, Vec<AlgorithmDigest>) {
        let number = self.parts.fetch_add(1, Ordering::SeqCst);
        self.open_parts.fetch_sub(1, Ordering::SeqCst);
        self.bytes.fetch_add(part.size_bytes, Ordering::SeqCst);
        let hashers = std::mem::take(&mut part.hashers).into_iter();
        let mut digests: Vec<_> = hashers
            .map(|(algorithm, hasher)| (algorithm, hasher.finalize().to_vec()))
            .collect();
        match self.manner {
            // The last, so that a client that looks at the first alone does not see it.
            Manner::FlippedBit if number % 7 == 6 => {
                let last = digests.last_mut().and_then(|(_, digest)| digest.last_mut());
                *last.expect("a part has a digest") ^= 1;
            }
            Manner::Zeros => digests.iter_mut().for_each(|(_, digest)| digest.fill(0)),
            _ => {}
        }
        let digests = digests
            .into_iter()
            .map(|(algorithm, digest)| AlgorithmDigest {
                algorithm,
                digest: digest.into(),
            });
        (std::mem::take(&mut part.size_bytes), digests.collect())
    }

    fn refusal(&self) -> Option<PartError> {
        (self.manner == Manner::RefusingParts).then(|| PartError {
            code: 8,
            reason: "PART_TOO_LARGE".into(),
            message: "the part is too large".into(),
        })
    }
}

#[derive(Default)]
struct PartState {
    /// By the algorithm's number.
    hashers: Vec<(i32, Hasher)>,
    size_bytes: u64,
    open: bool,
}

impl PartState {
    fn take(&mut self, options: Option<&PartOptions>, data: &[u8]) {
        if self.hashers.is_empty() {
            let named = options.map_or(&[][..], |options| &options.algorithms);
            let named = if named.is_empty() {
                &[ALGORITHM]
            } else {
                named
            };
            self.hashers
                .extend(named.iter().map(|number| (*number, hasher(*number))));
        }
        for (_, hasher) in &mut self.hashers {
            hasher.update(data);
        }
        self.size_bytes += data.len() as u64;
    }
}

fn hasher(number: i32) -> Hasher {
    let name = hashlane_proto::v1::Algorithm::try_from(number)
        .unwrap()
        .as_str_name();
    let name = name.strip_prefix("ALGORITHM_").unwrap().to_lowercase();
    Hasher::new(name.parse().unwrap())
}

/// An open call, counted while it lives.
struct OpenStream(Arc<Fake>);

impl OpenStream {
    fn new(fake: &Arc<Fake>) -> Self {
        fake.streams.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(fake))
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Service(Arc<Fake>);

#[tonic::async_trait]
impl HashService for Service {
    type DigestStream = ReceiverStream<Result<DigestResponse, Status>>;
    type VerifyStream = ReceiverStream<Result<VerifyResponse, Status>>;

    async fn digest(
        &self,
        request: Request<Streaming<DigestRequest>>,
    ) -> Result<Response<Self::DigestStream>, Status> {
        if self.0.manner == Manner::Refusing {
            return Err(Status::resource_exhausted("no room"));
        }
        let token = request.metadata().get("authorization");
        if self.0.manner == Manner::Guarded && token.is_none_or(|token| token != "Bearer secret") {
            return Err(Status::unauthenticated("no token"));
        }
        let fake = Arc::clone(&self.0);
        let headers = request.metadata().clone();
        let mut messages = request.into_inner();
        let (answers, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            let _open = OpenStream::new(&fake);
            let mut parts = std::collections::HashMap::new();
            let (mut number, mut memory_messages_read) = (0, 0);
            loop {
                let Ok(message) = messages.message().await else {
                    return;
                };
                // The end of the call is that of its last part.
                number = message.as_ref().map_or(number, |message| message.part);
                let part: &mut PartState = parts.entry(number).or_default();
                let ends = message.as_ref().is_none_or(|message| message.last);
                if let Some(message) = message.clone() {
                    fake.begin(part);
                    let data = fake
                        .regions
                        .data(&headers, message.data, message.memory.as_ref());
                    part.take(message.open.as_ref(), &data);
                    if message.memory.is_some() {
                        memory_messages_read += 1;
                        let notice = DigestResponse {
                            memory_messages_read,
                            ..DigestResponse::default()
                        };
                        if answers.send(Ok(notice)).await.is_err() {
                            return;
                        }
                    }
                }
                if ends && std::mem::take(&mut part.open) && fake.manner != Manner::Silent {
                    if let Manner::HoldUntil(count) = fake.manner {
                        while fake.open_parts_max() < count {
                            tokio::time::sleep(Duration::from_millis(1)).await;
                        }
                    }
                    let (size_bytes, mut digests) = fake.finish(part);
                    let error = fake.refusal();
                    if error.is_some() {
                        digests.clear();
                    }
                    let answer = DigestResponse {
                        part: number,
                        size_bytes,
                        digests,
                        error,
                        memory_messages_read,
                    };
                    if answers.send(Ok(answer)).await.is_err() {
                        return;
                    }
                }
                if message.is_none() {
                    if fake.manner == Manner::Silent {
                        std::future::pending::<()>().await;
                    }
                    return;
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }

    async fn verify(
        &self,
        request: Request<Streaming<VerifyRequest>>,
    ) -> Result<Response<Self::VerifyStream>, Status> {
        let fake = Arc::clone(&self.0);
        let headers = request.metadata().clone();
        let mut messages = request.into_inner();
        let (answers, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            let _open = OpenStream::new(&fake);
            let mut part = PartState::default();
            let mut expected = Vec::new();
            let mut memory_messages_read = 0;
            loop {
                let Ok(message) = messages.message().await else {
                    return;
                };
                let ends = message.as_ref().is_none_or(|message| message.last);
                if let Some(message) = message.clone() {
                    fake.begin(&mut part);
                    memory_messages_read += u64::from(message.memory.is_some());
                    let data = fake
                        .regions
                        .data(&headers, message.data, message.memory.as_ref());
                    part.take(message.open.as_ref(), &data);
                    expected.extend_from_slice(&message.expected);
                    // Not for every message: an answer tells too.
                    if memory_messages_read % 3 == 2 {
                        let notice = VerifyResponse {
                            memory_messages_read,
                            ..VerifyResponse::default()
                        };
                        if answers.send(Ok(notice)).await.is_err() {
                            return;
                        }
                    }
                }
                if ends && std::mem::take(&mut part.open) {
                    let (size_bytes, computed) = fake.finish(&mut part);
                    let is_lenient = fake.manner == Manner::AlwaysMatch;
                    let verdict = |is_match: bool| {
                        if is_match || is_lenient {
                            Verdict::Match as i32
                        } else {
                            Verdict::Mismatch as i32
                        }
                    };
                    let expected = std::mem::take(&mut expected);
                    let all_match = computed == expected;
                    let pairs = expected.into_iter().zip(computed);
                    let verdicts = pairs.map(|(expected, computed)| DigestVerdict {
                        algorithm: expected.algorithm,
                        verdict: verdict(expected == computed),
                        expected: expected.digest,
                        computed: computed.digest,
                    });
                    let verdicts = verdicts.collect();
                    let verdict = verdict(all_match);
                    let answer = VerifyResponse {
                        part: 0,
                        size_bytes,
                        verdict,
                        verdicts,
                        error: fake.refusal(),
                        memory_messages_read,
                    };
                    if answers.send(Ok(answer)).await.is_err() {
                        return;
                    }
                }
                if message.is_none() {
                    return;
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }

    async fn digest_batch(
        &self,
        request: Request<DigestBatchRequest>,
    ) -> Result<Response<DigestBatchResponse>, Status> {
        let request = request.into_inner();
        let options = PartOptions {
            algorithms: request.algorithms,
            size_bytes: None,
        };
        let blobs = request.blobs.iter().map(|blob| {
            let mut part = PartState::default();
            self.0.begin(&mut part);
            part.take(Some(&options), blob);
            BlobDigests {
                digests: self.0.finish(&mut part).1,
            }
        });
        Ok(Response::new(DigestBatchResponse {
            blobs: blobs.collect(),
        }))
    }

    async fn compose(
        &self,
        _: Request<ComposeRequest>,
    ) -> Result<Response<ComposeResponse>, Status> {
        Err(Status::unimplemented("not used by the load generator"))
    }

    async fn get_server_info(
        &self,
        _: Request<GetServerInfoRequest>,
    ) -> Result<Response<GetServerInfoResponse>, Status> {
        let limits = Limits {
            message_bytes_max: 32 << 20,
            part_bytes_max: 1 << 30,
            streams_per_connection_max: 100,
            ..Limits::default()
        };
        Ok(Response::new(GetServerInfoResponse {
            limits: Some(limits),
            ..GetServerInfoResponse::default()
        }))
    }
}

/// Where a fake server listens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    pub(crate) grpc: SocketAddr,
    pub(crate) admin: SocketAddr,
}

/// Waits until `holds`, and fails with `what` if that takes more than a minute.
#[allow(dead_code, reason = "each test file waits for some conditions")]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::park_timeout(Duration::from_millis(1));
    }
}
