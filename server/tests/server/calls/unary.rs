//! The unary methods, health and reflection.

use crate::common::frame_client::{
    DATA, END_HEADERS, END_STREAM, RST_STREAM, Wire, frame, headers, headers_of,
};
use crate::common::h2_client::{Raw, message};
use crate::common::program::Running;
use crate::common::{
    Metrics, PATIENCE, TestServer, asking, assert_refused, assert_refused_field, connect, digest,
    expected_digests, number, numbers, pattern, sha256,
};
use bytes::Bytes;
use hashlane_engine::{Algorithm, Backend, Crossover, Family, Kernel};
use hashlane_proto::v1::{DigestBatchRequest, DigestRequest, GetServerInfoRequest};
use prost::Message as _;
use tokio_stream::StreamExt as _;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

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
async fn a_batch_gets_every_digest_it_asks_for() {
    for hashing in ["lanes", "inline"] {
        let server = TestServer::start(&[("hashing", hashing), ("workers", "1")]);
        let mut client = server.client().await;
        let blobs: Vec<_> = (0..600).map(|i| pattern((i * i) % 2003, i)).collect();
        let mut algorithms = numbers();
        algorithms.reverse();
        let request = DigestBatchRequest {
            algorithms,
            blobs: blobs.iter().cloned().map(Into::into).collect(),
        };
        let answer = client.digest_batch(request).await.unwrap().into_inner();
        for (blob, digests) in blobs.iter().zip(answer.blobs) {
            let mut expected = expected_digests(blob);
            expected.reverse();
            assert_eq!(digests.digests, expected);
        }
        let metrics = server.metrics();
        let bytes = blobs.iter().map(Vec::len).sum::<usize>() as f64;
        let hashed = |algorithm: Algorithm| {
            let labels = [("algorithm", algorithm.name())];
            metrics.sum("hashlane_hashed_bytes_total", &labels)
        };
        assert!(Algorithm::all().all(|algorithm| hashed(algorithm) == bytes));
        let labels = [("rpc", "DigestBatch"), ("outcome", "digest")];
        assert_eq!(metrics.sum("hashlane_parts_total", &labels), 600.0);
        assert_eq!(metrics.sum("hashlane_open_jobs", &[]), 0.0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blobs_of_a_batch_share_the_lanes() {
    let kernels = Kernel::of(Family::Md5).filter(|kernel| kernel.is_available());
    let widest = kernels.max_by_key(|kernel| kernel.lanes()).unwrap();
    let server = TestServer::start(&[("kernel", &widest.to_string()), ("workers", "1")]);
    let mut client = server.client().await;
    // As many blobs as lanes, each of 10 blocks and one of padding.
    let request = DigestBatchRequest {
        algorithms: vec![number(Algorithm::Md5)],
        blobs: vec![pattern(640, 1).into(); widest.lanes()],
    };
    client.digest_batch(request).await.unwrap();
    let (active, all) = lane_blocks(&server.metrics());
    assert_eq!(active, (11 * widest.lanes()) as f64);
    // One step, or two if the turn ended within the batch. Without sharing, each blob would take
    // one.
    assert!(all <= 2.0 * active, "{active} of {all}");
}

/// Active and all lane-blocks of MD5.
fn lane_blocks(metrics: &Metrics) -> (f64, f64) {
    let of = |state| [("algorithm", "md5"), ("state", state)];
    let blocks = |state| metrics.sum("hashlane_lane_blocks_total", &of(state));
    (blocks("active"), blocks("active") + blocks("idle"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lone_batch_fills_lanes() {
    let server = TestServer::start(&[("workers", "1")]);
    let mut client = server.client().await;
    let request = DigestBatchRequest {
        algorithms: vec![number(Algorithm::Md5)],
        blobs: vec![pattern(4096, 1).into(); 64],
    };
    client.digest_batch(request).await.unwrap();
    let metrics = server.metrics();
    let (active, all) = lane_blocks(&metrics);
    // 4,096 bytes are 64 blocks and one of padding.
    assert_eq!(active, 64.0 * 65.0);
    assert!(active > all / 2.0, "{active} of {all}");
    // With one job per step there would be as many steps as jobs.
    let steps = metrics.sum("hashlane_steps_total", &[("algorithm", "md5")]);
    assert!(steps <= 16.0, "{steps} steps");
}

/// Complete parts, one after another in one DATA frame.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_of_one_frame_share_the_lanes() {
    let kernels = Kernel::of(Family::Md5).filter(|kernel| kernel.is_available());
    let widest = kernels.max_by_key(|kernel| kernel.lanes()).unwrap();
    let server = TestServer::start(&[("kernel", &widest.to_string()), ("workers", "1")]);
    let data = pattern(640, 1);
    let parts = (0..widest.lanes()).map(|part| {
        let request = DigestRequest {
            open: asking(vec![number(Algorithm::Md5)]),
            ..digest(part as u64, &data, true)
        };
        message(0, &request.encode_to_vec())
    });
    let parts = parts.collect::<Vec<_>>().concat();
    // After the settings, so that one frame can hold all parts.
    let mut wire = Wire::connect(server.grpc).await;
    let call = [headers(1, 0, &[]), frame(DATA, END_STREAM, 1, &parts)];
    wire.send(&call.concat()).await;
    let all_ended = |m: &Metrics| {
        let parts = m.sum("hashlane_parts_total", &[("outcome", "digest")]);
        // A step's blocks are counted after the parts that end with it.
        parts == widest.lanes() as f64 && lane_blocks(m).1 > 0.0
    };
    let metrics = server.until("all parts ended", all_ended).await;
    let (active, all) = lane_blocks(&metrics);
    assert_eq!(active, 11.0 * widest.lanes() as f64);
    // One step, or two if the turn ended within the frame. Without sharing, each part would take
    // one.
    assert!(all <= 2.0 * active, "{active} of {all}");
}

/// An empty blob takes two bytes in the request, and 32 in memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blobs_beyond_the_bound_take_no_memory() {
    let server = Running::start(&["--kernel=auto"]);
    let mut raw = Raw::tcp(server.grpc).await;
    let path = "/hashlane.v1.HashService/DigestBatch";
    let few = DigestBatchRequest {
        algorithms: Vec::new(),
        blobs: vec![Bytes::new(); 10_000],
    };
    let few = message(0, &few.encode_to_vec());
    let answer = raw.call(path, &[], &[few]).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    let before = server.most_resident_bytes();
    let empty = [0x12, 0].repeat((4 << 20) / 2);
    // The other fields are bounded too: unpacked algorithms, and unknown fields.
    let numbers = [0x08, 1].repeat((4 << 20) / 2);
    let unknown = [&[0x1a, 0x80, 0x80, 0x80, 1][..], &vec![0; 2 << 20]].concat();
    for (body, reason) in [
        (empty, "TOO_MANY_BLOBS"),
        (numbers, "MESSAGE_HEAD_TOO_LARGE"),
        (unknown, "MESSAGE_HEAD_TOO_LARGE"),
    ] {
        let frames: Vec<_> = message(0, &body)
            .chunks(64 << 10)
            .map(Bytes::copy_from_slice)
            .collect();
        let status = raw.call(path, &[], &frames).await.status.unwrap();
        assert_refused(&status, Code::ResourceExhausted, reason);
    }
    let taken = server.most_resident_bytes() - before;
    assert!(taken < 32.0 * 1024.0 * 1024.0, "{taken} bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_more_digests_than_fit_is_no_matter_of_time() {
    let server = TestServer::start(&[
        ("workers", "1"),
        ("unary_bytes_max", "1MiB"),
        ("message_bytes_max", "64KiB"),
        ("batch_blobs_max", "3"),
    ]);
    let mut client = server.client().await;
    let batch = |blobs, algorithms| DigestBatchRequest {
        algorithms,
        blobs: vec![b"x".to_vec().into(); blobs],
    };
    assert!(client.digest_batch(batch(3, numbers())).await.is_ok());

    let server = TestServer::start(&[
        ("workers", "1"),
        ("unary_bytes_max", "1MiB"),
        ("message_bytes_max", "1MiB"),
        ("batch_blobs_max", "1000"),
    ]);
    let mut client = server.client().await;
    assert!(client.digest_batch(batch(1000, vec![1])).await.is_ok());
    assert!(client.digest_batch(batch(300, vec![1, 5, 6])).await.is_ok());
    let refused = client.digest_batch(batch(1000, vec![1, 6])).await;
    let status = refused.unwrap_err();
    assert_refused(&status, Code::ResourceExhausted, "TOO_MANY_DIGESTS");
}

/// A client with the smallest share may send a message of the maximum size, with digests of any
/// state size.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_batch_fits_the_least_share() {
    let server = TestServer::start(&[("workers", "1"), ("unary_bytes_max", "1MiB")]);
    let mut client = server.client().await;
    for (blobs, bytes, digests) in [(1024, 4085, 9), (10_000, 415, 1), (480, 8700, 20)] {
        let batch = DigestBatchRequest {
            algorithms: numbers().into_iter().rev().take(digests).collect(),
            blobs: vec![vec![7; bytes].into(); blobs],
        };
        let room = 4 << 20;
        assert!((room - 100_000..room).contains(&batch.encoded_len()));
        let answer = client.digest_batch(batch).await.unwrap().into_inner();
        assert_eq!(answer.blobs.len(), blobs);
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
    for (algorithms, reason, place) in [
        (vec![1, 99], "UNSUPPORTED_ALGORITHM", "algorithms[1]"),
        (vec![0], "UNSUPPORTED_ALGORITHM", "algorithms[0]"),
        (vec![6, 1, 6], "DUPLICATE_ALGORITHM", "algorithms[2]"),
        (vec![1; 1000], "DUPLICATE_ALGORITHM", "algorithms"),
    ] {
        let refused = client.digest_batch(batch(vec![vec![0]], algorithms)).await;
        assert_refused_field(&refused.unwrap_err(), reason, "algorithms", &[place]);
    }
    let answer = client.digest_batch(batch(vec![vec![0]; 3], vec![1])).await;
    assert_eq!(answer.unwrap().into_inner().blobs.len(), 3);
}

fn most_lanes() -> u32 {
    u32::try_from(Crossover::LANES).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_tells_what_it_is() {
    let server = TestServer::start(&[("workers", "3"), ("part_bytes_max", "7MiB")]);
    let mut client = server.client().await;
    let info = client.get_server_info(GetServerInfoRequest {}).await;
    let info = info.unwrap().into_inner();
    assert_eq!(info.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(info.workers, 3);
    let (backend, lanes) = (Backend::detect(), most_lanes());
    assert_eq!(info.algorithms.len(), Algorithm::all().count());
    for (info, algorithm) in info.algorithms.iter().zip(Algorithm::all()) {
        assert_eq!(info.algorithm, number(algorithm));
        assert_eq!(info.digest_bytes as usize, algorithm.digest_bytes());
        assert_eq!(info.name, algorithm.name());
        let kernels = algorithm.family().map(|family| backend.kernels(family));
        let names: Vec<_> = kernels.into_iter().flatten().map(|k| k.name()).collect();
        assert_eq!(info.kernels, names);
        assert_eq!(info.lanes, if names.is_empty() { 1 } else { lanes });
    }
    let limits = info.limits.unwrap();
    assert_eq!(limits.part_bytes_max, 7 << 20);
    assert_eq!(limits.message_bytes_max, 4 << 20);
    assert_eq!(limits.batch_blobs_max, 10_000);
    assert_eq!(limits.streams_per_connection_max, 1024);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_tells_the_kernels_it_was_given() {
    let kernel = ("kernel", "md5:portable,sha512:portable");
    for (hashing, lanes) in [("lanes", most_lanes()), ("inline", 1)] {
        let server = TestServer::start(&[kernel, ("hashing", hashing)]);
        let mut client = server.client().await;
        let info = client.get_server_info(GetServerInfoRequest {}).await;
        let algorithms = info.unwrap().into_inner().algorithms;
        for algorithm in [Algorithm::Md5, Algorithm::Sha384] {
            let mut infos = algorithms.iter();
            let info = infos.find(|info| info.algorithm == number(algorithm));
            let info = info.unwrap();
            let names: &[&str] = if lanes > 1 { &["portable"] } else { &[] };
            assert_eq!(info.kernels, names);
            assert_eq!(info.lanes, lanes);
        }
    }
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
        // The types of a refusal's details.
        ask(MessageRequest::FileContainingSymbol(
            "google.rpc.ErrorInfo".to_owned(),
        )),
        ask(MessageRequest::FileByFilename(
            "google/rpc/error_details.proto".to_owned(),
        )),
        ask(MessageRequest::FileByFilename(
            "google/rpc/status.proto".to_owned(),
        )),
    ];
    let answers = client
        .server_reflection_info(tokio_stream::iter(requests))
        .await
        .unwrap();
    let answers: Vec<_> = answers.into_inner().collect().await;
    let [listed, files @ ..] = &answers[..] else {
        panic!("{answers:?}");
    };
    assert_eq!(files.len(), 4);
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
    for file in files {
        match file.as_ref().unwrap().message_response.as_ref().unwrap() {
            MessageResponse::FileDescriptorResponse(file) => {
                assert_eq!(file.file_descriptor_proto.len(), 1);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Some clients know only this name. Its messages are the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reflection_answers_to_its_older_name() {
    use tonic_reflection::pb::v1alpha;
    let server = TestServer::start(&[]);
    let channel = server.channel().await;
    let mut client =
        v1alpha::server_reflection_client::ServerReflectionClient::new(channel.clone());
    let request = v1alpha::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(
            v1alpha::server_reflection_request::MessageRequest::FileContainingSymbol(
                "hashlane.v1.HashService".to_owned(),
            ),
        ),
    };
    let answers = client.server_reflection_info(tokio_stream::iter([request]));
    let answers: Vec<_> = answers.await.unwrap().into_inner().collect().await;
    let [Ok(answer)] = &answers[..] else {
        panic!("{answers:?}");
    };
    let message = answer.message_response.as_ref().unwrap();
    let v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(file) =
        message
    else {
        panic!("{message:?}");
    };
    assert_eq!(file.file_descriptor_proto.len(), 1);
}

#[tokio::test]
async fn an_ended_reflection_call_leaves_nothing_behind() {
    let server = TestServer::start(&[]);
    let mut wire = Wire::connect(server.grpc).await;
    let path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    wire.send(&headers_of(path, 1, END_HEADERS, &[("grpc-timeout", "1m")]))
        .await;
    // The answer is complete and the rest of the request is not read, so the stream is reset.
    let reset = wire.until(RST_STREAM).await;
    assert_eq!((reset.stream, reset.number()), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_reflection_stream_takes_no_room_from_other_calls() {
    let server = TestServer::start(&[
        ("workers", "1"),
        ("unary_bytes_max", "1MiB"),
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
    // In total more than the worker may hold of unread messages.
    for _ in 0..150 {
        sender.send(ask(10_000)).await.unwrap();
        assert!(answers.message().await.unwrap().is_some());
    }
    let mut client = connect(server.grpc).await;
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
        ("unary_bytes_max", "1MiB"),
        ("message_bytes_max", "1MiB"),
        ("batch_blobs_max", "1"),
    ]);
    let mut raw = Raw::tcp(server.grpc).await;
    // There is room for one message of the largest size and some calls. Each later call keeps its
    // room, because only the prefix of its message has arrived. A call may be refused because the
    // next call takes room at the same time; the next one retries.
    let mut calls = Vec::new();
    let start = std::time::Instant::now();
    let status = loop {
        assert!(start.elapsed() < PATIENCE, "there is room");
        let path = "/hashlane.v1.HashService/DigestBatch";
        let (response, mut sending) = raw.begin(path, &[]).await;
        let len = if calls.is_empty() { 1 << 20 } else { 1 };
        let prefix = message(0, &vec![0; len]).slice(..5);
        sending.send_data(prefix, false).unwrap();
        calls.push((response, sending));
        let path = "/hashlane.v1.HashService/GetServerInfo";
        let answer = raw.call(path, &[], &[message(0, b"")]).await;
        let status = answer.status.unwrap();
        if status.code() != Code::Ok {
            assert!(calls.len() > 1, "the first one is small enough");
            break status;
        }
    };
    assert_refused(&status, Code::ResourceExhausted, "SERVER_BUSY");
    let mut health = HealthClient::new(server.channel().await);
    let request = HealthCheckRequest::default();
    let answer = health.check(request).await.unwrap().into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
}
