//! The command `predict`: its rows, and what it refuses.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn predict(flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"));
    command.arg("predict").args(flags);
    command.output().unwrap()
}

fn rows(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{output:?}");
    let text = std::str::from_utf8(&output.stdout).unwrap();
    let rows = text.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().unwrap()
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn each_load_has_a_row() {
    let folder = tempfile::tempdir().unwrap();
    // One plain kernel of 0.5 GB/s: all lanes are full, and no worker hashes faster.
    let kernels = written(folder.path(), "kernels", "sha256:portable,0.5\n");
    let flags = [
        "--kernel-rates",
        &kernels,
        "--sizes",
        "64KiB",
        "--duration",
        "100ms",
    ];
    let closed = predict(&[&flags[..], &["--streams", "1,40@2"]].concat());
    let closed = rows(&closed);
    assert_eq!(closed.len(), 2);
    for row in &closed {
        assert_eq!(row["kind"], "prediction");
        assert_eq!(row["occupancy_ratio"], 1.0);
        let gb_per_s = row["gb_per_s"].as_f64().unwrap();
        assert!(gb_per_s > 0.1 && gb_per_s < 0.5, "{row}");
    }
    assert_eq!(
        (&closed[1]["streams"], &closed[1]["connections"]),
        (&40.into(), &2.into())
    );
    let open = rows(&predict(
        &[&flags[..], &["--rate", "100/s", "--rate", "400/s"]].concat(),
    ));
    let rates: Vec<_> = open
        .iter()
        .map(|row| row["rate"].as_str().unwrap())
        .collect();
    assert_eq!(rates, ["100/s", "400/s"]);
    assert_eq!(open[1]["parts_per_s"], 400.0);
}

/// One generator's load is not that of the sum of several.
#[test]
fn merged_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = r#"{"kind":"run","version":1,"started_at":"2026-01-31T12:00:00Z","seconds":1.0,
        "command":["hashlane-loadtest","run"],
        "settings":{"rpc":"digest","parts_per_stream":1,"streams":32,"connections":4}}"#;
    let run = written(folder.path(), "run.json", run);
    let merged = folder.path().join("merged.json").display().to_string();
    let merge = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"))
        .args(["merge", &run, &run, "--json", &merged])
        .output()
        .unwrap();
    assert!(merge.status.success(), "{merge:?}");
    for flag in ["--against", "--fit"] {
        let output = predict(&[flag, &merged]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(
            text.contains("it is not the document of one `run`"),
            "{text}"
        );
    }
}

#[test]
fn what_it_cannot_predict_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let costs = written(folder.path(), "costs", "{}");
    let document = written(folder.path(), "document", r#"{"kind":"run","version":1}"#);
    for (flags, told) in [
        (&["--costs", &costs][..], "has no costs"),
        (&["--algorithm", "crc32"], "crc32 uses no lanes"),
        (&["--against", &document], "it names no command"),
        (&["--against", "/nowhere"], "cannot read"),
        (
            &["--fit", &document, "--rate", "1/s"],
            "cannot be used with",
        ),
    ] {
        let output = predict(flags);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(told), "{flags:?}: {text}");
        assert!(output.stdout.is_empty());
    }
}
