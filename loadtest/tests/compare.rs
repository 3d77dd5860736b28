//! The command `compare`, driving this very executable: started with a server's flags it is
//! the fake server, started by cargo it runs the tests.

use std::process::{Command, Stdio};

mod support;
use support::child::{Scene, main_of, rows, said};
use support::until;

fn main() {
    main_of(&[
        (
            "modes_take_turns_and_children_end",
            modes_take_turns_and_children_end,
        ),
        (
            "algorithms_are_compared_with_a_baseline",
            algorithms_are_compared_with_a_baseline,
        ),
        (
            "wrong_digests_fail_the_comparison",
            wrong_digests_fail_the_comparison,
        ),
        (
            "the_prepared_client_checks_digests_and_finds_the_floor",
            the_prepared_client_checks_digests_and_finds_the_floor,
        ),
        (
            "the_prepared_client_tells_of_what_goes_wrong",
            the_prepared_client_tells_of_what_goes_wrong,
        ),
        (
            "loads_that_the_prepared_client_cannot_carry_are_refused",
            loads_that_the_prepared_client_cannot_carry_are_refused,
        ),
        (
            "a_server_that_does_not_start_is_explained",
            a_server_that_does_not_start_is_explained,
        ),
        (
            "a_server_without_a_mode_is_found_before_the_first_round",
            a_server_without_a_mode_is_found_before_the_first_round,
        ),
        (
            "a_window_without_a_part_is_no_success",
            a_window_without_a_part_is_no_success,
        ),
        (
            "the_prepared_client_sends_many_parts_on_one_rpc",
            the_prepared_client_sends_many_parts_on_one_rpc,
        ),
        (
            "every_rpc_has_streams_that_share_connections",
            every_rpc_has_streams_that_share_connections,
        ),
        (
            "programs_are_found_by_path_alone",
            programs_are_found_by_path_alone,
        ),
        ("an_interrupt_stops_the_child", an_interrupt_stops_the_child),
        (
            "settings_reach_the_server_and_the_rows",
            settings_reach_the_server_and_the_rows,
        ),
        ("peers_take_their_turns", peers_take_their_turns),
        (
            "other_settings_are_a_baseline",
            other_settings_are_a_baseline,
        ),
    ]);
}

const SHORT: &str =
    "--round-seconds 0.2 --warmup-seconds 0.05 --part-size 64KiB --chunk-size 16KiB";

