//! On a server: the same digests and verdicts, and what it refuses.

use super::*;

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
async fn what_a_pipe_gave_is_not_sent_again() {
    let folder = folder();
    let data = vec![9; 100_000];
    let sum = |fake: &Fake| {
        let arguments = ["sum", "--server", &fake.url, "/dev/stdin"];
        with_input(folder.path(), &arguments, &data)
    };
    let complaint = "hashlane: /dev/stdin: no room (ResourceExhausted, SERVER_BUSY): try later, or \
                     send less at once; the source cannot be read again: give bytes, a regular \
                     file, or Source::reopen\n";
    let fake = Fake::start(Behaviour::RefuseFirst(1)).await;
    check(&sum(&fake), 1, "", complaint);
    // A server that does not take the call costs none of the bytes.
    let fake = Fake::start(Behaviour::RejectFirst(2)).await;
    let line = format!("{}  /dev/stdin\n", hex(&data));
    check(&sum(&fake), 0, &line, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_exits_with_2() {
    let fake = Fake::start(Behaviour::Refuse).await;
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let output = run(folder.path(), &["sum", "--server", &fake.url, "a", "a"]);
    let complaint = format!(
        "hashlane: {}: draining (Unavailable, DRAINING): \
         try another server, or the same one later\n",
        fake.url
    );
    check(&output, 2, "", &complaint);

    let mut fake = Fake::start(Behaviour::Honest).await;
    let mut child = tool(folder.path())
        .args(["sum", "--server", &fake.url, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || {
        // The tool may end before it has read all of it.
        let _ = stdin.write_all(&vec![0; 4 << 20]);
        stdin
    });
    // More than the tool keeps: it cannot try again.
    let mut sent = 0;
    while sent < 2 << 20 {
        if let Seen::Data(bytes) = fake.seen().await {
            sent += bytes;
        }
    }
    fake.vanish();
    // Standard input stays open, but the tool has nothing left to wait for.
    let output = child.wait_with_output().unwrap();
    drop(feeding.join().unwrap());
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
    // An empty one is none.
    for refused in [run(folder, &sum), with("other"), with("")] {
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

#[tokio::test(flavor = "multi_thread")]
async fn small_files_share_a_few_calls() {
    let mut fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let files: Vec<(String, Vec<u8>)> = (0..1000)
        .map(|i| (format!("{i:03}"), vec![7; i * 37 % 20_000]))
        .collect();
    for (name, data) in &files {
        std::fs::write(folder.path().join(name), data).unwrap();
    }
    // A file that cannot be read is reported by itself.
    let mut given = names(&files);
    given.insert(500, "none");
    let server = ["sum", "--server", &fake.url, "--connections", "3"];
    let output = run(folder.path(), &[&server[..], &given].concat());
    let told = "hashlane: none: No such file or directory\n";
    check(&output, 1, &expected(&files), told);
    let calls = |fake: &mut Fake| {
        let seen = fake.seen_so_far();
        let calls = seen.iter().filter(|seen| matches!(seen, Seen::Began(_)));
        let reset = seen.contains(&Seen::Reset);
        (calls.count(), reset)
    };
    let (sum, reset) = calls(&mut fake);
    assert!((1..=3).contains(&sum) && !reset, "{sum}");

    let sums = expected(&files).replace(&hex(&files[3].1), &hex(b"other"));
    std::fs::write(folder.path().join("sums"), sums).unwrap();
    let output = run(
        folder.path(),
        &["check", "--server", &fake.url, "--quiet", "sums"],
    );
    let warning = "hashlane: WARNING: 1 computed checksum did NOT match\n";
    check(&output, 1, "003: FAILED\n", warning);
    let (checks, reset) = calls(&mut fake);
    assert!((1..=4).contains(&checks) && !reset, "{checks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn small_files_survive_calls_that_are_refused() {
    for behaviour in [
        Behaviour::RejectFirst(2),
        Behaviour::RefuseFirst(3),
        Behaviour::DrainParts(5),
        Behaviour::FaultParts(5),
    ] {
        let fake = Fake::start(behaviour).await;
        let folder = folder();
        let files = mixed(folder.path());
        let output = run(
            folder.path(),
            &[vec!["sum", "--server", &fake.url], names(&files)].concat(),
        );
        check(&output, 0, &expected(&files), "");
    }
}
