use std::cell::{Cell, RefCell};

use bytes::Bytes;
use hashlane_engine::{Backend, Family, Hasher, Kernel};

use super::*;
use crate::hashing::mailbox::Computed;
use crate::metrics::instruments::Counter;
use hashlane_engine::wait::{Recent, SleepCost};

fn lanes() -> (Rc<RefCell<Lanes>>, Rc<Mailbox>) {
    lanes_of(Kernel::portable(Family::Sha256), Duration::ZERO)
}

fn lanes_of(kernel: Kernel, linger: Duration) -> (Rc<RefCell<Lanes>>, Rc<Mailbox>) {
    let backend = Backend::of(&[kernel]).unwrap();
    let crossover = Crossover::from_costs(backend, |_| 300.0);
    let counters = Arc::new(WorkerCounters::new());
    let settings = Settings {
        linger,
        selfcheck_ppm: 0,
        ..Settings::default()
    };
    let kernels = Arc::new(KernelsInUse::new(crossover));
    let lanes = Lanes::new(&settings, &kernels, counters, &Backlog::new());
    (Rc::new(RefCell::new(lanes)), mailbox())
}

/// A mailbox of a new connection of the same client.
fn mailbox() -> Rc<Mailbox> {
    mailbox_of(1)
}

/// A mailbox of a new connection.
fn mailbox_of(client: u64) -> Rc<Mailbox> {
    Mailbox::new(client, &Rc::new(Cell::new(LastSeen::new(1))))
}

fn chunk(bytes: &Bytes) -> Chunk {
    Chunk::unbound(bytes.clone())
}

fn open(lanes: &RefCell<Lanes>, share: &Rc<Mailbox>, tag: u64) -> PartId {
    let algorithms: Rc<[Algorithm]> = Rc::new([Algorithm::Sha256]);
    lanes.borrow_mut().open(share, tag, &algorithms)
}

fn digest(algorithm: Algorithm, data: &[u8]) -> hashlane_engine::Digest {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(data);
    hasher.finalize()
}

fn computed(tag: u64, algorithm: Algorithm, data: &[u8]) -> Computed {
    Computed {
        tag,
        result: Ok((algorithm, digest(algorithm, data))),
    }
}

/// Steps until no job is ready.
fn run(lanes: &RefCell<Lanes>) {
    while lanes.borrow().load().unwrap().is_ready {
        lanes.borrow_mut().step(StepReason::Idle, Instant::now());
    }
}

#[test]
fn jobs_are_hashed_and_forgotten() {
    let (lanes, share) = lanes();
    let data = Bytes::from(vec![7; 5000]);
    let kept = open(&lanes, &share, 1);
    let gone = open(&lanes, &share, 2);
    for id in [kept, gone] {
        lanes.borrow_mut().push(id, chunk(&data));
    }
    lanes.borrow_mut().finish(kept);
    lanes.borrow_mut().cancel(gone);
    // A second cancel does nothing: the id is stale.
    lanes.borrow_mut().cancel(gone);
    run(&lanes);
    let expected = computed(1, Algorithm::Sha256, &data);
    assert_eq!(share.take(), Some(expected));
    assert_eq!(share.take(), None);
    let lanes = lanes.borrow();
    assert_eq!(lanes.counters.open_jobs.get(), 0);
    assert_eq!(lanes.counters.waiting_bytes.get(), 0);
    assert_eq!(hashed(&lanes, Algorithm::Sha256), 5000);
    assert_eq!(lanes.parts.digests(), 0);
}

fn hashed(lanes: &Lanes, algorithm: Algorithm) -> u64 {
    lanes.counters.hashed_bytes[algorithm.index()].get()
}

