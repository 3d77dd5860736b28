//! Memory that clients of the Unix socket share with the server: calls whose messages name ranges
//! of it, and clients that misuse it.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::common::h2_client::{Answer, Raw, message, messages};
use crate::common::honest::Honest;
use crate::common::shared_memory::{Memory, Reply, ask, memory_path, named, reply, request};
use crate::common::{
    Metrics, PATIENCE, TestServer, assert_refused, assert_refused_field, digest, pattern, sha256,
};
use bytes::{Buf as _, Bytes, BytesMut};
use h2::SendStream;
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{
    AlgorithmDigest, DigestRequest, DigestResponse, MemoryRange, PartOptions, Verdict,
    VerifyRequest, VerifyResponse,
};
use prost::Message as _;
use tempfile::TempDir;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const VERIFY: &str = "/hashlane.v1.HashService/Verify";

const MIB: u64 = 1 << 20;

/// A server on a Unix socket and on TCP.
struct Local {
    server: TestServer,
    folder: TempDir,
}

impl Local {
    fn start(changes: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("socket");
        let mut all = vec![("listen_unix", path.to_str().unwrap())];
        all.extend_from_slice(changes);
        let server = TestServer::start(&all);
        Self { server, folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    fn ask(&self, bytes: u64) -> Result<Memory, Reply> {
        ask(&self.path(), bytes)
    }

    fn memory(&self, bytes: u64) -> Memory {
        self.ask(bytes).unwrap()
    }

    async fn connect(&self) -> Raw {
        Raw::over(tokio::net::UnixStream::connect(self.path()).await.unwrap()).await
    }

    /// Waits until no memory is shared, and nobody is connected for it.
    async fn nothing_is_left(&self) {
        let is_free = |m: &Metrics| {
            let budgets = ["shared_memory_bytes", "shared_memory_regions", "parts"];
            budgets.iter().all(|budget| used(m, budget) == 0.0)
        };
        self.server.until("it is free", is_free).await;
    }

    /// Waits until so many requests were refused for `reason`.
    async fn refused(&self, reason: &str, count: f64) {
        let of = [("reason", reason)];
        let refused = |m: &Metrics| m.sum("hashlane_shared_memory_refusals_total", &of) == count;
        self.server.until(reason, refused).await;
    }
}

fn used(metrics: &Metrics, budget: &str) -> f64 {
    metrics.sum("hashlane_budget_used", &[("budget", budget)])
}

fn framed(request: &DigestRequest) -> Bytes {
    message(0, &request.encode_to_vec())
}

fn opening(mut request: DigestRequest, algorithm: Algorithm) -> DigestRequest {
    request.open = Some(PartOptions {
        algorithms: vec![crate::common::number(algorithm)],
        size_bytes: None,
    });
    request
}

/// A running Digest call.
struct Call {
    sending: SendStream<Bytes>,
    body: h2::RecvStream,
    unread: BytesMut,
}

impl Call {
    async fn begin(raw: &mut Raw, memory: &Memory) -> Self {
        let (response, sending) = raw.begin(DIGEST, &[memory.header()]).await;
        Self {
            sending,
            body: response.await.unwrap().into_body(),
            unread: BytesMut::new(),
        }
    }

    fn send(&mut self, request: &DigestRequest) {
        self.sending.send_data(framed(request), false).unwrap();
    }

    fn end(&mut self) {
        self.sending.send_data(Bytes::new(), true).unwrap();
    }

    /// The next response, or `None` at the end of the call.
    async fn next(&mut self) -> Option<DigestResponse> {
        loop {
            if let Some(prefix) = self.unread.get(1..5) {
                let len = u32::from_be_bytes(prefix.try_into().unwrap()) as usize;
                if self.unread.len() >= 5 + len {
                    self.unread.advance(5);
                    return Some(DigestResponse::decode(self.unread.split_to(len)).unwrap());
                }
            }
            let data = tokio::time::timeout(PATIENCE, self.body.data()).await;
            let data = data
                .expect("neither a response nor the end in time")?
                .unwrap();
            self.body
                .flow_control()
                .release_capacity(data.len())
                .unwrap();
            self.unread.extend_from_slice(&data);
        }
    }

    /// Waits until `messages` messages were read.
    async fn read(&mut self, messages: u64) {
        let mut read = 0;
        while read < messages {
            let response = self.next().await.unwrap();
            assert!(response.digests.is_empty() && response.error.is_none());
            assert!(response.memory_messages_read > read);
            read = response.memory_messages_read;
        }
        assert_eq!(read, messages);
    }
}

/// A whole call; the answers of its parts.
async fn digests(raw: &mut Raw, memory: &Memory, requests: &[DigestRequest]) -> Answer {
    let frames: Vec<_> = requests.iter().map(framed).collect();
    raw.call(DIGEST, &[memory.header()], &frames).await
}

fn answers(answer: &Answer) -> Vec<DigestResponse> {
    let all: Vec<DigestResponse> = messages(&answer.body);
    let is_answer = |a: &DigestResponse| !a.digests.is_empty() || a.error.is_some();
    all.into_iter().filter(is_answer).collect()
}

async fn refusal(raw: &mut Raw, memory: &Memory, requests: &[DigestRequest]) -> tonic::Status {
    digests(raw, memory, requests).await.status.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ranges_of_every_size_are_digested() {
    let local = Local::start(&[]);
    let memory = local.memory(8 * MIB);
    let mut raw = local.connect().await;
    let around = [1, 64, 16 << 10, 64 << 10, 128 << 10, 1 << 20_usize];
    let sizes = around
        .into_iter()
        .flat_map(|size| [size - 1, size, size + 1]);
    for algorithm in [Algorithm::Sha256, Algorithm::Md5, Algorithm::Crc32c] {
        let (mut requests, mut expected) = (Vec::new(), Vec::new());
        let mut offset = 1;
        for (part, size) in sizes
            .clone()
            .filter(|size| (1..=1 << 20).contains(size))
            .enumerate()
        {
            let (part, data) = (part as u64, pattern(size, part));
            let request = memory.message(part, offset, &data, true);
            offset += size as u64;
            requests.push(opening(request, algorithm));
            expected.push((part, crate::common::expected_digest(algorithm, &data)));
        }
        let answer = digests(&mut raw, &memory, &requests).await;
        assert_eq!(
            answer.status.as_ref().unwrap().code(),
            Code::Ok,
            "{answer:?}"
        );
        let mut found: Vec<_> = answers(&answer)
            .into_iter()
            .map(|answer| (answer.part, answer.digests[0].clone()))
            .collect();
        found.sort_by_key(|(part, _)| *part);
        assert_eq!(found, expected);
    }
    drop((raw, memory));
    local.nothing_is_left().await;
}

/// Each stream has one slot, which it uses again as soon as it is read. Its parts have data too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_that_interleave_use_their_slots_again() {
    const STREAMS: usize = 32;
    const SLOT_BYTES: usize = 100_000;
    let local = Local::start(&[]);
    let memory = Arc::new(local.memory(4 * MIB));
    let raws = [local.connect().await, local.connect().await];
    let streams = (0..STREAMS).map(|stream| {
        let (memory, mut raw) = (Arc::clone(&memory), raws[stream % 2].clone());
        tokio::spawn(async move {
            let mut call = Call::begin(&mut raw, &memory).await;
            let mut all = Vec::new();
            for round in 0..6 {
                let data = pattern(SLOT_BYTES - 7 * round, stream * 10 + round);
                let slot = (stream * SLOT_BYTES) as u64;
                call.send(&memory.message(7, slot, &data, false));
                call.read(round as u64 + 1).await;
                all.extend_from_slice(&data);
                call.send(&digest(7, &data[..round], false));
                all.extend_from_slice(&data[..round]);
            }
            call.end();
            let answer = call.next().await.unwrap();
            assert_eq!(answer.size_bytes, all.len() as u64);
            assert_eq!(answer.digests[0].digest, sha256(&all));
            assert_eq!(answer.memory_messages_read, 0, "it was told before");
            assert!(call.next().await.is_none());
            all.len()
        })
    });
    let mut bytes = 0;
    for stream in streams.collect::<Vec<_>>() {
        bytes += stream.await.unwrap();
    }
    let metrics = local.server.metrics();
    let count = |name| metrics.sum(name, &[]);
    let copied = (bytes - STREAMS * 15) as f64;
    assert_eq!(count("hashlane_shared_memory_bytes_total"), copied);
    assert!(count("hashlane_received_bytes_total") > bytes as f64);
    assert_eq!(used(&metrics, "shared_memory_regions"), 1.0);
    assert_eq!(used(&metrics, "shared_memory_bytes"), memory.bytes as f64);
    drop((raws, memory));
    local.nothing_is_left().await;
}

/// What arrives while a range is copied waits in its order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_may_follow_ranges_at_any_time() {
    let local = Local::start(&[]);
    let memory = local.memory(MIB);
    let mut raw = local.connect().await;
    let range = pattern(1 << 20, 1);
    memory.file.write_all_at(&range, 0).unwrap();
    let data = pattern(5000, 2);
    let (mut requests, mut expected) = (Vec::new(), Vec::new());
    for round in 0..40 {
        let length = 1 << (round % 21);
        let few = &data[..round * round];
        requests.extend([named(3, 0, length, false), digest(3, few, false)]);
        expected.extend_from_slice(&range[..length as usize]);
        expected.extend_from_slice(few);
    }
    for _ in 0..5 {
        let answer = digests(&mut raw, &memory, &requests).await;
        assert_eq!(answers(&answer)[0].digests[0].digest, sha256(&expected));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_tells_what_was_read_and_verify_does_too() {
    let local = Local::start(&[]);
    let memory = local.memory(1);
    assert!(memory.bytes.is_power_of_two(), "a page");
    let mut raw = local.connect().await;
    let data = pattern(1000, 1);
    let requests = [memory.message(1, 0, &data, true), digest(2, b"abc", true)];
    let answer = digests(&mut raw, &memory, &requests).await;
    let told: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(told.iter().map(|a| a.memory_messages_read).max(), Some(1));

    let verify = |digest: Vec<u8>| VerifyRequest {
        expected: vec![AlgorithmDigest {
            algorithm: 0,
            digest: digest.into(),
        }],
        last: true,
        memory: Some(MemoryRange {
            offset: 0,
            length: 1000,
        }),
        ..VerifyRequest::default()
    };
    for (expected, verdict) in [
        (sha256(&data), Verdict::Match),
        (sha256(b"abc"), Verdict::Mismatch),
    ] {
        let frame = message(0, &verify(expected).encode_to_vec());
        let answer = raw.call(VERIFY, &[memory.header()], &[frame]).await;
        let told: Vec<VerifyResponse> = messages(&answer.body);
        assert_eq!(told.iter().map(|a| a.memory_messages_read).max(), Some(1));
        let verdicts: Vec<_> = told.iter().filter(|a| !a.verdicts.is_empty()).collect();
        assert_eq!(verdicts.len(), 1);
        assert_eq!(verdicts[0].verdict(), verdict);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ranges_that_cannot_be_read_end_the_call() {
    let local = Local::start(&[]);
    let memory = local.memory(4 * MIB);
    let mut raw = local.connect().await;
    let end = memory.bytes;
    for (offset, length, words) in [
        (end, 1, "beyond"),
        (end - 1, 2, "beyond"),
        (u64::MAX, 1, "beyond"),
        (u64::MAX - 10, 1 << 20, "beyond"),
        (0, 0, "1 to 1048576"),
        (0, (1 << 20) + 1, "1 to 1048576"),
        (0, u32::MAX, "1 to 1048576"),
    ] {
        let status = refusal(&mut raw, &memory, &[named(1, offset, length, true)]).await;
        assert_refused_field(&status, "MEMORY_RANGE", "memory", &[words]);
    }
    let whole = refusal(&mut raw, &memory, &[named(1, end - MIB, 1 << 20, true)]).await;
    assert_eq!(whole.code(), Code::Ok);
    let both = DigestRequest {
        data: Bytes::from_static(b"abc"),
        ..named(1, 0, 3, true)
    };
    let status = refusal(&mut raw, &memory, std::slice::from_ref(&both)).await;
    assert_refused_field(&status, "MEMORY_RANGE", "memory", &["data too"]);
    // The same with data first.
    let data = DigestRequest {
        memory: None,
        last: false,
        part: 0,
        ..both.clone()
    };
    let rest = named(1, 0, 3, true);
    let reversed = [data.encode_to_vec(), rest.encode_to_vec()].concat();
    let answer = raw
        .call(DIGEST, &[memory.header()], &[message(0, &reversed)])
        .await;
    assert_refused_field(&answer.status.unwrap(), "MEMORY_RANGE", "memory", &[]);
    // An empty `data` is no data.
    let empty = [&rest.encode_to_vec()[..], &[0x7a, 0]].concat();
    let answer = raw
        .call(DIGEST, &[memory.header()], &[message(0, &empty)])
        .await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    drop((raw, memory));
    local.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_memory_of_the_connections_user_can_be_named() {
    let local = Local::start(&[]);
    let memory = local.memory(MIB);
    let request = framed(&memory.message(1, 0, b"abc", true));
    let requests = std::slice::from_ref(&request);
    let mut unix = local.connect().await;
    let mut tcp = Raw::tcp(local.server.grpc).await;
    let is_unknown = |answer: Answer| {
        let status = answer.status.unwrap();
        assert_refused(&status, Code::FailedPrecondition, "MEMORY_UNKNOWN");
    };
    is_unknown(tcp.call(DIGEST, &[memory.header()], requests).await);
    is_unknown(unix.call(DIGEST, &[], requests).await);
    let zeros = "0".repeat(32);
    for id in [&zeros, "", "x", &memory.id[1..], &format!("{}0", memory.id)] {
        is_unknown(
            unix.call(DIGEST, &[("hashlane-memory", id)], requests)
                .await,
        );
    }
    let other = local.memory(MIB);
    let known = unix.call(DIGEST, &[other.header()], requests).await;
    assert_eq!(known.status.unwrap().code(), Code::Ok);
    // It ends with its connection.
    drop(memory.socket);
    let freed = |m: &Metrics| used(m, "shared_memory_regions") == 1.0;
    local.server.until("one is left", freed).await;
    is_unknown(
        unix.call(DIGEST, &[("hashlane-memory", &memory.id)], requests)
            .await,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_changes_bytes_meanwhile_harms_only_its_digests() {
    // Every step is checked.
    let local = Local::start(&[("selfcheck_ppm", "100000")]);
    let memory = local.memory(2 * MIB);
    let changing = memory.file.try_clone().unwrap();
    let enough = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&enough);
    let changes = std::thread::spawn(move || {
        for byte in (0..=255).cycle() {
            changing
                .write_all_at(&[byte; 4096], u64::from(byte) * 4096)
                .unwrap();
            if until.load(Relaxed) {
                return;
            }
        }
    });
    let honest = Honest::start(local.server.grpc).await;
    let mut raw = local.connect().await;
    let failures = |m: &Metrics| m.sum("hashlane_selfcheck_failures_total", &[]);
    let checks = |m: &Metrics| m.sum("hashlane_selfcheck_checks_total", &[]);
    let start = Instant::now();
    while checks(&local.server.metrics()) < 20.0 {
        assert!(start.elapsed() < PATIENCE, "nothing is checked");
        let requests: Vec<_> = (0..20).map(|part| named(part, 0, 1 << 20, true)).collect();
        let answer = digests(&mut raw, &memory, &requests).await;
        assert_eq!(answers(&answer).len(), 20);
    }
    enough.store(true, Relaxed);
    changes.join().unwrap();
    assert_eq!(failures(&local.server.metrics()), 0.0);
    honest.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_dies_gives_everything_back() {
    let local = Local::start(&[("linger", "0s")]);
    for _ in 0..3 {
        let memory = local.memory(2 * MIB);
        let mut raw = local.connect().await;
        let mut call = Call::begin(&mut raw, &memory).await;
        (0..100).for_each(|_| call.send(&named(1, 0, 1 << 20, false)));
        call.read(1).await;
        // The call is dropped with its connection, and the memory too.
        drop((call, raw, memory));
        local.nothing_is_left().await;
    }
    let connections = |m: &Metrics| used(m, "connections") == 0.0;
    local.server.until("nobody is connected", connections).await;
}

/// The memory lives as long as calls that use it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_outlives_the_connection_of_its_memory() {
    let local = Local::start(&[]);
    let memory = local.memory(MIB);
    let mut raw = local.connect().await;
    let mut call = Call::begin(&mut raw, &memory).await;
    let data = pattern(1 << 20, 3);
    call.send(&memory.message(1, 0, &data[..500], false));
    call.read(1).await;
    let Memory { socket, file, .. } = memory;
    drop(socket);
    let ended = |m: &Metrics| used(m, "connections") == 1.0;
    // Its region is still counted, because the call uses it.
    file.write_all_at(&data, 0).unwrap();
    call.send(&named(1, 500, 1 << 19, true));
    let mut answer = call.next().await.unwrap();
    while answer.digests.is_empty() {
        answer = call.next().await.unwrap();
    }
    let expected = sha256(&data[..500 + (1 << 19)]);
    assert_eq!(answer.digests[0].digest, expected);
    assert_eq!(used(&local.server.metrics(), "shared_memory_regions"), 1.0);
    call.end();
    assert!(call.next().await.is_none());
    local.nothing_is_left().await;
    local.server.until("one connection is left", ended).await;
    // The server freed the pages, although this client still has the descriptor.
    assert_eq!(rustix::fs::fstat(&file).unwrap().st_blocks, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_and_wrong_requests_are_refused() {
    let local = Local::start(&[("handshake_timeout", "50ms")]);
    let connect = || UnixStream::connect(memory_path(&local.path())).unwrap();
    // Nothing, and a part of a request.
    for sent in [&[][..], &request(MIB)[..15]] {
        let mut socket = connect();
        socket.write_all(sent).unwrap();
        assert!(reply(&socket).is_none());
    }
    local.refused("incomplete", 2.0).await;
    // One that ends within its request.
    let mut cut = connect();
    cut.write_all(&request(MIB)[..7]).unwrap();
    drop(cut);
    local.refused("incomplete", 3.0).await;
    for (sent, status, reason) in [
        (b"PRI * HTTP/2.0\r\n".to_vec(), 1, "malformed"),
        ([b"HLSM\0\0\0\x02", &[0; 8][..]].concat(), 2, "version"),
        (request(0), 3, "size"),
        (request(64 * MIB + 1), 3, "size"),
        (request(u64::MAX), 3, "size"),
    ] {
        let mut socket = connect();
        socket.write_all(&sent).unwrap();
        let refused = reply(&socket).unwrap();
        assert_eq!(refused.status, status, "{reason}");
        let size_max = if status == 3 { 64 * MIB } else { 0 };
        assert_eq!(refused.bytes, size_max);
        assert_eq!(socket.read(&mut [0]).unwrap(), 0, "the server closes");
    }
    local.refused("size", 3.0).await;
    // A client that has its memory may be silent for any time, but not say more.
    let mut memory = local.memory(MIB);
    local.refused("incomplete", 3.0).await;
    memory.socket.write_all(b"x").unwrap();
    assert_eq!(memory.socket.read(&mut [0]).unwrap(), 0);
    local.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_has_its_share_of_memory_and_the_process_no_more_than_it_may() {
    let share = [
        ("shared_memory_bytes_max", "8MiB"),
        ("client_share_percent", "50"),
    ];
    let local = Local::start(&share);
    let one = local.memory(3 * MIB);
    assert_eq!(local.ask(MIB + 1).unwrap_err().status, 5);
    let other = local.memory(MIB);
    assert_eq!(local.ask(1).unwrap_err().status, 5);
    local.refused("quota", 2.0).await;
    drop(one);
    let freed = |m: &Metrics| used(m, "shared_memory_bytes") == MIB as f64;
    local.server.until("it is free", freed).await;
    drop((local.memory(3 * MIB), other));

    let all = [("shared_memory_bytes_max", "1MiB")];
    let local = Local::start(&all);
    let all = local.memory(MIB);
    assert_eq!(local.ask(1).unwrap_err().status, 4);
    local.refused("busy", 1.0).await;
    // A call without shared memory is served.
    let mut raw = local.connect().await;
    let answer = digests(&mut raw, &all, &[digest(1, b"abc", true)]).await;
    assert_eq!(answers(&answer)[0].digests[0].digest, sha256(b"abc"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_of_requests_are_bounded() {
    let bounds = [("connections_max", "50"), ("client_share_percent", "50")];
    let local = Local::start(&bounds);
    let honest = Honest::start(local.server.grpc).await;
    let connect = || UnixStream::connect(memory_path(&local.path())).unwrap();
    let mut kept = Vec::new();
    for _ in 0..200 {
        let mut socket = connect();
        // The server may have closed it already.
        let _ = socket.write_all(&request(1));
        kept.push(socket);
    }
    let refused = [("reason", "limit")];
    let refused = |m: &Metrics| m.sum("hashlane_connections_refused_total", &refused);
    let metrics = local
        .server
        .until("most are refused", |m| refused(m) == 175.0)
        .await;
    assert!(used(&metrics, "shared_memory_regions") <= 25.0);
    honest.goes_on().await;
    // Some come and go.
    kept.clear();
    for _ in 0..500 {
        let _ = connect().write_all(&request(MIB));
    }
    honest.end().await;
    local.nothing_is_left().await;
}

/// A rate holds back copies, as it holds back window.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_pays_for_shared_memory() {
    const RATE: f64 = 256.0 * 1024.0;
    let local = Local::start(&[("clients.bytes_per_second", "256KiB")]);
    let memory = local.memory(MIB);
    let mut raw = local.connect().await;
    let start = Instant::now();
    let requests: Vec<_> = (0..4).map(|part| named(part, 0, 256 << 10, true)).collect();
    let answer = digests(&mut raw, &memory, &requests).await;
    assert_eq!(answers(&answer).len(), 4);
    // The first quarter of a second is free.
    let least = Duration::from_secs_f64((MIB as f64 - RATE / 4.0) / RATE);
    let took = start.elapsed();
    assert!(took > least * 9 / 10, "{took:?} of {least:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_socket_comes_and_goes_with_the_server() {
    let mut local = Local::start(&[]);
    assert!(memory_path(&local.path()).exists());
    let kept = local.memory(MIB);
    local.server.stop();
    local.server.join().unwrap();
    assert!(!memory_path(&local.path()).exists());
    // Its end tells the client that the memory is gone.
    assert_eq!((&kept.socket).read(&mut [0]).unwrap(), 0);
    let off = Local::start(&[("shared_memory", "false")]);
    assert!(off.path().exists() && !memory_path(&off.path()).exists());
}
