//! `--part-size` and `--json`.

use serde_json::{Value, json};

use super::*;

/// Three parts of 5 MiB; the values are those that S3 gives for them.
const PART_BYTES: usize = 5 << 20;
const MD5: &str = "b2add96cc9702bbf4efb0ccdfc6b7747-3";
const SHA256: &str = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3";

fn object() -> (TempDir, Vec<u8>) {
    let folder = folder();
    let data = ["A", "B", "C"].map(|name| name.repeat(PART_BYTES)).concat();
    std::fs::write(folder.path().join("whole"), &data).unwrap();
    (folder, data.into_bytes())
}

#[test]
fn files_have_the_values_of_s3_beside_their_digests() {
    let (folder, data) = object();
    let sum = ["sum", "-a", "sha256,md5", "--part-size", "5MiB"];
    let value = format!("SHA256-COMPOSITE (whole) = {SHA256}\nMD5-COMPOSITE (whole) = {MD5}\n");
    let md5 = run(folder.path(), &["sum", "-a", "md5", "--tag", "whole"]);
    let md5 = String::from_utf8(md5.stdout).unwrap();
    let lines = format!("SHA256 (whole) = {}\n{md5}{value}", hex(&data));
    // Alone, and with enough others for the engine.
    for count in [1, 5] {
        let arguments = [&sum[..], &vec!["whole"; count]].concat();
        check(&run(folder.path(), &arguments), 0, &lines.repeat(count), "");
    }
    // A pipe can be read only once.
    let piped = with_input(folder.path(), &sum, &data);
    check(&piped, 0, &lines.replace("whole", "-"), "");
    // What is printed in two ways is composed in a third.
    let parts: Vec<_> = data.chunks(PART_BYTES).map(hex).collect();
    let parts: Vec<_> = parts.iter().map(String::as_str).collect();
    let compose = run(folder.path(), &[vec!["compose"], parts].concat());
    check(&compose, 0, &format!("{SHA256}\n"), "");
}

