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

    fn run_subcommand(&self, subcommand: &str, flags: &str) -> (Output, Value) {
        let (grpc, admin) = (self.at.grpc, self.at.admin);
        let line = format!("{subcommand} --server http://{grpc} --admin {admin} {flags}");
        let output = command(&line).output().unwrap();
        let row = row(&output);
        (output, row)
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

/// Every answer was right, and nothing failed; an open loop's client may have been late.
fn is_right(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 3))
}

const MIX: &str = "--mix digest:sha256=3,verify:md5=2,batch:sha256+crc32=1,multiplexed:sha1=2";

#[test]
fn every_rpc_of_a_mix_is_checked() {
    let server = Server::start(Manner::Honest);
    for pace in ["--streams 8", "--rate 5000/s"] {
        let (output, row) = server.run(&format!(
            "{MIX} {pace} --count 400 --sizes 1..30000 --chunk-size 1000 --threads 2"
        ));
        assert!(is_right(&output), "{}", said(&output));
        assert_eq!(row["totals"]["checked"], 400, "{row}");
        let classes = row["workload"]["classes"].as_array().unwrap();
        let parts = classes.iter().map(|class| class["parts"].as_u64().unwrap());
        assert!(parts.clone().all(|parts| parts > 0), "{row}");
        assert_eq!(parts.sum::<u64>(), 400, "{row}");
        assert_eq!(classes[2]["name"], "batch:sha256+crc32", "{row}");
    }
    let wrong = Server::start(Manner::FlippedBit);
    for rpc in ["digest", "verify", "batch", "multiplexed"] {
        let (output, row) = wrong.run(&format!("--mix {rpc}=1 --count 40 --sizes 2000"));
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(
            row["totals"]["mismatches_wrong"].as_u64().unwrap() > 0,
            "{row}"
        );
    }
}

/// In a closed loop the fifth part would wait for the first answer for ever.
#[test]
fn an_open_loop_starts_parts_whatever_becomes_of_those_before() {
    let server = Server::start(Manner::HoldUntil(150));
    let (output, row) =
        server.run("--rate 2000/s --count 150 --sizes 1000 --connections 2 --part-timeout 60s");
    assert!(is_right(&output), "{}", said(&output));
    assert_eq!(row["totals"]["parts"], 150, "{row}");
    assert_eq!(server.fake.open_parts_max(), 150);
    assert_eq!(row["workload"]["loop"], "open", "{row}");
}

/// 32 is the default of `--streams`, which an open loop does not have.
#[test]
fn an_open_loop_uses_every_connection() {
    let server = Server::start(Manner::Honest);
    let (output, row) =
        server.run("--rate 1000/s --count 40 --sizes 1000 --connections 40 --threads 36");
    assert!(is_right(&output), "{}", said(&output));
    // One more asks for the server's limits.
    assert_eq!(server.fake.connections(), 41);
    assert_eq!(row["client"]["threads"], 36, "{row}");
    assert_eq!(row["settings"]["connections"], 40, "{row}");
}

#[test]
fn starts_beyond_the_maximum_in_flight_are_missed_and_counted() {
    let server = Server::start(Manner::Silent);
    let (output, row) = server.run(
        "--rate 100000/s --count 50 --in-flight-max 5 --sizes 100 --part-timeout 2s \
         --fail-if missed_starts>0",
    );
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let of = |name: &str| row["totals"][name].as_u64().unwrap();
    assert!(of("missed_starts") >= 1, "{row}");
    assert_eq!(of("missed_starts") + of("errors"), 50, "{row}");
    let errors = row["errors"].as_object().unwrap();
    assert!(errors.contains_key("no answer within 2s"), "{row}");
    assert!(said(&output).contains("failed: missed_starts>0: it is"));
}