fn modes_take_turns_and_children_end() {
    let scene = Scene::new("turns");
    // 250 streams need three connections of the 100 streams that the fake allows.
    let output = scene.run(&format!(
        "{SHORT} --rounds 2 --connections 2 --sweep-streams 8,250"
    ));
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    let turns: Vec<_> = rows
        .iter()
        .map(|row| {
            let what = if row["kind"] == "round" {
                &row["mode"]
            } else {
                &row["kind"]
            };
            let streams = row["streams"].as_u64().or(row["base_streams"].as_u64());
            (what.as_str().unwrap(), streams.unwrap())
        })
        .collect();
    let one_round = [
        ("lanes", 8),
        ("inline", 8),
        ("sink", 8),
        ("lanes", 250),
        ("inline", 250),
        ("sink", 250),
    ];
    // The second round runs the other way round.
    let rounds = one_round.iter().chain(one_round.iter().rev());
    let expected: Vec<_> = rounds
        .chain(&[("summary", 8), ("summary", 250), ("sweep", 8)])
        .copied()
        .collect();
    assert_eq!(turns, expected);
    for row in rows.iter().filter(|row| row["kind"] == "round") {
        for figure in [
            "cpu_seconds_per_gb",
            "client_cpu_seconds_per_gb",
            "gb_per_s",
            "peak_mib",
            "seconds",
            "gb",
        ] {
            assert!(row[figure].as_f64().unwrap() > 0.0, "{figure}: {row}");
        }
        // The first part of a stream only spreads the starts: its latency is not recorded.
        let has_latencies = row["parts"].as_u64() > row["streams"].as_u64();
        assert!(
            row["p50_ms"].as_f64() <= row["p99_ms"].as_f64()
                && (row["p50_ms"].is_number() || !has_latencies),
            "{row}"
        );
        assert_eq!(
            (row["errors"].as_u64(), row["mismatches"].as_u64()),
            (Some(0), Some(0)),
            "{row}"
        );
        assert!(
            (row["occupancy_ratio"].as_f64().unwrap() - 0.75).abs() < 1e-9,
            "{row}"
        );
        assert!(
            (row["efficiency_ratio"].as_f64().unwrap() - 0.5).abs() < 1e-9,
            "{row}"
        );
        let connections = if row["streams"] == 250 { 3 } else { 2 };
        assert_eq!(row["connections"], connections, "{row}");
        // A server that does not hash cannot be checked; the others are.
        assert_eq!(
            row["parts_checked"].as_u64().unwrap() > 0,
            row["mode"] != "sink",
            "{row}"
        );
    }
    let sweep = rows.last().unwrap();
    for mode in ["lanes", "inline", "sink"] {
        let [base, many] = sweep["modes"][mode].as_array().unwrap().as_slice() else {
            panic!("{sweep}")
        };
        assert_eq!(
            (base["streams"].as_u64(), base["growth"].as_f64()),
            (Some(8), Some(1.0)),
            "{sweep}"
        );
        assert_eq!(
            (many["streams"].as_u64(), many["connections"].as_u64()),
            (Some(250), Some(3)),
            "{sweep}"
        );
        assert!(many["growth"].as_f64().unwrap() > 0.0, "{sweep}");
        // The fake allows itself 20 MiB, and 1 MiB for each connection.
        assert_eq!(
            (base["bound_mib"].as_f64(), many["bound_mib"].as_f64()),
            (Some(22.0), Some(23.0)),
            "{sweep}"
        );
        assert!(many["peak_over_bound"].as_f64().unwrap() > 0.0, "{sweep}");
    }
    assert!(said(&output).contains("over 8"), "{}", said(&output));
    let summary = &rows[12];
    assert!(
        summary["ratios"]["lanes_over_inline"]["cpu_seconds_per_gb"]
            .as_f64()
            .unwrap()
            > 0.0,
        "{summary}"
    );
    assert!(
        summary["ratios"]["lanes_over_sink"]["p50_ms"]
            .as_f64()
            .unwrap()
            > 0.0,
        "{summary}"
    );

    let journal = scene.journal();
    assert_eq!(journal.len(), 24, "{journal:?}");
    for pair in journal.chunks(2) {
        // One after the other, each ended in order after it had worked.
        assert_eq!(
            pair[0].replacen("start", "end", 1) + " true",
            pair[1],
            "{journal:?}"
        );
    }
}

fn algorithms_are_compared_with_a_baseline() {
    let scene = Scene::new("baseline");
    let output = scene.run(&format!(
        "{SHORT} --rounds 2 --streams 8 --modes lanes,sink \
         --algorithm sha256,md5,crc64nvme --baseline sha256"
    ));
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    let turns: Vec<_> = rows[..6]
        .iter()
        .map(|row| {
            let algorithms = row["algorithms"].as_array().unwrap().len();
            let mode = row["mode"].as_str().unwrap();
            assert_eq!(row["mismatches"], 0, "{row}");
            assert_eq!(
                row["parts_checked"].as_u64() > Some(0),
                mode != "sink",
                "{row}"
            );
            (mode, row["baseline"].as_bool().unwrap(), algorithms)
        })
        .collect();
    let one_round = [("lanes", false, 3), ("sink", false, 3), ("lanes", true, 1)];
    let both: Vec<_> = one_round
        .iter()
        .chain(one_round.iter().rev())
        .copied()
        .collect();
    assert_eq!(turns, both);
    let summary = &rows[6];
    assert_eq!(
        summary["algorithms"].as_array().unwrap().len(),
        3,
        "{summary}"
    );
    assert_eq!(summary["baseline"]["algorithms"][0], "sha256", "{summary}");
    let over = &summary["ratios"]["lanes_over_baseline"]["cpu_seconds_per_gb"];
    assert!(over.as_f64().unwrap() > 0.0, "{summary}");
    assert!(
        said(&output).contains("lanes/baseline"),
        "{}",
        said(&output)
    );
}

