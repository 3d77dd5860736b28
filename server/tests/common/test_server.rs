//! A real server inside the test's process.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use hashlane_proto::v1::hash_service_client::HashServiceClient;
use hashlane_server::{Faults, Reload, Server, Settings};
use tokio::sync::oneshot;
use tonic::transport::{Channel, Endpoint};

use super::metrics::{Metrics, get, until};

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
