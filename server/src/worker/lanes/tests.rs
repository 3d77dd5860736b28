use hashlane_engine::{Backend, Crossover, Kernel};
use sha2::Digest as _;
use tokio::runtime::{Builder, LocalOptions};

use super::*;
use crate::worker::waiting::{Bound, WorkerBound};

fn lanes() -> (Rc<RefCell<Lanes>>, Rc<StreamShare>) {
    lanes_of(Kernel::Portable, Duration::ZERO)
}

fn lanes_of(kernel: Kernel, linger: Duration) -> (Rc<RefCell<Lanes>>, Rc<StreamShare>) {
    let backend = Backend::of(&[kernel]).unwrap();
    let crossover = Crossover::from_costs(backend, vec![300.0]);
    let counters = Arc::new(WorkerCounters::new());
    let lanes = Lanes::new(crossover, counters, Level::new(), linger);
    let (connection, worker) = (Bound::new(1 << 20), WorkerBound::new(1 << 20));
    let share = StreamShare::new(1 << 20, connection, worker);
    (Rc::new(RefCell::new(lanes)), share)
}

fn tag(part: u64) -> Tag {
    Tag { part, digest: 0 }
}

fn block_on<F: Future>(future: F) -> F::Output {
    Builder::new_current_thread()
        .build_local(LocalOptions::default())
        .unwrap()
        .block_on(future)
}

#[test]
fn jobs_are_hashed_credited_and_forgotten() {
    let (lanes, share) = lanes();
    let data = Bytes::from(vec![7; 5000]);
    let kept = lanes.borrow_mut().open(&share, tag(1));
    let gone = lanes.borrow_mut().open(&share, tag(2));
    for id in [kept, gone] {
        lanes.borrow_mut().push(id, data.clone());
    }
    assert!(lanes.borrow_mut().finish(kept));
    lanes.borrow_mut().cancel(gone);
    // Twice is once: the id is stale.
    lanes.borrow_mut().cancel(gone);
    block_on(step_until_idle(&lanes, &|| false));
    let expected: [u8; 32] = sha2::Sha256::digest(&data).into();
    assert_eq!(share.take_finished(), Some((tag(1), expected)));
    assert_eq!(share.take_finished(), None);
    let lanes = lanes.borrow();
    assert_eq!(lanes.counters.open_jobs.get(), 0);
    assert_eq!(lanes.counters.waiting_bytes.get(), 0);
    assert_eq!(lanes.counters.hashed_bytes.get(), 5000);
    assert!(lanes.slots.iter().all(Option::is_none));
}

#[test]
fn tiny_chunks_are_charged_for_what_they_take() {
    let (lanes, _) = lanes();
    // Room in the connection only while nothing at all is charged.
    let share = StreamShare::new(32 << 10, Bound::new(1), WorkerBound::new(1 << 20));
    let id = lanes.borrow_mut().open(&share, tag(1));
    let other = StreamShare::new(32 << 10, Bound::new(1 << 20), WorkerBound::new(1 << 20));
    let flood = lanes.borrow_mut().open(&other, tag(2));
    assert!(share.has_room() && other.has_room());
    for (job, count) in [(id, 3), (flood, 600)] {
        let mut lanes = lanes.borrow_mut();
        lanes.push(job, Bytes::from_static(&[1; 64]));
        for _ in 0..count {
            lanes.push(job, Bytes::from_static(&[2]));
        }
    }
    assert!(!share.has_room());
    assert!(!other.has_room(), "664 bytes in 601 chunks");
    block_on(step_until_idle(&lanes, &|| false));
    assert!(share.has_room() && other.has_room());

    // Some are credited with a part of what waits, the rest with its end.
    lanes.borrow_mut().push(id, Bytes::from(vec![3; 1 << 20]));
    lanes.borrow_mut().push(id, Bytes::from_static(&[4]));
    let step = |lanes: &RefCell<Lanes>| {
        let mut lanes = lanes.borrow_mut();
        lanes.step(StepReason::Idle, Instant::now());
        lanes.counters.waiting_bytes.get()
    };
    while step(&lanes) > 0 {
        assert!(!share.has_room());
    }
    assert!(share.has_room());
    for job in [id, flood] {
        lanes.borrow_mut().push(job, Bytes::from(vec![5; 100_000]));
        lanes.borrow_mut().cancel(job);
    }
    assert!(share.has_room() && other.has_room());
}

