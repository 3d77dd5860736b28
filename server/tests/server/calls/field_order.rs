//! Messages whose fields are not in the order of their numbers, as Go's dynamicpb writes them, and
//! the bound of held data.

use std::time::Instant;

use crate::common::h2_client::{Raw, message, messages, read};
use crate::common::{PATIENCE, TestServer, assert_refused, pattern, sha256, verify};
use bytes::Bytes;
use hashlane_proto::v1::{DigestResponse, PartOptions, Verdict, VerifyRequest, VerifyResponse};
use prost::Message as _;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const VERIFY: &str = "/hashlane.v1.HashService/Verify";

/// The place of `data` among the fields.
#[derive(Clone, Copy, Debug)]
enum Place {
    First,
    Middle,
    Last,
}

const PLACES: [Place; 3] = [Place::First, Place::Middle, Place::Last];

/// `request` with `data` at `place`, and the other fields in descending order.
fn ordered(request: &VerifyRequest, place: Place) -> Vec<u8> {
    let none = VerifyRequest::default;
    let mut fields = vec![
        VerifyRequest {
            last: request.last,
            ..none()
        },
        VerifyRequest {
            expected: request.expected.clone(),
            ..none()
        },
        VerifyRequest {
            open: request.open.clone(),
            ..none()
        },
        VerifyRequest {
            part: request.part,
            ..none()
        },
    ];
    let at = match place {
        Place::First => 0,
        Place::Middle => 2,
        Place::Last => 4,
    };
    fields.insert(
        at,
        VerifyRequest {
            data: request.data.clone(),
            ..none()
        },
    );
    fields
        .iter()
        .flat_map(|field| field.encode_to_vec())
        .collect()
}

/// A message of `data`, then `part` and `last`.
fn data_first(part: u64, data: &[u8]) -> Bytes {
    message(0, &ordered(&verify(part, data, None, true), Place::First))
}

/// Messages of `parts` parts in turn, each naming its part.
fn interleaved(parts: u64, place: Place) -> Vec<u8> {
    let mut body = Vec::new();
    for piece in 0..3 {
        for part in 1..=parts {
            let data = part_of(part);
            let third = data.len() / 3;
            let (chunk, last) = match piece {
                2 => (&data[2 * third..], true),
                piece => (&data[piece * third..(piece + 1) * third], false),
            };
            let right = sha256(&data);
            let wrong = sha256(b"something else");
            let expected = if part % 3 == 0 { &wrong } else { &right };
            let mut request = verify(part, chunk, last.then_some(&expected[..]), last);
            request.open = (piece == 0).then(|| PartOptions {
                algorithms: vec![1],
                size_bytes: Some(data.len() as u64),
            });
            body.extend_from_slice(&message(0, &ordered(&request, place)));
        }
    }
    body
}

