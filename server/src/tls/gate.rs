//! Which handshake of a worker computes: one at a time, and clients by turns.
//!
//! ```text
//! enter(client) ──> the line of that client ──> front of the next client's line ──> Turn
//!                                                  Turn dropped: the client after it
//! ```

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use tokio::sync::oneshot;

/// The right to compute, which the next one has once it is dropped.
#[derive(Debug)]
pub(super) struct Turn(Rc<Gate>);

/// Who waits for a turn.
#[derive(Debug, Default)]
pub(super) struct Gate(RefCell<Queues>);

#[derive(Debug, Default)]
struct Queues {
    is_taken: bool,
    /// Clients with a line, in the order of their turns.
    order: VecDeque<u64>,
    lines: HashMap<u64, VecDeque<oneshot::Sender<Turn>>>,
}

impl Gate {
    /// Waits for a turn of `client`.
    pub(super) async fn enter(self: &Rc<Self>, client: u64) -> Turn {
        let Some(waiting) = self.0.borrow_mut().enter(client) else {
            return Turn(Rc::clone(self));
        };
        match waiting.await {
            Ok(turn) => turn,
            // Whoever waits is in line until it has a turn.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Queues {
    /// Takes the turn, if nobody has it, or a place in line.
    fn enter(&mut self, client: u64) -> Option<oneshot::Receiver<Turn>> {
        if !std::mem::replace(&mut self.is_taken, true) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        let line = self.lines.entry(client).or_default();
        if line.is_empty() {
            self.order.push_back(client);
        }
        line.push_back(sender);
        Some(receiver)
    }

    /// Who is next. Those that wait no more are passed over.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        while let Some(client) = self.order.pop_front() {
            let Some(line) = self.lines.get_mut(&client) else {
                continue;
            };
            let next = std::iter::from_fn(|| line.pop_front()).find(|next| !next.is_closed());
            if line.is_empty() {
                self.lines.remove(&client);
            } else {
                self.order.push_back(client);
            }
            if next.is_some() {
                return next;
            }
        }
        self.is_taken = false;
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let next = self.0.0.borrow_mut().next();
        if let Some(next) = next {
            // Dropped by a receiver that has gone, it is passed on too.
            let _ = next.send(Self(Rc::clone(&self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::Duration;

    use tokio::runtime::{Builder, LocalOptions};
    use tokio::task::{JoinHandle, spawn_local, yield_now};
    use tokio::time::timeout;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    type Order = Rc<RefCell<Vec<u64>>>;

    fn run(test: impl Future<Output = ()> + 'static) {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_time().build_local(LocalOptions::default());
        runtime.unwrap().block_on(async {
            let ended = timeout(PATIENCE, spawn_local(test)).await;
            ended.expect("a turn is lost").unwrap();
        });
    }

    /// Tasks of these clients, in line in this order; each notes its turn.
    async fn in_line(gate: &Rc<Gate>, order: &Order, clients: &[u64]) -> Vec<JoinHandle<()>> {
        let mut tasks = Vec::new();
        for client in clients.iter().copied() {
            let (gate, order) = (Rc::clone(gate), Rc::clone(order));
            tasks.push(spawn_local(async move {
                let _turn = gate.enter(client).await;
                order.borrow_mut().push(client);
                yield_now().await;
            }));
            yield_now().await;
        }
        tasks
    }

    #[test]
    fn a_client_with_many_handshakes_has_every_other_turn() {
        run(async {
            let (gate, order) = (Rc::default(), Order::default());
            let first = Gate::enter(&gate, 1).await;
            let tasks = in_line(&gate, &order, &[1, 1, 1, 1, 2, 3, 2]).await;
            assert!(order.borrow().is_empty(), "one at a time");
            drop(first);
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(*order.borrow(), [1, 2, 3, 1, 2, 1, 1]);
            assert!(gate.0.borrow().lines.is_empty() && !gate.0.borrow().is_taken);
        });
    }

    #[test]
    fn no_turn_is_lost_with_whoever_waits_no_more() {
        run(async {
            let (gate, order) = (Rc::default(), Order::default());
            let first = Gate::enter(&gate, 1).await;
            let tasks = in_line(&gate, &order, &[1, 1, 2, 3, 3]).await;
            // Gone before its turn, and with a turn that it has not noticed.
            tasks[0].abort();
            yield_now().await;
            drop(first);
            tasks[1].abort();
            for task in tasks {
                let _ = task.await;
            }
            assert_eq!(*order.borrow(), [2, 3, 3]);
            assert!(gate.0.borrow().lines.is_empty() && !gate.0.borrow().is_taken);
            drop(Gate::enter(&gate, 4).await);
        });
    }
}
