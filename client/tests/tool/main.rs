//! The `hashlane` tool, with the engine embedded and on a small service: real
//! processes, real files.

mod folders;
mod objects;
mod servers;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod terminal;

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use sha2::{Digest as _, Sha256};
use support::{Behaviour, Ca, Fake, Seen, TOKEN};
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
    let output = run(folder.path(), &["check", "-c", "sums"]);
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
    let output = with_input(folder.path(), &["check"], tagged.as_bytes());
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
    let output = with_input(folder.path(), &["check", "--sha256", &digest, "-"], &data);
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
    // Nothing at all to hash, however many threads wait for it.
    let told = "hashlane: none: No such file or directory\n".repeat(10);
    let output = run(folder.path(), &[vec!["sum"], vec!["none"; 10]].concat());
    check(&output, 1, "", &told);
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
    check(&run(folder.path(), &["check", "-c", "sums"]), 0, &ok, "");
    check(
        &run(folder.path(), &["check", "--quiet", "sums"]),
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
    check(&run(folder.path(), &["check", "-c", "sums"]), 1, &bad, one);
    check(
        &run(folder.path(), &["check", "-q", "sums"]),
        1,
        &failed,
        one,
    );
    check(
        &run(folder.path(), &["check", "--status", "sums"]),
        1,
        "",
        "",
    );
    let digest = hex(data);
    let output = run(folder.path(), &["check", "--sha256", &digest, name]);
    check(&output, 1, &failed, "");
    let output = run(folder.path(), &["check", "--sha256", &hex(&flipped), name]);
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
        &run(folder, &["check", "-c", "sums"]),
        1,
        verdicts,
        complaints,
    );
    let lines = "hashlane: WARNING: 2 lines are improperly formatted\n";
    let output = run(folder, &["check", "--ignore-missing", "sums"]);
    check(&output, 0, "a: OK\na: OK\n", lines);
    let output = run(folder, &["check", "--ignore-missing", "--strict", "sums"]);
    check(&output, 1, "a: OK\na: OK\n", lines);

    let one = "hashlane: WARNING: 1 line is improperly formatted\n";
    let warned = format!("hashlane: good: 1: improperly formatted SHA256 checksum line\n{one}");
    check(
        &run(folder, &["check", "--warn", "good"]),
        0,
        "a: OK\n",
        &warned,
    );
    check(
        &run(folder, &["check", "good", "good"]),
        0,
        "a: OK\na: OK\n",
        &one.repeat(2),
    );

    let none = "hashlane: empty: no properly formatted checksum lines found\n";
    check(&run(folder, &["check", "empty"]), 1, "", none);
    let none = "hashlane: missing: no file was verified\n";
    check(
        &run(folder, &["check", "--ignore-missing", "missing"]),
        1,
        "",
        none,
    );
    let absent = "hashlane: absent: No such file or directory\n";
    check(&run(folder, &["check", "absent"]), 1, "", absent);
    let list = format!("{a}  -\n{a}  a\n");
    let output = with_input(folder, &["check", "-"], list.as_bytes());
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
        &["check", "--sha256", "abc", "a"],
        &["check", "--sha256", &"0".repeat(64), "a", "b"],
        &["check", "--check", "--sha256", &"0".repeat(64), "a"],
        &["sum", "--algorithm", "md6", "a"],
        &["sum", "--algorithm", "md5", "-a", "sha1,md5", "a"],
        &["sum", "--encoding", "hax", "a"],
        &["sum", "--encoding", "oci", "-a", "md5", "a"],
        &["sum", "--encoding", "sri", "--tag", "a"],
        &["check", "--expect", "md5:00", "a"],
        &["check", "--expect", &format!("sha256:{part}"), "a", "b"],
        &["check", "--expect", &part, "--sha256", &part, "a"],
        &["check", "--check", "--expect", &part, "a"],
        &["compose"],
        &["compose", "--server", "127.0.0.1:1"],
        &["compose", "--algorithm", "md5", &part],
        &["compose", "--algorithm", "crc64nvme", "0000000000000000"],
        &["compose", "--algorithm", "md5", "--full-object", "0:1"],
        &[
            "compose",
            "--algorithm",
            "crc32",
            "--full-object",
            "00000000",
        ],
        &["compose", "--algorithm", "crc32", "00000000:5"],
        &["compose", "--expect", "nonsense", &part],
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
        &["check", "--server", &fake.url, "-c", "sums"],
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
    let complaint =
        "hashlane: long: part refused (ResourceExhausted, PART_TOO_LARGE): send smaller parts\n";
    check(&output, 1, &line, complaint);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_exits_with_2() {
    let mut fake = Fake::start(Behaviour::Refuse).await;
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let output = run(folder.path(), &["sum", "--server", &fake.url, "a", "a"]);
    let complaint = format!(
        "hashlane: {}: draining (Unavailable, DRAINING): \
         try another server, or the same one later\n",
        fake.url
    );
    check(&output, 2, "", &complaint);

    let mut child = tool(folder.path())
        .args(["sum", "--server", &fake.url, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&[0; 100_000]).unwrap();
    while !matches!(fake.seen().await, Seen::Began(_)) {}
    fake.vanish();
    // Standard input stays open: nothing is left to wait for all the same.
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn info_asks_the_server_or_tells_what_is_built_in() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let folder = folder.path();
    let output = run(folder, &["info", "--server", &fake.url]);
    let text = String::from_utf8(output.stdout).unwrap();
    for row in [
        "version ",
        "1.2.3",
        "portable avx2x8",
        "most blobs per batch",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let sha256 = text
        .lines()
        .find(|line| line.starts_with("sha256 "))
        .unwrap();
    assert_eq!(words(sha256), ["sha256", "32", "8", "portable", "avx2x8"]);
    let output = run(folder, &["info", "--json", "--server", &fake.url]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["algorithms"][0]["kernels"][1], "avx2x8");
    assert_eq!(json["algorithms"][0]["digest_bytes"], 32);
    assert_eq!(json["limits"]["message_bytes_max"], 1000);

    let output = run(folder, &["info", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<_> = hashlane_engine::Algorithm::all()
        .map(|a| a.name())
        .collect();
    let algorithms = json["algorithms"].as_array().unwrap();
    let told: Vec<_> = algorithms
        .iter()
        .map(|a| a["algorithm"].as_str().unwrap())
        .collect();
    assert_eq!(told, names);
    assert!(
        algorithms[0]["kernels"]
            .as_array()
            .unwrap()
            .iter()
            .any(|k| k == "portable")
    );
    assert!(json["limits"].is_null());
}

/// Here, and on the server of this address.
fn places(url: &str) -> [Vec<&str>; 2] {
    [vec![], vec!["--server", url]]
}

/// `sum`'s lines of the files, beside those of `peer`, a tool of this system.
#[track_caller]
fn equal_to(folder: &Path, peer: &[&str], arguments: &[&str], files: &[&str]) {
    let theirs = Command::new(peer[0])
        .args(&peer[1..])
        .args(files)
        .current_dir(folder)
        .output();
    let theirs = theirs.unwrap_or_else(|error| panic!("{}: {error}", peer[0]));
    assert!(theirs.status.success(), "{theirs:?}");
    let ours = run(folder, &[&["sum"], arguments, files].concat());
    check(&ours, 0, &String::from_utf8(theirs.stdout).unwrap(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_those_of_the_system_s_tools() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let files = mixed(folder.path());
    for files in [&names(&files)[..2], &names(&files)[..40]] {
        for (algorithm, peer) in [
            ("sha256", "sha256sum"),
            ("sha224", "sha224sum"),
            ("sha512", "sha512sum"),
            ("sha384", "sha384sum"),
            ("sha1", "sha1sum"),
            ("md5", "md5sum"),
        ] {
            for place in places(&fake.url) {
                let arguments = [vec!["-a", algorithm], place].concat();
                equal_to(folder.path(), &[peer], &arguments, files);
                let tagged = [arguments, vec!["--tag"]].concat();
                equal_to(folder.path(), &[peer, "--tag"], &tagged, files);
            }
        }
    }
}

/// An algorithm of each kind, those with lanes and those without.
const SEVERAL: &str = "sha512,md5,crc64nvme,sha256,xxhash128,sha1,blake3,crc32";

#[tokio::test(flavor = "multi_thread")]
async fn several_digests_come_of_one_pass() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let files = mixed(folder.path());
    // One by one, and so many that the engine takes them.
    for files in [&files[..3], &files[..110]] {
        let mut lines = String::new();
        for (name, data) in files {
            for algorithm in SEVERAL.split(',') {
                let mut hasher = hashlane_engine::Hasher::new(algorithm.parse().unwrap());
                hasher.update(data);
                let (tag, digest) = (algorithm.to_uppercase(), hasher.finalize());
                lines.push_str(&format!("{tag} ({name}) = {digest}\n"));
            }
        }
        for place in places(&fake.url) {
            let sum = [vec!["sum", "-a", SEVERAL], place.clone(), names(files)].concat();
            check(&run(folder.path(), &sum), 0, &lines, "");
            // A list of several lines for each file: read once, a verdict for each line.
            std::fs::write(folder.path().join("sums"), &lines).unwrap();
            let verify = [vec!["check", "-c", "sums"], place].concat();
            let ok: String = files
                .iter()
                .map(|(name, _)| format!("{name}: OK\n").repeat(8))
                .collect();
            check(&run(folder.path(), &verify), 0, &ok, "");
        }
    }
    // A pipe can be read only once.
    let line = |tag: &str, digest: &str| format!("{tag} (-) = {digest}\n");
    let lines = line("MD5", "900150983cd24fb0d6963f7d28e17f72") + &line("CRC32", "352441c2");
    let sum = ["sum", "-a", "md5", "-a", "crc32"];
    check(&with_input(folder.path(), &sum, b"abc"), 0, &lines, "");
    std::fs::write(folder.path().join("sums"), &lines).unwrap();
    let output = with_input(folder.path(), &["check", "sums"], b"abc");
    check(&output, 0, "-: OK\n-: OK\n", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_of_any_algorithm() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let folder = folder.path();
    std::fs::write(folder.join("a"), "abc").unwrap();
    std::fs::write(folder.join("b"), "abd").unwrap();
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    std::fs::write(folder.join("plain"), format!("{md5}  a\n{md5} *b\n")).unwrap();
    let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d";
    // Lines that follow each other on one file are one task, but for one algorithm twice.
    let tagged = format!(
        "MD5 (a) = {md5}\nSHA1 (a) = {sha1}\nMD5 (a) = {md5}\n\
         MD5 (b) = {md5}\nSHA1 (none) = {sha1}\nCRC32 (none) = 00000000\n{md5}  a\n"
    );
    std::fs::write(folder.join("tagged"), tagged).unwrap();
    for place in places(&fake.url) {
        let one = "hashlane: WARNING: 1 computed checksum did NOT match\n";
        let arguments = [
            vec!["check", "-a", "md5", "--check", "plain"],
            place.clone(),
        ]
        .concat();
        check(&run(folder, &arguments), 1, "a: OK\nb: FAILED\n", one);
        let improper = "hashlane: plain: no properly formatted checksum lines found\n";
        let arguments = [vec!["check", "plain"], place.clone()].concat();
        check(&run(folder, &arguments), 1, "", improper);

        let verdicts = "a: OK\na: OK\na: OK\nb: FAILED\n\
            none: FAILED open or read\nnone: FAILED open or read\n";
        let complaints = "hashlane: none: No such file or directory\n\
            hashlane: WARNING: 1 line is improperly formatted\n\
            hashlane: WARNING: 2 listed files could not be read\n";
        let arguments = [vec!["check", "tagged"], place].concat();
        check(
            &run(folder, &arguments),
            1,
            verdicts,
            &format!("{complaints}{one}"),
        );
    }
    // What the system's tools write is read, and the other way round.
    let output = run(folder, &["sum", "-a", "md5,sha512", "a", "b"]);
    std::fs::write(folder.join("sums"), &output.stdout).unwrap();
    let cksum = Command::new("cksum")
        .args(["-c", "sums"])
        .current_dir(folder)
        .output();
    let cksum = cksum.unwrap();
    let oks = "a: OK\na: OK\nb: OK\nb: OK\n";
    assert_eq!(String::from_utf8_lossy(&cksum.stdout), oks, "{cksum:?}");
    check(&run(folder, &["check", "sums"]), 0, oks, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_encoding_is_written_and_read() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let folder = folder.path();
    std::fs::write(folder.join("a"), "abc").unwrap();
    let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    let sha512 =
        "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
    for (encoding, algorithms, text) in [
        ("hex", "sha256", hex.to_owned()),
        ("base64", "sha256", base64.to_owned()),
        ("oci", "sha256", format!("sha256:{hex}")),
        ("sri", "sha256", format!("sha256-{base64}")),
        ("rfc9530", "sha256", format!("sha-256=:{base64}:")),
        (
            "sri",
            "sha256,sha512",
            format!("sha256-{base64} sha512-{sha512}"),
        ),
        (
            "rfc9530",
            "sha256,sha512",
            format!("sha-256=:{base64}:, sha-512=:{sha512}:"),
        ),
    ] {
        for place in places(&fake.url) {
            let sum = ["sum", "--encoding", encoding, "-a", algorithms, "a"];
            let output = run(folder, &[sum.to_vec(), place.clone()].concat());
            check(&output, 0, &format!("{text}  a\n"), "");
            std::fs::write(folder.join("sums"), &output.stdout).unwrap();
            let verify = [vec!["check", "--strict", "sums"], place.clone()].concat();
            check(&run(folder, &verify), 0, "a: OK\n", "");
            let expect = [vec!["check", "--expect", &text, "a"], place].concat();
            check(&run(folder, &expect), 0, "a: OK\n", "");
        }
    }
    let output = run(folder, &["sum", "--encoding", "base64", "--tag", "a"]);
    check(&output, 0, &format!("SHA256 (a) = {base64}\n"), "");
    let output = run(
        folder,
        &["sum", "--encoding", "oci", "-a", "sha256,blake3", "a"],
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], format!("sha256:{hex}  a"));
    assert!(
        lines.len() == 2 && lines[1].starts_with("blake3:6437b3ac"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn all_expected_digests_must_match() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let folder = folder.path();
    std::fs::write(folder.join("a"), "abc").unwrap();
    let md5 = "md5:900150983cd24fb0d6963f7d28e17f72";
    let crc = "crc32:NSRBwg==";
    let wrong = "crc32:00000000";
    for place in places(&fake.url) {
        let both = [
            vec!["check", "--expect", md5, "--expect", crc, "a"],
            place.clone(),
        ];
        check(&run(folder, &both.concat()), 0, "a: OK\n", "");
        let one = [
            vec!["check", "--expect", md5, "--expect", wrong, "a"],
            place.clone(),
        ];
        let complaint = "hashlane: a: not the expected crc32\n";
        check(&run(folder, &one.concat()), 1, "a: FAILED\n", complaint);
        let bare = ["check", "-a", "crc32", "--expect", "352441C2", "a"];
        check(
            &run(folder, &[bare.to_vec(), place].concat()),
            0,
            "a: OK\n",
            "",
        );
    }
    let twice = run(folder, &["check", "--expect", md5, "--expect", md5, "a"]);
    check(&twice, 2, "", "hashlane: check: --expect names md5 twice\n");
    let short = run(folder, &["check", "--expect", "sha1:00ff", "a"]);
    let told = "hashlane: check: --expect: sha1: a digest has 20 bytes, not 2\n";
    check(&short, 2, "", told);
    let twice = run(folder, &["sum", "-a", "md5", "-a", "md5", "a"]);
    check(
        &twice,
        2,
        "",
        "hashlane: sum: --algorithm names md5 twice\n",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_have_s3_s_values() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let folder = folder.path();
    // Three parts of 5 MiB; the values are those that S3 gives for them.
    const PART_BYTES: usize = 5 << 20;
    for name in ["A", "B", "C"] {
        std::fs::write(folder.join(name), name.repeat(PART_BYTES)).unwrap();
    }
    let whole = ["A", "B", "C"].map(|name| name.repeat(PART_BYTES)).concat();
    std::fs::write(folder.join("whole"), whole).unwrap();
    let digests = |algorithm: &str, encoding: &str, files: &[&str]| {
        let sum = ["sum", "-a", algorithm, "--encoding", encoding];
        let output = run(folder, &[&sum, files].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let first = |line: &str| line.split(' ').next().unwrap().to_owned();
        text.lines().map(first).collect::<Vec<_>>()
    };
    let mismatch = "hashlane: the value is not the expected one\n";
    for place in places(&fake.url) {
        for (algorithm, value) in [
            ("sha256", "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3"),
            ("md5", "b2add96cc9702bbf4efb0ccdfc6b7747-3"),
        ] {
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

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_tls_is_trusted_as_the_options_say() {
    let ca = Ca::new();
    let fake = Fake::start_tls(Behaviour::Honest, &ca).await;
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (name, text) in [
        ("ca.pem", ca.pem()),
        ("key.pem", ca.key_pem()),
        ("a", "abc".to_owned()),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let line = format!("{}  a\n", hex(b"abc"));
    let shown = ["--ca", "ca.pem", "--cert", "ca.pem", "--key", "key.pem"];
    let sum = [&["sum", "a", "--server", &fake.url][..], &shown].concat();
    check(&run(folder, &sum), 0, &line, "");
    let compose = ["compose", "-a", "md5", "--server", &fake.url];
    let part = "900150983cd24fb0d6963f7d28e17f72";
    let compose = [&compose[..], &shown, &[part]].concat();
    assert_eq!(run(folder, &compose).status.code(), Some(0));

    let untrusted = run(folder, &["sum", "a", "--server", &fake.url]);
    let told = String::from_utf8_lossy(&untrusted.stderr);
    assert_eq!(untrusted.status.code(), Some(2), "{told}");
    assert!(told.contains("UnknownIssuer"), "{told}");
    let missing = ["sum", "a", "--server", &fake.url, "--ca", "none.pem"];
    let missing = run(folder, &missing);
    let told = String::from_utf8_lossy(&missing.stderr);
    assert_eq!(missing.status.code(), Some(2), "{told}");
    assert!(told.contains("none.pem: No such file"), "{told}");
    for options in [&["--cert", "ca.pem"][..], &["--key", "key.pem"]] {
        let line = [&["sum", "a", "--server", &fake.url][..], options].concat();
        assert_eq!(run(folder, &line).status.code(), Some(2), "{options:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_comes_from_a_file_or_a_variable() {
    let fake = Fake::start(Behaviour::WantToken).await;
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("a"), "abc").unwrap();
    std::fs::write(folder.join("token"), format!("{TOKEN}\n")).unwrap();
    let line = format!("{}  a\n", hex(b"abc"));
    let sum = ["sum", "a", "--server", &fake.url];
    let of_file = [&sum[..], &["--token-file", "token"]].concat();
    check(&run(folder, &of_file), 0, &line, "");
    let with = |token: &str| {
        let mut command = tool(folder);
        command
            .args(sum)
            .env("HASHLANE_TOKEN", token)
            .output()
            .unwrap()
    };
    check(&with(TOKEN), 0, &line, "");
    for refused in [run(folder, &sum), with("other")] {
        let told = String::from_utf8_lossy(&refused.stderr);
        assert_ne!(refused.status.code(), Some(0), "{told}");
        assert!(told.contains("no token"), "{told}");
    }
    let clear = [
        "sum",
        "a",
        "--server",
        "http://192.0.2.1:1",
        "--token-file",
        "token",
    ];
    let clear = run(folder, &clear);
    let told = String::from_utf8_lossy(&clear.stderr);
    assert_eq!(clear.status.code(), Some(2), "{told}");
    assert!(
        told.contains("by https alone") && !told.contains(TOKEN),
        "{told}"
    );
}
