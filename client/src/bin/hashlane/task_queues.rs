//! Queues of tasks for any thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::task_dispatch::Numbered;

/// State shared by the threads.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) queue: Queue,
    /// Tasks whose sources may block a reader.
    pub(crate) aside: Queue,
    /// No more results are needed.
    is_over: AtomicBool,
}

impl Shared {
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Closes the queues when it is dropped.
pub(crate) struct Closing<'a>(pub(crate) &'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.0.queue.close();
        self.0.aside.close();
    }
}

/// Tasks for any thread. The window of [`crate::reorder_buffer::InOrder`] bounds their number.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<QueueState>,
    arrived: Condvar,
}

#[derive(Default)]
struct QueueState {
    tasks: VecDeque<Numbered>,
    is_closed: bool,
    /// Threads that wait for a task. A notification costs a system call even if no thread waits.
    waiting: usize,
    /// Tasks in progress, for each thread with a seat.
    in_progress: Vec<usize>,
}

impl QueueState {
    /// The next task for a thread with `in_progress` tasks. It leaves enough tasks for the other
    /// threads to have as many. So a few tasks are shared out evenly, and each thread takes as many
    /// of a long list as it can.
    fn take(&mut self, Seat(seat): Seat, in_progress: usize) -> Option<Numbered> {
        self.in_progress[seat] = in_progress;
        let others = self.in_progress.iter();
        let left: usize = others.map(|other| in_progress.saturating_sub(*other)).sum();
        if self.tasks.len() <= left {
            return None;
        }
        self.in_progress[seat] += 1;
        self.tasks.pop_front()
    }
}

/// Identifies a thread that has several tasks in progress.
#[derive(Clone, Copy)]
pub(crate) struct Seat(usize);

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a thread.
    pub(crate) fn seat(&self) -> Seat {
        let mut state = self.lock();
        state.in_progress.push(0);
        Seat(state.in_progress.len() - 1)
    }

    pub(crate) fn put(&self, task: Numbered) {
        let mut state = self.lock();
        state.tasks.push_back(task);
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.arrived.notify_one();
        }
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.arrived.notify_all();
    }

    pub(crate) fn try_take(&self) -> Option<Numbered> {
        self.lock().tasks.pop_front()
    }

    /// A task for a thread that has others in progress, unless the task is left to another thread.
    pub(crate) fn try_take_beside(&self, seat: Seat, in_progress: usize) -> Option<Numbered> {
        self.lock().take(seat, in_progress)
    }

    /// Waits for a task for a thread that has none.
    pub(crate) fn take_at(&self, seat: Seat) -> Option<Numbered> {
        self.wait(|state| state.take(seat, 0))
    }

    /// Waits for a task. `None` once the queue is closed.
    pub(crate) fn take(&self) -> Option<Numbered> {
        self.wait(|state| state.tasks.pop_front())
    }

    fn wait(&self, take: impl Fn(&mut QueueState) -> Option<Numbered>) -> Option<Numbered> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(task) = take(&mut state) {
                return Some(task);
            }
            state.waiting += 1;
            state = self
                .arrived
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Source, Task, Want};

    /// How many of `tasks` each thread gets, if in each round one after another takes as many as it
    /// can, up to `share`.
    fn shared_out(tasks: u64, threads: usize, share: usize) -> Vec<usize> {
        let queue = Queue::default();
        let seats: Vec<_> = (0..threads).map(|_| queue.seat()).collect();
        for number in 0..tasks {
            let task = Task {
                source: Source::Stdin,
                want: Want::Verdict(Vec::new()),
            };
            queue.put((number, task));
        }
        let mut taken = vec![0; threads];
        for _ in 0..threads {
            for (seat, taken) in seats.iter().zip(&mut taken) {
                while *taken < share && queue.try_take_beside(*seat, *taken).is_some() {
                    *taken += 1;
                }
            }
        }
        taken
    }

    #[test]
    fn few_tasks_are_shared_out_evenly_and_many_up_to_the_share() {
        for threads in 1..9 {
            for tasks in 0..200 {
                let taken = shared_out(tasks, threads, 16);
                let (least, most) = (taken.iter().min().unwrap(), taken.iter().max().unwrap());
                assert!(most - least <= 1, "{tasks} tasks: {taken:?}");
                let all: usize = taken.iter().sum();
                assert_eq!(all as u64, (16 * threads as u64).min(tasks), "{taken:?}");
            }
        }
    }

    #[test]
    fn a_thread_does_not_wait_for_others_while_there_are_many_tasks() {
        let queue = Queue::default();
        let (quick, slow) = (queue.seat(), queue.seat());
        let put = |count| {
            for number in 0..count {
                let source = Source::Stdin;
                let want = Want::Verdict(Vec::new());
                queue.put((number, Task { source, want }));
            }
        };
        put(40);
        assert!(queue.try_take_beside(slow, 0).is_some());
        assert!((0..16).all(|open| queue.try_take_beside(quick, open).is_some()));
        // 23 are left, more than the other thread could take to have as many.
        assert!((9..16).all(|open| queue.try_take_beside(quick, open).is_some()));
        // 16 are left. The other thread may have 15 of them.
        assert!(queue.try_take_beside(quick, 16).is_some());
        assert!(queue.try_take_beside(quick, 16).is_none());
        // Finished tasks make room.
        assert!(queue.try_take_beside(quick, 0).is_some());
    }
}
