//! Metrics for operators: the admin port and its numbers.

use std::io::Write as _;

use crate::common::{
    Metrics, TestServer, asking, digest, digests, number, open_digest, pattern, verify,
};
use hashlane_engine::{Algorithm, Family};
use hashlane_proto::v1::DigestRequest;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_admin_port_answers() {
    let server = TestServer::start(&[]);
    assert_eq!(server.get("/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(server.get("/readyz"), (200, "ready\n".to_owned()));
    assert_eq!(server.get("/nothing").0, 404);
    assert_eq!(server.get("/metrics/x").0, 404);
    hashlane_server::healthcheck(server.admin, false).unwrap();

    let mut stream = std::net::TcpStream::connect(server.admin).unwrap();
    stream
        .write_all(
            b"POST /metrics HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        )
        .unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");

    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free.local_addr().unwrap();
    drop(free);
    assert!(hashlane_server::healthcheck(nobody, false).is_err());
}

/// The basis of /healthz.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_worker_beats() {
    let server = TestServer::start(&[("workers", "2")]);
    for worker in ["0", "1"] {
        let beats =
            |m: &Metrics| m.sum("hashlane_worker_beats_total", &[("worker", worker)]) >= 2.0;
        server.until("two beats", beats).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_name_of_the_design_is_there_and_counts() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    for round in 0..3 {
        let data = pattern(200_000, round);
        let requests: Vec<_> = data.chunks(50_000).map(|c| digest(0, c, false)).collect();
        let answers = client.digest(tokio_stream::iter(requests)).await.unwrap();
        let mut answers = answers.into_inner();
        assert!(answers.message().await.unwrap().is_some());
        assert!(answers.message().await.unwrap().is_none());
    }
    let mut bad = verify(0, b"x", Some(b"short"), true);
    bad.expected[0].algorithm = 99;
    let bad = vec![bad];
    let refused = match client.verify(tokio_stream::iter(bad)).await {
        Ok(answers) => answers.into_inner().message().await.map(drop),
        Err(status) => Err(status),
    };
    assert!(refused.is_err());

    let metrics = server
        .until("the streams are gone", |m| {
            m.sum("hashlane_streams", &[]) == 0.0
        })
        .await;
    for name in [
        "hashlane_lane_blocks_total",
        "hashlane_lane_occupancy_ratio",
        "hashlane_steps_total",
        "hashlane_lingers_total",
        "hashlane_hashed_bytes_total",
        "hashlane_parts_total",
        "hashlane_part_bytes",
        "hashlane_part_seconds",
        "hashlane_queue_wait_seconds",
        "hashlane_buffered_bytes",
        "hashlane_ready_jobs",
        "hashlane_open_jobs",
        "hashlane_worker_seconds_total",
        "hashlane_connections",
        "hashlane_streams",
        "hashlane_kernel_bytes_per_second",
        "hashlane_build_info",
        "hashlane_received_bytes_total",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
    ] {
        assert!(metrics.has(name), "{name}\n{}", metrics.0);
    }
    let sum = |name: &str, labels: &[(&str, &str)]| metrics.sum(name, labels);
    assert_eq!(sum("hashlane_hashed_bytes_total", &[]), 600_000.0);
    assert_eq!(sum("hashlane_buffered_bytes", &[]), 0.0);
    assert_eq!(sum("hashlane_connections", &[]), 1.0);
    assert_eq!(sum("hashlane_part_seconds_count", &[]), 3.0);
    assert!(sum("hashlane_received_bytes_total", &[]) > 600_000.0);

    // 200,000 bytes are 3,125 blocks and one of padding, three times.
    let active = sum("hashlane_lane_blocks_total", &[("state", "active")]);
    assert_eq!(active, 3.0 * 3126.0);
    let steps = sum("hashlane_steps_total", &[]);
    assert!(steps > 0.0);
    assert_eq!(sum("hashlane_lane_occupancy_ratio_count", &[]), steps);
    assert!(sum("hashlane_queue_wait_seconds_count", &[]) >= 3.0);

    let digest = [("grpc_method", "Digest"), ("grpc_type", "bidi_stream")];
    assert_eq!(sum("grpc_server_started_total", &digest), 3.0);
    assert_eq!(sum("grpc_server_msg_received_total", &digest), 12.0);
    assert_eq!(sum("grpc_server_msg_sent_total", &digest), 3.0);
    let handled = |method, code| {
        let labels = [("grpc_method", method), ("grpc_code", code)];
        sum("grpc_server_handled_total", &labels)
    };
    assert_eq!(handled("Digest", "OK"), 3.0);
    assert_eq!(handled("Verify", "InvalidArgument"), 1.0);

    let phase = |phase| sum("hashlane_worker_seconds_total", &[("phase", phase)]);
    assert!(phase("hash") > 0.0 && phase("io") > 0.0 && phase("idle") > 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_are_by_algorithm_and_there_from_the_start() {
    let server = TestServer::start(&[("workers", "1"), ("kernel", "md5:portable")]);
    let blocks = |metrics: &Metrics, algorithm, state| {
        let labels = [("algorithm", algorithm), ("state", state)];
        metrics.sum("hashlane_lane_blocks_total", &labels)
    };
    let before = server.metrics();
    let series = |name: &str, algorithm: &str| {
        let label = format!("algorithm=\"{algorithm}\"");
        let lines = before.0.lines();
        let of_name = lines.filter(|line| line.starts_with(&format!("{name}{{")));
        of_name.filter(|line| line.contains(&label)).count()
    };
    for family in Family::ALL {
        for name in [
            "hashlane_lane_blocks_total",
            "hashlane_steps_total",
            "hashlane_kernel_bytes_per_second",
        ] {
            assert!(series(name, family.name()) > 0, "{name} {family}");
        }
    }
    assert_eq!(series("hashlane_kernel_bytes_per_second", "md5"), 1);
    for algorithm in Algorithm::all() {
        assert_eq!(series("hashlane_hashed_bytes_total", algorithm.name()), 1);
    }

    // 6,400 bytes are 100 blocks of 64 bytes and one of padding; of 128 bytes, 50 and one.
    let request = DigestRequest {
        open: asking(vec![
            number(Algorithm::Md5),
            number(Algorithm::Crc32c),
            number(Algorithm::Sha384),
        ]),
        ..digest(0, &pattern(6400, 1), true)
    };
    digests(&server, vec![request]).await.unwrap();
    let metrics = server.until("the stream is gone", |m| {
        m.sum("hashlane_streams", &[]) == 0.0
    });
    let metrics = metrics.await;
    assert_eq!(blocks(&metrics, "md5", "active"), 101.0);
    assert_eq!(blocks(&metrics, "md5", "idle"), 0.0);
    assert_eq!(blocks(&metrics, "sha512", "active"), 51.0);
    assert_eq!(blocks(&metrics, "sha256", "active"), 0.0);
    let md5 = [("algorithm", "md5")];
    assert!(metrics.sum("hashlane_steps_total", &md5) > 0.0);
    for algorithm in Algorithm::all() {
        let labels = [("algorithm", algorithm.name())];
        let asked = matches!(
            algorithm,
            Algorithm::Md5 | Algorithm::Crc32c | Algorithm::Sha384
        );
        let expected = if asked { 6400.0 } else { 0.0 };
        let hashed = metrics.sum("hashlane_hashed_bytes_total", &labels);
        assert_eq!(hashed, expected, "{algorithm}");
    }
    assert_eq!(metrics.sum("hashlane_open_jobs", &[]), 0.0);
    assert_eq!(metrics.sum("hashlane_part_bytes_sum", &[]), 6400.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_and_streams_are_spread_over_the_workers() {
    let server = TestServer::start(&[("workers", "4")]);
    let mut open = Vec::new();
    for _ in 0..8 {
        let mut client = server.client().await;
        let (sender, answers) = open_digest(&mut client).await;
        open.push((client, sender, answers));
    }
    let metrics = server.metrics();
    for worker in ["0", "1", "2", "3"] {
        let labels = [("worker", worker)];
        assert_eq!(metrics.sum("hashlane_connections", &labels), 2.0);
        assert_eq!(metrics.sum("hashlane_streams", &labels), 2.0);
    }
    drop(open);
    server
        .until("all connections closed", |m| {
            m.sum("hashlane_connections", &[]) == 0.0 && m.sum("hashlane_streams", &[]) == 0.0
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_beyond_the_cap_are_closed() {
    let server = TestServer::start(&[("connections_max", "2")]);
    let first = server.client().await;
    let second = server.client().await;
    server
        .until("two connections", |m| {
            m.sum("hashlane_connections", &[]) == 2.0
        })
        .await;
    let mut third = std::net::TcpStream::connect(server.grpc).unwrap();
    let mut rest = Vec::new();
    // Closed without a byte.
    let _ = std::io::Read::read_to_end(&mut third, &mut rest);
    assert_eq!(rest, Vec::<u8>::new());
    let metrics = server.metrics();
    let refused = metrics.sum("hashlane_connections_refused_total", &[("reason", "limit")]);
    assert_eq!(refused, 1.0);
    drop((first, second));
    server
        .until("room again", |m| m.sum("hashlane_connections", &[]) == 0.0)
        .await;
    let mut client = server.client().await;
    let answers = client.digest(tokio_stream::iter([digest(0, b"a", true)]));
    assert!(answers.await.is_ok());
}