#[test]
fn a_part_of_all_digests_keeps_its_chunks_until_the_last_has_them() {
    let (lanes, mailbox) = lanes();
    let algorithms: Rc<[Algorithm]> = Algorithm::all().collect();
    let id = lanes.borrow_mut().open(&mailbox, 3, &algorithms);
    let data = Bytes::from(vec![8; 9000]);
    let (first, rest) = (
        Bytes::copy_from_slice(&data[..100]),
        Bytes::copy_from_slice(&data[100..]),
    );
    lanes.borrow_mut().push(id, chunk(&first));
    assert_eq!(
        lanes.borrow().counters.open_jobs.get(),
        algorithms.len() as u64
    );
    // With another part open; otherwise it would be hashed at once.
    let other = open(&lanes, &mailbox, 4);
    lanes.borrow_mut().push(id, chunk(&rest));
    assert!(!rest.is_unique(), "it waits");
    lanes.borrow_mut().finish(id);
    run(&lanes);
    assert!(first.is_unique() && rest.is_unique(), "both are hashed");
    let mut digests: Vec<_> = std::iter::from_fn(|| mailbox.take()).collect();
    digests.sort_by_key(|computed| computed.result.unwrap().0);
    let expected = algorithms.iter().map(|a| computed(3, *a, &data));
    assert_eq!(digests, expected.collect::<Vec<_>>());
    lanes.borrow_mut().cancel(other);
    let lanes = lanes.borrow();
    for algorithm in Algorithm::all() {
        assert_eq!(hashed(&lanes, algorithm), 9000, "{algorithm}");
    }
    assert_eq!(lanes.parts.digests(), 0);
    assert_eq!(lanes.counters.open_jobs.get(), 0);
}

#[test]
fn digests_without_lanes_need_no_step_and_are_no_source_of_jobs() {
    let (lanes, share) = lanes();
    let algorithms: Rc<[Algorithm]> = Rc::new([Algorithm::Crc32, Algorithm::Blake3]);
    let id = lanes.borrow_mut().open(&share, 1, &algorithms);
    let data = [5; 4000];
    lanes
        .borrow_mut()
        .push(id, Chunk::unbound(Bytes::copy_from_slice(&data)));
    {
        let lanes = lanes.borrow();
        assert_eq!(lanes.parts.digests(), 2);
        assert_eq!(lanes.parts.recent.likely_jobs(), 0);
        assert_eq!(lanes.counters.waiting_bytes.get(), 0);
        assert!(lanes.counters.hash_ns.get() > 0);
    }
    lanes.borrow_mut().finish(id);
    for algorithm in [Algorithm::Crc32, Algorithm::Blake3] {
        assert_eq!(share.take(), Some(computed(1, algorithm, &data)));
    }
    assert_eq!(lanes.borrow().counters.open_jobs.get(), 0);
}

#[test]
fn a_part_is_touched_when_bytes_are_hashed_or_with_several_digests_when_they_come() {
    let (lanes, mailbox) = lanes();
    let both: Rc<[Algorithm]> = Rc::new([Algorithm::Sha256, Algorithm::Md5]);
    let several = lanes.borrow_mut().open(&mailbox, 1, &both);
    let [one, empty] = [2, 3].map(|tag| open(&lanes, &mailbox, tag));
    let touched = || lanes.borrow().parts.of_kernels(Family::Sha256, true);
    assert_eq!(touched(), []);
    for id in [several, one] {
        let data = Bytes::from(vec![7; 5000]);
        lanes.borrow_mut().push(id, chunk(&data));
    }
    assert_eq!(touched(), [several]);
    run(&lanes);
    assert_eq!(touched(), [several, one]);
    let all = lanes.borrow().parts.of_kernels(Family::Sha256, false);
    assert_eq!(all, [several, one, empty]);
}

/// No step follows, so nothing else would lower the backlog.
#[test]
fn jobs_of_a_kernel_that_another_worker_retires_are_no_backlog() {
    let (lanes, mailbox) = lanes();
    let parts = [1, 2].map(|tag| open(&lanes, &mailbox, tag));
    for id in parts {
        let data = Bytes::from(vec![7; 2 << 20]);
        lanes.borrow_mut().push(id, chunk(&data));
    }
    let backlog = Rc::clone(&lanes.borrow().backlog);
    assert!(backlog.is_high());

    let kernel = Kernel::portable(Family::Sha256);
    assert!(lanes.borrow().kernels.retire(kernel));
    let md5: Rc<[Algorithm]> = Rc::new([Algorithm::Md5]);
    lanes.borrow_mut().open(&mailbox, 3, &md5);
    let failed: Vec<_> = std::iter::from_fn(|| mailbox.take()).collect();
    let failed: Vec<_> = failed.iter().map(|c| (c.tag, c.result.is_err())).collect();
    assert_eq!(failed, [(1, true), (2, true)]);
    assert!(!backlog.is_high());
    assert_eq!(lanes.borrow().counters.waiting_bytes.get(), 0);
}

