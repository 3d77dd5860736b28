//! `sum`: many files and few, their lines, and command lines that are wrong.

use std::io::{BufRead as _, BufReader};

use super::*;

#[test]
fn many_files_are_digested_in_order_whatever_the_jobs() {
    let folder = folder();
    let files = mixed(folder.path());
    for jobs in ["1", "3", "32", "4096"] {
        let arguments = [vec!["sum", "--jobs", jobs], names(&files)].concat();
        check(&run(folder.path(), &arguments), 0, &expected(&files), "");
    }
}

/// As with an alias that has an option already, and a name as `openssl` prints it.
#[test]
fn the_last_of_equal_options_counts_and_names_may_be_upper_case() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), "abc").unwrap();
    let twice = [
        "sum", "-j2", "--tag", "-j", "4", "--tag", "-a", "SHA256", "a",
    ];
    let line = format!("SHA256 (a) = {}\n", hex(b"abc"));
    check(&run(folder.path(), &twice), 0, &line, "");
    let expect = format!("SHA256:{}", hex(b"abc"));
    let checked = run(folder.path(), &["check", "--expect", &expect, "a"]);
    check(&checked, 0, "a: OK\n", "");
}

#[test]
fn files_that_are_mapped_have_the_same_digests() {
    let folder = folder();
    let files = mixed(folder.path());
    // In lanes, and each by itself.
    for files in [&files[..], &files[5..7]] {
        let arguments = [vec!["sum", "--mmap"], names(files)].concat();
        check(&run(folder.path(), &arguments), 0, &expected(files), "");
    }
    // The bytes of a mapped file are not read. Standard input keeps the tool alive.
    let (name, data) = &files[5];
    for (arguments, is_mapped) in [(&["sum", "--mmap"][..], true), (&["sum"], false)] {
        let mut child = tool(folder.path());
        let child = child
            .args(arguments)
            .args([name, "-"])
            .stdin(Stdio::piped());
        let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, expected(&files[5..6]));
        let io = std::fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
        let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
        let is_read = read.unwrap().parse::<usize>().unwrap() >= data.len();
        assert_eq!(is_read, !is_mapped, "{io}");
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
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
    // With few files, and with enough for the engine to pay.
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
fn wrong_command_lines_exit_with_2() {
    let folder = folder();
    let part = "0".repeat(64);
    let count = format!("{}=-03", "A".repeat(43));
    for arguments in [
        &["sum", "--jobs", "0", "a"][..],
        &["sum", "--connections", "2", "a"],
        &["sum", "--mmap", "--server", "127.0.0.1:1", "a"],
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

#[tokio::test(flavor = "multi_thread")]
async fn several_digests_come_of_one_pass() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let files = mixed(folder.path());
    // One by one, and enough for the engine.
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