fn wrong_digests_fail_the_comparison() {
    let scene = Scene::new("wrong");
    let output = scene.run(&format!(
        "{SHORT} --rounds 1 --modes lanes,inline --server-args=--wrong"
    ));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let rows = rows(&output);
    assert!(
        rows[0]["mismatches"].as_u64().unwrap() > 0 && rows[1]["mismatches"] == 0,
        "{rows:?}"
    );
    assert!(
        said(&output).contains("the digest is wrong"),
        "{}",
        said(&output)
    );
}

fn the_prepared_client_checks_digests_and_finds_the_floor() {
    let scene = Scene::new("prepared");
    let output = scene.run(&format!(
        "{SHORT} --rounds 2 --streams 8 --client prepared --modes lanes,sink,floor \
         --algorithm sha256,crc32c --frame-size 32KiB"
    ));
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    for row in &rows[..6] {
        let is_floor = row["mode"] == "floor";
        assert_eq!(row["client"], "prepared", "{row}");
        assert_eq!(row["frame_bytes"], 32 << 10, "{row}");
        for figure in [
            "cpu_seconds_per_gb",
            "client_cpu_seconds_per_gb",
            "gb_per_s",
        ] {
            assert!(row[figure].as_f64().unwrap() > 0.0, "{figure}: {row}");
        }
        let checked = row["parts_checked"].as_u64().unwrap();
        assert_eq!(checked > 0, row["mode"] == "lanes", "{row}");
        assert_eq!(
            (row["errors"].as_u64(), row["mismatches"].as_u64()),
            (Some(0), Some(0)),
            "{row}"
        );
        assert_eq!(row["p50_ms"].is_number(), !is_floor, "{row}");
        let halves = ["receive_cpu_seconds_per_gb", "engine_cpu_seconds_per_gb"]
            .map(|half| row[half].as_f64());
        if let [Some(receive), Some(engine)] = halves {
            let sum = row["cpu_seconds_per_gb"].as_f64().unwrap();
            assert!(receive > 0.0 && engine > 0.0, "{row}");
            assert!((receive + engine - sum).abs() < 1e-9, "{row}");
        }
        assert_eq!(
            halves[0].is_some() && halves[1].is_some(),
            is_floor,
            "{row}"
        );
    }
    let summary = &rows[6];
    for ratio in ["lanes_over_floor", "sink_over_floor", "lanes_over_sink"] {
        let ratio = &summary["ratios"][ratio]["cpu_seconds_per_gb"];
        assert!(ratio.as_f64().unwrap() > 0.0, "{summary}");
    }
    assert!(said(&output).contains("floor: "), "{}", said(&output));
    assert!(
        said(&output).contains("frames of 32KiB"),
        "{}",
        said(&output)
    );
    // Two modes in two rounds started a server; the floor has none.
    assert_eq!(scene.journal().len(), 3 * 4, "{:?}", scene.journal());
}

fn the_prepared_client_tells_of_what_goes_wrong() {
    for (flag, text) in [
        ("--wrong", "the digest is wrong"),
        ("--refusing", "the server ended the call without an answer"),
    ] {
        let scene = Scene::new("prepared-wrong");
        let output = scene.run(&format!(
            "{SHORT} --rounds 1 --client prepared --modes lanes --server-args={flag}"
        ));
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(text), "{}", said(&output));
    }
}

fn loads_that_the_prepared_client_cannot_carry_are_refused() {
    let scene = Scene::new("prepared-refused");
    for (flags, text) in [
        ("--modes lanes,floor", "--client prepared"),
        ("--client prepared --rpc verify", "Digest"),
    ] {
        let output = scene.run(&format!("{SHORT} --rounds 1 {flags}"));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(text), "{}", said(&output));
    }
    assert!(scene.journal().is_empty());
}

fn a_server_that_does_not_start_is_explained() {
    let scene = Scene::new("broken");
    let output = scene.run(&format!("{SHORT} --rounds 1 --server-args=--broken"));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(output.stdout.is_empty());
    assert!(
        said(&output).contains("the setting `broken` is not known"),
        "{}",
        said(&output)
    );
    assert!(scene.journal().is_empty());
}

