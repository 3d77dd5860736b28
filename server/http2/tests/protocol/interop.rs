//! Calls of h2, which ends a connection that exceeds its windows or breaks another rule.

use bytes::Bytes;
use futures_util::future::{join, join_all};
use h2::{Error, Reason};
use http::{HeaderMap, HeaderValue, Request};

use crate::client::{Requests, Setup, call};
use crate::echo::Echo;

const WINDOWS: [u32; 2] = [65_535; 2];

/// Around the edges of frames and of windows.
const LENGTHS: [usize; 8] = [0, 1, 16_383, 16_384, 65_535, 65_536, 100_001, 200_000];

/// A body that shows if its pieces are swapped, or those of two bodies.
fn body(bytes: usize, seed: usize) -> Bytes {
    let pattern = |at| u8::try_from((at + 7 * seed) % 251).unwrap();
    (0..bytes).map(pattern).collect()
}

fn fields(value_bytes: usize) -> HeaderMap {
    let value = HeaderValue::try_from("v".repeat(value_bytes)).unwrap();
    HeaderMap::from_iter([(http::header::USER_AGENT, value)])
}

/// A call with a field of the shortest length that HPACK writes in three bytes.
async fn plain(client: &Requests, path: &str, bytes: usize) -> Result<(), Error> {
    call(client, path, &fields(255), body(bytes, 0)).await
}

/// Makes a call for each length, all at once. Header blocks of the last ones take several frames.
fn echo(setup: Setup, lengths: impl Iterator<Item = usize>) -> Echo {
    let (results, ended, echo) = setup.run(async |client| {
        let client = &client;
        let call = |(seed, bytes)| async move {
            call(client, "/", &fields(1000 * seed), body(bytes, seed)).await
        };
        join_all(lengths.enumerate().map(call)).await
    });
    let results: Result<Vec<()>, Error> = results.into_iter().collect();
    results.and(ended).unwrap();
    assert_eq!(echo.events().last(), Some("Goaway { code: Code(0) }"));
    assert!(echo.connection.streams() == 0 && echo.connection.is_between_frames());
    echo
}

#[test]
fn every_byte_of_many_calls_comes_back_through_any_windows() {
    let (small, large) = ([1000, 65_535], [1 << 20, 1 << 22]);
    for (client, server) in [
        (WINDOWS, WINDOWS),
        (small, large),
        (large, small),
        (large, large),
    ] {
        let lengths = LENGTHS.into_iter().cycle().take(60);
        echo(Setup::new(client, server), lengths);
    }
}

#[test]
fn every_byte_comes_back_through_windows_of_one_byte() {
    let tiny = [1, 65_535];
    for (client, server) in [(tiny, WINDOWS), (WINDOWS, tiny), (tiny, tiny)] {
        echo(Setup::new(client, server), (0..60).map(|seed| seed * 5));
    }
}

#[test]
fn a_client_may_change_its_windows_at_any_time() {
    let mut setup = Setup::new(WINDOWS, WINDOWS);
    setup.changes = [0, 100_000, 1, 0, 3000, (1 << 31) - 1, 100].repeat(10);
    setup.changes.push(65_535);
    echo(setup, LENGTHS.into_iter().cycle().take(40));
}

#[test]
fn a_server_may_make_windows_larger() {
    let (result, ended, echo) = Setup::new(WINDOWS, [1000, 1 << 20]).run(async |client| {
        let call = plain(&client, "/", 300_000);
        let (before, grow) = join(call, plain(&client, "/grow", 10_000)).await;
        before.and(grow)?;
        plain(&client, "/", 300_000).await
    });
    result.and(ended).unwrap();
    assert!(echo.owed_bytes_max > 1000, "windows are still small");
}

/// Together the calls send far more than the connection's window: what a reset leaves unread must
/// be given back.
#[test]
fn resets_end_their_calls_only() {
    const CALLS: usize = 30;
    let (results, ended, echo) = Setup::new(WINDOWS, [50_000, 65_535]).run(async |client| {
        let cancelled = async || {
            let mut client = client.clone().ready().await?;
            let (response, mut sending) =
                client.send_request(Request::post("http://server/").body(()).unwrap(), false)?;
            sending.send_data(body(100_000, 1), false)?;
            // Some of it has come back, and windows are full.
            let piece = response.await?.into_body().data().await;
            assert!(piece.is_some_and(|piece| piece.is_ok_and(|piece| !piece.is_empty())));
            sending.send_reset(Reason::CANCEL);
            Ok::<_, Error>(())
        };
        let calls = async |_| {
            let reset = plain(&client, "/reset", 100_000).await;
            assert_eq!(reset.unwrap_err().reason(), Some(Reason::CANCEL));
            plain(&client, "/early", 100_000).await?;
            cancelled().await?;
            plain(&client, "/", 100_000).await
        };
        join_all((0..CALLS).map(calls)).await
    });
    let results: Result<Vec<()>, Error> = results.into_iter().collect();
    results.and(ended).unwrap();
    let resets = echo.events().filter(|event| event.starts_with("Reset"));
    assert_eq!((resets.count(), echo.connection.streams()), (CALLS, 0));
}

#[test]
fn a_server_that_shuts_down_finishes_its_calls() {
    let (results, ended, echo) = Setup::new(WINDOWS, WINDOWS).run(async |client| {
        let call = plain(&client, "/", 300_000);
        let both = join(call, plain(&client, "/shut-down", 10)).await;
        (both.0.and(both.1), plain(&client, "/", 0).await)
    });
    results.0.and(ended).unwrap();
    let late = results.1.unwrap_err();
    assert!(late.is_go_away() && late.is_remote(), "{late}");
    assert!(echo.connection.is_shut_down() && echo.connection.streams() == 0);
}

#[test]
fn a_server_that_fails_tells_why() {
    let (results, ended, _) = Setup::new(WINDOWS, WINDOWS).run(async |client| {
        let call = plain(&client, "/", 300_000);
        join(call, plain(&client, "/fail", 10)).await
    });
    let error = ended.unwrap_err();
    assert!(error.is_remote() && error.reason() == Some(Reason::ENHANCE_YOUR_CALM));
    assert!(results.0.is_err() && results.1.is_err());
}
