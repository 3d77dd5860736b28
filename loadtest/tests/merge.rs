//! The command `merge`: the parts of a stream of answers are the whole.
#![allow(
    clippy::cast_possible_truncation,
    reason = "numbers of tests are small"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hashlane_loadtest::merge::merged;
use hashlane_loadtest::results::document::{RunDocument, ServerFigures, bucket_upper_ms};
use proptest::prelude::*;

#[path = "support/recorder.rs"]
mod recorder;
use recorder::{Answer, record};

const SECONDS: u32 = 4;

fn answer() -> impl Strategy<Value = Answer> {
    (
        0.0..f64::from(SECONDS),
        1_000_u64..60_000_000_000,
        0.0..1.0,
        1_u64..16_000_000,
        prop::bool::weighted(0.1),
        0_usize..2,
    )
        .prop_map(|(at_s, response_ns, served, bytes, failed, class)| Answer {
            at_s,
            response_ns,
            service_ns: 1 + (response_ns as f64 * served) as u64,
            bytes,
            failed,
            class,
        })
}

fn named(documents: impl IntoIterator<Item = RunDocument>) -> Vec<(String, RunDocument)> {
    let name = |(index, document)| (format!("{index}.json"), document);
    documents.into_iter().enumerate().map(name).collect()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= other.abs() * 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn parts_of_a_stream_are_the_whole(
        dealt in prop::collection::vec((answer(), 0_usize..3), 0..100),
    ) {
        let all: Vec<_> = dealt.iter().map(|(answer, _)| *answer).collect();
        let whole = record(&all, SECONDS);
        let parts = (0..3).map(|part| {
            let mine = dealt.iter().filter(|(_, to)| *to == part).map(|(answer, _)| *answer);
            record(&mine.collect::<Vec<_>>(), SECONDS)
        });
        let merged = merged(&named(parts)).unwrap();

        prop_assert_eq!(&merged.response_time, &whole.response_time);
        prop_assert_eq!(&merged.service_time, &whole.service_time);
        prop_assert_eq!(&merged.totals, &whole.totals);
        prop_assert_eq!(&merged.errors, &whole.errors);
        prop_assert_eq!(&merged.settings, &whole.settings);
        prop_assert_eq!(&merged.machine.cpu_model, &whole.machine.cpu_model);
        prop_assert!(close(merged.client.cpu_seconds, whole.client.cpu_seconds));
        for class in &whole.workload.classes {
            // A class of which nothing was sent may be missing.
            let same = merged.workload.classes.iter().find(|other| other.name == class.name);
            prop_assert_eq!(Some(class), same);
        }
        prop_assert_eq!(merged.seconds_series.len(), whole.seconds_series.len());
        for (one, all) in merged.seconds_series.iter().zip(&whole.seconds_series) {
            prop_assert_eq!((one.at_s, one.seconds), (all.at_s, all.seconds));
            prop_assert_eq!((one.parts, one.bytes, one.errors), (all.parts, all.bytes, all.errors));
            prop_assert_eq!(&one.response_buckets, &all.response_buckets);
            prop_assert_eq!(one.response_max_ms, all.response_max_ms);
            prop_assert!(close(one.client_cpu_s, all.client_cpu_s));
            // Within the bucket of the true quantile.
            let quantiles = [
                (one.response_p50_ms, all.response_p50_ms),
                (one.response_p99_ms, all.response_p99_ms),
            ];
            for (one, all) in quantiles {
                prop_assert_eq!(one.is_some(), all.is_some());
                let (Some(one), Some(all)) = (one, all) else { continue };
                let wide = bucket_upper_ms(1) * 1.000_001;
                prop_assert!(one >= all && one <= all * wide, "{} of {}", one, all);
            }
        }
    }
}

/// Two generators, of which each has half of what one server did.
fn halves() -> [RunDocument; 2] {
    [1, 2].map(|seed| recorder::stopped_server(&format!("generator {seed}"), seed, 1.0))
}

#[test]
fn a_servers_figures_count_once() {
    let [one, other] = halves();
    let both = merged(&named([one.clone(), other.clone()])).unwrap();
    let (merged_server, server) = (both.server.unwrap(), one.server.clone().unwrap());
    assert_eq!(merged_server.cpu_seconds, server.cpu_seconds);
    assert_eq!(merged_server.kernels, server.kernels);
    assert_eq!(merged_server.build_info, server.build_info);
    // The same CPU time, of all data.
    let gb = (one.totals.bytes + other.totals.bytes) as f64 / 1e9;
    assert!(close(
        merged_server.cpu_seconds_per_gb.unwrap(),
        server.cpu_seconds.unwrap() / gb
    ));
    let second = both.seconds_series[3].server.clone().unwrap();
    let first = one.seconds_series[3].server.clone().unwrap();
    assert_eq!((second.cpu_s, second.kernels), (first.cpu_s, first.kernels));
    assert_eq!(both.label.as_deref(), Some("generator 1 + generator 2"));
    assert_eq!(both.workload.rate, "2 × 1,000 parts/s, Poisson");

    // The first may not have asked the server.
    let mut blind = one.clone();
    blind.server = None;
    let both = merged(&named([blind, other.clone()])).unwrap();
    assert_eq!(
        both.server.unwrap().cpu_seconds,
        other.server.unwrap().cpu_seconds
    );
}

