//! A [`Shared`] engine: digests against sha2 and others, bounds, cancels, tasks and threads.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // arbitrary bytes; figures

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use hashlane_engine::{Algorithm, Digest, Hasher, Shared, SharedPart, Stopped};
use proptest::prelude::*;

const ALGORITHMS: [Algorithm; 5] = [
    Algorithm::Sha256,
    Algorithm::Crc32c,
    Algorithm::Md5,
    Algorithm::Sha512,
    Algorithm::Sha1,
];

fn data(length: usize, seed: u8) -> Vec<u8> {
    let byte = |i: usize| (i * 7 + usize::from(seed) * 31) as u8;
    (0..length).map(byte).collect()
}

fn alone(algorithm: Algorithm, data: &[u8]) -> (Algorithm, Digest) {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(data);
    (algorithm, hasher.finalize())
}

#[test]
fn threads_share_a_worker_and_each_gets_its_digests() {
    for workers in [1, 3] {
        let shared = Shared::new(workers).unwrap();
        thread::scope(|scope| {
            for n in 0..12_u8 {
                let shared = shared.clone();
                scope.spawn(move || {
                    for round in 0..20 {
                        let algorithms = &ALGORITHMS[..1 + usize::from(n) % ALGORITHMS.len()];
                        let data = data(usize::from(n) * 30_000 + round * 17, n);
                        let mut part = shared.open(algorithms);
                        for chunk in data.chunks(1 + 9_000 * (round + 1)) {
                            match round % 3 {
                                0 => part.update(chunk.to_vec()).unwrap(),
                                1 => part.write_all(chunk).unwrap(),
                                _ => futures(part.update_async(chunk.to_vec())).unwrap(),
                            }
                        }
                        let digests = part.finish().unwrap();
                        let expected = algorithms.iter().map(|a| alone(*a, &data));
                        assert!(digests.into_iter().eq(expected), "{n} {round}");
                    }
                });
            }
        });
    }
}

/// A part without lanes ends within its `finish`, and the next part gets its place.
#[test]
fn short_parts_without_lanes_get_their_digests() {
    let shared = Shared::new(1).unwrap();
    let all = Algorithm::all().filter(|algorithm| algorithm.family().is_none());
    for algorithm in all {
        let expected = vec![alone(algorithm, b"abc")];
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let mut part = shared.open(&[algorithm]);
                        part.update(b"abc".to_vec()).unwrap();
                        assert_eq!(part.finish().as_ref(), Ok(&expected), "{algorithm}");
                    }
                });
            }
        });
    }
}

/// Polls a future whenever it wakes this thread.
fn futures<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(ready) => return ready,
            Poll::Pending => thread::park(),
        }
    }
}

/// Bytes that tell when they were dropped.
struct Told(Vec<u8>, mpsc::Sender<usize>);

impl AsRef<[u8]> for Told {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.len());
    }
}

#[test]
fn unhashed_bytes_are_bounded_and_chunks_are_not_copied() {
    const CHUNK: usize = 64 << 10;
    let shared = Shared::new(1).unwrap();
    let (tell, told) = mpsc::channel();
    let mut part = shared.open(&[Algorithm::Sha512]);
    let mut unhashed = 0;
    for n in 0..2_000_u32 {
        part.update(Bytes::from_owner(Told(vec![n as u8; CHUNK], tell.clone())))
            .unwrap();
        unhashed += CHUNK;
        unhashed -= told.try_iter().sum::<usize>();
        // A worker may drop a chunk just after it has told that it was hashed.
        assert!(unhashed <= (1 << 20) + 8 * CHUNK, "{unhashed}");
    }
    part.finish().unwrap();
    drop(tell);
    let rest: usize = told.iter().sum();
    assert_eq!(rest, unhashed);
}

/// Short chunks would otherwise take more memory as messages than as bytes.
#[test]
fn short_chunks_are_collected() {
    let shared = Shared::new(1).unwrap();
    let (tell, told) = mpsc::channel();
    let mut part = shared.open(&[Algorithm::Sha256]);
    for n in 0..100_000_u32 {
        let chunk = Told(vec![n as u8; 1 + n as usize % 3], tell.clone());
        part.update(Bytes::from_owner(chunk)).unwrap();
        assert!(told.try_recv().is_ok(), "chunk {n} is kept");
        part.flush().unwrap();
    }
    let all = (0..100_000_u32).flat_map(|n| vec![n as u8; 1 + n as usize % 3]);
    let expected = alone(Algorithm::Sha256, &all.collect::<Vec<_>>());
    assert_eq!(part.finish().unwrap(), [expected]);
}