fn a_server_without_a_mode_is_found_before_the_first_round() {
    let scene = Scene::new("without");
    let flags = format!("{SHORT} --rounds 1 --server-args=--without-measure");
    let output = scene.run(&flags);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("the mode inline") && said(&output).contains("--features measure"),
        "{}",
        said(&output)
    );
    assert!(output.stdout.is_empty() && scene.journal().is_empty());
    // What it has it can be asked for.
    let output = scene.run(&format!("{flags} --modes lanes"));
    assert!(output.status.success(), "{}", said(&output));
    let mut disturb = scene.subcommand("disturb", &format!("{flags} --mode sink"));
    let output = disturb.output().unwrap();
    assert!(said(&output).contains("the mode sink"), "{}", said(&output));
}

fn a_window_without_a_part_is_no_success() {
    let scene = Scene::new("no-part");
    let output = scene.run(&format!(
        "{SHORT} --rounds 1 --modes lanes --server-args=--silent"
    ));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(rows(&output)[0]["parts"], 0);
    assert!(
        said(&output).contains("no part was answered in the window"),
        "{}",
        said(&output)
    );
}

fn the_prepared_client_sends_many_parts_on_one_rpc() {
    let scene = Scene::new("prepared-many");
    let output = scene.run(
        "--rounds 1 --round-seconds 0.2 --warmup-seconds 0.05 --streams 6 --client prepared \
         --modes lanes,sink,floor --part-size 20KiB --parts-per-stream 3",
    );
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    for row in &rows[..3] {
        assert_eq!(row["parts_per_stream"], 3, "{row}");
        // More than the calls of the first parts.
        let parts = row["parts"].as_u64();
        assert!(parts > Some(3 * 6) || row["mode"] == "floor", "{row}");
        let wrong = (row["errors"].as_u64(), row["mismatches"].as_u64());
        assert_eq!(wrong, (Some(0), Some(0)), "{row}");
    }
}

fn every_rpc_has_streams_that_share_connections() {
    let scene = Scene::new("rpcs");
    for rpc in ["digest", "verify", "batch", "multiplexed"] {
        let flags = "--rounds 1 --modes lanes --streams 8 --connections 2";
        let output = scene.run(&format!("{SHORT} {flags} --rpc {rpc}"));
        assert!(output.status.success(), "{rpc}: {}", said(&output));
        let row = &rows(&output)[0];
        assert_eq!(row["errors"], 0, "{rpc}: {row}");
        assert!(row["parts"].as_u64().unwrap() > 0, "{rpc}: {row}");
    }
}

fn programs_are_found_by_path_alone() {
    let scene = Scene::new("path");
    // `sh` is in PATH.
    let mut server = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"));
    server.args(["compare", "--server-bin", "sh"]);
    for mut command in [server, scene.command("--peer shell=sh")] {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(
            said(&output).contains("not looked up in PATH"),
            "{}",
            said(&output)
        );
    }
    // One in the folder of the process is taken, although its name has no slash.
    let folder = scene.journal_path().with_file_name("bin");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(std::env::current_exe().unwrap(), folder.join("sh")).unwrap();
    let output = scene
        .command(&format!("{SHORT} --rounds 1 --modes lanes --peer=shell=sh"))
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(rows(&output)[1]["parts_checked"].as_u64() > Some(0));
}

fn an_interrupt_stops_the_child() {
    let scene = Scene::new("interrupt");
    let child = scene
        .command("--round-seconds 60 --rounds 9")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the server was not started", || !scene.journal().is_empty());
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("interrupted"), "{}", said(&output));
    let journal = scene.journal();
    assert!(
        journal.len() == 2 && journal[1].starts_with("end lanes"),
        "{journal:?}"
    );
}

fn settings_reach_the_server_and_the_rows() {
    let scene = Scene::new("settings");
    let output = scene.run(&format!(
        "{SHORT} --rounds 1 --modes lanes --server-set unary_bytes_max=30MiB --server-set a.b=c"
    ));
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    assert_eq!(rows.len(), 2, "{rows:?}");
    for row in &rows {
        assert_eq!(row["server_set"]["unary_bytes_max"], "30MiB", "{row}");
        assert_eq!(row["server_set"]["a.b"], "c", "{row}");
        assert_eq!(row["bound_mib"], 34.0, "{row}");
    }
    assert!(rows[0]["server_streams"].is_number(), "{}", rows[0]);
    let journal = scene.journal();
    assert_eq!(journal[0], "set unary_bytes_max=30MiB a.b=c");
}

