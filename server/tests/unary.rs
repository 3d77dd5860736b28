//! The unary methods, health and reflection.

mod common;

use common::{TestServer, assert_refused, pattern, sha256};
use hashlane_proto::v1::{ComposeRequest, DigestBatchRequest, GetServerInfoRequest, Verdict};
use tokio_stream::StreamExt as _;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

const S3_COMPOSITE: &str = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_is_answered_in_order() {
    for hashing in ["lanes", "inline"] {
        let server = TestServer::start(&[("hashing", hashing)]);
        let mut client = server.client().await;
        let blobs: Vec<_> = (0..1000).map(|i| pattern((i * i) % 7001, i)).collect();
        let request = DigestBatchRequest {
            algorithms: Vec::new(),
            blobs: blobs.iter().cloned().map(Into::into).collect(),
        };
        let answer = client.digest_batch(request).await.unwrap().into_inner();
        assert_eq!(answer.blobs.len(), blobs.len());
        for (blob, digests) in blobs.iter().zip(answer.blobs) {
            assert_eq!(digests.digests.len(), 1);
            assert_eq!(digests.digests[0].digest, sha256(blob));
        }
        let answer = client.digest_batch(DigestBatchRequest::default()).await;
        assert_eq!(answer.unwrap().into_inner().blobs, []);
        let metrics = server.metrics();
        let labels = [("rpc", "DigestBatch"), ("outcome", "digest")];
        assert_eq!(metrics.sum("hashlane_parts_total", &labels), 1000.0);
        assert_eq!(metrics.sum("hashlane_open_jobs", &[]), 0.0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_keeps_to_its_limits() {
    let server = TestServer::start(&[("batch_blobs_max", "3"), ("message_bytes_max", "64KiB")]);
    let mut client = server.client().await;
    let batch = |blobs: Vec<Vec<u8>>, algorithms| DigestBatchRequest {
        algorithms,
        blobs: blobs.into_iter().map(Into::into).collect(),
    };
    let status = client
        .digest_batch(batch(vec![vec![0]; 4], vec![]))
        .await
        .unwrap_err();
    assert_refused(&status, Code::ResourceExhausted, "TOO_MANY_BLOBS");
    let status = client
        .digest_batch(batch(vec![vec![0; 70_000]], vec![]))
        .await
        .unwrap_err();
    assert_refused(&status, Code::ResourceExhausted, "MESSAGE_TOO_LARGE");
    let status = client
        .digest_batch(batch(vec![vec![0]], vec![5]))
        .await
        .unwrap_err();
    assert_refused(&status, Code::InvalidArgument, "UNSUPPORTED_ALGORITHM");
    let answer = client.digest_batch(batch(vec![vec![0]; 3], vec![1])).await;
    assert_eq!(answer.unwrap().into_inner().blobs.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn composites_are_those_of_s3() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    let part_digests: Vec<_> = b"ABC"
        .iter()
        .map(|byte| sha256(&vec![*byte; 5 << 20]).into())
        .collect();
    let request = |expected: &str| ComposeRequest {
        algorithm: 0,
        part_digests: part_digests.clone(),
        expected: expected.to_owned(),
    };
    for (expected, verdict) in [
        ("", Verdict::Unspecified),
        (S3_COMPOSITE, Verdict::Match),
        (
            "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-4",
            Verdict::Mismatch,
        ),
        (" ", Verdict::Mismatch),
    ] {
        let answer = client
            .compose(request(expected))
            .await
            .unwrap()
            .into_inner();
        assert_eq!(answer.composite, S3_COMPOSITE);
        assert_eq!(answer.digest, sha256(&part_digests.concat()));
        assert_eq!(answer.verdict(), verdict, "{expected:?}");
    }
    for (part_digests, reason) in [
        (Vec::new(), "PART_COUNT"),
        (vec![vec![0; 32].into(); 10_001], "PART_COUNT"),
        (
            vec![vec![0; 32].into(), vec![0; 33].into()],
            "DIGEST_LENGTH",
        ),
    ] {
        let request = ComposeRequest {
            part_digests,
            ..request("")
        };
        let status = client.compose(request).await.unwrap_err();
        assert_refused(&status, Code::InvalidArgument, reason);
    }
    let many = ComposeRequest {
        part_digests: vec![vec![7; 32].into(); 10_000],
        ..request("")
    };
    let answer = client.compose(many).await.unwrap().into_inner();
    assert!(answer.composite.ends_with("-10000"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_tells_what_it_is() {
    let server = TestServer::start(&[("workers", "3"), ("part_bytes_max", "7MiB")]);
    let mut client = server.client().await;
    let info = client.get_server_info(GetServerInfoRequest {}).await;
    let info = info.unwrap().into_inner();
    assert_eq!(info.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(info.workers, 3);
    let backend = hashlane_engine::Backend::detect();
    let kernels: Vec<_> = backend.kernels().iter().map(|k| k.name()).collect();
    assert_eq!(info.algorithms[0].kernels, kernels);
    assert_eq!(info.algorithms[0].lanes, 32);
    let limits = info.limits.unwrap();
    assert_eq!(limits.part_bytes_max, 7 << 20);
    assert_eq!(limits.message_bytes_max, 4 << 20);
    assert_eq!(limits.batch_blobs_max, 10_000);
    assert_eq!(limits.streams_per_connection_max, 1024);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_is_reported() {
    let server = TestServer::start(&[]);
    let mut client = HealthClient::new(server.channel().await);
    for service in ["", "hashlane.v1.HashService"] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let answer = client.check(request).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service:?}");
    }
    let request = HealthCheckRequest {
        service: "nothing".to_owned(),
    };
    let status = client.check(request).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reflection_knows_every_service() {
    let server = TestServer::start(&[]);
    let mut client = ServerReflectionClient::new(server.channel().await);
    let ask = |message| ServerReflectionRequest {
        host: String::new(),
        message_request: Some(message),
    };
    let requests = vec![
        ask(MessageRequest::ListServices(String::new())),
        ask(MessageRequest::FileContainingSymbol(
            "hashlane.v1.HashService".to_owned(),
        )),
    ];
    let answers = client
        .server_reflection_info(tokio_stream::iter(requests))
        .await
        .unwrap();
    let answers: Vec<_> = answers.into_inner().collect().await;
    let [listed, file] = &answers[..] else {
        panic!("{answers:?}");
    };
    match listed.as_ref().unwrap().message_response.as_ref().unwrap() {
        MessageResponse::ListServicesResponse(list) => {
            let mut names: Vec<_> = list.service.iter().map(|s| s.name.as_str()).collect();
            names.sort_unstable();
            assert_eq!(
                names,
                [
                    "grpc.health.v1.Health",
                    "grpc.reflection.v1.ServerReflection",
                    "hashlane.v1.HashService",
                ]
            );
        }
        other => panic!("{other:?}"),
    }
    match file.as_ref().unwrap().message_response.as_ref().unwrap() {
        MessageResponse::FileDescriptorResponse(file) => {
            assert_eq!(file.file_descriptor_proto.len(), 1);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_reflection_stream_takes_no_room_from_other_calls() {
    let server = TestServer::start(&[
        ("workers", "1"),
        ("waiting_bytes_max", "1MiB"),
        ("message_bytes_max", "64KiB"),
    ]);
    let channel = server.channel().await;
    let mut reflection = ServerReflectionClient::new(channel.clone());
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let requests = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let answers = reflection.server_reflection_info(requests).await.unwrap();
    let mut answers = answers.into_inner();
    let ask = |bytes| ServerReflectionRequest {
        host: "x".repeat(bytes),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    // More in all than the worker may hold of unread messages.
    for _ in 0..150 {
        sender.send(ask(10_000)).await.unwrap();
        assert!(answers.message().await.unwrap().is_some());
    }
    let mut client = common::connect(server.grpc).await;
    let batch = DigestBatchRequest {
        algorithms: Vec::new(),
        blobs: vec![vec![0; 60_000].into()],
    };
    assert!(client.digest_batch(batch).await.is_ok());

    sender.send(ask(20_000)).await.unwrap();
    let answer = answers.message().await;
    assert!(!matches!(answer, Ok(Some(_))), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn probes_are_answered_while_messages_take_all_room() {
    let server = TestServer::start(&[
        ("workers", "1"),
        ("waiting_bytes_max", "1MiB"),
        ("message_bytes_max", "1MiB"),
        ("batch_blobs_max", "1"),
    ]);
    let mut raw = common::raw::Raw::tcp(server.grpc).await;
    let path = "/hashlane.v1.HashService/DigestBatch";
    // A worker may hold one message of the largest size, 1 KiB, and 320 bytes
    // for the batch's only blob: two messages of which a byte or more is
    // missing leave a byte of that.
    let held = [(1 << 20, 4 + (1 << 20)), (2000, 1019 + 320)];
    let mut calls = Vec::new();
    for (len, sent) in held {
        let (response, mut sending) = raw.begin(path, &[]).await;
        let part = common::raw::message(0, &vec![0; len]).slice(..sent);
        sending.send_data(part, false).unwrap();
        calls.push((response, sending));
    }
    let mut client = server.client().await;
    let start = std::time::Instant::now();
    let status = loop {
        match client.get_server_info(GetServerInfoRequest {}).await {
            Ok(_) => assert!(start.elapsed() < common::PATIENCE, "there is room"),
            Err(status) => break status,
        }
    };
    assert_refused(&status, Code::ResourceExhausted, "SERVER_BUSY");
    let mut health = HealthClient::new(server.channel().await);
    let request = HealthCheckRequest::default();
    let answer = health.check(request).await.unwrap().into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
}