/// No client makes a million starts in half a second.
#[test]
fn starts_that_the_client_is_too_late_for_are_missed_and_counted() {
    let server = Server::start(Manner::Honest);
    let (output, row) = server.run(
        "--rate 2000000/s --duration 500ms --warmup 0s --in-flight-max 1000000 --sizes 10 \
         --threads 2",
    );
    let of = |name: &str| row["totals"][name].as_u64().unwrap();
    assert!(of("missed_starts") > 0, "{}", said(&output));
    let started = server.fake.parts() + of("errors");
    assert_eq!(of("missed_starts") + started, 1_000_000, "{row}");
}

#[test]
fn corrupted_parts_come_back_as_mismatches_and_nothing_else_does() {
    let flags = "--rpc verify --corrupt 10% --count 1000 --sizes 500,3000 --algorithm sha256,md5";
    let server = Server::start(Manner::Honest);
    let (output, row) = server.run(flags);
    assert!(output.status.success(), "{}", said(&output));
    let of = |row: &Value, name: &str| row["totals"][name].as_u64().unwrap();
    let sent = of(&row, "corrupted_sent");
    assert!((50..200).contains(&sent), "{row}");
    assert_eq!(of(&row, "mismatches_expected"), sent, "{row}");
    let lenient = Server::start(Manner::AlwaysMatch);
    let (output, row) = lenient.run(flags);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let sent = of(&row, "corrupted_sent");
    assert_eq!(of(&row, "mismatches_wrong"), sent, "{row}");
    assert_eq!(of(&row, "mismatches_expected"), 0, "{row}");
}

#[test]
fn a_schedule_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.csv");
    let lines =
        (0..100).map(|index| format!("{},{},md5\n", f64::from(index) / 1000.0, 1000 + index));
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let server = Server::start(Manner::Honest);
    // With a count the window ends with the last part: on a busy machine that is late.
    let flags = format!("--schedule {} --count 100", path.display());
    let (output, row) = server.run(&flags);
    assert!(is_right(&output), "{}", said(&output));
    assert_eq!(
        (&row["totals"]["parts"], server.fake.parts()),
        (&100.into(), 100),
        "{row}"
    );
    assert_eq!(row["totals"]["bytes"], 104_950, "{row}");
}

#[test]
fn the_seconds_of_a_run_sum_up_to_its_totals() {
    let server = Server::start(Manner::Honest);
    let (output, row) = server.run("--rate 300/s --duration 2500ms --sizes 1..20000");
    assert!(is_right(&output), "{}", said(&output));
    let seconds = row["seconds_series"].as_array().unwrap();
    assert!(seconds.len() >= 3, "{row}");
    let sum = |name: &str| -> u64 { seconds.iter().map(|of| of[name].as_u64().unwrap()).sum() };
    assert_eq!(Some(sum("parts")), row["totals"]["parts"].as_u64(), "{row}");
    assert_eq!(Some(sum("bytes")), row["totals"]["bytes"].as_u64(), "{row}");
    let buckets = seconds
        .iter()
        .flat_map(|of| of["response_buckets"].as_array().unwrap());
    let counted: u64 = buckets.map(|bucket| bucket[1].as_u64().unwrap()).sum();
    assert_eq!(counted, sum("parts"), "{row}");
    // Half of the fake's blocks wait for nothing.
    assert!(
        seconds[0]["server"]["occupancy_ratio"].as_f64().is_some(),
        "{row}"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let document = hashlane_loadtest::results::document::RunDocument::parse(&text).unwrap();
    let histogram = document.response_time.histogram().unwrap();
    assert_eq!(histogram.len(), document.totals.parts);
}

#[test]
fn a_stream_is_held_to_its_bandwidth() {
    let server = Server::start(Manner::Honest);
    // The last of ten chunks goes out after nine tenths of 200 ms.
    let (output, row) = server
        .run("--count 3 --streams 1 --sizes 100kB --chunk-size 10kB --client-bandwidth 500kB/s");
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        row["response_time"]["min_ms"].as_f64().unwrap() >= 180.0,
        "{row}"
    );
}

