//! `plain-server`: `Digest` as tonic's users would write it, for comparison with hashlane.
//!
//! It uses tonic's generated trait, an unchanged [`Server::builder`], and tokio's default runtime,
//! which has a worker for every CPU that the process may use. A call is a stream of answers that
//! polls the stream of messages: each message's data is hashed at once by the crates sha2 and md-5,
//! and a part is answered when it ends. There is no task, channel or lock for a part. A call has
//! one part after the other.
//!
//! The defaults of tonic and hyper apply: windows of 1 MiB for each stream and each connection,
//! frames of 16 KiB, 200 streams per connection, messages of 4 MiB, `TCP_NODELAY`.
//!
//! The admin port has `/readyz`, and `/metrics` without a metric.

use std::convert::Infallible;
use std::pin::Pin;

use anyhow::{Context as _, Result};
use futures_util::stream::{self, Fuse, Stream, StreamExt as _, TryStreamExt as _};
use hashlane_proto::v1::hash_service_server::{HashService, HashServiceServer};
use hashlane_proto::v1::{
    Algorithm, AlgorithmDigest, ComposeRequest, ComposeResponse, DigestBatchRequest,
    DigestBatchResponse, DigestRequest, DigestResponse, GetServerInfoRequest,
    GetServerInfoResponse, Limits, PartOptions, VerifyRequest, VerifyResponse,
};
use sha2::digest::DynDigest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

use crate::args::PlainServerArgs;
use crate::system::runtime::Signals;

/// The default limits of tonic and hyper.
const MESSAGE_BYTES_MAX: u64 = 4 << 20;
const STREAMS_PER_CONNECTION_MAX: u32 = 200;

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// A port is taken.
pub fn serve(args: &PlainServerArgs) -> Result<bool> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(workers) = args.workers {
        builder.worker_threads(workers);
    }
    let runtime = builder
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let admin = TcpListener::bind(args.admin_listen)
            .await
            .with_context(|| format!("cannot listen on {}", args.admin_listen))?;
        let incoming = TcpIncoming::bind(args.listen)
            .with_context(|| format!("cannot listen on {}", args.listen))?;
        // On a worker: this thread is not one.
        let grpc = tokio::spawn(serve_grpc(incoming));
        tokio::select! {
            served = grpc => served.context("the server panicked")?,
            never = serve_admin(admin) => match never {},
            // Calls in flight end with the process.
            () = signals.received() => Ok(()),
        }
    })?;
    Ok(true)
}

async fn serve_grpc(incoming: TcpIncoming) -> Result<()> {
    let service = HashServiceServer::new(Plain);
    // As `Server::serve` does with an address.
    let incoming = incoming.with_nodelay(Some(true));
    let served = Server::builder().serve_with_incoming(service, incoming);
    served.await.context("cannot serve")
}

