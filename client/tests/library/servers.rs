//! Real servers that go while they are called. `HASHLANE_SERVER` names the server's program, as
//! `deploy/tests/clients.sh` does: other runs leave these tests out.

use std::future::Future;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use hashlane_client::{AlgorithmDigest, Client, Verification};
use sha2::{Digest as _, Sha256};
use tokio::task::{JoinSet, block_in_place};

const COUNT: usize = 1000;
const WORKERS: usize = 32;

/// A server of one worker, which ends with this.
struct Server {
    address: SocketAddr,
    admin: SocketAddr,
    child: Child,
}

impl Server {
    fn start(address: SocketAddr) -> Self {
        let program = std::env::var_os("HASHLANE_SERVER").expect("HASHLANE_SERVER is not set");
        let admin = free_address();
        let mut child = Command::new(program)
            .args([
                "--listen",
                &address.to_string(),
                "--admin-listen",
                &admin.to_string(),
            ])
            .args(["--workers", "1", "--pin=false"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let ready = log.find(|line| line.as_ref().unwrap().contains("ready"));
        ready.expect("the server has ended").unwrap();
        // A full pipe does not hold the server back.
        std::thread::spawn(move || log.for_each(drop));
        Self {
            address,
            admin,
            child,
        }
    }

    /// Parts of Verify that it has answered.
    fn parts(&self) -> f64 {
        let mut admin = TcpStream::connect(self.admin).unwrap();
        let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        admin.write_all(request.as_bytes()).unwrap();
        let mut page = String::new();
        admin.read_to_string(&mut page).unwrap();
        let lines = page.lines();
        let samples = lines.filter(|line| line.starts_with("hashlane_parts_total{rpc=\"Verify\""));
        let values = samples.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok());
        values.sum()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// As an operator ends it.
    fn drain(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// Part `i`, its digest, and what is expected of it: of every third part another digest.
fn part(i: usize) -> (Bytes, [u8; 32], [u8; 32]) {
    let bytes = (0..=250).cycle().skip(i % 251).take(40_000 + i * 80);
    let data: Vec<u8> = bytes.collect();
    let digest: [u8; 32] = Sha256::digest(&data).into();
    let mut expected = digest;
    if i.is_multiple_of(3) {
        expected[i % 32] ^= 0x80;
    }
    (data.into(), digest, expected)
}

/// Verifies a thousand parts, many at once. One of two servers is killed when a quarter of them
/// is answered, and comes back; the other one is drained when three quarters are.
async fn thousand<V, F>(verify: impl Fn(Client) -> V)
where
    V: Fn(Bytes, AlgorithmDigest) -> F + Clone + Send + 'static,
    F: Future<Output = hashlane_client::Result<Verification>> + Send,
{
    let mut first = Server::start(free_address());
    let mut second = Server::start(free_address());
    let endpoints = [&first, &second].map(|server| server.address.to_string());
    let client = Client::builder().connect_all(&endpoints).await.unwrap();
    // Until both are known to serve.
    while first.parts() == 0.0 || second.parts() == 0.0 {
        let verified = client.verify("", &[AlgorithmDigest::sha256([0; 32])]).await;
        assert!(!verified.unwrap().is_match());
    }
    let before = first.parts();
    let verify = verify(client);
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, mut answers) = tokio::sync::mpsc::unbounded_channel();
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        let (verify, next, sender) = (verify.clone(), Arc::clone(&next), sender.clone());
        workers.spawn(async move {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= COUNT {
                    return;
                }
                let (data, digest, expected) = part(i);
                let size_bytes = data.len() as u64;
                let answer = verify(data, AlgorithmDigest::sha256(expected)).await;
                let answer = answer.unwrap_or_else(|error| panic!("part {i}: {error}"));
                assert_eq!(
                    answer.is_match(),
                    digest == expected,
                    "part {i}: {answer:?}"
                );
                assert_eq!(*answer.verdicts[0].computed.digest(), digest);
                assert_eq!(answer.size_bytes, size_bytes);
                sender.send(()).unwrap();
            }
        });
    }
    drop(sender);
    let mut answered = 0;
    while answers.recv().await.is_some() {
        answered += 1;
        if answered == COUNT / 4 {
            assert!(
                first.parts() > before,
                "the server that is killed had no part"
            );
            block_in_place(|| first.kill());
        }
        if answered == COUNT * 3 / 4 {
            block_in_place(|| first = Server::start(first.address));
            second.drain();
        }
    }
    while let Some(ended) = workers.join_next().await {
        ended.unwrap();
    }
    assert_eq!(answered, COUNT);
    drop(verify);
    let ended = block_in_place(|| second.child.wait()).unwrap();
    assert!(ended.success(), "the drained server ended with {ended}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs HASHLANE_SERVER: deploy/tests/clients.sh"]
async fn servers_go_during_calls() {
    thousand(|client| {
        move |data, expected| {
            let client = client.clone();
            async move { client.verify(data, &[expected]).await }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs HASHLANE_SERVER: deploy/tests/clients.sh"]
async fn servers_go_during_streams() {
    thousand(|client| {
        let streams = [(); 2].map(|()| Arc::new(client.open_verify_stream()));
        let turn = Arc::new(AtomicUsize::new(0));
        move |data, expected| {
            let stream = Arc::clone(&streams[turn.fetch_add(1, Ordering::Relaxed) % 2]);
            async move { stream.verify(data, &[expected]).await }
        }
    })
    .await;
}
