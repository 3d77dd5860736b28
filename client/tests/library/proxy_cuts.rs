//! Streams that a proxy cuts, because it has lost its server in the middle of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use h2::{Reason, RecvStream};
use hashlane_client::{Algorithm, Client};
use tokio::net::{TcpListener, TcpStream};
use tonic::codegen::http::{HeaderMap, Request, Response};

use crate::sha256;

/// Reads a request to its end.
async fn read(request: Request<RecvStream>) {
    let mut body = request.into_body();
    while let Some(Ok(data)) = body.data().await {
        let _ = body.flow_control().release_capacity(data.len());
    }
}

/// The answer to a part of these bytes, in a gRPC message.
fn answer(data: &[u8]) -> Bytes {
    let mut message = vec![0, 0, 0, 0, 40, 0x10, u8::try_from(data.len()).unwrap()];
    message.extend([0x1a, 36, 0x08, 1, 0x12, 32]);
    message.extend(sha256(data));
    message.into()
}

/// Cuts the first call as nginx does, the second one as HAProxy does, and answers the others.
async fn serve(socket: TcpStream, calls: Arc<AtomicUsize>) {
    let mut connection = h2::server::handshake(socket).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let calls = Arc::clone(&calls);
        tokio::spawn(async move {
            let head = Response::builder().header("content-type", "application/grpc");
            let head = head.body(()).unwrap();
            let mut body = respond.send_response(head, false).unwrap();
            read(request).await;
            match calls.fetch_add(1, Ordering::Relaxed) {
                0 => body.send_reset(Reason::INTERNAL_ERROR),
                1 => body.send_data(Bytes::new(), true).unwrap(),
                _ => {
                    body.send_data(answer(b"abc"), false).unwrap();
                    let mut trailers = HeaderMap::new();
                    trailers.insert("grpc-status", "0".parse().unwrap());
                    body.send_trailers(trailers).unwrap();
                }
            }
        });
    }
}

#[tokio::test]
async fn a_part_whose_stream_a_proxy_cut_is_sent_again() {
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
    let answer = client.digest("abc", Algorithm::Sha256).await.unwrap();
    assert_eq!(*answer.digest(), sha256(b"abc"));
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}
