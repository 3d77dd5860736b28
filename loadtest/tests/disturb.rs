//! The command `disturb`, driving this very executable: started with a server's flags it is
//! the fake server, started by cargo it runs the tests.

use rustix::thread::{CpuSet, sched_getaffinity};

mod support;
use support::child::{Scene, main_of, rows, said};

fn main() {
    main_of(&[
        (
            "slow_streams_stand_beside_honest_ones",
            slow_streams_stand_beside_honest_ones,
        ),
        (
            "slow_streams_that_are_refused_are_an_error",
            slow_streams_that_are_refused_are_an_error,
        ),
        (
            "floods_stand_beside_an_honest_client",
            floods_stand_beside_an_honest_client,
        ),
    ]);
}

fn slow_streams_stand_beside_honest_ones() {
    let scene = Scene::new("disturb");
    // Of the 100 streams that the fake allows a connection, 150 streams that read need two.
    let flags = "--rounds 2 --streams 3 --connections 3 --round-seconds 0.2 --warmup-seconds 0.05 --part-size 1MiB \
        --drip-streams 130 --drip-interval 10ms --idle-streams 20 --unread-streams 30";
    let output = scene.subcommand("disturb", flags).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    let variants: Vec<_> = rows.iter().map(|row| row["variant"].as_str()).collect();
    let (calm, disturbed) = (Some("calm"), Some("disturbed"));
    assert_eq!(variants, [calm, disturbed, disturbed, calm, None]);
    for row in &rows[..4] {
        assert!(row["gb"].as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(row["mismatches"], 0, "{row}");
        assert_eq!(row["efficiency_ratio"], 0.5, "{row}");
        if row["variant"] == "calm" {
            assert!(row["server_streams"].as_f64() <= Some(3.0), "{row}");
            assert!(row["drips"].is_null(), "{row}");
            continue;
        }
        // An honest stream may be on its way from part to part.
        let streams = row["server_streams"].as_f64().unwrap();
        assert!((180.0..=183.0).contains(&streams), "{row}");
        assert_eq!(row["disturb_streams_open"], 180, "{row}");
        assert_eq!(row["disturb_connections"], 3, "{row}");
        assert_eq!(row["disturb_streams_ended"], 0, "{row}");
        assert!(row["drips"].as_u64().unwrap() > 0, "{row}");
    }
    let summary = &rows[4];
    assert_eq!(summary["kind"], "disturb_summary");
    let ratios = summary["gb_per_s_ratios"].as_array().unwrap();
    assert_eq!(ratios.len(), 2, "{summary}");
    for (ratio, (disturbed, calm)) in ratios.iter().zip([(1, 0), (2, 3)]) {
        let rate = |row: usize| rows[row]["gb_per_s"].as_f64().unwrap();
        let expected = rate(disturbed) / rate(calm);
        let error = ratio.as_f64().unwrap() / expected - 1.0;
        assert!(error.abs() < 1e-9, "{expected}: {summary}");
    }
    assert!(
        said(&output).contains("throughput disturbed/calm"),
        "{}",
        said(&output)
    );
}

fn slow_streams_that_are_refused_are_an_error() {
    let scene = Scene::new("refused");
    // One honest round, then the disturbed one, in which the server refuses.
    let flags = "--rounds 1 --streams 1 --round-seconds 0.1 --errors-max 1 --drip-streams 5 --drip-interval 1ms \
        --server-args=--refusing";
    let output = scene.subcommand("disturb", flags).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let text = "only 0 of 5 disturbing streams would open: ResourceExhausted: no room";
    assert!(said(&output).contains(text), "{}", said(&output));
    let journal = scene.journal();
    assert!(
        journal.last().unwrap().starts_with("end lanes"),
        "{journal:?}"
    );
}

fn floods_stand_beside_an_honest_client() {
    let scene = Scene::new("flood");
    let cpus = sched_getaffinity(None).unwrap();
    let cpu = (0..CpuSet::MAX_CPU).find(|&cpu| cpus.is_set(cpu)).unwrap();
    let flags = format!(
        "--flood ping,rapid-reset,churn --hostile 1,3 --rounds 2 \
         --hostile-from 127.0.0.2,127.0.0.1 --part-size 64KiB \
         --round-seconds 0.1 --warmup-seconds 0.02 --pin-server {cpu} --pin-client {cpu}"
    );
    let output = scene.subcommand("disturb", &flags).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    let turns = |kind: &str| -> Vec<_> {
        let rows = rows.iter().filter(|row| row["kind"] == kind);
        rows.map(|row| {
            (
                row["flood"].as_str().unwrap(),
                row["hostile"].as_u64().unwrap(),
                row["hostile_from"].as_str().unwrap(),
            )
        })
        .collect()
    };
    let floods = ["spins", "ping", "rapid-reset", "churn"];
    let turn = |hostile: u64, from| floods.map(|flood| (flood, hostile, from));
    let (other, same) = ("127.0.0.2", "127.0.0.1");
    let one_round = [turn(1, other), turn(3, other), turn(1, same), turn(3, same)].concat();
    let back = one_round.iter().rev();
    let both: Vec<_> = one_round.iter().chain(back).copied().collect();
    assert_eq!(turns("flood_round"), both);
    assert_eq!(turns("flood"), one_round);
    for row in rows.iter().filter(|row| row["kind"] == "flood_round") {
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        assert!(number(&row["peak_mib"]) > 0.0, "{row}");
        assert_eq!(row["before"]["mismatches"], 0, "{row}");
        assert_eq!(row["during"]["mismatches"], 0, "{row}");
        match row["flood"].as_str().unwrap() {
            "spins" => {
                assert_eq!(row["connections_made"], 0, "{row}");
                assert_eq!(number(&row["hostile_mb_per_s"]), 0.0, "{row}");
            }
            "ping" => assert_eq!(row["closes"], serde_json::json!({}), "{row}"),
            _ => {}
        }
    }
    // Of a busy machine one window may be too short for anybody to do anything.
    let total = |flood: &str, read: fn(&serde_json::Value) -> f64| -> f64 {
        let of_flood =
            |row: &&serde_json::Value| row["kind"] == "flood_round" && row["flood"] == flood;
        rows.iter().filter(of_flood).map(read).sum()
    };
    for flood in &floods {
        let before = |row: &serde_json::Value| row["before"]["mb_per_s"].as_f64().unwrap();
        assert!(total(flood, before) > 0.0, "{flood}");
    }
    for flood in &floods[1..] {
        assert!(
            total(flood, |row| row["hostile_mb_per_s"].as_f64().unwrap()) > 0.0,
            "{flood}"
        );
    }
    assert!(total("churn", |row| row["connections_made"].as_f64().unwrap()) > 0.0);
    // hyper's server ends connections that reset too many calls.
    let calms =
        |row: &serde_json::Value| row["closes"]["ENHANCE_YOUR_CALM"].as_f64().unwrap_or(0.0);
    assert!(total("rapid-reset", calms) > 0.0);
    // As the fake counts it, wherever anything was hashed.
    for row in rows.iter().filter(|row| row["kind"] == "flood_round") {
        for window in [&row["before"], &row["during"]] {
            let efficiency = &window["efficiency_ratio"];
            let hashed = window["mb_per_s"].as_f64() > Some(0.0);
            assert!(
                *efficiency == 0.5 || !hashed && efficiency.is_null(),
                "{row}"
            );
        }
    }
    let control = rows.iter().find(|row| row["kind"] == "flood").unwrap();
    assert_eq!(control["before_efficiency_ratio"], 0.5, "{control}");
    assert_eq!(control["during_efficiency_ratio"], 0.5, "{control}");
    assert_eq!(control["during_over_spins"], 1.0, "{control}");
    // As the table of its bounds has it.
    assert_eq!(control["bound_mib"], 20.0, "{control}");
    // CPUs by number, and CPUs' worth of time, are told apart.
    assert_eq!(control["server_cpus"], cpu.to_string(), "{control}");
    assert!(control["server_busy_cpus"].is_f64(), "{control}");
    assert!(said(&output).contains("frames/s"), "{}", said(&output));
    // Every turn has had a server of its own, and has ended it.
    assert_eq!(scene.journal().len(), 2 * 32, "{:?}", scene.journal());
}
