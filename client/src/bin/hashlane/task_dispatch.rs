//! Gives out tasks, and passes on their outcomes in order.

use std::sync::mpsc;
use std::{process, thread};

use crate::exit::EXIT_TROUBLE;
use crate::reorder_buffer::InOrder;
use crate::tasks::{Outcome, Sink, Stop, Task};

/// A task, and the number under which its outcome is reported.
pub(crate) type Numbered = (u64, Task);
/// An outcome and the number of its task.
pub(crate) type Reported = (u64, Outcome);
/// Outcomes that became ready together, or the reason why no more follow. Each report wakes the
/// thread that prints.
pub(crate) type Report = Result<Vec<Reported>, Stop>;

/// Gives out tasks and passes on outcomes, until both have ended.
pub(crate) fn share_out<L>(
    tasks: impl Iterator<Item = (Task, L)>,
    mut put: impl FnMut(Numbered),
    outcomes: &mpsc::Receiver<Report>,
    sink: &mut impl Sink<L>,
) -> Result<(), Stop> {
    let mut tasks = tasks.fuse();
    let mut order = InOrder::new();
    let mut has_tasks = true;
    loop {
        while has_tasks && order.has_room() {
            let Some((task, label)) = tasks.next() else {
                has_tasks = false;
                break;
            };
            if let Some(number) = order.push(&task, label) {
                put((number, task));
            }
            // Print finished outcomes before the whole of a long task list has been read.
            while let Ok(report) = outcomes.try_recv() {
                order.complete(report?);
            }
            while let Some((label, outcome)) = order.pop() {
                sink.done(label, outcome)?;
            }
        }
        while let Some((label, outcome)) = order.pop() {
            sink.done(label, outcome)?;
        }
        if order.is_empty() {
            if has_tasks {
                continue;
            }
            return Ok(());
        }
        sink.flush()?;
        let Ok(report) = outcomes.recv() else {
            return Err(Stop::Trouble("a hashing thread has ended".to_owned()));
        };
        order.complete(report?);
    }
}

/// Ends the process if its thread or task panics: otherwise the run would wait for its outcomes
/// forever.
pub(crate) struct PanicEnds;

impl Drop for PanicEnds {
    fn drop(&mut self) {
        if thread::panicking() {
            process::exit(EXIT_TROUBLE.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Set in the child process, which must end.
    const CHILD: &str = "HASHLANE_TEST_CHILD";

    #[test]
    fn a_thread_that_panics_ends_the_process() {
        if std::env::var_os(CHILD).is_some() {
            thread::spawn(|| {
                let _panic_ends = PanicEnds;
                panic!("a defect of the engine");
            });
            thread::sleep(Duration::from_secs(60));
            return;
        }
        let program = std::env::current_exe().unwrap();
        let test = "task_dispatch::tests::a_thread_that_panics_ends_the_process";
        let child = process::Command::new(program)
            .args([test, "--exact"])
            .env(CHILD, "1")
            .output();
        assert_eq!(child.unwrap().status.code(), Some(EXIT_TROUBLE.into()));
    }
}
