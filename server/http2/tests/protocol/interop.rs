//! Calls of an h2 client. h2 ends a connection that exceeds its windows or breaks another rule.

use bytes::Bytes;
use futures_util::future::{join, join_all};
use h2::Reason;
use hashlane_http2::Code;
use http::{HeaderMap, HeaderValue, Request};

use crate::echo::{Server, Setup, call};

const WINDOWS_DEFAULT: [u32; 2] = [65_535; 2];

/// Around the edges of frames and of windows.
const LENGTHS: [usize; 10] = [
    0, 1, 255, 16_383, 16_384, 16_385, 65_535, 65_536, 100_001, 200_000,
];

/// A body that shows if its pieces are swapped, or those of two bodies.
fn body(bytes: usize, seed: usize) -> Bytes {
    let pattern = |at: usize| u8::try_from((at + 7 * seed) % 251).unwrap();
    (0..bytes).map(pattern).collect()
}

fn fields(value_bytes: usize) -> HeaderMap {
    let value = HeaderValue::try_from("v".repeat(value_bytes)).unwrap();
    HeaderMap::from_iter([(http::header::USER_AGENT, value)])
}

/// Makes a call of `/` for each length, all at once.
fn echo(setup: Setup, lengths: impl Iterator<Item = usize>) -> Server {
    let (results, ended, server) = setup.run(async |client| {
        let calls = lengths.enumerate().map(|(seed, bytes)| {
            let client = &client;
            async move { call(client, "/", &fields(seed), body(bytes, seed)).await }
        });
        join_all(calls).await
    });
    ended.unwrap();
    for (seed, result) in results.into_iter().enumerate() {
        result.unwrap_or_else(|error| panic!("call {seed}: {error}"));
    }
    assert_eq!((server.goaway, server.connection.streams()), (Some(Code::NO_ERROR), 0));
    server
}

#[test]
fn every_byte_of_many_calls_comes_back_through_any_windows() {
    let (small, large) = ([1000, 65_535], [1 << 20, 1 << 22]);
    for (client, server) in [
        (WINDOWS_DEFAULT, WINDOWS_DEFAULT),
        (small, large),
        (large, small),
        (large, large),
    ] {
        echo(Setup::new(client, server), LENGTHS.into_iter().cycle().take(60));
    }
}

#[test]
fn every_byte_comes_back_through_a_window_of_one_byte() {
    let tiny = [1, 65_535];
    for (client, server) in [(tiny, WINDOWS_DEFAULT), (WINDOWS_DEFAULT, tiny), (tiny, tiny)] {
        let mut setup = Setup::new(client, server);
        setup.pipe_bytes = 100;
        echo(setup, (0..60).map(|seed| seed * 5));
    }
}

#[test]
fn a_client_may_change_its_windows_at_any_time() {
    let mut setup = Setup::new(WINDOWS_DEFAULT, WINDOWS_DEFAULT);
    setup.pipe_bytes = 5000;
    setup.changes = [0, 100_000, 1, 0, 3000, (1 << 31) - 1, 100].repeat(10);
    setup.changes.push(65_535);
    echo(setup, LENGTHS.into_iter().cycle().take(40));
}

#[test]
fn a_server_may_make_windows_larger() {
    let (results, ended, server) = Setup::new(WINDOWS_DEFAULT, [1000, 1 << 20]).run(async |client| {
        let (call, fields) = (|path, bytes| call(&client, path, &fields, body(bytes, 0)), fields(1));
        join(call("/", 300_000), call("/grow", 10_000)).await
    });
    ended.unwrap();
    assert!(results.0.is_ok() && results.1.is_ok(), "{results:?}");
    assert!(server.held_bytes_max > 1000, "windows are still small");
}

#[test]
fn header_blocks_of_several_frames_arrive() {
    let (results, ended, _) = Setup::new(WINDOWS_DEFAULT, WINDOWS_DEFAULT).run(async |client| {
        let call = async |seed| call(&client, "/", &fields(20_000 * seed), body(100, seed)).await;
        join_all((1..=4).map(call)).await
    });
    ended.unwrap();
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

/// Together the calls send far more than the connection's window: what a reset leaves unread must
/// be given back.
#[test]
fn resets_end_their_calls_only() {
    const CALLS: usize = 30;
    let (results, ended, server) = Setup::new(WINDOWS_DEFAULT, [50_000, 65_535]).run(async |client| {
        let fields = fields(1);
        let cancelled = async |client: &h2::client::SendRequest<Bytes>| {
            let mut client = client.clone().ready().await?;
            let request = Request::post("http://server/").body(()).unwrap();
            let (response, mut sending) = client.send_request(request, false)?;
            sending.send_data(body(100_000, 1), false)?;
            // Some of it has come back, and windows are full.
            let piece = response.await?.into_body().data().await;
            assert!(piece.is_some_and(|piece| piece.is_ok_and(|piece| !piece.is_empty())));
            sending.send_reset(Reason::CANCEL);
            Ok::<_, h2::Error>(())
        };
        join_all((0..CALLS).map(async |_| {
            (
                call(&client, "/", &fields, body(100_000, 0)).await,
                call(&client, "/reset", &fields, body(100_000, 0)).await,
                call(&client, "/early", &fields, body(100_000, 0)).await,
                cancelled(&client).await,
            )
        }))
        .await
    });
    ended.unwrap();
    for (echoed, reset, early, cancelled) in results {
        assert_eq!(reset.unwrap_err().reason(), Some(Reason::CANCEL));
        assert!(echoed.is_ok() && early.is_ok() && cancelled.is_ok());
    }
    assert_eq!(server.resets, [Code::CANCEL; CALLS]);
    assert_eq!(server.connection.streams(), 0);
}

#[test]
fn a_server_that_shuts_down_finishes_its_calls() {
    let (results, ended, server) = Setup::new(WINDOWS_DEFAULT, WINDOWS_DEFAULT).run(async |client| {
        let fields = fields(1);
        let call = async |path, bytes| call(&client, path, &fields, body(bytes, 0)).await;
        let both = join(call("/", 300_000), call("/shut-down", 10)).await;
        (both, call("/", 0).await)
    });
    ended.unwrap();
    let (both, late) = results;
    assert!(both.0.is_ok() && both.1.is_ok(), "{both:?}");
    assert!(late.is_err_and(|error| error.is_go_away() && error.is_remote()));
    assert!(server.connection.is_shut_down() && server.connection.streams() == 0);
}

#[test]
fn a_server_that_fails_tells_why() {
    let (results, ended, _) = Setup::new(WINDOWS_DEFAULT, WINDOWS_DEFAULT).run(async |client| {
        let fields = fields(1);
        let call = async |path, bytes| call(&client, path, &fields, body(bytes, 0)).await;
        join(call("/", 300_000), call("/fail", 10)).await
    });
    for error in [ended.unwrap_err(), results.0.unwrap_err(), results.1.unwrap_err()] {
        assert!(error.is_go_away() && error.is_remote());
        assert_eq!(error.reason(), Some(Reason::ENHANCE_YOUR_CALM));
    }
}