fn peers_take_their_turns() {
    let scene = Scene::new("peers");
    let own = std::env::current_exe().unwrap();
    let journal = scene.journal_path();
    // By its own flags the fake names its mode in its journal.
    let peer = |name: &str, flags: &str| {
        let (own, journal) = (own.display(), journal.display());
        format!("--peer={name}={own} --journal {journal} {flags}")
    };
    let output = scene
        .command(&format!(
            "{SHORT} --rounds 2 --modes lanes --server-set a.b=c"
        ))
        .args([peer("one", "--hashing inline"), peer("other", "--wrong")])
        .output()
        .unwrap();
    // The other one's digests are wrong.
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let rows = rows(&output);
    let turns: Vec<_> = rows[..6].iter().map(|row| &row["mode"]).collect();
    assert_eq!(turns, ["lanes", "one", "other", "other", "one", "lanes"]);
    for row in &rows[..6] {
        assert!(row["parts_checked"].as_u64() > Some(0), "{row}");
        assert!(row["cpu_seconds_per_gb"].as_f64() > Some(0.0), "{row}");
        assert_eq!(row["mismatches"] != 0, row["mode"] == "other", "{row}");
        // What is known of the server is not said of peers.
        let is_peer = row["mode"] != "lanes";
        assert_eq!(row["bound_mib"].is_null(), is_peer, "{row}");
        assert_eq!(row["server_set"]["a.b"].is_null(), is_peer, "{row}");
    }
    let ratios = &rows[6]["ratios"];
    for ratio in ["lanes_over_one", "lanes_over_other"] {
        let ratio = &ratios[ratio]["cpu_seconds_per_gb"];
        assert!(ratio.as_f64() > Some(0.0), "{ratios}");
    }
    assert!(said(&output).contains("lanes/one"), "{}", said(&output));
    let journal = scene.journal();
    let of_one = journal
        .iter()
        .filter(|line| line.starts_with("start inline"));
    assert_eq!(of_one.count(), 2, "{journal:?}");
    let settings = journal.iter().filter(|line| line.starts_with("set "));
    assert_eq!(settings.count(), 2, "{journal:?}");
}

fn other_settings_are_a_baseline() {
    let scene = Scene::new("baseline-set");
    let output = scene.run(&format!(
        "{SHORT} --rounds 2 --modes lanes --connections 1 --sweep-streams 2,4@3 \
         --server-set a.b=1 --baseline-set a.b=2 --baseline-set c.d=3"
    ));
    assert!(output.status.success(), "{}", said(&output));
    let rows = rows(&output);
    let rounds: Vec<_> = rows.iter().filter(|row| row["kind"] == "round").collect();
    assert_eq!(rounds.len(), 2 * 2 * 2);
    for row in &rounds {
        let connections = if row["streams"] == 4 { 3 } else { 1 };
        assert_eq!(row["connections"], connections, "{row}");
        let set = if row["baseline"] == true {
            serde_json::json!({"a.b": "2", "c.d": "3"})
        } else {
            serde_json::json!({"a.b": "1"})
        };
        assert_eq!(row["server_set"], set, "{row}");
        assert!(row["tcp_to_zero_windows"].is_u64(), "{row}");
    }
    let journal = scene.journal();
    assert!(
        journal.contains(&"set a.b=1 a.b=2 c.d=3".to_owned()),
        "{journal:?}"
    );
    for row in rows.iter().filter(|row| row["kind"] == "summary") {
        let ratio = &row["ratios"]["lanes_over_baseline"]["gb_per_s"];
        assert!(ratio.as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(row["baseline"]["server_set"]["c.d"], "3", "{row}");
    }
    assert!(
        said(&output).contains("lanes sha256 a.b=2 c.d=3"),
        "{}",
        said(&output)
    );
}
