//! A kernel that becomes faulty on a worker's thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread;

use super::*;
use crate::digest::Digest;
use crate::hasher::Hasher;
use crate::kernel::{Family, faults};

/// Makes a kernel faulty on the thread that wakes it.
struct Breaks {
    kernel: Kernel,
    is_done: AtomicBool,
}

impl Wake for Breaks {
    fn wake(self: Arc<Self>) {
        faults::inject(self.kernel, 0);
        self.is_done.store(true, Ordering::Release);
    }
}

/// Makes `kernel` faulty on the worker that gets the next part.
fn break_next(shared: &Shared, kernel: Kernel) {
    let mut part = shared.open(&[Algorithm::Sha512]);
    part.update(vec![0; 32 << 20]).unwrap();
    let mut finish = std::pin::pin!(part.finish_async());
    let breaks = Arc::new(Breaks {
        kernel,
        is_done: AtomicBool::new(false),
    });
    let waker = Waker::from(Arc::clone(&breaks));
    let polled = finish.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending(), "32 MiB take longer than a poll");
    while !breaks.is_done.load(Ordering::Acquire) {
        thread::yield_now();
    }
}

/// Two kernels of SHA-256; the first is preferred.
fn two() -> [Kernel; 2] {
    let mut kernels = Kernel::of(Family::Sha256).filter(|kernel| kernel.is_available());
    let second = kernels.next().unwrap();
    [kernels.next().unwrap(), second]
}

fn shared(workers: usize, kernels: &[Kernel]) -> Shared {
    let cost = |kernel| if kernel == kernels[0] { 1.0 } else { 1e6 };
    let crossover = Crossover::from_costs(Backend::of(kernels).unwrap(), cost);
    Shared::with_crossover(workers, &crossover).unwrap()
}

fn alone(algorithm: Algorithm, data: &[u8]) -> (Algorithm, Digest) {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(data);
    (algorithm, hasher.finalize())
}

/// Appends `data` until the part fails. Returns why.
fn fails(part: &mut SharedPart, data: &[u8]) -> Stopped {
    // Some 20 s of hashing: many times as long as it takes to sample each lane.
    let mut stopped = (0..100_000).filter_map(|_| part.update(data.to_vec()).err());
    stopped.next().expect("no sample found the faulty kernel")
}

#[test]
fn a_part_of_a_faulty_kernel_fails_and_a_second_try_has_another_kernel() {
    let [wrong, right] = two();
    let data = vec![7; 100_003];
    let shared = shared(1, &[wrong, right]);
    break_next(&shared, wrong);
    let mut other = shared.open(&[Algorithm::Md5]);
    other.update(data.clone()).unwrap();
    let mut part = shared.open(&[Algorithm::Crc32, Algorithm::Sha256]);
    let not_begun = shared.open(&[Algorithm::Sha224]);
    assert_eq!(fails(&mut part, &data), Stopped::KernelFault(wrong));
    assert_eq!(part.finish(), Err(Stopped::KernelFault(wrong)));
    assert_eq!(shared.faulty_kernels(), [wrong]);

    // Its place is free for others.
    let mut again = shared.open(&[Algorithm::Sha256]);
    again.update(data.clone()).unwrap();
    assert_eq!(again.finish(), Ok(vec![alone(Algorithm::Sha256, &data)]));
    let expected = alone(Algorithm::Md5, &data);
    assert_eq!(other.finish(), Ok(vec![expected]), "of another family");
    let expected = alone(Algorithm::Sha224, b"");
    assert_eq!(not_begun.finish(), Ok(vec![expected]), "not begun");
}

#[test]
fn parts_of_other_workers_go_on_with_other_kernels() {
    let [wrong, right] = two();
    let shared = shared(2, &[wrong, right]);
    let data = vec![3; 100_003];
    let mut first = shared.open(&[Algorithm::Sha256]);
    first.update(data.clone()).unwrap();
    break_next(&shared, wrong);
    let mut second = shared.open(&[Algorithm::Sha256]);
    assert_eq!(fails(&mut second, &data), Stopped::KernelFault(wrong));
    first.update(data.clone()).unwrap();
    let expected = alone(Algorithm::Sha256, &data.repeat(2));
    assert_eq!(first.finish(), Ok(vec![expected]));
}

#[test]
fn without_a_kernel_parts_of_its_family_fail_at_once() {
    let [wrong, _] = two();
    let shared = shared(1, &[wrong]);
    break_next(&shared, wrong);
    let not_begun = shared.open(&[Algorithm::Sha224]);
    let mut part = shared.open(&[Algorithm::Sha256]);
    let stopped = Stopped::KernelFault(wrong);
    assert_eq!(fails(&mut part, &[1; 100_003]), stopped);
    assert_eq!(not_begun.finish(), Err(stopped));
    assert_eq!(shared.open(&[Algorithm::Sha256]).finish(), Err(stopped));
    let md5 = shared.open(&[Algorithm::Md5]).finish();
    assert_eq!(md5, Ok(vec![alone(Algorithm::Md5, b"")]));
}
