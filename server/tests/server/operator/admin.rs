//! The admin port: the page, the state.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use crate::common::h2_client::{Raw, message};
use crate::common::{PATIENCE, TestServer, digest, open_digest, pattern, sized};
use hashlane_engine::Family;
use prost::Message as _;
use serde_json::Value;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

/// The headers of an answer.
fn head(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split_once("\r\n\r\n").unwrap().0.to_lowercase()
}

/// A page of another site whose name resolves to this address: its requests are refused.
#[test]
fn hosts_of_other_names_are_refused_on_the_loopback() {
    let server = TestServer::start(&[]);
    let status = |host: &str| -> u16 {
        let mut stream = TcpStream::connect(server.admin).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "GET /metrics HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text[9..12].parse().unwrap()
    };
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    for own in [
        "127.0.0.1:9464",
        "[::1]:9464",
        "LOCALHOST:9464",
        machine.trim(),
    ] {
        assert_eq!(status(own), 200, "{own}");
    }
    for other in ["evil.example", "localhost.evil.example:9464", ""] {
        assert_ne!(status(other), 200, "{other}");
    }
}

fn state(server: &TestServer) -> Value {
    let (status, text) = server.get("/debug/state");
    assert_eq!(status, 200);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_page_has_what_its_script_uses_and_nothing_from_elsewhere() {
    let server = TestServer::start(&[]);
    let files = ["/", "/page.mjs", "/figures.mjs", "/page.css"];
    let [page, script, figures, style] = files.map(|path| {
        let (status, text) = server.get(path);
        assert_eq!(status, 200, "{path}");
        text
    });
    let mut used = 0;
    for call in ["of(\"", "say(\""] {
        for rest in script.split(call).skip(1) {
            let id = rest.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
            used += 1;
        }
    }
    assert!(used > 20, "{used}");
    for file in ["page.mjs", "page.css"] {
        assert!(page.contains(&format!("=\"{file}\"")), "{file}");
    }
    assert!(script.contains("from \"./figures.mjs\""));
    for text in [&page, &script, &figures, &style] {
        assert!(!text.contains("//cdn") && !text.contains("http://") && !text.contains("https://"));
    }
    // Bytes from a client cannot become markup, and only these files run as script or style.
    for markup in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ] {
        assert!(
            !script.contains(markup) && !figures.contains(markup),
            "{markup}"
        );
    }
    assert!(!page.contains("style=") && !page.contains("<style") && !page.contains("onclick"));
    let head = head(server.admin, "/");
    for policy in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
    ] {
        assert!(head.contains(policy), "{policy}\n{head}");
    }
}