#[test]
fn part_sizes_that_s3_cannot_have_are_told() {
    let (folder, _) = object();
    let folder = folder.path();
    let refused = run(
        folder,
        &["sum", "-a", "blake3", "--part-size", "1MiB", "whole"],
    );
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("--part-size: blake3: no composite"), "{told}");
    // 15,360 parts.
    let many = run(folder, &["sum", "--part-size", "1KiB", "whole"]);
    let told = String::from_utf8_lossy(&many.stderr);
    assert_eq!(many.status.code(), Some(1), "{told}");
    assert!(
        told.starts_with("hashlane: whole: ") && told.contains("10001"),
        "{told}"
    );
    for wrong in [
        &["--part-size", "8MB"][..],
        &["--part-size", "8MiB", "--server", "127.0.0.1:1"],
        &["--part-size", "8MiB", "--encoding", "sri"],
        &["--json", "--tag"],
        &["--json", "--zero"],
    ] {
        let output = run(folder, &[&["sum", "whole"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {output:?}");
    }
}

fn objects(output: &Output) -> Vec<Value> {
    let text = str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn json_has_a_line_for_each_file() {
    let fake = Fake::start(Behaviour::Honest).await;
    let (folder, data) = object();
    let folder = folder.path();
    std::fs::write(folder.join("a\n\"b"), "abc").unwrap();
    std::fs::write(folder.join(OsStr::from_bytes(b"\xff")), "abc").unwrap();
    let abc = json!({ "md5": "900150983cd24fb0d6963f7d28e17f72", "crc32": "352441c2" });
    for place in places(&fake.url) {
        let mut command = tool(folder);
        let command = command
            .args(["sum", "--json", "-a", "md5,crc32"])
            .args(place);
        let command = command
            .args(["a\n\"b", "none"])
            .arg(OsStr::from_bytes(b"\xff"));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(
            objects(&output),
            [
                json!({ "file": "a\n\"b", "size_bytes": 3, "digests": abc }),
                json!({ "file": "none", "error": "No such file or directory" }),
                json!({ "file_base64": "/w==", "size_bytes": 3, "digests": abc }),
            ]
        );
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told, "hashlane: none: No such file or directory\n");
    }
    let parts = ["--encoding", "base64", "--part-size", "5MiB", "whole"];
    let output = run(folder, &[&["sum", "--json"][..], &parts].concat());
    let base64 = run(folder, &["sum", "--encoding", "base64", "whole"]);
    let base64 = String::from_utf8(base64.stdout).unwrap();
    assert_eq!(
        objects(&output),
        [json!({
            "file": "whole",
            "size_bytes": data.len(),
            "digests": { "sha256": base64.split(' ').next() },
            "part_size_bytes": PART_BYTES,
            "composites": { "sha256": SHA256 },
        })]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_have_s3_s_values() {
    let fake = Fake::start(Behaviour::Honest).await;
    let (folder, _) = object();
    let folder = folder.path();
    for name in ["A", "B", "C"] {
        std::fs::write(folder.join(name), name.repeat(PART_BYTES)).unwrap();
    }
    let digests = |algorithm: &str, encoding: &str, files: &[&str]| {
        let sum = ["sum", "-a", algorithm, "--encoding", encoding];
        let output = run(folder, &[&sum, files].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let first = |line: &str| line.split(' ').next().unwrap().to_owned();
        text.lines().map(first).collect::<Vec<_>>()
    };
    let mismatch = "hashlane: the value is not the expected one\n";
    for place in places(&fake.url) {
        for (algorithm, value) in [("sha256", SHA256), ("md5", MD5)] {
            for encoding in ["hex", "base64"] {
                let parts = digests(algorithm, encoding, &["A", "B", "C"]);
                let parts: Vec<_> = parts.iter().map(String::as_str).collect();
                let compose = [vec!["compose", "-a", algorithm], place.clone()].concat();
                let output = run(folder, &[&compose[..], &parts].concat());
                check(&output, 0, &format!("{value}\n"), "");
                let quoted = format!("\"{value}\"");
                let bare = value.strip_suffix("-3").unwrap();
                for expected in [value, &quoted, bare] {
                    let expect = ["--expect", expected];
                    let output = run(folder, &[&compose[..], &expect, &parts].concat());
                    check(&output, 0, &format!("{value}\n"), "");
                }
                let other = value.replace("-3", "-4");
                let expect = ["--expected", &other];
                let output = run(folder, &[&compose[..], &expect, &parts].concat());
                check(&output, 1, &format!("{value}\n"), mismatch);
            }
        }
        for algorithm in ["crc32", "crc32c", "crc64nvme"] {
            let parts = digests(algorithm, "base64", &["A", "B", "C"]);
            let parts: Vec<_> = parts.iter().map(|d| format!("{d}:{PART_BYTES}")).collect();
            let parts: Vec<_> = parts.iter().map(String::as_str).collect();
            let whole = &digests(algorithm, "base64", &["whole"])[0];
            let compose = [
                "compose",
                "-a",
                algorithm,
                "--full-object",
                "--expect",
                whole,
            ];
            let output = run(folder, &[&compose[..], &place, &parts].concat());
            check(&output, 0, &format!("{whole}\n"), "");
            let hex = ["--encoding", "hex"];
            let output = run(folder, &[&compose[..], &place, &hex, &parts].concat());
            let hex = &digests(algorithm, "hex", &["whole"])[0];
            check(&output, 0, &format!("{hex}\n"), "");
        }
    }
}

#[test]
fn what_has_no_value_of_a_whole_is_told_with_its_option() {
    let folder = folder();
    for (arguments, told) in [
        (
            &["-a", "crc64nvme", "0000000000000000"][..],
            "--algorithm: crc64nvme: no composite of this algorithm, only of md5",
        ),
        (
            &[
                "-a",
                "sha1",
                "--full-object",
                "da39a3ee5e6b4b0d3255bfef95601890afd80709:0",
            ],
            "--algorithm: sha1: values of this algorithm do not combine, only those of crc32",
        ),
        (
            &["-a", "md5", "00"],
            "part 1: md5: a digest has 16 bytes, not 1",
        ),
        (
            &["-a", "crc32", "--full-object", "00000000:1", "00000000"],
            "part 2: --full-object wants DIGEST:BYTES",
        ),
        (
            &["-a", "crc32", "--expect", "00", "00000000"],
            "--expect: a digest has 4 bytes, not 1",
        ),
    ] {
        let output = run(folder.path(), &[&["compose"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        let start = format!("hashlane: compose: {told}");
        assert!(text.starts_with(&start), "{text}");
    }
}
