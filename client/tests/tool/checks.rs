//! `check`: lists, digests on the command line, and their verdicts.

use super::*;

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
