//! Memory shared with a real server: `HASHLANE_SERVER` names its program, as
//! `deploy/tests/clients.sh` does: other runs leave these tests out.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use hashlane_client::{Algorithm, Client, Error, Source};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::task::JoinSet;

/// A server on a Unix socket, which ends with this.
struct Server {
    socket: PathBuf,
    admin: String,
    child: Child,
}

impl Server {
    fn start(folder: &TempDir, settings: &[&str]) -> Self {
        let program = std::env::var_os("HASHLANE_SERVER").expect("HASHLANE_SERVER is not set");
        let socket = folder.path().join("socket");
        let mut child = Command::new(program)
            .args(["--listen", "", "--admin-listen", "127.0.0.1:0"])
            .args(["--workers", "1", "--pin=false", "--log-format", "json"])
            .arg("--listen-unix")
            .arg(&socket)
            .args(settings)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut log = log.lines().map_while(Result::ok);
        let listening = log.find(|line| line.contains("\"listening\"")).unwrap();
        let (_, admin) = listening.split_once("\"admin\":\"").unwrap();
        let admin = admin.split('"').next().unwrap().to_owned();
        log.find(|line| line.contains("\"ready\"")).unwrap();
        // A full pipe does not hold the server back.
        std::thread::spawn(move || log.for_each(drop));
        Self {
            socket,
            admin,
            child,
        }
    }

    fn endpoint(&self) -> String {
        format!("unix:{}", self.socket.display())
    }

    fn metric(&self, name: &str) -> f64 {
        let mut admin = TcpStream::connect(&self.admin).unwrap();
        let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        admin.write_all(request.as_bytes()).unwrap();
        let mut page = String::new();
        admin.read_to_string(&mut page).unwrap();
        let samples = page.lines().filter(|line| line.starts_with(name));
        let values = samples.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok());
        values.sum()
    }

    fn shared_bytes(&self) -> f64 {
        self.metric("hashlane_shared_memory_bytes_total")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn data(bytes: usize, seed: usize) -> Bytes {
    let bytes = (0..bytes).map(|i| u8::try_from((i + seed) % 251).unwrap());
    bytes.collect::<Vec<_>>().into()
}

/// Many parts at once, more than there are slots: bytes, files and streams.
async fn digests(client: &Client, folder: &TempDir) {
    let sizes = [
        0, 1, 16_383, 16_384, 65_535, 65_536, 65_537, 262_144, 3_000_000,
    ];
    let mut parts = JoinSet::new();
    for (seed, size) in sizes.into_iter().cycle().take(40).enumerate() {
        let (client, data) = (client.clone(), data(size, seed));
        let path = folder.path().join(format!("file-{seed}"));
        parts.spawn(async move {
            std::fs::write(&path, &data).unwrap();
            let items = data.chunks(100_000).map(Bytes::copy_from_slice);
            let items: Vec<_> = items.map(Ok::<_, std::io::Error>).collect();
            let expected = Sha256::digest(&data);
            for source in [
                Source::file(&path),
                Source::from(data.clone()),
                Source::stream(tokio_stream::iter(items)),
            ] {
                let digest = client.digest(source, Algorithm::Sha256).await.unwrap();
                assert_eq!(digest.digest()[..], expected[..], "{size} bytes");
                assert_eq!(digest.size_bytes, size as u64);
            }
        });
    }
    while let Some(part) = parts.join_next().await {
        part.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs HASHLANE_SERVER: deploy/tests/clients.sh"]
async fn bytes_reach_a_server_by_shared_memory_and_without_it() {
    for (settings, bytes, is_shared) in [
        (&[][..], 8 << 20, true),
        (&[], 300_000, true),
        (&[], 0, false),
        (&["--shared-memory=false"], 8 << 20, false),
        (&["--shared-memory-bytes-max", "64KiB"], 8 << 20, false),
        // The client asks for less.
        (&["--shared-memory-bytes-max", "6MiB"], 16 << 20, true),
    ] {
        let folder = TempDir::new().unwrap();
        let server = Server::start(&folder, settings);
        let builder = Client::builder().shared_memory_bytes(bytes);
        let client = builder.connect(server.endpoint()).await.unwrap();
        digests(&client, &folder).await;
        let shared = server.shared_bytes();
        assert_eq!(shared > 1e6, is_shared, "{shared} bytes with {settings:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs HASHLANE_SERVER: deploy/tests/clients.sh"]
async fn a_client_shares_memory_with_the_successor_of_its_server() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start(&folder, &[]);
    let client = Client::connect(server.endpoint()).await.unwrap();
    let data = data(1_000_000, 1);
    let expected = Sha256::digest(&data);
    for _ in 0..3 {
        let digest = client
            .digest(data.clone(), Algorithm::Sha256)
            .await
            .unwrap();
        assert_eq!(digest.digest()[..], expected[..]);
        assert!(server.shared_bytes() >= 800_000.0);
        drop(server);
        server = Server::start(&folder, &[]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs HASHLANE_SERVER: deploy/tests/clients.sh"]
async fn buffers_are_in_shared_memory_or_in_this_process() {
    let folder = TempDir::new().unwrap();
    let contents = data(1_000_000, 7);
    let path = folder.path().join("file");
    std::fs::write(&path, &contents).unwrap();
    let server = Server::start(&folder, &[]);
    for (bytes, is_shared) in [(0, false), (8 << 20, true)] {
        let builder = Client::builder().shared_memory_bytes(bytes);
        let client = builder.connect(server.endpoint()).await.unwrap();
        let stream = client.open_stream();
        let before = server.shared_bytes();
        let mut part = stream.part(Algorithm::Sha256).await.unwrap();
        let empty = part.buffer().await.unwrap();
        part.write_buffer(empty).await.unwrap();
        let file = File::open(&path).unwrap();
        loop {
            let mut buffer = part.buffer().await.unwrap();
            buffer.write_all(b"a line before each piece\n").unwrap();
            let read = buffer.read_file(&file).unwrap();
            assert_eq!(buffer.is_full(), read == buffer.capacity() - 25);
            part.write_buffer(buffer).await.unwrap();
            if read == 0 {
                break;
            }
        }
        let digest = part.finish().await.unwrap();
        let mut expected = Sha256::new();
        for piece in contents.chunks((64 << 10) - 25).chain([&[][..]]) {
            expected.update(b"a line before each piece\n");
            expected.update(piece);
        }
        assert_eq!(digest.digest()[..], expected.finalize()[..]);
        let shared = server.shared_bytes() - before;
        assert_eq!(shared > 9e5, is_shared, "{shared} bytes");
        stream.finish().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs HASHLANE_SERVER: deploy/tests/clients.sh"]
async fn a_buffer_of_other_memory_is_refused() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder, &[]);
    let mut parts = Vec::new();
    let mut streams = Vec::new();
    for _ in 0..2 {
        let client = Client::connect(server.endpoint()).await.unwrap();
        let stream = client.open_stream();
        parts.push(stream.part(Algorithm::Sha256).await.unwrap());
        streams.push(stream);
    }
    let mut buffer = parts[0].buffer().await.unwrap();
    buffer.write_all(b"abc").unwrap();
    let refused = parts[1].write_buffer(buffer).await.unwrap_err();
    assert!(matches!(refused, Error::Argument(_)), "{refused}");
    // The part goes on.
    let mut buffer = parts[1].buffer().await.unwrap();
    buffer.write_all(b"abc").unwrap();
    parts[1].write_buffer(buffer).await.unwrap();
    let digest = parts.pop().unwrap().finish().await.unwrap();
    assert_eq!(digest.digest()[..], Sha256::digest(b"abc")[..]);
}