#[test]
fn several_servers_share_the_connections_and_a_token_opens_the_door() {
    let servers = [0, 1].map(|_| Server::start(Manner::Guarded));
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "secret\n").unwrap();
    let addresses = servers
        .each_ref()
        .map(|server| format!("http://{}", server.at.grpc));
    let admins = servers.each_ref().map(|server| server.at.admin.to_string());
    let flags = format!(
        "--server {} --admin {} --count 100 --streams 4 --connections 2 --sizes 1000",
        addresses.join(","),
        admins.join(",")
    );
    let output = command(&format!("{flags} --token-file {}", token.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(servers.iter().all(|server| server.fake.parts() > 0));
    // The metrics are those of both.
    let hashed_gb = row(&output)["server"]["hashed_gb"].as_f64().unwrap();
    assert!((hashed_gb - 100_000.0 / 1e9).abs() < 1e-12, "{hashed_gb}");
    let refused = command(&format!("{flags} --errors-max 3"))
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(!said(&refused).contains("secret"));
    assert_eq!(
        row(&refused)["errors"]
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap(),
        "Unauthenticated"
    );
}

#[test]
fn files_take_the_document_and_the_percentiles_and_conditions_set_the_status() {
    let server = Server::start(Manner::Honest);
    let folder = tempfile::tempdir().unwrap();
    let [json, hgrm] = ["run.json", "run.hgrm"].map(|name| folder.path().join(name));
    let output = server
        .command(&format!(
            "--count 50 --sizes 1000 --label x --json {} --hgrm {} --fail-if p99>1h --fail-if parts<51",
            json.display(),
            hgrm.display()
        ))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(output.stdout.is_empty());
    let failures = said(&output);
    let failures: Vec<_> = failures
        .lines()
        .filter(|line| line.starts_with("failed"))
        .collect();
    assert_eq!(failures, ["failed: parts<51: it is 50.0000"]);
    let document = hashlane_loadtest::results::document::RunDocument::read(&json).unwrap();
    assert_eq!(
        (document.totals.parts, document.label.as_deref()),
        (50, Some("x"))
    );
    let passed: Vec<_> = document.thresholds.iter().map(|of| of.passed).collect();
    assert_eq!(passed, [true, false]);
    assert!(
        std::fs::read_to_string(&hgrm)
            .unwrap()
            .contains("Total count    =           50")
    );
}

#[test]
fn a_search_brackets_its_knee() {
    let server = Server::start(Manner::Honest);
    let (output, row) = server.run_subcommand(
        "search",
        "--rate 40/s --duration 300ms --sizes 1000 --pause 1ms --precision 30% --repeats 1 \
         --limit parts_per_s>150 --gbit-per-s 10",
    );
    assert!(is_right(&output), "{}", said(&output));
    let knee = &row["knee"];
    let of = |name: &str| knee[name].as_f64().unwrap();
    assert!(of("rate") < of("rate_that_breaks"), "{row}");
    assert_eq!(row["kind"], "search");
    assert!(row["steps"].as_array().unwrap().len() >= 4, "{row}");
    if output.status.success() {
        assert_eq!(knee["workers"], 1, "{row}");
        let lines = row["lines"].as_array().unwrap();
        let last = lines.last().unwrap().as_str().unwrap();
        assert!(last.starts_with("one core of this CPU takes"), "{last}");
    }
}

#[test]
fn bad_input_is_one_line_and_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let negative = file("negative", "4KiB,1\n8KiB,-1\n");
    let empty = file("empty", "# nothing\n");
    let trace = file("trace", "0,4KiB\n1\n");
    let server = Server::start(Manner::Honest);
    for (flags, told) in [
        ("--rate 0/s".to_owned(), "a rate is more than zero"),
        (
            format!("--sizes histogram:{negative}"),
            "line 2: its weight is negative",
        ),
        (format!("--sizes histogram:{empty}"), "no weight above zero"),
        (
            "--schedule /nowhere/trace".to_owned(),
            "cannot read the schedule /nowhere/trace",
        ),
        (
            format!("--schedule {trace}"),
            "line 2: it is not TIME_S,SIZE",
        ),
        ("--mix put=1".to_owned(), "its RPC is none of digest"),
        ("--fail-if p98>1ms".to_owned(), "`p98` is none of gb_per_s"),
        ("--fail-if p99>5".to_owned(), "not a time such as 50ms"),
        ("--corrupt 1%".to_owned(), "--corrupt needs parts to verify"),
        (
            "--token-file /nowhere/token".to_owned(),
            "cannot read /nowhere/token",
        ),
    ] {
        let output = server.command(&flags).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", said(&output));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text.lines().count(), 1, "{flags}: {text}");
        assert!(text.contains(told), "{flags}: {text}");
        assert!(output.stdout.is_empty());
    }
    let output = command("--server http://127.0.0.1:1 --rate 5/s")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
    assert_eq!(server.fake.parts(), 0);
}

