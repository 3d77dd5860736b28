//! Results of workers are hashed again, and a kernel with wrong results is retired.

mod common;

use std::io::Write;
use std::sync::{Mutex, Once, PoisonError};

use common::{
    Client, Metrics, PATIENCE, TestServer, asking, assert_refused, digest, expected_digest, number,
    pattern,
};
use hashlane_engine::{Algorithm, Family, Kernel};
use hashlane_proto::v1::{DigestBatchRequest, DigestRequest, DigestResponse, GetServerInfoRequest};
use hashlane_server::Fault;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Streaming};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// The log of this process.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Log;

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        LOG.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(line)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A server with one worker that checks as much as possible.
fn start(changes: &[(&str, &str)]) -> TestServer {
    static LOGGING: Once = Once::new();
    LOGGING.call_once(|| {
        let subscriber = tracing_subscriber::fmt().with_ansi(false);
        subscriber.with_writer(|| Log).init();
    });
    let all = [("workers", "1"), ("selfcheck_ppm", "100000")];
    TestServer::start(&[&all[..], changes].concat())
}

/// Error lines that name the kernel.
fn errors(kernel: Kernel) -> Vec<String> {
    let log = LOG.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let log = String::from_utf8(log).unwrap();
    let name = format!("kernel={kernel} ");
    let lines = log.lines().filter(|line| line.contains(" ERROR "));
    lines
        .filter(|line| line.contains(&name))
        .map(str::to_owned)
        .collect()
}

fn request(part: u64, algorithm: Algorithm, data: &[u8], last: bool) -> DigestRequest {
    DigestRequest {
        open: asking(vec![number(algorithm)]),
        ..digest(part, data, last)
    }
}

async fn upload(client: &mut Client, algorithm: Algorithm, data: &[u8]) -> DigestResponse {
    let chunks = data.chunks(30_000).count().max(1);
    let mut requests = vec![request(
        0,
        algorithm,
        &data[..data.len().min(30_000)],
        chunks == 1,
    )];
    let rest = data.chunks(30_000).enumerate().skip(1);
    requests.extend(rest.map(|(i, chunk)| digest(0, chunk, i + 1 == chunks)));
    let answers = client.digest(tokio_stream::iter(requests)).await.unwrap();
    answers.into_inner().message().await.unwrap().unwrap()
}

#[track_caller]
fn assert_right(answer: &DigestResponse, algorithm: Algorithm, data: &[u8]) {
    assert_eq!(answer.error, None);
    assert_eq!(answer.digests, [expected_digest(algorithm, data)]);
}

#[track_caller]
fn assert_fault(answer: &DigestResponse) {
    let error = answer.error.as_ref().expect("no digest");
    assert_eq!(error.reason, "KERNEL_FAULT");
    assert_eq!(error.code, i32::from(Code::Internal));
    assert_eq!(answer.digests, []);
}

/// The next answer of an open stream.
async fn next(held: &mut Streaming<DigestResponse>) -> DigestResponse {
    let answer = timeout(PATIENCE, held.message()).await;
    answer.expect("no answer").unwrap().unwrap()
}

fn of_kernel(metrics: &Metrics, name: &str, kernel: Kernel) -> f64 {
    let labels = [
        ("algorithm", kernel.family().name()),
        ("kernel", kernel.name()),
    ];
    metrics.sum(name, &labels)
}

fn failures(metrics: &Metrics) -> f64 {
    metrics.sum("hashlane_selfcheck_failures_total", &[])
}

fn checks(metrics: &Metrics) -> f64 {
    metrics.sum("hashlane_selfcheck_checks_total", &[])
}