fn part_of(part: u64) -> Vec<u8> {
    let part = usize::try_from(part).unwrap();
    pattern(part * 9001, part)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fields_in_any_order_mean_the_same() {
    const PARTS: u64 = 10;
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    for place in PLACES {
        let body = interleaved(PARTS, place);
        for cut in [997, 16_384, body.len()] {
            let frames: Vec<_> = body.chunks(cut).map(Bytes::copy_from_slice).collect();
            let answer = raw.call(DIGEST, &[], &frames).await;
            assert_eq!(answer.status.unwrap().code(), Code::Ok, "{place:?} {cut}");
            let answers = messages::<DigestResponse>(&answer.body);
            assert_eq!(answers.len(), 10);
            for answer in answers {
                let data = part_of(answer.part);
                assert_eq!(answer.size_bytes, data.len() as u64);
                assert_eq!(answer.digests[0].digest, sha256(&data));
            }
            let answer = raw.call(VERIFY, &[], &frames).await;
            assert_eq!(answer.status.unwrap().code(), Code::Ok, "{place:?} {cut}");
            let answers = messages::<VerifyResponse>(&answer.body);
            assert_eq!(answers.len(), 10);
            for answer in answers {
                let right = match answer.part % 3 {
                    0 => Verdict::Mismatch,
                    _ => Verdict::Match,
                };
                assert_eq!(answer.verdict(), right, "{place:?} part {}", answer.part);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_messages_larger_than_may_wait_are_taken() {
    for hashing in ["lanes", "inline"] {
        let server = TestServer::start(&[
            ("hashing", hashing),
            ("workers", "1"),
            ("receive_windows_bytes_max", "256KiB"),
            ("held_bytes_max", "16MiB"),
        ]);
        let mut raw = Raw::tcp(server.grpc).await;
        let mut calls = Vec::new();
        for i in 0..12 {
            let data = pattern(1_000_000 + i * 1000, i);
            let (response, mut sending) = raw.begin(DIGEST, &[]).await;
            for part in 0..2 {
                sending.send_data(data_first(part, &data), false).unwrap();
            }
            sending.send_data(Bytes::new(), true).unwrap();
            calls.push((data, response));
        }
        for (data, response) in calls {
            let answer = read(response).await;
            assert_eq!(answer.status.unwrap().code(), Code::Ok);
            let answers = messages::<DigestResponse>(&answer.body);
            assert_eq!(answers.len(), 2);
            for answer in answers {
                assert_eq!(answer.digests[0].digest, sha256(&data));
            }
        }
        assert_eq!(server.metrics().sum("hashlane_buffered_bytes", &[]), 0.0);
    }
}

/// A server that can hold one message that `data_first` makes of `HELD_BYTES`, but not two.
const BOUNDS: [(&str, &str); 3] = [
    ("workers", "1"),
    ("message_bytes_max", "64KiB"),
    ("held_bytes_max", "64KiB"),
];
const HELD_BYTES: usize = 40_000;

/// A stream that has sent a part, which was answered, and half of a message that must be held.
/// Returns the missing half, and the open call.
async fn stalled(
    raw: &mut Raw,
    data: &[u8],
) -> (Bytes, h2::SendStream<Bytes>, http::Response<h2::RecvStream>) {
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    let held = data_first(2, data);
    let (begun, missing) = held.split_at(held.len() / 2);
    // In one frame, so that all of it was read when the answer arrives.
    let frame = [&data_first(1, b"")[..], begun].concat();
    sending.send_data(frame.into(), false).unwrap();
    let mut response = response.await.unwrap();
    let answer = response.body_mut().data().await.unwrap().unwrap();
    assert_eq!(messages::<DigestResponse>(&answer)[0].part, 1);
    (Bytes::copy_from_slice(missing), sending, response)
}

async fn try_held(raw: &mut Raw, data: &[u8]) -> Result<Vec<DigestResponse>, Status> {
    let answer = raw.call(DIGEST, &[], &[data_first(9, data)]).await;
    match answer.status.unwrap() {
        status if status.code() == Code::Ok => Ok(messages(&answer.body)),
        status => Err(status),
    }
}

/// The refusal of a message that must be held and has no room.
async fn refused(raw: &mut Raw, data: &[u8]) -> Status {
    let status = try_held(raw, data).await.unwrap_err();
    assert_refused(&status, Code::ResourceExhausted, "OUT_OF_ORDER_DATA_LIMIT");
    status
}

/// Waits until a message that must be held is accepted.
async fn until_held(raw: &mut Raw, data: &[u8]) {
    let start = Instant::now();
    loop {
        match try_held(raw, data).await {
            Ok(answers) => {
                assert_eq!(answers[0].digests[0].digest, sha256(data));
                return;
            }
            Err(status) => {
                assert_refused(&status, Code::ResourceExhausted, "OUT_OF_ORDER_DATA_LIMIT");
            }
        }
        assert!(start.elapsed() < PATIENCE, "nothing was given back");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_held_has_a_bound_of_its_own() {
    let server = TestServer::start(&BOUNDS);
    let mut raw = Raw::tcp(server.grpc).await;
    let data = pattern(HELD_BYTES, 3);
    let (missing, mut sending, mut response) = stalled(&mut raw, &data).await;

    let refused = refused(&mut raw, &data).await;
    let details = refused.get_error_details();
    assert!(details.retry_info().is_some(), "may be tried again");

    // Messages with room are accepted, and the usual order needs no room.
    let answers = try_held(&mut raw, &data[..20_000]).await.unwrap();
    assert_eq!(answers[0].digests[0].digest, sha256(&data[..20_000]));
    let usual = [5, 6].map(|part| {
        let request = verify(part, &data, None, true);
        message(0, &ordered(&request, Place::Last))
    });
    let answer = raw.call(DIGEST, &[], &usual).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    assert_eq!(messages::<DigestResponse>(&answer.body).len(), 2);

    // The first stream continues where it stopped, and then makes room.
    sending.send_data(missing, true).unwrap();
    let answer = response.body_mut().data().await.unwrap().unwrap();
    let answers = messages::<DigestResponse>(&answer);
    assert_eq!(answers[0].part, 2);
    assert_eq!(answers[0].digests[0].digest, sha256(&data));
    assert!(try_held(&mut raw, &data).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_away_gives_back_what_was_held() {
    let server = TestServer::start(&BOUNDS);
    let mut raw = Raw::tcp(server.grpc).await;
    let data = pattern(HELD_BYTES, 4);

    let (_missing, mut sending, _response) = stalled(&mut raw, &data).await;
    refused(&mut raw, &data).await;
    sending.send_reset(h2::Reason::CANCEL);
    until_held(&mut raw, &data).await;

    let mut other = Raw::tcp(server.grpc).await;
    let call = stalled(&mut other, &data).await;
    refused(&mut raw, &data).await;
    drop((call, other));
    until_held(&mut raw, &data).await;

    // A stream ended by the server: it exceeds its deadline.
    let (response, mut late) = raw.begin(DIGEST, &[("grpc-timeout", "50m")]).await;
    let held = data_first(2, &data);
    late.send_data(held.slice(..held.len() / 2), false).unwrap();
    let status = read(response).await.status.unwrap();
    assert_refused(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    assert!(try_held(&mut raw, &data).await.is_ok());

    // A message refused after its data.
    let repeated = [&data_first(0, &data)[5..], &[0x7a, 0x00]].concat();
    let answer = raw.call(DIGEST, &[], &[message(0, &repeated)]).await;
    assert_refused(
        &answer.status.unwrap(),
        Code::InvalidArgument,
        "MALFORMED_MESSAGE",
    );
    assert!(try_held(&mut raw, &data).await.is_ok());
}
