//! Puts results back in the order of their tasks.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::tasks::{Outcome, Source, Task};

/// Tasks begun or waiting to be printed. While one long file is first, this many others are hashed;
/// their results take some hundred bytes each.
pub(crate) const WINDOW: usize = 4096;

/// The tasks that have been given out and not printed yet.
pub(crate) struct InOrder<L> {
    /// The number of the front task.
    first: u64,
    tasks: VecDeque<(L, Option<Outcome>)>,
}

impl<L> InOrder<L> {
    pub(crate) fn new() -> Self {
        Self {
            first: 0,
            tasks: VecDeque::new(),
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.tasks.len() < WINDOW
    }

    /// Adds a task at the back. Returns the number under which its outcome must be reported, or
    /// `None` if the outcome is already known.
    pub(crate) fn push(&mut self, task: &Task, label: L) -> Option<u64> {
        let number = self.first + self.tasks.len() as u64;
        let known = match &task.source {
            Source::Lost(error) => Some(Outcome::Unreadable(Arc::clone(error))),
            _ => None,
        };
        let is_known = known.is_some();
        self.tasks.push_back((label, known));
        (!is_known).then_some(number)
    }

    /// Keeps outcomes until all earlier ones are known.
    pub(crate) fn complete(&mut self, outcomes: impl IntoIterator<Item = (u64, Outcome)>) {
        for (number, outcome) in outcomes {
            let place = number
                .checked_sub(self.first)
                .and_then(|place| usize::try_from(place).ok());
            if let Some((_, waiting)) = place.and_then(|place| self.tasks.get_mut(place)) {
                *waiting = Some(outcome);
            }
        }
    }

    /// Takes the front task if its outcome is known.
    pub(crate) fn pop(&mut self) -> Option<(L, Outcome)> {
        self.tasks.front()?.1.as_ref()?;
        let (label, outcome) = self.tasks.pop_front()?;
        self.first += 1;
        Some((label, outcome?))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Want;
    use hashlane_client::Algorithm;

    fn task(source: Source) -> Task {
        Task {
            source,
            want: Want::Verdict(Vec::new()),
        }
    }

    fn outcome(is_match: bool) -> Outcome {
        let wrong = if is_match {
            vec![]
        } else {
            vec![Algorithm::Md5]
        };
        Outcome::Verdict { wrong }
    }

    #[test]
    fn outcomes_come_out_in_the_order_of_their_tasks() {
        let mut order = InOrder::new();
        let stdin = task(Source::Stdin);
        let numbers: Vec<_> = (0..3).map(|label| order.push(&stdin, label)).collect();
        assert_eq!(numbers, [Some(0), Some(1), Some(2)]);
        order.complete([(2, outcome(true))]);
        assert!(order.pop().is_none());
        order.complete([(0, outcome(false))]);
        assert_eq!(order.pop().unwrap().0, 0);
        assert!(order.pop().is_none());
        assert_eq!(order.push(&stdin, 3), Some(3));
        order.complete([(1, outcome(true))]);
        assert_eq!(order.pop().unwrap().0, 1);
        assert_eq!(order.pop().unwrap().0, 2);
        let lost = task(Source::Lost(Arc::new(std::io::Error::other("lost"))));
        assert_eq!(order.push(&lost, 4), None);
        assert!(order.pop().is_none());
        order.complete([(3, outcome(true))]);
        assert_eq!(order.pop().unwrap().0, 3);
        let (label, lost) = order.pop().unwrap();
        assert!(label == 4 && matches!(lost, Outcome::Unreadable(_)));
        assert!(order.is_empty());
    }

    #[test]
    fn the_window_is_bounded() {
        let mut order = InOrder::new();
        for _ in 0..WINDOW {
            assert!(order.has_room());
            order.push(&task(Source::Stdin), ());
        }
        assert!(!order.has_room());
        order.complete([(0, outcome(true))]);
        order.pop().unwrap();
        assert!(order.has_room());
    }
}
