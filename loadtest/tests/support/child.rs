//! This very executable as the server that the load generator starts.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::{Addresses, Fake, Manner};

const TESTS_AT_ONCE: usize = 3;

/// Runs `tests`, unless the flags are a server's, or ask what cargo asks.
pub(crate) fn main_of(tests: &[(&str, fn())]) {
    let flags: Vec<String> = std::env::args().skip(1).collect();
    if let Some(listen) = value_of(&flags, "--listen") {
        return serve(&flags, listen);
    }
    if flags.iter().any(|flag| flag == "--list") {
        return;
    }
    if flags.iter().any(|flag| flag == "--memory") {
        return std::io::stdout()
            .write_all(b"| all of it | | 20 |\n")
            .unwrap();
    }
    // A server that was built without the feature `measure`.
    let is_without = flags.iter().any(|flag| flag == "--without-measure");
    if is_without && value_of(&flags, "--hashing").is_some() {
        std::process::exit(2);
    }
    if flags.iter().any(|flag| flag == "--print-config") {
        // A server's settings, as far as they bound its memory.
        let set = value_of(&flags, "--set").and_then(|set| set.strip_prefix("unary_bytes_max="));
        let config = format!(
            "unary_bytes_max = \"{}\" # --set\n[http2]\nconnection_window_bytes_max = 1048576\n",
            set.unwrap_or("20MiB")
        );
        return std::io::stdout().write_all(config.as_bytes()).unwrap();
    }
    // Several at a time: most of their time is that of windows.
    let tests = Mutex::new(tests.iter());
    std::thread::scope(|scope| {
        for _ in 0..TESTS_AT_ONCE {
            scope.spawn(|| {
                loop {
                    // Not held while the test runs.
                    let next = tests.lock().unwrap().next();
                    let Some((name, test)) = next else { return };
                    test();
                    // What libtest would print.
                    let _ = writeln!(std::io::stderr(), "test {name} ... ok");
                }
            });
        }
    });
}

fn value_of<'a>(flags: &'a [String], name: &str) -> Option<&'a str> {
    let at = flags.iter().position(|flag| flag == name)?;
    flags.get(at + 1).map(String::as_str)
}

/// The fake server: writes what happens to it into the file `--journal`.
fn serve(flags: &[String], listen: &str) {
    let journal = value_of(flags, "--journal").map(PathBuf::from);
    let note = |line: String| {
        if let Some(path) = &journal {
            let mut file = std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .unwrap();
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    };
    if flags.iter().any(|flag| flag == "--broken") {
        let _ = writeln!(
            std::io::stderr(),
            "error: the setting `broken` is not known"
        );
        std::process::exit(3);
    }
    let mode = value_of(flags, "--hashing").unwrap_or("lanes");
    let manner = match mode {
        "sink" => Manner::Zeros,
        "lanes" if flags.iter().any(|flag| flag == "--wrong") => Manner::FlippedBit,
        _ if flags.iter().any(|flag| flag == "--refusing") => Manner::Refusing,
        _ if flags.iter().any(|flag| flag == "--silent") => Manner::Silent,
        _ => Manner::Honest,
    };
    let admin = value_of(flags, "--admin-listen").unwrap();
    let at = Addresses {
        grpc: listen.parse().unwrap(),
        admin: admin.parse().unwrap(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).unwrap();
        let fake = Fake::new(manner);
        let grpc = TcpListener::bind(at.grpc).await.unwrap();
        let admin = TcpListener::bind(at.admin).await.unwrap();
        let set: Vec<_> = flags
            .windows(2)
            .filter(|pair| pair[0] == "--set")
            .map(|pair| pair[1].as_str())
            .collect();
        if !set.is_empty() {
            note(format!("set {}", set.join(" ")));
        }
        note(format!("start {mode} {}", std::process::id()));
        tokio::spawn(Arc::clone(&fake).serve_grpc(grpc));
        tokio::spawn(Arc::clone(&fake).serve_admin(admin));
        terminate.recv().await;
        note(format!(
            "end {mode} {} {}",
            std::process::id(),
            fake.parts() > 0
        ));
    });
}

/// A folder of its own, and a `compare` whose server is this executable.
pub(crate) struct Scene {
    folder: PathBuf,
}

impl Scene {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    #[allow(dead_code, reason = "each test file starts some servers")]
    pub(crate) fn journal_path(&self) -> PathBuf {
        self.folder.join("journal")
    }

    pub(crate) fn journal(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join("journal")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    #[allow(dead_code, reason = "each test file runs some commands")]
    pub(crate) fn command(&self, flags: &str) -> Command {
        self.subcommand("compare", flags)
    }

    pub(crate) fn subcommand(&self, subcommand: &str, flags: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"));
        let journal = format!(
            "--server-args=--journal {}",
            self.folder.join("journal").display()
        );
        command
            .args([subcommand, "--server-bin"])
            .arg(std::env::current_exe().unwrap());
        command.arg(journal).args(flags.split_whitespace());
        command
    }

    #[allow(dead_code, reason = "each test file runs some commands")]
    pub(crate) fn run(&self, flags: &str) -> Output {
        self.command(flags).output().unwrap()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn rows(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn said(output: &Output) -> String {
    format!(
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    )
}