/// A process that is a server, for tests that stop it.
struct Process(std::process::Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that stands still for 500 ms under 1,000 parts a second: those that should have started
/// in the first 400 ms take longer than 100 ms. A closed loop of four streams sees four of them.
#[test]
#[ignore = "it depends on the machine's timing"]
fn a_server_that_stands_still_shows_in_an_open_loop() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = command(&format!(
        "plain-server --listen {port} --admin-listen 127.0.0.1:0"
    ))
    .spawn()
    .unwrap();
    let server = Process(server);
    until("no server", || std::net::TcpStream::connect(port).is_ok());
    let slow_of = |flags: &str| {
        let flags =
            format!("--server http://{port} --admin off --sizes 1000 --duration 3s {flags}");
        let run = command(&flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = rustix::process::Pid::from_child(&server.0);
        let signal = |signal| rustix::process::kill_process(pid, signal).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let stopped = std::time::Instant::now();
        signal(rustix::process::Signal::STOP);
        std::thread::sleep(std::time::Duration::from_millis(500));
        signal(rustix::process::Signal::CONT);
        let stopped_ms = stopped.elapsed().as_secs_f64() * 1e3;
        let output = run.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let document = hashlane_loadtest::results::document::RunDocument::parse(&text).unwrap();
        let histogram = document.response_time.histogram().unwrap();
        let slow = histogram.len() - histogram.count_between(0, 100_000_000);
        // Those of the first part of the pause, at one a millisecond.
        let expected = stopped_ms - 100.0;
        (
            slow as f64 / expected,
            document.response_time.p999_ms,
            document.totals,
        )
    };
    let (share, p999_ms, totals) = slow_of("--rate 1000/s");
    assert!((2990..=3010).contains(&totals.parts), "{totals:?}");
    assert!(
        (0.95..1.25).contains(&share) && p999_ms > 450.0,
        "{share} of 400, {p999_ms} ms"
    );
    let (share, p999_ms, totals) = slow_of("--streams 4");
    let slow = share * 400.0;
    assert!(
        slow < 5.0 && totals.parts > 1000,
        "{slow} of {totals:?}, {p999_ms} ms"
    );
}

/// The plain server has Digest alone, so the mix of the demonstration has errors, which it tells.
#[test]
fn a_demonstration_starts_a_server_and_writes_its_document() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let server = folder.path().join("server");
    let own = env!("CARGO_BIN_EXE_hashlane-loadtest");
    std::fs::write(
        &server,
        format!("#!/bin/sh\nexec {own} plain-server \"$@\"\n"),
    )
    .unwrap();
    std::fs::set_permissions(&server, std::fs::Permissions::from_mode(0o755)).unwrap();
    let flags = format!(
        "demo --duration 1s --folder {0} --server-bin {0}/server",
        folder.path().display()
    );
    let output = command(&flags).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let path = folder.path().join("hashlane-demo.json");
    let document = hashlane_loadtest::results::document::RunDocument::read(&path).unwrap();
    assert_eq!(document.label.as_deref(), Some("demo"));
    assert!(
        document.errors["Unimplemented"] > 0,
        "{:?}",
        document.errors
    );
    assert!(said(&output).contains("What to see"), "{}", said(&output));
}
