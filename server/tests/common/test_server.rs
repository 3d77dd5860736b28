//! A real server inside the test's process, and what tests ask it.
#![allow(
    dead_code,
    unused_imports,
    reason = "each test file uses its own part of this"
)]

pub(crate) mod collector;
pub(crate) mod honest;
pub(crate) mod program;
pub(crate) mod raw;
pub(crate) mod shared_memory;
pub(crate) mod tls;
pub(crate) mod wire;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hashlane_engine::{Algorithm, Hasher};
use hashlane_proto::v1::hash_service_client::HashServiceClient;
use hashlane_proto::v1::{
    self, AlgorithmDigest, DigestRequest, DigestResponse, PartOptions, VerifyRequest,
    VerifyResponse,
};
use hashlane_server::{Faults, Reload, Server, Settings};
use sha2::{Digest as _, Sha256};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

/// An upper bound for every wait in these tests, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) type Client = HashServiceClient<Channel>;

/// A server on separate ports.
pub(crate) struct TestServer {
    pub(crate) grpc: SocketAddr,
    pub(crate) admin: SocketAddr,
    /// The address of TLS, if it is on.
    pub(crate) tls: Option<SocketAddr>,
    pub(crate) reload: Reload,
    pub(crate) faults: Faults,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

impl TestServer {
    /// Starts with two unpinned workers, unless `changes` override this.
    pub(crate) fn start(changes: &[(&str, &str)]) -> Self {
        Self::start_hastened(1, changes)
    }

    /// The same, but hung workers are found `times` as fast.
    pub(crate) fn start_hastened(times: u32, changes: &[(&str, &str)]) -> Self {
        let mut all = vec![
            ("listen", "127.0.0.1:0"),
            ("admin_listen", "127.0.0.1:0"),
            ("workers", "2"),
            ("pin", "false"),
            // All clients of a test share one address.
            ("client_share_percent", "100"),
        ];
        all.extend_from_slice(changes);
        let server = Server::bind(Settings::with(&all).unwrap()).unwrap();
        let grpc = server.local_addr().unwrap();
        let admin = server.admin_addr().unwrap();
        let tls = server.tls_addr().ok();
        let (reload, faults) = (server.reload(), server.faults());
        faults.hasten(times);
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(server.run(async {
                    let _ = stopped.await;
                }))
        });
        Self {
            grpc,
            admin,
            tls,
            reload,
            faults,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub(crate) async fn client(&self) -> Client {
        connect(self.grpc).await
    }

    pub(crate) async fn channel(&self) -> Channel {
        channel(self.grpc).await
    }

    /// Begins the drain.
    pub(crate) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Whether it has ended, even without a stop.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the end of a drain that has begun.
    pub(crate) fn join(&mut self) -> anyhow::Result<()> {
        self.thread.take().unwrap().join().unwrap()
    }

    /// A response of the admin port: its status and text.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        get(self.admin, path).unwrap()
    }

    pub(crate) fn metrics(&self) -> Metrics {
        Metrics(self.get("/metrics").1)
    }

    /// Waits until the metrics satisfy `condition`.
    pub(crate) async fn until(&self, what: &str, condition: impl Fn(&Metrics) -> bool) -> Metrics {
        until(|| self.metrics(), what, condition).await
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.unwrap().unwrap();
            }
        }
    }
}

/// Scrapes until the metrics satisfy `condition`.
async fn until(
    scrape: impl Fn() -> Metrics,
    what: &str,
    condition: impl Fn(&Metrics) -> bool,
) -> Metrics {
    let start = Instant::now();
    loop {
        let metrics = scrape();
        if condition(&metrics) {
            return metrics;
        }
        assert!(start.elapsed() < PATIENCE, "{what}:\n{}", metrics.0);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// A client with a separate connection.
pub(crate) async fn connect(address: SocketAddr) -> Client {
    HashServiceClient::new(channel(address).await)
}

async fn channel(address: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{address}"))
        .unwrap()
        .connect()
        .await
        .unwrap()
}

/// One HTTP/1.1 request.
pub(crate) fn get(address: SocketAddr, path: &str) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let text = String::from_utf8(answer).map_err(std::io::Error::other)?;
    let status = text[9..12].parse().unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    Ok((status, body.to_owned()))
}

/// A scrape.
pub(crate) struct Metrics(pub(crate) String);

impl Metrics {
    /// The sum of the samples of `name` that have all `labels`.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let samples = self.0.lines().filter_map(|line| {
            let (sample, value) = line.rsplit_once(' ')?;
            let (found, rest) = sample.split_once('{').unwrap_or((sample, ""));
            let matches = found == name
                && labels
                    .iter()
                    .all(|(label, value)| rest.contains(&format!("{label}=\"{value}\"")));
            matches.then(|| value.parse::<f64>().unwrap())
        });
        samples.sum()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&format!("# TYPE {name} "))
    }
}

