//! The program: flags, exit codes, signals.

use std::io::{BufRead as _, BufReader};
use std::os::fd::AsFd as _;
use std::process::Output;

use crate::common::h2_client::{Raw, read};
use crate::common::program::{Running, command};
use crate::common::tls::{self, Ca, Files};
use crate::common::{PATIENCE, all, assert_refused, connect, digest, get, open_digest, sha256};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tonic::Code;

fn output(flags: &[&str]) -> Output {
    command(flags).output().unwrap()
}

#[test]
fn bad_settings_end_start_up_with_a_line_each() {
    let two = output(&["--workers", "many", "--set", "worker=0", "--check"]);
    assert_eq!(two.status.code(), Some(2));
    let text = String::from_utf8(two.stderr).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let starts = ["setting workers: \"many\"", "setting worker (--set)"];
    assert_eq!(lines.len(), starts.len(), "{text}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(
            line.starts_with(&format!("hashlane-server: {start}")),
            "{line}"
        );
    }
    for (flags, names) in [
        (&["--workers", "many"][..], "setting workers: \"many\""),
        (
            &["--set", "http2.streams_max=0"],
            "setting http2.streams_max",
        ),
        (&["--set", "nothing=0"], "setting nothing"),
        (&["--drain-timeout", "1"], "(--drain-timeout)"),
        (&["--config", "/nonexistent/hashlane.toml"], "/nonexistent"),
        (&["--kernel", "abacus"], "setting kernel"),
        (&["--listen", "0.0.0.0:0"], "insecure=true"),
        (
            &["--tls-listen", "0.0.0.0:0", "--tls-key", "/none"],
            "setting tls.certificate",
        ),
    ] {
        let output = output(flags);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(names), "{text}");
    }
    let none = ["--tls-certificate", "/none", "--tls-key", "/none"];
    let listen = ["--listen", "127.0.0.1:0", "--tls-listen", "0.0.0.0:0"];
    let unreadable = output(&[&listen[..], &none].concat());
    assert_eq!(unreadable.status.code(), Some(1));
    let text = String::from_utf8(unreadable.stderr).unwrap();
    assert!(
        text.contains("setting tls.certificate: /none: No such file"),
        "{text}"
    );
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = output(&["--listen", &address]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("setting listen: cannot listen on"), "{text}");
}

