use std::time::Duration;

use hashlane_engine::{Crossover, Family, Kernel, KernelsInUse};
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::{sleep, timeout};

use super::*;
use crate::config::Settings;
use crate::limits::Backlog;
use crate::metrics::counters::WorkerCounters;

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `test` with a loop in a separate task.
fn with_loop<T, F: Future<Output = T>>(test: impl FnOnce(Rc<EventLoop>, AbortHandle) -> F) -> T {
    with_loop_and_lanes(|event_loop, _, task| test(event_loop, task))
}

/// The same with the loop's engine.
fn with_loop_and_lanes<T, F: Future<Output = T>>(
    test: impl FnOnce(Rc<EventLoop>, Rc<RefCell<Lanes>>, AbortHandle) -> F,
) -> T {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().build_local(LocalOptions::default());
    runtime.unwrap().block_on(async {
        let event_loop = Rc::<EventLoop>::default();
        let kernels = Arc::new(KernelsInUse::new(
            Crossover::only(Kernel::portable(Family::Sha256)).unwrap(),
        ));
        let counters = Arc::new(WorkerCounters::new());
        let settings = Settings::default();
        let lanes = Lanes::new(&settings, &kernels, counters, &Backlog::new());
        let lanes = Rc::new(RefCell::new(lanes));
        let (looping, hashing) = (Rc::clone(&event_loop), Rc::clone(&lanes));
        let task = spawn_local(async move { looping.run(&hashing).await });
        let done = timeout(PATIENCE, test(event_loop, lanes, task.abort_handle())).await;
        task.abort();
        done.expect("it hangs")
    })
}

/// Yields the rest of the turn.
async fn again() {
    let mut has_run = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_run, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn connections_run_to_their_end_and_a_panic_ends_its_own_alone() {
    let ended = with_loop(async |event_loop, _| {
        let (sender, mut ended) = mpsc::unbounded_channel();
        for n in 0..60_u64 {
            let sender = sender.clone();
            event_loop.spawn(n % 3, async move |owner| {
                for turn in 0..20 {
                    again().await;
                    assert!(n % 7 > 0 || turn < 10, "this test panics");
                    owner.set(turn % 5);
                }
                sender.send(n).unwrap();
            });
        }
        assert_eq!(event_loop.len(), 60);
        event_loop.emptied().await;
        std::iter::from_fn(|| ended.try_recv().ok()).count()
    });
    assert_eq!(ended, 60 - 9);
}

/// Wakes by a timer, by another task, and by another thread while the loop sleeps.
#[test]
fn whatever_wakes_a_connection_wakes_the_loop() {
    with_loop(async |event_loop, _| {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        event_loop.spawn(1, async move |_| {
            sleep(Duration::from_millis(1)).await;
            for n in 0..10 {
                assert_eq!(receiver.recv().await, Some(n));
            }
        });
        let other = std::thread::spawn(move || {
            for n in 0..10 {
                sender.send(n).unwrap();
                std::thread::yield_now();
            }
        });
        event_loop.emptied().await;
        other.join().unwrap();
    });
}

/// Waits for lanes may use the time in which the loop slept, and no time in which it worked.
#[test]
fn only_sleep_is_idle_time() {
    with_loop_and_lanes(async |event_loop, lanes, _| {
        let (sender, mut ended) = mpsc::unbounded_channel();
        let take_idle = move || std::mem::take(lanes.borrow_mut().idle());
        take_idle();
        let taking = take_idle.clone();
        event_loop.spawn(0, async move |_| {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(3) {
                again().await;
            }
            let worked = taking();
            let begin = Instant::now();
            sleep(Duration::from_millis(3)).await;
            let slept = begin.elapsed();
            sender.send((worked, slept)).unwrap();
        });
        event_loop.emptied().await;
        let (worked, slept) = ended.recv().await.unwrap();
        // The loop may have slept before its first connection.
        assert!(worked < Duration::from_millis(1), "{worked:?}");
        let idle = take_idle();
        assert!(
            idle > Duration::from_millis(2) && idle <= slept,
            "{idle:?} of {slept:?}"
        );
    });
}

#[test]
fn what_is_cleared_is_dropped_and_a_late_waker_wakes_nothing() {
    with_loop(async |event_loop, looping| {
        let (sender, mut receiver) = mpsc::unbounded_channel::<()>();
        let dropped = Rc::new(());
        let held = Rc::clone(&dropped);
        event_loop.spawn(1, async move |_| {
            receiver.recv().await;
            drop(held);
        });
        yield_now().await;
        yield_now().await;
        looping.abort();
        event_loop.clear();
        assert!(event_loop.is_empty());
        assert_eq!(Rc::strong_count(&dropped), 1);
        assert!(sender.send(()).is_err());
        event_loop.take_woken();
    });
}
