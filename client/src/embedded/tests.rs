use std::future::Future as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use hashlane_engine::{
    Algorithm as Of, Backend as Kernels, Crossover, Family, Kernel, Shared, faults,
};
use tonic::Code;

use super::engine::workers_default;
use super::*;
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::client::Client;
use crate::error::Error;
use crate::settings::{Retries, Settings};

#[test]
fn endpoints_name_workers() {
    for (endpoint, workers) in [("embedded:", workers_default()), ("embedded:3", 3)] {
        let number = endpoint.strip_prefix("embedded:").unwrap();
        assert_eq!(Embedded::start(endpoint, number).unwrap().workers, workers);
    }
    for number in [
        "0",
        "257",
        "50051",
        "+1",
        "-1",
        "x",
        "1 ",
        "99999999999999999999",
    ] {
        let error = Embedded::start(&format!("embedded:{number}"), number).unwrap_err();
        assert!(matches!(error, Error::Config(_)), "{error:?}");
    }
}

/// Makes a kernel faulty on the thread that wakes it.
struct Breaks(Kernel, AtomicBool);

impl Wake for Breaks {
    fn wake(self: Arc<Self>) {
        faults::inject(self.0, 0);
        self.1.store(true, Ordering::Release);
    }
}

/// A client of a worker on whose core one kernel of SHA-256 is faulty, and the engine.
fn faulty() -> (Client, Shared) {
    let mut kernels = Kernel::of(Family::Sha256).filter(|kernel| kernel.is_available());
    let (right, wrong) = (kernels.next().unwrap(), kernels.next().unwrap());
    let cost = |kernel| if kernel == wrong { 1.0 } else { 1e6 };
    let crossover = Crossover::from_costs(Kernels::of(&[right, wrong]).unwrap(), cost);
    let shared = Shared::with_crossover(1, &crossover).unwrap();

    let mut part = shared.open(&[Of::Sha512]);
    part.update(vec![0; 32 << 20]).unwrap();
    let mut finish = std::pin::pin!(part.finish_async());
    let breaks = Arc::new(Breaks(wrong, AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&breaks));
    let polled = finish.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending(), "32 MiB take longer than a poll");
    while !breaks.1.load(Ordering::Acquire) {
        thread::yield_now();
    }

    let settings = Settings {
        message_bytes: 64 << 10,
        buffer_bytes: 512 << 10,
        parts_max: 10,
        stall_timeout: Duration::from_secs(60),
        call_timeout: Duration::from_secs(60),
        retries: Retries {
            tries_max: 2,
            time: Duration::from_secs(60),
        },
    };
    let embedded = Embedded {
        shared: shared.clone(),
        workers: 1,
    };
    (Client::new(Backend::Embedded(embedded), settings), shared)
}

#[tokio::test]
async fn a_part_of_a_faulty_kernel_fails_as_on_a_server() {
    let (client, shared) = faulty();
    let stream = client.open_stream();
    let mut part = stream.part(Algorithm::Sha256).await.unwrap();
    let error = loop {
        if let Err(error) = part.write(vec![7; 100_000]).await {
            break error;
        }
    };
    assert_eq!(error.code(), Code::Internal);
    assert_eq!(error.reason(), Some("KERNEL_FAULT"));
    assert!(error.is_retryable());
    assert_eq!(part.finish().await.unwrap_err().reason(), error.reason());
    let wrong = shared.faulty_kernels()[0];
    let info = client.server_info().await.unwrap();
    let kernels = &info.algorithms[0].kernels;
    assert!(!kernels.iter().any(|name| name == wrong.name()));
}

#[tokio::test]
async fn bytes_that_a_faulty_kernel_hashed_are_hashed_again() {
    let (client, shared) = faulty();
    let data = bytes::Bytes::from(vec![7; 1 << 20]);
    let digest = loop {
        let answer = client
            .digest(data.clone(), Algorithm::Sha256)
            .await
            .unwrap();
        if !shared.faulty_kernels().is_empty() {
            // Of this part the sample was.
            break answer;
        }
    };
    let mut expected = hashlane_engine::Hasher::new(Of::Sha256);
    expected.update(&data);
    assert_eq!(digest.digest()[..], expected.finalize()[..]);
}