/// Every name that the script reads is in the state.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_state_has_what_the_page_shows() {
    let server = TestServer::start(&[("parts_max", "1000")]);
    let before = state(&server);
    assert_eq!(before["phase"], "serving");
    for why in ["unhealthy", "not_ready"] {
        assert!(before[why].is_null(), "{why}");
    }
    assert_eq!(before["certificates"], serde_json::json!([]));
    assert_eq!(before["calls_cut"], 0);
    assert_eq!(
        before["connections_refused"],
        serde_json::json!({"busy": 0, "handshakes": 0, "limit": 0, "rate": 0})
    );
    // A server embedded in another program has no log.
    assert!(before["panics"].is_null() && before["log_lines_lost"].is_null());
    assert_eq!(before["hashing"], "lanes");
    assert_eq!(before["workers"].as_array().unwrap().len(), 2);
    assert_eq!(before["clients"], serde_json::json!([]));
    assert_eq!(before["refusals"], serde_json::json!([]));
    for name in ["cpu_seconds", "resident_bytes", "open_fds", "max_fds"] {
        assert!(before["process"][name].as_f64().unwrap() > 0.0, "{name}");
    }
    let kernels = before["kernels"].as_array().unwrap();
    assert!(kernels.iter().any(|kernel| kernel["planned"] == true));
    assert!(
        kernels
            .iter()
            .all(|kernel| kernel["bytes_per_second"].as_f64() > Some(0.0)
                && kernel["lanes"].as_u64() > Some(0))
    );

    let mut raw = Raw::tcp(server.grpc).await;
    let request = message(0, &digest(1, &pattern(6400, 1), true).encode_to_vec());
    raw.call(DIGEST, &[], &[request]).await;
    let wrong = message(0, &sized(1, 3, b"ab", true).encode_to_vec());
    raw.call(DIGEST, &[], &[wrong]).await;
    raw.call(DIGEST, &[("grpc-timeout", "x")], &[]).await;
    let mut client = server.client().await;
    let (sender, answers) = open_digest(&mut client).await;
    sender.send(digest(0, b"ab", false)).await.unwrap();
    server
        .until("a part is open", |m| {
            m.sum("hashlane_open_jobs", &[]) == 1.0
        })
        .await;

    let after = state(&server);
    let sum = |name: &str| -> u64 {
        let workers = after["workers"].as_array().unwrap();
        workers
            .iter()
            .map(|worker| worker[name].as_u64().unwrap())
            .sum()
    };
    // Two bytes each of the failed part and of the open part are kept as tails.
    assert_eq!(sum("hashed_bytes"), 6400 + 2 + 2);
    assert_eq!(sum("connections"), 2);
    assert_eq!(sum("streams"), 1);
    assert_eq!(sum("open_jobs"), 1);
    assert_eq!(sum("ready_jobs") + sum("waiting_bytes"), 0);
    assert_eq!(sum("restarts") + sum("hangs"), 0);
    assert!(sum("received_bytes") > 6400);
    let metrics = server.metrics();
    #[allow(clippy::cast_precision_loss, reason = "a few steps")]
    let steps = sum("steps") as f64;
    assert!(steps > 0.0);
    assert_eq!(steps, metrics.sum("hashlane_steps_total", &[]));
    // Seconds of both workers, for each number of lanes or each algorithm.
    let seconds = |name: &str| -> Vec<f64> {
        let workers = after["workers"].as_array().unwrap().iter();
        let seconds = workers.flat_map(|worker| match &worker[name] {
            Value::Array(all) => all.clone(),
            all => all.as_object().unwrap().values().cloned().collect(),
        });
        seconds.map(|seconds| seconds.as_f64().unwrap()).collect()
    };
    let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
    let taken: f64 = seconds("lane_seconds").iter().sum();
    assert!(taken > 0.0);
    for (name, metric) in [
        ("lane_seconds", "hashlane_lane_seconds_total"),
        ("lane_best_seconds", "hashlane_lane_best_seconds_total"),
    ] {
        let all = seconds(name);
        assert_eq!(all.len(), 2 * Family::ALL.len());
        assert!(close(all.iter().sum(), metrics.sum(metric, &[])), "{name}");
    }
    assert_eq!(after["workers"][0]["lane_seconds"]["md5"], 0.0);
    // A lone part takes one lane.
    let active = seconds("step_seconds_by_active_lanes");
    let all = seconds("step_seconds_by_lanes");
    assert_eq!((active.len(), all.len()), (2 * 64, 2 * 64));
    assert!(close(active[0] + active[64], taken));
    assert!(close(all.iter().sum(), taken));
    let blocks: u64 = after["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kernel| kernel["active_lane_blocks"].as_u64().unwrap())
        .sum();
    assert_eq!(blocks, 101);
    let ended = after["part_seconds"]["counts"].as_array().unwrap();
    assert_eq!(ended.iter().map(|n| n.as_u64().unwrap()).sum::<u64>(), 2);
    let bounds = after["part_seconds"]["bounds"].as_array().unwrap();
    assert_eq!(bounds.len() + 1, ended.len());
    let parts = after["budgets"].as_array().unwrap();
    let parts = parts
        .iter()
        .find(|budget| budget["name"] == "parts")
        .unwrap();
    assert_eq!(
        (&parts["used"], &parts["max"]),
        (&1.0.into(), &1000.0.into())
    );
    assert_eq!(
        after["refusals"],
        serde_json::json!([
            {"reason": "MALFORMED_TIMEOUT", "of_part": false, "count": 1},
            {"reason": "SIZE_MISMATCH", "of_part": true, "count": 1},
        ])
    );
    assert_eq!(after["clients_count"], 1);
    let client = &after["clients"][0];
    assert_eq!(client["client"], "127.0.0.1");
    for (name, value) in [("connections", 2), ("streams", 1), ("parts", 1)] {
        assert_eq!(client[name], value, "{name}");
    }
    assert!(client["windows_bytes"].as_u64() > Some(0));
    for name in ["unary_bytes", "held_bytes", "shared_memory_bytes"] {
        assert_eq!(client[name], 0, "{name}");
    }
    drop((sender, answers));
}