#[test]
fn different_servers_add_up() {
    let [one, mut other] = halves();
    other.settings.insert(
        "server".into(),
        serde_json::json!(["http://10.0.0.2:50051"]),
    );
    let servers: Vec<ServerFigures> = [&one, &other].map(|run| run.server.clone().unwrap()).into();
    let both = merged(&named([one, other])).unwrap();
    let server = both.server.unwrap();
    let sum = |of: fn(&ServerFigures) -> f64| servers.iter().map(of).sum::<f64>();
    assert!(close(
        server.cpu_seconds.unwrap(),
        sum(|server| server.cpu_seconds.unwrap())
    ));
    assert!(close(
        server.hashed_gb.unwrap(),
        sum(|server| server.hashed_gb.unwrap())
    ));
    assert!(close(
        server.worker_seconds["hash"],
        sum(|server| server.worker_seconds["hash"])
    ));
    let kernel = &server.kernels["md5:avx512x16"];
    assert!(close(
        kernel.lane_blocks,
        sum(|server| server.kernels["md5:avx512x16"].lane_blocks)
    ));
    assert_eq!(kernel.lanes, 16);
    let (one, other) = (
        servers[0].efficiency_ratio.unwrap(),
        servers[1].efficiency_ratio.unwrap(),
    );
    let mean = server.efficiency_ratio.unwrap();
    assert!(mean >= one.min(other) && mean <= one.max(other));
    let shares: f64 = both.seconds_series[3]
        .server
        .as_ref()
        .unwrap()
        .kernels
        .values()
        .sum();
    assert!(close(shares, 1.0), "{shares}");
    assert_eq!(
        both.settings["server"],
        serde_json::json!([["http://127.0.0.1:50051"], ["http://10.0.0.2:50051"]])
    );
}

#[test]
fn generators_without_servers_figures_have_none() {
    let lone = recorder::lone_stream();
    let both = merged(&named([lone.clone(), lone.clone()])).unwrap();
    assert_eq!(both.server, None);
    assert_eq!(both.totals.parts, lone.totals.parts * 2);
    assert_eq!(both.response_time.p99_ms, lone.response_time.p99_ms);
    assert_eq!(both.response_time.max_ms, lone.response_time.max_ms);
}

#[test]
fn a_generator_that_held_the_rate_down_is_named() {
    let [one, mut other] = halves();
    other.client.is_bottleneck = true;
    other.client.why = vec!["late".into()];
    other.interrupted = true;
    other.client.late_starts_p99_ms = Some(7.0);
    let both = merged(&named([one, other])).unwrap();
    assert!(both.client.is_bottleneck && both.interrupted);
    assert_eq!(both.client.why, ["1.json: late"]);
    assert_eq!(
        (both.client.threads, both.client.late_starts_p99_ms),
        (2, Some(7.0))
    );
}

#[test]
fn a_run_that_ended_early_ends_early_in_the_merged_one() {
    let [one, mut other] = halves();
    other.seconds_series.truncate(10);
    other.seconds = 9.5;
    other.seconds_series[9].at_s = 9.5;
    other.seconds_series[9].seconds = 0.5;
    let both = merged(&named([one.clone(), other.clone()])).unwrap();
    assert_eq!((both.seconds, both.seconds_series.len()), (30.0, 30));
    assert_eq!(
        both.seconds_series[9].parts,
        one.seconds_series[9].parts + other.seconds_series[9].parts
    );
    assert_eq!(both.seconds_series[10].parts, one.seconds_series[10].parts);
    assert_eq!(
        both.seconds_series[10].response_p99_ms,
        one.seconds_series[10].response_p99_ms
    );
}

fn merge(arguments: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"));
    command.arg("merge").args(arguments).output().unwrap()
}

#[test]
fn the_command_writes_the_merged_document() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, run: &RunDocument| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, serde_json::to_string(run).unwrap()).unwrap();
        path
    };
    let [mut one, mut other] = halves();
    other.started_at = "2026-03-02T10:00:00.75Z".into();
    let (first, second, output) = (
        file("1.json", &one),
        file("2.json", &other),
        folder.path().join("both.json"),
    );
    let done = merge(&[&first, &second]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let printed = RunDocument::parse(&String::from_utf8(done.stdout).unwrap()).unwrap();
    let done = merge(&[&first, &second, Path::new("--json"), &output]);
    assert_eq!((done.status.code(), &done.stdout[..]), (Some(0), &b""[..]));
    assert_eq!(RunDocument::read(&output).unwrap(), printed);
    assert_eq!(printed.totals.parts, one.totals.parts + other.totals.parts);

    // Conditions are on the merged figures.
    let half = one.totals.parts + 1;
    for (condition, status) in [(format!("parts<{half}"), 0), (format!("parts>{half}"), 1)] {
        let done = merge(&[
            &first,
            &second,
            Path::new("--fail-if"),
            Path::new(&condition),
        ]);
        assert_eq!(done.status.code(), Some(status), "{done:?}");
        let merged = RunDocument::parse(&String::from_utf8(done.stdout).unwrap()).unwrap();
        assert_eq!(merged.thresholds[0].passed, status == 0);
    }

    // Bad input: one line, no file.
    std::fs::remove_file(&output).unwrap();
    other.started_at = "2026-03-02T10:00:01Z".into();
    let late = file("late.json", &other);
    other.started_at = "noon".into();
    let noon = file("noon.json", &other);
    one.response_time.count += 1;
    let miscounted = file("miscounted.json", &one);
    for (bad, says) in [
        (&late, "only runs that began at one time"),
        (&noon, "has no time of its start"),
        (&miscounted, "a histogram has"),
        (&folder.path().join("none.json"), "cannot read"),
    ] {
        let done = merge(&[&first, bad, Path::new("--json"), &output]);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(says) && said.lines().count() == 1, "{said}");
        assert!(!output.exists() && done.stdout.is_empty(), "{said}");
    }
    assert_eq!(merge(&[&first]).status.code(), Some(2));
}
