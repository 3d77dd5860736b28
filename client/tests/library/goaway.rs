//! Calls that no server has touched: refused by a reset, or raced by a GOAWAY.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use h2::Reason;
use hashlane_client::Client;
use tokio::net::{TcpListener, TcpStream};
use tonic::codegen::http::{HeaderMap, Response};

/// Refuses the first call, closes the connection of the second one with a GOAWAY that does not know
/// it, and answers all others with an empty message.
async fn serve(socket: TcpStream, calls: Arc<AtomicUsize>) {
    let mut connection = h2::server::handshake(socket).await.unwrap();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        match calls.fetch_add(1, Ordering::Relaxed) {
            0 => respond.send_reset(Reason::REFUSED_STREAM),
            1 => connection.abrupt_shutdown(Reason::NO_ERROR),
            _ => {
                let head = Response::builder().header("content-type", "application/grpc");
                let mut body = respond
                    .send_response(head.body(()).unwrap(), false)
                    .unwrap();
                body.send_data(Bytes::from_static(&[0; 5]), false).unwrap();
                let mut trailers = HeaderMap::new();
                trailers.insert("grpc-status", "0".parse().unwrap());
                body.send_trailers(trailers).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn calls_that_no_server_has_touched_are_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(serve(socket, Arc::clone(&counted)));
        }
    });
    let client = Client::connect(address).await.unwrap();
    client.server_info().await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}