/// A waker runs on the worker's thread.
#[test]
fn after_a_panic_of_a_worker_every_part_gets_an_error() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("this test panics");
        }
    }
    let shared = Shared::new(1).unwrap();
    let mut other = shared.open(&[Algorithm::Sha256]);
    other.update(data(100_000, 1)).unwrap();
    let mut part = shared.open(&[Algorithm::Sha512]);
    part.update(vec![0; 32 << 20]).unwrap();
    let mut finish = std::pin::pin!(part.finish_async());
    let waker = Waker::from(Arc::new(Panics));
    let polled = finish.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending(), "32 MiB take longer than a poll");
    let mut chunk = Ok(());
    while chunk.is_ok() {
        chunk = other.update(vec![0; 100_000]);
    }
    assert_eq!(other.finish(), Err(Stopped::Panic));
    assert_eq!(shared.open(&[Algorithm::Md5]).finish(), Err(Stopped::Panic));
}

#[test]
fn a_part_that_is_dropped_is_cancelled_and_others_go_on() {
    let shared = Shared::new(1).unwrap();
    let (tell, told) = mpsc::channel();
    let mut other = shared.open(&[Algorithm::Sha256]);
    for _ in 0..100 {
        let mut part = shared.open(&[Algorithm::Md5, Algorithm::Sha1]);
        part.update(Bytes::from_owner(Told(data(100_003, 1), tell.clone())))
            .unwrap();
        other.update(data(1_000, 2)).unwrap();
        drop(part);
    }
    let digests = other.finish().unwrap();
    let expected = data(1_000, 2).repeat(100);
    assert_eq!(digests, [alone(Algorithm::Sha256, &expected)]);
    drop(tell);
    assert_eq!(told.iter().count(), 100);
}

/// A task that is dropped while it waits for room appends nothing.
#[test]
fn a_cancelled_update_appends_nothing() {
    let shared = Shared::new(1).unwrap();
    // Enough parts that this one waits.
    let busy = AtomicBool::new(true);
    let (digest, sent) = thread::scope(|scope| {
        for n in 0..4 {
            let (shared, busy) = (shared.clone(), &busy);
            scope.spawn(move || {
                let mut part: SharedPart = shared.open(&[Algorithm::Sha512]);
                let chunk = Bytes::from(data(1 << 20, n));
                while busy.load(Ordering::Relaxed) {
                    part.update(chunk.clone()).unwrap();
                }
            });
        }
        let mut part = shared.open(&[Algorithm::Sha256]);
        let chunk = Bytes::from(data(300_000, 7));
        let mut sent = 0;
        let mut dropped = 0;
        while dropped < 20 {
            let polled = {
                let update = std::pin::pin!(part.update_async(chunk.clone()));
                update.poll(&mut Context::from_waker(Waker::noop()))
            };
            match polled {
                Poll::Ready(update) => {
                    update.unwrap();
                    sent += 1;
                }
                Poll::Pending => {
                    dropped += 1;
                    thread::sleep(Duration::from_micros(200));
                }
            }
        }
        busy.store(false, Ordering::Relaxed);
        (part.finish().unwrap(), sent)
    });
    let expected = data(300_000, 7).repeat(sent);
    assert_eq!(digest, [alone(Algorithm::Sha256, &expected)]);
}

#[test]
fn workers_end_with_the_last_handle() {
    let threads = || std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    let named = || {
        let tasks = std::fs::read_dir("/proc/self/task")
            .into_iter()
            .flatten()
            .flatten();
        let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
        let names = tasks.filter_map(|task| name(task).ok());
        names.filter(|name| name.starts_with("hashlane-7")).count()
    };
    if threads() == 0 {
        return; // Only Linux tells.
    }
    let shared = Shared::new(8).unwrap();
    let part = shared.open(&[Algorithm::Sha256]);
    // A thread names itself after it has started.
    while named() == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    drop(shared);
    assert_eq!(named(), 1, "the part holds its workers");
    part.finish().unwrap();
    while named() > 0 {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
#[should_panic(expected = "named twice")]
fn an_algorithm_named_twice_is_refused_where_it_is_named() {
    let shared = Shared::new(1).unwrap();
    let _ = shared.open(&[Algorithm::Md5, Algorithm::Md5]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Updates and writes, in any pieces, keep their order.
    #[test]
    fn pieces_keep_their_order(pieces in prop::collection::vec((0_usize..200_000, any::<bool>()), 0..12)) {
        let shared = Shared::new(1).unwrap();
        let mut part = shared.open(&[Algorithm::Sha256, Algorithm::Crc32c]);
        let mut all = Vec::new();
        for (n, (length, is_written)) in pieces.into_iter().enumerate() {
            let piece = data(length, n as u8);
            all.extend_from_slice(&piece);
            if is_written {
                part.write_all(&piece).unwrap();
            } else {
                part.update(piece).unwrap();
            }
        }
        let digests = part.finish().unwrap();
        prop_assert_eq!(digests, [alone(Algorithm::Sha256, &all), alone(Algorithm::Crc32c, &all)]);
    }
}
