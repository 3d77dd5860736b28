//! `ping`, `bench`, and several servers.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn ping_tells_whether_a_server_digests() {
    let folder = folder();
    let folder = folder.path();
    let mut fake = Fake::start(Behaviour::Honest).await;
    let url = fake.url.clone();
    let output = run(folder, &["ping", "--server", &url]);
    let text = String::from_utf8_lossy(&output.stdout);
    let start = format!("{url}: ready, version 1.2.3, workers 2, round trip ");
    assert!(
        text.starts_with(&start) && text.ends_with(" ms\n"),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(0));
    let output = run(folder, &["ping", "--json", "--server", &url]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        json["ready"] == true && json["version"] == "1.2.3",
        "{json}"
    );
    assert!(json["round_trip_ms"].as_f64().unwrap() > 0.0, "{json}");

    fake.vanish();
    let output = run(folder, &["ping", "--server", &url]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        // Its socket may be open a moment longer: then the connection is lost first.
        told.contains("Connection refused") && output.stdout.is_empty(),
        "{told}"
    );

    let drains = Fake::start(Behaviour::Refuse).await;
    let output = run(folder, &["ping", "--server", &drains.url]);
    let text = format!(
        "{}: not ready: draining (Unavailable, DRAINING): try another server, or the same one \
         later\n",
        drains.url
    );
    check(&output, 1, &text, "");
    let output = run(folder, &["ping", "--json", "--server", &drains.url]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        json["ready"] == false && json["error"].is_string(),
        "{json}"
    );
    let missing = run(folder, &["ping"]);
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
    assert!(String::from_utf8_lossy(&missing.stderr).contains("--server <URL>"));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_servers_are_used_while_one_is_away() {
    let folder = folder();
    let folder = folder.path();
    std::fs::write(folder.join("a"), "abc").unwrap();
    let (there, mut away) = (
        Fake::start(Behaviour::Honest).await,
        Fake::start(Behaviour::Honest).await,
    );
    away.vanish();
    let list = format!("{},{}", away.url, there.url);
    let repeated = ["--server", &there.url, "--server", &away.url];
    for servers in [&["--server", &list][..], &repeated] {
        let sum = run(folder, &[&["sum", "a"][..], servers].concat());
        check(&sum, 0, &format!("{}  a\n", hex(b"abc")), "");
        let ping = run(folder, &[&["ping"][..], servers].concat());
        assert_eq!(ping.status.code(), Some(2), "{ping:?}");
        let (text, told) = (
            String::from_utf8_lossy(&ping.stdout),
            String::from_utf8_lossy(&ping.stderr),
        );
        assert!(text.starts_with(&format!("{}: ready", there.url)), "{text}");
        assert!(told.contains(&away.url), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bench_tells_what_each_way_costs() {
    let folder = TempDir::new().unwrap();
    let small = ["bench", "--bytes=64KiB", "--part-size=16KiB", "--streams=2"];
    let output = run(folder.path(), &[&small[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ways: Vec<_> = rows
        .iter()
        .map(|row| row["way"].as_str().unwrap())
        .collect();
    assert_eq!(ways, ["one stream", "embedded:"]);
    for row in &rows {
        let costs = row["costs"].as_array().unwrap();
        assert_eq!(costs.len(), 3);
        for cost in costs {
            assert!(cost["client_cpu_seconds_per_gb"].as_f64().unwrap() > 0.0);
            assert!(cost["server_cpu_seconds_per_gb"].is_null());
        }
    }
    // A server's cost is unknown without its admin port.
    let server = Fake::start(Behaviour::Honest).await;
    let of_server = ["--admin=127.0.0.1:1", &server.url];
    let output = run(folder.path(), &[&small[..], &of_server].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("--admin"), "{told}");
    let ca = Ca::new();
    std::fs::write(folder.path().join("ca.pem"), ca.pem()).unwrap();
    let clear = ["--ca=ca.pem", &server.url];
    let output = run(folder.path(), &[&small[..], &clear].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("certificates go with https"), "{told}");
}
