//! The admin port: the page, the state, the log's filter.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use crate::common::program::Running;
use crate::common::raw::{Raw, message};
use crate::common::{PATIENCE, TestServer, digest, get, open_digest, pattern, sized};
use prost::Message as _;
use serde_json::Value;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

/// A request with a body; its status, and the whole answer.
fn put(address: SocketAddr, path: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    write!(
        stream,
        "PUT {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n"
    )
    .unwrap();
    // A server that has refused it reads no more.
    let _ = stream.write_all(body);
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    (text[9..12].parse().unwrap(), text)
}

/// The headers of an answer.
fn head(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: test\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split_once("\r\n\r\n").unwrap().0.to_lowercase()
}

fn state(server: &TestServer) -> Value {
    let (status, text) = server.get("/debug/state");
    assert_eq!(status, 200);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_page_has_what_its_script_uses_and_nothing_from_elsewhere() {
    let server = TestServer::start(&[]);
    let [page, script, style] = ["/", "/page.js", "/page.css"].map(|path| {
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
    for file in ["page.js", "page.css"] {
        assert!(page.contains(&format!("=\"{file}\"")), "{file}");
    }
    for text in [&page, &script, &style] {
        assert!(!text.contains("//cdn") && !text.contains("http://") && !text.contains("https://"));
    }
    // What a client sent can be no markup, and no script or style but these files is run.
    for markup in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ] {
        assert!(!script.contains(markup), "{markup}");
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
    assert_eq!(before["hung"], false);
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
            .all(|kernel| kernel["bytes_per_second"].as_f64() > Some(0.0))
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
    // Two bytes each of the part that failed and of the one that is open are kept as tails.
    assert_eq!(sum("hashed_bytes"), 6400 + 2 + 2);
    assert_eq!(sum("connections"), 2);
    assert_eq!(sum("streams"), 1);
    assert_eq!(sum("open_jobs"), 1);
    assert_eq!(sum("ready_jobs") + sum("waiting_bytes"), 0);
    assert!(sum("received_bytes") > 6400);
    let steps: Vec<u64> = after["workers"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|worker| worker["steps_by_lanes"].as_array().unwrap())
        .map(|count| count.as_u64().unwrap())
        .collect();
    assert_eq!(steps.len(), 2 * 64);
    // A lone part takes one lane.
    let taken = server.metrics().sum("hashlane_steps_total", &[]);
    assert!(taken > 0.0);
    #[allow(clippy::cast_precision_loss, reason = "a few steps")]
    let alone = (steps[0] + steps[64]) as f64;
    assert_eq!(alone, taken);
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
    for name in ["unary_bytes", "held_bytes"] {
        assert_eq!(client[name], 0, "{name}");
    }
    drop((sender, answers));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_logs_filter_is_changed_while_it_runs() {
    let running = Running::start(&["--log", "warn,hashlane_server=info"]);
    let in_force = || get(running.admin, "/log").unwrap();
    assert_eq!(in_force(), (200, "warn,hashlane_server=info\n".to_owned()));
    let mut raw = Raw::tcp(running.grpc).await;
    let call = |raw: &mut Raw, id: &'static str| {
        let mut raw = raw.clone();
        async move { raw.call(DIGEST, &[("x-request-id", id)], &[]).await }
    };
    call(&mut raw, "before").await;
    let (status, text) = put(running.admin, "/log", b"hashlane_server=debug\n");
    assert_eq!(status, 200, "{text}");
    assert_eq!(in_force().1, "hashlane_server=debug\n");
    call(&mut raw, "during").await;

    // What is wrong leaves it as it is.
    for (body, words) in [
        (&b"a=b=c"[..], "no log filter: "),
        (b"hashlane_server=loud", "no log filter: "),
        (b"", "the filter is empty"),
        (b" ,\n", "the filter is empty"),
        (b"\xff", "not UTF-8"),
        (&[b'a'; 5000], "at most 4096 bytes"),
    ] {
        let (status, text) = put(running.admin, "/log", body);
        assert_eq!(status, 400, "{text}");
        assert!(text.contains(words), "{words:?} in {text}");
        assert_eq!(in_force().1, "hashlane_server=debug\n");
    }
    for path in ["/", "/metrics", "/log/x", "/debug/state"] {
        assert_eq!(put(running.admin, path, b"info").0, 405, "{path}");
    }
    // Only there.
    let answer = raw.call("/log", &[(":method", "PUT")], &[]).await;
    assert_eq!(answer.http, 405);
    assert_eq!(put(running.admin, "/log", b"info").0, 200);
    call(&mut raw, "after").await;
    // Who silences the log is in it.
    assert_eq!(put(running.admin, "/log", b"off").0, 200);

    running.signal("TERM");
    drop(raw);
    let (_, log) = running.end();
    for filter in ["hashlane_server=debug", "info", "off"] {
        assert!(log.contains(&format!("\"filter\":\"{filter}\"")), "{log}");
    }
    let told = |id: &str| log.contains(&format!("\"request_id\":\"{id}\""));
    assert_eq!(
        ["before", "during", "after"].map(told),
        [false, true, false],
        "{log}"
    );
}

/// A server inside another program has no log of its own.
#[test]
fn without_a_log_there_is_no_filter() {
    let server = TestServer::start(&[]);
    assert_eq!(server.get("/log").0, 404);
    assert_eq!(put(server.admin, "/log", b"info").0, 404);
}
