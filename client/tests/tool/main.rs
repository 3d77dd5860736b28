//! The `hashlane` tool, with the engine embedded and on a small service: real
//! processes, real files.

mod checks;
mod folders;
mod generated;
mod objects;
mod ping_and_bench;
mod remote;
mod streams;
mod sums;
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

/// Here, and on the server of this address.
fn places(url: &str) -> [Vec<&str>; 2] {
    [vec![], vec!["--server", url]]
}

/// Compares `sum`'s lines of the files with those of `peer`, a tool of this system.
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

/// An algorithm of each kind, those with lanes and those without.
const SEVERAL: &str = "sha512,md5,crc64nvme,sha256,xxhash128,sha1,blake3,crc32";
