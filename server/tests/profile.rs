//! Profiles of CPU time, as pprof reads them.

mod common;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use common::{PATIENCE, TestServer, digest, digests, pattern};
use flate2::read::GzDecoder;
use perf_event::Builder;
use perf_event::events::Software;
use prost::Message;

/// As much of pprof's format as the test looks at.
#[derive(Message)]
struct Profile {
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "12")]
    period: i64,
}

#[derive(Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
}

#[derive(Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

impl Profile {
    /// The functions of a sample, the innermost first.
    fn names(&self, sample: &Sample) -> Vec<&str> {
        let places = sample.location_id.iter().flat_map(|id| {
            let location = self.location.iter().find(|location| location.id == *id);
            &location.unwrap().line
        });
        let names = places.map(|line| {
            let function = self.function.iter().find(|f| f.id == line.function_id);
            let name = usize::try_from(function.unwrap().name).unwrap();
            self.string_table[name].as_str()
        });
        names.collect()
    }
}

/// The status and the body of an answer.
fn get(admin: SocketAddr, path: &str) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(admin).unwrap();
    stream.set_read_timeout(Some(2 * PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let status = std::str::from_utf8(&answer[9..12]).unwrap().parse();
    (status.unwrap(), answer.split_off(end + 4))
}

/// Whether the kernel lets a process watch itself here. Where it does not, nothing is tested but
/// that the server says so; who wants to know sets `HASHLANE_TEST_PERF=demanded`.
fn is_allowed() -> bool {
    let is_allowed = Builder::new(Software::CPU_CLOCK).build().is_ok();
    assert!(
        is_allowed || std::env::var_os("HASHLANE_TEST_PERF").is_none_or(|perf| perf != "demanded"),
        "perf_event_open(2) is forbidden, so profiles cannot be tested"
    );
    is_allowed
}

/// One after the other: the second looks for a thread of this process by its name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn profiles() {
    a_profile_names_what_hashes().await;
    one_profile_is_taken_at_a_time().await;
}

async fn a_profile_names_what_hashes() {
    let server = TestServer::start(&[]);
    let admin = server.admin;
    let is_taken = Arc::<AtomicBool>::default();
    let taken = Arc::clone(&is_taken);
    let profile = std::thread::spawn(move || {
        // Longer than any other connection may last.
        let answer = get(admin, "/debug/pprof/profile?seconds=11&hz=199");
        taken.store(true, Relaxed);
        answer
    });
    let data = pattern(1 << 20, 1);
    while !is_taken.load(Relaxed) {
        let part = |n| digest(n, &data, true);
        digests(&server, (0..8).map(part).collect()).await.unwrap();
    }
    let (status, body) = profile.join().unwrap();
    if !is_allowed() {
        assert_eq!(status, 503);
        let text = String::from_utf8(body).unwrap();
        assert!(text.contains("perf_event_paranoid"), "{text}");
        return;
    }
    assert_eq!(status, 200);
    let mut plain = Vec::new();
    GzDecoder::new(&*body).read_to_end(&mut plain).unwrap();
    let profile = Profile::decode(&*plain).unwrap();
    assert_eq!(profile.string_table[0], "");
    assert_eq!(profile.period, 1_000_000_000 / 199);
    for sample in &profile.sample {
        assert_eq!(sample.value[1], sample.value[0] * profile.period);
    }
    // Unwound from the kernels of the engine up to the connection that brought the bytes.
    let is_whole = |sample: &Sample| {
        let names = profile.names(sample);
        let has = |what: &str| names.iter().any(|name| name.contains(what));
        has("hashlane_engine::") && has("hashlane_server::http2::connection::")
    };
    let stacks = || profile.sample.iter().map(|sample| profile.names(sample));
    assert!(
        profile.sample.iter().any(is_whole),
        "{:#?}",
        stacks().collect::<Vec<_>>()
    );
}

async fn one_profile_is_taken_at_a_time() {
    if !is_allowed() {
        return;
    }
    let server = TestServer::start(&[]);
    let admin = server.admin;
    // Its thread has a name.
    let is_running = || {
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        let mut names = threads.map(|thread| {
            let path = thread.unwrap().path().join("comm");
            std::fs::read_to_string(path).unwrap_or_default()
        });
        names.any(|name| name.trim() == "profile")
    };
    // That of the other test may be about to end.
    while is_running() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let first = std::thread::spawn(move || get(admin, "/debug/pprof/profile?seconds=5"));
    while !is_running() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert_eq!(get(admin, "/debug/pprof/profile?seconds=1").0, 429);
    // Probes are answered meanwhile.
    assert_eq!(get(admin, "/readyz").0, 200);
    assert_eq!(first.join().unwrap().0, 200);
    assert_eq!(get(admin, "/debug/pprof/profile?seconds=1").0, 200);
}
