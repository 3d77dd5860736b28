//! Where bytes come from and lines go to: odd sources, and outputs that fail.

use std::fs::File;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;

#[test]
fn output_that_cannot_be_written_is_told() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    std::fs::write(folder.path().join("sums"), format!("{}  a\n", hex(b"a"))).unwrap();
    let told = "hashlane: write error: No space left on device\n";
    for arguments in [&["sum", "a"][..], &["check", "sums"], &["info"]] {
        let mut command = tool(folder.path());
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command.args(arguments).stdout(full).output().unwrap();
        check(&output, 1, "", told);
    }
    // A help text too.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = tool(folder.path()).arg("--help").stdout(full).output();
    assert_eq!(output.unwrap().status.code(), Some(1));
}

#[test]
fn an_empty_name_is_told() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let told = "hashlane: '': No such file or directory\n";
    let line = format!("{}  a\n", hex(b"a"));
    for recursive in [&[][..], &["-r"]] {
        let output = run(folder.path(), &[&["sum", "", "a"], recursive].concat());
        check(&output, 1, &line, told);
    }
    check(&run(folder.path(), &["check", ""]), 1, "", told);
}

#[test]
fn what_the_file_system_says_of_a_length_does_not_count() {
    let folder = folder();
    // It is said to be 0.
    assert_eq!(std::fs::metadata("/proc/version").unwrap().len(), 0);
    let output = run(folder.path(), &["sum", "--json", "/proc/version"]);
    let version = std::fs::read("/proc/version").unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (size, digest) = (version.len(), hex(&version));
    assert!(text.contains(&format!("\"size_bytes\":{size}")), "{text}");
    assert!(text.contains(&digest), "{text}");
}

#[test]
fn a_pipe_is_a_source_like_any_other() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let line = |name: &str, data: &[u8]| format!("{}  {name}\n", hex(data));
    // More than a pipe holds, so it takes several reads.
    let data: Vec<u8> = (0..=250).cycle().take(300_000).collect();
    // Also where the engine has other files.
    for more in [0, 10] {
        let mut command = tool(folder.path());
        let command = command.args(["sum", "pipe"]).args(vec!["a"; more]);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let mut writer = File::options().write(true).open(&pipe).unwrap();
        writer.write_all(&data).unwrap();
        drop(writer);
        let output = child.wait_with_output().unwrap();
        let lines = line("pipe", &data) + &line("a", b"a").repeat(more);
        check(&output, 0, &lines, "");
    }
}

#[test]
fn a_file_that_grows_is_hashed_up_to_where_it_ended() {
    let folder = folder();
    let path = folder.path().join("log");
    std::fs::write(&path, "").unwrap();
    let mut log = File::options().append(true).open(&path).unwrap();
    let mut child = tool(folder.path())
        .args(["sum", "--json", "log"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut written = Vec::new();
    while child.try_wait().unwrap().is_none() {
        log.write_all(b"line\n").unwrap();
        written.extend_from_slice(b"line\n");
    }
    let output = child.wait_with_output().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let size = usize::try_from(line["size_bytes"].as_u64().unwrap()).unwrap();
    assert_eq!(line["digests"]["sha256"], hex(&written[..size]));
}
