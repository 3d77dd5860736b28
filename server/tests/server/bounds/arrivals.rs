//! Clients that connect too often, or again after floods, are delayed; other clients are not.

use std::net::{IpAddr, Ipv4Addr};

use crate::common::TestServer;
use crate::common::frame_client::{ENHANCE_YOUR_CALM, PING, Wire, frame, headers, socket_from};

const HOSTILE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const HONEST: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3));

/// Simultaneous connections: more than are refused before the next ones are dropped.
const BURST: usize = 200;
/// The kernel has to see a burst within a second; a busy machine may need several.
const BURSTS_MAX: usize = 20;

fn delayed(server: &TestServer) -> f64 {
    let metrics = server.metrics();
    metrics.sum("hashlane_connections_delayed_total", &[])
}

async fn is_served(server: &TestServer, client: IpAddr) {
    let mut wire = Wire::connect_from(client, server.grpc).await;
    wire.send(&headers(1, 0, &[])).await;
    wire.digest(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_floods_waits_for_its_next_connection() {
    let server = TestServer::start(&[("workers", "1"), ("http2.credit_per_second", "1")]);
    let pings = frame(PING, 0, 0, &[0; 8]).repeat(40_000);
    for floods in 0..3 {
        let mut flood = Wire::connect_from(HOSTILE, server.grpc).await;
        flood.send(&pings).await;
        assert_eq!(flood.goodbye().await, ENHANCE_YOUR_CALM);
        let closed = f64::from(floods + 1);
        server
            .until("the flood is over", |m| {
                m.sum("hashlane_connections_flooding_total", &[]) == closed
                    && m.sum("hashlane_connections", &[]) == 0.0
            })
            .await;
        // Without any connection, the client is still known; another client is not affected.
        assert_eq!(delayed(&server), f64::from(floods));
        is_served(&server, HONEST).await;
        assert_eq!(delayed(&server), f64::from(floods));
    }
    is_served(&server, HOSTILE).await;
    assert_eq!(delayed(&server), 3.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_connects_too_often_waits_and_is_refused_then() {
    let server = TestServer::start(&[("client_connections_per_second", "1")]);
    // Two are served at once, five wait for one second each; some seconds may pass meanwhile.
    let mut sockets = Vec::new();
    let refused = || {
        let metrics = server.metrics();
        metrics.sum("hashlane_connections_refused_total", &[("reason", "rate")])
    };
    while refused() == 0.0 {
        sockets.push(socket_from(HOSTILE, server.grpc).await);
    }
    assert!(sockets.len() >= 8, "{}", sockets.len());
    let before = delayed(&server);
    assert!(before >= 5.0);
    is_served(&server, HONEST).await;
    assert_eq!(delayed(&server), before);

    // Further attempts are dropped; one attempt may wait for the end of the drop.
    let dropped = || {
        let metrics = server.metrics();
        metrics.sum("hashlane_addresses_dropped_total", &[])
    };
    for _ in 0..BURSTS_MAX {
        let attempts = (0..BURST).map(|_| tokio::spawn(socket_from(HOSTILE, server.grpc)));
        for attempt in attempts.collect::<Vec<_>>() {
            sockets.push(attempt.await.unwrap());
        }
        if dropped() > 0.0 {
            break;
        }
        sockets.clear();
    }
    assert!(dropped() > 0.0);
    is_served(&server, HONEST).await;
}