#[test]
fn chunks_of_a_cancelled_part_are_dropped_at_once() {
    let (lanes, mailbox) = lanes();
    let [gone, _other] = [1, 2].map(|tag| open(&lanes, &mailbox, tag));
    let data = Bytes::from(vec![5; 100_000]);
    for _ in 0..3 {
        lanes.borrow_mut().push(gone, chunk(&data));
    }
    assert!(!data.is_unique());
    lanes.borrow_mut().cancel(gone);
    assert!(data.is_unique());
}

#[test]
fn clients_share_the_lanes_however_many_connections_and_jobs_each_has() {
    const CHUNK_BYTES: usize = 256 << 10;
    let (lanes, _) = lanes();
    let many: Vec<_> = (0..100).map(|_| mailbox_of(1)).collect();
    let lone = mailbox_of(2);
    let data = Bytes::from(vec![9; CHUNK_BYTES]);
    let begin = |of: &Rc<Mailbox>| {
        let id = open(&lanes, of, 0);
        lanes.borrow_mut().push(id, chunk(&data));
        lanes.borrow_mut().finish(id);
    };
    many.iter().for_each(|of| (0..5).for_each(|_| begin(of)));
    begin(&lone);
    while lone.take().is_none() {
        lanes.borrow_mut().step(StepReason::Full, Instant::now());
    }
    let hashed = hashed(&lanes.borrow(), Algorithm::Sha256);
    // A step has 32 lanes, of which a lone job has at most one.
    let least = 32 * CHUNK_BYTES as u64;
    assert!(
        hashed < 2 * least,
        "{hashed} bytes, where at least {least} are hashed"
    );
}

#[test]
fn a_wait_brings_what_arrives_meanwhile_into_the_same_step() {
    let mut kernels = Kernel::of(Family::Sha256);
    let four = kernels.find(|kernel| kernel.is_available() && kernel.lanes() == 4);
    let Some(four) = four else {
        return; // Nothing is gained, so it never waits.
    };
    let hour = Duration::from_secs(3600);
    let (lanes, share) = lanes_of(four, hour);
    let push = |lanes: &RefCell<Lanes>, id: PartId| {
        lanes
            .borrow_mut()
            .push(id, Chunk::unbound(Bytes::from_static(&[1; 640])));
    };
    let jobs: Vec<PartId> = (0..8).map(|part| open(&lanes, &share, part)).collect();
    // However slow this machine is, sources stay active and a wait pays.
    lanes.borrow_mut().parts.recent = Recent::new(hour, Instant::now());
    lanes.borrow_mut().wait.cost = SleepCost::of_ns(-1e18);
    let counts = || {
        let counters = &lanes.borrow().counters;
        let steps = counters.kernels[four.index()].steps.iter();
        let waits = counters.lingers.iter().map(Counter::get).sum::<u64>();
        (steps.map(Counter::get).sum::<u64>(), waits)
    };
    let expects_more = || lanes.borrow().load().unwrap().expects_more;
    push(&lanes, jobs[0]);
    assert!(!expects_more(), "the seven others were never active");
    run(&lanes);
    jobs.iter().for_each(|id| push(&lanes, *id));
    assert!(!expects_more(), "all are ready");
    run(&lanes);
    assert_eq!(counts(), (2, 0));

    push(&lanes, jobs[0]);
    assert!(expects_more());
    lanes.borrow_mut().idle = Duration::ZERO;
    let wait = || lanes.borrow_mut().wait(Instant::now());
    assert!(!wait(), "a worker that is never idle waits for nobody");
    lanes.borrow_mut().idled(LINGER_MAX);
    assert!(wait());
    assert!(lanes.borrow().idle < LINGER_MAX, "the wait used idle time");
    assert!(lanes.borrow().counters.linger_ns.get() > 0);
    jobs[1..4].iter().for_each(|id| push(&lanes, *id));
    run(&lanes);
    assert_eq!(counts(), (3, 1), "one step for all four");
    assert_eq!(lanes.borrow().counters.lingers[1].get(), 1, "the wait paid");
}