/// As the start reads them.
#[test]
fn a_check_reads_the_files_that_settings_name() {
    let (ca, folder) = (Ca::new(), tempfile::tempdir().unwrap());
    let files = Files::new(&ca.server(), &ca);
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let tokens = put("tokens", "");
    let quotas = put("quotas", "");
    let mut flags = files.flags("required");
    flags.extend(tls::flags(&files.of_admin(true)));
    flags.push(format!("--clients-tokens-file={tokens}"));
    flags.push(format!("--clients-quotas-file={quotas}"));
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let check = || {
        let output = output(&[&["--check"], &flags[..]].concat());
        assert!(output.stdout.is_empty(), "{output:?}");
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(check(), (Some(0), String::new()));

    put("tokens", "a b c");
    put("quotas", "a = 1");
    let key = std::fs::read(files.path("key")).unwrap();
    files.put(&ca.server());
    std::fs::write(files.path("key"), key).unwrap();
    let (code, told) = check();
    assert_eq!(code, Some(2), "{told}");
    let lines: Vec<_> = told.lines().collect();
    let settings = [
        "tls.key",
        "admin.key",
        "clients.tokens_file",
        "clients.quotas_file",
    ];
    assert_eq!(lines.len(), settings.len(), "{told}");
    for (line, setting) in lines.iter().zip(settings) {
        let start = format!("hashlane-server: setting {setting}: /");
        assert!(line.starts_with(&start), "{line}");
    }
    // The start ends with the first of these lines.
    let free = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let start = output(&[&free, &flags[..]].concat());
    let told = String::from_utf8(start.stderr).unwrap();
    assert_eq!(told.lines().last(), Some(lines[0]), "{told}");

    put("tokens", "");
    put("quotas", "");
    files.put(&ca.expired());
    let (code, told) = check();
    assert_eq!((code, told.lines().count()), (Some(2), 2), "{told}");
    for (line, setting) in told.lines().zip(["tls", "admin"]) {
        let start = format!("hashlane-server: setting {setting}.certificate: /");
        assert!(line.starts_with(&start), "{line}");
        assert!(line.ends_with("it has expired"), "{line}");
    }
}

#[test]
fn what_is_in_force_is_printed_with_where_it_came_from() {
    let output = command(&["--print-config", "--http2-streams-max", "7"])
        .env("HASHLANE_LOG", "debug")
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "listen = \"127.0.0.1:50051\" # default",
        "log = \"debug\" # HASHLANE_LOG",
        "[http2]",
        "streams_max = 7 # --http2-streams-max",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

/// docs/settings.md lists the settings of a server without measuring modes.
#[test]
fn the_table_of_settings_is_the_documented_one() {
    let output = output(&["--settings"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let measuring = |row: &&str| row.starts_with("| `hashing`");
    assert_eq!(text.lines().filter(measuring).count(), 1);
    let table: Vec<_> = text.lines().filter(|row| !measuring(row)).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/settings.md");
    let documented = std::fs::read_to_string(path).unwrap();
    let documented = documented.lines().filter(|line| line.starts_with('|'));
    assert_eq!(documented.collect::<Vec<_>>(), table);
}

#[test]
fn every_setting_has_a_flag_in_the_help() {
    let help = String::from_utf8(output(&["--help"]).stdout).unwrap();
    let table = String::from_utf8(output(&["--settings"]).stdout).unwrap();
    for row in table.lines().skip(2) {
        let name = row.split('`').nth(1).unwrap();
        let flag = format!("--{}", name.replace(['.', '_'], "-"));
        let values = [" <VALUE>", "[=<VALUE>]"];
        let is_there = values
            .iter()
            .any(|value| help.contains(&(flag.clone() + value)));
        assert!(is_there, "{flag}");
    }
}

#[test]
fn sighup_reads_the_settings_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hashlane.toml");
    std::fs::write(&path, "log = \"info\"\n").unwrap();
    let config = path.to_str().unwrap();
    // So that bounds do not depend on this machine's memory, and thereby on each other.
    let mut running = Running::start(&["--config", config, "--memory-max", "1TiB"]);

    std::fs::write(&path, "log = \"debug\"\nstreams_max = 7\n").unwrap();
    running.signal("HUP");
    let line = running.line_with("SIGHUP");
    for words in [
        "\"changed\":\"log=debug\"",
        "\"at_next_start\":\"streams_max=7\"",
        "\"level\":\"WARN\"",
    ] {
        assert!(line.contains(words), "{line}");
    }

    // Unchanged values are not logged again.
    std::fs::write(&path, "log = \"debug\"\n").unwrap();
    running.signal("HUP");
    let line = running.line_with("SIGHUP");
    assert!(line.contains("\"changed\":\"\""), "{line}");
    assert!(!line.contains("at_next_start"), "{line}");

    for (broken, wrong) in [
        ("log = \"warn\"\nstreams_max = 0\nworker = 1\n", &[2, 3][..]),
        ("log = \"warn\"\n[[\n", &[2]),
    ] {
        std::fs::write(&path, broken).unwrap();
        running.signal("HUP");
        for number in wrong {
            let line = running.line_with("the settings stay as they are");
            assert!(line.contains(&format!("hashlane.toml:{number}")), "{line}");
        }
    }
    std::fs::remove_file(&path).unwrap();
    running.signal("HUP");
    let line = running.line_with("the settings stay as they are");
    assert!(line.contains("hashlane.toml"), "{line}");

    std::fs::write(&path, "log = \"off\"\n").unwrap();
    running.signal("HUP");
    let line = running.line_with("SIGHUP");
    assert!(line.contains("\"changed\":\"log=off\""), "{line}");
    running.signal("TERM");
    let (code, log) = running.end();
    // Also nothing while it drains.
    assert_eq!((code, log.as_str()), (Some(0), ""));
}

#[test]
fn an_unknown_variable_is_a_warning() {
    // A program that ends with an error after its start.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = command(&["--listen", &address])
        .env("HASHLANE_WORKER", "1")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let warning = text.lines().next().unwrap();
    for words in [
        "WARN",
        "no setting has this variable",
        "\"HASHLANE_WORKER\"",
    ] {
        assert!(warning.contains(words), "{text}");
    }
    assert!(text.contains("cannot listen on"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_drains_and_the_health_check_tells() {
    for name in ["TERM", "INT"] {
        let running = Running::start(&[]);
        let admin = running.admin.to_string();
        let check = || {
            output(&["--healthcheck", "--admin-listen", &admin])
                .status
                .code()
        };
        assert_eq!(check(), Some(0));
        let mut client = connect(running.grpc).await;
        let (sender, mut answers) = open_digest(&mut client).await;
        sender.send(digest(0, b"ab", false)).await.unwrap();
        // A part that begins after the drain has begun is refused.
        running
            .until("the part is open", |m| {
                m.sum("hashlane_open_jobs", &[]) == 1.0
            })
            .await;
        running.signal(name);
        while get(running.admin, "/readyz").unwrap().0 != 503 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        assert_eq!(check(), Some(1));
        sender.send(digest(0, b"c", true)).await.unwrap();
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!(answer.digests[0].digest, sha256(b"abc"));
        drop((sender, answers, client));
        let (code, log) = running.end();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("\"stopped\""), "{log}");
        assert_eq!(
            output(&["--healthcheck", "--admin-listen", &admin])
                .status
                .code(),
            Some(1)
        );
    }
}

/// Serves new connections and new calls too, until a second signal ends it at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lame_duck_is_not_ready_and_serves() {
    let running = Running::start(&["--lame-duck", "1h"]);
    let mut before = connect(running.grpc).await;
    running.signal("TERM");
    while get(running.admin, "/readyz").unwrap().0 != 503 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert_eq!(get(running.admin, "/healthz").unwrap().0, 200);
    let mut after = connect(running.grpc).await;
    for client in [&mut before, &mut after] {
        let request = tokio_stream::iter([digest(0, b"abc", true)]);
        let answers = client.digest(request).await.unwrap();
        let answers = all(answers.into_inner()).await.unwrap();
        assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
    }
    running.signal("INT");
    let (code, log) = running.end();
    assert_eq!(code, Some(1), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_drain_follows_the_lame_duck() {
    let running = Running::start(&["--lame-duck", "10ms"]);
    let _idle = connect(running.grpc).await;
    running.signal("TERM");
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
    let places = ["serving as before", "draining", "stopped"].map(|words| log.find(words));
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_ends_it_at_once() {
    let running = Running::start(&["--drain-timeout", "1h"]);
    let mut client = connect(running.grpc).await;
    let (sender, answers) = open_digest(&mut client).await;
    sender.send(digest(0, b"ab", false)).await.unwrap();
    running.signal("TERM");
    while get(running.admin, "/readyz").unwrap().0 != 503 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    running.signal("TERM");
    let (code, log) = running.end();
    assert_eq!(code, Some(1), "{log}");
    drop((sender, answers));
}

#[test]
fn the_limit_of_descriptors_is_raised_as_far_as_it_goes() {
    const SOFT: u32 = 64;
    let limits = |running: &Running| {
        let path = format!("/proc/{}/limits", running.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|l| l.strip_prefix("Max open files"));
        let limits = line.unwrap().split_whitespace().take(2);
        limits.map(str::to_owned).collect::<Vec<_>>()
    };
    let running = Running::start_with(&format!("ulimit -S -n {SOFT}"), &[]);
    let [soft, hard] = &limits(&running)[..] else {
        panic!("no limits");
    };
    assert_eq!(soft, hard);
    assert_ne!(*soft, SOFT.to_string());
}

#[test]
fn connections_fit_the_limit_of_descriptors() {
    let connections_max = |running: &Running| {
        let labels = [("budget", "connections")];
        running.metrics().sum("hashlane_budget_max", &labels)
    };
    let few = Running::start_with_descriptors(1000, &["--connections-max=2000"]);
    let line = few.start.lines();
    let mut line = line.filter(|line| line.contains("file descriptors"));
    let line = line.next().unwrap_or_else(|| panic!("{}", few.start));
    for words in ["\"limit\":1000", "\"connections_max\":866"] {
        assert!(line.contains(words), "{line}");
    }
    assert_eq!(connections_max(&few), 866.0);
    let enough = Running::start_with_descriptors(1000, &["--connections-max=200"]);
    let start = &enough.start;
    assert!(!start.contains("file descriptors"), "{start}");
    assert_eq!(connections_max(&enough), 200.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_descriptors_accepting_pauses_and_goes_on_when_there_are_some() {
    const DESCRIPTORS_MAX: u32 = 64;
    // The crowd sends nothing, and stays as long as the test takes.
    let running = Running::start(&["--handshake-timeout=1h"]);
    // The server did not know of this limit at its start.
    let process = Pid::from_child(&running.child);
    let limit = Some(u64::from(DESCRIPTORS_MAX));
    let limit = Rlimit {
        current: limit,
        maximum: limit,
    };
    prlimit(Some(process), Resource::Nofile, limit).unwrap();
    let mut raw = Raw::tcp(running.grpc).await;
    // The kernel accepts all of them; the server cannot, because it has other open files.
    let crowd: Vec<_> = (0..DESCRIPTORS_MAX)
        .map(|_| std::net::TcpStream::connect(running.grpc).unwrap())
        .collect();
    let log = running.log.get_ref().as_fd().try_clone_to_owned().unwrap();
    let failing = tokio::task::spawn_blocking(|| {
        let mut lines = BufReader::new(std::fs::File::from(log)).lines();
        lines.any(|line| line.unwrap().contains("\"could not accept; trying again\""))
    });
    let failing = tokio::time::timeout(PATIENCE, failing).await;
    assert!(failing.unwrap().unwrap(), "it ended");

    // Open connections are served for one and a half seconds by the server's clock.
    let method = "/hashlane.v1.HashService/Digest";
    let (response, _sending) = raw.begin(method, &[("grpc-timeout", "1500m")]).await;
    let status = read(response).await.status.unwrap();
    assert_refused(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");

    drop(crowd);
    let again = async {
        let mut client = connect(running.grpc).await;
        let request = tokio_stream::iter([digest(0, b"abc", true)]);
        let mut answers = client.digest(request).await.unwrap().into_inner();
        answers.message().await.unwrap().unwrap()
    };
    let answer = tokio::time::timeout(PATIENCE, again).await.unwrap();
    assert_eq!(answer.digests[0].digest, sha256(b"abc"));
    // With pauses that double from 10 ms it tries seven times in this period; without them more
    // than a thousand times.
    let errors = running.metrics().sum("hashlane_accept_errors_total", &[]);
    assert!((2.0..50.0).contains(&errors), "{errors}");
}

#[test]
fn a_health_check_that_is_not_answered_says_so() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let output = output(&["--healthcheck", "--admin-listen", &address]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("timed out"), "{text}");
}
