//! A thread's loop over its connections: it writes frames whose payloads were made at start-up,
//! many in one `writev`.
//!
//! The client ignores header blocks, so a server error shows as a call without an answer, not as a
//! status; hyper_client shows more. A connection that ends is an error of all its streams, and is
//! not reopened.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::connection::Connection;
use crate::driver::state::{Phase, Shared};
use crate::driver::tally::Tally;
use crate::system::helper_thread::lock;
use crate::system::sockets;

/// Time between two checks of all calls' timeouts: there may be ten thousand calls.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Connects. The result drives the streams of `thread` to their end.
pub(in crate::driver) fn connect(
    shared: &Arc<Shared>,
    thread: usize,
) -> Result<impl FnOnce() + use<>> {
    let load = &shared.plan.load;
    let (count, threads) = (load.used_connections(), shared.sent_bytes.len());
    let connections = (thread..count).step_by(threads).map(|first| {
        let streams = (first..load.streams).step_by(count);
        Connection::open(shared, thread, streams)
    });
    let connections = connections.collect::<Result<_>>()?;
    let shared = Arc::clone(shared);
    Ok(move || {
        let tally = drive(&shared, connections);
        *lock(&shared.tallies[thread]) = tally;
    })
}

fn drive(shared: &Shared, mut connections: Vec<Connection>) -> Tally {
    let mut tally = Tally::default();
    while shared.phase() == Phase::Connected {
        std::thread::park_timeout(sockets::SLEEP);
    }
    let mut checked = Instant::now();
    while shared.phase() < Phase::Abort && !connections.is_empty() {
        let is_time_to_check = checked.elapsed() >= CHECK_INTERVAL;
        if is_time_to_check {
            checked = Instant::now();
        }
        // Before sending: the server's settings may have arrived.
        let sockets = connections.iter();
        let sockets = sockets.map(|one| (one.socket().as_fd(), one.is_held_by_socket()));
        let readable = match sockets::wait(sockets) {
            Ok(readable) => readable,
            Err(error) => {
                shared.fail(&mut tally, format!("{error:#}"));
                break;
            }
        };
        let mut readable = readable.into_iter();
        connections.retain_mut(|connection| {
            let outcome = match readable.next() {
                Some(true) => connection.receive(&mut tally),
                _ if is_time_to_check => connection.check_time(),
                _ => Ok(()),
            };
            let outcome = outcome.and_then(|()| connection.send(&mut tally));
            goes_on(shared, connection, &mut tally, outcome)
        });
    }
    tally
}

