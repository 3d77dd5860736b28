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
    // Alone, and beside so many that the engine takes them.
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
