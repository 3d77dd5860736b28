//! The command `run` against a server that is right, and against servers that
//! are wrong in several ways.

use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

mod support;
use support::{Addresses, Fake, Manner, until};

/// A fake server on a runtime of its own; ends when dropped.
struct Server {
    fake: Arc<Fake>,
    at: Addresses,
    _runtime: Runtime,
}

impl Server {
    fn start(manner: Manner) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let fake = Fake::new(manner);
        let at = runtime.block_on(async {
            let (grpc, admin) = (
                TcpListener::bind("127.0.0.1:0").await.unwrap(),
                TcpListener::bind("127.0.0.1:0").await.unwrap(),
            );
            let at = Addresses {
                grpc: grpc.local_addr().unwrap(),
                admin: admin.local_addr().unwrap(),
            };
            tokio::spawn(Arc::clone(&fake).serve_grpc(grpc));
            tokio::spawn(Arc::clone(&fake).serve_admin(admin));
            at
        });
        Self {
            fake,
            at,
            _runtime: runtime,
        }
    }

    /// The load generator with this server's address.
    fn command_without_admin(&self, flags: &str) -> Command {
        command(&format!("--server http://{} {flags}", self.at.grpc))
    }

    /// The same with its metrics.
    fn command(&self, flags: &str) -> Command {
        self.command_without_admin(&format!("--admin http://{} {flags}", self.at.admin))
    }

    fn run(&self, flags: &str) -> (Output, Value) {
        let output = self.command(flags).output().unwrap();
        let row = row(&output);
        (output, row)
    }
}

fn command(flags: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"));
    command.args(flags.split_whitespace());
    command
}

/// The one line on standard output.
fn row(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{}", said(output));
    serde_json::from_str(&text).unwrap()
}