#[test]
fn connections_share_the_lanes_however_many_jobs_each_has() {
    const CHUNK_BYTES: usize = 256 << 10;
    let (lanes, many) = lanes();
    let lone = StreamShare::new(1 << 20, Bound::new(1 << 20), WorkerBound::new(1 << 20));
    let data = Bytes::from(vec![9; CHUNK_BYTES]);
    let open = |share: &Rc<StreamShare>| {
        let id = lanes.borrow_mut().open(share, tag(0));
        lanes.borrow_mut().push(id, data.clone());
        assert!(lanes.borrow_mut().finish(id));
        id
    };
    let mut jobs: Vec<JobId> = (0..500).map(|_| open(&many)).collect();
    jobs.push(open(&lone));
    while lone.take_finished().is_none() {
        lanes.borrow_mut().step(StepReason::Full, Instant::now());
    }
    let hashed = lanes.borrow().counters.hashed_bytes.get();
    let lane_bytes = CHUNK_BYTES as u64;
    assert!(
        hashed < 2 * 32 * lane_bytes,
        "{hashed} bytes beside {lane_bytes}"
    );

    // Its group goes with it, even if a job is the last to know it.
    let group = |share: &StreamShare| share.group(|| unreachable!("it has one"));
    let gone = group(&lone);
    drop(lone);
    assert_eq!(*lanes.borrow().left.borrow(), [gone]);
    let next = StreamShare::new(1 << 20, Bound::new(1 << 20), WorkerBound::new(1 << 20));
    let last = lanes.borrow_mut().open(&next, tag(0));
    assert!(lanes.borrow().left.borrow().is_empty());
    let next_group = group(&next);
    drop(next);
    lanes.borrow_mut().cancel(last);
    assert_eq!(*lanes.borrow().left.borrow(), [next_group]);
}

#[test]
fn lingering_brings_what_arrives_meanwhile_into_the_same_step() {
    let mut kernels = Kernel::ALL.into_iter();
    let four = kernels.find(|kernel| kernel.is_available() && kernel.lanes() == 4);
    let Some(four) = four else {
        return; // Nothing is gained, so it never lingers.
    };
    let (lanes, share) = lanes_of(four, Duration::from_micros(1));
    let push = |lanes: &RefCell<Lanes>, id: JobId| {
        lanes.borrow_mut().push(id, Bytes::from_static(&[1; 640]));
    };
    let jobs: Vec<JobId> = (0..8)
        .map(|part| lanes.borrow_mut().open(&share, tag(part)))
        .collect();
    // However slow this machine is, who is seen once stays lively.
    lanes.borrow_mut().lively = Lively::new(Duration::MAX, Instant::now());
    let counts = || {
        let counters = &lanes.borrow().counters;
        let steps: u64 = counters.kernels[four.index()]
            .steps
            .iter()
            .map(|c| c.get())
            .sum();
        let [vain, paid] = &counters.lingers;
        (steps, vain.get(), paid.get())
    };
    push(&lanes, jobs[0]);
    block_on(step_until_idle(&lanes, &|| false));
    assert_eq!(counts(), (1, 0, 0), "seven are open only");
    jobs.iter().for_each(|id| push(&lanes, *id));
    block_on(step_until_idle(&lanes, &|| false));
    assert_eq!(counts(), (2, 0, 0), "all are ready");

    push(&lanes, jobs[0]);
    block_on(step_until_idle(&lanes, &|| false));
    assert_eq!(counts(), (3, 1, 0), "nothing came");

    push(&lanes, jobs[0]);
    let (sender, rest) = (Rc::clone(&lanes), jobs[1..4].to_vec());
    block_on(async {
        let sending = tokio::task::spawn_local(async move {
            let lingered = || sender.borrow().counters.linger_ns.get();
            let before = lingered();
            while lingered() == before {
                yield_now().await;
            }
            rest.iter().for_each(|id| push(&sender, *id));
        });
        step_until_idle(&lanes, &|| false).await;
        sending.await.unwrap();
    });
    assert_eq!(counts(), (4, 1, 1), "one step for all four");

    push(&lanes, jobs[0]);
    block_on(step_until_idle(&lanes, &|| true));
    assert_eq!(counts(), (5, 1, 1), "a drain waits for nothing");
    jobs[1..]
        .iter()
        .for_each(|id| lanes.borrow_mut().cancel(*id));
    let others = [0; 7].map(|part| lanes.borrow_mut().open(&share, tag(part)));
    push(&lanes, others[0]);
    block_on(step_until_idle(&lanes, &|| false));
    assert_eq!(counts(), (6, 1, 1), "the lively ones are gone");
}

#[test]
fn a_panic_of_the_engine_ends_the_stepping() {
    let (lanes, share) = lanes();
    let id = lanes.borrow_mut().open(&share, tag(0));
    let other = lanes.borrow_mut().open(&share, tag(1));
    let stepping = Rc::clone(&lanes);
    let broken = block_on(async move {
        let task = tokio::task::spawn_local(async move { step_forever(&stepping, || false).await });
        // The task sleeps.
        yield_now().await;
        lanes.borrow_mut().cancel(id);
        // A stale id is what makes the engine panic.
        let push = || lanes.borrow_mut().push(id, Bytes::from_static(b"x"));
        assert!(catch_unwind(AssertUnwindSafe(push)).is_err());
        // What others still do does not reach it.
        lanes.borrow_mut().push(other, Bytes::from_static(b"x"));
        lanes.borrow_mut().cancel(other);
        task.await.unwrap()
    });
    assert_eq!(broken, Broken);
}