/// Uploads until a wrong result of `kernel` is found.
async fn found(server: &TestServer, client: &mut Client, kernel: Kernel) {
    server.faults.inject(0, Fault::Kernel(kernel, 0));
    let data = pattern(50_000, 3);
    for _ in 0..2_000 {
        // Until then its digests are wrong.
        upload(client, Algorithm::Sha256, &data).await;
        let metrics = server.metrics();
        if of_kernel(&metrics, "hashlane_selfcheck_failures_total", kernel) > 0.0 {
            return;
        }
    }
    panic!("{kernel} is not found: {}", server.metrics().0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kernel_that_gives_wrong_answers_is_taken_out_of_use() {
    let server = start(&[]);
    let mut client = server.client().await;
    let data = pattern(50_000, 1);
    let answer = upload(&mut client, Algorithm::Sha256, &data).await;
    assert_right(&answer, Algorithm::Sha256, &data);
    let metrics = server.metrics();
    let mut kernels = Kernel::of(Family::Sha256);
    let used = kernels.find(|kernel| of_kernel(&metrics, "hashlane_steps_total", *kernel) > 0.0);
    let used = used.expect("something has hashed it");

    let (sender, receiver) = mpsc::channel(8);
    let held = client.digest(ReceiverStream::new(receiver)).await.unwrap();
    let mut held = held.into_inner();
    let (begun, new, other) = (1, 2, 3);
    sender
        .send(request(begun, Algorithm::Sha256, &data, false))
        .await
        .unwrap();
    sender
        .send(request(new, Algorithm::Sha256, b"", false))
        .await
        .unwrap();
    sender
        .send(request(other, Algorithm::Md5, &data, false))
        .await
        .unwrap();
    server
        .until("all are open, and hashed as far as they came", |m| {
            m.sum("hashlane_open_jobs", &[]) == 3.0
                && m.sum("hashlane_ready_jobs", &[]) == 0.0
                && m.sum("hashlane_hashed_bytes_total", &[("algorithm", "md5")]) > 49_000.0
        })
        .await;
    assert_eq!(failures(&server.metrics()), 0.0);
    assert_eq!(server.metrics().sum("hashlane_faulty_kernels", &[]), 0.0);

    found(&server, &mut client, used).await;

    // The part that the kernel may have hashed fails; the others have their digests.
    let answer = next(&mut held).await;
    assert_eq!(answer.part, begun);
    assert_fault(&answer);
    for part in [begun, new, other] {
        sender.send(digest(part, &data, true)).await.unwrap();
    }
    for _ in 0..2 {
        let answer = next(&mut held).await;
        match answer.part {
            part if part == new => assert_right(&answer, Algorithm::Sha256, &data),
            _ => assert_right(&answer, Algorithm::Md5, &[&data[..], &data].concat()),
        }
    }
    // The kernel is still wrong, but does not hash these.
    for algorithm in Algorithm::all() {
        for len in [0, 1, 64, 5000, 200_000] {
            let data = pattern(len, 9);
            assert_right(
                &upload(&mut client, algorithm, &data).await,
                algorithm,
                &data,
            );
        }
    }
    let metrics = server.metrics();
    let of_family = [("algorithm", "sha256")];
    assert_eq!(metrics.sum("hashlane_faulty_kernels", &of_family), 1.0);
    assert_eq!(metrics.sum("hashlane_faulty_kernels", &[]), 1.0);
    assert_eq!(
        failures(&metrics),
        of_kernel(&metrics, "hashlane_selfcheck_failures_total", used)
    );
    assert!(metrics.sum("hashlane_selfcheck_seconds_total", &[]) > 0.0);
    let reason = [("reason", "KERNEL_FAULT")];
    assert!(metrics.sum("hashlane_part_errors_total", &reason) >= 1.0);
    let state: serde_json::Value = serde_json::from_str(&server.get("/debug/state").1).unwrap();
    assert_eq!(
        state["faulty_kernels"],
        serde_json::json!([used.to_string()])
    );
    let errors = errors(used);
    assert!(!errors.is_empty());
    assert!(errors[0].contains("wrong answer"), "{errors:?}");
    let info = client.get_server_info(GetServerInfoRequest {}).await;
    for info in info.unwrap().into_inner().algorithms {
        let of_sha256 = [Algorithm::Sha256, Algorithm::Sha224].map(number);
        let names_it = info.kernels.iter().any(|name| name == used.name());
        if of_sha256.contains(&info.algorithm) {
            assert!(!names_it && !info.kernels.is_empty(), "{info:?}");
        }
    }
    assert_eq!(server.get("/readyz").0, 200, "another kernel is left");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_a_kernel_is_not_ready_and_gives_no_wrong_digest() {
    let server = start(&[("kernel", "sha256:portable")]);
    let mut client = server.client().await;
    let (sender, receiver) = mpsc::channel(1);
    let held = client.digest(ReceiverStream::new(receiver)).await.unwrap();
    let mut held = held.into_inner();
    sender.send(digest(0, b"", false)).await.unwrap();
    assert_eq!(server.get("/readyz").0, 200);

    found(&server, &mut client, Kernel::portable(Family::Sha256)).await;

    // Even parts without data fail, and all later parts.
    assert_fault(&next(&mut held).await);
    let data = pattern(40_000, 2);
    let of_sha256 = |algorithm: &Algorithm| algorithm.kernels_of() == Some(Family::Sha256);
    let mut faults = 0;
    for algorithm in Algorithm::all() {
        let answer = upload(&mut client, algorithm, &data).await;
        if of_sha256(&algorithm) {
            assert_fault(&answer);
            faults += 1;
        } else {
            assert_right(&answer, algorithm, &data);
        }
    }
    assert_eq!(faults, 8, "two in lanes, and the tree modes");
    let mut batch = DigestBatchRequest {
        algorithms: vec![number(Algorithm::Md5), number(Algorithm::Sha224)],
        blobs: vec![data.clone().into(); 3],
    };
    let status = client.digest_batch(batch.clone()).await.unwrap_err();
    assert_refused(&status, Code::Internal, "KERNEL_FAULT");
    let metrics = server.metrics();
    let blobs = |outcome| {
        let labels = [("rpc", "DigestBatch"), ("outcome", outcome)];
        metrics.sum("hashlane_parts_total", &labels)
    };
    // A turn that ended before all blobs were opened leaves the rest unopened and uncounted.
    let errors = blobs("error");
    assert!((1.0..=3.0).contains(&errors), "{errors}");
    assert_eq!(blobs("cancelled"), 0.0);
    batch.algorithms.pop();
    let answer = client.digest_batch(batch).await.unwrap().into_inner();
    assert_eq!(
        answer.blobs[2].digests,
        [expected_digest(Algorithm::Md5, &data)]
    );

    let (status, text) = server.get("/readyz");
    assert_eq!((status, text.contains("kernel")), (503, true), "{text}");
    assert_eq!(server.get("/healthz").0, 200);
    let mut health = HealthClient::new(server.channel().await);
    let request = HealthCheckRequest {
        service: String::new(),
    };
    let mut watch = health.watch(request).await.unwrap().into_inner();
    loop {
        let answer = timeout(PATIENCE, watch.message()).await;
        let answer = answer.expect("it goes on to serve").unwrap().unwrap();
        if answer.status() == ServingStatus::NotServing {
            break;
        }
    }
    server
        .until("nothing is left", |m| {
            m.sum("hashlane_open_jobs", &[]) == 0.0
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sound_kernels_are_checked_and_nothing_comes_of_it() {
    let server = start(&[]);
    let mut client = server.client().await;
    let data = pattern(150_000, 4);
    for algorithm in Algorithm::all() {
        assert_right(
            &upload(&mut client, algorithm, &data).await,
            algorithm,
            &data,
        );
    }
    for family in Family::ALL {
        let labels = [("algorithm", family.name())];
        let checked = |m: &Metrics| m.sum("hashlane_selfcheck_checks_total", &labels) > 0.0;
        while !checked(&server.metrics()) {
            let algorithms = Algorithm::all().filter(|a| a.family() == Some(family));
            for algorithm in algorithms {
                assert_right(
                    &upload(&mut client, algorithm, &data).await,
                    algorithm,
                    &data,
                );
            }
        }
    }
    let metrics = server.metrics();
    assert_eq!(failures(&metrics), 0.0);
    assert_eq!(metrics.sum("hashlane_faulty_kernels", &[]), 0.0);
    // Each kernel has a series from the start.
    assert!(
        metrics
            .0
            .contains(r#"hashlane_selfcheck_failures_total{algorithm="md5",kernel="crate"} 0"#)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_bytes_are_checked_soon_after_they_are_answered() {
    // Hashed in a step, and on push.
    for algorithm in [Algorithm::Sha256, Algorithm::Md5MultihashX8] {
        let server = TestServer::start(&[]);
        let data = pattern(20_000, 6);
        let answer = upload(&mut server.client().await, algorithm, &data).await;
        assert_right(&answer, algorithm, &data);
        server.until("a check", |m| checks(m) >= 1.0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_checked_if_no_time_is_given_to_it() {
    let server = start(&[("selfcheck_ppm", "0")]);
    let mut client = server.client().await;
    let data = pattern(150_000, 5);
    for algorithm in Algorithm::all() {
        assert_right(
            &upload(&mut client, algorithm, &data).await,
            algorithm,
            &data,
        );
    }
    assert_eq!(checks(&server.metrics()), 0.0);
}