/// Answers every request with 200.
async fn serve_admin(listener: TcpListener) -> Infallible {
    loop {
        let Ok((mut socket, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        tokio::spawn(async move {
            // A request is short: one read has it. The client may close at any time.
            let _ = socket.read(&mut [0; 1024]).await;
            let _ = socket.write_all(OK).await;
        });
    }
}

/// The answer of the admin port.
const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// An open part: its digests so far, by the algorithm's number; none before its first message.
#[derive(Default)]
struct Part {
    number: u64,
    hashers: Vec<(i32, Box<dyn DynDigest + Send>)>,
    size_bytes: u64,
}

impl Part {
    fn open(&mut self, open: Option<PartOptions>) -> Result<(), Status> {
        let mut named = open.map(|open| open.algorithms).unwrap_or_default();
        if named.is_empty() {
            named.push(Algorithm::Sha256.into());
        }
        for number in named {
            let hasher: Box<dyn DynDigest + Send> = match Algorithm::try_from(number) {
                Ok(Algorithm::Sha256) => Box::new(sha2::Sha256::default()),
                Ok(Algorithm::Md5) => Box::new(md5::Md5::default()),
                _ => {
                    return Err(Status::unimplemented(
                        "the plain server digests with SHA-256 and MD5 alone",
                    ));
                }
            };
            self.hashers.push((number, hasher));
        }
        Ok(())
    }

    fn take(&mut self, message: DigestRequest) -> Result<(), Status> {
        if self.hashers.is_empty() {
            self.number = message.part;
            self.open(message.open)?;
        }
        if message.part != self.number {
            return Err(Status::unimplemented(
                "the plain server takes one part after the other",
            ));
        }
        for (_, hasher) in &mut self.hashers {
            hasher.update(&message.data);
        }
        self.size_bytes += message.data.len() as u64;
        Ok(())
    }

    fn answer(mut self) -> Result<DigestResponse, Status> {
        if self.hashers.is_empty() {
            self.open(None)?;
        }
        let digests = self.hashers.into_iter();
        let digests = digests.map(|(algorithm, mut hasher)| {
            let mut digest = vec![0; hasher.output_size()];
            let fits = hasher.finalize_into_reset(&mut digest);
            fits.expect("there is room for the digest");
            AlgorithmDigest {
                algorithm,
                digest: digest.into(),
            }
        });
        Ok(DigestResponse {
            part: self.number,
            size_bytes: self.size_bytes,
            digests: digests.collect(),
            error: None,
            memory_messages_read: 0,
        })
    }
}

/// A call of Digest.
struct Call {
    messages: Fuse<Streaming<DigestRequest>>,
    /// The open part. A call without a message is an empty part.
    part: Option<Part>,
}

impl Call {
    /// The next answer. The end of the call ends its part.
    async fn next(&mut self) -> Result<Option<DigestResponse>, Status> {
        while let Some(message) = self.messages.try_next().await? {
            let is_last = message.last;
            self.part.get_or_insert_default().take(message)?;
            if is_last {
                break;
            }
        }
        self.part.take().map(Part::answer).transpose()
    }
}

/// The service.
#[derive(Debug)]
struct Plain;

fn not_here<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented(
        "the plain server has Digest and GetServerInfo alone",
    ))
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl HashService for Plain {
    type DigestStream = Answers<DigestResponse>;
    type VerifyStream = Answers<VerifyResponse>;

    async fn digest(
        &self,
        request: Request<Streaming<DigestRequest>>,
    ) -> Result<Response<Self::DigestStream>, Status> {
        let call = Call {
            messages: request.into_inner().fuse(),
            part: Some(Part::default()),
        };
        let answers = stream::try_unfold(call, |mut call| async {
            Ok(call.next().await?.map(|answer| (answer, call)))
        });
        Ok(Response::new(Box::pin(answers)))
    }

    async fn verify(
        &self,
        _: Request<Streaming<VerifyRequest>>,
    ) -> Result<Response<Self::VerifyStream>, Status> {
        not_here()
    }

    async fn digest_batch(
        &self,
        _: Request<DigestBatchRequest>,
    ) -> Result<Response<DigestBatchResponse>, Status> {
        not_here()
    }

    async fn compose(
        &self,
        _: Request<ComposeRequest>,
    ) -> Result<Response<ComposeResponse>, Status> {
        not_here()
    }

    async fn get_server_info(
        &self,
        _: Request<GetServerInfoRequest>,
    ) -> Result<Response<GetServerInfoResponse>, Status> {
        let limits = Limits {
            message_bytes_max: MESSAGE_BYTES_MAX,
            parts_per_stream_max: 1,
            streams_per_connection_max: STREAMS_PER_CONNECTION_MAX,
            ..Limits::default()
        };
        Ok(Response::new(GetServerInfoResponse {
            limits: Some(limits),
            ..GetServerInfoResponse::default()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use hashlane_proto::v1::hash_service_client::HashServiceClient;
    use tonic::Code;
    use tonic::transport::{Channel, Endpoint};

    async fn client() -> HashServiceClient<Channel> {
        let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = incoming.local_addr().unwrap();
        tokio::spawn(serve_grpc(incoming));
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        HashServiceClient::new(endpoint.connect().await.unwrap())
    }

    fn message(part: u64, algorithms: &[Algorithm], data: &'static [u8]) -> DigestRequest {
        DigestRequest {
            part,
            open: (!algorithms.is_empty()).then(|| PartOptions {
                algorithms: algorithms.iter().map(|&name| name.into()).collect(),
                size_bytes: None,
            }),
            data: Bytes::from_static(data),
            last: false,
            memory: None,
        }
    }

    /// All answers to `messages`.
    async fn answers(messages: Vec<DigestRequest>) -> Result<Vec<DigestResponse>, Status> {
        let call = client().await.digest(stream::iter(messages)).await?;
        let mut call = call.into_inner();
        let mut answers = Vec::new();
        while let Some(answer) = call.message().await? {
            answers.push(answer);
        }
        Ok(answers)
    }

    fn hex(digest: &AlgorithmDigest) -> String {
        let bytes = digest.digest.iter();
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }

    // FIPS 180-4 and RFC 1321.
    const SHA256_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const SHA256_EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const MD5_ABC: &str = "900150983cd24fb0d6963f7d28e17f72";

    #[tokio::test]
    async fn a_call_has_one_part_after_the_other() {
        let both = [Algorithm::Md5, Algorithm::Sha256];
        let mut messages = vec![
            message(7, &[], b"a"),
            message(7, &[], b"bc"),
            message(3, &both, b"ab"),
            message(3, &[], b"c"),
            // A number may be reused once its part has ended.
            message(7, &[Algorithm::Md5], b"abc"),
            message(9, &[], b""),
        ];
        for ends in [1, 3, 4] {
            messages[ends].last = true;
        }
        let answers = answers(messages).await.unwrap();
        let found: Vec<_> = answers
            .iter()
            .map(|answer| {
                let digests: Vec<_> = answer.digests.iter().map(hex).collect();
                (answer.part, answer.size_bytes, digests.join(" "))
            })
            .collect();
        let expected = [
            (7, 3, SHA256_ABC.to_owned()),
            (3, 3, format!("{MD5_ABC} {SHA256_ABC}")),
            (7, 3, MD5_ABC.to_owned()),
            (9, 0, SHA256_EMPTY.to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[tokio::test]
    async fn a_call_without_messages_is_an_empty_part() {
        let answers = answers(Vec::new()).await.unwrap();
        assert_eq!((answers.len(), answers[0].part), (1, 0));
        assert_eq!(hex(&answers[0].digests[0]), SHA256_EMPTY);
    }

    #[tokio::test]
    async fn what_it_does_not_know_it_refuses() {
        let sha1 = answers(vec![message(0, &[Algorithm::Sha1], b"abc")]).await;
        assert_eq!(sha1.unwrap_err().code(), Code::Unimplemented);
        let two_at_once = vec![message(0, &[], b"a"), message(1, &[], b"b")];
        let two_at_once = answers(two_at_once).await;
        assert_eq!(two_at_once.unwrap_err().code(), Code::Unimplemented);
    }
}