#[test]
fn an_idle_worker_sleeps_past_several_arrivals() {
    let (lanes, share) = lanes_of(Kernel::portable(Family::Sha256), Duration::from_secs(3600));
    let start = Instant::now();
    lanes.borrow_mut().parts.recent = Recent::new(Duration::from_secs(3600), start);
    // However slow this machine is, all of them have arrived at the start.
    let wait = || lanes.borrow_mut().wait_idle(start);
    let push = || {
        for tag in 0..8 {
            let id = open(&lanes, &share, tag);
            let bytes = Bytes::from_static(&[1; 640]);
            lanes.borrow_mut().push(id, Chunk::unbound(bytes));
        }
    };
    assert!(!wait(), "nothing is known yet");
    push();
    run(&lanes);
    lanes.borrow_mut().idle = Duration::ZERO;
    assert!(!wait(), "a worker that is never idle waits for nobody");
    lanes.borrow_mut().idled(LINGER_MAX);
    assert!(wait());
    assert!(lanes.borrow().idle < LINGER_MAX, "the wait used idle time");
    lanes.borrow_mut().idled(LINGER_MAX);
    assert!(!wait(), "the last one brought nothing");
    assert!(wait());
    push();
    run(&lanes);
    let lingers = || [0, 1].map(|paid| lanes.borrow().counters.lingers[paid].get());
    assert_eq!(lingers(), [1, 1]);
    lanes.borrow().backlog.set_short(true);
    assert!(!wait(), "a client has little window left");
}

#[test]
fn a_turn_hashes_what_is_alone_and_leaves_the_rest_to_the_loop() {
    let (lanes, first) = lanes();
    let second = mailbox();
    lanes.borrow_mut().wait.cost = SleepCost::of_ns(-1e18);
    lanes.borrow_mut().parts.recent = Recent::new(Duration::from_secs(3600), Instant::now());
    // A part that is whole in one frame is alone, however many follow each other.
    let part = |of: &Rc<Mailbox>, tag: u64| {
        let id = open(&lanes, of, tag);
        lanes
            .borrow_mut()
            .push(id, Chunk::unbound(Bytes::from_static(&[1; 640])));
        lanes.borrow_mut().finish(id);
    };
    for tag in 0..3 {
        part(&first, tag);
        assert!(lanes.borrow_mut().end_turn());
        assert!(first.take().is_some());
    }
    assert!(!lanes.borrow_mut().end_turn(), "nothing is ready");
    // Another connection was active. It may send more, although all its parts have ended.
    part(&second, 0);
    assert!(!lanes.borrow_mut().end_turn());
    run(&lanes);
    assert!(second.take().is_some());
    part(&first, 3);
    assert!(!lanes.borrow_mut().end_turn());
    // Both are ready, so no other job is likely; but the loop has jobs and decides.
    part(&second, 1);
    assert!(!lanes.borrow_mut().end_turn());
    run(&lanes);
    part(&first, 4);
    part(&second, 2);
    assert!(lanes.borrow_mut().end_turn());
}

#[test]
fn after_a_panic_the_engine_gets_no_more_calls() {
    let (lanes, share) = lanes();
    let id = open(&lanes, &share, 0);
    let other = open(&lanes, &share, 1);
    lanes.borrow_mut().finish(id);
    let push = |id| {
        lanes
            .borrow_mut()
            .push(id, Chunk::unbound(Bytes::from_static(b"x")));
    };
    // A push after the end makes the engine panic.
    assert!(catch_unwind(AssertUnwindSafe(|| push(id))).is_err());
    push(other);
    lanes.borrow_mut().cancel(other);
    // A part opened meanwhile fails.
    let late = open(&lanes, &share, 2);
    let failed = Computed {
        tag: 2,
        result: Err(late),
    };
    assert_eq!(share.take(), Some(failed));
    push(late);
    lanes.borrow_mut().finish(late);
    lanes.borrow_mut().cancel(late);
    assert!(lanes.borrow().load().is_none());
}
