//! Messages of Digest and Verify, calls of both, and their refusals.

use hashlane_proto::v1::{
    AlgorithmDigest, DigestRequest, DigestResponse, PartOptions, VerifyRequest, VerifyResponse,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

use super::test_server::{Client, TestServer};

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