fn said(output: &Output) -> String {
    format!(
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn every_digest_of_a_count_is_checked() {
    let server = Server::start(Manner::Honest);
    let (output, row) = server.run("--count 200 --streams 8 --connections 3 --part-size 0,1,1000,64KiB,200000 --chunk-size 4KiB");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(
        (
            row["totals"]["parts"].as_u64(),
            row["totals"]["checked"].as_u64()
        ),
        (Some(200), Some(200)),
        "{row}"
    );
    assert_eq!(server.fake.parts(), 200);
    for field in ["errors", "mismatches_wrong", "unfinished"] {
        assert_eq!(row["totals"][field], 0, "{row}");
    }
    assert!(
        row["totals"]["gb_per_s"].as_f64().unwrap() > 0.0
            && row["response_time"]["p999_ms"].as_f64() >= row["response_time"]["p50_ms"].as_f64(),
        "{row}"
    );

    // The fake's lanes are three quarters full, and it takes one second of CPU for a GB.
    let kernel = &row["server"]["kernels"]["avx512x16"];
    let blocks = |name: &str| kernel[name].as_f64().unwrap();
    let active_lanes = 16.0 * blocks("lane_blocks_active") / blocks("lane_blocks");
    assert_eq!(
        (active_lanes, &kernel["lanes"]),
        (12.0, &16.into()),
        "{row}"
    );
    let (sent, hashed) = (
        row["totals"]["bytes"].as_f64().unwrap() / 1e9,
        row["server"]["hashed_gb"].as_f64().unwrap(),
    );
    assert!((sent - hashed).abs() < 1e-9, "{row}");
    assert!(
        (row["server"]["cpu_seconds_per_gb"].as_f64().unwrap() - 1.0).abs() < 1e-6,
        "{row}"
    );
    let said = said(&output);
    assert!(said.contains("avx512x16 12.00 of 16"), "{said}");
}

#[test]
fn many_parts_share_a_stream() {
    let server = Server::start(Manner::Honest);
    let (output, row) =
        server.run("--count 101 --streams 4 --parts-per-stream 7 --part-size 1..50000 --chunk-size 1000 --threads 2");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(row["totals"]["checked"], 101, "{row}");
    assert_eq!(server.fake.parts(), 101);
}

#[test]
fn a_stream_sends_its_next_part_after_the_answer() {
    for flags in ["--parts-per-stream 1", "--parts-per-stream 50"] {
        let server = Server::start(Manner::Honest);
        let (output, row) = server.run(&format!(
            "--count 300 --streams 1 --connections 1 --part-size 4KiB --chunk-size 1KiB {flags}"
        ));
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(row["totals"]["parts"], 300, "{row}");
        assert_eq!(server.fake.open_parts_max(), 1, "{flags}");
    }
}

/// Else its figures could be taken for those of a load.
#[test]
fn a_run_without_a_part_in_its_time_says_so_and_fails() {
    let server = Server::start(Manner::Honest);
    let flags = "--duration 1ms --warmup 0s --streams 1 --connections 1 --part-size 64MiB";
    let (output, row) = server.run(flags);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(
        (&row["totals"]["parts"], &row["totals"]["errors"]),
        (&0.into(), &0.into())
    );
    assert!(said(&output).contains("--duration"), "{}", said(&output));
}

#[test]
fn verdicts_are_checked_both_ways() {
    let server = Server::start(Manner::Honest);
    for flags in ["--parts-per-stream 1", "--parts-per-stream 5"] {
        let (output, row) = server.run(&format!(
            "--rpc verify --count 100 --part-size 10000 --chunk-size 3000 {flags}"
        ));
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(row["totals"]["checked"], 100, "{row}");
    }
    let lenient = Server::start(Manner::AlwaysMatch);
    let (output, row) = lenient.run("--rpc verify --count 100 --part-size 10000");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let mismatches = row["totals"]["mismatches_wrong"].as_u64().unwrap();
    assert!((1..100).contains(&mismatches), "{row}");
}

#[test]
fn a_wrong_digest_fails_the_run() {
    let server = Server::start(Manner::FlippedBit);
    let (output, row) = server.run("--count 70 --part-size 5000");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(
        (
            row["totals"]["mismatches_wrong"].as_u64(),
            row["totals"]["errors"].as_u64()
        ),
        (Some(10), Some(0)),
        "{row}"
    );
    assert!(
        said(&output).contains("10 times: the digest is wrong"),
        "{}",
        said(&output)
    );
}

#[test]
fn every_digest_of_several_is_checked() {
    let several = "--algorithm sha256 --algorithm md5,crc64nvme,blake3";
    let server = Server::start(Manner::Honest);
    for flags in [
        "--part-size 0,1,1000,64KiB --chunk-size 4KiB",
        "--part-size 1..50000 --chunk-size 1000 --parts-per-stream 7",
        "--part-size 10000 --chunk-size 3000 --rpc verify",
    ] {
        let (output, row) = server.run(&format!("--count 100 {several} {flags}"));
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(row["totals"]["checked"], 100, "{row}");
        let algorithms = serde_json::json!(["sha256", "md5", "crc64nvme", "blake3"]);
        assert_eq!(
            row["workload"]["classes"][0]["algorithms"], algorithms,
            "{row}"
        );
        assert!(said(&output).contains("sha256+md5+crc64nvme+blake3"));
    }
    // Wrong in the last digest alone.
    let server = Server::start(Manner::FlippedBit);
    let (output, row) = server.run(&format!("--count 70 --part-size 5000 {several}"));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(row["totals"]["mismatches_wrong"], 10, "{row}");
    // Wrong expectations reach each of them.
    let lenient = Server::start(Manner::AlwaysMatch);
    let flags = format!("--rpc verify --count 100 --part-size 10000 {several}");
    let (output, row) = lenient.run(&flags);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let mismatches = row["totals"]["mismatches_wrong"].as_u64().unwrap();
    assert!((1..100).contains(&mismatches), "{row}");
}

#[test]
fn an_algorithm_that_cannot_be_asked_for_is_told() {
    let server = Server::start(Manner::Honest);
    for (flags, told) in [
        ("--algorithm md6", "unknown algorithm \"md6\""),
        (
            "--algorithm md5 --algorithm md5",
            "--algorithm names md5 twice",
        ),
    ] {
        let output = server.command(flags).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(told), "{}", said(&output));
    }
}

#[test]
fn refusals_fail_the_run_and_are_bounded() {
    for (manner, text) in [
        (Manner::Refusing, "ResourceExhausted: no room"),
        (Manner::RefusingParts, "part refused: PART_TOO_LARGE"),
    ] {
        let server = Server::start(manner);
        // Without --errors-max it would go on for a minute.
        let (output, row) =
            server.run("--duration 60s --warmup 0s --part-size 100 --streams 4 --errors-max 12");
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let errors = row["totals"]["errors"].as_u64().unwrap();
        assert!((12..=16).contains(&errors), "{row}");
        assert_eq!(row["totals"]["checked"], 0, "{row}");
        assert!(said(&output).contains(text), "{}", said(&output));
    }
}

#[test]
fn a_silent_server_runs_into_the_time_limit() {
    let server = Server::start(Manner::Silent);
    let (output, row) = server.run("--count 2 --streams 2 --part-size 100 --part-timeout 100ms");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(row["totals"]["errors"], 2, "{row}");
    assert!(
        said(&output).contains("no answer within 100ms"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_duration_measures_a_window_and_lets_parts_end() {
    let server = Server::start(Manner::Honest);
    let (output, row) =
        server.run("--duration 300ms --warmup 100ms --part-size 10000..100000 --streams 6");
    assert!(output.status.success(), "{}", said(&output));
    let seconds = row["seconds"].as_f64().unwrap();
    assert!((0.25..5.0).contains(&seconds), "{row}");
    let (parts, checked) = (
        row["totals"]["parts"].as_u64().unwrap(),
        row["totals"]["checked"].as_u64().unwrap(),
    );
    assert!(0 < parts && parts < checked, "{row}");
    assert_eq!(
        (checked, row["totals"]["unfinished"].as_u64()),
        (server.fake.parts(), Some(0)),
        "{row}"
    );
}

#[test]
fn an_interrupt_ends_it_with_the_report() {
    let server = Server::start(Manner::Honest);
    let child = server
        .command_without_admin("--duration 60s --warmup 0s --part-size 1000 --admin off")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("no parts were sent", || server.fake.parts() >= 100);
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::INT,
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let row = row(&output);
    assert_eq!(
        (row["interrupted"].as_bool(), row["server"].is_null()),
        (Some(true), true),
        "{row}"
    );
    // The fake had answered 100; of each of the 32 streams one answer may still have been on its way.
    assert!(row["totals"]["checked"].as_u64().unwrap() >= 68, "{row}");
}

#[test]
fn what_cannot_work_is_said_before_it_starts() {
    let server = Server::start(Manner::Honest);
    for (mut command, text) in [
        (
            server.command("--streams 500 --connections 4"),
            "more than the 100 streams per connection",
        ),
        (
            server.command("--part-size 2GiB"),
            "longer than the server takes",
        ),
        (
            server.command_without_admin("--count 1 --admin 127.0.0.1:1"),
            "--admin off",
        ),
        (server.command("--streams 0"), "1 to 100000 are allowed"),
        (
            command("--server http://127.0.0.1:1"),
            "cannot connect to http://127.0.0.1:1",
        ),
        (
            command("run --server nowhere"),
            "`nowhere` is not an address",
        ),
        (
            server.command("--tcp-congestion nothing-of-this-name"),
            "this system has no `nothing-of-this-name`",
        ),
        (
            command("disturb --drip-streams 0 --server-bin /nowhere"),
            "nothing disturbs",
        ),
    ] {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(
            output.stdout.is_empty() && said(&output).contains(text),
            "{}",
            said(&output)
        );
    }
    assert_eq!(server.fake.parts(), 0);
}
