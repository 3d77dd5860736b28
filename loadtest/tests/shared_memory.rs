//! `run` with memory that a server at a Unix socket shares.

use std::process::{Command, Output};

use hashlane_loadtest::results::document::RunDocument;
use tempfile::TempDir;
use tokio::runtime::Runtime;

mod support;
use support::{Fake, Manner};

/// A fake server at `a.sock` in a folder of its own; ends when dropped.
struct Server {
    folder: TempDir,
    _runtime: Runtime,
}

impl Server {
    /// It shares memory if `status` is 0.
    fn start(manner: Manner, status: u8) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let guard = runtime.enter();
        Fake::new(manner).serve_unix(&folder.path().join("a.sock"), status);
        drop(guard);
        Self {
            folder,
            _runtime: runtime,
        }
    }

    fn run(&self, flags: &str) -> Output {
        let folder = self.folder.path().display();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"));
        command.args(["--admin", "off", "--server"]);
        command.arg(format!("unix:{folder}/a.sock"));
        command.args(flags.split_whitespace()).output().unwrap()
    }
}

fn said(output: &Output) -> String {
    format!(
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    )
}

fn document(output: &Output) -> RunDocument {
    let text = String::from_utf8_lossy(&output.stdout);
    RunDocument::parse(&text).unwrap_or_else(|error| panic!("{error:#}: {}", said(output)))
}

#[test]
fn the_data_of_every_rpc_with_parts_goes_in_memory() {
    let server = Server::start(Manner::Honest, 0);
    for flags in [
        "--rpc digest --parts-per-stream 1",
        "--rpc digest --parts-per-stream 7 --algorithm sha256,md5",
        "--rpc multiplexed",
        "--rpc verify --corrupt 20% --parts-per-stream 3",
        "--mix digest:sha256=2,verify:md5=1 --corrupt 20%",
        "--rpc digest --rate 2000/s --threads 2",
    ] {
        // 5,000 bytes are too few for a range, and 70,000 bytes end in such a rest.
        let sizes = "--sizes 5000,64KiB,70000,300000 --connections 2";
        let streams = if flags.contains("--rate") {
            ""
        } else {
            "--streams 6"
        };
        let output = server.run(&format!("--count 120 {sizes} {streams} {flags}"));
        assert!(output.status.success(), "{flags}: {}", said(&output));
        let totals = document(&output).totals;
        assert_eq!(totals.checked, 120, "{flags}");
        assert_eq!(totals.corrupted_sent, totals.mismatches_expected, "{flags}");
        assert!(
            totals.memory_bytes > totals.bytes / 2 && totals.memory_bytes < totals.bytes,
            "{flags}: {totals:?}"
        );
        assert!(said(&output).contains("in shared memory"), "{flags}");
    }
}

#[test]
fn all_bytes_of_a_count_are_counted_where_they_went() {
    let server = Server::start(Manner::Honest, 0);
    // Two ranges, and 1,000 bytes in the message.
    let part = 2 * 65_536 + 1_000;
    for (flags, in_memory) in [
        ("", 2 * 65_536),
        ("--transport memory", 2 * 65_536),
        ("--transport socket", 0),
    ] {
        let flags = format!("--count 40 --sizes {part} --streams 4 {flags}");
        let output = server.run(&flags);
        assert!(output.status.success(), "{flags}: {}", said(&output));
        let totals = document(&output).totals;
        let sums = (totals.bytes, totals.memory_bytes);
        assert_eq!(sums, (40 * part, 40 * in_memory), "{flags}");
    }
}

#[test]
fn a_wrong_digest_of_data_in_memory_fails_the_run() {
    let server = Server::start(Manner::FlippedBit, 0);
    let output = server.run("--count 70 --sizes 64KiB --transport memory");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(document(&output).totals.mismatches_wrong, 10);
}

#[test]
fn without_memory_the_data_goes_through_the_socket_unless_memory_is_wanted() {
    let server = Server::start(Manner::Honest, 4);
    let output = server.run("--count 20 --sizes 64KiB");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(document(&output).totals.memory_bytes, 0);
    assert!(said(&output).contains("status 4"), "{}", said(&output));
    for (flags, told) in [
        ("--sizes 64KiB", "status 4"),
        ("--rpc batch", "a batch carries its blobs"),
        ("--mix digest=1,batch=1", "a batch carries its blobs"),
        ("--chunk-size 2MiB", "at most 1048576 bytes"),
        ("--server http://127.0.0.1:1", "unix:"),
    ] {
        let output = server.run(&format!("--count 20 --transport memory {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", said(&output));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text.lines().count(), 1, "{flags}: {text}");
        assert!(text.contains(told), "{flags}: {text}");
    }
}

/// Batches carry their blobs, and the other RPC of the mix uses memory.
#[test]
fn a_mix_with_batches_uses_both_ways() {
    let server = Server::start(Manner::Honest, 0);
    let output = server.run("--count 60 --sizes 64KiB --mix digest=1,batch=1");
    assert!(output.status.success(), "{}", said(&output));
    let totals = document(&output).totals;
    assert!(totals.memory_bytes > 0 && totals.memory_bytes < totals.bytes);
}
