//! The command `matrix`, driving this very executable as hashlane and its own plain server.

use std::process::Stdio;

mod support;
use support::child::{Scene, main_of, rows, said};
use support::until;

fn main() {
    main_of(&[
        (
            "cells_compare_two_servers_by_prepared_frames",
            cells_compare_two_servers_by_prepared_frames,
        ),
        (
            "cells_compare_two_servers_by_hyper",
            cells_compare_two_servers_by_hyper,
        ),
        (
            "wrong_digests_fail_the_matrix",
            wrong_digests_fail_the_matrix,
        ),
        (
            "an_interrupt_leaves_the_cells_before_it",
            an_interrupt_leaves_the_cells_before_it,
        ),
        (
            "more_streams_than_a_server_takes_are_refused",
            more_streams_than_a_server_takes_are_refused,
        ),
    ]);
}

const SHORT: &str = "--round-seconds 0.2 --warmup-seconds 0.05";

fn cells_compare_two_servers_by_prepared_frames() {
    cells_compare_two_servers("prepared");
}

fn cells_compare_two_servers_by_hyper() {
    cells_compare_two_servers("hyper");
}

fn cells_compare_two_servers(client: &str) {
    let scene = Scene::new(&format!("matrix-{client}"));
    let flags = format!(
        "{SHORT} --rounds 2 --streams 1,8 --part-bytes 20KiB --algorithms md5 --rpc shared,fresh \
         --client {client}"
    );
    let output = scene.subcommand("matrix", &flags).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    let of_cell = |row: &serde_json::Value| {
        let server = row["server"].as_str().unwrap_or("both");
        let calls = row["calls"].as_str().unwrap();
        format!("{calls} {} {server}", row["streams"])
    };
    let turns: Vec<_> = rows[..rows.len() - 1].iter().map(of_cell).collect();
    let mut expected = Vec::new();
    for cell in ["shared 1", "shared 8", "fresh 1", "fresh 8"] {
        // The second round runs the other way round.
        for server in ["hashlane", "plain", "plain", "hashlane", "both"] {
            expected.push(format!("{cell} {server}"));
        }
    }
    assert_eq!(turns, expected);
    for row in &rows[..rows.len() - 1] {
        assert_eq!(row["part_bytes"], 20 << 10, "{row}");
        assert_eq!(row["client"], client, "{row}");
        assert!(row["cpu"]["vendor"].is_string(), "{row}");
        let connections = if row["streams"] == 1 { 1 } else { 2 };
        assert_eq!(row["connections"], connections, "{row}");
        if row["kind"] == "matrix_cell" {
            let ratio = row["hashlane_over_plain"]["cpu_seconds_per_gb"].as_f64();
            assert!(ratio > Some(0.0), "{row}");
            assert!(row["ratio_least"].as_f64() <= ratio, "{row}");
            assert!(row["plain"]["parts"].as_u64() > Some(0), "{row}");
            continue;
        }
        assert_eq!(row["kind"], "matrix_round", "{row}");
        assert_eq!(row["algorithms"], serde_json::json!(["md5"]), "{row}");
        // All parts of a stream are on one RPC, or each on its own.
        let is_shared = row["parts_per_stream"].as_u64() > Some(1);
        assert_eq!(is_shared, row["calls"] == "shared", "{row}");
        for figure in ["cpu_seconds_per_gb", "gb", "p50_ms"] {
            assert!(row[figure].as_f64() > Some(0.0), "{figure}: {row}");
        }
        assert!(row["parts_checked"].as_u64() > Some(0), "{row}");
        let wrong = (row["errors"].as_u64(), row["mismatches"].as_u64());
        assert_eq!(wrong, (Some(0), Some(0)), "{row}");
        // The fake counts its blocks, the plain server has no metric.
        let is_plain = row["server"] == "plain";
        assert_eq!(row["occupancy_ratio"].is_null(), is_plain, "{row}");
        assert_eq!(row["efficiency_ratio"].is_null(), is_plain, "{row}");
    }
    let summary = rows.last().unwrap();
    assert_eq!(summary["kind"], "matrix", "{summary}");
    assert_eq!(summary["cells"], 4, "{summary}");
    assert_eq!(summary["worst"].as_array().unwrap().len(), 4, "{summary}");
    for text in [
        "by streams",
        "a lone stream",
        "the worst cells",
        "4 cells are above",
    ] {
        assert!(said(&output).contains(text), "{}", said(&output));
    }
    // A fresh server for each cell.
    let journal = scene.journal();
    let starts = journal.iter().filter(|line| line.starts_with("start"));
    assert_eq!(starts.count(), 4, "{journal:?}");
    let ends = journal.iter().filter(|line| line.starts_with("end"));
    assert_eq!(ends.count(), 4, "{journal:?}");
    let settings = journal
        .iter()
        .filter(|line| *line == "set http2.frame_bytes_max=16384");
    assert_eq!(settings.count(), 4, "{journal:?}");
}

fn wrong_digests_fail_the_matrix() {
    let scene = Scene::new("matrix-wrong");
    let flags = format!(
        "{SHORT} --rounds 1 --streams 4 --part-bytes 4KiB --algorithms sha256 --rpc shared \
         --server-args=--wrong"
    );
    let output = scene.subcommand("matrix", &flags).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let rows = rows(&output);
    assert!(rows[0]["mismatches"].as_u64() > Some(0), "{}", rows[0]);
    assert_eq!(rows[1]["mismatches"], 0, "{}", rows[1]);
    assert!(
        said(&output).contains("the digest is wrong"),
        "{}",
        said(&output)
    );
}

fn an_interrupt_leaves_the_cells_before_it() {
    let scene = Scene::new("matrix-interrupt");
    let flags = format!(
        "{SHORT} --rounds 1 --streams 1,2,3,4,5,6,7,8 --part-bytes 4KiB --algorithms sha256"
    );
    let child = scene
        .subcommand("matrix", &flags)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The second cell begins when the first has ended.
    until("no second cell began", || {
        let journal = scene.journal();
        let starts = journal.iter().filter(|line| line.starts_with("start"));
        starts.count() > 1
    });
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("interrupted"), "{}", said(&output));
    let rows = rows(&output);
    let summary = rows.last().unwrap();
    let cells = rows.iter().filter(|row| row["kind"] == "matrix_cell");
    assert_eq!(summary["kind"], "matrix", "{summary}");
    assert_eq!(summary["cells"], cells.count(), "{summary}");
}

fn more_streams_than_a_server_takes_are_refused() {
    let scene = Scene::new("matrix-streams");
    let output = scene
        .subcommand("matrix", "--brief --streams 201 --connections 2")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    // The fake's limit.
    assert!(
        said(&output).contains("100 streams per connection"),
        "{}",
        said(&output)
    );
}
