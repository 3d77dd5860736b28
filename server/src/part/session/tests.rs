use std::cell::Cell;

use bytes::Bytes;
use hashlane_engine::wait::LastSeen;
use hashlane_engine::{Algorithm, Family, Kernel};
use hashlane_proto::v1::PartOptions;

use super::*;
use crate::config::Settings;
use crate::metrics::counters::WorkerCounters;
use crate::process::Process;

/// A worker with a single kernel, for SHA-256.
fn worker() -> (Rc<WorkerState>, Kernel) {
    let kernel = Kernel::portable(Family::Sha256);
    let process = Process::of_test(Settings::default());
    let state = WorkerState::new(&process, Arc::new(WorkerCounters::new()));
    (state, kernel)
}

fn session(state: &Rc<WorkerState>) -> Session {
    let mailbox = Mailbox::new(1, &Rc::new(Cell::new(LastSeen::new(1))));
    let room = Arc::clone(&state.process.limits.parts);
    let tally = Rc::default();
    Session::new(
        MessageKind::Digest,
        Rc::clone(state),
        room,
        &mailbox,
        &tally,
        None,
    )
}

fn message(session: &mut Session, part: u64, opens: Option<(Algorithm, u64)>, data: &[u8]) {
    let open = opens.map(|(algorithm, size_bytes)| PartOptions {
        algorithms: vec![algorithm::number(algorithm)],
        size_bytes: Some(size_bytes),
    });
    let head = Head {
        part,
        open,
        ..Head::default()
    };
    session.begin_message(head).unwrap();
    let chunk = Chunk::unbound(Bytes::copy_from_slice(data));
    session.push(chunk).unwrap();
    session.end_message();
}

/// Reasons of the answers that are errors of parts.
fn errors(session: &mut Session) -> Vec<(u64, String)> {
    let answers = std::iter::from_fn(|| session.pop_answer());
    let errors = answers.filter_map(|answer| match answer {
        Answer::Digest(answer) => Some((answer.part, answer.error?.reason)),
        Answer::Verify(..) => None,
    });
    errors.collect()
}

#[test]
fn a_fault_ends_the_part_that_it_hit_and_none_that_has_its_number_later() {
    let (state, kernel) = worker();
    let mut session = session(&state);
    for part in [1, 2] {
        message(&mut session, part, Some((Algorithm::Sha256, 100)), b"abc");
    }
    // The worker notices with the next part, before the end of the messages that have arrived.
    state.process.kernels.retire(kernel);
    message(&mut session, 3, Some((Algorithm::Md5, 100)), b"abc");
    message(&mut session, 1, None, &[0; 200]);
    let errors_so_far = errors(&mut session);
    assert_eq!(errors_so_far, [(1, "SIZE_MISMATCH".to_owned())]);
    message(&mut session, 1, Some((Algorithm::Md5, 100)), b"abc");
    while session.work() {}
    assert_eq!(errors(&mut session), [(2, "KERNEL_FAULT".to_owned())]);
    // A part that is opened without a kernel fails too.
    message(&mut session, 4, Some((Algorithm::Sha256, 3)), b"");
    while session.work() {}
    assert_eq!(errors(&mut session), [(4, "KERNEL_FAULT".to_owned())]);
}
