//! The `hashlane` tool, with the engine embedded and on a small service: real
//! processes, real files.

mod support;

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use sha2::{Digest as _, Sha256};
use support::{Behaviour, Fake, Seen};
use tempfile::TempDir;

fn hex(data: &[u8]) -> String {
    let digest = Sha256::digest(data);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn tool(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    tool(folder).args(arguments).output().unwrap()
}

fn with_input(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = tool(folder);
    let command = command.args(arguments).stdin(Stdio::piped());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn check(output: &Output, code: i32, stdout: &str, stderr: &str) {
    let got = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    // The first difference, rather than thousands of lines.
    let mut lines = got.lines().zip(stdout.lines()).enumerate();
    if let Some((line, (got, wanted))) = lines.find(|(_, (got, wanted))| got != wanted) {
        panic!("line {line} is {got:?}, not {wanted:?}; told {told:?}");
    }
    assert_eq!(got.len(), stdout.len(), "as many lines; told {told:?}");
    assert_eq!(told, stderr);
    assert_eq!(output.status.code(), Some(code));
}

/// Files of every length that matters: around blocks and chunks, and long ones
/// among short ones. Returns their names and contents, in order.
fn mixed(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let lengths = [
        0, 1, 55, 56, 63, 64, 65, 127, 128, 1000, 4096, 32767, 32768, 32769, 65536,
    ]
    .into_iter()
    .cycle()
    .take(300)
    .enumerate()
    .map(|(i, len)| {
        if i % 97 == 5 {
            3_000_000 + i
        } else {
            len + i % 3
        }
    });
    let files = lengths.enumerate().map(|(i, len)| {
        let name = format!("file {i}");
        let start = u8::try_from(i % 251).unwrap();
        let data: Vec<u8> = (0..=250)
            .cycle()
            .skip(usize::from(start))
            .take(len)
            .collect();
        std::fs::write(folder.join(&name), &data).unwrap();
        (name, data)
    });
    files.collect()
}

fn expected(files: &[(String, Vec<u8>)]) -> String {
    let lines = files
        .iter()
        .map(|(name, data)| format!("{}  {name}\n", hex(data)));
    lines.collect()
}

fn names(files: &[(String, Vec<u8>)]) -> Vec<&str> {
    files.iter().map(|(name, _)| name.as_str()).collect()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn many_files_are_digested_in_order_whatever_the_jobs() {
    let folder = folder();
    let files = mixed(folder.path());
    for jobs in ["1", "3", "32", "4096"] {
        let arguments = [vec!["sum", "--jobs", jobs], names(&files)].concat();
        check(&run(folder.path(), &arguments), 0, &expected(&files), "");
    }
}

#[test]
fn few_files_are_digested_too() {
    let folder = folder();
    let files = mixed(folder.path());
    for files in [&files[..1], &files[4..7]] {
        let arguments = [vec!["sum"], names(files)].concat();
        check(&run(folder.path(), &arguments), 0, &expected(files), "");
    }
}

#[test]
fn more_files_than_the_window_are_digested() {
    let folder = folder();
    let data = vec![7; 9_000_000];
    std::fs::write(folder.path().join("long"), &data).unwrap();
    std::fs::write(folder.path().join("x"), "x").unwrap();
    let files = [vec!["long"], vec!["x"; 5000]].concat();
    let output = run(folder.path(), &[vec!["sum"], files].concat());
    let lines = format!("{}  x\n", hex(b"x")).repeat(5000);
    check(&output, 0, &format!("{}  long\n{lines}", hex(&data)), "");
}

#[test]
fn odd_names_survive_sum_and_verify() {
    let folder = folder();
    let odd: [&[u8]; 8] = [
        b"new\nline",
        b"back\\slash",
        b"return\r",
        b" space ",
        b"\\n",
        b"*star",
        b"--",
        b"no\xffutf",
    ];
    let mut lines = Vec::new();
    let mut command = tool(folder.path());
    command.args(["sum", "--"]);
    for name in odd {
        let name = OsStr::from_bytes(name);
        std::fs::write(folder.path().join(name), "odd").unwrap();
        command.arg(name);
    }
    let digest = hex(b"odd");
    for line in [
        &b"\\D  new\\nline\n"[..],
        b"\\D  back\\\\slash\n",
        b"\\D  return\\r\n",
        b"D   space \n",
        b"\\D  \\\\n\n",
        b"D  *star\n",
        b"D  --\n",
        b"D  no\xffutf\n",
    ] {
        let split = line.iter().position(|byte| *byte == b'D').unwrap();
        lines.extend_from_slice(&line[..split]);
        lines.extend_from_slice(digest.as_bytes());
        lines.extend_from_slice(&line[split + 1..]);
    }
    let output = command.output().unwrap();
    assert_eq!(
        output.stdout.escape_ascii().to_string(),
        lines.escape_ascii().to_string()
    );
    std::fs::write(folder.path().join("sums"), &lines).unwrap();
    let output = run(folder.path(), &["verify", "-c", "sums"]);
    assert!(output.status.success(), "{output:?}");
    let verdicts = output.stdout.escape_ascii().to_string();
    assert!(
        verdicts.starts_with("\\\\new\\\\nline: OK\\nback\\\\slash: OK\\n"),
        "{verdicts}"
    );
    assert_eq!(verdicts.matches(": OK\\n").count(), odd.len());

    let output = run(folder.path(), &["sum", "-z", "new\nline"]);
    check(&output, 0, &format!("{digest}  new\nline\0"), "");
    let output = run(folder.path(), &["sum", "--tag", "new\nline"]);
    let tagged = format!("\\SHA256 (new\\nline) = {digest}\n");
    check(&output, 0, &tagged, "");
    let output = with_input(folder.path(), &["verify"], tagged.as_bytes());
    check(&output, 0, "\\new\\nline: OK\n", "");
}

#[test]
fn standard_input_and_pipes_are_sources() {
    let folder = folder();
    let data: Vec<u8> = (0..=250).cycle().take(300_000).collect();
    let digest = hex(&data);
    let line = format!("{digest}  -\n");
    check(&with_input(folder.path(), &["sum"], &data), 0, &line, "");
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let a = format!("{}  a\n", hex(b"a"));
    let output = with_input(folder.path(), &["sum", "a", "-", "a", "a", "a"], &data);
    check(&output, 0, &format!("{a}{line}{a}{a}{a}"), "");
    let output = with_input(folder.path(), &["verify", "--sha256", &digest, "-"], &data);
    check(&output, 0, "-: OK\n", "");
    let output = with_input(folder.path(), &["sum", "/dev/stdin"], &data);
    check(&output, 0, &format!("{digest}  /dev/stdin\n"), "");
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("dir")).unwrap();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let a = format!("{}  a\n", hex(b"a"));
    let complaints = "hashlane: dir: Is a directory\nhashlane: none: No such file or directory\n";
    // With few files, and with as many as make the engine worth its while.
    for more in [0, 10] {
        let files = [vec!["sum", "dir", "a", "none", "a"], vec!["a"; more]].concat();
        let output = run(folder.path(), &files);
        check(&output, 1, &a.repeat(2 + more), complaints);
    }
}

#[test]
fn a_flipped_byte_is_a_mismatch() {
    let folder = folder();
    let files = mixed(folder.path());
    std::fs::write(folder.path().join("sums"), expected(&files)).unwrap();
    let ok: String = files
        .iter()
        .map(|(name, _)| format!("{name}: OK\n"))
        .collect();
    check(&run(folder.path(), &["verify", "-c", "sums"]), 0, &ok, "");
    check(
        &run(folder.path(), &["verify", "--quiet", "sums"]),
        0,
        "",
        "",
    );

    let (name, data) = &files[102];
    let mut flipped = data.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    std::fs::write(folder.path().join(name), &flipped).unwrap();
    let one = "hashlane: WARNING: 1 computed checksum did NOT match\n";
    let failed = format!("{name}: FAILED\n");
    let bad = ok.replace(&format!("{name}: OK\n"), &failed);
    check(&run(folder.path(), &["verify", "-c", "sums"]), 1, &bad, one);
    check(
        &run(folder.path(), &["verify", "-q", "sums"]),
        1,
        &failed,
        one,
    );
    check(
        &run(folder.path(), &["verify", "--status", "sums"]),
        1,
        "",
        "",
    );
    let digest = hex(data);
    let output = run(folder.path(), &["verify", "--sha256", &digest, name]);
    check(&output, 1, &failed, "");
    let output = run(folder.path(), &["verify", "--sha256", &hex(&flipped), name]);
    check(&output, 0, &format!("{name}: OK\n"), "");
}

#[test]
fn checksum_files_are_judged_as_sha256sum_does() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let a = hex(b"a");
    let upper = a.to_uppercase();
    let text = format!("# note\n{a} *a\r\n\nbad\n{upper}  none\nSHA256 (a) = {a}\n{a} a\n");
    std::fs::write(folder.path().join("sums"), text).unwrap();
    std::fs::write(folder.path().join("empty"), "").unwrap();
    std::fs::write(folder.path().join("good"), format!("bad\n{a}  a")).unwrap();
    std::fs::write(folder.path().join("missing"), format!("{a}  none\n")).unwrap();
    let folder = folder.path();

    let complaints = "hashlane: none: No such file or directory\n\
        hashlane: WARNING: 2 lines are improperly formatted\n\
        hashlane: WARNING: 1 listed file could not be read\n";
    let verdicts = "a: OK\nnone: FAILED open or read\na: OK\n";
    check(
        &run(folder, &["verify", "-c", "sums"]),
        1,
        verdicts,
        complaints,
    );
    let lines = "hashlane: WARNING: 2 lines are improperly formatted\n";
    let output = run(folder, &["verify", "--ignore-missing", "sums"]);
    check(&output, 0, "a: OK\na: OK\n", lines);
    let output = run(folder, &["verify", "--ignore-missing", "--strict", "sums"]);
    check(&output, 1, "a: OK\na: OK\n", lines);

    let one = "hashlane: WARNING: 1 line is improperly formatted\n";
    let warned = format!("hashlane: good: 1: improperly formatted SHA256 checksum line\n{one}");
    check(
        &run(folder, &["verify", "--warn", "good"]),
        0,
        "a: OK\n",
        &warned,
    );
    check(
        &run(folder, &["verify", "good", "good"]),
        0,
        "a: OK\na: OK\n",
        &one.repeat(2),
    );

    let none = "hashlane: empty: no properly formatted checksum lines found\n";
    check(&run(folder, &["verify", "empty"]), 1, "", none);
    let none = "hashlane: missing: no file was verified\n";
    check(
        &run(folder, &["verify", "--ignore-missing", "missing"]),
        1,
        "",
        none,
    );
    let absent = "hashlane: absent: No such file or directory\n";
    check(&run(folder, &["verify", "absent"]), 1, "", absent);
    let list = format!("{a}  -\n{a}  a\n");
    let output = with_input(folder, &["verify", "-"], list.as_bytes());
    check(&output, 0, "a: OK\n", one);
}

#[test]
fn wrong_command_lines_exit_with_2() {
    let folder = folder();
    let part = "0".repeat(64);
    let count = format!("{}=-03", "A".repeat(43));
    for arguments in [
        &["sum", "--jobs", "0", "a"][..],
        &["sum", "--connections", "2", "a"],
        &["verify", "--sha256", "abc", "a"],
        &["verify", "--sha256", &"0".repeat(64), "a", "b"],
        &["verify", "--check", "--sha256", &"0".repeat(64), "a"],
        &["info"],
        &["compose", "--server", "127.0.0.1:1"],
        &[
            "compose",
            "--server",
            "127.0.0.1:1",
            "--expected",
            &"0".repeat(64),
            &part,
        ],
        &[
            "compose",
            "--server",
            "127.0.0.1:1",
            "--expected",
            &count,
            &part,
        ],
        &["nonsense"],
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}

#[test]
fn nobody_to_read_the_output_is_no_drama() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let mut child = tool(folder.path())
        .arg("sum")
        .args(vec!["a"; 3000])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    check(&output, 1, "", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_digests_the_same() {
    let mut fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let files = mixed(folder.path());
    let server = [
        "sum",
        "--server",
        &fake.url,
        "--jobs",
        "32",
        "--connections",
        "3",
    ];
    let arguments = [server.to_vec(), names(&files)].concat();
    check(&run(folder.path(), &arguments), 0, &expected(&files), "");
    let connections = fake.connections();
    assert!((2..=3).contains(&connections), "{connections}");

    let many = [vec!["sum", "--server", &fake.url], vec!["file 1"; 5000]].concat();
    let line = expected(&files[1..2]);
    check(&run(folder.path(), &many), 0, &line.repeat(5000), "");

    let a = format!("{}  -\n", hex(b"a"));
    let output = with_input(folder.path(), &["sum", "--server", &fake.url], b"a");
    check(&output, 0, &a, "");
    let output = run(folder.path(), &["sum", "--server", &fake.url, ".", "none"]);
    let complaints = "hashlane: .: Is a directory\nhashlane: none: No such file or directory\n";
    check(&output, 1, "", complaints);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_gives_the_verdicts() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let files = &mixed(folder.path())[..20];
    let sums = expected(files).replace(&hex(&files[3].1), &hex(b"other"));
    std::fs::write(folder.path().join("sums"), sums).unwrap();
    let verdicts: String = (0..20)
        .map(|i| format!("file {i}: {}\n", if i == 3 { "FAILED" } else { "OK" }))
        .collect();
    let warning = "hashlane: WARNING: 1 computed checksum did NOT match\n";
    let output = run(
        folder.path(),
        &["verify", "--server", &fake.url, "-c", "sums"],
    );
    check(&output, 1, &verdicts, warning);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_refuses_a_part_does_not_end_the_run() {
    let fake = Fake::start(Behaviour::PartBytesMax(10)).await;
    let folder = folder();
    std::fs::write(folder.path().join("long"), "longer than ten").unwrap();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let output = run(folder.path(), &["sum", "--server", &fake.url, "long", "a"]);
    let line = format!("{}  a\n", hex(b"a"));
    let complaint = "hashlane: long: part refused (ResourceExhausted, PART_TOO_LARGE)\n";
    check(&output, 1, &line, complaint);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_exits_with_2() {
    let mut fake = Fake::start(Behaviour::Refuse).await;
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let output = run(folder.path(), &["sum", "--server", &fake.url, "a", "a"]);
    let complaint = format!("hashlane: {}: draining (Unavailable, DRAINING)\n", fake.url);
    check(&output, 2, "", &complaint);

    let mut child = tool(folder.path())
        .args(["sum", "--server", &fake.url, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !matches!(fake.seen().await, Seen::Began(_)) {}
    fake.vanish();
    // Standard input stays open: nothing is left to wait for all the same.
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn info_and_compose_ask_the_server() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let folder = folder.path();
    let output = run(folder, &["info", "--server", &fake.url]);
    let text = String::from_utf8(output.stdout).unwrap();
    for row in [
        "version ",
        "1.2.3",
        "sha256 kernels",
        "portable avx2x8",
        "most blobs per batch",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    let output = run(folder, &["info", "--json", "--server", &fake.url]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["algorithms"][0]["kernels"][1], "avx2x8");
    assert_eq!(json["limits"]["message_bytes_max"], 1000);
    let (one, two) = (hex(b"1"), hex(b"2"));
    let output = run(folder, &["compose", "--server", &fake.url, &one, &two]);
    check(&output, 0, "composite-2\n", "");
    let output = run(
        folder,
        &[
            "compose",
            "--server",
            &fake.url,
            "--expected",
            &format!("{}=-2", "A".repeat(43)),
            &one,
        ],
    );
    let complaint = "hashlane: the composite is not the expected one\n";
    check(&output, 1, "composite-1\n", complaint);
}
