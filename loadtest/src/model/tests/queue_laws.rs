//! Laws that a queue obeys, whatever its costs.

use hashlane_engine::{Backend, Family, Kernel};

use super::loads::{BLOCK_NS, COSTS, plain, run};
use crate::model::costs::Costs;
use crate::model::kernel_costs::Kernels;

const FREE: Costs = Costs {
    client_byte_ns: 0.0,
    client_last_byte_ns: 0.0,
    client_message_ns: 0.0,
    client_part_ns: 0.0,
    server_byte_ns: 0.0,
    server_message_ns: 0.0,
    server_part_ns: 0.0,
    server_action_ns: 0.0,
    hash_factor: 1.0,
    sleep_ns: 0.0,
    wake_ns: 0.0,
};

/// Only one kernel of MD5, with many lanes, if this CPU has one.
fn wide() -> Option<(Kernels, usize)> {
    let mut kernels = Kernel::of(Family::Md5).filter(|kernel| kernel.is_available());
    let kernel = kernels.find(|kernel| kernel.lanes() == 16)?;
    let backend = Backend::of(&[kernel])?;
    Some((Kernels::from_costs(backend, |_| 200.0), kernel.lanes()))
}

fn close(one: f64, other: f64, share: f64) {
    assert!((one / other - 1.0).abs() <= share, "{one} is not {other}");
}

#[test]
fn every_part_is_answered_and_every_byte_is_hashed() {
    for flags in [
        "--streams 1 --duration 50ms --sizes 1MiB",
        "--streams 40@3 --duration 50ms --sizes 1KiB..1MiB --chunk-size 5000",
        "--rate poisson:3000/s --duration 100ms --sizes 0,1,70KiB --algorithm sha256,md5",
        "--rate 500/s --duration 100ms --sizes 256KiB --connections 1",
    ] {
        let all = run(flags, &COSTS, &plain()).all;
        assert_eq!((all.unfinished, all.missed), (0, 0), "{flags}");
        assert_eq!(all.answered as u64, all.sent.parts, "{flags}");
        assert_eq!(all.hashed_bytes, all.sent.bytes, "{flags}");
        assert!(all.sent.parts > 0, "{flags}");
    }
}

#[test]
fn a_seed_gives_one_result() {
    let flags = "--rate poisson:2000/s --duration 100ms --sizes 1KiB..256KiB --seed";
    let of = |seed: u32| run(&format!("{flags} {seed}"), &COSTS, &plain());
    let (one, again, other) = (of(1), of(1), of(2));
    assert_eq!(one.response_ns, again.response_ns);
    assert_eq!(
        (one.occupancy, one.actions),
        (again.occupancy, again.actions)
    );
    assert_eq!(
        one.worker.worked_ns.to_bits(),
        again.worker.worked_ns.to_bits()
    );
    assert_ne!(one.response_ns, other.response_ns);
}

/// A lone stream has one lane of its kernel, and more streams fill more of them.
#[test]
fn streams_fill_lanes() {
    let Some((kernels, lanes)) = wide() else {
        return;
    };
    // A client that is much faster than the worker.
    let costs = Costs {
        server_byte_ns: 0.5,
        ..FREE
    };
    let occupancy = |streams: usize| {
        let flags = "--algorithm md5 --sizes 256KiB --duration 50ms --streams";
        let outcome = run(&format!("{flags} {streams}@1"), &costs, &kernels);
        outcome.occupancy.unwrap()
    };
    close(occupancy(1), 1.0 / lanes as f64, 1e-9);
    let all = [1, 2, 4, 8, 16].map(occupancy);
    assert!(
        all.is_sorted_by(|fewer, more| *more >= fewer - 0.01),
        "{all:?}"
    );
    assert!(all[4] > 2.0 * all[1], "{all:?}");
}

/// Little's law: parts in flight are their rate times their response time.
#[test]
fn streams_are_rate_times_response_time() {
    for streams in [1, 7, 60] {
        let flags = format!("--streams {streams} --sizes 64KiB --duration 500ms");
        let outcome = run(&flags, &COSTS, &plain());
        let per_ns = outcome.response_ns.len() as f64 / outcome.seconds / 1e9;
        close(per_ns * outcome.response_ns.mean(), streams as f64, 0.02);
    }
}

/// The time of a part on the server, alone: poll, turn and step.
fn served_ns(costs: &Costs, bytes: f64, blocks: f64) -> f64 {
    3.0 * costs.server_action_ns
        + costs.server_message_ns
        + costs.server_byte_ns * bytes
        + costs.server_part_ns
        + costs.hash_factor * BLOCK_NS * blocks
}

/// With free time between parts, each takes the sum of its costs and wake-ups. The worker is busy
/// for its rate times its cost (the utilisation law).
#[test]
fn a_part_alone_takes_the_sum_of_its_costs() {
    let flags = "--rate 100/s --sizes 16KiB --duration 1s --connections 1";
    let outcome = run(flags, &COSTS, &plain());
    let bytes = 16.0 * 1024.0;
    let served = served_ns(&COSTS, bytes, 257.0);
    let byte = COSTS.client_byte_ns + COSTS.client_last_byte_ns;
    let sent = COSTS.client_part_ns + COSTS.client_message_ns + byte * bytes;
    // The client wakes for the start and for the answer, the worker for the part.
    let sum = sent + served + 3.0 * COSTS.wake_ns;
    close(outcome.response_ms(0.5).unwrap() * 1e6, sum, 0.02);
    close(outcome.worker.worked_ns, 100.0 * served, 0.02);
}

/// A worker with one lane and Poisson arrivals on many connections, where only hashing costs time,
/// has constant work for each part. A step gives turns to all ready jobs, so the mean response time
/// is between that of the queue M/D/1 (Pollaczek and Khinchine) and that of M/D/1 with processor
/// sharing.
#[test]
fn a_worker_with_one_lane_is_a_queue_of_constant_work() {
    // Parts of 8 KiB: 128 blocks and the padding.
    let served = 129.0 * BLOCK_NS;
    for utilisation in [0.1, 0.3, 0.6, 0.8] {
        let rate = utilisation / served * 1e9;
        let flags =
            format!("--rate poisson:{rate:.0}/s --sizes 8KiB --duration 3s --connections 64");
        let outcome = run(&flags, &FREE, &plain());
        let in_order = served + utilisation * served / 2.0 / (1.0 - utilisation);
        let shared = served / (1.0 - utilisation);
        let mean = outcome.response_ns.mean();
        let is_between = (in_order * 0.98..=shared * 1.02).contains(&mean);
        assert!(is_between, "{utilisation}: {in_order}, {mean}, {shared}");
        close(outcome.busy(outcome.worker), utilisation, 0.02);
    }
}