/// Whether `connection` has more to do; errors are counted.
fn goes_on(
    shared: &Shared,
    connection: &Connection,
    tally: &mut Tally,
    outcome: Result<()>,
) -> bool {
    match outcome {
        Ok(()) => shared.phase() < Phase::Finish || !connection.is_idle(),
        Err(error) => {
            let open = connection.open_parts();
            tally.in_flight -= i64::try_from(open).unwrap_or(i64::MAX);
            for _ in 0..open.max(1) {
                shared.fail(tally, format!("{error:#}"));
            }
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use clap::Parser as _;

    use crate::args::{Cli, ClientName, LoadArgs};
    use crate::driver::{Driver, Phase, Plan, Target};
    use crate::load::payload::Payload;
    use hashlane_http2_frames::{
        HEAD_BYTES, Received, data_of, flag, frame, kind, opening, setting, settings, window_update,
    };

    /// Limit for the client's actions in a test.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Actions of a client on its connection, as seen by a server with small windows.
    #[derive(Debug, Default)]
    struct Seen {
        data_bytes: BTreeMap<u32, usize>,
        longest_frame: usize,
        acks: usize,
        pongs: Vec<Vec<u8>>,
    }

    impl Seen {
        fn all_bytes(&self) -> usize {
            self.data_bytes.values().sum()
        }
    }

    /// Reads frames until exactly `bytes` of data have arrived.
    fn read_until(socket: &mut TcpStream, received: &mut Received, seen: &mut Seen, bytes: usize) {
        while seen.all_bytes() < bytes {
            assert!(received.read(socket).unwrap() > 0, "it left: {seen:?}");
            while let Some((head, payload)) = received.next_frame().unwrap() {
                let is_ack = head.has(flag::ACK);
                match head.kind {
                    kind::DATA => {
                        let data = data_of(head, payload).unwrap();
                        *seen.data_bytes.entry(head.stream).or_default() += data.len();
                        seen.longest_frame = seen.longest_frame.max(data.len());
                    }
                    kind::SETTINGS if is_ack => seen.acks += 1,
                    kind::PING if is_ack => seen.pongs.push(payload.to_vec()),
                    _ => {}
                }
            }
        }
        assert_eq!(seen.all_bytes(), bytes);
    }

    fn plan(listener: &TcpListener, load: LoadArgs) -> Plan {
        let server = format!("http://{}", listener.local_addr().unwrap());
        let payload = Payload::build(&load, false).unwrap();
        Plan {
            client: ClientName::Prepared,
            ..Plan::new(Target::one(server, None), load, payload.into())
        }
    }

    #[test]
    fn windows_settings_and_pings_are_heeded() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let line = "x --streams 2 --connections 1 --part-size 1MiB --errors-max 1000";
        let load = Cli::try_parse_from(line.split(' ')).unwrap().run.load;
        let driver = Driver::start(plan(&listener, load)).unwrap();
        let (mut socket, _) = listener.accept().unwrap();
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut preface = vec![0; opening().len()];
        socket.read_exact(&mut preface).unwrap();
        assert_eq!(preface, opening());

        let (mut received, mut seen) = (Received::new(), Seen::default());
        let small = [(setting::INITIAL_WINDOW_SIZE, 1000)];
        let mut hello = settings(&small);
        hello.extend(frame(kind::PING, 0, 0, b"12345678"));
        socket.write_all(&hello).unwrap();
        driver.enter(Phase::Measure);
        // All bytes that the streams' windows allow; then only replies.
        read_until(&mut socket, &mut received, &mut seen, 2000);
        assert_eq!(seen.pongs, [b"12345678"]);
        // A larger window for all streams; now the connection's window limits them.
        socket
            .write_all(&settings(&[(setting::INITIAL_WINDOW_SIZE, 1 << 20)]))
            .unwrap();
        read_until(&mut socket, &mut received, &mut seen, 65_535);
        assert_eq!((seen.acks, seen.longest_frame), (2, 16_384));
        // More window for the connection, and a reset of one call without an answer.
        let mut more = window_update(0, 5000);
        more.extend(frame(kind::RST_STREAM, 0, 1, &7_u32.to_be_bytes()));
        socket.write_all(&more).unwrap();
        read_until(&mut socket, &mut received, &mut seen, 70_535);
        let goaway = [0, 0, 0, 0, 0, 0, 0, 11];
        socket
            .write_all(&frame(kind::GOAWAY, 0, 0, &goaway))
            .unwrap();
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).unwrap();
        assert!(
            rest.len() < HEAD_BYTES + 200,
            "it sent more than was allowed"
        );
        let tally = driver.join().unwrap();
        assert_eq!((tally.answered, tally.in_flight), (0, 0));
        let texts: Vec<_> = tally.examples.keys().map(String::as_str).collect();
        let expected = [
            "the server ends the connection: ENHANCE_YOUR_CALM",
            "the server reset the call: REFUSED_STREAM",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_call_ends_with_its_last_part_or_the_last_of_all() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let line = "x --streams 1 --connections 1 --part-size 10 --parts-per-stream 2";
        let load = Cli::try_parse_from(line.split(' ')).unwrap().run.load;
        let driver = Driver::start(Plan {
            count: Some(3),
            check: false,
            ..plan(&listener, load)
        })
        .unwrap();
        let (mut socket, _) = listener.accept().unwrap();
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut preface = vec![0; opening().len()];
        socket.read_exact(&mut preface).unwrap();
        socket.write_all(&settings(&[])).unwrap();
        driver.enter(Phase::Measure);
        // For each DATA frame: its call, whether it holds a part, and whether it ends the call.
        let mut seen = Vec::new();
        let answer = crate::protocol::grpc::frame(&hashlane_proto::v1::DigestResponse::default());
        let mut received = Received::new();
        while seen.len() < 4 {
            assert!(received.read(&mut socket).unwrap() > 0, "it left: {seen:?}");
            while let Some((head, payload)) = received.next_frame().unwrap() {
                if head.kind != kind::DATA {
                    continue;
                }
                let (has_part, is_end) = (!payload.is_empty(), head.has(flag::END_STREAM));
                seen.push((head.stream, has_part, is_end));
                if has_part {
                    let answer = frame(kind::DATA, 0, head.stream, &answer);
                    socket.write_all(&answer).unwrap();
                }
                if is_end {
                    let end = frame(kind::DATA, flag::END_STREAM, head.stream, &[]);
                    socket.write_all(&end).unwrap();
                }
            }
        }
        let expected = [
            (1, true, false),
            (1, true, true),
            (3, true, false),
            // There is no fourth part.
            (3, false, true),
        ];
        assert_eq!(seen, expected);
        let tally = driver.join().unwrap();
        assert_eq!((tally.answered, tally.errors, tally.in_flight), (3, 0, 0));
    }
}
