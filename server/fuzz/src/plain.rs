//! h2 alone, with a handler that takes all and answers with nothing.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use h2::RecvStream;
use h2::server::SendResponse;
use http::Response;

use crate::config::Http2Settings;
use crate::pipe::{Flag, Pipe};

async fn answer(mut body: RecvStream, mut respond: SendResponse<Bytes>) {
    while let Some(Ok(data)) = body.data().await {
        let _ = body.flow_control().release_capacity(data.len());
    }
    let _ = body.trailers().await;
    let _ = respond.send_response(Response::new(()), true);
}

async fn serve(pipe: Pipe, settings: &Http2Settings, window_bytes: u32) {
    let mut builder = h2::server::Builder::new();
    builder
        .initial_window_size(settings.stream_window_bytes)
        .initial_connection_window_size(window_bytes)
        .max_frame_size(settings.frame_bytes_max)
        .max_concurrent_streams(settings.streams_max)
        .max_header_list_size(settings.header_list_bytes_max)
        .max_pending_accept_reset_streams(1024)
        .max_local_error_reset_streams(None)
        .data_frame_budget(usize::MAX);
    let Ok(mut connection) = builder.handshake::<_, Bytes>(pipe).await else {
        return;
    };
    let mut calls = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(()) = calls.next() => {}
            request = connection.accept() => match request {
                Some(Ok((request, respond))) => calls.push(answer(request.into_body(), respond)),
                Some(Err(_)) | None => return,
            },
        }
    }
}

/// Why h2 closes a connection on which this is sent, if it does.
pub(crate) fn verdict(sent: &[u8], settings: &Http2Settings, window_bytes: u32) -> Option<u32> {
    let pipe = Pipe::new();
    pipe.send(sent);
    let woken = Flag::woken();
    let waker = Waker::from(Arc::clone(&woken));
    let mut serving = pin!(serve(pipe.clone(), settings, window_bytes));
    for close in [false, true] {
        if close {
            pipe.close();
        }
        while woken.take() {
            if serving
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_ready()
            {
                return pipe.verdict();
            }
        }
    }
    pipe.verdict()
}