/// `len` bytes whose pattern has period 251, so that swapped blocks show.
pub(crate) fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len)
        .map(|i| u8::try_from((i + seed * 7) % 251).unwrap())
        .collect()
}

pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

/// The number of an algorithm on the wire, from its name.
pub(crate) fn number(algorithm: Algorithm) -> i32 {
    let name = format!("ALGORITHM_{}", algorithm.name().to_uppercase());
    v1::Algorithm::from_str_name(&name).unwrap().into()
}

pub(crate) fn numbers() -> Vec<i32> {
    Algorithm::all().map(number).collect()
}

/// The digest as a single-stream crate computes it.
pub(crate) fn expected_digest(algorithm: Algorithm, data: &[u8]) -> AlgorithmDigest {
    let digest = match algorithm {
        Algorithm::Sha256 => Sha256::digest(data).to_vec(),
        Algorithm::Sha224 => sha2::Sha224::digest(data).to_vec(),
        Algorithm::Sha512 => sha2::Sha512::digest(data).to_vec(),
        Algorithm::Sha384 => sha2::Sha384::digest(data).to_vec(),
        Algorithm::Sha1 => sha1::Sha1::digest(data).to_vec(),
        Algorithm::Md5 => md5::Md5::digest(data).to_vec(),
        _ => {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(data);
            hasher.finalize().to_vec()
        }
    };
    AlgorithmDigest {
        algorithm: number(algorithm),
        digest: digest.into(),
    }
}

/// All digests, in the order of [`numbers`].
pub(crate) fn expected_digests(data: &[u8]) -> Vec<AlgorithmDigest> {
    let digests = Algorithm::all().map(|algorithm| expected_digest(algorithm, data));
    digests.collect()
}

pub(crate) fn asking(algorithms: Vec<i32>) -> Option<PartOptions> {
    Some(PartOptions {
        algorithms,
        size_bytes: None,
    })
}

/// All answers of a stream.
pub(crate) async fn all<T>(mut answers: Streaming<T>) -> Result<Vec<T>, Status> {
    let mut out = Vec::new();
    while let Some(answer) = answers.message().await? {
        out.push(answer);
    }
    Ok(out)
}

/// Opens a stream of Digest; returns the sender of its messages, and its answers.
pub(crate) async fn open_digest(
    client: &mut Client,
) -> (mpsc::Sender<DigestRequest>, Streaming<DigestResponse>) {
    let (sender, receiver) = mpsc::channel(1);
    let answers = client.digest(ReceiverStream::new(receiver)).await.unwrap();
    (sender, answers.into_inner())
}

pub(crate) async fn digests(
    server: &TestServer,
    requests: Vec<DigestRequest>,
) -> Result<Vec<DigestResponse>, Status> {
    let mut client = server.client().await;
    let answers = client.digest(tokio_stream::iter(requests)).await?;
    all(answers.into_inner()).await
}

pub(crate) async fn verdicts(
    server: &TestServer,
    requests: Vec<VerifyRequest>,
) -> Result<Vec<VerifyResponse>, Status> {
    let mut client = server.client().await;
    let answers = client.verify(tokio_stream::iter(requests)).await?;
    all(answers.into_inner()).await
}

pub(crate) fn digest(part: u64, data: &[u8], last: bool) -> DigestRequest {
    DigestRequest {
        part,
        open: None,
        last,
        data: data.to_vec().into(),
        memory: None,
    }
}

pub(crate) fn sized(part: u64, size_bytes: u64, data: &[u8], last: bool) -> DigestRequest {
    DigestRequest {
        open: Some(PartOptions {
            algorithms: Vec::new(),
            size_bytes: Some(size_bytes),
        }),
        ..digest(part, data, last)
    }
}

pub(crate) fn verify(part: u64, data: &[u8], expected: Option<&[u8]>, last: bool) -> VerifyRequest {
    VerifyRequest {
        part,
        open: None,
        expected: expected
            .map(|digest| AlgorithmDigest {
                algorithm: 0,
                digest: digest.to_vec().into(),
            })
            .into_iter()
            .collect(),
        last,
        data: data.to_vec().into(),
        memory: None,
    }
}

/// Checks a refusal's code and its ErrorInfo.
#[track_caller]
pub(crate) fn assert_refused(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status:?}");
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| {
        panic!("no ErrorInfo in {status:?}");
    });
    assert_eq!(
        (info.domain.as_str(), info.reason.as_str()),
        ("hashlane", reason)
    );
}

/// The same, and its field and message.
#[track_caller]
pub(crate) fn assert_refused_field(status: &Status, reason: &str, field: &str, words: &[&str]) {
    assert_refused(status, Code::InvalidArgument, reason);
    let details = status.get_error_details();
    let violations = &details.bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, field, "{status:?}");
    for word in words {
        assert!(status.message().contains(word), "{word:?} in {status:?}");
    }
}
