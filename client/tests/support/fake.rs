//! The running service, which can vanish with all its connections.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use hashlane_proto::v1::hash_service_server::HashServiceServer;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::codegen::{Service as _, http};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};
use tonic::{Request, Status};
use tonic_health::server::HealthReporter;

use super::behaviour::{Behaviour, Seen, TOKEN};
use super::resets::ResetWatch;
use super::service::Service;

/// The service, and what it saw.
pub(crate) struct Fake {
    pub(crate) url: String,
    seen: mpsc::UnboundedReceiver<Seen>,
    health: HealthReporter,
    refused: Arc<AtomicUsize>,
    runtime: Option<Runtime>,
}

/// A self-signed certificate of 127.0.0.1.
pub(crate) struct Ca(rcgen::CertifiedKey<rcgen::KeyPair>);

impl Ca {
    pub(crate) fn new() -> Self {
        let names = ["127.0.0.1".to_owned()];
        Self(rcgen::generate_simple_self_signed(names).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.cert.pem()
    }

    pub(crate) fn key_pem(&self) -> String {
        self.0.signing_key.serialize_pem()
    }
}

impl Fake {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        Self::start_by(behaviour, None).await
    }

    /// Starts with the certificate of `ca`, and requires it from clients too.
    pub(crate) async fn start_tls(behaviour: Behaviour, ca: &Ca) -> Self {
        let identity = Identity::from_pem(ca.pem(), ca.key_pem());
        let tls = ServerTlsConfig::new()
            .identity(identity)
            .client_ca_root(Certificate::from_pem(ca.pem()));
        Self::start_by(behaviour, Some(tls)).await
    }

    async fn start_by(behaviour: Behaviour, tls: Option<ServerTlsConfig>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (sender, seen) = mpsc::unbounded_channel();
        let listener = runtime
            .spawn(TcpListener::bind("127.0.0.1:0"))
            .await
            .unwrap()
            .unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let service = Service {
            behaviour,
            seen: sender,
            refused: Arc::default(),
        };
        let refused = Arc::clone(&service.refused);
        let (health, health_service) = tonic_health::server::health_reporter();
        health.set_serving::<HashServiceServer<Service>>().await;
        let authorize = move |request: Request<()>| {
            let token = request.metadata().get("authorization");
            let is_known = token.is_some_and(|token| *token == *format!("Bearer {TOKEN}"));
            match behaviour {
                Behaviour::WantToken if !is_known => Err(Status::unauthenticated("no token")),
                _ => Ok(request),
            }
        };
        let service = ResetWatch(HashServiceServer::with_interceptor(service, authorize));
        let incoming = TcpListenerStream::new(listener);
        // What a client may send ahead of a service that does not read.
        let server = tonic::transport::Server::builder().initial_stream_window_size(64 << 10);
        let server = match tls {
            Some(tls) => server.tls_config(tls).unwrap(),
            None => server,
        };
        // Some servers have no health service.
        let has_health = behaviour != Behaviour::Miscount;
        let both = tower::service_fn(move |request: http::Request<Body>| {
            let is_health = has_health && request.uri().path().starts_with("/grpc.health.v1.");
            let (mut service, mut health) = (service.clone(), health_service.clone());
            async move {
                match is_health {
                    true => health.call(request).await,
                    false if behaviour == Behaviour::HeadOnly => Ok(head_only()),
                    false => Ok(service.call(request).await?.map(Body::new)),
                }
            }
        });
        runtime.spawn(server.serve_with_incoming(both, incoming));
        Self {
            url,
            seen,
            health,
            refused,
            runtime: Some(runtime),
        }
    }

    /// What the health service says from now on.
    pub(crate) async fn set_serving(&self, is_serving: bool) {
        type Named = HashServiceServer<Service>;
        if is_serving {
            self.health.set_serving::<Named>().await;
        } else {
            self.health.set_not_serving::<Named>().await;
        }
    }

    /// Calls that it had to refuse.
    pub(crate) fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        let (_, address) = self.url.split_once("://").unwrap();
        address.parse().unwrap()
    }

    /// Calls that have begun, among what has been seen so far.
    pub(crate) fn calls(&mut self) -> usize {
        let seen = self.seen_so_far().into_iter();
        seen.filter(|seen| matches!(seen, Seen::Began(_))).count()
    }

    /// Waits for the next thing seen.
    pub(crate) async fn seen(&mut self) -> Seen {
        self.seen.recv().await.expect("the service runs")
    }

    /// Waits for the end of the next call to end.
    pub(crate) async fn end(&mut self) -> Seen {
        loop {
            let seen = self.seen().await;
            if matches!(seen, Seen::HalfClosed | Seen::Reset) {
                return seen;
            }
        }
    }

    /// Everything seen so far and not yet taken.
    pub(crate) fn seen_so_far(&mut self) -> Vec<Seen> {
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }

    /// Connections that calls came from, among what has been seen so far.
    pub(crate) fn connections(&mut self) -> usize {
        let seen = self.seen_so_far().into_iter();
        let addresses = seen.filter_map(|seen| match seen {
            Seen::Began(address) => Some(address),
            _ => None,
        });
        addresses.collect::<HashSet<_>>().len()
    }

    /// Ends the service and closes its connections, whatever they are doing.
    pub(crate) fn vanish(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.vanish();
    }
}

/// A response whose body never comes.
fn head_only() -> http::Response<Body> {
    let response = http::Response::builder().header("content-type", "application/grpc");
    response.body(Body::new(Endless)).unwrap()
}

struct Endless;

impl http_body::Body for Endless {
    type Data = bytes::Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Self::Data>, Status>>> {
        Poll::Pending
    }
}
